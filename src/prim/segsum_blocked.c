/* SPDX-License-Identifier: BSD-3-Clause
 * Segmented sums of short segments, whatever their lengths are. Segments become a bit for each
 * entry: does a segment end here? Where 64 entries have no end, they are added lane by lane. Else
 * each vector is scanned in its register up to the ends within it, in two steps where no segment
 * has more than four entries, and the sums at the ends are stored side by side: hardly a branch
 * depends on a length, so short segments of random length cost no wrong predictions. Sums gather in
 * the first-level cache (segsum_out.h), where those of empty segments are put between.
 *
 * Each sum is a tree of additions whose leaves are the segment's entries and zeros, so a term
 * passes at most k - 1 additions that round. Our own; the bits of flags and the scan in the
 * register follow Blelloch 1990 and Liu 2015, section 4.4. */
#include <string.h>

#include "prim/segmented.h"
#define EK_ARRAYS
#define EK_FILE "prim/segsum_blocked.c"
#include "core/for_each.h"
#include "prim/segsum_out.h"

#ifndef SEGSUM_BLOCK
#define SEGSUM_BLOCK 2048 /* entries whose ends and sums lie in the buffers: half of 48 KiB */
#endif

/* Steps of a scan: after each, a lane has the sum of twice as many. */
#define STEPS (W == 1 ? 0 : W == 4 ? 2 : W == 8 ? 3 : 4)
/* More ends in 64 entries are moved together in registers; fewer are picked from memory, which pays
 * only where a register has few lanes. */
#define DENSE (sizeof(VAL) == 4 ? 0 : 24)

/* In a word of bits for lanes those of the first lanes of vectors. */
static inline uint64_t FN(first_lanes)(void)
{
	return UINT64_MAX / ((UINT64_C(1) << W) - 1);
}

/* A line for each vector, evenly: a burst of them keeps loads waiting. Nearer than EK_AHEAD, since
 * there is more to do between. */
static inline __attribute__((always_inline)) void FN(fetch)(const VAL *p)
{
	__builtin_prefetch((const void *)((uintptr_t)p + 2048));
}

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

	for (int k = 0; k < 64; k += W)
		FN(fetch)(in + k);
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
 * next sum goes. W places behind it may be written. Each vector is scanned in `steps` steps, enough
 * for segments of 2^steps entries. Where `dense`, the sums at the ends of a vector are moved
 * together within its register, else they are picked from memory. */
static inline __attribute__((always_inline)) VAL *
FN(group_by)(bool dense, int steps, const VAL *in, uint64_t ends, FN(open) * open, VAL *out)
{
	const uint64_t begins = ends << 1 | open->closed;
	uint64_t met = begins | FN(first_lanes)(), grow[4];
	vec before = open->first;
	_Alignas(EKI_ALIGNMENT) VAL sums[64];

	for (int k = 0; k < steps; k++) {
		grow[k] = ~met;
		met |= met << (1 << k);
	}
	for (int i = 0; i < 64; i += W) {
		const unsigned begin = (unsigned)(begins >> i) & ((1u << W) - 1);
		vec sum = vload(in + i);

		FN(fetch)(in + i);

		if (steps > 0)
			sum = vsegstep(sum, 1, (unsigned)(grow[0] >> i));
		if (steps > 1)
			sum = vsegstep(sum, 2, (unsigned)(grow[1] >> i));
		if (steps > 2)
			sum = vsegstep(sum, 4, (unsigned)(grow[2] >> i));
		if (steps > 3)
			sum = vsegstep(sum, 8, (unsigned)(grow[3] >> i));

		/* `before` goes to the lanes before the first that begins a segment */
		sum = vaddif(~begin & (begin - 1), sum, before);
		before = vlast(sum);
		if (dense) {
			unsigned end = (unsigned)(ends >> i) & ((1u << W) - 1);

			vcompress(out, sum, end);
			out += __builtin_popcount(end);
		} else {
			vstore(sums + i, sum);
		}
	}
	open->first = before;
	open->closed = ends >> 63;
	if (dense)
		return out;

	/* eight at a time, too many at times: few exits of the loop are then surprises */
	VAL *end = out + __builtin_popcountll(ends);

	for (; out < end; out += 8) {
		EK_UNROLL
		for (int k = 0; k < 8; k++) {
			out[k] = sums[__builtin_ctzll(ends | UINT64_C(1) << 63)];
			ends &= ends - 1;
		}
	}
	return end;
}

static inline __attribute__((always_inline)) VAL *FN(group_ends)(const VAL *in, uint64_t ends,
                                                                 FN(open) * open, VAL *out)
{
	/* beginnings, and what two steps reach from them or from a vector's first lane */
	uint64_t near = ends << 1 | open->closed | FN(first_lanes)();

	near |= near << 1;
	near |= near << 2;
	if (open->bare) {
		open->first = vop(EK_SUM, open->first, vset1(vfold(EK_SUM, open->lanes)));
		open->lanes = vset1(0);
		open->bare = false;
	}
	if (W > 4 && near == UINT64_MAX)
		return FN(group_by)(true, 2, in, ends, open, out);
	if (__builtin_popcountll(ends) > DENSE)
		return FN(group_by)(true, STEPS, in, ends, open, out);
	return FN(group_by)(false, STEPS, in, ends, open, out);
}

/* n <= SEGSUM_BLOCK entries; bit i of `end` is 1 where entry i is the last of a segment, and 0
 * behind n. Returns the number of sums. */
static int64_t FN(block)(const VAL *in, const uint64_t *end, int64_t n, FN(open) * open, VAL *sums)
{
	VAL last[64] = {0}, *out = sums;

	for (int64_t i = 0; i < n; i += 64) {
		uint64_t ends = end[i / 64];
		const VAL *from = in + i;

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
                      const VAL *some, FN(sums) * sums)
{
	while (first < last) {
		int64_t n = last - first < SEGSUM_ROOM ? last - first : SEGSUM_ROOM;
		VAL *to = FN(sums_next)(sums);

		for (int64_t k = 0; k < n; k++) {
			int64_t end = eki_offset_at(&a->segments, first + k + 1);
			VAL sum = *some;

			to[k] = end > begin ? sum : 0;
			some += end > begin;
			begin = end;
		}
		FN(sums_put)(sums, n);
		first += n;
	}
}

static void FN(segsum_blocked)(const eki_array *a, eki_segsum_part *part)
{
	const VAL *in = a->in;
	VAL some[SEGSUM_BLOCK + 2 * W];
	FN(sums) sums;
	uint8_t room[64 + SEGSUM_BLOCK], *mark = room + 64;
	uint64_t end[SEGSUM_BLOCK / 64];
	FN(open) open = {vset1(0), vset1(0), false, 1};
	int64_t s = part->first, next = s;

	FN(sums_start)(&sums, (VAL *)a->out + s, part->stream);
	for (int64_t i = part->begin; i < part->end; i += SEGSUM_BLOCK, s = next) {
		int64_t n = part->end - i < SEGSUM_BLOCK ? part->end - i : SEGSUM_BLOCK;

		const uint64_t *flags = part->bits ? part->bits + i / 64 : NULL;

		if (!flags) {
			memset(mark, 0, SEGSUM_BLOCK);
			next = eki_segments_mark(&a->segments, s + 1, part->last + 1, i + 1,
			                         i + n + 1, mark) -
			       1;
		}
		for (int64_t k = 0; 64 * k < n;
		     k++) /* an entry is the last if the next begins one */
			end[k] = flags ? flags[k] >> 1 | flags[k + 1] << 63 : vbytes(mark + 64 * k);

		int64_t count = FN(block)(in + i, end, n, &open, FN(sums_next)(&sums));

		if (flags)
			next = s + count;
		if (count == next - s) {
			FN(sums_put)(&sums, count);
		} else {
			memcpy(some, FN(sums_next)(&sums), (size_t)count * sizeof *some);
			FN(place)(a, i, s, next, some, &sums);
		}
	}
	FN(sums_end)(&sums);
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

/* Bytes in a nanosecond, measured in the cache: more where lanes are few and flags need not be
 * made, less without AVX-512, whose masks and compression the scans live on. */
static double cost(const eki_array *a)
{
	static const double rate[2][2] = {{14, 17}, {16, 21}};
	size_t size = ek_value_size(a->type);
	double share = a->isa == EK_ISA_AVX512 ? 1 : 0.4;

	return (double)a->n * (double)size / rate[a->segments.flag != NULL][size == 8] / share /
	       a->threads;
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
