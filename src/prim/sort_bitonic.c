/* SPDX-License-Identifier: BSD-3-Clause
 * Bitonic sort, in place. Stage p merges sorted blocks of p pairs, two to one, by the steps k = p,
 * p/2, ... 1. Step p compares the first place of a block with the last place of its partner, the
 * second with the last but one, and so on. These are the comparisons that the first step of the
 * bitonic merger makes if the second block is reversed; here nothing is reversed. The step leaves
 * two bitonic sequences. Step k < p compares place i with place i + k in groups of 2 k places.
 *
 * So the greater key always goes to the higher place. Algorithm 14 of Liu 2015, in contrast, sorts
 * every other block in descending order and needs a power of two for that. The two networks differ
 * only in the order of their wires: reversing the places of each block that Algorithm 14 sorts in
 * descending order turns one into the other.
 *
 * Cost: n log2^2(n) / 4 comparators; one pass over the array for each step that is wider than a
 * chunk, and one for all the other steps of a stage.
 *
 * Liu 2015, section 4.5.2, Algorithm 14 (where j is halved once a step); Batcher 1968. */
#include "prim/network.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_FILE "prim/sort_bitonic.c"
#include "base/for_each.h"

#include "prim/steps.h"

/* Sorts the bitonic sequences of 2 k pairs in the chunk that begins at c. Splits each sequence into
 * two of k pairs, then each of these into two, and so on until the pairs are in order. The array
 * has `all` pairs. */
INLINE void FN(clean_chunk)(eki_pair_at p, int64_t all, int64_t k, int64_t c, int ks, int vs)
{
	const int64_t end = all - c < CHUNK ? all : c + CHUNK;

	for (; k >= W; k /= 2)
		for (int64_t i = c; i + k < end; i += 2 * k)
			FN(step_far)(p, all, i, i + k, k, ks, vs);
	for (int64_t i = c; W > 1 && i < end; i += W) {
		FN(pack) x = FN(pack_load)(p, i, end - i, ks, vs, 0);

		FN(clean_lanes)(&x, W, vs);
		FN(pack_store)(x, p, i, end - i, ks, vs, 0);
	}
}

/* Compares n pairs j, j + 1, ... with pairs i - 1, i - 2, ..., where n is a multiple of W. Leaves
 * out pairs beyond the `all` pairs of the array. */
INLINE void FN(step_mirrored)(eki_pair_at p, int64_t all, int64_t i, int64_t j, int64_t n, int ks,
                              int vs)
{
	if (n > all - j)
		n = all - j;
	for (int64_t t = 0; t < n; t += W) {
		FN(pack) x = FN(pack_load)(p, i - t - W, W, ks, vs, 0);
		FN(pack) y = FN(pack_load)(p, j + t, n - t, ks, vs, 0);

		x = FN(pack_xor)(x, W - 1, vs);
		FN(compare)(&x, &y, vs);
		x = FN(pack_xor)(x, W - 1, vs);
		FN(pack_store)(x, p, i - t - W, W, ks, vs, 0);
		FN(pack_store)(y, p, j + t, n - t, ks, vs, 0);
	}
}

/* Runs all stages within the chunk that begins at c. */
INLINE void FN(sort_chunk)(eki_pair_at p, int64_t all, int64_t c, int ks, int vs)
{
	const int64_t end = all - c < CHUNK ? all : c + CHUNK;

	for (int64_t i = c; W > 1 && i < end; i += W) {
		FN(pack) x = FN(pack_load)(p, i, end - i, ks, vs, 0);

		EK_UNROLL
		for (int C = 2; C <= W; C *= 2) {
			FN(compare_lanes)(&x, C - 1, C / 2, vs);
			FN(clean_lanes)(&x, C / 2, vs);
		}
		FN(pack_store)(x, p, i, end - i, ks, vs, 0);
	}
	for (int64_t stage = W; stage < CHUNK && stage < end - c; stage *= 2) {
		for (int64_t i = c; i + stage < end; i += 2 * stage)
			FN(step_mirrored)(p, all, i + stage, i + stage, stage, ks, vs);
		FN(clean_chunk)(p, all, stage / 2, c, ks, vs);
	}
}

/* Runs step k of a stage on the chunk that begins at c, or all stages within the chunk if `stage`
 * is 0. If k < CHUNK, runs all smaller steps too. Otherwise runs half of the comparators that
 * connect the chunk to its partner. */
INLINE void FN(bitonic)(eki_pair_at p, int64_t all, int64_t stage, int64_t k, int64_t c, int ks,
                        int vs)
{
	const int64_t half = CHUNK / 2;
	const bool upper = (c & k) != 0;

	if (!stage) {
		FN(sort_chunk)(p, all, c, ks, vs);
	} else if (k < CHUNK) {
		FN(clean_chunk)(p, all, k, c, ks, vs);
	} else if (k < stage) {
		const int64_t i = (upper ? c - k : c) + upper * half;

		FN(step_far)(p, all, i, i + k, half, ks, vs);
	} else {
		const int64_t other = c ^ (2 * stage - CHUNK);

		if (upper)
			FN(step_mirrored)(p, all, other + CHUNK, c, half, ks, vs);
		else
			FN(step_mirrored)(p, all, c + half, other + half, half, ks, vs);
	}
}

#define STEP(pair, ks, vs) EKI_STEP(bitonic, pair, ks, vs)
EK_EACH_PAIR(STEP)
#undef STEP
#include "prim/lanes_end.h"

#if EK_ONCE

void eki_sort_bitonic_into(const eki_array *a)
{
	static eki_step_fn *const stage[EK_NISA][2][3] = EKI_BY_PAIR(bitonic);

	eki_network_sort(a, stage[a->isa][eki_int_row(a->type)][a->a.value_size / 4], CHUNK / 2);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	(void)step;
	eki_sort_bitonic_into(v->array);
	return EK_OK;
}

const ek_method ek_sort_bitonic = {
	.name = "sort.bitonic",
	.text = "bitonic sort, a network, in place",
	.source = "Liu 2015, Algorithm 14; Batcher 1968",
	.operation = EK_SORT,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run,
};

#endif
