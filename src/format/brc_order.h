/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EK_FORMAT_BRC_ORDER_H
#define EK_FORMAT_BRC_ORDER_H

#include "format/brc.h"

/* The order in which BRC stores the pieces of a matrix. */
typedef struct brc_order {
	const ek_store *csr;
	int64_t width, window, pieces, split;
	int windows;
	int64_t *at; /* next free position, for each window and bin of lengths */
} brc_order;

/* Counts the pieces in each bin of each window, for the width and window in `dim`, and computes the
 * position at which each bin begins. Release *o with brc_order_free. */
ek_status brc_order_make(const ek_context *ctx, const ek_store *csr, const int64_t *dim,
                         brc_order *o);
/* Fills piece_len of `out`, and also piece_row and row_piece if `out` has these arrays. May be
 * called only once for each order. */
void brc_order_fill(const ek_context *ctx, const brc_order *o, const ek_store *out);
void brc_order_free(const ek_context *ctx, brc_order *o);

#endif
