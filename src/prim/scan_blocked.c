/* SPDX-License-Identifier: BSD-3-Clause
 * The scan at the speed of a copy: each entry is read from memory once and written once.
 *
 * Blocks that fit the cache of a core are handed out to threads in order. A thread sums its block,
 * which brings the block into that cache. Then it waits for the prefix, which is the sum of all
 * earlier blocks. It passes the prefix plus its own sum on to the next block, and scans its block
 * from the cache. A thread waits only for blocks begun before its own, so the runtime may grant any
 * number of threads. A single thread does not sum a block first: it computes the sums while it
 * scans, in the same order, so the bits of the result are the same.
 *
 * A block is scanned in tiles of 16 KiB or less. Within a tile the scan starts from the identity:
 * each vector is scanned in its register, and its sum is carried to the next vector. The sum of all
 * earlier tiles, which has more digits (prim/wide.h), is added at the end. So the error is that of
 * a tile, however long the array is. The additions that a result may go through are
 *     in a vector      log2 W additions
 *     sums of vectors  EKI_TILE / W additions, at most 1024, in a chain
 *     tiles before     EKI_TILE_DEPTH additions in a tile, 1 rounding of the sum of all tiles
 *     two more         1 addition of the vectors before, 1 of the tiles before
 * The longest path is that for W = 1, with 1024 + 2 additions. No path goes through both a tile and
 * the tiles before it, so the bound gamma(1040) is safe.
 *
 * Output that does not fit the caches is written with non-temporal stores, in whole aligned
 * vectors. Since an output is aligned to its type only, such a vector may have to be put together
 * from two vectors of the scan.
 *
 * Zhang, Wang and Ross 2020 (partitions that fit the cache); Merrill and Garland 2016 (the chain of
 * prefixes). */
#include "prim/prim.h"
#define EK_ARRAYS
#define EK_FILE "prim/scan_blocked.c"
#include "base/for_each.h"
#include "prim/wide.h"

#ifndef EK_SCAN_BLOCKED
#define EK_SCAN_BLOCKED
enum { AHEAD = 4096 };
/* How a tile is written: with ordinary stores (NEAR), or with non-temporal stores to an output that
 * is aligned to vectors (PAST) or not (SHIFTED). */
enum way { NEAR, PAST, SHIFTED };
struct range {
	int64_t begin, end;
};
struct scan_sums {
	eki_wide own, later;
};
/* Types of the current pass. */
#define TILE struct FN(tile)
#define SUMS struct FN(tile_sums)
#endif

/* A tile to scan. `prefix` is the sum of all entries before it. `later` is a tile of a later block,
 * to be added up at the same time, or NULL. */
struct FN(tile) {
	const VAL *in, *later;
	VAL *out;
	int64_t n; /* number of entries of each of the two tiles */
	VAL prefix;
	bool exclusive;
};
struct FN(tile_sums) {
	VAL own, later; /* sums of the two tiles, as tile_sum returns them */
};

/* Prefetches the data AHEAD bytes after the vector at p + k W, into the second-level cache only.
 * The first-level cache does not have room both for lines that wait for memory and for lines that
 * wait to be written. Bypassing it makes the scan faster: by a tenth with two threads, by a quarter
 * with one. */
static inline __attribute__((always_inline)) void FN(fetch)(const VAL *p, int k)
{
	if (k * W * (int)sizeof(VAL) % 64 == 0)
		__builtin_prefetch((const void *)((uintptr_t)(p + k * W) + AHEAD), 0, 2);
}

/* Writes the vector `s` to out + i in the given way. *held is the vector before `s`, and is then
 * set to `s`. The output begins `off` entries after an aligned address. */
static inline __attribute__((always_inline)) void FN(put)(enum way way, VAL *out, int64_t i,
                                                          int64_t off, vec s, vec *held)
{
	if (way == NEAR || (way == SHIFTED && i == 0))
		vstore_n(out + i, s, way == NEAR ? W : W - off);
	else if (way == PAST)
		vstream(out + i, s);
	else
		vstream(out + i - off, vshift(s, off, *held));
	*held = s;
}

/* Scans the entries after the last whole vector. */
static inline __attribute__((always_inline)) void
FN(scan_rest)(ek_monoid op, const TILE *t, int64_t i, vec first, vec chain, vec *sum, vec *later)
{
	const vec none = vset1(FN(identity)(op));
	const int64_t m = t->n - i;
	vec v = vload_n(t->in + i, m, none);

	*sum = vop(op, *sum, v);
	if (t->later)
		*later = vop(op, *later, vload_n(t->later + i, m, none));
	v = vscan(op, v);
	v = vop(op, chain, t->exclusive ? vprevious(v, none) : v);
	vstore_n(t->out + i, vop(op, first, v), m);
}

/* Scans a tile. Non-temporal stores write whole aligned vectors. If `way` is SHIFTED, such a vector
 * is put together from the end of one vector of the scan and the beginning of the next. Each vector
 * is written as soon as it is computed, since reads, writes and additions at an even pace keep the
 * memory busy. A chain with one addition for each vector is used, since a chain with one for every
 * four vectors takes more instructions and is slower. */
static inline __attribute__((always_inline)) SUMS FN(scan_tile_by)(ek_monoid op, enum way way,
                                                                   const TILE *t)
{
	const vec none = vset1(FN(identity)(op)), first = vset1(t->prefix);
	const int64_t n = t->n, whole = n - n % W,
		      off = way == SHIFTED ? (int64_t)((uintptr_t)t->out / sizeof(VAL)) & (W - 1)
	                                   : 0;
	vec sum[4] = {none, none, none, none}, later[4] = {none, none, none, none};
	vec chain = none, held = none;

	/* The last cache line of the tile is written only in part, so it has to be read; it is
	 * prefetched here, before non-temporal stores queue up in front of it. */
	if (way == SHIFTED)
		__builtin_prefetch(
			(const void *)((uintptr_t)t->out + (uintptr_t)(n - off) * sizeof(VAL)), 1);
	for (int64_t i = 0; i < whole; i += 4 * W) {
		EK_UNROLL
		for (int k = 0; k < 4; k++) {
			const int64_t at = i + k * W;
			vec v, s;

			if (at >= whole)
				continue;
			v = vload(t->in + at);
			FN(fetch)((t->later ? t->later : t->in) + i, k);
			if (t->later)
				later[k] = vop(op, later[k], vload(t->later + at));
			sum[k] = vop(op, sum[k], v);
			v = vscan(op, v);
			s = vop(op, chain, t->exclusive ? vprevious(v, none) : v);
			FN(put)(way, t->out, at, off, vop(op, first, s), &held);
			chain = vop(op, chain, vlast(v));
		}
	}
	if (way == SHIFTED && whole > 0)
		vstore_n(t->out + whole - off, vshift(none, off, held), off);
	if (whole < n)
		FN(scan_rest)(op, t, whole, first, chain, &sum[0], &later[0]);
	return (SUMS){FN(four)(op, sum), FN(four)(op, later)};
}

static inline __attribute__((always_inline)) SUMS FN(scan_tile_op)(ek_monoid op, enum way way,
                                                                   const TILE *t)
{
	switch (op) {
	case EK_MAX: return FN(scan_tile_by)(EK_MAX, way, t);
	case EK_MIN: return FN(scan_tile_by)(EK_MIN, way, t);
#if !EK_VAL_FLOAT
	case EK_OR: return FN(scan_tile_by)(EK_OR, way, t);
#endif
	default: return FN(scan_tile_by)(EK_SUM, way, t);
	}
}

static SUMS FN(scan_tile)(ek_monoid op, bool stream, const TILE *t)
{
	if (!stream)
		return FN(scan_tile_op)(op, NEAR, t);
	if ((uintptr_t)t->out % (W * sizeof(VAL)) == 0)
		return FN(scan_tile_op)(op, PAST, t);
	return FN(scan_tile_op)(op, SHIFTED, t);
}

static eki_wide FN(scan_block_sum)(const eki_array *a, int64_t begin, int64_t end)
{
	const VAL *in = a->in;

	return FN(wide_sum)(a->op, in + begin, end - begin);
}

/* Scans block `own`; `prefix` is the sum of all blocks before it. At the same time adds up block
 * `next`, which is not longer. Returns the sums of both blocks. */
static struct scan_sums FN(scan_block)(const eki_array *a, bool stream, struct range own,
                                       struct range next, eki_wide prefix)
{
	const int64_t tile = EKI_TILE;
	const eki_wide none = FN(widen)(FN(identity)(a->op));
	const VAL *in = a->in;
	VAL *out = a->out;
	struct scan_sums sum = {none, none};

	for (int64_t i = 0; own.begin + i < own.end; i += tile) {
		int64_t n = own.end - own.begin - i < tile ? own.end - own.begin - i : tile;
		int64_t m = next.end - next.begin - i < tile ? next.end - next.begin - i : tile;
		const TILE t = {.in = in + own.begin + i,
		                .later = n == m ? in + next.begin + i : NULL,
		                .out = out + own.begin + i,
		                .n = n,
		                .prefix = FN(narrow)(FN(wide_op)(a->op, prefix, sum.own)),
		                .exclusive = a->kind == EK_EXCLUSIVE};
		SUMS s = FN(scan_tile)(a->op, stream, &t);

		if (n != m && m > 0)
			s.later = FN(tile_sum)(a->op, in + next.begin + i, m);
		sum.own = FN(wide_op)(a->op, sum.own, FN(widen)(s.own));
		if (m > 0)
			sum.later = FN(wide_op)(a->op, sum.later, FN(widen)(s.later));
	}
	if (stream)
		vstream_end();
	return sum;
}

#if EK_PER_TYPE
static eki_wide FN(scan_nothing)(const eki_array *a)
{
	return FN(widen)(FN(identity)(a->op));
}
static eki_wide FN(scan_join)(const eki_array *a, eki_wide x, eki_wide y)
{
	return FN(wide_op)(a->op, x, y);
}
#endif

#if EK_ONCE

typedef struct scan_sums scan_fn(const eki_array *, bool, struct range, struct range, eki_wide);
typedef eki_wide sum_fn(const eki_array *, int64_t, int64_t);
typedef eki_wide join_fn(const eki_array *, eki_wide, eki_wide);

struct scan {
	const eki_array *a;
	scan_fn *scan;
	sum_fn *sum;
	join_fn *join;
	int64_t block, blocks;
	bool stream;
	_Atomic int64_t next;
	_Alignas(EKI_ALIGNMENT) eki_turn turn; /* number of the block that may use `prefix` */
	eki_wide prefix;
};

/* Returns the range of a block, or an empty range if there is no such block. */
static struct range range_of(const struct scan *s, int64_t block)
{
	struct range r = {s->a->n, s->a->n};

	if (block < s->blocks)
		r.begin = block * s->block;
	if (block + 1 < s->blocks)
		r.end = r.begin + s->block;
	return r;
}

static void scan_blocks(void *arg, int part)
{
	struct scan *s = arg;
	int64_t k = atomic_fetch_add(&s->next, 1);
	struct range own = range_of(s, k);
	eki_wide sum = s->sum(s->a, own.begin, own.end);

	(void)part;
	while (k < s->blocks) {
		int64_t later = atomic_fetch_add(&s->next, 1);
		struct range next = range_of(s, later);
		eki_wide prefix;

		eki_turn_wait(&s->turn, k);
		prefix = s->prefix;
		s->prefix = s->join(s->a, prefix, sum);
		eki_turn_pass(&s->turn, k);
		sum = s->scan(s->a, s->stream, own, next, prefix).later;
		own = next;
		k = later;
	}
}

static void scan_alone(struct scan *s)
{
	const struct range none = {0, 0};

	for (int64_t k = 0; k < s->blocks; k++) {
		eki_wide sum = s->scan(s->a, s->stream, range_of(s, k), none, s->prefix).own;

		s->prefix = s->join(s->a, s->prefix, sum);
	}
}

enum { BLOCK_BYTES = 1 << 18 };

/* Returns how many bytes of output the caches can hold in addition to the input, but at most 32
 * MiB. A large cache is shared by many cores, and a process gets only a part of it. Measurements
 * show that non-temporal stores are faster from 32 MiB on. */
static int64_t stream_from(void)
{
	int64_t half = eki_cpu_cache() / 2, most = (int64_t)32 << 20;

	return half < most ? half : most;
}

void eki_scan_into(const eki_array *a)
{
	static scan_fn *const scan[EK_NISA][4] = EK_BY_ISA_AND_VALUE(scan_block);
	static sum_fn *const sum[EK_NISA][4] = EK_BY_ISA_AND_VALUE(scan_block_sum);
	static join_fn *const join[] = EK_BY_VALUE(scan_join);
	static eki_wide (*const nothing[])(const eki_array *) = EK_BY_VALUE(scan_nothing);
	int row = eki_value_row(a->type);
	int64_t size = (int64_t)ek_value_size(a->type);
	struct scan s = {.a = a,
	                 .scan = scan[a->isa][row],
	                 .sum = sum[a->isa][row],
	                 .join = join[row],
	                 .block = a->block ? a->block : BLOCK_BYTES / size,
	                 .stream = a->in != a->out && a->n * size > stream_from(),
	                 .prefix = nothing[row](a)};
	int threads;

	s.blocks = a->n / s.block + (a->n % s.block > 0);
	threads = s.blocks < a->threads ? (int)s.blocks : a->threads;
	if (threads > 1)
		eki_parallel(a->ctx, threads, threads, scan_blocks, &s);
	else
		scan_alone(&s);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;

	(void)step;
	eki_scan_into(a);
	return EK_OK;
}

static double cost(const eki_features *f)
{
	const eki_array *a = f->array;
	return (double)a->n;
}

const ek_method ek_scan_blocked = {
	.name = "scan.blocked",
	.text = "blocks in cache: sum, chain of prefixes, scan by vectors",
	.source = "Zhang, Wang and Ross 2020",
	.operation = EK_SCAN,
	.backend = EKI_CPU,
	.run = run,
	.cost = cost,
};

#endif
