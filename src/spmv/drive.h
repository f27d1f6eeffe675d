/* SPDX-License-Identifier: BSD-3-Clause
 * The driver of the SpMV methods whose work is a list of units: rows, chunks of rows, blocks, tiles
 * or single entries of a format. A method's prepare says in an eki_drive what its units are and
 * which kernels multiply them; eki_drive_run is its run. */
#ifndef EK_SPMV_DRIVE_H
#define EK_SPMV_DRIVE_H

#include "spmv/split.h"

enum { EKI_MOST_HEIGHT = 8 };

/* What a part knows of the rows that it may share with the parts beside it: sums of A x, alpha and
 * beta not applied. A row here is a row of `height` rows of the matrix. */
typedef struct eki_carry {
	int64_t first, last; /* equal: all is in first_sum */
	double first_sum[EKI_MOST_HEIGHT], last_sum[EKI_MOST_HEIGHT];
} eki_carry;

/* Units [begin, end), one at least: finishes y for the rows between the first and the last that
 * they have entries in, empty ones included, and fills *carry, which is zero, for those two. */
typedef void eki_carry_fn(const ek_store *A, const ek_args *v, int64_t begin, int64_t end,
                          eki_carry *carry);
/* Adds alpha A^T x of units [begin, end) to sum[j - first], an array of the value type; j as it
 * stands in A, which starts at A->base. */
typedef void eki_scatter_fn(const ek_store *A, const ek_args *v, int64_t begin, int64_t end,
                            int64_t first, void *sum);
/* Columns [span[0], span[1]) hold all that units [begin, end), one at least, have entries in. */
typedef void eki_span_fn(const ek_store *A, int64_t begin, int64_t end, int64_t span[2]);

typedef struct eki_drive {
	int64_t units;
	/* NULL: units are alike. Else units + 1 row pointers: entries before each unit. */
	const void *unit_ptr;
	/* op N, one of two: units that share no rows with others, all rows of the matrix being in
	 * some unit; or units that may, in the order of rows. */
	eki_rows_fn *rows;
	eki_carry_fn *carry;
	int height; /* of a row of the carries; 0 means 1 */
	/* op T; without scatter it goes as op N does, and units have all columns */
	eki_scatter_fn *scatter;
	eki_span_fn *span;
} eki_drive;

/* Of entries [begin, end) of an array of column indices; none have none. */
void eki_span(const ek_store *A, int array, int64_t begin, int64_t end, int64_t span[2]);

ek_status eki_drive_prepare(ek_plan *plan, const eki_drive *drive);
ek_status eki_drive_run(const ek_plan *plan, const ek_args *args);

#endif
