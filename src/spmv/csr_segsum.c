/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR by segmented sum, as published: (1) a flag for each entry that begins a row, (2) an
 * array of all products, (3) the segmented sum of the products, whose results stay where the
 * segments begin, (4) a gather of these results to y, and zero for empty rows.
 *
 * Entries are cut evenly between the threads whatever the rows are. A part sums its segments on its
 * own; what it finds before its first flag belongs to the segment that is open at its left end, and
 * is handed over when all parts are done, from left to right. Flags depend on the pattern alone and
 * are made when the plan is.
 *
 * Cost: the products go to memory and back twice, and with the flags 17 bytes an entry come on top
 * of CSR's 12: what the thesis finds, and why later methods fuse the steps. Rounding: a row in c
 * parts has at least c - 1 entries outside the first, so a term passes at most k - 1 additions.
 *
 * Blelloch, Heroux, Zagha 1993; Liu 2015, Algorithms 12 and 30. */
#include <string.h>

#include "core/ek_core.h"
#define EK_FILE "spmv/csr_segsum.c"
#include "core/for_each.h"

#ifndef EK_SEGSUM_STATE
#define EK_SEGSUM_STATE
typedef struct segsum {
	uint8_t *bit_flag;  /* nnz: 1 where a row begins */
	void *product;      /* nnz values; after step 3 the sum of a segment at its first entry */
	void *head;         /* for each part: the sum before its first flag */
	int64_t *last_flag; /* for each part: its last flag, or -1 */
} segsum;
#endif

/* Step 2. */
static void FN(segsum_product)(const ek_store *A, const ek_args *v, segsum *s, int64_t begin,
                               int64_t end)
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

/* Step 3 for one part: Algorithm 12, with the bound of the array tested before the flag. */
static void FN(segsum_sum)(segsum *s, int part, int64_t begin, int64_t end)
{
	const uint8_t *flag = s->bit_flag;
	VAL *product = s->product, head = 0;
	int64_t k = begin, last = -1;

	for (; k < end && !flag[k]; k++)
		head += product[k];
	while (k < end) {
		VAL sum = product[k];

		last = k;
		for (k++; k < end && !flag[k]; k++)
			sum += product[k];
		product[last] = sum;
	}
	((VAL *)s->head)[part] = head;
	s->last_flag[part] = last;
}

/* Hands what parts found before their first flag to the segment that was open there. */
static void FN(segsum_join)(segsum *s, int parts)
{
	VAL *product = s->product, *head = s->head;
	int64_t open = -1;

	for (int part = 0; part < parts; part++) {
		if (open >= 0)
			product[open] += head[part];
		if (s->last_flag[part] >= 0)
			open = s->last_flag[part];
	}
}

/* Step 4. */
static void FN(segsum_collect)(const ek_store *A, const ek_args *v, segsum *s, int64_t begin,
                               int64_t end)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const VAL *product = s->product, alpha = (VAL)v->alpha, beta = (VAL)v->beta;
	VAL *y = v->y;

	for (int64_t i = begin; i < end; i++) {
		VAL sum = row_ptr[i] == row_ptr[i + 1] ? 0 : product[row_ptr[i]];

		y[i] = beta == 0 ? alpha * sum : alpha * sum + beta * y[i];
	}
}

#endif
#if EK_ONCE

typedef void step_fn(const ek_store *, const ek_args *, segsum *, int64_t, int64_t);
typedef void sum_fn(segsum *, int, int64_t, int64_t);
typedef void join_fn(segsum *, int);

struct segsum_job {
	const ek_plan *plan;
	const ek_args *args;
	step_fn *step;
	sum_fn *sum;
};

static void flag_part(void *arg, int part)
{
	const ek_plan *p = arg;
	const ek_store *A = p->store;
	segsum *s = p->state;
	int64_t end = eki_cut(A->rows, p->parts, part + 1);

	for (int64_t i = eki_cut(A->rows, p->parts, part); i < end; i++)
		if (eki_ptr_at(A, i) < eki_ptr_at(A, i + 1))
			s->bit_flag[eki_ptr_at(A, i)] = 1;
}

static ek_status prepare(ek_plan *p)
{
	const ek_store *A = p->store;
	size_t size = ek_value_size(A->value);
	segsum *s;

	if (A->nnz + A->rows < p->ctx->small_work)
		p->threads = p->parts = 1;
	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *s, &s));
	EK_RETURN_IF(eki_plan_alloc(p, A->nnz, 1, &s->bit_flag));
	EK_RETURN_IF(eki_plan_alloc(p, A->nnz, size, &s->product));
	EK_RETURN_IF(eki_plan_alloc(p, p->parts, size, &s->head));
	EK_RETURN_IF(eki_plan_alloc(p, p->parts, sizeof *s->last_flag, &s->last_flag));
	if (A->nnz)
		memset(s->bit_flag, 0, (size_t)A->nnz);
	p->state = s;
	p->bytes += A->nnz * (int64_t)(1 + 4 * size);
	eki_parallel(p->threads, p->parts, flag_part, p);
	return EK_OK;
}

static void product_part(void *arg, int part)
{
	const struct segsum_job *job = arg;
	const ek_plan *p = job->plan;
	int64_t nnz = p->store->nnz;

	job->step(p->store, job->args, p->state, eki_cut(nnz, p->parts, part),
	          eki_cut(nnz, p->parts, part + 1));
}

static void sum_part(void *arg, int part)
{
	const struct segsum_job *job = arg;
	const ek_plan *p = job->plan;
	int64_t nnz = p->store->nnz;

	job->sum(p->state, part, eki_cut(nnz, p->parts, part), eki_cut(nnz, p->parts, part + 1));
}

static void collect_part(void *arg, int part)
{
	const struct segsum_job *job = arg;
	const ek_plan *p = job->plan;
	int64_t rows = p->store->rows;

	job->step(p->store, job->args, p->state, eki_cut(rows, p->parts, part),
	          eki_cut(rows, p->parts, part + 1));
}

static ek_status run(const ek_plan *p, const ek_args *args)
{
	static step_fn *const product[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(segsum_product);
	static step_fn *const collect[EK_NTYPE] = EK_BY_TYPE(segsum_collect);
	static sum_fn *const sum[EK_NTYPE] = EK_BY_TYPE(segsum_sum);
	static join_fn *const join[EK_NTYPE] = EK_BY_TYPE(segsum_join);
	int type = eki_type(p->store->value, p->store->index);
	struct segsum_job job = {p, args, product[p->isa][type], sum[type]};

	eki_parallel(p->threads, p->parts, product_part, &job);
	eki_parallel(p->threads, p->parts, sum_part, &job);
	join[type](p->state, p->parts);
	job.step = collect[type];
	eki_parallel(p->threads, p->parts, collect_part, &job);
	return EK_OK;
}

static double cost(const eki_features *f)
{
	double nnz = (double)f->stats.nnz;

	return eki_cost(f, f->csr_bytes + (1 + 4.0 * (double)ek_value_size(f->value)) * nnz,
	                2.5 * nnz + 1.5 * (double)f->stats.rows);
}

const ek_method ek_spmv_csr_segsum = {
	.name = "spmv.csr.segsum",
	.text = "segmented sum over flags and products, as published",
	.source = "Liu 2015, Algorithm 30; Blelloch, Heroux and Zagha 1993",
	.operation = EK_SPMV,
	.format = &ek_format_csr,
	.backend = EKI_CPU,
	.traits = EKI_OP_N,
	.cost = cost,
	.prepare = prepare,
	.run = run,
};

#endif
