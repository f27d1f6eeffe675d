/* SPDX-License-Identifier: BSD-3-Clause
 * Batcher's odd-even merge sort, in place. Stage p merges sorted blocks of p pairs, two to one, by
 * the steps k = p, p/2, ... 1. Step p compares place i of the first block with place i of the
 * second; step k < p compares the groups of k places 1 and 2, 3 and 4, and so on of both blocks
 * together, the first and the last group having no partner.
 *
 * Steps within a register compare lanes of a register that begins k places late. n log2^2(n) / 4
 * comparators; a pass over the array for each step that is wider than a chunk, and for all steps of
 * the stages that are.
 *
 * Liu 2015, section 4.5.3, Algorithm 15 (where j is halved once a step); Batcher 1968. */
#include "prim/network.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_FILE "prim/sort_oddeven.c"
#include "core/for_each.h"

#include "prim/steps.h"

/* Neighbours at distance d < W of the pairs begin .. end - 1, in groups of 2 d from `begin` on. */
INLINE void FN(step_near)(eki_run p, int64_t begin, int64_t end, int d, int ks, int vs)
{
	for (int64_t i = begin; i < end; i += W) {
		FN(pack) x = FN(pack_load)(p, i, end - i, ks, vs, 0);

		FN(compare_lanes)(&x, d, d, vs);
		FN(pack_store)(x, p, i, end - i, ks, vs, 0);
	}
}

/* Comparators of step k of stage p whose greater place lies in the chunk from c on; where k is a
 * chunk or more, half of those of the chunk. */
INLINE void FN(step)(eki_run p, int64_t all, int64_t stage, int64_t k, int64_t c, int ks, int vs)
{
	const int64_t length = 2 * stage < CHUNK ? 2 * stage : CHUNK;

	if (k >= CHUNK) {
		const int64_t group = (c & (2 * stage - 1)) / k, last = 2 * stage / k - 1;
		const bool upper = k == stage ? group == 1 : group % 2 == 0;

		if (k < stage && (group == 0 || group == last))
			return;
		FN(step_far)
		(p, all, (upper ? c - k : c) + upper * (CHUNK / 2),
		 (upper ? c : c + k) + upper * (CHUNK / 2), CHUNK / 2, ks, vs);
		return;
	}
	/* Blocks of two runs that lie in the chunk, or the chunk of a block that is larger */
	for (int64_t b = c; b < c + CHUNK && b < all; b += length) {
		const int64_t o = b & (2 * stage - 1);
		int64_t begin = k == stage ? b : b + (o ? -k : k);
		int64_t end = k == stage ? b + length : b + length - k;

		if (end > all)
			end = all;
		if (k < W)
			FN(step_near)(p, begin, end, (int)k, ks, vs);
		else
			for (; begin + k < end; begin += 2 * k)
				FN(step_far)(p, all, begin, begin + k, k, ks, vs);
	}
}

INLINE void FN(oddeven)(eki_run p, int64_t all, int64_t stage, int64_t k, int64_t c, int ks, int vs)
{
	if (stage)
		FN(step)(p, all, stage, k, c, ks, vs);
	else
		for (int64_t s = 1; s < CHUNK && s < all - c; s *= 2)
			for (int64_t j = s; j; j /= 2)
				FN(step)(p, all, s, j, c, ks, vs);
}

#define STEP(pair, ks, vs) EKI_STEP(oddeven, pair, ks, vs)
EK_EACH_PAIR(STEP)
#undef STEP
#include "prim/lanes_end.h"

#if EK_ONCE

static ek_status run(const ek_context *ctx, const eki_array *a)
{
	static eki_step_fn *const step[EK_NISA][2][3] = EKI_BY_PAIR(oddeven);

	(void)ctx;
	eki_network_sort(a, step[a->isa][eki_int_row(a->type)][a->a.value_size / 4], 1);
	return EK_OK;
}

const ek_method ek_sort_oddeven = {
	.name = "sort.oddeven",
	.text = "odd-even merge sort, a network, in place",
	.source = "Liu 2015, Algorithm 15; Batcher 1968",
	.operation = EK_SORT,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.array = run,
};

#endif
