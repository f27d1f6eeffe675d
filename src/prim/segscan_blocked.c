/* SPDX-License-Identifier: BSD-3-Clause
 * The segmented scan with one read and one write of all entries. Blocks are handed out to threads
 * in order. Each block passes a sum to the next block. If the block has a flag, this is the sum of
 * its entries from its last flag to its end. Otherwise this is the sum that the block received plus
 * the sum of all its entries. Computing the sum brings the block into the cache. The thread waits
 * for its turn to pass the sum, then scans the block. It waits only for blocks begun before its
 * own, so the runtime may grant any number of threads.
 *
 * In a block, flags become bits; offsets first become flags, in the first-level cache. Each vector
 * is scanned in its register, where sums stop at flags. The sum of the segment that is open before
 * the vector is added to the lanes before its first flag. Output that does not fit the caches, and
 * is aligned to vectors, is written with non-temporal stores.
 *
 * Each result is a tree of additions whose leaves are k entries and identities, so a term goes
 * through at most k - 1 additions that round. This method is our own, after scan_blocked.c and
 * Blelloch 1990, section 1.5. */
#include <string.h>

#include "prim/segmented.h"
#define EK_ARRAYS
#define EK_FILE "prim/segscan_blocked.c"
#include "base/for_each.h"
#include "prim/segmented_lanes.h"

#ifndef SEGSCAN_TILE
#define SEGSCAN_TILE 1024 /* number of entries whose flags are buffered */
typedef struct segscan {
	const eki_array *a;
	int64_t block, blocks;
	bool stream;
	_Atomic int64_t next;
	_Alignas(EKI_ALIGNMENT) eki_turn turn; /* number of the block that may use `open` */
	eki_number open;
} segscan;
#endif

/* Scans 64 entries. A bit of `begins` is 1 if the entry is the first of its segment. `open` has, in
 * each lane, the sum of the segment that is open before these entries. Returns, in each lane, the
 * sum of the segment that is open after them. Prefetches 64 entries at address `ahead`. */
static inline __attribute__((always_inline)) vec FN(group_scan)(ek_monoid op, bool exclusive,
                                                                bool stream, const VAL *in,
                                                                uintptr_t ahead, uint64_t begins,
                                                                vec open, VAL *out)
{
	const vec none = vset1(FN(identity)(op));
	const FN(lanes) lanes = FN(lanes_of)(begins, STEPS);

	for (int k = 0; k < 64; k += W) {
		vec v = vload(in + k), s, before = open;

		if (k * (int)sizeof(VAL) % 64 == 0)
			__builtin_prefetch((const void *)(ahead + (uintptr_t)k * sizeof(VAL)), 0,
			                   2);
		if (begins) {
			v = FN(lanes_scan)(op, v, &lanes, k, STEPS);
			s = vopif(op, (unsigned)(lanes.lead >> k), v, before);
			open = vlast(s);
			if (exclusive)
				s = vselect((unsigned)(begins >> k), none, vprevious(s, before));
		} else {
			v = vscan(op, v);
			open = vop(op, open, vlast(v));
			s = vop(op, before, exclusive ? vprevious(v, none) : v);
		}
		if (stream)
			vstream(out + k, s);
		else
			vstore(out + k, s);
	}
	return open;
}

/* Scans the last n < 64 entries of the array, as group_scan does. One copy serves all operators. */
static __attribute__((noinline)) void FN(rest_scan)(ek_monoid op, bool exclusive, const VAL *in,
                                                    uint64_t begins, int64_t n, vec *open, VAL *out)
{
	VAL last[64] = {0};

	memcpy(last, in, (size_t)n * sizeof *in);
	*open = FN(group_scan)(op, exclusive, false, last, (uintptr_t)in, begins, *open, last);
	memcpy(out, last, (size_t)n * sizeof *out);
}

/* Scans n entries. `begin` has a byte for each of them, and zeros up to a multiple of 64. */
static inline __attribute__((always_inline)) vec
FN(tile_scan_by)(ek_monoid op, bool exclusive, bool stream, const VAL *in, uintptr_t ahead,
                 const uint8_t *begin, int64_t n, vec open, VAL *out)
{
	int64_t i = 0;

	for (; i + 64 <= n; i += 64, ahead += 64 * sizeof(VAL)) {
		uint64_t begins = vbytes(begin + i);

		/* group_scan is inlined twice; the second copy omits the work for flags */
		if (begins)
			open = FN(group_scan)(op, exclusive, stream, in + i, ahead, begins, open,
			                      out + i);
		else
			open = FN(group_scan)(op, exclusive, stream, in + i, ahead, 0, open,
			                      out + i);
	}
	if (i < n) {
		vec last = open; /* a copy, so that `open` stays in a register */

		FN(rest_scan)(op, exclusive, in + i, vbytes(begin + i), n - i, &last, out + i);
		return last;
	}
	return open;
}

static inline __attribute__((always_inline)) vec
FN(tile_scan_op)(ek_monoid op, bool exclusive, bool stream, const VAL *in, uintptr_t ahead,
                 const uint8_t *begin, int64_t n, vec open, VAL *out)
{
	if (stream)
		return FN(tile_scan_by)(op, exclusive, true, in, ahead, begin, n, open, out);
	return FN(tile_scan_by)(op, exclusive, false, in, ahead, begin, n, open, out);
}

static vec FN(tile_scan)(const segscan *job, const VAL *in, uintptr_t ahead, const uint8_t *begin,
                         int64_t n, vec open, VAL *out)
{
	const bool late = job->a->kind == EK_EXCLUSIVE, stream = job->stream;

	switch (job->a->op) {
	case EK_MAX: return FN(tile_scan_op)(EK_MAX, late, stream, in, ahead, begin, n, open, out);
	case EK_MIN: return FN(tile_scan_op)(EK_MIN, late, stream, in, ahead, begin, n, open, out);
#if !EK_VAL_FLOAT
	case EK_OR: return FN(tile_scan_op)(EK_OR, late, stream, in, ahead, begin, n, open, out);
#endif
	default: return FN(tile_scan_op)(EK_SUM, late, stream, in, ahead, begin, n, open, out);
	}
}

/* Scans entries begin .. end - 1. Before the call, *number is the sum of the segment that is open
 * before these entries; after the call, that of the segment that is open after them. Prefetches the
 * entries that are `later` bytes further on. */
static void FN(segscan_block)(const segscan *job, int64_t begin, int64_t end, int64_t later,
                              eki_number *number)
{
	const eki_array *a = job->a;
	const ek_segments *g = &a->segments;
	const VAL *in = a->in;
	VAL *out = a->out, value;
	uint8_t mark[SEGSCAN_TILE];
	int64_t s = g->flag ? 0 : eki_segment_from(g, begin);
	vec open;

	memcpy(&value, number, sizeof value);
	open = vset1(value);
	for (int64_t i = begin; i < end; i += SEGSCAN_TILE) {
		int64_t n = end - i < SEGSCAN_TILE ? end - i : SEGSCAN_TILE;
		const uint8_t *first = mark;

		if (g->flag && n == SEGSCAN_TILE) {
			first = g->flag + i;
		} else {
			memset(mark, 0, sizeof mark);
			if (g->flag)
				memcpy(mark, g->flag + i, (size_t)n);
			else
				s = eki_segments_mark(g, s, g->count, i, i + n, mark);
		}
		open = FN(tile_scan)(job, in + i, (uintptr_t)(in + i) + (uintptr_t)later, first, n,
		                     open, out + i);
	}
	if (job->stream)
		vstream_end();
	value = vfold(EK_MAX, open);
	memcpy(number, &value, sizeof value);
}

static inline __attribute__((always_inline)) VAL FN(sum_by)(ek_monoid op, const VAL *in, int64_t n)
{
	const vec none = vset1(FN(identity)(op));
	vec sum[4] = {none, none, none, none};
	int64_t i = 0;

	for (; i + 4 * W <= n; i += 4 * W) {
		EK_UNROLL
		for (int k = 0; k < 4; k++) {
			EK_AHEAD(in + i + k * W);
			sum[k] = vop(op, sum[k], vload(in + i + k * W));
		}
	}
	for (; i < n; i += W)
		sum[0] = vop(op, sum[0], vload_n(in + i, n - i < W ? n - i : W, none));
	return vfold(op, vop(op, vop(op, sum[0], sum[1]), vop(op, sum[2], sum[3])));
}

/* Returns the last of entries begin .. end - 1 at which a segment begins, or -1 if there is
 * none. */
static int64_t FN(last_begin)(const ek_segments *g, int64_t begin, int64_t end)
{
	if (!g->flag) {
		int64_t s = eki_segment_from(g, end) - 1;

		return s >= 0 && eki_offset_at(g, s) >= begin ? eki_offset_at(g, s) : -1;
	}
	while (end - begin >= 64 && !vbytes(g->flag + end - 64))
		end -= 64;
	while (end > begin && !g->flag[end - 1])
		end--;
	return end > begin ? end - 1 : -1;
}

/* Computes the sum of the segment that is open after block k, and passes it on when it is the
 * block's turn. *before gets the sum of the segment that is open before the block. */
static void FN(segscan_open)(segscan *job, int64_t k, int64_t begin, int64_t end,
                             eki_number *before)
{
	const eki_array *a = job->a;
	const VAL *in = a->in;
	int64_t last = FN(last_begin)(&a->segments, begin, end), from = last < 0 ? begin : last;
	VAL sum, open;

	switch (a->op) {
	case EK_MAX: sum = FN(sum_by)(EK_MAX, in + from, end - from); break;
	case EK_MIN: sum = FN(sum_by)(EK_MIN, in + from, end - from); break;
#if !EK_VAL_FLOAT
	case EK_OR: sum = FN(sum_by)(EK_OR, in + from, end - from); break;
#endif
	default: sum = FN(sum_by)(EK_SUM, in + from, end - from);
	}
	eki_turn_wait(&job->turn, k);
	*before = job->open;
	memcpy(&open, before, sizeof open);
	if (last < 0)
		sum = sop(a->op, open, sum);
	memcpy(&job->open, &sum, sizeof sum);
	eki_turn_pass(&job->turn, k);
}

static void FN(segscan_blocks)(void *arg, int part)
{
	segscan *job = arg;
	int64_t n = job->a->n;

	(void)part;
	for (int64_t k = atomic_fetch_add(&job->next, 1), later; k < job->blocks; k = later) {
		int64_t begin = k * job->block, end = k + 1 < job->blocks ? begin + job->block : n;
		eki_number open;

		FN(segscan_open)(job, k, begin, end, &open);
		later = atomic_fetch_add(&job->next, 1);

		const int64_t skip = (later < job->blocks ? later : k) - k;

		FN(segscan_block)(job, begin, end, skip * job->block * (int64_t)sizeof(VAL), &open);
	}
}

static void FN(segscan_alone)(void *arg, int part)
{
	segscan *job = arg;

	(void)part;
	FN(segscan_block)(job, 0, job->a->n, 8192, &job->open);
}

#if EK_PER_TYPE
static eki_number FN(segscan_none)(ek_monoid op)
{
	eki_number number = {{0}};
	VAL none = FN(identity)(op);

	memcpy(&number, &none, sizeof none);
	return number;
}
#endif

#if EK_ONCE

enum { BLOCK_BYTES = 1 << 19 };

static ek_status run(const eki_step *step, const eki_run *v)
{
	const ek_context *ctx = step->ctx;
	const eki_array *a = v->array;
	static eki_part_fn *const blocks[][4] = EK_BY_ISA_AND_VALUE(segscan_blocks);
	static eki_part_fn *const alone[][4] = EK_BY_ISA_AND_VALUE(segscan_alone);
	static eki_number (*const none[])(ek_monoid) = EK_BY_VALUE(segscan_none);
	int row = eki_value_row(a->type);
	int64_t size = (int64_t)ek_value_size(a->type), bytes = a->n * size;

	segscan job = {.a = a,
	               .block = a->block ? a->block : BLOCK_BYTES / size,
	               .stream = a->in != a->out && eki_array_streams(bytes),
	               .open = none[row](a->op)};

	EK_RETURN_IF(eki_segments_check(ctx, a, NULL, NULL));
	if (a->n == 0)
		return EK_OK;
	if (job.block > a->n)
		job.block = a->n;
	job.block += (64 - job.block % 64) % 64;
	eki_array_note(a, "block", job.block);
	job.stream = job.stream && (uintptr_t)a->out % EKI_ALIGNMENT == 0;
	job.blocks = a->n / job.block + (a->n % job.block > 0);
	if (a->threads > 1 && job.blocks > 1)
		eki_parallel(a->ctx, a->threads, a->threads, blocks[a->isa][row], &job);
	else
		alone[a->isa][row](&job, 0);
	return EK_OK;
}

static double cost(const eki_features *f)
{
	const eki_array *a = f->array;
	const eki_array_speed *s = &f->machine->array;

	return s->segscan_call + (double)a->n * (2 * (double)ek_value_size(a->type) + 1) /
	                                 (s->segscan_gbps * a->threads);
}

const ek_method ek_segscan_blocked = {
	.name = "segscan.blocked",
	.text = "blocks in turn, scanned in registers up to flags that are bits",
	.source = "this library; Blelloch 1990, section 1.5",
	.operation = EK_SEGMENTED_SCAN,
	.backend = EKI_CPU,
	.run = run,
	.cost = cost,
};

#endif
