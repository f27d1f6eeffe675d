/* SPDX-License-Identifier: BSD-3-Clause
 * The arrays of the result of a sparse product, which methods fill row by row. */
#ifndef EK_SPGEMM_OUTPUT_H
#define EK_SPGEMM_OUTPUT_H

#include "spgemm/batches.h"

typedef enum eki_rows_mode {
	EKI_ROWS_COUNT, /* counts the entries of each row */
	EKI_ROWS_MAKE,  /* writes columns and values, row after row */
	EKI_ROWS_VALUES /* writes values; the columns are known */
} eki_rows_mode;

/* Rows of C that a method computes in one call. */
typedef struct eki_rows_task {
	const eki_step *step;
	const eki_run *run;
	eki_rows_mode mode;
	int part;   /* number of the thread, from 0, which selects its scratch */
	bool fresh; /* whether the scratch of this part has not been used yet in this pass */
	int64_t begin, end;
	/* places for the first entry; not used when counting */
	void *col, *val;
	/* CSR store in which the length of row i becomes row pointer i + 1, or NULL */
	ek_store *lengths;
} eki_rows_task;

/* Computes rows of C. Returns the number of their entries. */
typedef int64_t eki_rows_fn(const eki_rows_task *task);

/* Memory for the entries of a batch, for each thread, in the scratch of a run. */
typedef struct eki_batch_buffers {
	int64_t entries; /* 0 if there is none: then C is counted before it is filled */
	int64_t at;
	bool in_place; /* one thread makes C, without a buffer; batches have up to `entries` */
} eki_batch_buffers;

/* Returns the number of parts for the work of a product: 1 if there is little of it. */
int eki_output_parts(const eki_step *step, const eki_batches *batches);
/* Reserves buffers for the batches of all parts, so that C is made in one pass; a single part needs
 * none. Leaves buffers->entries 0 if memory is limited, if the caller gave functions to allocate
 * memory, or if the buffers would be large. step->parts must be what eki_output_parts said. */
ek_status eki_output_buffers(eki_step *step, const eki_batches *batches,
                             eki_batch_buffers *buffers);
/* Computes the result, v->C. Allocates its arrays unless it has some, and fills them by calling
 * `rows` for all batches, on all threads of the step. */
ek_status eki_output(const eki_step *step, const eki_run *v, const eki_batches *batches,
                     const eki_batch_buffers *buffers, eki_rows_fn *rows);
/* Makes C a matrix of the sizes and types of the result, with row pointers that are not set. If
 * this function or the next one fails, the caller frees the store. */
ek_status eki_output_begin(const eki_step *step, ek_store *C);
/* Allocates the arrays of the nnz entries, unless only a device is to have them. */
ek_status eki_output_arrays(const eki_step *step, ek_store *C, int64_t nnz);
/* Does the same, and sums up row pointers, of which number i + 1 is the length of row i before. */
ek_status eki_output_entries(const eki_step *step, ek_store *C, int64_t nnz);

/* Tell whether the run reads the values of A and B, and those of D. */
static inline bool eki_reads_factors(const eki_run *v)
{
	return !eki_is(v->alpha, 0);
}
static inline bool eki_reads_addend(const eki_run *v)
{
	return !eki_is(v->beta, 0);
}

#endif
