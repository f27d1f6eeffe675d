/* SPDX-License-Identifier: BSD-3-Clause
 * The arrays of sliced coordinates (SCOO), which the conversion (format/scoo.c) writes and the
 * product (spmv/scoo.c) reads. Slice k has rows k height .. (k + 1) height - 1. Its entries are
 * slice_ptr[k] .. slice_ptr[k + 1] - 1, sorted by column and then by row. row_low of an entry is
 * the number of its row within the slice. */
#ifndef EK_FORMAT_SCOO_H
#define EK_FORMAT_SCOO_H

#include "matrix/matrix.h"

/* Numbers of the arrays. */
enum { SCOO_PTR = CSR_PTR, SCOO_COL = CSR_COL, SCOO_VAL = CSR_VAL, SCOO_ROW };
enum { SCOO_HEIGHT }; /* index into dim */
enum { SCOO_MAX_HEIGHT = 1 << 16 };

extern const ek_format ek_format_scoo;

static inline int64_t scoo_slices(const ek_store *s)
{
	return eki_groups(s->rows, s->dim[SCOO_HEIGHT]);
}

/* Returns the first row of a slice, or the number of rows if `slice` is one past the last slice. */
static inline int64_t scoo_first(const ek_store *s, int64_t slice)
{
	return eki_group(s->rows, s->dim[SCOO_HEIGHT], slice);
}

static inline int64_t scoo_rows(const ek_store *s, int64_t slice)
{
	return scoo_first(s, slice + 1) - scoo_first(s, slice);
}

#endif
