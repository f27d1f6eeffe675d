/* SPDX-License-Identifier: BSD-3-Clause
 * SELL-C-sigma: the order of the rows, the number of places that chunks take, and the choice of
 * sigma.
 *
 * Rows are sorted by length within each window: by counting, and rows of 255 entries or more by a
 * radix sort, one byte of the length at a time, so that time and memory do not depend on how
 * lengths are distributed. The first row of a chunk is then its longest, so that for the number of
 * places it is enough to count the rows of each length.
 *
 * A few values of sigma are tried in ascending order. A larger one replaces a smaller one only if
 * it saves a twentieth of the bytes, since sorting rows makes reads of x less sequential, and y is
 * written out of order; none is tried once there is less padding than that. So if the rows of a
 * matrix have nearly equal lengths, they are examined once and never sorted. */
#include "format/sell_order.h"
#include "prim_body/radix.h"
#define EK_TYPES_ONLY
#define EK_FILE "format/sell_order.c"
#include "base/for_each.h"

#ifndef EK_SELL_RADIX
#define EK_SELL_RADIX
/* Values of a byte, and the length from which on rows share one counter. */
enum { RADIX = 256, LONG = RADIX - 1 };
#endif

#if EK_PER_TYPE

struct FN(sell_rows) {
	const PTR *row_ptr;
	const int32_t *from;
	int32_t *to;
	int shift;
};

/* Returns one byte of the length of row from[e], inverted, so that it is smaller for longer
 * rows. */
static inline int64_t FN(sell_digit)(const void *of, int64_t e)
{
	const struct FN(sell_rows) *s = of;
	const PTR *row = s->row_ptr + s->from[e];

	return RADIX - 1 - (int64_t)((uint64_t)(row[1] - row[0]) >> s->shift & (RADIX - 1));
}

static inline void FN(sell_place)(const void *of, int64_t e, int64_t to)
{
	const struct FN(sell_rows) *s = of;

	s->to[to] = s->from[e];
}

/* Sorts the n rows of row_ptr whose numbers are in `a` by length, the longest first. No row is
 * longer than `longest`. Rows of equal length keep their order. `b` is scratch memory for n
 * numbers. Returns `a` or `b`, whichever has the sorted row numbers. */
static int32_t *FN(sell_sort)(const PTR *row_ptr, int64_t n, int64_t longest, int32_t *a,
                              int32_t *b)
{
	for (int shift = 0; longest; shift += 8, longest /= RADIX) {
		const struct FN(sell_rows) rows = {row_ptr, a, b, shift};
		int64_t at[RADIX];
		int32_t *swap = a;

		eki_radix_pass(n, RADIX, at, FN(sell_digit), FN(sell_place), &rows);
		a = b;
		b = swap;
	}
	return a;
}

static inline int64_t FN(sell_longest)(const PTR *row_ptr, int64_t n)
{
	PTR longest = 0;

	for (int64_t i = 0; i < n; i++) {
		const PTR len = row_ptr[i + 1] - row_ptr[i];

		longest = len > longest ? len : longest;
	}
	return longest;
}

/* Sorts the rows of a window, 0 .. n - 1 of row_ptr, that have LONG entries or more. Stores their
 * numbers at the beginning of perm, unless that is NULL; row 0 has the number `first`. Returns the
 * number of places of the chunks of c rows that begin with one of them. */
static int64_t FN(sell_long)(const PTR *row_ptr, int64_t n, int64_t c, int64_t longest, IDX *perm,
                             int64_t first, int32_t *scratch)
{
	int64_t m = 0, places = 0;

	for (int64_t i = 0; i < n; i++)
		if (row_ptr[i + 1] - row_ptr[i] >= LONG)
			scratch[m++] = (int32_t)i;
	const int32_t *order = FN(sell_sort)(row_ptr, m, longest, scratch, scratch + n);

	for (int64_t p = 0; p < m; p += c)
		places += c * (int64_t)(row_ptr[order[p] + 1] - row_ptr[order[p]]);
	for (int64_t p = 0; perm && p < m; p++)
		perm[p] = (IDX)(first + order[p]);
	return places;
}

/* Returns the number of places that a window, rows 0 .. n - 1 of row_ptr, takes in chunks of c
 * rows once its rows are sorted. Sets perm, unless it is NULL, to the sorted numbers of the rows;
 * row 0 has the number `first`. `scratch` has space for 2 n numbers. */
static int64_t FN(sell_window)(const PTR *row_ptr, int64_t n, int64_t c, IDX *perm, int64_t first,
                               int32_t *scratch)
{
	const int64_t longest = FN(sell_longest)(row_ptr, n);
	const int64_t most = longest < LONG ? longest : LONG;
	int32_t at[LONG + 1];
	int64_t places = 0, before = 0;

	memset(at, 0, (size_t)(most + 1) * sizeof *at);
	for (int64_t i = 0; i < n; i++) {
		const int64_t len = row_ptr[i + 1] - row_ptr[i];

		at[len < LONG ? len : LONG]++;
	}
	if (most == LONG)
		places = FN(sell_long)(row_ptr, n, c, longest, perm, first, scratch);
	for (int64_t len = most; len >= 0; len--) {
		const int64_t end = before + at[len];

		/* Chunks begin at each multiple of c. */
		if (len < LONG && end > before)
			places += ((end + c - 1) / c - (before + c - 1) / c) * c * len;
		at[len] = (int32_t)before;
		before = end;
	}
	for (int64_t i = 0; perm && i < n; i++) {
		const int64_t len = row_ptr[i + 1] - row_ptr[i];

		if (len < LONG)
			perm[at[len]++] = (IDX)(first + i);
	}
	return places;
}

/* Sorts the rows of windows [begin, end) by length, each window of sigma rows on its own. Stores
 * the sorted row numbers in perm if `out` has that array. Returns the number of places that the
 * chunks in these windows take. */
static int64_t FN(sell_sorted)(const ek_store *csr, const ek_store *out, int64_t begin, int64_t end,
                               int32_t *scratch)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	const int64_t c = out->dim[SELL_C], sigma = out->dim[SELL_SIGMA];
	IDX *perm = out->array[SELL_PERM];
	int64_t places = 0;

	for (int64_t i = begin * sigma; i < end * sigma && i < csr->rows; i += sigma) {
		const int64_t n = csr->rows - i < sigma ? csr->rows - i : sigma;

		places += FN(sell_window)(row_ptr + i, n, c, perm ? perm + i : NULL, i, scratch);
	}
	return places;
}

/* Returns the number of places that chunks [begin, end) take if rows are not sorted. */
static int64_t FN(sell_unsorted)(const ek_store *csr, const ek_store *out, int64_t begin,
                                 int64_t end, int32_t *scratch)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	int64_t places = 0;

	(void)scratch;
	for (int64_t k = begin; k < end; k++) {
		PTR longest = 0;

		for (int64_t i = sell_first(out, k); i < sell_first(out, k + 1); i++)
			longest = row_ptr[i + 1] - row_ptr[i] > longest
			                  ? row_ptr[i + 1] - row_ptr[i]
			                  : longest;
		places += out->dim[SELL_C] * (int64_t)longest;
	}
	return places;
}

#endif
#if EK_ONCE

typedef int64_t order_fn(const ek_store *csr, const ek_store *out, int64_t begin, int64_t end,
                         int32_t *scratch);

enum { MOST_PARTS = 64 };

struct order_job {
	order_fn *fn;
	const ek_store *csr, *out;
	int64_t pieces, scratch_len;
	int32_t *scratch; /* scratch_len numbers for each part */
	int parts;
	int64_t places[MOST_PARTS];
};

static void order_part(void *arg, int part)
{
	struct order_job *job = arg;

	job->places[part] = job->fn(job->csr, job->out, eki_cut(job->pieces, job->parts, part),
	                            eki_cut(job->pieces, job->parts, part + 1),
	                            job->scratch + part * job->scratch_len);
}

ek_status eki_sell_order(const ek_context *ctx, const ek_store *csr, const ek_store *out,
                         int64_t *places)
{
	static order_fn *const sorted[EK_NTYPE] = EK_BY_TYPE(sell_sorted);
	static order_fn *const unsorted[EK_NTYPE] = EK_BY_TYPE(sell_unsorted);
	const int64_t sigma = out->dim[SELL_SIGMA];
	const int type = eki_type(csr->value, csr->index), parts = eki_parts(ctx, csr->rows);
	struct order_job job = {
		.fn = sigma > 1 ? sorted[type] : unsorted[type],
		.csr = csr,
		.out = out,
		.pieces = sigma > 1 ? (csr->rows + sigma - 1) / sigma : sell_chunks(out),
		.scratch_len = 2 * sigma,
		.parts = parts < MOST_PARTS ? parts : MOST_PARTS,
	};

	if (job.parts > job.pieces)
		job.parts = job.pieces > 1 ? (int)job.pieces : 1;

	const int64_t len = job.parts * job.scratch_len;

	EK_RETURN_IF(eki_alloc(ctx, len, sizeof *job.scratch, (void **)&job.scratch));
	eki_parallel(ctx, ctx->threads, job.parts, order_part, &job);
	eki_free(ctx, job.scratch, len, sizeof *job.scratch);
	*places = 0;
	for (int part = 0; part < job.parts; part++)
		*places += job.places[part];
	return EK_OK;
}

/* Returns the number of bytes that columns, values and row numbers of `s` take if it has this
 * number of places. */
static double bytes_of(const ek_store *s, int64_t places)
{
	const double idx = (double)eki_idx_size(s->index);

	return (double)places * ((double)ek_value_size(s->value) + idx) +
	       (s->dim[SELL_SIGMA] > 1 ? (double)s->rows * idx : 0);
}

ek_status eki_sell_sigma(const ek_context *ctx, const ek_store *csr, ek_store *out, int64_t *places)
{
	static const int64_t tried[] = {1, 256, 4096, SELL_MAX_SIGMA};
	const double saves = 0.95;
	ek_store best = *out;

	for (size_t k = 0; k < sizeof tried / sizeof *tried; k++) {
		int64_t now;

		out->dim[SELL_SIGMA] = sell_sigma(tried[k], out->dim[SELL_C]);
		/* No order takes fewer places than there are entries. */
		if (k > 0 && bytes_of(out, csr->nnz) >= saves * bytes_of(&best, *places))
			break;
		EK_RETURN_IF(eki_sell_order(ctx, csr, out, &now));
		if (k == 0 || bytes_of(out, now) < saves * bytes_of(&best, *places)) {
			best = *out;
			*places = now;
		}
		if (tried[k] >= csr->rows)
			break;
	}
	*out = best;
	return EK_OK;
}

#endif
