/* SPDX-License-Identifier: BSD-3-Clause
 * The size of blocks where the caller gives none. */
#ifndef EK_FORMAT_BLOCK_SIZE_H
#define EK_FORMAT_BLOCK_SIZE_H

#include "format/block.h"

/* Fills those of dim[BLOCK_R] and dim[BLOCK_C] that are 0. */
ek_status eki_block_choose(const ek_context *ctx, const ek_store *csr, int64_t *dim);

#endif
