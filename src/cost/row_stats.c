/* SPDX-License-Identifier: BSD-3-Clause
 * Statistics of the row lengths, from which methods predict their times. They take one pass over
 * row_ptr, which must be cheap: with few calls it is the largest part of the choice.
 *
 * Rows are cut into a fixed number of parts, and the results of the parts are added in order, so
 * every figure is the same for any number of threads. */
#include <math.h>
#include <string.h>

#include "cost/cost.h"
#define EK_TYPES_ONLY
#define EK_FILE "cost/row_stats.c"
#include "base/for_each.h"

#ifndef EK_ROW_STATS
#define EK_ROW_STATS
enum { PARTS = 64, SMALL = 20000 }; /* below SMALL rows, one thread is used */

struct length_part {
	int64_t min, max, empty, few, changes;
	double squares; /* sum of the squared differences from the mean */
};

struct length_job {
	const ek_store *csr;
	double mean;
	struct length_part part[PARTS];
};

/* Rows whose lengths are looked at together, in loops that compilers vectorise. */
enum { BLOCK = 256 };
#endif

#if EK_PER_TYPE

/* Adds the lengths len[1] .. len[n] of rows to the statistics of a part; len[0] is that of the row
 * before. */
static void FN(length_block)(const PTR *len, int64_t n, double mean, struct length_part *p)
{
	PTR min = len[1], max = len[1], empty = 0, few = 0, changes = 0;
	double squares[4] = {0};

	for (int64_t k = 1; k <= n; k++) {
		min = len[k] < min ? len[k] : min;
		max = len[k] > max ? len[k] : max;
	}
	for (int64_t k = 1; k <= n; k++) {
		empty += len[k] == 0;
		few += len[k] <= 8;
		changes += len[k] != len[k - 1];
	}
	for (int64_t k = 1; k <= n; k += 4)
		for (int64_t l = 0; l < 4; l++) {
			const double more = k + l <= n ? (double)len[k + l] - mean : 0;

			squares[l] += more * more;
		}
	p->min = min < p->min ? min : p->min;
	p->max = max > p->max ? max : p->max;
	p->empty += empty;
	p->few += few;
	p->changes += changes;
	p->squares += (squares[0] + squares[1]) + (squares[2] + squares[3]);
}

static void FN(length_part)(void *arg, int part)
{
	struct length_job *job = arg;
	const PTR *row_ptr = job->csr->array[CSR_PTR];
	const int64_t rows = job->csr->rows, begin = eki_cut(rows, PARTS, part);
	const int64_t end = eki_cut(rows, PARTS, part + 1);
	struct length_part p = {.min = INT64_MAX, .max = -1};
	PTR len[BLOCK + 1];

	if (begin < end) /* the first row counts as being like the one before */
		len[0] = begin > 0 ? row_ptr[begin] - row_ptr[begin - 1] : row_ptr[1] - row_ptr[0];
	for (int64_t i = begin, n; i < end; i += n) {
		n = end - i < BLOCK ? end - i : BLOCK;
		for (int64_t k = 0; k < n; k++)
			len[k + 1] = row_ptr[i + k + 1] - row_ptr[i + k];
		FN(length_block)(len, n, job->mean, &p);
		len[0] = len[n];
	}
	job->part[part] = p;
}

#endif
#if EK_ONCE

ek_status eki_row_stats(const ek_context *ctx, const ek_store *csr, eki_features *f)
{
	static eki_part_fn *const fn[EK_NTYPE] = EK_BY_TYPE(length_part);
	struct length_job job = {.csr = csr};
	ek_stats *s = &f->stats;
	int64_t few = 0, changes = 0;
	double squares = 0;

	memset(s, 0, sizeof *s);
	s->size = sizeof *s;
	s->rows = csr->rows;
	s->cols = csr->cols;
	s->nnz = csr->nnz;
	f->short_share = f->mixed_share = 0;
	if (csr->rows == 0)
		return EK_OK;
	job.mean = s->row_mean = (double)csr->nnz / (double)csr->rows;
	eki_parallel(ctx, csr->rows < SMALL ? 1 : ctx->threads, PARTS,
	             fn[eki_type(csr->value, csr->index)], &job);
	s->row_min = INT64_MAX;
	for (int part = 0; part < PARTS; part++) {
		const struct length_part *p = &job.part[part];

		s->row_min = p->min < s->row_min ? p->min : s->row_min;
		s->row_max = p->max > s->row_max ? p->max : s->row_max;
		s->empty_rows += p->empty;
		few += p->few;
		changes += p->changes;
		squares += p->squares;
	}
	s->row_stddev = sqrt(squares / (double)csr->rows);
	f->short_share = (double)few / (double)csr->rows;
	f->mixed_share = (double)changes / (double)csr->rows;
	return EK_OK;
}

#endif
