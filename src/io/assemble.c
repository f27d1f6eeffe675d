/* SPDX-License-Identifier: BSD-3-Clause
 * Segments to CSR, sorted by row, then column.
 *
 * 1. Each part of the segments counts its entries by row, mirror images included; a scan over rows
 * and parts turns counts into positions; each part puts its columns and values there. This keeps the
 * order of the file, so rows come out sorted if the file is sorted by rows or by columns, in one
 * triangle too. 2. Each row is looked at, sorted where needed (insertion, merging for long rows, both
 * stable), and repeated places are counted. 3. Repeated places are merged, if there are any.
 * Cost: O(nnz + rows) for sorted files, O(nnz log(longest row)) at worst. The last part counts in the
 * row pointers themselves, every other one in `rows` counters of its own. */
#include <string.h>

#include "io/mtx.h"
#define EK_TYPES_ONLY
#define EK_FILE "io/assemble.c"
#include "core/for_each.h"

#ifndef EK_MTX_ASSEMBLE
#define EK_MTX_ASSEMBLE
enum { SHORT_ROW = 32 };

struct assemble_job {
	const struct mtx_segment **segment;
	int64_t segments;
	ek_store *out, *merged;
	int symmetry, parts;
	unsigned policy;
	void *counters; /* (parts - 1) * rows */
	void *scratch_idx, *scratch_val;
	int64_t longest;
	int64_t bound[MTX_PARTS + 1];
	int64_t repeated[MTX_PARTS], first_repeated[MTX_PARTS], longest_unsorted[MTX_PARTS];
};
#endif

#if EK_PER_TYPE

static PTR *FN(counters_of)(const struct assemble_job *job, int part)
{
	PTR *counters = job->counters;

	return part == job->parts - 1 ? job->out->array[CSR_PTR] : counters + part * job->out->rows;
}

static void FN(count_segment)(const struct mtx_segment *s, bool mirror, PTR *count)
{
	const IDX *major = s->major, *minor = s->minor;

	for (int64_t r = 0, k = 0; r < s->runs; r++) {
		int64_t end = s->run ? s->run[r] : r + 1;
		IDX m = major[r];

		if (mirror) {
			PTR own = 0; /* entries in row m, or mirrored into it */

			for (; k < end; k++) {
				count[minor[k]]++;
				own += minor[k] != m;
			}
			count[m] += own;
		} else if (s->by_row) {
			count[m] += (PTR)(end - k);
			k = end;
		} else {
			for (; k < end; k++)
				count[minor[k]]++;
		}
	}
}

static void FN(assemble_count)(void *arg, int part)
{
	const struct assemble_job *job = arg;
	PTR *count = FN(counters_of)(job, part);
	int64_t end = eki_cut(job->segments, job->parts, part + 1);

	memset(count, 0, (size_t)job->out->rows * sizeof *count);
	for (int64_t k = eki_cut(job->segments, job->parts, part); k < end; k++)
		FN(count_segment)(job->segment[k], job->symmetry != MTX_GENERAL, count);
}

/* Counts to the positions where each part starts in each row. */
static void FN(assemble_scan)(struct assemble_job *job)
{
	PTR sum = 0;

	for (int64_t i = 0; i < job->out->rows; i++)
		for (int part = 0; part < job->parts; part++) {
			PTR *count = FN(counters_of)(job, part);
			PTR n = count[i];

			count[i] = sum;
			sum += n;
		}
}

static void FN(put_segment)(const struct mtx_segment *s, int symmetry, PTR *at, IDX *out_col,
                            VAL *out_val)
{
	const IDX *major = s->major, *minor = s->minor;
	const VAL *val = s->val;

	for (int64_t r = 0, k = 0; r < s->runs; r++) {
		int64_t end = s->run ? s->run[r] : r + 1;
		IDX m = major[r];

		if (symmetry == MTX_GENERAL && s->by_row) {
			PTR p = at[m];

			at[m] += (PTR)(end - k);
			for (; k < end; k++, p++) {
				out_col[p] = minor[k];
				out_val[p] = val ? val[k] : 1;
			}
			continue;
		}
		for (; k < end; k++) {
			IDX i = s->by_row ? m : minor[k], j = s->by_row ? minor[k] : m;
			PTR p = at[i]++;
			VAL v = val ? val[k] : 1;

			out_col[p] = j;
			out_val[p] = v;
			if (symmetry != MTX_GENERAL && i != j) {
				p = at[j]++;
				out_col[p] = i;
				out_val[p] = symmetry == MTX_SKEW ? -v : v;
			}
		}
	}
}

static void FN(assemble_put)(void *arg, int part)
{
	const struct assemble_job *job = arg;
	PTR *at = FN(counters_of)(job, part);
	int64_t end = eki_cut(job->segments, job->parts, part + 1);

	for (int64_t k = eki_cut(job->segments, job->parts, part); k < end; k++)
		FN(put_segment)
	(job->segment[k], job->symmetry, at, job->out->array[CSR_COL], job->out->array[CSR_VAL]);
}

/* The last part's positions are now where rows end, that is, where the next ones start. */
static void FN(assemble_close)(struct assemble_job *job)
{
	PTR *row_ptr = job->out->array[CSR_PTR];

	memmove(row_ptr + 1, row_ptr, (size_t)job->out->rows * sizeof *row_ptr);
	row_ptr[0] = 0;
}

/* How long the longest row is that is not sorted. */
static void FN(assemble_look)(void *arg, int part)
{
	struct assemble_job *job = arg;
	const PTR *row_ptr = job->out->array[CSR_PTR];
	const IDX *col = job->out->array[CSR_COL];
	int64_t longest = 0;

	for (int64_t i = job->bound[part]; i < job->bound[part + 1]; i++) {
		int64_t begin = row_ptr[i], end = row_ptr[i + 1], k = begin + 1;

		while (k < end && col[k - 1] <= col[k])
			k++;
		if (k < end && end - begin > longest)
			longest = end - begin;
	}
	job->longest_unsorted[part] = longest;
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
static void FN(assemble_sort)(void *arg, int part)
{
	struct assemble_job *job = arg;
	const PTR *row_ptr = job->out->array[CSR_PTR];
	IDX *col = job->out->array[CSR_COL];
	VAL *val = job->out->array[CSR_VAL];
	IDX *other_col = job->scratch_idx ? (IDX *)job->scratch_idx + part * job->longest : NULL;
	VAL *other_val = job->scratch_val ? (VAL *)job->scratch_val + part * job->longest : NULL;

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

static void FN(assemble_merge)(void *arg, int part)
{
	struct assemble_job *job = arg;
	const PTR *row_ptr = job->out->array[CSR_PTR];
	const IDX *col = job->out->array[CSR_COL];
	const VAL *val = job->out->array[CSR_VAL];
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
		out_ptr[job->out->rows] = (PTR)p;
}

/* Numbers of the first two entries of the file at place i, j (0-based), mirror images included. */
static void FN(find_place)(const struct assemble_job *job, int64_t i, int64_t j, int64_t found[2],
                           int64_t line[2])
{
	int n = 0;

	for (int64_t q = 0; q < job->segments && n < 2; q++) {
		const struct mtx_segment *s = job->segment[q];
		const IDX *major = s->major, *minor = s->minor;

		for (int64_t r = 0, k = 0; r < s->runs; r++) {
			int64_t end = s->run ? s->run[r] : r + 1;

			for (; k < end && n < 2; k++) {
				IDX row = s->by_row ? major[r] : minor[k];
				IDX col = s->by_row ? minor[k] : major[r];

				if ((row == i && col == j) ||
				    (job->symmetry != MTX_GENERAL && row == j && col == i)) {
					found[n] = s->first + k;
					line[n++] = s->line + (s->lines_known ? k : 0);
				}
			}
		}
	}
}

#endif
#if EK_ONCE

typedef void step_fn(struct assemble_job *);
typedef void find_fn(const struct assemble_job *, int64_t, int64_t, int64_t *, int64_t *);

static const struct {
	eki_part_fn *count[EK_NTYPE], *put[EK_NTYPE], *look[EK_NTYPE], *sort[EK_NTYPE],
		*merge[EK_NTYPE];
	step_fn *scan[EK_NTYPE], *close[EK_NTYPE];
	find_fn *find[EK_NTYPE];
} step = {.count = EK_BY_TYPE(assemble_count),
          .put = EK_BY_TYPE(assemble_put),
          .look = EK_BY_TYPE(assemble_look),
          .sort = EK_BY_TYPE(assemble_sort),
          .merge = EK_BY_TYPE(assemble_merge),
          .scan = EK_BY_TYPE(assemble_scan),
          .close = EK_BY_TYPE(assemble_close),
          .find = EK_BY_TYPE(find_place)};

static ek_status refuse_repeated(const struct assemble_job *job, const char *name, int type)
{
	int part = 0;
	int64_t found[2] = {0}, line[2] = {0}, k, i, j;

	while (!job->repeated[part])
		part++;
	k = job->first_repeated[part];
	i = eki_row_of(job->out, k);
	j = eki_col_at(job->out, k);
	step.find[type](job, i, j, found, line);
	return eki_fail(
		EK_ERANGE,
		"%s:%lld: entry %lld: row %lld, column %lld was given before, by entry %lld, "
		"and duplicates are not wanted",
		name, (long long)line[1], (long long)found[1], (long long)i + 1, (long long)j + 1,
		(long long)found[0]);
}

/* Sorts and merges what was put into place. */
static ek_status finish(const ek_context *ctx, const char *name, struct assemble_job *job, int type)
{
	const ek_store *out = job->out;
	size_t isize = eki_idx_size(out->index), vsize = ek_value_size(out->value);
	int64_t repeated = 0;
	ek_status status = EK_OK;

	eki_partition_rows(out, job->parts, job->bound);
	eki_parallel(ctx->threads, job->parts, step.look[type], job);
	for (int part = 0; part < job->parts; part++)
		if (job->longest_unsorted[part] > job->longest)
			job->longest = job->longest_unsorted[part];
	if (job->longest > SHORT_ROW) {
		EK_TRY(eki_alloc(ctx, job->longest * job->parts, isize, &job->scratch_idx));
		EK_TRY(eki_alloc(ctx, job->longest * job->parts, vsize, &job->scratch_val));
	}
	eki_parallel(ctx->threads, job->parts, step.sort[type], job);
	for (int part = 0; part < job->parts; part++)
		repeated += job->repeated[part];
	if (repeated && job->policy == EK_DUP_ERROR)
		EK_TRY(refuse_repeated(job, name, type));
	if (repeated) {
		EK_TRY(eki_csr_alloc(ctx, out->value, out->index, out->rows, out->cols,
		                     out->nnz - repeated, job->merged));
		eki_parallel(ctx->threads, job->parts, step.merge[type], job);
	}
done:
	eki_free(ctx, job->scratch_idx, job->longest * job->parts, isize);
	eki_free(ctx, job->scratch_val, job->longest * job->parts, vsize);
	return status;
}

ek_status eki_mtx_assemble(const ek_context *ctx, const char *name, const struct mtx_header *h,
                           ek_value value, ek_index index, int64_t nnz, struct mtx_segment *list,
                           ek_store *csr)
{
	size_t psize = eki_ptr_size(index);
	int type = eki_type(value, index);
	ek_store out = {0}, merged = {0};
	struct assemble_job job = {.out = &out,
	                           .merged = &merged,
	                           .symmetry = h->symmetry,
	                           .policy = h->duplicates,
	                           .parts = ctx->threads < MTX_PARTS ? ctx->threads : MTX_PARTS};
	int64_t room = 0, counters;
	void *table = NULL;
	ek_status status;

	for (const struct mtx_segment *s = list; s; s = s->next)
		job.segments++;
	/* Counters must stay small beside the matrix. */
	while (job.parts > 1 && (job.parts > job.segments || h->rows > nnz / 4 / (job.parts - 1)))
		job.parts--;
	counters = h->rows * (job.parts - 1);
	room = job.segments;
	EK_TRY(eki_alloc(ctx, room, sizeof *job.segment, &table));
	job.segment = table;
	job.segments = 0;
	for (const struct mtx_segment *s = list; s; s = s->next)
		job.segment[job.segments++] = s;
	EK_TRY(eki_csr_alloc(ctx, value, index, h->rows, h->cols, nnz, &out));
	EK_TRY(eki_alloc(ctx, counters, psize, &job.counters));
	eki_parallel(ctx->threads, job.parts, step.count[type], &job);
	step.scan[type](&job);
	eki_parallel(ctx->threads, job.parts, step.put[type], &job);
	step.close[type](&job);
	EK_TRY(finish(ctx, name, &job, type));
	*csr = merged.format ? merged : out;
done:
	eki_free(ctx, table, room, sizeof *job.segment);
	eki_free(ctx, job.counters, counters, psize);
	if (status != EK_OK || merged.format)
		eki_store_free(ctx, &out);
	return status;
}

#endif
