/* SPDX-License-Identifier: BSD-3-Clause
 * The arrays of banded diagonals (BDIA), which the conversion (format/bdia.c) writes and the
 * products (spmv/bdia.c, spmv_gpu/bdia.c) read.
 *
 * Band b has the n diagonals offset[b], offset[b] + 1, ... offset[b] + n - 1, where n is
 * band_ptr[b + 1] - band_ptr[b]. Rows are in groups of 32. The places of a band are ordered by
 * group, then by diagonal, then by row, so that a band is one stream of values. */
#ifndef EK_FORMAT_BDIA_H
#define EK_FORMAT_BDIA_H

#include "matrix/matrix.h"

enum { BDIA_PTR = CSR_PTR, BDIA_OFFSET, BDIA_VAL, BDIA_MASK }; /* indices of the arrays */
enum { BDIA_ROWS = 32 }; /* rows of a group, whose places on a diagonal have one word of mask */

extern const ek_format ek_format_bdia;

static inline int64_t bdia_bands(const ek_store *s)
{
	return s->len[BDIA_OFFSET];
}

static inline int64_t bdia_groups(const ek_store *s)
{
	return eki_groups(s->rows, BDIA_ROWS);
}

/* Returns the word of the mask for group g and diagonal d of a band of n diagonals, which begins
 * with diagonal number `first` of the matrix. Its 32 places begin with place 32 times that. */
static inline int64_t bdia_word(int64_t first, int64_t n, int64_t groups, int64_t g, int64_t d)
{
	return first * groups + g * n + d;
}

#endif
