/* SPDX-License-Identifier: BSD-3-Clause
 * Rows of a sparse product that have few products (spgemm/flags.c). All products of a row are
 * listed first, in vectors: a list that fits a vector takes no loop. Processors cannot foretell
 * where loops over lists of a few entries end, and each that they miss takes as long as several
 * products. Included once in each pass of base/for_each.h. */
#if EK_IDX_64
#define UIDX uint64_t
#else
#define UIDX uint32_t
#endif

/* Numbers of lanes, since compilers make vectors of counters lane by lane. */
static const UIDX FN(lane)[] = {0, 1, 2, 3, 4, 5, 6, 7};

/* Lists the products of a row, EKI_LIST_MOST at most. The key of product k is its column minus
 * `base`, and behind that, in EKI_LIST_BITS, k. There must be room for W products more. Prefetches
 * what later rows need if `ahead`. Returns the number of products. */
static inline int64_t FN(list_products)(const LISTS *l, IDX base, bool ahead, IDX *restrict key,
                                        VAL *restrict product)
{
	const IDX *restrict a_col = l->a_col, *restrict b_col = l->b_col;
	const PTR *restrict b_ptr = l->b_ptr, end = l->begin + (PTR)(l->count - (l->d.n > 0));
	const int64_t b_nnz = l->t->step->in[1]->nnz;
	int64_t count = 0;

	for (; count < l->d.n; count++) {
		key[count] = (l->d.col[count] - base) << EKI_LIST_BITS | (IDX)count;
		product[count] = l->d.read ? l->d.a * l->d.val[count] : 0;
	}
	for (PTR k = l->begin; k < end; k++) {
		const PTR from = b_ptr[a_col[k]], to = b_ptr[a_col[k] + 1];
		const vec a = vset1(l->read ? l->alpha * l->a_val[k] : 0);

		if (ahead)
			FN(prefetch)(l, k);
		for (int64_t e = from; e < to; e += W) {
			const int64_t at = count + (e - from), n = to - e < W ? to - e : W;

			vstore(product + at,
			       l->read ? vmul(a, vload_n(l->b_val + e, vmask_n(n))) : vzero());
			if (e + W <= b_nnz)
				for (int q = 0; q < W; q++)
					key[at + q] = (IDX)(((UIDX)(b_col[e + q] - base)
					                     << EKI_LIST_BITS) +
					                    (UIDX)at + FN(lane)[q]);
			else
				for (int64_t q = 0; q < n; q++)
					key[at + q] = (b_col[e + q] - base) << EKI_LIST_BITS |
					              (IDX)(at + q);
		}
		count += to - from;
	}
	return count;
}

/* ---- Rows that wait -------------------------------------------------------------------------- */

#ifndef EK_WAITING_ROWS
#define EK_WAITING_ROWS
enum { WAITING_ROWS = 16, WAITING = 512 };
#endif

/* Rows whose keys and values are listed, but not sorted yet. A sort loads keys as vectors, and
 * waits until those that were just stored one by one are in the cache, behind the entries of C of
 * the row before. Of several rows that are listed, then sorted, then written, only the first one
 * does. The list of row r has the elements from begin[r] on, count[r] of them, in columns from
 * base[r] on. */
typedef struct FN(waiting) {
	IDX key[WAITING + W], base[WAITING_ROWS];
	VAL value[WAITING + W];
	int64_t rows, end, begin[WAITING_ROWS], count[WAITING_ROWS];
	bool few; /* whether the row before had few products in several lists: this one may, too */
	int64_t products, entries; /* of the rows before those that wait */
} FN(waiting);

/* Lets a row wait whose list of `count` elements is at the end of the lists. */
static inline void FN(wait)(FN(waiting) * w, IDX base, int64_t count)
{
	w->base[w->rows] = base;
	w->begin[w->rows] = w->end;
	w->count[w->rows++] = count;
	w->end = (w->end + count + 15) & ~(int64_t)15;
}

/* Adds up the values of equal columns of a sorted list. Returns the number of columns. */
static inline int64_t FN(add_sorted)(IDX base, int64_t count, const IDX *key, const VAL *value,
                                     IDX *col, VAL *val)
{
	IDX before = -1;
	VAL sum = 0;
	int64_t n = -1;

	for (int64_t k = 0; k < count; k++) {
		const IDX j = key[k] >> EKI_LIST_BITS;

		n += j != before;
		sum = (j != before ? 0 : sum) + value[key[k] & (EKI_LIST_MOST - 1)];
		before = j;
		if (val) {
			col[n] = base + j;
			val[n] = sum;
		}
	}
	return n + 1;
}

/* Sorts and writes the rows that wait, the last of which is the one before row i, behind the
 * `before` entries of those before them. Returns the number of their entries, and sets *n to that
 * of the last one. */
static int64_t FN(write_waiting)(FN(waiting) * w, LISTS *l, const eki_window *s, int64_t i,
                                 int64_t before, int64_t *n)
{
	const eki_rows_task *t = l->t;
	IDX *col = t->mode == EKI_ROWS_COUNT ? NULL : (IDX *)t->col + before;
	VAL *val = t->mode == EKI_ROWS_COUNT ? NULL : (VAL *)t->val + before;
	int64_t all = 0;

	for (int64_t r = 0; r < w->rows; r++) {
		const eki_pair_at keys = {w->key + w->begin[r], NULL};

		if (w->count[r] > 1)
			s->sort_list(w->count[r], keys, keys, 0);
	}
	for (int64_t r = 0; r < w->rows; r++) {
		*n = FN(add_sorted)(w->base[r], w->count[r], w->key + w->begin[r],
		                    w->value + w->begin[r], col, val);
		if (t->lengths)
			eki_ptr_set(t->lengths, i - w->rows + r + 1, *n);
		col += val ? *n : 0;
		val += val ? *n : 0;
		all += *n;
		w->products += w->count[r];
	}
	w->entries += all;
	w->rows = w->end = 0;
	return all;
}

static inline bool FN(is_full)(const FN(waiting) * w)
{
	return w->rows == WAITING_ROWS || w->end > WAITING - EKI_LIST_MOST;
}

/* Lets a row wait whose products are sorted. */
static void FN(wait_products)(const LISTS *l, FN(waiting) * w)
{
	const int64_t count =
		FN(list_products)(l, l->first, false, w->key + w->end, w->value + w->end);

	FN(wait)(w, l->first, count);
}

/* Tells whether a row has one list and no row waits, so that its entries can be written at once. */
static inline bool FN(is_copy)(const LISTS *l, const FN(waiting) * w)
{
	return l->count == 1 && w->rows == 0;
}

/* Tells whether a row has at most EKI_FEW products. */
static inline bool FN(has_few)(const LISTS *l)
{
	const IDX *col = l->a_col + l->begin;
	const int64_t lists = l->count - (l->d.n > 0);
	int64_t products = l->d.n;

	for (int64_t k = 0; k < lists && products <= EKI_FEW; k++)
		products += l->b_ptr[col[k] + 1] - l->b_ptr[col[k]];
	return products <= EKI_FEW;
}

/* Does the same for row i, without a look at its columns before, if it has at most EKI_FEW
 * products. There must be room for all columns in keys. Returns whether it waits. */
static inline bool FN(wait_few)(LISTS *l, int64_t i, FN(waiting) * w)
{
	int64_t count;

	l->begin = l->a_ptr[i];
	if (l->t->step->in[2])
		FN(list_of_d)(l, i);
	l->count = l->a_ptr[i + 1] - l->begin + (l->d.n > 0);
	if (FN(is_copy)(l, w) || !FN(has_few)(l))
		return false;
	count = FN(list_products)(l, 0, l->b->far, w->key + w->end, w->value + w->end);
	l->products = count;
	l->first = l->last = 0; /* unknown */
	FN(wait)(w, 0, count);
	return true;
}

#undef UIDX
