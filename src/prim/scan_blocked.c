/* SPDX-License-Identifier: BSD-3-Clause
 * The scan at the speed of a copy: each entry is read from memory once and written once.
 *
 * Blocks that fit the cache of a core are handed out in order. A thread sums its block, which brings
 * it into that cache, waits for the prefix of all blocks before, tells its own sum to the next, and
 * scans the block from the cache. Whoever waits does so for blocks begun before its own, so any
 * number of threads that the run time grants is right. A single thread scans at once; the sums that
 * it then needs are made on the way, in the same order, so the bits are the same.
 *
 * A block is scanned by tiles of 16 KiB. Within a tile the scan starts from nothing, four vectors at
 * a time: each is scanned in its register, and only the sum of the four goes on to the next four.
 * The sum of all tiles before, kept with more digits (prim/wide.h), is added at the end. So an error
 * is that of a tile however long the array is:
 *     in a vector      log2 W additions
 *     sums of vectors  2, then TILE / (4 W) for the chain of the fours, at the end of a block W
 *     tiles before     EKI_TILE_DEPTH for one, 1 to round the sum of all
 *     two more         the four before, the tiles before
 * which is most for one lane and f32: depth 1024 + 2 + 1 + 3 in a path through the tile, and no path
 * has both a tile and tiles before it, so gamma(1040) is safe.
 *
 * Output that does not fit the caches is written past them: the tile goes to a buffer, and from there
 * in whole aligned lines, since an output is aligned to its type only.
 *
 * Zhang, Wang and Ross 2020 (partitions that fit the cache); Merrill and Garland 2016 (the chain of
 * prefixes). */
#include "prim/prim.h"
#define EK_ARRAYS
#define EK_FILE "prim/scan_blocked.c"
#include "core/for_each.h"
#include "prim/wide.h"

/* Scans n <= TILE entries from nothing, with `prefix` put before all; returns their sum, the same as
 * tile_sum. `before` of a step: the last lane is what the chain has so far. */
static inline __attribute__((always_inline)) VAL
FN(scan_tile_by)(ek_monoid op, bool exclusive, const VAL *in, VAL *out, int64_t n, VAL prefix)
{
	const vec none = vset1(FN(identity)(op)), first = vset1(prefix);
	vec sum[4] = {none, none, none, none}, chain = none;
	int64_t i = 0;

	for (; i + 4 * W <= n; i += 4 * W) {
		vec v[4], last[4];

		FN(ahead)(in + i);
		EK_UNROLL
		for (int k = 0; k < 4; k++) {
			v[k] = vload(in + i + k * W);
			sum[k] = vop(op, sum[k], v[k]);
			v[k] = vscan(op, v[k]);
			last[k] = vlast(v[k]);
		}
		last[1] = vop(op, last[0], last[1]);
		last[3] = vop(op, last[1], vop(op, last[2], last[3]));
		last[2] = vop(op, last[1], last[2]);
		for (int k = 0; k < 4; k++) {
			vec before = k ? vop(op, chain, last[k - 1]) : chain;
			vec s = exclusive ? vprevious(v[k], none) : v[k];

			vstore(out + i + k * W, vop(op, first, vop(op, before, s)));
		}
		chain = vop(op, chain, last[3]);
	}
	for (; i < n; i += W) {
		int64_t m = n - i < W ? n - i : W;
		vec v = vload_n(in + i, m, none), s;

		sum[0] = vop(op, sum[0], v);
		v = vscan(op, v);
		s = exclusive ? vprevious(v, none) : v;
		vstore_n(out + i, vop(op, first, vop(op, chain, s)), m);
		chain = vop(op, chain, vlast(v));
	}
	return vfold(op, vop(op, vop(op, sum[0], sum[1]), vop(op, sum[2], sum[3])));
}

static VAL FN(scan_tile)(const eki_array *a, const VAL *in, VAL *out, int64_t n, VAL prefix)
{
	bool exclusive = a->kind == EK_EXCLUSIVE;

	switch (a->op) {
	case EK_MAX: return FN(scan_tile_by)(EK_MAX, exclusive, in, out, n, prefix);
	case EK_MIN: return FN(scan_tile_by)(EK_MIN, exclusive, in, out, n, prefix);
#if !EK_VAL_FLOAT
	case EK_OR: return FN(scan_tile_by)(EK_OR, exclusive, in, out, n, prefix);
#endif
	default: return FN(scan_tile_by)(EK_SUM, exclusive, in, out, n, prefix);
	}
}

/* Copies past the caches; what is not a whole aligned vector by usual stores. */
static void FN(scan_stream)(VAL *to, const VAL *from, int64_t n)
{
	int64_t lanes = (int64_t)((uintptr_t)to / sizeof(VAL)) & (W - 1), i = (W - lanes) & (W - 1);

	if (i > n)
		i = n;
	vstore_n(to, vload_n(from, i, vset1(0)), i);
	for (; i + W <= n; i += W)
		vstream(to + i, vload(from + i));
	vstore_n(to + i, vload_n(from + i, n - i, vset1(0)), n - i);
}

static eki_wide FN(scan_block_sum)(const eki_array *a, int64_t begin, int64_t end)
{
	const VAL *in = a->in;

	return FN(wide_sum)(a->op, in + begin, end - begin);
}

/* The scan of a block behind `prefix`; returns the prefix of the next. */
static eki_wide FN(scan_block)(const eki_array *a, int64_t begin, int64_t end, eki_wide prefix,
                               bool stream)
{
	enum { TILE = EKI_TILE_BYTES / sizeof(VAL) };
	_Alignas(EKI_ALIGNMENT) VAL buffer[TILE];
	const VAL *in = a->in;
	VAL *out = a->out;
	eki_wide sum = FN(widen)(FN(identity)(a->op));

	for (int64_t i = begin; i < end; i += TILE) {
		int64_t n = end - i < TILE ? end - i : TILE;
		VAL all = FN(narrow)(FN(wide_op)(a->op, prefix, sum));
		VAL tile = FN(scan_tile)(a, in + i, stream ? buffer : out + i, n, all);

		if (stream)
			FN(scan_stream)(out + i, buffer, n);
		sum = FN(wide_op)(a->op, sum, FN(widen)(tile));
	}
	if (stream)
		vstream_end();
	return FN(wide_op)(a->op, prefix, sum);
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

typedef struct scan_kernels {
	eki_wide (*sum)(const eki_array *, int64_t, int64_t);
	eki_wide (*scan)(const eki_array *, int64_t, int64_t, eki_wide, bool);
	eki_wide (*join)(const eki_array *, eki_wide, eki_wide);
} scan_kernels;

struct scan {
	const eki_array *a;
	scan_kernels kernel;
	int64_t block, blocks;
	bool stream;
	_Atomic int64_t next;
	_Alignas(EKI_ALIGNMENT) eki_turn turn; /* of the block that may read and write the prefix */
	eki_wide prefix;
};

static void scan_blocks(void *arg, int part)
{
	struct scan *s = arg;
	const eki_array *a = s->a;

	(void)part;
	for (int64_t k; (k = atomic_fetch_add(&s->next, 1)) < s->blocks;) {
		int64_t begin = k * s->block, end = k + 1 < s->blocks ? begin + s->block : a->n;
		eki_wide sum = s->kernel.sum(a, begin, end), prefix;

		eki_turn_wait(&s->turn, k);
		prefix = s->prefix;
		s->prefix = s->kernel.join(a, prefix, sum);
		eki_turn_pass(&s->turn, k);
		s->kernel.scan(a, begin, end, prefix, s->stream);
	}
}

enum { BLOCK_BYTES = 1 << 19 };

static ek_status run(const ek_context *ctx, const eki_array *a)
{
	static eki_wide (*const sum[EK_NISA][4])(const eki_array *, int64_t, int64_t) =
		EK_BY_ISA_AND_VALUE(scan_block_sum);
	static eki_wide (*const scan[EK_NISA][4])(const eki_array *, int64_t, int64_t, eki_wide,
	                                          bool) = EK_BY_ISA_AND_VALUE(scan_block);
	static eki_wide (*const nothing[])(const eki_array *) = EK_BY_VALUE(scan_nothing);
	static eki_wide (*const join[])(const eki_array *, eki_wide, eki_wide) =
		EK_BY_VALUE(scan_join);
	int row = eki_value_row(a->type);
	int64_t size = (int64_t)ek_value_size(a->type);
	struct scan s = {.a = a,
	                 .kernel = {sum[a->isa][row], scan[a->isa][row], join[row]},
	                 .block = a->block ? a->block : BLOCK_BYTES / size,
	                 .stream = a->in != a->out && a->n * size > eki_cpu_cache(),
	                 .prefix = nothing[row](a)};

	(void)ctx;
	s.blocks = a->n / s.block + (a->n % s.block > 0);
	if (a->threads > 1 && s.blocks > 1) {
		int threads = s.blocks < a->threads ? (int)s.blocks : a->threads;

		eki_parallel(threads, threads, scan_blocks, &s);
		return EK_OK;
	}
	for (int64_t k = 0; k < s.blocks; k++) {
		int64_t begin = k * s.block, end = k + 1 < s.blocks ? begin + s.block : a->n;

		s.prefix = s.kernel.scan(a, begin, end, s.prefix, s.stream);
	}
	return EK_OK;
}

static double cost(const eki_array *a)
{
	return (double)a->n;
}

const ek_method ek_scan_blocked = {
	.name = "scan.blocked",
	.text = "blocks in cache: sum, chain of prefixes, scan by vectors",
	.source = "Zhang, Wang and Ross 2020",
	.operation = EK_SCAN,
	.backend = EKI_CPU,
	.array = run,
	.array_cost = cost,
};

#endif
