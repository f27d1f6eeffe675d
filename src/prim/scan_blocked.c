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
enum { AHEAD = 8192, KEPT = 64 };
/* How a tile is written: with ordinary stores (NEAR), or with non-temporal stores to an output that
 * is aligned to vectors (PAST) or not (SHIFTED). */
enum way { NEAR, PAST, SHIFTED };
struct range {
	int64_t begin, end;
};
/* The sum of a block, and those of its first KEPT tiles. */
struct scan_sums {
	eki_wide all, tile[KEPT];
};
/* Types of the current pass. */
#define TILE struct FN(tile)
#define WALK struct FN(walk)
#define EACH EK_UNROLL for (int k = 0; k < count; k++)
#endif

/* A tile to scan. `prefix` is the sum of all entries before it. `ahead` is the tile to be added up
 * at the same time: the same one, or a tile of a later block. */
struct FN(tile) {
	const VAL *in, *ahead;
	VAL *out;
	int64_t n; /* number of entries of each of the two tiles */
	VAL prefix;
	bool exclusive;
};
/* A walk through a tile, in variables of its own, since the compiler would read members of the tile
 * again after each non-temporal store. */
struct FN(walk) {
	const VAL *in, *ahead;
	VAL *out;
	bool exclusive;
	int64_t off;     /* the output begins `off` entries after an aligned address */
	vec first, one;  /* the prefix; what vaside needs */
	vec sum[4];      /* sums of the tile `ahead` */
	vec chain, held; /* the sum of all vectors of the scan so far; the last vector of results */
};

/* Prefetches the data AHEAD bytes after the vector at p, into the second-level cache only. The
 * first-level cache does not have room both for lines that wait for memory and for lines that wait
 * to be written. Bypassing it makes the scan faster: by a tenth with two threads, by a quarter with
 * one. Half of this distance is a tenth slower. */
static inline __attribute__((always_inline)) void FN(fetch)(const VAL *p, int k)
{
	if (k * W * (int)sizeof(VAL) % 64 == 0)
		__builtin_prefetch((const void *)((uintptr_t)(p + k * W) + AHEAD), 0, 2);
}

/* Writes the vector `s` to out + i in the given way. w->held is the vector before `s`, and is then
 * set to `s`. */
static inline __attribute__((always_inline)) void FN(put)(enum way way, int64_t i, vec s, WALK *w)
{
	VAL *const out = w->out;

	if (way == NEAR)
		vstore(out + i, s);
	else if (way == PAST)
		vstream(out + i, s);
	else if (i == 0)
		vstore_n(out, s, W - w->off);
	else
		vstream(out + i - w->off, vshift(s, w->off, w->held));
	w->held = s;
}

/* Adds outside the chain of sums. Where memory is not the limit, half of the additions are left to
 * the multipliers. */
static inline __attribute__((always_inline)) vec FN(join)(ek_monoid op, enum way way, const WALK *w,
                                                          vec a, vec b)
{
	return way == NEAR ? vaside(op, w->one, a, b) : vop(op, a, b);
}

/* Scans the m entries after the last whole vector, which ends before entry i. */
static inline __attribute__((always_inline)) void
FN(scan_rest)(ek_monoid op, int64_t i, int64_t m, WALK *w)
{
	const vec none = vset1(FN(identity)(op));
	vec v = vload_n(w->in + i, m, none);

	w->sum[0] = vop(op, w->sum[0], vload_n(w->ahead + i, m, none));
	v = vscan(op, v);
	v = vop(op, w->chain, w->exclusive ? vprevious(v, none) : v);
	vstore_n(w->out + i, vop(op, w->first, v), m);
}

/* Scans `count` vectors from entry i on, and adds those of `ahead` to w->sum[to] and the following.
 * All vectors are read before the first one is written, and each step is taken for all of them, so
 * that few instructions wait for the one before. */
static inline __attribute__((always_inline)) void
FN(scan_some)(ek_monoid op, enum way way, int64_t i, int count, int to, WALK *w)
{
	const vec none = vset1(FN(identity)(op));
	const VAL *in = w->in + i, *ahead = w->ahead + i;
	vec v[4], s[4];

	EACH
	{
		FN(fetch)(ahead, k);
		v[k] = vload(in + k * W);
		w->sum[to + k] = FN(join)(op, way, w, w->sum[to + k], vload(ahead + k * W));
	}
	EACH v[k] = vscan(op, v[k]);
	EACH
	{
		s[k] = w->exclusive ? vprevious(v[k], none) : v[k];
		s[k] = FN(join)(op, way, w, w->chain, s[k]);
		s[k] = FN(join)(op, way, w, w->first, s[k]);
		w->chain = vop(op, w->chain, vlast(v[k]));
	}
	EACH FN(put)(way, i + k * W, s[k], w);
}

/* Scans a tile. Non-temporal stores write whole aligned vectors. If `way` is SHIFTED, such a vector
 * is put together from the end of one vector of the scan and the beginning of the next. With
 * ordinary stores four vectors are scanned together; with the others each is written as soon as it
 * is computed, since reads, writes and additions at an even pace keep the memory busy. A chain with
 * one addition for each vector is used, since a chain with one for every four vectors takes more
 * instructions and is slower. */
static inline __attribute__((always_inline)) VAL FN(scan_tile_by)(ek_monoid op, enum way way,
                                                                  bool exclusive, const TILE *t)
{
	const vec none = vset1(FN(identity)(op));
	const int64_t n = t->n, whole = n - n % W, fours = n - n % (4 * W);
	const int together = way == NEAR ? 4 : 1;
	const int64_t past = (int64_t)((uintptr_t)t->out / sizeof(VAL)) & (W - 1);
	WALK w = {.in = t->in,
	          .ahead = t->ahead,
	          .out = t->out,
	          .exclusive = exclusive,
	          .off = way == SHIFTED ? past : 0,
	          .first = vset1(t->prefix),
	          .one = vone(),
	          .sum = {none, none, none, none},
	          .chain = none,
	          .held = none};

	/* The last cache line of the tile is written only in part, so it has to be read; it is
	 * prefetched here, before non-temporal stores queue up in front of it. */
	if (way == SHIFTED)
		__builtin_prefetch((const void *)((uintptr_t)w.out +
		                                  (uintptr_t)(n - w.off) * sizeof(VAL)),
		                   1);
	for (int64_t i = 0; i < fours; i += 4 * W) {
		EK_UNROLL
		for (int k = 0; k < 4; k += together)
			FN(scan_some)(op, way, i + k * W, together, k, &w);
	}
	for (int64_t i = fours; i < fours + 4 * W; i += W) { /* turns the four sums around once */
		if (i < whole)
			FN(scan_some)(op, way, i, 1, 0, &w);
		const vec used = w.sum[0];

		for (int k = 0; k < 3; k++)
			w.sum[k] = w.sum[k + 1];
		w.sum[3] = used;
	}
	if (way == SHIFTED && whole > 0)
		vstore_n(w.out + whole - w.off, vshift(none, w.off, w.held), w.off);
	if (whole < n)
		FN(scan_rest)(op, whole, n - whole, &w);
	return FN(four)(op, w.sum);
}

static inline __attribute__((always_inline)) VAL FN(scan_tile_op)(ek_monoid op, enum way way,
                                                                  const TILE *t)
{
	return t->exclusive ? FN(scan_tile_by)(op, way, true, t)
	                    : FN(scan_tile_by)(op, way, false, t);
}

static inline __attribute__((always_inline)) VAL FN(scan_tile_way)(ek_monoid op, enum way way,
                                                                   const TILE *t)
{
	switch (op) {
	case EK_MAX: return FN(scan_tile_op)(EK_MAX, way, t);
	case EK_MIN: return FN(scan_tile_op)(EK_MIN, way, t);
#if !EK_VAL_FLOAT
	case EK_OR: return FN(scan_tile_op)(EK_OR, way, t);
#endif
	default: return FN(scan_tile_op)(EK_SUM, way, t);
	}
}

/* Scans a tile and returns the sum of the tile `ahead`, with the bits of tile_sum. */
static VAL FN(scan_tile)(ek_monoid op, bool stream, const TILE *t)
{
	if (!stream)
		return FN(scan_tile_way)(op, NEAR, t);
	if ((uintptr_t)t->out % (W * sizeof(VAL)) == 0)
		return FN(scan_tile_way)(op, PAST, t);
	return FN(scan_tile_way)(op, SHIFTED, t);
}

/* Adds the sum of tile k to the sums of its block. */
static void FN(scan_keep)(const eki_array *a, VAL sum, int64_t k, struct scan_sums *sums)
{
	sums->all = FN(wide_op)(a->op, sums->all, FN(widen)(sum));
	if (k < KEPT)
		sums->tile[k] = FN(widen)(sum);
}

static void FN(scan_block_sum)(const eki_array *a, struct range r, struct scan_sums *sums)
{
	const int64_t tile = EKI_TILE;
	const VAL *in = a->in;

	sums->all = FN(widen)(FN(identity)(a->op));
	for (int64_t i = r.begin, k = 0; i < r.end; i += tile, k++)
		FN(scan_keep)(a, FN(tile_sum)(a->op, in + i, r.end - i < tile ? r.end - i : tile),
		              k, sums);
}

/* Scans block `own`; `prefix` is the sum of all blocks before it, and `sums` has its own sums, or
 * is NULL if they are not known yet. At the same time adds up block `next`, which is not longer,
 * to *later. Returns the sum of block `own`. */
static eki_wide FN(scan_block)(const eki_array *a, bool stream, struct range own, struct range next,
                               eki_wide prefix, const struct scan_sums *sums,
                               struct scan_sums *later)
{
	const int64_t tile = EKI_TILE;
	const VAL *in = a->in;
	VAL *out = a->out;
	eki_wide all = FN(widen)(FN(identity)(a->op));

	later->all = all;
	for (int64_t i = 0, k = 0; own.begin + i < own.end; i += tile, k++) {
		const VAL *here = in + own.begin + i, *there = in + next.begin + i;
		const int64_t n = own.end - own.begin - i < tile ? own.end - own.begin - i : tile;
		const int64_t m = next.end - next.begin - i < tile ? next.end - next.begin - i : tile;
		const TILE t = {.in = here,
		                .ahead = n == m ? there : here,
		                .out = out + own.begin + i,
		                .n = n,
		                .prefix = FN(narrow)(FN(wide_op)(a->op, prefix, all)),
		                .exclusive = a->kind == EK_EXCLUSIVE};
		const bool kept = sums && k < KEPT;
		VAL sum = 0;

		if (!kept && n == m) /* before the scan, which may overwrite the tile */
			sum = FN(tile_sum)(a->op, here, n);

		const VAL met = FN(scan_tile)(a->op, stream, &t);

		if (n != m)
			sum = met;
		all = FN(wide_op)(a->op, all, kept ? sums->tile[k] : FN(widen)(sum));
		if (m > 0)
			FN(scan_keep)(a, n == m ? met : FN(tile_sum)(a->op, there, m), k, later);
	}
	if (stream)
		vstream_end();
	return all;
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

typedef eki_wide scan_fn(const eki_array *, bool, struct range, struct range, eki_wide,
                         const struct scan_sums *, struct scan_sums *);
typedef void sum_fn(const eki_array *, struct range, struct scan_sums *);
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
	struct scan_sums sums[2];

	(void)part;
	s->sum(s->a, own, &sums[0]);
	for (int now = 0; k < s->blocks; now = !now) {
		const int64_t later = atomic_fetch_add(&s->next, 1);
		const struct range next = range_of(s, later);
		eki_wide prefix;

		eki_turn_wait(&s->turn, k);
		prefix = s->prefix;
		s->prefix = s->join(s->a, prefix, sums[now].all);
		eki_turn_pass(&s->turn, k);
		s->scan(s->a, s->stream, own, next, prefix, &sums[now], &sums[!now]);
		own = next;
		k = later;
	}
}

static void scan_alone(struct scan *s)
{
	const struct range none = {0, 0};
	struct scan_sums unused;

	for (int64_t k = 0; k < s->blocks; k++)
		s->prefix = s->join(s->a, s->prefix,
		                    s->scan(s->a, s->stream, range_of(s, k), none, s->prefix, NULL,
		                            &unused));
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
