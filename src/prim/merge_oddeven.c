/* SPDX-License-Identifier: BSD-3-Clause
 * The merge by the last stage of the odd-even merge sort. With two lists of p = 2^k pairs side by
 * side, place x of the first list is compared with place x of the second. Then, for d = p/2, p/4,
 * ... 1, every odd block of d places is compared with the even block that follows it.
 *
 * For lists of any lengths, which may differ, p is the least power of two that is not below either
 * length. List `a` is placed at the end of the first half, as if least keys preceded it, and list
 * `b` at the beginning of the second half, as if greatest keys followed it. Comparators that would
 * touch these imagined keys are left out. Cost: n log2 n / 2 comparators. Pairs with equal keys
 * come in any order. Liu 2015, section 4.5.4; Batcher 1968. */
#include "prim/merge_network.h"

static int steps(int64_t an, int64_t bn, eki_exchange step[EKI_STEPS])
{
	const int64_t p = eki_power(an > bn ? an : bn), before = p - an;
	int count = 0;

	step[count++] = (eki_exchange){p, -before};
	for (int64_t d = p / 2; d; d /= 2)
		step[count++] = (eki_exchange){d, d - before};
	return count;
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;

	(void)step;
	return eki_merge_network(a, false, steps);
}

const ek_method ek_merge_oddeven = {
	.name = "merge.oddeven",
	.text = "last stage of the odd-even merge sort, step by step in the result",
	.source = "Liu 2015, section 4.5.4; Batcher 1968",
	.operation = EK_MERGE,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run,
};
