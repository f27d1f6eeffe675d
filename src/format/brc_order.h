/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EK_FORMAT_BRC_ORDER_H
#define EK_FORMAT_BRC_ORDER_H

#include "format/brc.h"

/* The order of the pieces of a matrix. */
typedef struct brc_order {
	const ek_store *csr;
	int64_t width, window, pieces, split;
	int windows;
	int64_t *at; /* of each window: where its next piece goes, for each bin */
} brc_order;

/* Counts, with the width and window of dim; release it by brc_order_free. */
ek_status brc_order_make(const ek_context *ctx, const ek_store *csr, const int64_t *dim,
                         brc_order *o);
/* Fills piece_len and, where `out` has them, piece_row and row_piece. Once only. */
void brc_order_fill(const ek_context *ctx, const brc_order *o, const ek_store *out);
void brc_order_free(const ek_context *ctx, brc_order *o);

#endif
