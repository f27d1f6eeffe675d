/* SPDX-License-Identifier: BSD-3-Clause
 * Rows of a sparse product, C = alpha A B + beta D. Each row of C is a sum of lists: the row of D,
 * times beta, and rows of B, each times an entry of A. How the row is computed depends on its
 * lists:
 *
 *   one list       it is copied and scaled
 *   few products   they are listed and sorted in registers, if they are at most 16
 *   far columns    if up to 256 products are far apart, they are added to a dense window of sums,
 *                  and columns that are new are listed. The list is sorted in registers. If so much
 *                  of the window does not fit into the cache, up to 128 products are listed and
 *                  sorted instead
 *   known columns  if the row of A has the columns of the row before, or these plus 1 while the
 *                  rows of B are shifted by 1 too, the columns of C follow from the row before.
 *                  Products are added to a dense window of sums, which are read at these columns
 *   all others     products are added to the window, and each sets the flag of its column. The
 *                  flags that are set are the columns of the row, in order, so nothing is sorted
 *
 * The window begins at the first column that the lists have. If they reach beyond the window, the
 * row is computed in pieces, each for the columns of one window; every list has a position.
 *
 * Flags are bytes: setting one does not read what is there, so it does not wait for the flag before
 * it, as setting bits of one word would. Runs of consecutive columns of B are added as vectors
 * (b_pattern.c). The rows of B that A needs next are prefetched, if B is too large for the cache.
 *
 * All ways add the products of an entry to 0 one after the other, in the order of the lists, so
 * they give the same bits. Cost: one addition and one flag for each product, in the first-level
 * cache if columns are near each other, and a scan of one byte for each column, or for each 64
 * columns if they are far apart. numeric.c computes the values of a C that has its pattern.
 * Gustavson 1978; pieces of columns after Patwary et al. 2015. */
#include "spgemm/flags.h"
#define EK_FILE "spgemm/flags.c"
#include "base/for_each.h"

#include "spgemm/lists.h"
#include "spgemm/listed.h"
#include "spgemm/window.h"
#include "spgemm/window_read.h"

#include "spgemm/few_products.h"

/* ---- One list -------------------------------------------------------------------------------- */

/* Copies the only list of a row, scaled. `col` and `val` may be NULL. */
static int64_t FN(copy_row)(const LISTS *l, IDX *col, VAL *val)
{
	const LIST list = FN(list_at)(l, 0);

	if (col)
		memcpy(col, list.col, (size_t)list.n * sizeof *col);
	if (val)
		for (int64_t k = 0; k < list.n; k++)
			val[k] = list.read ? 0 + list.a * list.val[k] : 0;
	return list.n;
}

/* ---- Few products ---------------------------------------------------------------------------- */

/* Lists the products of a row, each with a key: its column, then its number. Sorts the keys, and
 * adds up the products of each column. */
static int64_t FN(sorted_row)(const LISTS *l, const eki_window *s, IDX *col, VAL *val)
{
	int64_t key[EKI_FEW_MOST], count = 0, n = -1, before = -1;
	VAL product[EKI_FEW_MOST], sum = 0;

	for (int64_t k = 0; k < l->count; k++) {
		const LIST list = FN(list_at)(l, k);

		for (int64_t e = 0; e < list.n; e++, count++) {
			key[count] = (int64_t)list.col[e] << EKI_FEW_BITS | count;
			product[count] = list.read ? list.a * list.val[e] : 0;
		}
	}
	s->sort(count, (eki_pair_at){key, NULL}, (eki_pair_at){key, NULL}, 0);
	for (int64_t k = 0; k < count; k++) {
		const int64_t j = key[k] >> EKI_FEW_BITS;
		const VAL p = product[key[k] & ((1 << EKI_FEW_BITS) - 1)];

		n += j != before;
		sum = (j != before ? 0 : sum) + p;
		before = j;
		if (col)
			col[n] = (IDX)j;
		if (val)
			val[n] = sum;
	}
	return n + 1;
}

/* ---- Far columns ----------------------------------------------------------------------------- */

/* Adds all lists of a row to the window with flags, and lists its columns, minus `base`. Returns
 * their number. */
static inline int64_t FN(list_columns)(const LISTS *l, const eki_window *s, IDX base, IDX *listed)
{
	const PTR end = l->begin + (PTR)(l->count - (l->d.n > 0));
	const int64_t n = l->d.n > 0 ? FN(add_new)(s, l->d, base, l->d.read, listed, 0) : 0;

	return l->read ? FN(add_new_rows)(l, s, l->begin, end, base, true, false, listed, n)
	               : FN(add_new_rows)(l, s, l->begin, end, base, false, false, listed, n);
}

/* Lists the columns of a row while its products are added to the window, and sorts the list. If it
 * is too long for that, marks the columns by bits, which also puts them in order. The sums are
 * cleared before the sort, since the next row would have to wait for stores whose places are known
 * only after it; so each column is sorted with its number in the list, where its sum is. */
static int64_t FN(listed_row)(const LISTS *l, const eki_window *s, IDX *col, VAL *val)
{
	const IDX base = l->first & ~(IDX)63;
	IDX list[EKI_LIST_MOST];
	VAL sums[EKI_LIST_MOST], *restrict sum = s->sum;
	const int64_t n = FN(list_columns)(l, s, base, list);
	uint8_t *restrict flag = s->flag;

	if (n > s->list_most && val) {
		for (int64_t k = 0; k < n; k++) {
			flag[list[k]] = 0;
			s->bits[list[k] >> 6] |= (uint64_t)1 << (list[k] & 63);
			s->group[list[k] >> 6] = 1;
		}
		return FN(write)(s, (l->last - base) / 64 + 1, base, EKI_MARK_BITS, col, val, 0);
	}
	for (int64_t k = 0; k < n; k++) {
		const IDX j = list[k];

		flag[j] = 0;
		sums[k] = sum[j];
		sum[j] = 0;
		list[k] = j << EKI_LIST_BITS | (IDX)k;
	}
	if (!val)
		return n;
	s->sort_list(n, (eki_pair_at){list, NULL}, (eki_pair_at){list, NULL}, 0);
	for (int64_t k = 0; k < n; k++) {
		col[k] = base + (list[k] >> EKI_LIST_BITS);
		val[k] = sums[list[k] & (EKI_LIST_MOST - 1)];
	}
	return n;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Computes a row in a window that has all of its columns. If its n columns are `known`, writes only
 * their sums. */
static int64_t FN(window_row)(const LISTS *l, const eki_window *s, const IDX *known, int64_t n,
                              IDX *col, VAL *val)
{
	const IDX base = l->first & ~(IDX)63;
	const int64_t groups = (l->last - base) / 64 + 1;

	if (known) {
		FN(add_lists)(l, s, base, EKI_MARK_NONE);
		FN(collect)(s, known, n, base, val);
		return n;
	}
	if (groups <= 8 + l->products / 2) {
		FN(add_lists)(l, s, base, EKI_MARK_FLAGS);
		return FN(write)(s, groups, base, EKI_MARK_FLAGS, col, val, 0);
	}
	FN(add_lists)(l, s, base, EKI_MARK_BITS);
	return FN(write)(s, groups, base, EKI_MARK_BITS, col, val, 0);
}

/* Does the same in pieces. Each window begins at the first column that remains. */
static int64_t FN(pieces_row)(const LISTS *l, const eki_window *s, const IDX *known, int64_t n,
                              IDX *col, VAL *val)
{
	const int64_t groups = s->width / 64;
	IDX base = l->first & ~(IDX)63;
	int64_t done = 0;

	memset(s->at, 0, (size_t)l->count * sizeof *s->at);
	for (;;) {
		const bool last = l->last - base < s->width;
		const IDX limit = last ? l->last + 1 : base + (IDX)s->width;
		const IDX next =
			FN(add_piece)(l, s, base, limit, known ? EKI_MARK_NONE : EKI_MARK_BITS);
		int64_t end = done;

		if (known) {
			while (end < n && known[end] < limit)
				end++;
			FN(collect)(s, known + done, end - done, base, val + done);
			done = end;
		} else {
			done = FN(write)(s, groups, base, EKI_MARK_BITS, col, val, done);
		}
		if (last)
			return done;
		base = next & ~(IDX)63;
	}
}

/* Returns how far the last column of a row is from the begin of its window. */
static int64_t FN(span)(const LISTS *l)
{
	return l->last - (l->first & ~(IDX)63);
}

/* Tells whether the columns of a row are so far apart that groups of 64 have few of them. */
static bool FN(is_far)(const LISTS *l)
{
	return FN(span)(l) / 64 > l->products / 4;
}

/* Tells whether the products of a row are sorted by keys of the type of columns: if they are few,
 * or if columns are far apart, and either their sums do not stay in the cache, or so few products
 * share a column that there is nothing to add up first. */
static bool FN(is_short)(const LISTS *l, const eki_window *s, const FN(waiting) * w)
{
	if (l->products > s->list_most || l->last - l->first >= EKI_LIST_SPAN)
		return false;
	return l->products <= EKI_FEW ||
	       (FN(is_far)(l) && (FN(span)(l) >= s->near ||
	                          w->products - w->entries < w->products / 16));
}

/* Tells whether the columns of a row are listed. */
static bool FN(is_listed)(const LISTS *l, const eki_window *s)
{
	return l->products <= EKI_LIST_MOST && FN(span)(l) < s->near &&
	       (l->products <= EKI_FEW || FN(is_far)(l));
}

/* Tells whether to sort the products of a row by keys of 64 bits. If the columns of C are known,
 * the window is faster, unless the products are few and their sums far apart. */
static bool FN(is_sorted)(const LISTS *l, const eki_window *s, bool known)
{
	const int64_t groups = (l->last - l->first) / 64;

	if (l->products > s->few)
		return false;
	if (known)
		return l->products <= EKI_FEW && groups > 16 * l->products;
	return l->products <= EKI_FEW || groups > l->products / 4;
}

/* Computes one row. If its n columns are `known`, writes only its values. */
static int64_t FN(row)(const LISTS *l, const eki_window *s, const IDX *known, int64_t n, IDX *col,
                       VAL *val)
{
	if (l->products == 0)
		return 0;
	if (l->count == 1)
		return FN(copy_row)(l, col, val);
	if (!known && FN(is_listed)(l, s))
		return FN(listed_row)(l, s, col, val);
	if (FN(is_sorted)(l, s, known))
		return FN(sorted_row)(l, s, col, val);
	if (l->last - (l->first & ~(IDX)63) < s->width)
		return FN(window_row)(l, s, known, n, col, val);
	return FN(pieces_row)(l, s, known, n, col, val);
}

/* Writes n columns: the n columns before them, each plus `shift`. */
static void FN(shift_columns)(IDX *col, int64_t n, int shift)
{
	for (int64_t k = 0; k < n; k++)
		col[k] = col[k - n] + (IDX)shift;
}

/* Lets row i wait if its products are sorted. Returns whether it does. */
static inline bool FN(waits)(LISTS *l, const eki_window *s, int64_t i, bool narrow, FN(waiting) * w)
{
	if (FN(wait_empty)(l, i, w) || (w->few && FN(wait_few)(l, i, w)))
		return true;
	FN(take_lists)(l, i);
	w->few = narrow && l->count > 1 && l->products <= EKI_FEW;
	if (FN(is_copy)(l, w) || (l->count == 1 && l->products > EKI_FEW) || !FN(is_short)(l, s, w))
		return false;
	FN(wait_products)(l, w);
	return true;
}

static int64_t FN(flags_rows)(const eki_rows_task *t, const eki_window *s)
{
	const ek_store *D = t->step->in[2];
	const bool count = t->mode == EKI_ROWS_COUNT;
	const bool narrow = t->step->in[1]->cols < EKI_LIST_SPAN;
	LISTS l = FN(lists_of)(t, s->b);
	FN(waiting) w;
	int64_t all = 0, n = 0;

	w.rows = w.end = w.products = w.entries = 0;
	w.few = false;
	for (int64_t i = t->begin; i < t->end; i++) {
		const int shift = D || i == t->begin ? -1 : FN(take_shifted)(&l, i);

		if (shift < 0 && FN(is_full)(&w))
			all += FN(write_waiting)(&w, &l, s, i, all, &n);
		if (shift < 0 && FN(waits)(&l, s, i, narrow, &w))
			continue;
		if (w.rows > 0) {
			all += FN(write_waiting)(&w, &l, s, i, all, &n);
			if (shift >= 0) /* from columns that may be unknown */
				FN(take_lists)(&l, i);
		}
		IDX *col = count ? NULL : (IDX *)t->col + all;
		VAL *val = count ? NULL : (VAL *)t->val + all;

		if (shift < 0) {
			n = FN(row)(&l, s, NULL, 0, col, val);
			w.products += l.products;
			w.entries += n;
		} else if (!count) {
			FN(shift_columns)(col, n, shift);
			FN(row)(&l, s, col, n, NULL, val);
		} /* else as many entries as the row before */
		if (t->lengths)
			eki_ptr_set(t->lengths, i + 1, n);
		all += n;
	}
	return all + FN(write_waiting)(&w, &l, s, t->end, all, &n);
}

#undef LIST
#undef LISTS

#if EK_ONCE

eki_flags_fn *const eki_flags_rows[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(flags_rows);

#endif
