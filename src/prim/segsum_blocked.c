/* SPDX-License-Identifier: BSD-3-Clause
 * Segmented sums, made for short segments of any lengths. The segments are described by one bit for
 * each entry, which tells whether a segment ends at that entry. If no segment ends in a group of 64
 * entries, these are added lane by lane. Otherwise each vector is scanned in its register up to the
 * ends within it, and the sums at the ends are stored side by side. Where no segment has more than
 * four entries, that scan takes only two steps. Hardly any branch depends on a length, so short
 * segments of random length cost no mispredictions. Sums are collected in the first-level cache
 * (segsum_out.h), where the sums of empty segments are inserted.
 *
 * Each sum is a tree of additions whose leaves are the segment's k entries and zeros, so a term
 * goes through at most k - 1 additions that round. This method is our own; the bits for flags and
 * the scan in the register follow Blelloch 1990 and Liu 2015, section 4.4. */
#include <string.h>

#include "prim/segmented.h"
#define EK_ARRAYS
#define EK_FILE "prim/segsum_blocked.c"
#include "base/for_each.h"
#include "prim/segmented_lanes.h"
#include "prim/segsum_out.h"

#ifndef SEGSUM_BLOCK
#define SEGSUM_BLOCK 2048 /* number of entries that are buffered, in half of a 48 KiB cache */
#endif

/* If 64 entries have more segment ends than this, the sums at the ends are compressed in registers.
 * Otherwise the sums are picked from memory, which is faster only where a register has few
 * lanes. */
#define DENSE (sizeof(VAL) == 4 ? 0 : 24)

/* Prefetches the cache line 2 KiB after the vector at p. One prefetch for each vector spreads the
 * prefetches evenly; a burst of prefetches keeps loads waiting. The distance is shorter than that
 * of EK_AHEAD, since more is done between two vectors. */
static inline __attribute__((always_inline)) void FN(fetch)(const VAL *p)
{
	__builtin_prefetch((const void *)((uintptr_t)p + 2048));
}

/* The open segment. Its sum is the sum of all lanes of `lanes`, plus the number that is in every
 * lane of `first`. */
typedef struct FN(open) {
	vec lanes;       /* sums of entries since the last end if `bare`, else 0 */
	vec first;       /* rest of the sum, in each lane; not valid if `closed` */
	bool bare;       /* whether `lanes` may be other than 0 */
	unsigned closed; /* 1 if no segment is open, else 0 */
} FN(open);

/* Adds 64 entries to the open segment. */
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

/* Sums 64 entries by segments. A bit of `ends` is 1 if the entry is the last of its segment. Writes
 * the sums to `out` and returns the place of the next sum; up to max(W, 8) places from there on may
 * be overwritten. Each vector is scanned in `steps` steps, enough for segments of 2^steps entries.
 * If `dense` is true, the sums at the segment ends in each vector are compressed from the register
 * to `out`. Otherwise all vectors are stored first, and these sums are picked from memory. */
static inline __attribute__((always_inline)) VAL *
FN(group_by)(bool dense, int steps, const VAL *in, uint64_t ends, FN(open) * open, VAL *out)
{
	const uint64_t begins = ends << 1 | open->closed;
	const FN(lanes) lanes = FN(lanes_of)(begins, steps);
	vec before = open->first;
	_Alignas(EKI_ALIGNMENT) VAL sums[64];

	for (int i = 0; i < 64; i += W) {
		const unsigned begin = (unsigned)(begins >> i) & ((1u << W) - 1);
		vec sum = vload(in + i);

		FN(fetch)(in + i);
		sum = FN(lanes_scan)(EK_SUM, sum, &lanes, i, steps);
		/* add `before` to the lanes before the first lane that begins a segment */
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

	/* picks sums eight at a time, sometimes too many, so that the end of the loop is rarely
	 * mispredicted */
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
	/* A bit of `near` is 1 if the entry is at most three places after the beginning of its
	 * segment or of its vector. For such entries, two steps of the scan suffice. */
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

/* Sums n <= SEGSUM_BLOCK entries by segments. Bit i of `end` is 1 if entry i is the last of a
 * segment; bits from n on are 0. Returns the number of sums. */
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

/* Writes the sums of segments first .. last - 1. `some` has, in order, the sums of those segments
 * that have entries at or after `begin`. The other segments are empty and get 0. */
static void FN(place)(const eki_array *a, int64_t begin, int64_t first, int64_t last,
                      const VAL *some, FN(sums) * sums)
{
	while (first < last) {
		int64_t n = last - first < SEGSUM_CAPACITY ? last - first : SEGSUM_CAPACITY;
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
	uint8_t marks[64 + SEGSUM_BLOCK], *mark = marks + 64;
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
			                         i + n + 1, mark);
			next--;
		}
		/* An entry is the last of its segment if the next one begins a segment. */
		for (int64_t k = 0; 64 * k < n; k++)
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
	for (; s < part->last; s++) /* the remaining segments have no entries */
		((VAL *)a->out)[s] = 0;

	if (open.closed)
		open.first = vset1(0);

	VAL rest = vfold(EK_SUM, vop(EK_SUM, open.lanes, vselect(1u, open.first, vset1(0))));
	memcpy(&part->open, &rest, sizeof rest);
}

#if EK_ONCE

static ek_status run(const eki_step *step, const eki_run *v)
{
	const ek_context *ctx = step->ctx;
	const eki_array *a = v->array;
	static eki_segsum_kernel *const kernel[][4] = EK_BY_ISA_AND_VALUE(segsum_blocked);

	return eki_segsum_split(ctx, a, kernel[a->isa][eki_value_row(a->type)]);
}

/* Predicts the time in nanoseconds, from rates in bytes per nanosecond that were measured in the
 * cache. Rates are higher for types of 8 bytes, since vectors have fewer lanes, and for given
 * flags, since no flags have to be made from offsets. Rates are lower without AVX-512, since the
 * scans rely on its masks and compression. */
static double cost(const eki_features *f)
{
	const eki_array *a = f->array;
	const eki_array_speed *s = &f->machine->array;
	const size_t size = ek_value_size(a->type);
	const double share = eki_isa_level(a->isa) == EK_ISA_AVX512 ? 1 : s->segsum_narrow;

	return (double)a->n * (double)size / s->segsum_gbps[a->segments.flag != NULL][size == 8] /
	       share / a->threads;
}

const ek_method ek_segsum_blocked = {
	.name = "segsum.blocked",
	.text = "sums in registers at the ends of segments, in equal shares of the entries",
	.source = "this library; Blelloch 1990; Liu 2015, section 4.4",
	.operation = EK_SEGMENTED_SUM,
	.backend = EKI_CPU,
	.run = run,
	.cost = cost,
};

#endif
