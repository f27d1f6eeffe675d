/* SPDX-License-Identifier: BSD-3-Clause
 * The last stage of the odd-even merge sort: with two lists of p = 2^k pairs side by side, place x
 * of the first is compared with place x of the second, and then, for d = p/2, p/4, ... 1, every odd
 * block of d places with the even one behind it.
 *
 * Any lengths, also different ones: p is the power of two that both fit in; a stands at the end of
 * its half, with least keys before it, b at the beginning of the other, with greatest ones behind
 * it, and comparators that would touch these are left out. n log2 n / 2 comparators; equal keys in
 * any order. Liu 2015, section 4.5.4; Batcher 1968. */
#include "prim/merge_network.h"

static int steps(int64_t an, int64_t bn, eki_step step[EKI_STEPS])
{
	const int64_t p = eki_power(an > bn ? an : bn), before = p - an;
	int count = 0;

	step[count++] = (eki_step){p, -before};
	for (int64_t d = p / 2; d; d /= 2)
		step[count++] = (eki_step){d, d - before};
	return count;
}

static ek_status run(const ek_context *ctx, const eki_array *a)
{
	(void)ctx;
	return eki_merge_network(a, false, steps);
}

const ek_method ek_merge_oddeven = {
	.name = "merge.oddeven",
	.text = "last stage of the odd-even merge sort, step by step in the result",
	.source = "Liu 2015, section 4.5.4; Batcher 1968",
	.operation = EK_MERGE,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.array = run,
};
