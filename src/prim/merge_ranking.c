/* SPDX-License-Identifier: BSD-3-Clause
 * The ranking merge: the place of each pair in the result is its place in its own list plus the
 * number of pairs of the other list that come before it. A binary search finds that number: for a
 * pair of `a`, the pairs of `b` with lesser keys; for a pair of `b`, the pairs of `a` with lesser
 * or equal keys. Pairs do not depend on each other, so threads take equal shares of them. The
 * searches take n1 log2 n2 + n2 log2 n1 steps in total. The places that a thread writes to are near
 * each other, but its searches range over the whole other list.
 *
 * The search has a fixed number of steps without branches, so that the processor overlaps the
 * searches of several pairs. If the lists are not sorted, two pairs may be written to one place,
 * but nothing is written beyond the result.
 *
 * Liu 2015, Algorithm 17. */
#include <string.h>

#include "prim/merge.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_TYPES_ONLY
#define EK_FILE "prim/merge_ranking.c"
#include "base/for_each.h"

#include "prim_body/order.h"

/* Returns how many of the n keys of a list are less than x or, if `equal` is true, at most x. */
static inline int64_t FN(rank)(const FN(raw) * list, int64_t n, VAL x, bool equal, VAL flip)
{
	int64_t begin = 0;

	while (n > 1) {
		const int64_t half = n / 2;
		const VAL y = FN(order)(list[begin + half - 1], flip);

		begin += half & -(int64_t)((y < x) | (equal & (y == x)));
		n -= half;
	}
	if (n) {
		const VAL y = FN(order)(list[begin], flip);

		begin += (y < x) | (equal & (y == x));
	}
	return begin;
}

/* Writes pairs begin .. end - 1 of `a`, or of `b` if `second` is true, to their places in the
 * result. */
static void FN(merge_ranking)(const eki_merge *m, bool second, int64_t begin, int64_t end,
                              ek_value type, size_t size)
{
	const FN(raw) *key = (const void *)(second ? m->b : m->a);
	const FN(raw) *other = (const void *)(second ? m->a : m->b);
	const char *value = second ? m->b_value : m->a_value;
	FN(raw) *out = (void *)m->out;
	const int64_t n = second ? m->an : m->bn;
	const VAL flip = FN(flip)(type);

	for (int64_t i = begin; i < end; i++) {
		const int64_t o = i + FN(rank)(other, n, FN(order)(key[i], flip), second, flip);

		out[o] = key[i];
		if (size)
			memcpy(m->out_value + o * (int64_t)size, value + i * (int64_t)size, size);
	}
}

#if EK_ONCE

/* Writes one thread's share of the pairs to their places. The shares are cut from the pairs in this
 * order: `a` of merge 0, `b` of merge 0, `a` of merge 1, and so on. */
static void part(void *arg, int number)
{
	static void (*const merge[])(const eki_merge *, bool, int64_t, int64_t, ek_value, size_t) =
		EK_BY_INT(merge_ranking);
	const eki_array *a = arg;
	const int64_t an = a->a.n, n = an + a->b.n;
	const int64_t end = eki_cut(a->batch * n, a->threads, number + 1);

	for (int64_t o = eki_cut(a->batch * n, a->threads, number), next; o < end; o = next) {
		const int64_t k = o / n, begin = o - k * n;
		const bool second = begin >= an;
		const eki_merge m = eki_merge_of(a, k);

		next = k * n + (second ? n : an);
		next = next < end ? next : end;
		merge[eki_int_row(a->type)](&m, second, second ? begin - an : begin,
		                            next - k * n - (second ? an : 0), a->type,
		                            a->a.value_size);
	}
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	eki_array copy = *a;

	(void)step;
	eki_parallel(a->ctx, a->threads, a->threads, part, &copy);
	return EK_OK;
}

const ek_method ek_merge_ranking = {
	.name = "merge.ranking",
	.text = "each pair looks for its place by binary search",
	.source = "Liu 2015, Algorithm 17",
	.operation = EK_MERGE,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run,
};

#endif
