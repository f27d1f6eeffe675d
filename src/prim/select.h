/* SPDX-License-Identifier: BSD-3-Clause
 * Selects the k-th number of a short list, by a binary search for its value: each step counts the
 * entries below the middle of the range. No branch depends on a single entry and nothing is moved,
 * so a thousand numbers take less than a microsecond. A step takes n / W operations. There are
 * about log2 n steps, and never more than the number of bits in which the least and the greatest
 * number differ, so no input is slow. Included in each pass of the methods of k-selection. */
#include "prim_body/order.h"

/* Loads the W entries at in + i; the list `in` has n entries. Lanes after the last entry get the
 * value `fill`. */
static inline vec FN(lanes)(const FN(raw) * in, int64_t i, int64_t n, vec fill)
{
	return n - i >= W ? vload(in + i) : vload_n(in + i, n - i, fill);
}

/* Copies the n entries of `in` to `v` as integers made by prim_body/order.h, followed by copies of
 * the greatest of them up to a multiple of W. Sets *lo and *hi to the least and the greatest
 * entry. */
static inline void FN(few_load)(const FN(raw) * in, int64_t n, VAL flip, VAL *v, VAL *lo, VAL *hi)
{
	const VAL greatest = (VAL)((UNS)-1 >> 1);
	const vec any = vset1(in[0]);
	vec min = vset1(greatest), max = vset1(-greatest - 1);

	for (int64_t i = 0; i < n; i += W) {
		const vec x = vorder(FN(lanes)(in, i, n, any), flip);

		vstore(v + i, x);
		min = vop(EK_MIN, min, x);
		max = vop(EK_MAX, max, x);
	}
	*lo = vfold(EK_MIN, min);
	*hi = vfold(EK_MAX, max);
	for (int64_t i = n; i % W; i++)
		v[i] = *hi; /* padding, which is never below the middle */
}

/* Returns an x in lo .. hi for which at least k_min and at most k_max entries are less than x, and
 * sets *below to the number of these entries. If the search ends without such an x, returns the
 * greatest x for which at most k_max entries are less than x, and sets *below to -1. */
static inline VAL FN(cut)(const VAL *v, int64_t n, int64_t k_min, int64_t k_max, VAL lo, VAL hi,
                          int64_t *below)
{
	while (lo < hi) {
		const VAL middle = (VAL)((UNS)hi - ((UNS)hi - (UNS)lo) / 2);
		const vec m = vset1(middle);
		int64_t count = 0;

		for (int64_t i = 0; i < n; i += W)
			count += FN(count)(vlt(vload(v + i), m));
		*below = count;
		if (k_min <= count && count <= k_max)
			return middle;
		lo = count <= k_max ? middle : lo;
		hi = count <= k_max ? hi : middle - 1;
	}
	*below = -1;
	return lo;
}

/* Returns the entry that would be at position k if the n entries of `in` were sorted. The result is
 * an integer made by prim_body/order.h. Requires 0 <= k < n <= EKI_SELECT_FEW. */
static inline VAL FN(bisect)(const FN(raw) * in, int64_t n, int64_t k, VAL flip)
{
	VAL v[EKI_SELECT_FEW], lo, hi, x;
	int64_t below;

	FN(few_load)(in, n, flip, v, &lo, &hi);
	x = FN(cut)(v, n, k, k, lo, hi, &below);
	if (below == k) { /* the result is the least entry that is not below x */
		const vec cut = vset1(x), most = vset1(hi);
		vec least = most;

		for (int64_t i = 0; i < n; i += W) {
			const vec y = vload(v + i);

			least = vop(EK_MIN, least, vselect(vlt(y, cut), most, y));
		}
		x = vfold(EK_MIN, least);
	}
	return x;
}
