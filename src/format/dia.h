/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays and dim of the diagonal format, for the formats that have such a part. */
#ifndef EK_FORMAT_DIA_H
#define EK_FORMAT_DIA_H

#include "core/ek_core.h"

enum { DIA_OFFSET, DIA_VAL, DIA_MASK, DIA_ARRAYS }; /* arrays */
enum { DIA_STRIDE }; /* dim: places of a diagonal, one for each row */
extern const ek_format ek_format_dia;

static inline int64_t dia_count(const ek_store *s)
{
	return s->len[DIA_OFFSET];
}

/* Places of a diagonal: whole words of the mask, an odd number of them, so that the same row of
 * different diagonals falls on different lines of a cache. */
static inline int64_t dia_stride(int64_t rows)
{
	return eki_times(eki_groups(rows, 32) | 1, 32);
}

#endif
