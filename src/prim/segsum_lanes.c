/* SPDX-License-Identifier: BSD-3-Clause
 * Segmented sums of segments that are not very short: as many segments at a time as a vector has
 * lanes. Each is read by vectors of its own, the last one masked, as many for all of them as
 * the longest needs, so that lengths that differ cost no wrong prediction of a branch for each; what
 * is more than a few vectors long is first brought to that by a loop. Then these vectors are joined
 * in pairs, W vectors to one whose lane i is sum i, which is stored as it is: 2 (W - 1) moves
 * within registers for W sums. Empty segments are read by a mask of zeros.
 *
 * Flags become positions in the first-level cache, 64 at a time, and are then done like offsets.
 *
 * Each sum is a tree of additions whose leaves are the segment's k entries and zeros, so a term passes
 * at most k - 1 additions that round. Our own; segsum_blocked.c does short segments with fewer
 * instructions. */
#include <string.h>

#include "prim/segmented.h"
#define EK_ARRAYS
#define EK_FILE "prim/segsum_lanes.c"
#include "core/for_each.h"

#ifndef SEGSUM_BATCH
#define SEGSUM_BATCH 512 /* segments whose positions lie in a buffer */
#endif

/* Lanes that add up to the sum of n entries; from 4 W on, or what remains of that many. */
static inline __attribute__((always_inline)) vec FN(sum_long)(const VAL **p, int64_t *n)
{
	const VAL *in = *p;
	int64_t i = 0;
	vec sum[4] = {vset1(0), vset1(0), vset1(0), vset1(0)};

	for (; *n - i > 4 * W; i += 4 * W) {
		EK_UNROLL
		for (int k = 0; k < 4; k++) {
			EK_AHEAD(in + i + k * W);
			sum[k] = vop(EK_SUM, sum[k], vload(in + i + k * W));
		}
	}
	*p = in + i;
	*n -= i;
	return vop(EK_SUM, vop(EK_SUM, sum[0], sum[1]), vop(EK_SUM, sum[2], sum[3]));
}

/* Where more than a few of W segments are longer than a vector: as many vectors for each of them as
 * for the longest, up to four. */
static inline __attribute__((always_inline)) void FN(sum_rounds)(const VAL *in, const int64_t *at,
                                                                 int64_t most, vec *sum)
{
	const vec zero = vset1(0);
	const VAL *from[W];
	int64_t left[W];

	for (int k = 0; k < W; k++) {
		from[k] = in + at[k];
		left[k] = at[k + 1] - at[k];
		sum[k] = zero;
		if (left[k] > 4 * W)
			sum[k] = FN(sum_long)(&from[k], &left[k]);
	}
	for (int64_t i = 0; i < (most < 4 * W ? most : 4 * W); i += W) {
		EK_UNROLL
		for (int k = 0; k < W; k++) {
			int64_t done = i < left[k] ? i : left[k], n = left[k] - done;

			EK_AHEAD(from[k] + done);
			sum[k] = vop(EK_SUM, sum[k], vload_n(from[k] + done, n < W ? n : W, zero));
		}
	}
}

/* Where only a few are longer, of which the first W entries are in `sum`: these one by one. */
static inline __attribute__((always_inline)) void FN(sum_rest)(const VAL *in, const int64_t *at,
                                                               vec *sum)
{
	for (int k = 0; k < W; k++) {
		int64_t n = at[k + 1] - at[k] - W;
		const VAL *p;

		if (n <= 0)
			continue;
		p = in + at[k] + W;
		if (n > 4 * W)
			sum[k] = vop(EK_SUM, sum[k], FN(sum_long)(&p, &n));
		for (; n > 0; p += W, n -= W) {
			EK_AHEAD(p);
			sum[k] = vop(EK_SUM, sum[k], vload_n(p, n < W ? n : W, vset1(0)));
		}
	}
}

/* The sums of W segments: lane k is that of entries at[k] .. at[k + 1] - 1. */
static inline __attribute__((always_inline)) vec FN(sum_some)(const VAL *in, const int64_t *at)
{
	const vec zero = vset1(0);
	int64_t most = 0;
	int many = 0; /* are longer than a vector */
	vec sum[W];

	for (int k = 0; k < W; k++) {
		int64_t n = at[k + 1] - at[k];

		most = n > most ? n : most;
		many += n > W;
	}
	if (many > W / 4) {
		FN(sum_rounds)(in, at, most, sum);
		return vfolds(EK_SUM, sum);
	}
	EK_UNROLL
	for (int k = 0; k < W; k++) {
		int64_t n = at[k + 1] - at[k];

		EK_AHEAD(in + at[k]);
		sum[k] = vload_n(in + at[k], n < W ? n : W, zero);
	}
	if (many)
		FN(sum_rest)(in, at, sum);
	return vfolds(EK_SUM, sum);
}

/* Where segments end from entry `from` on, as their flags say, in a part up to `last`; returns how
 * many, at most SEGSUM_BATCH. */
static int64_t FN(flag_ends)(const eki_array *a, int64_t from, int64_t last, int64_t *end)
{
	const uint8_t *flag = a->segments.flag;
	uint8_t rest[64] = {0};
	int64_t count = 0, i = from, limit = last < a->n ? last + 1 : last;

	for (; i < limit && count <= SEGSUM_BATCH - 72; i += 64) {
		const uint8_t *p = flag + i;

		EK_AHEAD(p);
		if (limit - i < 64)
			p = memcpy(rest, p, (size_t)(limit - i));

		/* eight at a time, too many at times: few exits of the loop are then surprises */
		uint64_t bits = vbytes(p);
		int64_t here = __builtin_popcountll(bits);

		for (int64_t k = 0; k < here; k += 8) {
			EK_UNROLL
			for (int j = 0; j < 8; j++) {
				end[count + k + j] = i + __builtin_ctzll(bits | UINT64_C(1) << 63);
				bits &= bits - 1;
			}
		}
		count += here;
	}
	if (i >= limit && last == a->n)
		end[count++] = last;
	return count;
}

static void FN(segsum_lanes)(const eki_array *a, eki_segsum_part *part)
{
	const VAL *in = a->in;
	VAL *out = a->out, sums[W];
	int64_t at[SEGSUM_BATCH + W + 1] = {part->begin};

	for (int64_t s = part->first, count; s < part->last; s += count) {
		count = part->last - s < SEGSUM_BATCH ? part->last - s : SEGSUM_BATCH;
		if (a->segments.flag)
			count = FN(flag_ends)(a, at[0] + 1, part->end, at + 1);
		else
			eki_offsets_copy(&a->segments, s + 1, count, at + 1);
		for (int k = 1; k < W; k++)
			at[count + k] = at[count];
		for (int64_t k = 0; k < count; k += W) {
			vec sum = FN(sum_some)(in, at + k);

			if (count - k >= W)
				vstore(out + s + k, sum);
			else
				vstore_n(out + s + k, sum, count - k);
		}
		at[0] = at[count];
	}
	for (int k = 1; k <= W; k++)
		at[k] = part->end;
	vstore(sums, FN(sum_some)(in, at));
	memcpy(&part->open, sums, sizeof *sums);
}

#if EK_ONCE

static ek_status run(const ek_context *ctx, const eki_array *a)
{
	static eki_segsum_kernel *const kernel[][4] = EK_BY_ISA_AND_VALUE(segsum_lanes);

	return eki_segsum_split(ctx, a, kernel[a->isa][eki_value_row(a->type)]);
}

/* Nanoseconds of a byte and of a segment, measured in the cache; flags have to be found. */
static double cost(const eki_array *a)
{
	double segment = a->segments.flag ? 2.7 : 1.0;

	return ((double)a->segments.count * segment +
	        (double)a->n * (double)ek_value_size(a->type) / 40) /
	       a->threads;
}

const ek_method ek_segsum_lanes = {
	.name = "segsum.lanes",
	.text = "as many segments at a time as a vector has lanes, in equal shares of the entries",
	.source = "this library",
	.operation = EK_SEGMENTED_SUM,
	.backend = EKI_CPU,
	.array = run,
	.array_cost = cost,
};

#endif
