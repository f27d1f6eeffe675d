/* SPDX-License-Identifier: BSD-3-Clause
 * The arrays of sliced coordinates: what the conversion (format/scoo.c) writes and the product
 * (spmv/scoo.c) reads. Entries slice_ptr[k] .. slice_ptr[k + 1] - 1 are those of rows k height and
 * following, by column, then by row; row_low is the row's number within the slice. */
#ifndef EK_FORMAT_SCOO_H
#define EK_FORMAT_SCOO_H

#include "core/ek_core.h"

enum { SCOO_PTR = CSR_PTR, SCOO_COL = CSR_COL, SCOO_VAL = CSR_VAL, SCOO_ROW }; /* arrays */
enum { SCOO_HEIGHT };                                                          /* dim */
enum { SCOO_MAX_HEIGHT = 1 << 13 };

extern const ek_format ek_format_scoo;

static inline int64_t scoo_slices(const ek_store *s)
{
	return eki_groups(s->rows, s->dim[SCOO_HEIGHT]);
}

/* The first row of a slice, or the end of the rows. */
static inline int64_t scoo_first(const ek_store *s, int64_t slice)
{
	return eki_group(s->rows, s->dim[SCOO_HEIGHT], slice);
}

static inline int64_t scoo_rows(const ek_store *s, int64_t slice)
{
	return scoo_first(s, slice + 1) - scoo_first(s, slice);
}

#endif
