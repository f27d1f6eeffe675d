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

/* Vectors of columns, as compilers provide them for all processors. */
typedef UIDX FN(cols) __attribute__((vector_size(W * sizeof(UIDX))));
typedef UIDX FN(half_cols) __attribute__((vector_size((W + 1) / 2 * sizeof(UIDX))));
static const UIDX FN(lane)[] = {0, 1, 2, 3, 4, 5, 6, 7};

/* Defines a function that makes keys of as many columns as a vector has lanes: each column minus
 * `base`, and behind that its number: at, at + 1, ... */
#define MAKE_KEYS(name, vector)                                                 \
	static inline void name(const IDX *col, IDX base, int64_t at, IDX *key) \
	{                                                                       \
		vector c, lane;                                                 \
                                                                                \
		memcpy(&c, col, sizeof c);                                      \
		memcpy(&lane, FN(lane), sizeof lane);                           \
		c = ((c - (UIDX)base) << EKI_LIST_BITS) + lane + (UIDX)at;      \
		memcpy(key, &c, sizeof c);                                      \
	}
MAKE_KEYS(FN(make_keys), FN(cols))
MAKE_KEYS(FN(make_half_keys), FN(half_cols))
#undef MAKE_KEYS

/* Lists entries [from, to) of B, times `a`, with the numbers at, at + 1, ... The first vector takes
 * no branch, though it may have no entry. If `brief`, it is half a vector, and there is no other:
 * a whole one would often reach into the next cache line, which is then waited for. */
static inline void FN(list_row)(const LISTS *l, PTR from, PTR to, VAL a, bool brief, IDX base,
                                int64_t at, IDX *restrict key, VAL *restrict product)
{
	const IDX *restrict b_col = l->b_col;
	const PTR most = (PTR)l->t->step->in[1]->nnz;

	if (brief && most - from >= W) {
		vstore(product + at,
		       l->read ? vmul(vset1(a), vload_few(l->b_val + from, to - from)) : vzero());
		FN(make_half_keys)(b_col + from, base, at, key + at);
		return;
	}
	for (; most - from >= W; from += W, at += W) {
		const vmask lanes = vmask_n(to - from < W ? to - from : W);

		vstore(product + at,
		       l->read ? vmul(vset1(a), vload_n(l->b_val + from, lanes)) : vzero());
		FN(make_keys)(b_col + from, base, at, key + at);
		if (to - from <= W)
			return;
	}
	for (; from < to; from++, at++) { /* the last entries of B */
		key[at] = (b_col[from] - base) << EKI_LIST_BITS | (IDX)at;
		product[at] = l->read ? a * l->b_val[from] : 0;
	}
}

/* Lists the products of a row, EKI_LIST_MOST at most. The key of product k is its column minus
 * `base`, and behind that, in EKI_LIST_BITS, k. There must be room for W products more. Prefetches
 * what later rows need if `ahead`. Returns the number of products. */
static inline int64_t FN(list_products)(const LISTS *l, IDX base, bool ahead, IDX *restrict key,
                                        VAL *restrict product)
{
	const IDX *restrict a_col = l->a_col;
	const PTR *restrict b_ptr = l->b_ptr, end = l->begin + (PTR)(l->count - (l->d.n > 0));
	const bool brief = l->b->brief;
	int64_t count = 0;

	for (; count < l->d.n; count++) {
		key[count] = (l->d.col[count] - base) << EKI_LIST_BITS | (IDX)count;
		product[count] = l->d.read ? l->d.a * l->d.val[count] : 0;
	}
	for (PTR k = l->begin; k < end; k++) {
		const PTR from = b_ptr[a_col[k]], to = b_ptr[a_col[k] + 1];

		if (ahead)
			FN(prefetch)(l, k);
		FN(list_row)(l, from, to, l->read ? l->alpha * l->a_val[k] : 0, brief, base, count,
		             key, product);
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

/* Lets row i wait if it has no list. Returns whether it does. */
static inline bool FN(wait_empty)(LISTS *l, int64_t i, FN(waiting) * w)
{
	if (l->t->step->in[2] || l->a_ptr[i] != l->a_ptr[i + 1])
		return false;
	l->begin = l->a_ptr[i];
	l->count = l->products = 0;
	FN(wait)(w, 0, 0);
	return true;
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
