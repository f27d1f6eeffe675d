/* SPDX-License-Identifier: BSD-3-Clause
 * Estimates, from a sample of the rows, how many rows share a shape and how local the accesses
 * to x are. The sample has at most 64 segments of 32 consecutive rows and about 200,000 entries,
 * so that choosing a method costs far less than one product. A row counts as repeating if its
 * columns are those of one of the four rows before it, all shifted by the same distance. An
 * entry counts as far if it is more than 16,384 columns from the diagonal and has no near
 * neighbour. A near neighbour is within 8 columns (a cache line or two of x), and is the entry
 * before or an entry of the row above. It counts as lost if its segment has had no entry yet on
 * its page of x, 512 columns, or on one beside it: what a processor reads ahead, and the
 * addresses that it remembers, are of the pages that it was on last. Neighbours in the same row,
 * column and diagonal tell how dense blocks and diagonals are; they are looked for in each
 * eleventh row, since blocks rarely have eleven rows. The segments are evenly spaced, so the
 * answer is the same on every machine. */
#include <math.h>
#include <string.h>

#include "cost/cost.h"
#include "cost/places.h"
#define EK_TYPES_ONLY
#define EK_FILE "cost/sample.c"
#include "base/for_each.h"

#ifndef EK_SAMPLE_STATE
#define EK_SAMPLE_STATE
enum { SEGMENTS = 64, SEGMENT_ROWS = 32, BACK = 4, FAR = 16384, NEAR = 8, SOME_ROWS = 11 };
enum { PAGE = 512 }; /* columns of a page */

typedef struct sample {
	int64_t entries, repeated, run, narrow, far, lost, looked_at, beside, above, diagonal;
	eki_place_memory pages;
} sample;

static inline bool off_diagonal(int64_t c, int64_t diagonal)
{
	return c - diagonal > FAR || diagonal - c > FAR;
}
#endif

#if EK_PER_TYPE

static bool FN(shifted)(const IDX *a, const IDX *b, int64_t n)
{
	for (int64_t k = 1; k < n; k++)
		if (b[k] - b[0] != a[k] - a[0])
			return false;
	return true;
}

/* Counts the entries of a row that are far from column `diagonal`, from the entry before them, and
 * from the entries of the row above. */
static int64_t FN(far_entries)(const IDX *col, int64_t n, const IDX *above, int64_t m,
                               int64_t diagonal)
{
	int64_t far = 0, at = 0, before = -NEAR - 1;

	for (int64_t k = 0; k < n; k++) {
		int64_t c = col[k];

		while (at < m && above[at] < c - NEAR)
			at++;
		far += off_diagonal(c, diagonal) && (at == m || above[at] > c + NEAR) &&
		       (before > c || c - before >= NEAR);
		before = c;
	}
	return far;
}

/* Counts the entries of a row that are far from column `diagonal` and on a page that is new.
 * Columns start at `base`. */
static void FN(lost_entries)(const IDX *col, int64_t n, int base, int64_t diagonal, sample *s)
{
	for (int64_t k = 0, page = -1; k < n; k++) {
		if ((col[k] - base) / PAGE == page)
			continue;
		page = (col[k] - base) / PAGE;
		s->lost += eki_place_new(&s->pages, page) && off_diagonal(col[k], diagonal);
	}
}

/* Counts the entries of a row that have an entry beside them, above them, or before them on their
 * diagonal. Columns that do not ascend are counted too low. */
static void FN(neighbours)(const IDX *col, int64_t n, const IDX *above, int64_t m, sample *s)
{
	int64_t at = 0;

	for (int64_t k = 0; k < n; k++) {
		const int64_t c = col[k];

		while (at < m && above[at] < c - 1)
			at++;
		const bool diagonal = at < m && above[at] == c - 1;

		s->diagonal += diagonal;
		s->above += at + diagonal < m && above[at + diagonal] == c;
		s->beside += k > 0 && col[k - 1] == c - 1;
	}
}

static void FN(sample_rows)(const ek_store *A, int64_t begin, int64_t end, sample *s)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];

	memset(&s->pages, 0, sizeof s->pages);
	for (int64_t i = begin; i < end && s->entries < EKI_SAMPLE_ENTRIES; i++) {
		int64_t n = row_ptr[i + 1] - row_ptr[i];
		int64_t diagonal =
			A->base + (int64_t)((double)i / (double)A->rows * (double)A->cols);
		bool repeated = false, run = false;

		if (n == 0) /* col_idx may be NULL if no row has entries */
			continue;
		const IDX *col = col_idx + row_ptr[i];

		for (int64_t b = i - 1; b >= 0 && b >= i - BACK && !repeated; b--)
			repeated = row_ptr[b + 1] - row_ptr[b] == n &&
			           FN(shifted)(col_idx + row_ptr[b], col, n);
		if (i > 0 && repeated && row_ptr[i] - row_ptr[i - 1] == n)
			run = col[0] == col_idx[row_ptr[i - 1]] + 1;
		int64_t above_n = i > 0 ? row_ptr[i] - row_ptr[i - 1] : 0;

		if (A->cols > FAR) { /* else no entry is as far */
			s->far += FN(far_entries)(col, n, col - above_n, above_n, diagonal);
			FN(lost_entries)(col, n, A->base, diagonal, s);
		}
		if (i % SOME_ROWS == 0) {
			FN(neighbours)(col, n, col - above_n, above_n, s);
			s->looked_at += n;
		}
		s->entries += n;
		s->run += run ? n : 0;
		s->repeated += repeated ? n : 0;
		if (run || (col[n - 1] >= col[0] && col[n - 1] - col[0] <= UINT16_MAX))
			s->narrow += n;
	}
}

#endif
#if EK_ONCE

typedef void sample_fn(const ek_store *, int64_t, int64_t, sample *);

/* Returns the number of segments to look at. Looking at an entry takes as long as multiplying it
 * one to five times, so that few calls pay for few segments: each call for a 200th of the rows, but
 * all together for at least four segments, and for none if they multiply fewer than 20 times as
 * many entries as the whole sample has. */
static int64_t segments_for(const ek_store *csr, int64_t calls)
{
	const double most = (double)calls / 200 * (double)csr->rows / SEGMENT_ROWS;
	const double nnz = (double)csr->nnz;

	if ((double)calls * nnz < 20 * fmin(nnz, EKI_SAMPLE_ENTRIES))
		return 0;
	return most >= SEGMENTS ? SEGMENTS : most <= 4 ? 4 : (int64_t)most;
}

bool eki_sample_shapes(const ek_store *csr, eki_features *f)
{
	const int64_t segments = segments_for(csr, f->calls);
	static sample_fn *const rows[EK_NTYPE] = EK_BY_TYPE(sample_rows);
	sample_fn *fn = rows[eki_type(csr->value, csr->index)];
	sample s = {0};

	if (segments == 0)
		return false;
	if (csr->rows <= segments * SEGMENT_ROWS)
		fn(csr, 0, csr->rows, &s);
	else
		for (int64_t k = 0; k < segments; k++) {
			const int64_t begin = (csr->rows - SEGMENT_ROWS) / (segments - 1) * k;

			fn(csr, begin, begin + SEGMENT_ROWS, &s);
		}
	if (s.entries) {
		const double entries = (double)s.entries, looked_at = fmax(1, (double)s.looked_at);

		f->repeat_share = (double)s.repeated / entries;
		f->run_share = (double)s.run / entries;
		f->narrow_share = (double)s.narrow / entries;
		f->far_share = (double)s.far / entries;
		f->lost_share = (double)s.lost / entries;
		f->beside_share = (double)s.beside / looked_at;
		f->above_share = (double)s.above / looked_at;
		f->diagonal_share = (double)s.diagonal / looked_at;
	}
	return true;
}

#endif
