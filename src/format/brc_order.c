/* SPDX-License-Identifier: BSD-3-Clause
 * BRC: the order of the pieces. The pieces of rows that have several pieces come first; the other
 * rows follow, window by window. In both groups the longest pieces come first. This is a counting
 * sort: it makes a histogram of each window and prefix sums over bins and windows, and then puts
 * each row into its place. It takes two passes over row_ptr, whatever the lengths are, and 4.6 KB
 * for each window.
 *
 * Each length up to 31 has a bin of its own. A bin of greater lengths covers a sixteenth of the
 * range between two powers of two. Rows of a bin keep their order, so that neighbours, which use
 * the same parts of x and y, stay together. Different lengths in a bin need padding: at most
 * a sixteenth of the places, and one block for each bin. */
#include <string.h>

#include "format/brc_order.h"
#define EK_TYPES_ONLY
#define EK_FILE "format/brc_order.c"
#include "base/for_each.h"

#ifndef EK_BRC_BINS
#define EK_BRC_BINS
enum {
	/* Base-2 logarithm of the number of bins between two consecutive powers of two. */
	FINE = 4,
	CLASSES = (20 - FINE + 2) << FINE, /* number of bins for lengths up to 2^20 */
	BINS = 2 * CLASSES
};

/* Returns the bin of a row with n entries in m pieces. Rows of several pieces are in lower bins
 * than rows of one piece, and longer pieces are in lower bins than shorter ones. */
static inline int bin_of(int64_t n, int64_t m)
{
	int64_t length = m > 1 ? (n + m - 1) / m : n;
	int low = 0;

	while (length >> low >> (FINE + 1))
		low++;
	return (m > 1 ? CLASSES : BINS) - 1 - ((low << FINE) + (int)(length >> low));
}
#endif

#if EK_PER_TYPE

/* Sets at[bin], for each bin, to the number of its pieces that belong to rows [begin, end). */
static void FN(brc_count)(const brc_order *o, const ek_store *out, int64_t *at, int64_t begin,
                          int64_t end)
{
	const PTR *row_ptr = o->csr->array[CSR_PTR];

	(void)out;
	memset(at, 0, BINS * sizeof *at);
	for (int64_t i = begin; i < end; i++) {
		const int64_t n = row_ptr[i + 1] - row_ptr[i], m = brc_pieces_of(n, o->width);

		at[bin_of(n, m)] += m;
	}
}

/* Stores the pieces of rows [begin, end). Those of each bin are stored from position at[bin], which
 * is then advanced past them. */
static void FN(brc_place)(const brc_order *o, const ek_store *out, int64_t *at, int64_t begin,
                          int64_t end)
{
	const PTR *row_ptr = o->csr->array[CSR_PTR];
	IDX *len = out->array[BRC_LEN], *row = out->array[BRC_ROW];
	PTR *first = out->array[BRC_FIRST];

	for (int64_t i = begin; i < end; i++) {
		const int64_t n = row_ptr[i + 1] - row_ptr[i], m = brc_pieces_of(n, o->width);
		int64_t *next = &at[bin_of(n, m)], p = *next;

		*next += m;
		if (first)
			first[i] = (PTR)p;
		for (int64_t j = 0; j < m; j++, p++) {
			len[p] = (IDX)(brc_cut(n, m, j + 1) - brc_cut(n, m, j));
			if (row)
				row[p] = (IDX)i;
		}
	}
}

#endif
#if EK_ONCE

typedef void order_fn(const brc_order *, const ek_store *out, int64_t *at, int64_t begin,
                      int64_t end);

struct order_job {
	order_fn *fn;
	const brc_order *o;
	const ek_store *out;
};

static void order_window(void *arg, int window)
{
	const struct order_job *job = arg;
	const brc_order *o = job->o;
	const int64_t begin = window * o->window, left = o->csr->rows - begin;

	job->fn(o, job->out, o->at + (int64_t)window * BINS, begin,
	        begin + (left < o->window ? left : o->window));
}

static void all_rows(const ek_context *ctx, order_fn *const fn[EK_NTYPE], const brc_order *o,
                     const ek_store *out)
{
	struct order_job job = {fn[eki_type(o->csr->value, o->csr->index)], o, out};

	eki_parallel(ctx, eki_parts(ctx, o->csr->rows), o->windows, order_window, &job);
}

/* Replaces *at, a number of pieces, by *next, the position at which these pieces begin. Advances
 * *next by that number. */
static void reserve(int64_t *at, int64_t *next)
{
	const int64_t n = *at;

	*at = *next;
	*next += n;
}

ek_status brc_order_make(const ek_context *ctx, const ek_store *csr, const int64_t *dim,
                         brc_order *o)
{
	static order_fn *const count[EK_NTYPE] = EK_BY_TYPE(brc_count);
	void *at;

	*o = (brc_order){.csr = csr, .width = dim[BRC_WIDTH], .window = dim[BRC_WINDOW]};
	o->windows = (int)((csr->rows + o->window - 1) / o->window);
	EK_RETURN_IF(eki_alloc(ctx, (int64_t)o->windows * BINS, sizeof *o->at, &at));
	o->at = at;
	all_rows(ctx, count, o, NULL);
	for (int bin = 0; bin < CLASSES; bin++)
		for (int w = 0; w < o->windows; w++)
			reserve(&o->at[(int64_t)w * BINS + bin], &o->split);
	o->pieces = o->split;
	for (int w = 0; w < o->windows; w++)
		for (int bin = CLASSES; bin < BINS; bin++)
			reserve(&o->at[(int64_t)w * BINS + bin], &o->pieces);
	return EK_OK;
}

void brc_order_fill(const ek_context *ctx, const brc_order *o, const ek_store *out)
{
	static order_fn *const place[EK_NTYPE] = EK_BY_TYPE(brc_place);

	all_rows(ctx, place, o, out);
}

void brc_order_free(const ek_context *ctx, brc_order *o)
{
	eki_free(ctx, o->at, (int64_t)o->windows * BINS, sizeof *o->at);
}

#endif
