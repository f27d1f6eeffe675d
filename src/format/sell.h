/* SPDX-License-Identifier: BSD-3-Clause
 * The arrays of SELL-C-sigma, which the conversion (format/sell.c) writes and the product
 * (spmv/sell.c) reads.
 *
 * Position p = k c + l of the sorted rows is lane l of chunk k. The row at that position is
 * perm[p], or p if rows are not sorted. Entry j of the row is at place chunk_ptr[k] + j c + l of
 * col_idx and val. Each lane of a chunk has as many places as the longest row of the chunk has
 * entries. The last chunk has c lanes too, even if fewer rows are left. */
#ifndef EK_FORMAT_SELL_H
#define EK_FORMAT_SELL_H

#include "matrix/matrix.h"
#include "format/padding.h"

enum {
	SELL_PTR = CSR_PTR,
	SELL_COL = CSR_COL,
	SELL_VAL = CSR_VAL,
	SELL_LEN,
	SELL_PERM
};                           /* indices of the arrays */
enum { SELL_C, SELL_SIGMA }; /* indices into dim */
enum { SELL_MAX_C = EKI_MOST_LANES, SELL_MAX_SIGMA = 1 << 16 };

extern const ek_format ek_format_sell;

static inline int64_t sell_chunks(const ek_store *s)
{
	return eki_groups(s->rows, s->dim[SELL_C]);
}

/* Returns the first position of a chunk, or the number of rows if `chunk` is one past the last
 * chunk. */
static inline int64_t sell_first(const ek_store *s, int64_t chunk)
{
	return eki_group(s->rows, s->dim[SELL_C], chunk);
}

/* Returns the sigma that is used if the caller asks for `sigma`. 1 stays 1; other numbers are
 * rounded up to a multiple of c, or down if that multiple is above SELL_MAX_SIGMA. */
static inline int64_t sell_sigma(int64_t sigma, int64_t c)
{
	const int64_t up = (sigma + c - 1) / c * c;

	return sigma == 1 ? 1 : up > SELL_MAX_SIGMA ? up - c : up;
}

#endif
