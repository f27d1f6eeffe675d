/* SPDX-License-Identifier: BSD-3-Clause
 * Selection from few numbers, in each pass of the methods of k-selection: a binary search for the
 * value, which at each step counts the entries below the middle. No branch depends on a single entry
 * and nothing is moved, so a thousand numbers take about a microsecond: n / W times the bits that
 * least and greatest differ in. There is no bad case. */
#include "prim/order.h"

/* W entries at in + i of n; those behind the end are `fill`. */
static inline vec FN(lanes)(const FN(raw) * in, int64_t i, int64_t n, vec fill)
{
	return n - i >= W ? vload(in + i) : vload_n(in + i, n - i, fill);
}

/* The entry number k of n in sorted order, 0 <= k < n <= EKI_SELECT_FEW. */
static VAL FN(bisect)(const FN(raw) * in, int64_t n, int64_t k, VAL flip)
{
	const VAL greatest = (VAL)((UNS)-1 >> 1);
	vec min = vset1(greatest), max = vset1(-greatest - 1);
	const vec any = vset1(in[0]);
	VAL v[EKI_SELECT_FEW], lo, hi;

	for (int64_t i = 0; i < n; i += W) {
		const vec x = vorder(FN(lanes)(in, i, n, any), flip);

		vstore(v + i, x);
		min = vop(EK_MIN, min, x);
		max = vop(EK_MAX, max, x);
	}
	lo = vfold(EK_MIN, min);
	hi = vfold(EK_MAX, max);
	for (int64_t i = n; i % W; i++)
		v[i] = hi; /* never below the middle */
	while (lo < hi) {  /* the answer is the greatest x with at most k entries below it */
		const VAL middle = (VAL)((UNS)hi - ((UNS)hi - (UNS)lo) / 2);
		const vec m = vset1(middle);
		int64_t below = 0;

		for (int64_t i = 0; i < n; i += W)
			below += FN(count)(vlt(vload(v + i), m));
		if (below <= k)
			lo = middle;
		else
			hi = middle - 1;
	}
	return lo;
}
