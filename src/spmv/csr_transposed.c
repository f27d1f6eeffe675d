/* SPDX-License-Identifier: BSD-3-Clause
 * The transposed product y = alpha A^T x + beta y on CSR, without atomic operations.
 *
 * Entries are cut evenly between parts, also inside rows. A part adds val * x[row] at its columns,
 * in a strip of its own that spans the columns which it meets; then y is made, column range by
 * column range, from all strips in the order of the parts. So the result depends on the number of
 * parts, never on timing. With one part the strip is y itself.
 *
 * Cost: reads each array once; the strips are cleared, written and read: 3 values for each column
 * and part that meets it. Preparation finds the spans in one pass over col_idx, and takes the
 * strips' memory: at most parts * columns values. After Liu 2015, section 2.4; strips as in
 * symmetric products (Batista et al. 2010, local buffers with effective ranges). */
#include "spmv/split.h"
#define EK_FILE "spmv/csr_transposed.c"
#include "core/for_each.h"

#include "spmv/finish.h"

#ifndef EK_TRANSPOSED_STATE
#define EK_TRANSPOSED_STATE
typedef struct strip {
	int64_t entry, row; /* where the part begins; its row contains the entry */
	int64_t begin, end; /* columns that it meets */
	void *sum;
} strip;
#endif

/* Adds entries [k, end), the first of which lies in row i, to sum[column - first]. */
static void FN(scatter)(const ek_store *A, const ek_args *v, int64_t i, int64_t k, int64_t end,
                        int64_t first, void *to)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], *x = v->x;
	const VAL alpha = (VAL)v->alpha;
	VAL *sum = to;

	for (; k < end; i++) {
		int64_t stop = row_ptr[i + 1] < end ? row_ptr[i + 1] : end;
		VAL xi = alpha * x[i];

		for (; k < stop; k++)
			sum[col_idx[k] - first] += val[k] * xi;
	}
}

/* Columns [begin, end) of y from the strips. */
static void FN(gather)(const strip *s, int parts, const ek_args *v, int64_t begin, int64_t end)
{
	const VAL beta = (VAL)v->beta;
	VAL *y = v->y;

	for (int64_t j = begin; j < end; j++)
		y[j] = beta == 0 ? 0 : beta * y[j];
	for (int part = 0; part < parts; part++) {
		int64_t from = s[part].begin > begin ? s[part].begin : begin;
		int64_t to = s[part].end < end ? s[part].end : end;
		const VAL *sum = s[part].sum;

		for (int64_t j = from; j < to; j++)
			y[j] += sum[j - s[part].begin];
	}
}

#if EK_PER_TYPE

static void FN(span)(const ek_store *A, int64_t k, int64_t end, strip *s)
{
	const IDX *col_idx = A->array[CSR_COL];
	IDX low = k < end ? col_idx[k] : 0, high = k < end ? col_idx[k] : -1;

	for (; k < end; k++) {
		low = col_idx[k] < low ? col_idx[k] : low;
		high = col_idx[k] > high ? col_idx[k] : high;
	}
	s->begin = low;
	s->end = (int64_t)high + 1;
}

#endif
#if EK_ONCE

#include <string.h>

typedef void scatter_fn(const ek_store *, const ek_args *, int64_t, int64_t, int64_t, int64_t,
                        void *);
typedef void gather_fn(const strip *, int, const ek_args *, int64_t, int64_t);
typedef void span_fn(const ek_store *, int64_t, int64_t, strip *);

struct transposed_job {
	const ek_plan *plan;
	const ek_args *args;
	scatter_fn *scatter;
	gather_fn *gather;
};

static void span_part(void *arg, int part)
{
	static span_fn *const span[EK_NTYPE] = EK_BY_TYPE(span);
	const ek_plan *p = arg;
	strip *s = p->state;

	span[eki_type(p->store->value, p->store->index)](p->store, s[part].entry, s[part + 1].entry,
	                                                 &s[part]);
}

static ek_status prepare(ek_plan *p)
{
	const ek_store *A = p->store;
	size_t size = ek_value_size(A->value);
	strip *s;

	if (A->nnz + A->cols < p->ctx->small_work)
		p->threads = p->parts = 1;
	EK_RETURN_IF(eki_plan_alloc(p, (int64_t)p->parts + 1, sizeof *s, &s));
	p->state = s;
	for (int part = 0; part <= p->parts; part++) {
		s[part].entry = eki_cut(A->nnz, p->parts, part);
		s[part].row = A->rows ? eki_row_of(A, s[part].entry) : 0;
	}
	if (p->parts == 1)
		return EK_OK;
	eki_parallel(p->threads, p->parts, span_part, p);

	int64_t total = 0;
	char *sum;

	for (int part = 0; part < p->parts; part++)
		total += s[part].end - s[part].begin + 16; /* no cache line in two strips */
	EK_RETURN_IF(eki_plan_alloc(p, total, size, &sum));
	for (int part = 0; part < p->parts; part++) {
		s[part].sum = sum;
		sum += (size_t)(s[part].end - s[part].begin + 16) * size;
	}
	p->bytes += 3 * total * (int64_t)size;
	return EK_OK;
}

static void scatter_part(void *arg, int part)
{
	const struct transposed_job *job = arg;
	const ek_plan *p = job->plan;
	const strip *s = (const strip *)p->state + part;

	memset(s->sum, 0, (size_t)(s->end - s->begin) * ek_value_size(p->store->value));
	job->scatter(p->store, job->args, s->row, s->entry, s[1].entry, s->begin, s->sum);
}

static void gather_part(void *arg, int part)
{
	const struct transposed_job *job = arg;
	const ek_plan *p = job->plan;
	int64_t cols = p->store->cols;

	job->gather(p->state, p->parts, job->args, eki_cut(cols, p->parts, part),
	            eki_cut(cols, p->parts, part + 1));
}

static ek_status run(const ek_plan *p, const ek_args *args)
{
	static scatter_fn *const scatter[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(scatter);
	static gather_fn *const gather[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(gather);
	int type = eki_type(p->store->value, p->store->index);
	struct transposed_job job = {p, args, scatter[p->isa][type], gather[p->isa][type]};

	if (p->parts == 1) {
		eki_scale(p, args->beta, args->y, p->store->cols);
		job.scatter(p->store, args, 0, 0, p->store->nnz, 0, args->y);
		return EK_OK;
	}
	eki_parallel(p->threads, p->parts, scatter_part, &job);
	eki_parallel(p->threads, p->parts, gather_part, &job);
	return EK_OK;
}

static double cost(const eki_features *f)
{
	double cols = (double)f->stats.cols * (f->threads > 1 ? 3 * f->threads : 1);

	return eki_cost(f, f->csr_bytes + cols * (double)ek_value_size(f->value),
	                1.5 * (double)f->stats.nnz + 0.3 * cols + 1.5 * (double)f->stats.rows);
}

const ek_method ek_spmv_csr_transposed = {
	.name = "spmv.csr.transposed",
	.text = "transposed product: each thread adds to a strip of its own, strips are added in "
		"order",
	.source = "Liu 2015, section 2.4; Batista et al. 2010 for the strips",
	.operation = EK_SPMV,
	.format = &ek_format_csr,
	.backend = EKI_CPU,
	.traits = EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.run = run,
};

#endif
