/* SPDX-License-Identifier: BSD-3-Clause
 * The arrays and parameters (dim) of ELLPACK, for all formats with an ELLPACK part. */
#ifndef EK_FORMAT_ELL_H
#define EK_FORMAT_ELL_H

#include "matrix/matrix.h"

enum { ELL_LEN, ELL_COL = CSR_COL, ELL_VAL = CSR_VAL, ELL_ARRAYS }; /* indices of the arrays */
enum { ELL_ORDER, ELL_WIDTH, ELL_STRIDE };                          /* indices into dim */
/* Values of dim[ELL_ORDER]. Entry j of row i is at place i * width + j for BY_ROWS, and at place
 * j * stride + i for BY_COLUMNS. */
enum { BY_ROWS = 1, BY_COLUMNS = 2 };
/* Number of rows in a group. One thread multiplies a whole group; no vector spans two groups. */
enum { ELL_GROUP = 16 };
extern const ek_format ek_format_ell;

/* Returns the stride, which is the distance in places between columns of ELLPACK: the number of
 * rows, rounded up to an odd number of groups. Entries of a row are then never a whole number of
 * pages apart. If they were, columns would compete for the same few ways of the first-level cache.
 * This was measured to halve the speed on processors with 8 ways. */
static inline int64_t ell_stride(int64_t rows)
{
	return rows ? eki_times(eki_groups(rows, ELL_GROUP) | 1, ELL_GROUP) : 0;
}

/* Sets the stride and the lengths of the arrays of `s` from its rows, order and width. */
static inline void ell_shape(ek_store *s)
{
	s->dim[ELL_STRIDE] = ell_stride(s->rows);
	s->len[ELL_LEN] = s->rows;
	s->len[ELL_COL] = s->len[ELL_VAL] = eki_times(
		s->dim[ELL_ORDER] == BY_ROWS ? s->rows : s->dim[ELL_STRIDE], s->dim[ELL_WIDTH]);
}

/* Sets dim of an ELLPACK part that is stored by columns. The lengths of its arrays must be set
 * already. */
static inline void ell_part_shape(ek_store *part, int64_t width)
{
	part->dim[ELL_ORDER] = BY_COLUMNS;
	part->dim[ELL_WIDTH] = width;
	part->dim[ELL_STRIDE] = ell_stride(part->rows);
}

/* Returns the first row of a group, or the number of rows if `group` is one past the last group. */
static inline int64_t ell_row(const ek_store *s, int64_t group)
{
	return eki_group(s->rows, ELL_GROUP, group);
}

/* Returns the distance, in places, from an entry to the entry with the same number in the next row.
 * ell_entry_step returns the distance from an entry to the next entry of its row. */
static inline int64_t ell_row_step(const ek_store *s)
{
	return s->dim[ELL_ORDER] == BY_ROWS ? s->dim[ELL_WIDTH] : 1;
}
static inline int64_t ell_entry_step(const ek_store *s)
{
	return s->dim[ELL_ORDER] == BY_ROWS ? 1 : s->dim[ELL_STRIDE];
}

/* Fills columns and values of `csr`, whose row_ptr is complete, from `ell`. In each row of `csr`,
 * the entries of ELLPACK come first; others may follow them. */
void eki_ell_fill_csr(const ek_context *ctx, const ek_store *ell, ek_store *csr);

#endif
