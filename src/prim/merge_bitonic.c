/* SPDX-License-Identifier: BSD-3-Clause
 * The merge by the last stage of the bitonic sort. List `a` in reverse, followed by list `b`, is a
 * bitonic sequence: it falls and then rises. Comparing its first half with its second half, place
 * by place, gives a lesser and a greater half, each of which is bitonic again.
 *
 * If the total length is not a power of two, the network is that for the next power of two, as if
 * `b` were followed by greatest keys; then the sequence still falls and then rises. Comparators
 * that reach beyond the end are left out. Cost: n log2 n / 2 comparators. Pairs with equal keys
 * come in any order. Liu 2015, section 4.5.4; Batcher 1968. */
#include "prim/merge_network.h"

static int steps(int64_t an, int64_t bn, eki_exchange step[EKI_STEPS])
{
	int count = 0;

	for (int64_t d = eki_power(an + bn) / 2; d; d /= 2)
		step[count++] = (eki_exchange){d, 0};
	return count;
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;

	(void)step;
	return eki_merge_network(a, true, steps);
}

const ek_method ek_merge_bitonic = {
	.name = "merge.bitonic",
	.text = "last stage of the bitonic sort, step by step in the result",
	.source = "Liu 2015, section 4.5.4; Batcher 1968",
	.operation = EK_MERGE,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run,
};
