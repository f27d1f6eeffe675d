/* SPDX-License-Identifier: BSD-3-Clause
 * Selection from few numbers, in each pass of the methods of k-selection: a binary search for the
 * value, which at each step counts the entries below the middle. No branch depends on a single
 * entry and nothing is moved, so a thousand numbers take less than a microsecond: n / W times about
 * log2 n, at most the bits that least and greatest differ in. There is no bad case. */
#include "prim/order.h"

/* W entries at in + i of n; those behind the end are `fill`. */
static inline vec FN(lanes)(const FN(raw) * in, int64_t i, int64_t n, vec fill)
{
	return n - i >= W ? vload(in + i) : vload_n(in + i, n - i, fill);
}

/* The ordered entries of `in`, padded by the greatest, and their range. */
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
		v[i] = *hi; /* never below the middle */
}

/* An x in lo .. hi that has at least k_min and at most k_max entries below it; or, if the search
 * ends without one, the greatest with at most k_max. *below is the number. */
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

/* The entry number k of n in sorted order, 0 <= k < n <= EKI_SELECT_FEW. */
static inline VAL FN(bisect)(const FN(raw) * in, int64_t n, int64_t k, VAL flip)
{
	VAL v[EKI_SELECT_FEW], lo, hi, x;
	int64_t below;

	FN(few_load)(in, n, flip, v, &lo, &hi);
	x = FN(cut)(v, n, k, k, lo, hi, &below);
	if (below == k) { /* the least of those that are not below x */
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
