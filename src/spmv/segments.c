/* SPDX-License-Identifier: BSD-3-Clause
 * The steps of a product before and after its segmented sum or scan. Entries and rows are cut
 * evenly between the threads, however long the rows are. The flags depend on the pattern alone and
 * are made with the plan. The position where a row begins or ends is read from row_ptr when y is
 * computed, so no array of positions is stored. Blelloch, Heroux, Zagha 1993. */
#include <string.h>

#include "spmv/segments.h"
#define EK_FILE "spmv/segments.c"
#define EK_WITH_LOADS
#include "base/for_each.h"

static void FN(segments_multiply)(const ek_store *A, const eki_run *v, eki_segments *s,
                                  int64_t begin, int64_t end)
{
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], *x = v->x.data;
	VAL *product = s->product;
	int64_t k = begin;

	for (; end - k >= W; k += W)
		vstore(product + k, vmul(vload(val + k), vgather(x, col_idx + k)));
	for (; k < end; k++)
		product[k] = val[k] * x[col_idx[k]];
}

#if EK_PER_TYPE

static inline void FN(segments_gather)(const ek_store *A, const eki_run *v, const VAL *product,
                                       int64_t from_end, int64_t begin, int64_t end)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const VAL alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta), *y0 = v->y0.data;
	VAL *y = v->y.data;

	for (int64_t i = begin; i < end; i++) {
		int64_t at = from_end ? (int64_t)row_ptr[i + 1] - 1 : row_ptr[i];
		VAL sum = row_ptr[i] == row_ptr[i + 1] ? 0 : product[at];

		y[i] = beta == 0 ? alpha * sum : alpha * sum + beta * y0[i];
	}
}

static void FN(segments_firsts)(const ek_store *A, const eki_run *v, eki_segments *s, int64_t begin,
                                int64_t end)
{
	FN(segments_gather)(A, v, s->product, 0, begin, end);
}

static void FN(segments_lasts)(const ek_store *A, const eki_run *v, eki_segments *s, int64_t begin,
                               int64_t end)
{
	FN(segments_gather)(A, v, s->product, 1, begin, end);
}

#endif
#if EK_ONCE

/* State of the step: the flags, and the offsets in the scratch at which the arrays of a run
 * begin. */
typedef struct state {
	uint8_t *bit_flag;
	int64_t product, open, flag;
} state;

struct segments_job {
	const eki_step *step;
	const eki_run *v;
	eki_segments *segments;
	eki_segments_pass_fn *pass;
	eki_segments_fn *fn;
	int64_t n; /* number of entries or rows, which are cut into parts */
};

static void flag_part(void *arg, int part)
{
	const eki_step *step = arg;
	const ek_store *A = step->in[0];
	const state *s = step->state;
	int64_t end = eki_cut(A->rows, step->parts, part + 1);

	for (int64_t i = eki_cut(A->rows, step->parts, part); i < end; i++)
		if (eki_ptr_at(A, i) < eki_ptr_at(A, i + 1))
			s->bit_flag[eki_ptr_at(A, i)] = 1;
}

ek_status eki_segments_prepare(eki_step *step)
{
	const ek_store *A = step->in[0];
	size_t size = ek_value_size(A->value);
	state *s;

	if (A->nnz + A->rows < step->ctx->small_work)
		step->threads = step->parts = 1;
	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	EK_RETURN_IF(eki_step_alloc(step, A->nnz, 1, &s->bit_flag));
	EK_RETURN_IF(eki_step_scratch(step, A->nnz, size, &s->product));
	EK_RETURN_IF(eki_step_scratch(step, step->parts, size, &s->open));
	EK_RETURN_IF(eki_step_scratch(step, step->parts, sizeof(int64_t), &s->flag));
	if (A->nnz)
		memset(s->bit_flag, 0, (size_t)A->nnz);
	step->state = s;
	step->bytes += A->nnz * (int64_t)(1 + 4 * size);
	eki_parallel(step->ctx, step->threads, step->parts, flag_part, step);
	return EK_OK;
}

static void pass_part(void *arg, int part)
{
	const struct segments_job *job = arg;
	const int parts = job->step->parts;

	job->pass(job->step->in[0], job->v, job->segments, eki_cut(job->n, parts, part),
	          eki_cut(job->n, parts, part + 1));
}

static void fn_part(void *arg, int part)
{
	const struct segments_job *job = arg;
	const int parts = job->step->parts;

	job->fn(job->segments, part, eki_cut(job->n, parts, part),
	        eki_cut(job->n, parts, part + 1));
}

eki_segments eki_segments_multiply(const eki_step *step, const eki_run *v,
                                   eki_segments_pass_fn *multiply)
{
	static eki_segments_pass_fn *const pass[EK_NISA][EK_NTYPE] =
		EK_BY_ISA_AND_TYPE(segments_multiply);
	const ek_store *A = step->in[0];
	const state *s = step->state;
	eki_segments segments = {.bit_flag = s->bit_flag,
	                         .product = v->scratch + s->product,
	                         .open = v->scratch + s->open,
	                         .flag = (int64_t *)(void *)(v->scratch + s->flag)};
	struct segments_job job = {
		.step = step, .v = v, .segments = &segments, .pass = multiply, .n = A->nnz};

	if (!multiply)
		job.pass = pass[step->isa][eki_type(A->value, A->index)];
	eki_parallel(step->ctx, step->threads, step->parts, pass_part, &job);
	return segments;
}

void eki_segments_each(const eki_step *step, eki_segments *s, eki_segments_fn *fn)
{
	struct segments_job job = {.step = step, .segments = s, .fn = fn, .n = step->in[0]->nnz};

	eki_parallel(step->ctx, step->threads, step->parts, fn_part, &job);
}

void eki_segments_collect(const eki_step *step, const eki_run *v, eki_segments *s, bool at_end)
{
	static eki_segments_pass_fn *const pass[2][EK_NTYPE] = {EK_BY_TYPE(segments_firsts),
	                                                        EK_BY_TYPE(segments_lasts)};
	const ek_store *A = step->in[0];
	struct segments_job job = {.step = step,
	                           .v = v,
	                           .segments = s,
	                           .pass = pass[at_end][eki_type(A->value, A->index)],
	                           .n = A->rows};

	eki_parallel(step->ctx, step->threads, step->parts, pass_part, &job);
}

#endif
