/* SPDX-License-Identifier: BSD-3-Clause
 * The scan at the speed of a copy: each entry is read from memory once and written once.
 *
 * Blocks that fit the cache of a core are handed out to threads in order. A thread sums its block,
 * which brings the block into that cache. Then it waits for the prefix, which is the sum of all
 * earlier blocks. It passes the prefix plus its own sum on to the next block, and scans its block
 * from the cache; meanwhile it sums the block that it takes next. A thread waits only for blocks
 * begun before its own, so the runtime may grant any number of threads. A single thread does not
 * sum a block first: it computes the sums while it scans, in the same order, so the bits of the
 * result are the same.
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
#include "prim/scan_tile.h"

#ifndef EK_SCAN_BLOCKED
#define EK_SCAN_BLOCKED
enum { KEPT = 64 };
struct range {
	int64_t begin, end;
};
/* The sum of a block, and those of its first KEPT tiles. */
struct scan_sums {
	eki_wide all, tile[KEPT];
};
#endif

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
	for (int64_t i = r.begin, k = 0; i < r.end; i += tile, k++) {
		const int64_t n = r.end - i < tile ? r.end - i : tile;

		FN(scan_keep)(a, FN(tile_sum)(a->op, in + i, n), k, sums);
	}
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
		const int64_t left = next.end - next.begin - i, m = left < tile ? left : tile;
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

	for (int64_t k = 0; k < s->blocks; k++) {
		const eki_wide sum =
			s->scan(s->a, s->stream, range_of(s, k), none, s->prefix, NULL, &unused);

		s->prefix = s->join(s->a, s->prefix, sum);
	}
}

enum { BLOCK_BYTES = 1 << 18 };

static int64_t block_of(const eki_array *a)
{
	return a->block ? a->block : BLOCK_BYTES / (int64_t)ek_value_size(a->type);
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
	                 .block = block_of(a),
	                 .stream = a->in != a->out && eki_array_streams(a->n * size),
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
	eki_array_note(a, "block", block_of(a));
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
