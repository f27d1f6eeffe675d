/* SPDX-License-Identifier: BSD-3-Clause
 * Rows of a CSR sorted by column, and repeated places merged. Each row is looked at first, as files
 * are mostly sorted; insertion serves short rows, merging long ones. Both are stable, so repeated
 * places are merged in the order given.
 * Cost: O(nnz) for sorted rows, O(nnz log(longest row)) at worst; workspace: the longest unsorted
 * row of each part, together at most one copy of the entries, and a second matrix if there is
 * anything to merge. */
#include <string.h>

#include "core/ek_core.h"
#define EK_TYPES_ONLY
#define EK_FILE "reshape/sort_rows.c"
#include "core/for_each.h"

#ifndef EK_MTX_SORT_ROWS
#define EK_MTX_SORT_ROWS
enum { SHORT_ROW = 32, MOST_PARTS = 64 };

struct sort_job {
	ek_store *csr, *merged;
	int parts;
	unsigned policy;
	void *scratch_idx, *scratch_val;
	int64_t bound[MOST_PARTS + 1];
	int64_t scratch[MOST_PARTS + 1]; /* where the scratch of each part begins */
	int64_t repeated[MOST_PARTS], first_repeated[MOST_PARTS];
};
#endif

#if EK_PER_TYPE

/* How long the longest row of a part is that must be merged. */
static void FN(rows_look)(void *arg, int part)
{
	struct sort_job *job = arg;
	const PTR *row_ptr = job->csr->array[CSR_PTR];
	const IDX *col = job->csr->array[CSR_COL];
	int64_t longest = 0;

	for (int64_t i = job->bound[part]; i < job->bound[part + 1]; i++) {
		int64_t begin = row_ptr[i], end = row_ptr[i + 1], k = begin + 1;

		if (end - begin <= SHORT_ROW || end - begin <= longest)
			continue;
		while (k < end && col[k - 1] <= col[k])
			k++;
		if (k < end)
			longest = end - begin;
	}
	job->scratch[part + 1] = longest;
}

static void FN(insertion)(IDX *col, VAL *val, int64_t n)
{
	for (int64_t k = 1; k < n; k++) {
		IDX c = col[k];
		VAL v = val[k];
		int64_t at = k;

		for (; at > 0 && col[at - 1] > c; at--) {
			col[at] = col[at - 1];
			val[at] = val[at - 1];
		}
		col[at] = c;
		val[at] = v;
	}
}

/* Merges neighbours from one pair of arrays into the other. */
static void FN(merge_pass)(const IDX *col, const VAL *val, int64_t n, int64_t width, IDX *to_col,
                           VAL *to_val)
{
	for (int64_t begin = 0; begin < n; begin += 2 * width) {
		int64_t mid = begin + width < n ? begin + width : n;
		int64_t end = begin + 2 * width < n ? begin + 2 * width : n;

		for (int64_t a = begin, b = mid, k = begin; k < end; k++) {
			int64_t p = b == end || (a < mid && col[a] <= col[b]) ? a++ : b++;

			to_col[k] = col[p];
			to_val[k] = val[p];
		}
	}
}

static void FN(merge_sort)(IDX *col, VAL *val, int64_t n, IDX *other_col, VAL *other_val)
{
	IDX *from_col = col;
	VAL *from_val = val;

	for (int64_t begin = 0; begin < n; begin += SHORT_ROW)
		FN(insertion)
	(col + begin, val + begin, n - begin < SHORT_ROW ? n - begin : SHORT_ROW);
	for (int64_t width = SHORT_ROW; width < n; width *= 2) {
		IDX *to_col = from_col == col ? other_col : col;
		VAL *to_val = from_val == val ? other_val : val;

		FN(merge_pass)(from_col, from_val, n, width, to_col, to_val);
		from_col = to_col;
		from_val = to_val;
	}
	if (from_col != col) {
		memcpy(col, from_col, (size_t)n * sizeof *col);
		memcpy(val, from_val, (size_t)n * sizeof *val);
	}
}

/* Sorts the rows of a part and counts repeated places. */
static void FN(rows_sort)(void *arg, int part)
{
	struct sort_job *job = arg;
	const PTR *row_ptr = job->csr->array[CSR_PTR];
	IDX *col = job->csr->array[CSR_COL];
	VAL *val = job->csr->array[CSR_VAL];
	IDX *other_col = job->scratch_idx ? (IDX *)job->scratch_idx + job->scratch[part] : NULL;
	VAL *other_val = job->scratch_val ? (VAL *)job->scratch_val + job->scratch[part] : NULL;

	job->repeated[part] = 0;
	job->first_repeated[part] = -1;
	for (int64_t i = job->bound[part]; i < job->bound[part + 1]; i++) {
		int64_t begin = row_ptr[i], end = row_ptr[i + 1], repeated = 0;
		bool sorted = true;

		for (int64_t k = begin + 1; k < end; k++)
			sorted &= col[k - 1] <= col[k];
		if (!sorted && end - begin <= SHORT_ROW)
			FN(insertion)(col + begin, val + begin, end - begin);
		else if (!sorted)
			FN(merge_sort)
		(col + begin, val + begin, end - begin, other_col, other_val);
		for (int64_t k = begin + 1; k < end; k++)
			repeated += col[k - 1] == col[k];
		for (int64_t k = begin + 1; repeated && job->first_repeated[part] < 0; k++)
			if (col[k - 1] == col[k])
				job->first_repeated[part] = k;
		job->repeated[part] += repeated;
	}
}

static void FN(rows_merge)(void *arg, int part)
{
	struct sort_job *job = arg;
	const PTR *row_ptr = job->csr->array[CSR_PTR];
	const IDX *col = job->csr->array[CSR_COL];
	const VAL *val = job->csr->array[CSR_VAL];
	PTR *out_ptr = job->merged->array[CSR_PTR];
	IDX *out_col = job->merged->array[CSR_COL];
	VAL *out_val = job->merged->array[CSR_VAL];
	int64_t p = row_ptr[job->bound[part]];

	for (int before = 0; before < part; before++)
		p -= job->repeated[before];
	for (int64_t i = job->bound[part]; i < job->bound[part + 1]; i++) {
		out_ptr[i] = (PTR)p;
		for (int64_t k = row_ptr[i]; k < row_ptr[i + 1]; k++) {
			bool again = k > row_ptr[i] && col[k - 1] == col[k];

			if (again && job->policy == EK_DUP_SUM) {
				out_val[p - 1] += val[k];
				continue;
			}
			p += !again;
			out_col[p - 1] = col[k];
			out_val[p - 1] = val[k];
		}
	}
	if (part == job->parts - 1)
		out_ptr[job->csr->rows] = (PTR)p;
}

#endif
#if EK_ONCE

static const struct {
	eki_part_fn *look[EK_NTYPE], *sort[EK_NTYPE], *merge[EK_NTYPE];
} step = {.look = EK_BY_TYPE(rows_look),
          .sort = EK_BY_TYPE(rows_sort),
          .merge = EK_BY_TYPE(rows_merge)};

static ek_status merge_rows(const ek_context *ctx, struct sort_job *job, int64_t repeated, int type)
{
	ek_store merged = {0}, *csr = job->csr;

	job->merged = &merged;
	EK_RETURN_IF(eki_csr_alloc(ctx, csr->value, csr->index, csr->rows, csr->cols,
	                           csr->nnz - repeated, &merged));
	eki_parallel(ctx->threads, job->parts, step.merge[type], job);
	eki_store_free(ctx, csr);
	*csr = merged;
	return EK_OK;
}

ek_status eki_sort_rows(const ek_context *ctx, unsigned policy, ek_store *csr, int64_t *first)
{
	struct sort_job job = {.csr = csr,
	                       .policy = policy,
	                       .parts = ctx->threads < MOST_PARTS ? ctx->threads : MOST_PARTS};
	size_t isize = eki_idx_size(csr->index), vsize = ek_value_size(csr->value);
	int type = eki_type(csr->value, csr->index);
	int64_t repeated = 0, room;
	ek_status status = EK_OK;

	*first = -1;
	eki_partition_rows(csr, job.parts, job.bound);
	eki_parallel(ctx->threads, job.parts, step.look[type], &job);
	for (int part = 0; part < job.parts; part++)
		job.scratch[part + 1] += job.scratch[part];
	room = job.scratch[job.parts];
	EK_TRY(eki_alloc(ctx, room, isize, &job.scratch_idx));
	EK_TRY(eki_alloc(ctx, room, vsize, &job.scratch_val));
	eki_parallel(ctx->threads, job.parts, step.sort[type], &job);
	for (int part = 0; part < job.parts; part++) {
		if (*first < 0 && policy == EK_DUP_ERROR)
			*first = job.first_repeated[part];
		repeated += job.repeated[part];
	}
	if (repeated && policy != EK_DUP_ERROR)
		EK_TRY(merge_rows(ctx, &job, repeated, type));
done:
	eki_free(ctx, job.scratch_idx, room, isize);
	eki_free(ctx, job.scratch_val, room, vsize);
	return status;
}

ek_status eki_sorted_copy(const ek_context *ctx, const ek_store *csr, ek_store *copy,
                          int64_t *first)
{
	ek_store out = {0};
	ek_status status;

	EK_TRY(eki_convert_types(ctx, NULL, csr, csr->value, csr->index, &out));
	EK_TRY(eki_sort_rows(ctx, EK_DUP_ERROR, &out, first));
	*copy = out;
done:
	if (status != EK_OK)
		eki_store_free(ctx, &out);
	return status;
}

#endif
