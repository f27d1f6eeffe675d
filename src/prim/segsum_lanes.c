/* SPDX-License-Identifier: BSD-3-Clause
 * Segmented sums of segments that are not very short: as many segments at a time as a vector has
 * lanes. Each is read by vectors of its own, the last one masked, as many for all of them as the
 * longest needs, so that lengths that differ cost no wrong prediction of a branch for each; what is
 * more than a few vectors long is first brought to that by a loop. Then these vectors are joined in
 * pairs, W vectors to one whose lane i is sum i, which is stored as it is: 2 (W - 1) moves within
 * registers for W sums. Empty segments are read by a mask of zeros.
 *
 * Flags become positions in the first-level cache, 64 at a time, and are then done like offsets.
 *
 * Each sum is a tree of additions whose leaves are the segment's k entries and zeros, so a term
 * passes at most k - 1 additions that round. Our own; segsum_blocked.c does short segments with
 * fewer instructions. */
#include <string.h>

#include "prim/segmented.h"
#define EK_ARRAYS
#define EK_FILE "prim/segsum_lanes.c"
#include "core/for_each.h"
#include "prim/segsum_out.h"

#ifndef SEGSUM_BATCH
#define SEGSUM_BATCH 512 /* segments whose positions lie in a buffer */
#endif

/* Further ahead than EK_AHEAD and for the cache of the core only: a tenth faster. */
static inline __attribute__((always_inline)) void FN(fetch)(const VAL *p)
{
	__builtin_prefetch((const void *)((uintptr_t)p + 8192), 0, 2);
}

/* Lanes that add up to the sum of n entries; from 4 W on, or what remains of that many. */
static inline __attribute__((always_inline)) vec FN(sum_long)(const VAL **p, int64_t *n)
{
	const VAL *in = *p;
	int64_t i = 0;
	vec sum[4] = {vset1(0), vset1(0), vset1(0), vset1(0)};

	for (; *n - i > 4 * W; i += 4 * W) {
		EK_UNROLL
		for (int k = 0; k < 4; k++) {
			FN(fetch)(in + i + k * W);
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

			FN(fetch)(from[k] + done);
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
			FN(fetch)(p);
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

		FN(fetch)(in + at[k]);
		sum[k] = vload_n(in + at[k], n < W ? n : W, zero);
	}
	if (many)
		FN(sum_rest)(in, at, sum);
	return vfolds(EK_SUM, sum);
}

/* Where segments of the part end, as words of bits say from *word on; returns how many, at most
 * SEGSUM_BATCH. */
static int64_t FN(flag_ends)(const eki_segsum_part *part, int64_t *word, int64_t *end)
{
	int64_t count = 0, last = part->end, w = *word;

	for (; w <= last / 64 && count <= SEGSUM_BATCH - 72; w++) {
		uint64_t bits;

		while (w < last / 64 && !part->bits[w])
			w++;
		bits = part->bits[w];
		if (w == last / 64)
			bits &= (UINT64_C(2) << last % 64) - 1;
		if (64 * w == part->begin)
			bits &= ~UINT64_C(1);

		/* eight at a time, too many at times: few exits of the loop are then surprises */
		int64_t here = __builtin_popcountll(bits);

		for (int64_t k = 0; k < here; k += 8) {
			EK_UNROLL
			for (int j = 0; j < 8; j++) {
				end[count + k + j] =
					64 * w + __builtin_ctzll(bits | UINT64_C(1) << 63);
				bits &= bits - 1;
			}
		}
		count += here;
	}
	*word = w;
	return count;
}

static void FN(segsum_lanes)(const eki_array *a, eki_segsum_part *part)
{
	const VAL *in = a->in;
	VAL last[W];
	FN(sums) sums;
	int64_t word = part->begin / 64;
	int64_t at[SEGSUM_BATCH + W + 1] = {part->begin};

	FN(sums_start)(&sums, (VAL *)a->out + part->first, part->stream);
	for (int64_t s = part->first, count; s < part->last; s += count) {
		count = part->last - s < SEGSUM_BATCH ? part->last - s : SEGSUM_BATCH;
		if (a->segments.flag)
			count = FN(flag_ends)(part, &word, at + 1);
		else
			eki_offsets_copy(&a->segments, s + 1, count, at + 1);
		for (int k = 1; k < W; k++)
			at[count + k] = at[count];
		VAL *to = FN(sums_next)(&sums);

		for (int64_t k = 0; k < count; k += W)
			vstore(to + k, FN(sum_some)(in, at + k));
		FN(sums_put)(&sums, count);
		at[0] = at[count];
	}
	FN(sums_end)(&sums);
	for (int k = 1; k <= W; k++)
		at[k] = part->end;
	vstore(last, FN(sum_some)(in, at));
	memcpy(&part->open, last, sizeof *last);
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
	double segment = a->segments.flag ? 3.5 : 1.0;

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
