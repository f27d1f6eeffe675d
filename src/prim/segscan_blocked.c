/* SPDX-License-Identifier: BSD-3-Clause
 * The segmented scan with one read and one write. Blocks are handed out in order. What a block
 * hands on to the next is the sum behind its last flag; where it has none, that of the block,
 * brought into the cache by adding it up, behind what came before. It waits for its turn to do so,
 * then scans the block. Whoever waits does so for a block begun before its own, so any number of
 * threads that the run time grants is right.
 *
 * In a block, flags (or offsets, which become flags in the first-level cache) are bits. A vector is
 * scanned in its register, where lanes stop to grow at flags; what is open before it goes to the
 * lanes before its first flag. Output that does not fit the caches and lies on a vector's boundary
 * is written past them.
 *
 * Each result is a tree of additions whose leaves are the k entries and identities, so a term
 * passes at most k - 1 additions that round. Our own, after scan_blocked.c and Blelloch 1990,
 * section 1.5. */
#include <string.h>

#include "prim/segmented.h"
#define EK_ARRAYS
#define EK_FILE "prim/segscan_blocked.c"
#include "core/for_each.h"

#ifndef SEGSCAN_TILE
#define SEGSCAN_TILE 1024 /* entries whose flags, and results on their way out, lie in buffers */
typedef struct segscan {
	const eki_array *a;
	int64_t block, blocks;
	bool stream;
	_Atomic int64_t next;
	_Alignas(EKI_ALIGNMENT) eki_turn turn; /* of the block that may read and write `open` */
	eki_number open;
} segscan;
#endif

/* 64 entries, of which those of the bits `begins` are the first of their segments; `ahead` is
 * fetched. `open`, in each lane the value before, becomes that behind. */
static inline __attribute__((always_inline)) vec FN(group_scan)(ek_monoid op, bool exclusive,
                                                                const VAL *in, uintptr_t ahead,
                                                                uint64_t begins, vec open, VAL *out)
{
	const vec none = vset1(FN(identity)(op));

	for (uintptr_t line = 0; line < 64 * sizeof(VAL); line += 64)
		__builtin_prefetch((const void *)(ahead + line), 0, 2);
	for (int k = 0; k < 64; k += W) {
		vec v = vload(in + k), s, last, before = open;

		if (begins) {
			unsigned first = (unsigned)(begins >> k) & ((1u << W) - 1);

			v = vsegscan(op, v, first);
			last = vlast(v);
			open = vselect(first ? 0u : ~0u, vop(op, open, last), last);
			s = vselect((first & (0u - first)) - 1, vop(op, before, v), v);
			if (exclusive)
				s = vselect(first, none, vprevious(s, before));
		} else {
			v = vscan(op, v);
			open = vop(op, open, vlast(v));
			s = vop(op, before, exclusive ? vprevious(v, none) : v);
		}
		vstore(out + k, s);
	}
	return open;
}

static inline __attribute__((always_inline)) vec FN(tile_scan_by)(ek_monoid op, bool exclusive,
                                                                  const VAL *in, uintptr_t ahead,
                                                                  const uint8_t *begin, int64_t n,
                                                                  vec open, VAL *out)
{
	VAL last[64] = {0};
	int64_t i = 0;

	for (; i + 64 <= n; i += 64, ahead += 64 * sizeof(VAL)) {
		uint64_t begins = vbytes(begin + i);

		/* two texts, one without the work that flags make */
		if (begins)
			open = FN(group_scan)(op, exclusive, in + i, ahead, begins, open, out + i);
		else
			open = FN(group_scan)(op, exclusive, in + i, ahead, 0, open, out + i);
	}
	if (i < n) {
		memcpy(last, in + i, (size_t)(n - i) * sizeof *in);
		open = FN(group_scan)(op, exclusive, last, ahead, vbytes(begin + i), open, last);
		memcpy(out + i, last, (size_t)(n - i) * sizeof *out);
	}
	return open;
}

static vec FN(tile_scan)(const eki_array *a, const VAL *in, uintptr_t ahead, const uint8_t *begin,
                         int64_t n, vec open, VAL *out)
{
	bool exclusive = a->kind == EK_EXCLUSIVE;

	switch (a->op) {
	case EK_MAX: return FN(tile_scan_by)(EK_MAX, exclusive, in, ahead, begin, n, open, out);
	case EK_MIN: return FN(tile_scan_by)(EK_MIN, exclusive, in, ahead, begin, n, open, out);
#if !EK_VAL_FLOAT
	case EK_OR: return FN(tile_scan_by)(EK_OR, exclusive, in, ahead, begin, n, open, out);
#endif
	default: return FN(tile_scan_by)(EK_SUM, exclusive, in, ahead, begin, n, open, out);
	}
}

/* Entries begin .. end - 1 of the array behind `number`, which becomes what is open behind them,
 * while those from `later` are fetched. */
static void FN(segscan_block)(const segscan *job, int64_t begin, int64_t end, int64_t later,
                              eki_number *number)
{
	const eki_array *a = job->a;
	const ek_segments *g = &a->segments;
	const VAL *in = a->in;
	VAL *out = a->out, value;
	_Alignas(EKI_ALIGNMENT) VAL buffer[SEGSCAN_TILE];
	uint8_t mark[SEGSCAN_TILE];
	int64_t s = g->flag ? 0 : eki_segment_from(g, begin);
	vec open;

	memcpy(&value, number, sizeof value);
	open = vset1(value);
	for (int64_t i = begin; i < end; i += SEGSCAN_TILE) {
		int64_t n = end - i < SEGSCAN_TILE ? end - i : SEGSCAN_TILE, k = 0;
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
		open = FN(tile_scan)(a, in + i, (uintptr_t)(in + i) + (uintptr_t)later, first, n,
		                     open, job->stream ? buffer : out + i);
		if (!job->stream)
			continue;
		for (; k + W <= n; k += W)
			vstream(out + i + k, vload(buffer + k));
		memcpy(out + i + k, buffer + k, (size_t)(n - k) * sizeof *out);
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

/* Where the last segment that begins at one of these entries begins; -1 if none does. */
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

/* What is open behind a block, from what is open before it. */
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
		FN(segscan_block)
		(job, begin, end,
		 ((later < job->blocks ? later : k) - k) * job->block * (int64_t)sizeof(VAL),
		 &open);
	}
}

static void FN(segscan_alone)(void *arg, int part)
{
	segscan *job = arg;

	(void)part;
	FN(segscan_block)(job, 0, job->a->n, 4096, &job->open);
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

static ek_status run(const ek_context *ctx, const eki_array *a)
{
	static eki_part_fn *const blocks[][4] = EK_BY_ISA_AND_VALUE(segscan_blocks);
	static eki_part_fn *const alone[][4] = EK_BY_ISA_AND_VALUE(segscan_alone);
	static eki_number (*const none[])(ek_monoid) = EK_BY_VALUE(segscan_none);
	int row = eki_value_row(a->type);
	int64_t size = (int64_t)ek_value_size(a->type), bytes = a->n * size;
	segscan job = {.a = a,
	               .block = a->block ? a->block : BLOCK_BYTES / size,
	               .stream = a->in != a->out && eki_segments_stream(bytes),
	               .open = none[row](a->op)};

	EK_RETURN_IF(eki_segments_check(ctx, a, NULL, NULL));
	if (a->n == 0)
		return EK_OK;
	if (job.block > a->n)
		job.block = a->n;
	job.block += (64 - job.block % 64) % 64;
	job.stream = job.stream && (uintptr_t)a->out % EKI_ALIGNMENT == 0;
	job.blocks = a->n / job.block + (a->n % job.block > 0);
	if (a->threads > 1 && job.blocks > 1)
		eki_parallel(a->threads, a->threads, blocks[a->isa][row], &job);
	else
		alone[a->isa][row](&job, 0);
	return EK_OK;
}

static double cost(const eki_array *a)
{
	return 1000 + (double)a->n * (2 * (double)ek_value_size(a->type) + 1) / (16.0 * a->threads);
}

const ek_method ek_segscan_blocked = {
	.name = "segscan.blocked",
	.text = "blocks in turn, scanned in registers up to flags that are bits",
	.source = "this library; Blelloch 1990, section 1.5",
	.operation = EK_SEGMENTED_SCAN,
	.backend = EKI_CPU,
	.array = run,
	.array_cost = cost,
};

#endif
