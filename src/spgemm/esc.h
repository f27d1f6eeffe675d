/* SPDX-License-Identifier: BSD-3-Clause
 * The bitonic ESC method of SpGEMM by bins: expand, sort, compress. Included in each pass of
 * bins_rows.c.
 *
 * The products of a row, up to 512, are listed. Each has a key: its column, then its number. The
 * keys are sorted by bitonic networks: as many at a time as the registers hold (eki_sort_short),
 * then sorted runs are merged (eki_merge_run). Compression flags the products that begin a column.
 * The scan of the flags, which counts the entries, and the segmented sum of the products are one
 * loop, since one thread has the whole row.
 *
 * Cost: for n products, n log2(n)^2 / 2 comparisons in vectors. All data stays in the first-level
 * cache. Liu 2015, sections 4.5.2 and 7.4.2; Bell, Dalton and Olson 2012 for ESC. */
#include "prim_body/segmented.h"

static inline int64_t FN(key_at)(const void *keys, bool narrow, int64_t k)
{
	return narrow ? ((const int32_t *)keys)[k] : ((const int64_t *)keys)[k];
}

/* Lists the products of a row and their keys. The low `bits` bits of a key are the number of the
 * product, or the ones' complement of it if `down` is true. `product` may be NULL. Returns the
 * number of products. */
static inline int64_t FN(expand)(const LISTS *l, void *keys, bool narrow, int bits, bool down,
                                 VAL *product)
{
	const int64_t flip = down ? ((int64_t)1 << bits) - 1 : 0;
	int64_t n = 0;

	for (int64_t k = 0; k < l->count; k++) {
		const LIST list = FN(list_at)(l, k);

		for (int64_t e = 0; e < list.n && narrow; e++)
			((int32_t *)keys)[n + e] =
				(int32_t)((int64_t)list.col[e] << bits | ((n + e) ^ flip));
		for (int64_t e = 0; e < list.n && !narrow; e++)
			((int64_t *)keys)[n + e] = (int64_t)list.col[e] << bits | ((n + e) ^ flip);
		for (int64_t e = 0; e < list.n && product; e++)
			product[n + e] = list.read ? list.a * list.val[e] : 0;
		n += list.n;
	}
	return n;
}

/* Sorts the n keys at `from`. Returns where they are then: `from` or `to`. */
static inline char *FN(sort_keys)(const eki_bins_tools *tools, int64_t n, char *from, char *to)
{
	const int64_t size = tools->narrow ? 4 : 8, most = tools->short_most;
	char *swap;

	for (int64_t k = 0; k < n; k += most) {
		const eki_pair_at run = {from + k * size, NULL};

		tools->sort(n - k < most ? n - k : most, run, run, 0);
	}
	for (int64_t len = most; len < n; len *= 2) {
		for (int64_t k = 0; k < n; k += 2 * len) {
			const int64_t an = n - k < len ? n - k : len;
			const int64_t bn = n - k - an < len ? n - k - an : len;

			tools->merge(an, from + k * size, NULL, bn, from + (k + an) * size, NULL,
			             to + k * size, NULL, 0);
		}
		swap = from;
		from = to;
		to = swap;
	}
	return from;
}

/* Computes a row of at least one product. `col` and `val` may be NULL. */
static int64_t FN(esc_row)(const LISTS *l, const eki_bins_piece *p, IDX *col, VAL *val)
{
	const bool narrow = p->tools->narrow;
	const int64_t number = ((int64_t)1 << EKI_ESC_BITS) - 1;
	eki_bins_scratch *s = p->scratch;
	VAL *product = (VAL *)(void *)s->of.sort.product, *sorted = (VAL *)(void *)s->of.sort.sum;
	uint8_t *flag = s->of.sort.flag;
	const int64_t n =
		FN(expand)(l, s->of.sort.key[0], narrow, EKI_ESC_BITS, false, val ? product : NULL);
	const char *keys =
		FN(sort_keys)(p->tools, n, (char *)s->of.sort.key[0], (char *)s->of.sort.key[1]);
	int64_t entries = 0, before = -1;

	for (int64_t k = 0; k < n; k++) {
		const int64_t key = FN(key_at)(keys, narrow, k), j = key >> EKI_ESC_BITS;

		flag[k] = j != before;
		before = j;
		if (val)
			sorted[k] = product[key & number];
		if (col)
			col[entries] = (IDX)j; /* stored again for each product */
		entries += k + 1 == n || FN(key_at)(keys, narrow, k + 1) >> EKI_ESC_BITS != j;
	}
	for (int64_t k = 0, entry = 0; val && k < n; entry++) {
		const VAL first = 0 + sorted[k++];

		val[entry] = FN(sum_to_flag)(sorted, flag, &k, n, first);
	}
	return entries;
}
