/* SPDX-License-Identifier: BSD-3-Clause
 * Segmented sums, made for segments that are not very short. W segments are summed at a time; W is
 * the number of lanes of a vector. Each segment is read in vectors of its own, the last one masked.
 * If a segment has more than a few vectors, a loop first adds it up until a few vectors are left.
 * Then as many vectors are read from each of the W segments as the longest of them needs, so that
 * different lengths do not cost a mispredicted branch each. Then the W vectors of sums are folded
 * in pairs into one vector whose lane i is sum i, which is stored as it is. That takes 2 (W - 1)
 * moves within registers for W sums. Empty segments are read with a mask of zeros.
 *
 * Flags become positions in the first-level cache, 64 at a time, and are then treated like offsets.
 *
 * Each sum is a tree of additions whose leaves are the segment's k entries and zeros, so a term
 * goes through at most k - 1 additions that round. This method is our own; segsum_blocked.c needs
 * fewer instructions for short segments. */
#include <string.h>

#include "prim/segmented.h"
#define EK_ARRAYS
#define EK_FILE "prim/segsum_lanes.c"
#include "base/for_each.h"
#include "prim/segsum_out.h"

#ifndef SEGSUM_BATCH
#define SEGSUM_BATCH 512 /* number of segments whose positions are buffered */
#endif

/* Prefetches further ahead of p than EK_AHEAD does, and into the second-level cache only, which is
 * a tenth faster. */
static inline __attribute__((always_inline)) void FN(fetch)(const VAL *p)
{
	__builtin_prefetch((const void *)((uintptr_t)p + 8192), 0, 2);
}

/* Adds up the *n entries at *p, 4 W at a time, until at most 4 W entries are left. Sets *p and *n
 * to the address and the number of the entries that are left. Returns a vector whose lanes add up
 * to the sum. */
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

/* Sums W segments, more than a few of which are longer than a vector. A loop first reduces each
 * segment to at most four vectors. Then as many vectors of each segment are read as the longest
 * segment needs. */
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

/* Adds the rest of the few segments that are longer than a vector, one segment after the other. The
 * first W entries of each segment are already in `sum`. */
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

/* Returns the sums of W segments. Lane k is the sum of entries at[k] .. at[k + 1] - 1. */
static inline __attribute__((always_inline)) vec FN(sum_some)(const VAL *in, const int64_t *at)
{
	const vec zero = vset1(0);
	int64_t most = 0;
	int many = 0; /* number of segments longer than a vector */
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

/* Reads the part's bits, beginning with word *word, and stores in `end` the positions where
 * segments end. Moves *word past the words that were read. Returns how many ends were stored, at
 * most SEGSUM_BATCH. */
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

		/* finds ends eight at a time, sometimes too many, so that the end of the loop is
		 * rarely mispredicted */
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

static ek_status run(const eki_step *step, const eki_run *v)
{
	const ek_context *ctx = step->ctx;
	const eki_array *a = v->array;
	static eki_segsum_kernel *const kernel[][4] = EK_BY_ISA_AND_VALUE(segsum_lanes);

	return eki_segsum_split(ctx, a, kernel[a->isa][eki_value_row(a->type)]);
}

/* Predicts the time in nanoseconds, from the time per byte and the time per segment, both measured
 * in the cache. A segment takes longer with flags, since its end has to be searched for. */
static double cost(const eki_features *f)
{
	const eki_array *a = f->array;
	const eki_array_speed *s = &f->machine->array;
	const double segment = s->lanes_segment[a->segments.flag != NULL];

	return ((double)a->segments.count * segment +
	        (double)a->n * (double)ek_value_size(a->type) / s->lanes_gbps) /
	       a->threads;
}

const ek_method ek_segsum_lanes = {
	.name = "segsum.lanes",
	.text = "as many segments at a time as a vector has lanes, in equal shares of the entries",
	.source = "this library",
	.operation = EK_SEGMENTED_SUM,
	.backend = EKI_CPU,
	.run = run,
	.cost = cost,
};

#endif
