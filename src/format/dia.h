/* SPDX-License-Identifier: BSD-3-Clause
 * The arrays and parameters (dim) of the diagonal format (DIA), for all formats with a diagonal
 * part. */
#ifndef EK_FORMAT_DIA_H
#define EK_FORMAT_DIA_H

#include "matrix/matrix.h"

enum { DIA_OFFSET, DIA_VAL, DIA_MASK, DIA_ARRAYS }; /* indices of the arrays */
/* Index into dim. dim[DIA_STRIDE] is the number of places of a diagonal, at least the number of
 * rows. */
enum { DIA_STRIDE };
extern const ek_format ek_format_dia;

static inline int64_t dia_count(const ek_store *s)
{
	return s->len[DIA_OFFSET];
}

/* Returns the number of places of a diagonal: the number of rows, rounded up so that the mask of a
 * diagonal is an odd number of whole words. With such a number, the places of one row in different
 * diagonals do not compete for the same cache lines. */
static inline int64_t dia_stride(int64_t rows)
{
	return eki_times(eki_groups(rows, 32) | 1, 32);
}

#endif
