/* SPDX-License-Identifier: BSD-3-Clause
 * The scan of a tile by vectors: each vector is scanned in its register by steps, then gets the sum
 * of all vectors before it and the prefix of the tile. Meanwhile another tile, or the same one, is
 * added up, so that one loop serves a thread alone, which needs the sum of its tile, and several
 * threads, which need the sum of a later block.
 *
 * Cost for a vector of 8 doubles with AVX-512: 7 additions, 4 moves within the register, a load, a
 * store, a prefetch, and no branch; with the loop, 61 instructions for four vectors.
 * Included in each pass of scan_blocked.c; Kogge and Stone 1973 (the steps). */
#ifndef EK_SCAN_TILE
#define EK_SCAN_TILE
enum { AHEAD = 8192 };
/* How a tile is written: with ordinary stores (NEAR), or with non-temporal stores to an output that
 * is aligned to vectors (PAST) or not (SHIFTED). */
enum way { NEAR, PAST, SHIFTED };
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
static inline __attribute__((always_inline)) void FN(scan_rest)(ek_monoid op, int64_t i, int64_t m,
                                                                WALK *w)
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
		__builtin_prefetch(
			(const void *)((uintptr_t)w.out + (uintptr_t)(n - w.off) * sizeof(VAL)), 1);
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
