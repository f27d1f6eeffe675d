/* SPDX-License-Identifier: BSD-3-Clause
 * The union of a small and a large set: each entry of the small set is searched for in the large
 * one, from where the previous search ended, and the entries of the large set in between are
 * copied. Cost: one read and one write of the large set, and O(small log(large / small))
 * comparisons. Bentley and Yao 1976. */
#include <math.h>
#include <string.h>

#include "prim/set.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_TYPES_ONLY
#define EK_FILE "prim/union_gallop.c"
#include "base/for_each.h"

/* Writes the union of a piece and returns its length. Each entry is written at most once, even if
 * the sets are not sorted, so the result always fits. */
static int64_t FN(union_gallop)(const eki_set_piece *sets)
{
	const eki_set_piece s = eki_set_smaller_first(sets);
	const VAL *small = s.a, *large = s.b;
	const int64_t n = s.an, m = s.bn;
	VAL *out = s.out;
	int64_t count = 0, j = 0;

	for (int64_t i = 0; i < n; i++) {
		const int64_t k = eki_gallop_bound(large, j, m, small[i]);

		if (k > j)
			memcpy(out + count, large + j, (size_t)(k - j) * sizeof *out);
		count += k - j;
		j = k;
		if (j == m || large[j] != small[i])
			out[count++] = small[i];
	}
	if (j < m)
		memcpy(out + count, large + j, (size_t)(m - j) * sizeof *out);
	return count + m - j;
}

#if EK_ONCE

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *set = v->array;
	static eki_set_fn *const unite[] = EK_BY_INT(union_gallop);

	(void)step;
	return eki_set_pieces(set, unite);
}

/* Predicts the time in nanoseconds: the time of one search for each entry of the small set, plus
 * the time of copying the large set. */
static double cost(const eki_features *f)
{
	const eki_array *set = f->array;
	const eki_array_speed *s = &f->machine->array;
	const int64_t an = set->a.n, bn = set->b.n;
	const double small = (double)(an < bn ? an : bn), large = (double)(an < bn ? bn : an);

	return (small * (s->search_entry + s->search_step[1] * log2(1 + large / (small + 1))) +
	        s->copy_entry * large) /
	       set->threads;
}

const ek_method ek_union_gallop = {
	.name = "union.gallop",
	.text = "looks for each entry of the smaller set by growing steps, copies the others",
	.source = "Bentley and Yao 1976",
	.operation = EK_SET_UNION,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run,
	.cost = cost,
};

#endif
