/* SPDX-License-Identifier: BSD-3-Clause
 * The transpose of a CSR matrix, by counting: each part of the rows counts its entries in each
 * column, a scan over columns and parts turns counts into positions, each part scatters its entries
 * (Wang et al. 2016, ScanTrans). Stable: entries of a column keep the order of rows, and so do
 * duplicates. Cost: reads the entries twice, writes them once, and parts * cols counters, so the
 * number of parts is bounded by the entries for each column; one part counts in the pointers of the
 * result. */
#include <string.h>

#include "core/ek_core.h"
#define EK_TYPES_ONLY
#define EK_FILE "reshape/transpose.c"
#include "core/for_each.h"

#if EK_PER_TYPE

static void FN(transpose_count)(const ek_store *in, int64_t begin, int64_t end, void *counter)
{
	const PTR *row_ptr = in->array[CSR_PTR];
	const IDX *col_idx = in->array[CSR_COL];
	PTR *count = counter;

	for (int64_t k = row_ptr[begin]; k < row_ptr[end]; k++)
		count[col_idx[k]]++;
}

static void FN(transpose_scatter)(const ek_store *in, int64_t begin, int64_t end, void *counter,
                                  ek_store *out, void *source)
{
	const PTR *row_ptr = in->array[CSR_PTR];
	const IDX *col_idx = in->array[CSR_COL];
	const VAL *val = in->array[CSR_VAL];
	IDX *out_idx = out->array[CSR_COL];
	VAL *out_val = out->array[CSR_VAL];
	PTR *at = counter, *from = source;

	for (int64_t i = begin; i < end; i++)
		for (PTR k = row_ptr[i]; k < row_ptr[i + 1]; k++) {
			PTR p = at[col_idx[k]]++;

			out_idx[p] = (IDX)i;
			out_val[p] = val[k];
			if (from)
				from[p] = k;
		}
}

/* Counters of columns [begin, end) become positions relative to `base`; returns the entries of
 * these columns. */
static int64_t FN(transpose_scan)(void *counters, int64_t cols, int parts, int64_t begin,
                                  int64_t end, int64_t base, void *out_ptr)
{
	PTR *count = counters, *ptr = out_ptr, sum = (PTR)base;

	for (int64_t j = begin; j < end; j++) {
		const PTR first = sum;

		for (int part = 0; part < parts; part++) {
			PTR n = count[part * cols + j];

			count[part * cols + j] = sum;
			sum += n;
		}
		ptr[j] = first; /* behind count, which may lie there */
	}
	return sum - base;
}

/* Values [begin, end) of a transposed copy, fetched anew. */
static void FN(transpose_values)(const ek_store *in, ek_store *out, const void *source,
                                 int64_t begin, int64_t end)
{
	const VAL *val = in->array[CSR_VAL];
	const PTR *from = source;
	VAL *out_val = out->array[CSR_VAL];

	for (int64_t p = begin; p < end; p++)
		out_val[p] = val[from[p]];
}

#endif
#if EK_ONCE

typedef void count_fn(const ek_store *, int64_t, int64_t, void *);
typedef void scatter_fn(const ek_store *, int64_t, int64_t, void *, ek_store *, void *);
typedef int64_t scan_fn(void *, int64_t, int, int64_t, int64_t, int64_t, void *);

struct transpose_job {
	const ek_store *in;
	ek_store *out;
	char *counters;
	size_t stride;
	void *from;
	int parts;
	int64_t bound[64];
	count_fn *count;
	scatter_fn *scatter;
};

static void count_part(void *arg, int part)
{
	struct transpose_job *job = arg;
	char *counter = job->counters + (size_t)part * job->stride;

	memset(counter, 0, job->stride);
	job->count(job->in, job->bound[part], job->bound[part + 1], counter);
}

static void scatter_part(void *arg, int part)
{
	struct transpose_job *job = arg;

	job->scatter(job->in, job->bound[part], job->bound[part + 1],
	             job->counters + (size_t)part * job->stride, job->out, job->from);
}

ek_status eki_transpose(const ek_context *ctx, const ek_store *csr, ek_store *out, void **from)
{
	static count_fn *const count[EK_NTYPE] = EK_BY_TYPE(transpose_count);
	static scatter_fn *const scatter[EK_NTYPE] = EK_BY_TYPE(transpose_scatter);
	static scan_fn *const scan[EK_NTYPE] = EK_BY_TYPE(transpose_scan);
	int type = eki_type(csr->value, csr->index);
	size_t psize = eki_ptr_size(csr->index);
	struct transpose_job job = {.in = csr,
	                            .parts = eki_parts(ctx, csr->nnz),
	                            .count = count[type],
	                            .scatter = scatter[type]};
	ek_store new = {0};
	void *counters = NULL, *source = NULL;
	ek_status status;

	while (job.parts > 1 && (job.parts > 63 || csr->cols > csr->nnz / job.parts))
		job.parts--;
	job.stride = (size_t)csr->cols * psize;
	EK_TRY(eki_csr_alloc(ctx, csr->value, csr->index, csr->cols, csr->rows, csr->nnz, &new));
	if (job.parts > 1)
		EK_TRY(eki_alloc(ctx, csr->cols * job.parts, psize, &counters));
	if (from)
		EK_TRY(eki_alloc(ctx, csr->nnz, psize, &source));
	job.counters = counters ? counters : new.array[CSR_PTR];
	job.from = source;
	job.out = &new;
	eki_partition_rows(csr, job.parts, job.bound);
	if (csr->cols > 0)
		eki_parallel(ctx->threads, job.parts, count_part, &job);
	scan[type](job.counters, csr->cols, job.parts, 0, csr->cols, 0, new.array[CSR_PTR]);
	if (csr->nnz > 0) /* without columns there are no counters */
		eki_parallel(ctx->threads, job.parts, scatter_part, &job);
	if (!counters) { /* columns end where the next ones start */
		memmove(job.counters + psize, job.counters, job.stride);
		eki_ptr_set(&new, 0, 0);
	}
	eki_ptr_set(&new, new.rows, csr->nnz);
	*out = new;
	if (from)
		*from = source;
done:
	eki_free(ctx, counters, counters ? csr->cols * job.parts : 0, psize);
	if (status != EK_OK)
		eki_store_free(ctx, &new);
	return status;
}

/* ---- For plans ------------------------------------------------------------------------ */

ek_status eki_plan_transpose(ek_plan *plan, eki_transposed *copy)
{
	ek_store *s = &copy->store;
	size_t psize = eki_ptr_size(plan->store->index);

	EK_RETURN_IF(eki_plan_room(plan, 4));
	EK_RETURN_IF(eki_transpose(plan->ctx, plan->store, s, &copy->from));
	plan->bytes += eki_store_bytes(s) - eki_store_bytes(plan->store);
	eki_plan_own(plan, copy->from, s->nnz * (int64_t)psize);
	for (int k = CSR_PTR; k <= CSR_VAL; k++)
		eki_plan_own(plan, s->array[k],
		             s->len[k] * (int64_t)eki_elem_size(s->format->array[k].elem, s->value,
		                                                s->index));
	plan->store = s;
	plan->op = EK_OP_N;
	return EK_OK;
}

typedef void values_fn(const ek_store *, ek_store *, const void *, int64_t, int64_t);

struct values_job {
	const ek_store *in;
	eki_transposed *copy;
	int parts;
	values_fn *values;
};

static void values_part(void *arg, int part)
{
	const struct values_job *job = arg;
	int64_t nnz = job->in->nnz;

	job->values(job->in, &job->copy->store, job->copy->from, eki_cut(nnz, job->parts, part),
	            eki_cut(nnz, job->parts, part + 1));
}

void eki_transposed_refresh(const ek_plan *plan, eki_transposed *copy)
{
	static values_fn *const values[EK_NTYPE] = EK_BY_TYPE(transpose_values);
	const ek_store *in = plan->own.format ? &plan->own : &plan->A->store;
	struct values_job job = {in, copy, eki_parts(plan->ctx, in->nnz),
	                         values[eki_type(in->value, in->index)]};

	eki_parallel(plan->threads, job.parts, values_part, &job);
}

#endif
