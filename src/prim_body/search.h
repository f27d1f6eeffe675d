/* SPDX-License-Identifier: BSD-3-Clause
 * Searches in ordered lists: by bisection, by growing steps, and along a merge path. A predicate
 * defines the target: it is true for the places before the target and false for all others. So
 * lists need not be arrays.
 *
 * Bentley and Yao 1976 for growing steps; Odeh, Green, Mwassi, Shmueli and Birk 2012 for the merge
 * path. */
#ifndef EK_PRIM_BODY_SEARCH_H
#define EK_PRIM_BODY_SEARCH_H

#include "prim_body/body.h"

/* Tells whether place i of the list `of` is before the target. */
typedef bool eki_before_fn(const void *of, int64_t i);

/* Returns the first of places begin .. end - 1 that is not before the target, or `end` if there is
 * none. */
EKI_BODY int64_t eki_search(int64_t begin, int64_t end, eki_before_fn *before, const void *of)
{
	while (begin < end) {
		const int64_t middle = begin + (end - begin) / 2;

		if (before(of, middle))
			begin = middle + 1;
		else
			end = middle;
	}
	return begin;
}

/* Does the same as eki_search, in steps of 1, 2, 4, ... places that start at `begin`, and then by
 * bisection between the last two places. Takes O(log distance) calls of before(). */
EKI_BODY int64_t eki_gallop(int64_t begin, int64_t end, eki_before_fn *before, const void *of)
{
	int64_t step = 1;

	while (step <= end - begin && before(of, begin + step - 1)) {
		begin += step;
		step *= 2;
	}
	return eki_search(begin, step <= end - begin ? begin + step - 1 : end, before, of);
}

/* Returns how many of the first d entries of a merge come from list `a`. The merge is that of lists
 * `a` and `b`, which have `an` and `bn` entries. before(of, i) tells whether a[i] comes before
 * b[d - 1 - i]; no other entries are read. */
EKI_BODY int64_t eki_merge_path(int64_t an, int64_t bn, int64_t d, eki_before_fn *before,
                                const void *of)
{
	return eki_search(d > bn ? d - bn : 0, d < an ? d : an, before, of);
}

/* ---- Arrays of integers in ascending order --------------------------------------------------- */

struct eki_number_in {
	const void *v;
	int64_t x;
};

EKI_BODY bool eki_below_i32(const void *of, int64_t i)
{
	const struct eki_number_in *n = of;

	return ((const int32_t *)n->v)[i] < n->x;
}
EKI_BODY bool eki_below_i64(const void *of, int64_t i)
{
	const struct eki_number_in *n = of;

	return ((const int64_t *)n->v)[i] < n->x;
}
EKI_BODY bool eki_upto_i32(const void *of, int64_t i)
{
	const struct eki_number_in *n = of;

	return ((const int32_t *)n->v)[i] <= n->x;
}
EKI_BODY bool eki_upto_i64(const void *of, int64_t i)
{
	const struct eki_number_in *n = of;

	return ((const int64_t *)n->v)[i] <= n->x;
}

/* Selects i32 or i64 by the type of v, an array of int32_t or int64_t. */
#define EKI_BY_SIZE(v, i32, i64) \
	_Generic((v), const int32_t *: i32, int32_t *: i32, const int64_t *: i64, int64_t *: i64)

/* Return the first k in [begin, end) with v[k] >= x (eki_lower_bound) or with v[k] > x
 * (eki_upper_bound), or `end` if there is none. */
#define eki_lower_bound(v, begin, end, x)                                    \
	eki_search(begin, end, EKI_BY_SIZE(v, eki_below_i32, eki_below_i64), \
	           &(const struct eki_number_in){v, x})
#define eki_upper_bound(v, begin, end, x)                                  \
	eki_search(begin, end, EKI_BY_SIZE(v, eki_upto_i32, eki_upto_i64), \
	           &(const struct eki_number_in){v, x})
/* Does the same as eki_lower_bound, in growing steps that start at `begin`. */
#define eki_gallop_bound(v, begin, end, x)                                   \
	eki_gallop(begin, end, EKI_BY_SIZE(v, eki_below_i32, eki_below_i64), \
	           &(const struct eki_number_in){v, x})

#endif
