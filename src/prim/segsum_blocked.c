/* SPDX-License-Identifier: BSD-3-Clause
 * Segmented sums of short segments, whatever their lengths are. Segments become a bit for each
 * entry: does a segment end here? Where 64 entries have no end, they are added lane by lane. Else
 * each vector is scanned in its register up to the ends within it, and the sums at the ends are
 * stored side by side: no branch depends on a length, so short segments of random length cost no
 * wrong predictions. Sums go to a buffer in the first-level cache first, where those of empty
 * segments are put between.
 *
 * Each sum is a tree of additions whose leaves are the segment's entries and zeros, so a term passes
 * at most k - 1 additions that round. Our own; the bits of flags and the scan in the register follow
 * Blelloch 1990 and Liu 2015, section 4.4. */
#include <string.h>

#include "prim/segmented.h"
#define EK_ARRAYS
#define EK_FILE "prim/segsum_blocked.c"
#include "core/for_each.h"

#ifndef SEGSUM_BLOCK
#define SEGSUM_BLOCK 2048 /* entries whose ends and sums lie in the buffers: half of 48 KiB */
#endif

/* The sum of the segment that is open is that of the lanes of both. */
typedef struct FN(open) {
	vec lanes;       /* of entries since the last end, while `bare` */
	vec first;       /* in each lane the rest, unless `closed` */
	bool bare;       /* lanes are not all 0 */
	unsigned closed; /* 1: none is open */
} FN(open);

/* 64 entries of the open segment. */
static inline __attribute__((always_inline)) void FN(group_add)(const VAL *in, FN(open) * open)
{
	vec sum[4];

	for (int k = 0; k < 4; k++)
		sum[k] = vload(in + k * W);
	for (int k = 4; k < 64 / W; k += 4)
		for (int j = 0; j < 4; j++)
			sum[j] = vop(EK_SUM, sum[j], vload(in + (k + j) * W));
	sum[0] = vop(EK_SUM, vop(EK_SUM, sum[0], sum[1]), vop(EK_SUM, sum[2], sum[3]));
	open->lanes = vop(EK_SUM, open->lanes, sum[0]);
	open->bare = true;
	if (open->closed) {
		open->first = vset1(0);
		open->closed = 0;
	}
}

/* 64 entries, of which those of the bits `ends` are the last of their segments; returns where the
 * next sum goes. W places behind it may be written. */
static inline __attribute__((always_inline)) VAL *FN(group_ends)(const VAL *in, uint64_t ends,
                                                                 FN(open) * open, VAL *out)
{
	vec before = open->first;
	unsigned closed = open->closed;

	if (open->bare) {
		before = vop(EK_SUM, before, vset1(vfold(EK_SUM, open->lanes)));
		open->lanes = vset1(0);
		open->bare = false;
	}
	for (int k = 0; k < 64; k += W, ends >>= W) {
		unsigned end = (unsigned)ends & ((1u << W) - 1), begin = end << 1 | closed;
		vec sum = vsegscan(EK_SUM, vload(in + k), end << 1);

		/* `before` goes to the lanes before the first that begins a segment */
		sum = vselect(~begin & (begin - 1), vop(EK_SUM, before, sum), sum);
		vcompress(out, sum, end);
		out += __builtin_popcount(end);
		before = vlast(sum);
		closed = end >> (W - 1);
	}
	open->first = before;
	open->closed = closed;
	return out;
}

/* n <= SEGSUM_BLOCK entries; end[i] is not 0 where entry i is the last of a segment, and 0 behind n
 * up to a multiple of 64. Returns the number of sums. */
static int64_t FN(block)(const VAL *in, const uint8_t *end, int64_t n, FN(open) * open, VAL *sums)
{
	VAL last[64] = {0}, *out = sums;

	for (int64_t i = 0; i < n; i += 64) {
		uint64_t ends = vbytes(end + i);
		const VAL *from = in + i;

		for (size_t line = 0; line < sizeof(VAL); line++)
			EK_AHEAD((const char *)from + 64 * line);
		if (n - i < 64)
			from = memcpy(last, from, (size_t)(n - i) * sizeof(VAL));
		if (ends)
			out = FN(group_ends)(from, ends, open, out);
		else
			FN(group_add)(from, open);
	}
	return out - sums;
}

/* Puts the sums of entries begin .. where segments first .. last - 1 end into their places: a
 * segment that has none of these entries gets 0. */
static void FN(place)(const eki_array *a, int64_t begin, int64_t first, int64_t last,
                      const VAL *sums, int64_t count)
{
	VAL *out = a->out;

	if (count == last - first) {
		memcpy(out + first, sums, (size_t)count * sizeof *out);
		return;
	}
	for (int64_t s = first; s < last; s++) {
		int64_t end = eki_offset_at(&a->segments, s + 1);
		VAL sum = *sums;

		out[s] = end > begin ? sum : 0;
		sums += end > begin;
		begin = end;
	}
}

static void FN(segsum_blocked)(const eki_array *a, eki_segsum_part *part)
{
	const uint8_t *flag = a->segments.flag;
	const VAL *in = a->in;
	VAL sums[SEGSUM_BLOCK + 2 * W];
	uint8_t room[64 + SEGSUM_BLOCK], *mark = room + 64;
	FN(open) open = {vset1(0), vset1(0), false, 1};
	int64_t s = part->first, next = s;

	for (int64_t i = part->begin; i < part->end; i += SEGSUM_BLOCK, s = next) {
		int64_t n = part->end - i < SEGSUM_BLOCK ? part->end - i : SEGSUM_BLOCK;
		const uint8_t *end = mark;

		if (flag && n == SEGSUM_BLOCK && i + n < a->n) {
			end = flag + i + 1; /* an entry is the last if the next begins a segment */
		} else {
			memset(mark, 0, SEGSUM_BLOCK);
			if (flag) {
				memcpy(mark, flag + i + 1, (size_t)(i + n < a->n ? n : n - 1));
				mark[n - 1] |= i + n == a->n;
			} else {
				next = eki_segments_mark(&a->segments, s + 1, part->last + 1, i + 1,
				                         i + n + 1, mark) -
				       1;
			}
		}

		int64_t count = FN(block)(in + i, end, n, &open, sums);

		if (flag)
			next = s + count;
		FN(place)(a, i, s, next, sums, count);
	}
	for (; s < part->last; s++) /* without entries */
		((VAL *)a->out)[s] = 0;

	if (open.closed)
		open.first = vset1(0);

	VAL rest = vfold(EK_SUM, vop(EK_SUM, open.lanes, vselect(1u, open.first, vset1(0))));
	memcpy(&part->open, &rest, sizeof rest);
}

#if EK_ONCE

static ek_status run(const ek_context *ctx, const eki_array *a)
{
	static eki_segsum_kernel *const kernel[][4] = EK_BY_ISA_AND_VALUE(segsum_blocked);

	return eki_segsum_split(ctx, a, kernel[a->isa][eki_value_row(a->type)]);
}

/* Nanoseconds of a byte, measured in the cache. */
static double cost(const eki_array *a)
{
	return (double)a->n * (double)ek_value_size(a->type) / 15 / a->threads;
}

const ek_method ek_segsum_blocked = {
	.name = "segsum.blocked",
	.text = "sums in registers at the ends of segments, in equal shares of the entries",
	.source = "this library; Blelloch 1990; Liu 2015, section 4.4",
	.operation = EK_SEGMENTED_SUM,
	.backend = EKI_CPU,
	.array = run,
	.array_cost = cost,
};

#endif
