/* SPDX-License-Identifier: BSD-3-Clause
 * The columns of a matrix in CSR as 16-bit numbers, for methods that then read 2 bytes instead of 4
 * or 8 for each entry. It takes half as long as a product. Zhang 2012, section 4; Williams et al.
 * 2009. */
#include "spmv/narrow.h"
#define EK_TYPES_ONLY
#define EK_FILE "spmv/narrow.c"
#include "base/for_each.h"

#if EK_PER_TYPE

static void FN(narrow)(const ek_store *A, uint16_t *out, int64_t begin, int64_t end)
{
	const IDX *col_idx = A->array[CSR_COL];

	for (int64_t k = begin; k < end; k++)
		out[k] = (uint16_t)col_idx[k];
}

#endif
#if EK_ONCE

typedef void narrow_fn(const ek_store *, uint16_t *, int64_t, int64_t);

enum { PADDING = 16 }; /* columns that a vector may read beyond the last one */

struct narrow_job {
	const eki_step *step;
	uint16_t *col;
};

static void narrow_part(void *arg, int part)
{
	static narrow_fn *const narrow[EK_NTYPE] = EK_BY_TYPE(narrow);
	const struct narrow_job *job = arg;
	const eki_step *step = job->step;
	const ek_store *A = step->in[0];

	narrow[eki_type(A->value, A->index)](A, job->col, eki_cut(A->nnz, step->parts, part),
	                                     eki_cut(A->nnz, step->parts, part + 1));
}

ek_status eki_narrow_columns(eki_step *step)
{
	const ek_store *A = step->in[0];
	struct narrow_job job = {.step = step};

	EK_RETURN_IF(eki_step_alloc(step, A->nnz + PADDING, sizeof *job.col, &job.col));
	for (int k = 0; k < PADDING; k++)
		job.col[A->nnz + k] = 0;
	eki_parallel(step->ctx, step->threads, step->parts, narrow_part, &job);
	step->aux = job.col;
	step->bytes += A->nnz * (2 - (int64_t)eki_idx_size(A->index));
	return EK_OK;
}

#endif
