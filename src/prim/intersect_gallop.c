/* SPDX-License-Identifier: BSD-3-Clause
 * The intersection of a small and a large set: each entry of the small set is searched for in the
 * large one, in growing steps from where the previous search ended (prim_body/search.h). O(small
 * log(large / small)) comparisons. Bentley and Yao 1976. */
#include <math.h>

#include "prim/set.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_TYPES_ONLY
#define EK_FILE "prim/intersect_gallop.c"
#include "base/for_each.h"

static int64_t FN(intersect_gallop)(const eki_set_piece *sets)
{
	const eki_set_piece s = eki_set_smaller_first(sets);
	const VAL *small = s.a, *large = s.b;
	const int64_t n = s.an, m = s.bn;
	VAL *out = s.out;
	int64_t count = 0, j = 0;

	for (int64_t i = 0; i < n; i++) {
		j = eki_gallop_bound(large, j, m, small[i]);
		if (j == m)
			break;
		if (large[j] == small[i])
			out[count++] = small[i];
	}
	return count;
}

#if EK_ONCE

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *set = v->array;
	static eki_set_fn *const intersect[] = EK_BY_INT(intersect_gallop);

	(void)step;
	return eki_set_pieces(set, intersect);
}

/* Predicts the time in nanoseconds. Each entry of the small set costs a mispredicted branch and a
 * number of steps that grows with the logarithm of large / small. */
static double cost(const eki_features *f)
{
	const eki_array *set = f->array;
	const eki_array_speed *s = &f->machine->array;
	const int64_t an = set->a.n, bn = set->b.n;
	const double small = (double)(an < bn ? an : bn), large = (double)(an < bn ? bn : an);

	return small * (s->search_entry + s->search_step[0] * log2(1 + large / (small + 1))) /
	       set->threads;
}

const ek_method ek_intersect_gallop = {
	.name = "intersect.gallop",
	.text = "looks for each entry of the smaller set by growing steps",
	.source = "Bentley and Yao 1976",
	.operation = EK_SET_INTERSECTION,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run,
	.cost = cost,
};

#endif
