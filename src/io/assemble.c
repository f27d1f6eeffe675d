/* SPDX-License-Identifier: BSD-3-Clause
 * Segments to CSR, sorted by row, then column.
 *
 * 1. Each part of the segments counts its entries by row, mirror images included; a scan over rows
 * and parts turns counts into positions; each part puts its columns and values there. This keeps
 * the order of the file, so rows come out sorted if the file is sorted by rows or by columns, in
 * one triangle too. 2. reshape/sort_rows.c sorts the rows that are not, and merges repeated places.
 * Cost: O(nnz + rows) and that of the sorting. The last part counts in the row pointers themselves,
 * every other one in `rows` counters of its own. */
#include <string.h>

#include "io/mtx.h"
#define EK_TYPES_ONLY
#define EK_FILE "io/assemble.c"
#include "core/for_each.h"

#ifndef EK_MTX_ASSEMBLE
#define EK_MTX_ASSEMBLE
struct assemble_job {
	const struct mtx_segment **segment;
	int64_t segments;
	ek_store *out;
	int symmetry, parts;
	void *counters; /* (parts - 1) * rows */
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
	eki_part_fn *count[EK_NTYPE], *put[EK_NTYPE];
	step_fn *scan[EK_NTYPE], *close[EK_NTYPE];
	find_fn *find[EK_NTYPE];
} step = {.count = EK_BY_TYPE(assemble_count),
          .put = EK_BY_TYPE(assemble_put),
          .scan = EK_BY_TYPE(assemble_scan),
          .close = EK_BY_TYPE(assemble_close),
          .find = EK_BY_TYPE(find_place)};

/* Entry k of the CSR repeats the place of the one before. */
static ek_status refuse_repeated(const struct assemble_job *job, const char *name, int type,
                                 int64_t k)
{
	int64_t found[2] = {0}, line[2] = {0};
	int64_t i = eki_row_of(job->out, k), j = eki_col_at(job->out, k);

	step.find[type](job, i, j, found, line);
	return eki_fail(
		EK_ERANGE,
		"%s:%lld: entry %lld: row %lld, column %lld was given before, by entry %lld, "
		"and duplicates are not wanted",
		name, (long long)line[1], (long long)found[1], (long long)i + 1, (long long)j + 1,
		(long long)found[0]);
}

ek_status eki_mtx_assemble(const ek_context *ctx, const char *name, const struct mtx_header *h,
                           ek_value value, ek_index index, int64_t nnz, struct mtx_segment *list,
                           ek_store *csr)
{
	size_t psize = eki_ptr_size(index);
	int type = eki_type(value, index);
	ek_store out = {0};
	struct assemble_job job = {.out = &out,
	                           .symmetry = h->symmetry,
	                           .parts = ctx->threads < MTX_PARTS ? ctx->threads : MTX_PARTS};
	int64_t room = 0, counters, repeated;
	void *table = NULL;
	ek_status status;

	for (const struct mtx_segment *s = list; s; s = s->next)
		room++;
	/* Counters must stay small beside the matrix. */
	while (job.parts > 1 && (job.parts > room || h->rows > nnz / 4 / (job.parts - 1)))
		job.parts--;
	counters = h->rows * (job.parts - 1);
	EK_TRY(eki_alloc(ctx, room, sizeof *job.segment, &table));
	job.segment = table;
	for (const struct mtx_segment *s = list; s; s = s->next)
		job.segment[job.segments++] = s;
	EK_TRY(eki_csr_alloc(ctx, value, index, h->rows, h->cols, nnz, &out));
	EK_TRY(eki_alloc(ctx, counters, psize, &job.counters));
	eki_parallel(ctx->threads, job.parts, step.count[type], &job);
	step.scan[type](&job);
	eki_parallel(ctx->threads, job.parts, step.put[type], &job);
	step.close[type](&job);
	EK_TRY(eki_sort_rows(ctx, h->duplicates, &out, &repeated));
	if (repeated >= 0)
		EK_TRY(refuse_repeated(&job, name, type, repeated));
	*csr = out;
done:
	eki_free(ctx, table, room, sizeof *job.segment);
	eki_free(ctx, job.counters, counters, psize);
	if (status != EK_OK)
		eki_store_free(ctx, &out);
	return status;
}

#endif
