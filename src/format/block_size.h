/* SPDX-License-Identifier: BSD-3-Clause
 * Chooses the size of blocks if the caller gives none. */
#ifndef EK_FORMAT_BLOCK_SIZE_H
#define EK_FORMAT_BLOCK_SIZE_H

#include "cost/cost.h"
#include "format/block.h"

/* Predicts the time of a product, in nanoseconds, with `blocks` blocks of r x c in `block_rows`
 * block rows, if the column of a block takes `column` bytes. */
double eki_block_cost(const eki_features *f, int r, int c, double blocks, double block_rows,
                      double column);
/* Sets dim[BLOCK_R] and dim[BLOCK_C] to the block size that is predicted to be fastest. A dimension
 * that is not 0 was chosen by the caller and is kept. Returns an estimate of the number of blocks,
 * or 0 if the caller chose both dimensions. */
double eki_block_choose(const ek_context *ctx, const ek_store *csr, int64_t *dim);

#endif
