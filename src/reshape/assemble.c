/* SPDX-License-Identifier: BSD-3-Clause
 * Assembles CSR from coordinates in any order, in three steps.
 *
 * 1. The entries are split into parts. Each part counts its entries in each row. A prefix sum over
 * rows and parts turns the counts into positions. Each part then scatters the column and the number
 * of each of its entries to the entry's row. This step is stable.
 *
 * 2. Each row is sorted by column, if it is not sorted already (rows.c). This step is stable too,
 * so that entries of the same row and column stay in the order given.
 *
 * 3. The value of each entry is looked up by the entry's number. Duplicates are merged on the
 * way.
 *
 * Cost: O(nnz log(longest row)) at worst, O(nnz + rows) for input sorted by rows or columns.
 * Workspace: an integer of the row pointer type for each entry, (parts - 1) * rows counters, and
 * the workspace of the sort. */
#include "prim/counters.h"
#include "reshape/rows.h"
#define EK_TYPES_ONLY
#define EK_FILE "reshape/assemble.c"
#include "base/for_each.h"

#ifndef EK_ASSEMBLE_JOB
#define EK_ASSEMBLE_JOB
struct assemble_job {
	int64_t nnz;
	const void *row, *col, *val;
	/* The entries, first scattered to their rows, then sorted. This is the result if nothing is
	 * merged. */
	ek_store *out;
	ek_store *merged;     /* the result if duplicates are merged */
	void *source, *order; /* input entry at each position; inverse of this map, or NULL */
	eki_counters count;
	eki_rows rows;
	unsigned policy;
	int parts;
};
#endif

#if EK_PER_TYPE

static void FN(assemble_count)(void *arg, int part)
{
	struct assemble_job *job = arg;
	const IDX *row = job->row;
	PTR *count = eki_counters_clear(&job->count, part);
	int64_t end = eki_cut(job->nnz, job->parts, part + 1);

	for (int64_t k = eki_cut(job->nnz, job->parts, part); k < end; k++)
		count[row[k]]++;
}

static void FN(assemble_scatter)(void *arg, int part)
{
	struct assemble_job *job = arg;
	const IDX *row = job->row, *col = job->col;
	IDX *out_col = job->out->array[CSR_COL];
	PTR *source = job->source, *at = eki_counters_of(&job->count, part);
	int64_t end = eki_cut(job->nnz, job->parts, part + 1);

	for (int64_t k = eki_cut(job->nnz, job->parts, part); k < end; k++) {
		PTR p = at[row[k]]++;

		out_col[p] = col[k];
		source[p] = (PTR)k;
	}
}

/* Fetches the values if no duplicates are merged. */
static void FN(assemble_values)(void *arg, int part)
{
	struct assemble_job *job = arg;
	const PTR *source = job->source;
	const VAL *val = job->val;
	VAL *out = job->out->array[CSR_VAL];
	PTR *order = job->order;
	int64_t end = eki_cut(job->nnz, job->parts, part + 1);

	for (int64_t k = eki_cut(job->nnz, job->parts, part); k < end; k++) {
		out[k] = val[source[k]];
		if (order)
			order[source[k]] = (PTR)k;
	}
}

/* Writes row pointers, columns and values, and merges duplicates. Sets order[k] to the new position
 * of entry k, or to -1 if a later entry replaces it. */
static void FN(assemble_merge)(void *arg, int part)
{
	struct assemble_job *job = arg;
	const PTR *row_ptr = job->out->array[CSR_PTR], *source = job->source;
	const IDX *col = job->out->array[CSR_COL];
	const VAL *val = job->val;
	PTR *out_ptr = job->merged->array[CSR_PTR], *order = job->order;
	IDX *out_col = job->merged->array[CSR_COL];
	VAL *out_val = job->merged->array[CSR_VAL];
	int64_t p = row_ptr[job->rows.bound[part]];

	for (int before = 0; before < part; before++)
		p -= job->rows.repeated[before];
	for (int64_t i = job->rows.bound[part]; i < job->rows.bound[part + 1]; i++) {
		out_ptr[i] = (PTR)p;
		for (int64_t k = row_ptr[i]; k < row_ptr[i + 1]; k++) {
			bool again = k > row_ptr[i] && col[k - 1] == col[k];

			if (!again)
				p++;
			out_col[p - 1] = col[k];
			if (again && job->policy == EK_DUP_SUM)
				out_val[p - 1] += val[source[k]];
			else
				out_val[p - 1] = val[source[k]];
			if (order && again && job->policy == EK_DUP_LAST)
				order[source[k - 1]] = -1;
			if (order)
				order[source[k]] = (PTR)(p - 1);
		}
	}
	if (part == job->parts - 1)
		out_ptr[job->out->rows] = (PTR)p;
}

#endif
#if EK_ONCE

static eki_part_fn *const count[EK_NTYPE] = EK_BY_TYPE(assemble_count);
static eki_part_fn *const scatter[EK_NTYPE] = EK_BY_TYPE(assemble_scatter);
static eki_part_fn *const values[EK_NTYPE] = EK_BY_TYPE(assemble_values);
static eki_part_fn *const merge[EK_NTYPE] = EK_BY_TYPE(assemble_merge);

static ek_status refuse_duplicates(const struct assemble_job *job, unsigned words)
{
	long long base = words & EK_BASE1 ? 1 : 0;

	for (int part = 0; part < job->parts; part++)
		if (job->rows.repeated[part]) {
			int64_t k = job->rows.first_repeated[part];
			int64_t at = job->out->index == EK_I32 ? ((int32_t *)job->source)[k]
			                                       : ((int64_t *)job->source)[k];
			long long i = eki_row_of(job->out, k) + base;
			long long j = eki_col_at(job->out, k) + base;

			return eki_fail(EK_ERANGE,
			                "entry %lld repeats row %lld, column %lld, and duplicates "
			                "are not wanted",
			                (long long)at + base, words & EKI_COLUMNS ? j : i,
			                words & EKI_COLUMNS ? i : j);
		}
	return EK_OK;
}

ek_status eki_assemble(const ek_context *ctx, ek_value value, ek_index index, int64_t rows,
                       int64_t cols, int64_t nnz, const void *row_idx, const void *col_idx,
                       const void *val, unsigned duplicates, ek_store *csr, void **order)
{
	size_t psize = eki_ptr_size(index);
	int type = eki_type(value, index);
	ek_store out = {0}, merged = {0};
	struct assemble_job job = {.nnz = nnz,
	                           .row = row_idx,
	                           .col = col_idx,
	                           .val = val,
	                           .out = &out,
	                           .merged = &merged,
	                           .policy = duplicates & EK_DUP_ERROR, /* masks the policy bits */
	                           .parts = ctx->threads};
	int64_t repeated = 0;
	ek_status status;

	while (job.parts > 1 && (job.parts > EKI_ROWS_PARTS || rows > nnz / job.parts))
		job.parts--;
	EK_TRY(eki_csr_alloc(ctx, value, index, rows, cols, nnz, &out));
	EK_TRY(eki_alloc(ctx, nnz, psize, &job.source));
	job.count = (eki_counters){
		.n = rows, .size = psize, .parts = job.parts, .begin = out.array[CSR_PTR]};
	EK_TRY(eki_alloc(ctx, eki_counters_len(&job.count), psize, &job.count.own));
	if (order)
		EK_TRY(eki_alloc(ctx, nnz, psize, &job.order));
	if (rows > 0)
		eki_parallel(ctx, ctx->threads, job.parts, count[type], &job);
	eki_counters_scan(ctx, &job.count, ctx->threads);
	if (nnz > 0)
		eki_parallel(ctx, ctx->threads, job.parts, scatter[type], &job);
	job.rows =
		(eki_rows){.csr = &out, .with = job.source, .with_size = psize, .parts = job.parts};
	EK_TRY(eki_rows_sort(ctx, &job.rows, &repeated));
	if (repeated && job.policy == EK_DUP_ERROR)
		EK_TRY(refuse_duplicates(&job, duplicates));
	if (repeated && job.policy) {
		EK_TRY(eki_csr_alloc(ctx, value, index, rows, cols, nnz - repeated, &merged));
		eki_parallel(ctx, ctx->threads, job.parts, merge[type], &job);
		*csr = merged;
	} else {
		eki_parallel(ctx, ctx->threads, job.parts, values[type], &job);
		*csr = out;
	}
	if (order)
		*order = job.order;
done:
	eki_free(ctx, job.source, nnz, psize);
	eki_free(ctx, job.count.own, eki_counters_len(&job.count), psize);
	if (status != EK_OK || (repeated && job.policy))
		eki_store_free(ctx, &out);
	if (status != EK_OK)
		eki_free(ctx, job.order, nnz, psize);
	return status;
}

#endif
