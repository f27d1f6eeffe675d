/* SPDX-License-Identifier: BSD-3-Clause
 * The last stage of the bitonic sort: a turned round and b behind it fall and then rise, and halves
 * compared place by place give a lower and an upper half that do so again.
 *
 * Any lengths: the network is the one for the next power of two, with greatest keys behind b - the
 * sequence still falls and then rises - and its comparators beyond the end left out. n log2 n / 2
 * comparators; equal keys in any order. Liu 2015, section 4.5.4; Batcher 1968. */
#include "prim/merge_network.h"

static int steps(int64_t an, int64_t bn, eki_step step[EKI_STEPS])
{
	int count = 0;

	for (int64_t d = eki_power(an + bn) / 2; d; d /= 2)
		step[count++] = (eki_step){d, 0};
	return count;
}

static ek_status run(const ek_context *ctx, const eki_array *a)
{
	(void)ctx;
	return eki_merge_network(a, true, steps);
}

const ek_method ek_merge_bitonic = {
	.name = "merge.bitonic",
	.text = "last stage of the bitonic sort, step by step in the result",
	.source = "Liu 2015, section 4.5.4; Batcher 1968",
	.operation = EK_MERGE,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.array = run,
};
