/* SPDX-License-Identifier: BSD-3-Clause
 * Transposes a CSR matrix by counting. The rows are split into parts, and each part counts its
 * entries in each column. A prefix sum over columns and parts turns the counts into positions, to
 * which each part scatters its entries (Wang et al. 2016, ScanTrans). This is stable: entries of a
 * column keep the order of rows, and duplicates keep their order too. Cost: the entries are read
 * twice and written once, and there are (parts - 1) * cols counters. So the number of parts is
 * limited by the average number of entries in a column. */
#include "prim/counters.h"
#define EK_TYPES_ONLY
#define EK_FILE "reshape/transpose.c"
#include "base/for_each.h"

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

/* Updates values [begin, end) of a transposed matrix with the present values of the original. */
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

struct transpose_job {
	const ek_store *in;
	ek_store *out;
	eki_counters counters;
	void *from;
	int parts;
	int64_t bound[64];
	count_fn *count;
	scatter_fn *scatter;
};

static void count_part(void *arg, int part)
{
	struct transpose_job *job = arg;

	job->count(job->in, job->bound[part], job->bound[part + 1],
	           eki_counters_clear(&job->counters, part));
}

static void scatter_part(void *arg, int part)
{
	struct transpose_job *job = arg;

	job->scatter(job->in, job->bound[part], job->bound[part + 1],
	             eki_counters_of(&job->counters, part), job->out, job->from);
}

ek_status eki_transpose(const ek_context *ctx, const ek_store *csr, ek_store *out, void **from)
{
	static count_fn *const count[EK_NTYPE] = EK_BY_TYPE(transpose_count);
	static scatter_fn *const scatter[EK_NTYPE] = EK_BY_TYPE(transpose_scatter);
	int type = eki_type(csr->value, csr->index);
	size_t psize = eki_ptr_size(csr->index);
	struct transpose_job job = {.in = csr,
	                            .parts = eki_parts(ctx, csr->nnz),
	                            .count = count[type],
	                            .scatter = scatter[type]};
	ek_store new = {0};
	eki_counters *c = &job.counters;
	void *source = NULL;
	ek_status status;

	while (job.parts > 1 && (job.parts > 63 || csr->cols > csr->nnz / job.parts))
		job.parts--;
	EK_TRY(eki_csr_alloc(ctx, csr->value, csr->index, csr->cols, csr->rows, csr->nnz, &new));
	*c = (eki_counters){
		.n = csr->cols, .size = psize, .parts = job.parts, .begin = new.array[CSR_PTR]};
	EK_TRY(eki_alloc(ctx, eki_counters_len(c), psize, &c->own));
	if (from)
		EK_TRY(eki_alloc(ctx, csr->nnz, psize, &source));
	job.from = source;
	job.out = &new;
	eki_partition_rows(csr, job.parts, job.bound);
	if (csr->cols > 0)
		eki_parallel(ctx->threads, job.parts, count_part, &job);
	eki_counters_scan(ctx, c);
	if (csr->nnz > 0) /* without columns there are no entries, and no counters */
		eki_parallel(ctx->threads, job.parts, scatter_part, &job);
	*out = new;
	if (from)
		*from = source;
done:
	eki_free(ctx, c->own, eki_counters_len(c), psize);
	if (status != EK_OK)
		eki_store_free(ctx, &new);
	return status;
}

/* ---- For plans ------------------------------------------------------------------------ */

ek_status eki_step_transpose(eki_step *step, eki_transposed *copy)
{
	const ek_store *in = step->in[0];
	ek_store *s = &copy->store;
	size_t psize = eki_ptr_size(in->index);

	EK_RETURN_IF(eki_step_reserve(step, 4));
	EK_RETURN_IF(eki_transpose(step->ctx, in, s, &copy->from));
	copy->in = in;
	eki_step_own(step, copy->from, s->nnz * (int64_t)psize);
	for (int k = CSR_PTR; k <= CSR_VAL; k++)
		eki_step_own(step, s->array[k],
		             s->len[k] * (int64_t)eki_elem_size(s->format->array[k].elem, s->value,
		                                                s->index));
	step->bytes += eki_store_bytes(s) - eki_store_bytes(in);
	step->in[0] = s;
	step->op[0] = EK_OP_N;
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

void eki_transposed_refresh(const eki_step *step, eki_transposed *copy)
{
	static values_fn *const values[EK_NTYPE] = EK_BY_TYPE(transpose_values);
	const ek_store *in = copy->in;
	struct values_job job = {in, copy, eki_parts(step->ctx, in->nnz),
	                         values[eki_type(in->value, in->index)]};

	eki_parallel(step->threads, job.parts, values_part, &job);
}

#endif
