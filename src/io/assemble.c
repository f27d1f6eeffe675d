/* SPDX-License-Identifier: BSD-3-Clause
 * Makes a CSR matrix, sorted by row and then by column, from segments.
 *
 * Step 1: each part, which is a range of the segments, counts its entries by row, mirror images
 * included. A scan over rows and parts turns the counts into positions. Then each part copies its
 * columns and values to these positions. The entries of a row keep the order that they have in the
 * file. So if the file is sorted by rows or by columns, all rows come out sorted, even if the file
 * stores one triangle only. Step 2: reshape/sort_rows.c sorts the rows that are not sorted yet and
 * merges entries at the same place. Cost: O(nnz + rows), plus the sorting. Workspace: (parts - 1) *
 * rows counters. */
#include "io/mtx.h"
#include "prim/counters.h"
#define EK_TYPES_ONLY
#define EK_FILE "io/assemble.c"
#include "base/for_each.h"

#ifndef EK_MTX_ASSEMBLE
#define EK_MTX_ASSEMBLE
struct assemble_job {
	const struct mtx_segment **segment;
	int64_t segments;
	ek_store *out;
	int symmetry, parts;
	eki_counters count;
};
#endif

#if EK_PER_TYPE

static void FN(count_segment)(const struct mtx_segment *s, bool mirror, PTR *count)
{
	const IDX *major = s->major, *minor = s->minor;

	for (int64_t r = 0, k = 0; r < s->runs; r++) {
		int64_t end = s->run ? s->run[r] : r + 1;
		IDX m = major[r];

		if (mirror) {
			PTR own = 0; /* off-diagonal entries of the run; each counts in row m too */

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
	PTR *count = eki_counters_clear(&job->count, part);
	int64_t end = eki_cut(job->segments, job->parts, part + 1);

	for (int64_t k = eki_cut(job->segments, job->parts, part); k < end; k++)
		FN(count_segment)(job->segment[k], job->symmetry != MTX_GENERAL, count);
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
	PTR *at = eki_counters_of(&job->count, part);
	IDX *col = job->out->array[CSR_COL];
	VAL *val = job->out->array[CSR_VAL];
	int64_t end = eki_cut(job->segments, job->parts, part + 1);

	for (int64_t k = eki_cut(job->segments, job->parts, part); k < end; k++)
		FN(put_segment)(job->segment[k], job->symmetry, at, col, val);
}

/* Finds the first two entries of the file at row i, column j (counted from 0). Mirror images count
 * too. Stores the numbers of the two entries in `found` and the numbers of their lines in
 * `line`. */
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

typedef void find_fn(const struct assemble_job *, int64_t, int64_t, int64_t *, int64_t *);

static const struct {
	eki_part_fn *count[EK_NTYPE], *put[EK_NTYPE];
	find_fn *find[EK_NTYPE];
} step = {.count = EK_BY_TYPE(assemble_count),
          .put = EK_BY_TYPE(assemble_put),
          .find = EK_BY_TYPE(find_place)};

/* Fails, with a message that entry k of the CSR is at the same place as the entry before it. */
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
	int64_t segments = 0, repeated;
	void *table = NULL;
	ek_status status;

	for (const struct mtx_segment *s = list; s; s = s->next)
		segments++;
	/* The counters must take little memory compared with the matrix. */
	while (job.parts > 1 && (job.parts > segments || h->rows > nnz / 4 / (job.parts - 1)))
		job.parts--;
	EK_TRY(eki_alloc(ctx, segments, sizeof *job.segment, &table));
	job.segment = table;
	for (const struct mtx_segment *s = list; s; s = s->next)
		job.segment[job.segments++] = s;
	EK_TRY(eki_csr_alloc(ctx, value, index, h->rows, h->cols, nnz, &out));
	job.count = (eki_counters){
		.n = h->rows, .size = psize, .parts = job.parts, .begin = out.array[CSR_PTR]};
	EK_TRY(eki_alloc(ctx, eki_counters_len(&job.count), psize, &job.count.own));
	eki_parallel(ctx, ctx->threads, job.parts, step.count[type], &job);
	eki_counters_scan(ctx, &job.count, ctx->threads);
	eki_parallel(ctx, ctx->threads, job.parts, step.put[type], &job);
	EK_TRY(eki_sort_rows(ctx, h->duplicates, &out, &repeated));
	if (repeated >= 0)
		EK_TRY(refuse_repeated(&job, name, type, repeated));
	*csr = out;
done:
	eki_free(ctx, table, segments, sizeof *job.segment);
	eki_free(ctx, job.count.own, eki_counters_len(&job.count), psize);
	if (status != EK_OK)
		eki_store_free(ctx, &out);
	return status;
}

#endif
