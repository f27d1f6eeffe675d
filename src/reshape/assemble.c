/* SPDX-License-Identifier: BSD-3-Clause
 * CSR from coordinates in any order.
 *
 * 1. Each part of the entries counts them by row; a scan over rows and parts turns counts into
 * positions; each part scatters (column, number of the entry) to its row. That is stable.
 * 2. Each row is sorted by column, if it is not already (files mostly are): insertion for short
 * rows, merging for long ones, both stable, so that entries of one place stay in the order given.
 * 3. Values are fetched by number, duplicates merged on the way.
 * Cost: O(nnz log(longest row)) at worst, O(nnz + rows) for input sorted by rows or columns;
 * workspace: one row pointer for each entry, parts * rows counters, and the longest unsorted row of
 * each part, together at most one copy of the entries. */
#include <string.h>

#include "core/ek_core.h"
#define EK_TYPES_ONLY
#define EK_FILE "reshape/assemble.c"
#include "core/for_each.h"

#ifndef EK_ASSEMBLE_JOB
#define EK_ASSEMBLE_JOB
#define MAX_PARTS 63
enum { SHORT_ROW = 24 };

struct assemble_job {
	int64_t rows, nnz;
	const void *row, *col, *val;
	ek_store *out;    /* scattered, then sorted; the result too if there are no duplicates */
	ek_store *merged; /* the result if there are */
	void *source, *order; /* of the row pointer type */
	void *counters;       /* parts * rows */
	void *scratch_idx, *scratch_source;
	int64_t scratch[MAX_PARTS + 1]; /* where the scratch of each part begins */
	unsigned policy;
	int parts;
	int64_t bound[MAX_PARTS + 1]; /* rows */
	int64_t repeated[MAX_PARTS];  /* entries that repeat a place */
	int64_t first_repeated[MAX_PARTS];
};
#endif

#if EK_PER_TYPE

static void FN(assemble_count)(void *arg, int part)
{
	struct assemble_job *job = arg;
	const IDX *row = job->row;
	PTR *count = (PTR *)job->counters + part * job->rows;
	int64_t end = eki_cut(job->nnz, job->parts, part + 1);

	memset(count, 0, (size_t)job->rows * sizeof *count);
	for (int64_t k = eki_cut(job->nnz, job->parts, part); k < end; k++)
		count[row[k]]++;
}

static void FN(assemble_scan)(struct assemble_job *job)
{
	PTR *count = job->counters, *row_ptr = job->out->array[CSR_PTR], sum = 0;

	for (int64_t i = 0; i < job->rows; i++) {
		row_ptr[i] = sum;
		for (int part = 0; part < job->parts; part++) {
			PTR n = count[part * job->rows + i];

			count[part * job->rows + i] = sum;
			sum += n;
		}
	}
	row_ptr[job->rows] = sum;
}

static void FN(assemble_scatter)(void *arg, int part)
{
	struct assemble_job *job = arg;
	const IDX *row = job->row, *col = job->col;
	IDX *out_col = job->out->array[CSR_COL];
	PTR *source = job->source, *at = (PTR *)job->counters + part * job->rows;
	int64_t end = eki_cut(job->nnz, job->parts, part + 1);

	for (int64_t k = eki_cut(job->nnz, job->parts, part); k < end; k++) {
		PTR p = at[row[k]]++;

		out_col[p] = col[k];
		source[p] = (PTR)k;
	}
}

static void FN(insertion_sort)(IDX *col, PTR *source, int64_t n)
{
	for (int64_t k = 1; k < n; k++) {
		IDX c = col[k];
		PTR s = source[k];
		int64_t at = k;

		for (; at > 0 && col[at - 1] > c; at--) {
			col[at] = col[at - 1];
			source[at] = source[at - 1];
		}
		col[at] = c;
		source[at] = s;
	}
}

/* Merges sorted runs of SHORT_ROW, then of twice that, ...; the result is in col, source. */
static void FN(merge_sort)(IDX *col, PTR *source, int64_t n, IDX *to_col, PTR *to_source)
{
	IDX *from_col = col;
	PTR *from_source = source;

	for (int64_t run = 0; run < n; run += SHORT_ROW)
		FN(insertion_sort)
	(col + run, source + run, n - run < SHORT_ROW ? n - run : SHORT_ROW);
	for (int64_t width = SHORT_ROW; width < n; width *= 2) {
		for (int64_t begin = 0; begin < n; begin += 2 * width) {
			int64_t mid = begin + width < n ? begin + width : n;
			int64_t end = begin + 2 * width < n ? begin + 2 * width : n;

			for (int64_t a = begin, b = mid, k = begin; k < end; k++) {
				int64_t p = b == end || (a < mid && from_col[a] <= from_col[b])
				                    ? a++
				                    : b++;

				to_col[k] = from_col[p];
				to_source[k] = from_source[p];
			}
		}
		IDX *c = from_col;
		PTR *s = from_source;

		from_col = to_col;
		from_source = to_source;
		to_col = c;
		to_source = s;
	}
	if (from_col != col) {
		memcpy(col, from_col, (size_t)n * sizeof *col);
		memcpy(source, from_source, (size_t)n * sizeof *source);
	}
}

/* How long the longest row of a part is that must be merged. */
static void FN(assemble_look)(void *arg, int part)
{
	struct assemble_job *job = arg;
	const PTR *row_ptr = job->out->array[CSR_PTR];
	const IDX *col = job->out->array[CSR_COL];
	int64_t longest = 0;

	for (int64_t i = job->bound[part]; i < job->bound[part + 1]; i++) {
		int64_t n = row_ptr[i + 1] - row_ptr[i], k = row_ptr[i] + 1;

		if (n <= SHORT_ROW || n <= longest)
			continue;
		while (k < row_ptr[i + 1] && col[k - 1] <= col[k])
			k++;
		if (k < row_ptr[i + 1])
			longest = n;
	}
	job->scratch[part + 1] = longest;
}

/* Sorts the rows of a part and counts repeated places. */
static void FN(assemble_sort)(void *arg, int part)
{
	struct assemble_job *job = arg;
	const PTR *row_ptr = job->out->array[CSR_PTR];
	PTR *source = job->source;
	IDX *col = job->out->array[CSR_COL];
	int64_t from = job->scratch[part];
	IDX *scratch_col = job->scratch_idx ? (IDX *)job->scratch_idx + from : NULL;
	PTR *scratch_source = job->scratch_source ? (PTR *)job->scratch_source + from : NULL;
	int64_t repeated = 0, first = -1;

	for (int64_t i = job->bound[part]; i < job->bound[part + 1]; i++) {
		int64_t begin = row_ptr[i], end = row_ptr[i + 1], sorted = 1;

		for (int64_t k = begin + 1; k < end; k++)
			sorted &= col[k - 1] <= col[k];
		if (!sorted && end - begin <= SHORT_ROW)
			FN(insertion_sort)(col + begin, source + begin, end - begin);
		else if (!sorted)
			FN(merge_sort)
		(col + begin, source + begin, end - begin, scratch_col, scratch_source);
		for (int64_t k = begin + 1; k < end; k++)
			if (col[k - 1] == col[k]) {
				repeated++;
				first = first < 0 ? k : first;
			}
	}
	job->repeated[part] = repeated;
	job->first_repeated[part] = first;
}

/* Values without duplicates to merge. */
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

/* Row pointers, columns and values with duplicates merged; -1 in order[]: replaced by a later
 * entry. */
static void FN(assemble_merge)(void *arg, int part)
{
	struct assemble_job *job = arg;
	const PTR *row_ptr = job->out->array[CSR_PTR], *source = job->source;
	const IDX *col = job->out->array[CSR_COL];
	const VAL *val = job->val;
	PTR *out_ptr = job->merged->array[CSR_PTR], *order = job->order;
	IDX *out_col = job->merged->array[CSR_COL];
	VAL *out_val = job->merged->array[CSR_VAL];
	int64_t p = row_ptr[job->bound[part]];

	for (int before = 0; before < part; before++)
		p -= job->repeated[before];
	for (int64_t i = job->bound[part]; i < job->bound[part + 1]; i++) {
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
	if (job->bound[part + 1] == job->rows)
		out_ptr[job->rows] = (PTR)p;
}

#endif
#if EK_ONCE

static eki_part_fn *const count[EK_NTYPE] = EK_BY_TYPE(assemble_count);
static eki_part_fn *const scatter[EK_NTYPE] = EK_BY_TYPE(assemble_scatter);
static eki_part_fn *const look[EK_NTYPE] = EK_BY_TYPE(assemble_look);
static eki_part_fn *const sort[EK_NTYPE] = EK_BY_TYPE(assemble_sort);
static eki_part_fn *const values[EK_NTYPE] = EK_BY_TYPE(assemble_values);
static eki_part_fn *const merge[EK_NTYPE] = EK_BY_TYPE(assemble_merge);
static void (*const scan[EK_NTYPE])(struct assemble_job *) = EK_BY_TYPE(assemble_scan);

static ek_status refuse_duplicates(const struct assemble_job *job, unsigned words)
{
	long long base = words & EK_BASE1 ? 1 : 0;

	for (int part = 0; part < job->parts; part++)
		if (job->repeated[part]) {
			int64_t k = job->first_repeated[part];
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

/* The parts' longest rows add up to at most nnz. */
static ek_status sort_rows(const ek_context *ctx, struct assemble_job *job, int type)
{
	size_t isize = eki_idx_size(job->out->index), psize = eki_ptr_size(job->out->index);
	int64_t room;
	ek_status status = EK_OK;

	eki_partition_rows(job->out, job->parts, job->bound);
	eki_parallel(ctx->threads, job->parts, look[type], job);
	for (int part = 0; part < job->parts; part++)
		job->scratch[part + 1] += job->scratch[part];
	room = job->scratch[job->parts];
	EK_TRY(eki_alloc(ctx, room, isize, &job->scratch_idx));
	EK_TRY(eki_alloc(ctx, room, psize, &job->scratch_source));
	eki_parallel(ctx->threads, job->parts, sort[type], job);
done:
	eki_free(ctx, job->scratch_idx, room, isize);
	eki_free(ctx, job->scratch_source, room, psize);
	return status;
}

ek_status eki_assemble(const ek_context *ctx, ek_value value, ek_index index, int64_t rows,
                       int64_t cols, int64_t nnz, const void *row_idx, const void *col_idx,
                       const void *val, unsigned duplicates, ek_store *csr, void **order)
{
	size_t psize = eki_ptr_size(index);
	int type = eki_type(value, index);
	ek_store out = {0}, merged = {0};
	struct assemble_job job = {.rows = rows,
	                           .nnz = nnz,
	                           .row = row_idx,
	                           .col = col_idx,
	                           .val = val,
	                           .out = &out,
	                           .merged = &merged,
	                           .policy = duplicates & EK_DUP_ERROR, /* all bits */
	                           .parts = ctx->threads};
	int64_t repeated = 0;
	ek_status status;

	while (job.parts > 1 && (job.parts > MAX_PARTS || rows > nnz / job.parts))
		job.parts--;
	EK_TRY(eki_csr_alloc(ctx, value, index, rows, cols, nnz, &out));
	EK_TRY(eki_alloc(ctx, nnz, psize, &job.source));
	EK_TRY(eki_alloc(ctx, rows * job.parts, psize, &job.counters));
	if (order)
		EK_TRY(eki_alloc(ctx, nnz, psize, &job.order));
	if (rows > 0)
		eki_parallel(ctx->threads, job.parts, count[type], &job);
	scan[type](&job);
	if (nnz > 0)
		eki_parallel(ctx->threads, job.parts, scatter[type], &job);
	EK_TRY(sort_rows(ctx, &job, type));
	for (int part = 0; part < job.parts; part++)
		repeated += job.repeated[part];
	if (repeated && job.policy == EK_DUP_ERROR)
		EK_TRY(refuse_duplicates(&job, duplicates));
	if (repeated && job.policy) {
		EK_TRY(eki_csr_alloc(ctx, value, index, rows, cols, nnz - repeated, &merged));
		eki_parallel(ctx->threads, job.parts, merge[type], &job);
		*csr = merged;
	} else {
		eki_parallel(ctx->threads, job.parts, values[type], &job);
		*csr = out;
	}
	if (order)
		*order = job.order;
done:
	eki_free(ctx, job.source, nnz, psize);
	eki_free(ctx, job.counters, rows * job.parts, psize);
	if (status != EK_OK || (repeated && job.policy))
		eki_store_free(ctx, &out);
	if (status != EK_OK)
		eki_free(ctx, job.order, nnz, psize);
	return status;
}

#endif
