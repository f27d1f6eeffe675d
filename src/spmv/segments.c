/* SPDX-License-Identifier: BSD-3-Clause
 * The steps around a segmented sum or scan of products. Entries and rows are cut evenly between the
 * threads, whatever the rows are. Flags depend on the pattern alone and are made when the plan is;
 * where a row ends or begins is read from row_ptr when y is computed, so no array of positions is
 * kept. Blelloch, Heroux, Zagha 1993. */
#include <string.h>

#include "spmv/segments.h"
#define EK_FILE "spmv/segments.c"
#include "core/for_each.h"

static void FN(segments_multiply)(const ek_store *A, const ek_args *v, eki_segments *s,
                                  int64_t begin, int64_t end)
{
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], *x = v->x;
	VAL *product = s->product;
	int64_t k = begin;

	for (; end - k >= W; k += W)
		vstore(product + k, vmul(vload(val + k), vgather(x, col_idx + k)));
	for (; k < end; k++)
		product[k] = val[k] * x[col_idx[k]];
}

#if EK_PER_TYPE

static inline void FN(segments_gather)(const ek_store *A, const ek_args *v, const VAL *product,
                                       int64_t from_end, int64_t begin, int64_t end)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const VAL alpha = (VAL)v->alpha, beta = (VAL)v->beta, *y0 = v->y0;
	VAL *y = v->y;

	for (int64_t i = begin; i < end; i++) {
		int64_t at = from_end ? (int64_t)row_ptr[i + 1] - 1 : row_ptr[i];
		VAL sum = row_ptr[i] == row_ptr[i + 1] ? 0 : product[at];

		y[i] = beta == 0 ? alpha * sum : alpha * sum + beta * y0[i];
	}
}

static void FN(segments_firsts)(const ek_store *A, const ek_args *v, eki_segments *s, int64_t begin,
                                int64_t end)
{
	FN(segments_gather)(A, v, s->product, 0, begin, end);
}

static void FN(segments_lasts)(const ek_store *A, const ek_args *v, eki_segments *s, int64_t begin,
                               int64_t end)
{
	FN(segments_gather)(A, v, s->product, 1, begin, end);
}

#endif
#if EK_ONCE

typedef void step_fn(const ek_store *, const ek_args *, eki_segments *, int64_t, int64_t);

struct segments_job {
	const ek_plan *plan;
	const ek_args *args;
	step_fn *step;
	eki_segments_fn *fn;
	int64_t n; /* entries or rows, which are cut */
};

static void flag_part(void *arg, int part)
{
	const ek_plan *p = arg;
	const ek_store *A = p->store;
	eki_segments *s = p->state;
	int64_t end = eki_cut(A->rows, p->parts, part + 1);

	for (int64_t i = eki_cut(A->rows, p->parts, part); i < end; i++)
		if (eki_ptr_at(A, i) < eki_ptr_at(A, i + 1))
			s->bit_flag[eki_ptr_at(A, i)] = 1;
}

ek_status eki_segments_prepare(ek_plan *p)
{
	const ek_store *A = p->store;
	size_t size = ek_value_size(A->value);
	eki_segments *s;

	if (A->nnz + A->rows < p->ctx->small_work)
		p->threads = p->parts = 1;
	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *s, &s));
	EK_RETURN_IF(eki_plan_alloc(p, A->nnz, 1, &s->bit_flag));
	EK_RETURN_IF(eki_plan_alloc(p, A->nnz, size, &s->product));
	EK_RETURN_IF(eki_plan_alloc(p, p->parts, size, &s->open));
	EK_RETURN_IF(eki_plan_alloc(p, p->parts, sizeof *s->flag, &s->flag));
	if (A->nnz)
		memset(s->bit_flag, 0, (size_t)A->nnz);
	p->state = s;
	p->bytes += A->nnz * (int64_t)(1 + 4 * size);
	eki_parallel(p->threads, p->parts, flag_part, p);
	return EK_OK;
}

static void step_part(void *arg, int part)
{
	const struct segments_job *job = arg;
	const ek_plan *p = job->plan;

	job->step(p->store, job->args, p->state, eki_cut(job->n, p->parts, part),
	          eki_cut(job->n, p->parts, part + 1));
}

static void fn_part(void *arg, int part)
{
	const struct segments_job *job = arg;
	const ek_plan *p = job->plan;

	job->fn(p->state, part, eki_cut(job->n, p->parts, part),
	        eki_cut(job->n, p->parts, part + 1));
}

void eki_segments_multiply(const ek_plan *p, const ek_args *args)
{
	static step_fn *const step[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(segments_multiply);
	struct segments_job job = {.plan = p,
	                           .args = args,
	                           .step = step[p->isa][eki_type(p->store->value, p->store->index)],
	                           .n = p->store->nnz};

	eki_parallel(p->threads, p->parts, step_part, &job);
}

void eki_segments_each(const ek_plan *p, eki_segments_fn *fn)
{
	struct segments_job job = {.plan = p, .fn = fn, .n = p->store->nnz};

	eki_parallel(p->threads, p->parts, fn_part, &job);
}

void eki_segments_collect(const ek_plan *p, const ek_args *args, bool at_end)
{
	static step_fn *const step[2][EK_NTYPE] = {EK_BY_TYPE(segments_firsts),
	                                           EK_BY_TYPE(segments_lasts)};
	struct segments_job job = {.plan = p,
	                           .args = args,
	                           .step = step[at_end][eki_type(p->store->value, p->store->index)],
	                           .n = p->store->rows};

	eki_parallel(p->threads, p->parts, step_part, &job);
}

#endif
