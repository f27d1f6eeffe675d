/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays and dim of ELLPACK, for the formats that have such a part. */
#ifndef EK_FORMAT_ELL_H
#define EK_FORMAT_ELL_H

#include "core/ek_core.h"

enum { ELL_LEN, ELL_COL = CSR_COL, ELL_VAL = CSR_VAL, ELL_ARRAYS }; /* arrays */
enum { ELL_ORDER, ELL_WIDTH, ELL_STRIDE }; /* dim: order as given; entry j of row i is at */
enum { BY_ROWS = 1, BY_COLUMNS = 2 };      /* i * width + j, or j * stride + i */
enum { ELL_GROUP = 16 }; /* rows that are multiplied by one thread: no vector lies in two groups */
extern const ek_format ek_format_ell;

/* An odd number of groups, so that entries of a row never lie a whole number of pages apart: columns
 * would take the same few places of the nearest cache from each other (half the speed on processors
 * with 8 of them, measured). */
static inline int64_t ell_stride(int64_t rows)
{
	return rows ? eki_times(eki_groups(rows, ELL_GROUP) | 1, ELL_GROUP) : 0;
}

/* Stride and lengths, of order and width. */
static inline void ell_shape(ek_store *s)
{
	s->dim[ELL_STRIDE] = ell_stride(s->rows);
	s->len[ELL_LEN] = s->rows;
	s->len[ELL_COL] = s->len[ELL_VAL] = eki_times(
		s->dim[ELL_ORDER] == BY_ROWS ? s->rows : s->dim[ELL_STRIDE], s->dim[ELL_WIDTH]);
}

/* dim of a part by columns, whose lengths are those of the whole. */
static inline void ell_part_shape(ek_store *part, int64_t width)
{
	part->dim[ELL_ORDER] = BY_COLUMNS;
	part->dim[ELL_WIDTH] = width;
	part->dim[ELL_STRIDE] = ell_stride(part->rows);
}

/* The first row of a group, or the end of the rows. */
static inline int64_t ell_row(const ek_store *s, int64_t group)
{
	return eki_group(s->rows, ELL_GROUP, group);
}

/* Steps from row to row and from entry to entry. */
static inline int64_t ell_row_step(const ek_store *s)
{
	return s->dim[ELL_ORDER] == BY_ROWS ? s->dim[ELL_WIDTH] : 1;
}
static inline int64_t ell_entry_step(const ek_store *s)
{
	return s->dim[ELL_ORDER] == BY_ROWS ? 1 : s->dim[ELL_STRIDE];
}

/* Columns and values of a CSR store whose row_ptr is done: entries of ELLPACK come first in each
 * row. */
void eki_ell_fill_csr(const ek_context *ctx, const ek_store *ell, ek_store *csr);

#endif
