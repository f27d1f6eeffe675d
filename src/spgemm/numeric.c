/* SPDX-License-Identifier: BSD-3-Clause
 * The numeric phase of a sparse product, C = alpha A B + beta D: the values of rows of C whose
 * columns are known from a run before. Nothing is counted, marked, sorted or searched: products are
 * added to a dense window of sums, and the sums are read, and cleared, at the columns of C. The
 * columns also say where the window begins and whether it has all of the row, so of B only what is
 * multiplied is read. How a row is computed depends on A, B and C:
 *
 *   shifted rows   W rows, each of which is the row before, shifted by one column, are computed at
 *                  a time (shifted_rows.h)
 *   long runs      if rows of B are long and have long runs of consecutive columns (b_pattern.c),
 *                  these are added as vectors
 *   one list       (one entry of A, no row of D) it is copied and scaled
 *   no gaps        the columns of C are consecutive: the row of C itself is the window
 *   all others     products are added one by one. A function has only the loops that all these rows
 *                  have in common: with those of other rows around it, it took up to 1.5 times as
 *                  long for rows of 20 products (Zen 4)
 *
 * A row that reaches beyond the window is computed in pieces, each for the columns of one window.
 * Sums are cleared before their first use in a run, only as far as rows reach: rows of a banded
 * matrix use a small part of a window for all columns. If B is too large for the cache, rows of B
 * that A needs next are prefetched, unless a sample of the rows of the batch shows that each row of
 * A has columns near those of the row before, which processors prefetch by themselves.
 *
 * All ways add the products of an entry to 0 one after the other, in the order of the lists, as the
 * run that made C did, so they give the same bits. Cost: for each product, one multiplication and
 * one addition to a sum in the cache, and for each entry of C, a load and two stores. Gustavson
 * 1978; sums for all columns, read at known columns, are also PETSc's numeric phase
 * (MatMatMultNumeric_SeqAIJ_SeqAIJ_Sorted); pieces of columns after Patwary et al. 2015; shifted
 * rows are our own. */
#include "spgemm/numeric.h"
#define EK_FILE "spgemm/numeric.c"
#include "base/for_each.h"

#include "spgemm/lists.h"
#include "spgemm/window.h"

#ifndef EK_NUMERIC_CONSTANTS
#define EK_NUMERIC_CONSTANTS
enum {
	CLEAR_STEP = 4096,   /* sums that are cleared at a time; windows are multiples of it */
	SAMPLE_ROWS = 8,     /* rows of a batch that tell whether to prefetch */
	SAMPLE_ENTRIES = 64, /* entries of such a row that are looked at */
	NEAR = 8,            /* distance of columns whose rows of B are near each other */
	RUNS_FROM = 12,      /* mean length of rows of B from which runs are added as vectors */
	SKIP_MOST = 64,      /* rows between two looks for rows that are shifted */
	/* bounds on the entries and the products of rows that are computed W at a time */
	SHIFTED_COLS = 128,
	SHIFTED_PRODUCTS = 1024
};

/* How rows of a batch are computed. */
struct numeric_ways {
	bool ahead; /* rows of B are prefetched */
	bool runs;  /* runs of B are added as vectors */
	bool plain; /* most rows take the plain loops */
};
#endif

/* ---- Sums ------------------------------------------------------------------------------------ */

/* Returns the address that column 0 would have if column `base` had address `sum`, as a number,
 * since no array may be there. So columns need no subtraction. */
static inline uintptr_t FN(zero_of)(const void *sum, IDX base)
{
	return (uintptr_t)sum - (uintptr_t)base * sizeof(VAL);
}

static inline VAL *FN(sum_of)(uintptr_t zero, IDX col)
{
	return (VAL *)(zero + (uintptr_t)col * sizeof(VAL));
}

/* Clears the first `width` sums of the window, unless that has been done in this run. */
static inline void FN(clear)(const eki_window *s, int64_t width)
{
	const int64_t from = *s->clean, to = CLEAR_STEP * eki_groups(width, CLEAR_STEP);

	if (width <= from)
		return;
	memset((VAL *)s->sum + from, 0, (size_t)(to - from) * sizeof(VAL));
	*s->clean = to;
}

/* Adds a list to the sums of its columns. */
static inline void FN(add_list)(uintptr_t zero, const IDX *restrict col, const VAL *restrict val,
                                int64_t n, VAL a)
{
	for (int64_t k = 0; k < n; k++)
		*FN(sum_of)(zero, col[k]) += a * val[k];
}

/* Adds all lists of a row to the sums of their columns, entry by entry. */
static inline void FN(add_entries)(const LISTS *l, uintptr_t zero, bool ahead)
{
	const IDX *a_col = l->a_col, *b_col = l->b_col;
	const PTR *b_ptr = l->b_ptr, end = l->begin + (PTR)(l->count - (l->d.n > 0));
	const VAL *a_val = l->a_val, *b_val = l->b_val, alpha = l->alpha;

	if (l->d.n > 0)
		FN(add_list)(zero, l->d.col, l->d.val, l->d.n, l->d.a);
	for (PTR k = l->begin; k < end; k++) {
		const PTR begin = b_ptr[a_col[k]], n = b_ptr[a_col[k] + 1] - begin;

		if (ahead)
			FN(prefetch)(l, k);
		FN(add_list)(zero, b_col + begin, b_val + begin, n, alpha * a_val[k]);
	}
}

/* Reads the sums at n columns, and clears them. */
static inline void FN(take_sums)(uintptr_t zero, const IDX *restrict col, int64_t n,
                                 VAL *restrict val)
{
	for (int64_t k = 0; k < n; k++) {
		VAL *sum = FN(sum_of)(zero, col[k]);

		val[k] = *sum;
		*sum = 0;
	}
}

/* Does the same for columns of which many are consecutive, which are read as vectors. */
static inline void FN(take_runs)(uintptr_t zero, const IDX *restrict col, int64_t n,
                                 VAL *restrict val)
{
	int64_t k = 0;

	for (; k + W <= n; k += W) {
		VAL *at = FN(sum_of)(zero, col[k]);

		if (col[k + W - 1] - col[k] == W - 1) {
			vstore(val + k, vload(at));
			vstore(at, vzero());
		} else {
			FN(take_sums)(zero, col + k, W, val + k);
		}
	}
	FN(take_sums)(zero, col + k, n - k, val + k);
}

#include "spgemm/shifted_rows.h"

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Computes a row without the factors: that of D, whose columns are among those of C. */
static void FN(row_of_d)(const LIST *d, const IDX *col, int64_t n, VAL *val)
{
	for (int64_t k = 0, e = 0; k < n; k++)
		val[k] = d->read && e < d->n && d->col[e] == col[k] ? 0 + d->a * d->val[e++] : 0;
}

/* Computes a row of n entries that has one list, the row of B that the first entry of A needs, if
 * the list has n entries; if not, D has others, which are not read. Returns whether it did. */
static inline bool FN(scale_row)(const LISTS *l, int64_t n, VAL *restrict val)
{
	const PTR k = l->begin, begin = l->b_ptr[l->a_col[k]];
	const VAL *restrict b = l->b_val + begin, a = l->alpha * l->a_val[k];

	if (l->b_ptr[l->a_col[k] + 1] - begin != n)
		return false;
	for (int64_t e = 0; e < n; e++)
		val[e] = 0 + a * b[e];
	return true;
}

/* Computes a row whose columns are consecutive where it stays. */
static inline void FN(dense_row)(const LISTS *l, IDX first, int64_t n, VAL *val, bool ahead)
{
	for (int64_t k = 0; k < n; k++)
		val[k] = 0;
	FN(add_entries)(l, FN(zero_of)(val, first), ahead);
}

/* Computes a row by runs, in a window that has all of its columns. */
static inline void FN(runs_row)(const LISTS *l, const eki_window *s, IDX base, const IDX *col,
                                int64_t n, VAL *val, bool ahead)
{
	const PTR end = l->begin + (PTR)(l->count - (l->d.n > 0));

	for (PTR k = l->begin; ahead && k < end; k++)
		FN(prefetch)(l, k);
	FN(add_lists)(l, s, base, EKI_MARK_NONE);
	FN(take_runs)(FN(zero_of)(s->sum, base), col, n, val);
}

/* Computes a row in pieces. Each window begins at the first column that remains. */
static void FN(pieces_row)(const LISTS *l, const eki_window *s, const IDX *col, int64_t n, VAL *val)
{
	FN(clear)(s, s->width);
	memset(s->at, 0, (size_t)l->count * sizeof *s->at);
	for (int64_t k = 0, end; k < n; k = end) {
		const IDX base = col[k] & ~(IDX)63, last = col[n - 1];
		const IDX limit = last - base < s->width ? last + 1 : base + (IDX)s->width;

		FN(add_piece)(l, s, base, limit, EKI_MARK_NONE);
		for (end = k; end < n && col[end] < limit;)
			end++;
		FN(take_sums)(FN(zero_of)(s->sum, base), col + k, end - k, val + k);
	}
}

/* Computes the values of a row with n > 0 columns. */
static void FN(numeric_row)(const LISTS *l, const eki_window *s, const IDX *col, int64_t n,
                            VAL *val, const struct numeric_ways *w)
{
	const IDX base = col[0] & ~(IDX)63, last = col[n - 1];

	if (l->count == 1 && l->d.n == 0 && FN(scale_row)(l, n, val))
		return;
	if (last - base >= s->width) {
		FN(pieces_row)(l, s, col, n, val);
		return;
	}
	if (w->runs) {
		FN(clear)(s, (last | (EKI_RUN - 1)) - base + 1);
		FN(runs_row)(l, s, base, col, n, val, w->ahead);
	} else if (last - col[0] == n - 1) {
		FN(dense_row)(l, col[0], n, val, w->ahead);
	} else {
		const uintptr_t zero = FN(zero_of)(s->sum, base);

		FN(clear)(s, last - base + 1);
		FN(add_entries)(l, zero, w->ahead);
		FN(take_sums)(zero, col, n, val);
	}
}

/* Tells whether to prefetch rows of B for rows [begin, end) of C. */
static bool FN(looks_ahead)(const LISTS *l, int64_t begin, int64_t end)
{
	const PTR *ptr = l->a_ptr;
	const IDX *col = l->a_col;
	int64_t all = 0, near = 0;

	for (int64_t i = begin + 1; l->b->far && i < end && i <= begin + SAMPLE_ROWS; i++) {
		PTR before = ptr[i - 1];

		for (PTR k = ptr[i]; k < ptr[i + 1] && k - ptr[i] < SAMPLE_ENTRIES; k++, all++) {
			while (before < ptr[i] && col[before] < col[k] - NEAR)
				before++;
			near += before < ptr[i] && col[before] - NEAR <= col[k];
		}
	}
	return 8 * near < 7 * all;
}

/* Tells whether to add runs of B as vectors, which takes longer to begin with each list. */
static bool FN(adds_runs)(const LISTS *l)
{
	const ek_store *B = l->t->step->in[1];

	return l->b->run_ptr && B->nnz >= RUNS_FROM * B->rows;
}

/* Computes rows from row i on by the plain loops, as long as they have several lists, gaps, and fit
 * into the window. Returns the first row that is left, and sets *done to the number of entries of
 * the others. */
static __attribute__((noinline)) int64_t FN(plain_rows)(const LISTS *l, const eki_window *s,
                                                        int64_t i, int64_t end, bool ahead,
                                                        const IDX *col, VAL *val, int64_t *done)
{
	const ek_store *C = l->t->run->C;
	const PTR *a_ptr = l->a_ptr, *b_ptr = l->b_ptr;
	const IDX *a_col = l->a_col, *b_col = l->b_col;
	const VAL *a_val = l->a_val, *b_val = l->b_val, alpha = l->alpha;
	const int64_t width = s->width, first = eki_ptr_at(C, i);
	int64_t at = 0;

	for (; i < end; i++) {
		const int64_t n = eki_ptr_at(C, i + 1) - first - at;
		const IDX *c = col + at;

		if (a_ptr[i + 1] - a_ptr[i] < 2 || n < 2 || c[n - 1] - c[0] == n - 1)
			break;
		const IDX base = c[0] & ~(IDX)63;
		const uintptr_t zero = FN(zero_of)(s->sum, base);

		if (c[n - 1] - base >= width)
			break;
		FN(clear)(s, c[n - 1] - base + 1);
		for (PTR k = a_ptr[i]; k < a_ptr[i + 1]; k++) {
			const PTR from = b_ptr[a_col[k]];

			if (ahead)
				FN(prefetch)(l, k);
			FN(add_list)(zero, b_col + from, b_val + from, b_ptr[a_col[k] + 1] - from,
			             alpha * a_val[k]);
		}
		FN(take_sums)(zero, c, n, val + at);
		at += n;
	}
	*done = at;
	return i;
}

/* Computes rows from row i on by the plain loops, if rows take these, and the first that is left in
 * a way of its own. Returns the row after it, and adds the entries of all to *at. */
static int64_t FN(some_rows)(LISTS *l, const eki_window *s, int64_t i, int64_t end,
                             const struct numeric_ways *w, const IDX *col, VAL *val, int64_t *at)
{
	const ek_store *C = l->t->run->C, *D = l->t->step->in[2];
	int64_t done = 0, n;

	if (w->plain) {
		i = FN(plain_rows)(l, s, i, end, w->ahead, col, val, &done);
		*at += done;
		if (i == end)
			return i;
	}
	n = eki_ptr_at(C, i + 1) - eki_ptr_at(C, i);
	l->begin = l->a_ptr[i];
	if (D)
		FN(list_of_d)(l, i);
	if (!l->read)
		FN(row_of_d)(&l->d, col + done, n, val + done);
	l->d.n = l->d.read ? l->d.n : 0;
	l->count = l->a_ptr[i + 1] - l->begin + (l->d.n > 0);
	if (l->read && n > 0)
		FN(numeric_row)(l, s, col + done, n, val + done, w);
	*at += n;
	return i + 1;
}

static int64_t FN(numeric_rows)(const eki_rows_task *t, const eki_window *s)
{
	const ek_store *C = t->run->C;
	LISTS l = FN(lists_of)(t, s->b);
	const bool products = !t->step->in[2] && l.read, runs = FN(adds_runs)(&l);
	const bool alike = W > 1 && s->b->shifted && products;
	const struct numeric_ways ways = {.ahead = FN(looks_ahead)(&l, t->begin, t->end),
	                                  .runs = runs,
	                                  .plain = products && !runs};
	const int64_t first = eki_ptr_at(C, t->begin);
	const IDX *col = (const IDX *)C->array[CSR_COL] + first;
	VAL *val = t->val;
	int64_t at = 0, skip = 1;
	GROUP group;

	group.next = -1;
	for (int64_t i = t->begin, end; i < t->end;) {
		const int64_t n = eki_ptr_at(C, i + 1) - first - at;

		if (alike && n > 0 &&
		    FN(shifted_rows)(&l, s, &group, i, t->end, col + at, n, val + at)) {
			i += W;
			at += W * n;
			skip = 1;
			continue;
		}
		end = alike && i + skip < t->end ? i + skip : t->end;
		skip = skip < SKIP_MOST ? 2 * skip : skip;
		while (i < end)
			i = FN(some_rows)(&l, s, i, end, &ways, col + at, val + at, &at);
	}
	return at;
}

#undef GROUP
#undef LIST
#undef LISTS

#if EK_ONCE

eki_flags_fn *const eki_numeric_rows[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(numeric_rows);

#endif
