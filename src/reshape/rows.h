/* SPDX-License-Identifier: BSD-3-Clause
 * Sorts the entries of each row by column. */
#ifndef EK_RESHAPE_ROWS_H
#define EK_RESHAPE_ROWS_H

#include "matrix/matrix.h"

enum { EKI_ROWS_PARTS = 64 };

/* Rows to sort: row pointers and columns of a CSR store, and the data of each entry. */
typedef struct eki_rows {
	ek_store *csr;
	void *with;       /* data of each entry: its value or its original position */
	size_t with_size; /* 4 or 8 bytes */
	int parts;        /* number of parts, at most EKI_ROWS_PARTS */
	/* The next three arrays are indexed by part. eki_rows_sort sets them. */
	int64_t bound[EKI_ROWS_PARTS + 1];      /* row at which the part begins */
	int64_t repeated[EKI_ROWS_PARTS];       /* number of entries that repeat a place */
	int64_t first_repeated[EKI_ROWS_PARTS]; /* first of these entries, or -1 */
	/* The rest is used while sorting. */
	void *col_scratch, *with_scratch;
	int64_t scratch[EKI_ROWS_PARTS + 1]; /* where the scratch of each part begins */
} eki_rows;

/* Sorts each row by column, stably. Sets *repeated to the number of entries that have the same row
 * and column as the entry before them. */
ek_status eki_rows_sort(const ek_context *ctx, eki_rows *rows, int64_t *repeated);

#endif
