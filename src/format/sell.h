/* SPDX-License-Identifier: BSD-3-Clause
 * The arrays of SELL-C-sigma: what the conversion (format/sell.c) writes and the product
 * (spmv/sell.c) reads.
 *
 * Place p of the rows, p = k c + l, is lane l of chunk k; the row that has it is perm[p], or p
 * where nothing is sorted. Entry j of that row is at chunk_ptr[k] + j c + l of col_idx and val.
 * Chunks have room for their longest row, and the last one for c rows too. */
#ifndef EK_FORMAT_SELL_H
#define EK_FORMAT_SELL_H

#include "core/ek_core.h"
#include "format/padding.h"

enum {
	SELL_PTR = CSR_PTR,
	SELL_COL = CSR_COL,
	SELL_VAL = CSR_VAL,
	SELL_LEN,
	SELL_PERM
};                           /* arrays */
enum { SELL_C, SELL_SIGMA }; /* dim */
enum { SELL_MAX_C = EKI_MOST_LANES, SELL_MAX_SIGMA = 1 << 16 };

extern const ek_format ek_format_sell;

static inline int64_t sell_chunks(const ek_store *s)
{
	return eki_groups(s->rows, s->dim[SELL_C]);
}

/* The first place of a chunk, or the end of the rows. */
static inline int64_t sell_first(const ek_store *s, int64_t chunk)
{
	return eki_group(s->rows, s->dim[SELL_C], chunk);
}

/* sigma as it is used: 1, or a multiple of c that is not too large. */
static inline int64_t sell_sigma(int64_t sigma, int64_t c)
{
	const int64_t up = (sigma + c - 1) / c * c;

	return sigma == 1 ? 1 : up > SELL_MAX_SIGMA ? up - c : up;
}

#endif
