/* SPDX-License-Identifier: BSD-3-Clause
 * Batcher's odd-even merge sort, in place. Stage p merges sorted blocks of p pairs, two to one, by
 * the steps k = p, p/2, ... 1. Step p compares place i of the first block with place i of the
 * second. Step k < p takes both blocks together in groups of k places, numbered from 0, and
 * compares group 1 with 2, 3 with 4, and so on; the first and the last group have no partner.
 *
 * Steps narrower than a register compare lanes within registers. The first register begins at group
 * 1, so that groups 1 and 2 are in one register, and likewise 3 and 4, and so on. Cost:
 * n log2^2(n) / 4 comparators; one pass over the array for all stages within chunks, and one pass
 * for each step of the wider stages.
 *
 * Liu 2015, section 4.5.3, Algorithm 15 (where j is halved once a step); Batcher 1968. */
#include "prim/network.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_FILE "prim/sort_oddeven.c"
#include "base/for_each.h"

#include "prim/steps.h"

/* Compares pairs at distance d < W within groups of 2 d pairs. The groups are side by side from
 * pair `begin` to pair end - 1. */
INLINE void FN(step_near)(eki_pair_at p, int64_t begin, int64_t end, int d, int ks, int vs)
{
	for (int64_t i = begin; i < end; i += W) {
		FN(pack) x = FN(pack_load)(p, i, end - i, ks, vs, 0);

		FN(compare_lanes)(&x, d, d, vs);
		FN(pack_store)(x, p, i, end - i, ks, vs, 0);
	}
}

/* Runs the comparators of step k whose higher place is in the chunk that begins at c. If k >=
 * CHUNK, runs half of the comparators that connect the chunk to its partner. */
INLINE void FN(step)(eki_pair_at p, int64_t all, int64_t stage, int64_t k, int64_t c, int ks,
                     int vs)
{
	const int64_t length = 2 * stage < CHUNK ? 2 * stage : CHUNK;

	if (k >= CHUNK) {
		const int64_t group = (c & (2 * stage - 1)) / k, last = 2 * stage / k - 1;
		const bool upper = k == stage ? group == 1 : group % 2 == 0;

		if (k < stage && (group == 0 || group == last))
			return;

		const int64_t i = (upper ? c - k : c) + upper * (CHUNK / 2);

		FN(step_far)(p, all, i, i + k, CHUNK / 2, ks, vs);
		return;
	}
	/* Each b is the first place of a block of two runs to merge, or of the chunk itself if such
	 * blocks are larger than a chunk. */
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

INLINE void FN(oddeven)(eki_pair_at p, int64_t all, int64_t stage, int64_t k, int64_t c, int ks,
                        int vs)
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

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	static eki_step_fn *const stage[EK_NISA][2][3] = EKI_BY_PAIR(oddeven);

	(void)step;
	eki_network_sort(a, stage[a->isa][eki_int_row(a->type)][a->a.value_size / 4], 1);
	return EK_OK;
}

const ek_method ek_sort_oddeven = {
	.name = "sort.oddeven",
	.text = "odd-even merge sort, a network, in place",
	.source = "Liu 2015, Algorithm 15; Batcher 1968",
	.operation = EK_SORT,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run,
};

#endif
