/* SPDX-License-Identifier: BSD-3-Clause
 * The driver of methods that go through the rows of op(A) (rows.c). A method is a kernel for a
 * range of rows. */
#ifndef EK_SPMSPV_ROWS_H
#define EK_SPMSPV_ROWS_H

#include "spmspv/spmspv.h"

/* The vector that a kernel multiplies by. */
typedef struct eki_rows_x {
	const ek_sparse *x;
	const void *dense;   /* x as a dense vector, 0 where it has no entry, if asked for */
	const uint8_t *mark; /* 1 where x has an entry; NULL if it has all entries */
	eki_scalar alpha;
	bool read; /* whether alpha is not 0; otherwise no values are read */
} eki_rows_x;

/* Computes rows begin .. end - 1. Writes the entries of the result to idx and val, where there is
 * space for end - begin entries, and returns their number. */
typedef int64_t eki_rows_fn(const ek_store *rows, const eki_rows_x *x, int64_t begin, int64_t end,
                            void *idx, void *val);

typedef struct eki_by_rows {
	const ek_store *rows;
	eki_rows_fn *fn;
	int parts;
	int64_t bound[EKI_SPMSPV_PARTS + 1];
	int64_t idx, val, dense, mark; /* offsets in the scratch; dense is -1 if not used */
} eki_by_rows;

/* Prepares a method on `rows`; `dense` asks for x as a dense vector. */
ek_status eki_by_rows_prepare(eki_step *step, const ek_store *rows, bool dense, eki_rows_fn *fn,
                              eki_by_rows *r);
void eki_by_rows_run(const eki_step *step, const eki_by_rows *r, const eki_run *v);

/* csr_masked.c */
ek_status eki_masked_prepare(eki_step *step, const ek_store *rows, eki_by_rows *r);

#endif
