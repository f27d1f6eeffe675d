/* SPDX-License-Identifier: BSD-3-Clause
 * Sums of many tiles without an error that grows with their number. A tile is 16 KiB of an array.
 * It is added up in the array's type by four vectors, in an order that depends on the instruction
 * set only. The sums of tiles are then added as an eki_wide: a double for f32, and a pair hi + lo
 * for f64. Additions of such pairs have a relative error of a few u^2 (Knuth's TwoSum, then
 * Dekker's; Joldes, Muller and Popescu 2017). So the order of the tiles hardly matters, and fewer
 * than 2^29 tiles add less than u to the relative error. Sums of integers, and the operations
 * maximum, minimum and bitwise or, have no errors.
 *
 * Included in every pass, after base/for_each.h with EK_ARRAYS. */
#ifndef EK_WIDE_H
#define EK_WIDE_H

typedef union eki_wide {
	struct {
		double hi, lo;
	} sum;
	int64_t integer;
} eki_wide;

/* Number of bytes in a tile. EKI_TILE is its number of entries, smaller where vectors have few
 * lanes, so that no tile has more than 1024 vectors. */
enum { EKI_TILE_BYTES = 16384 };
#define EKI_TILE                                            \
	((int64_t)(EKI_TILE_BYTES / sizeof(VAL)) < 1024 * W \
	         ? (int64_t)(EKI_TILE_BYTES / sizeof(VAL))  \
	         : (int64_t)1024 * W)
/* Length of the longest chain of additions in the sum of a tile: 1024 / 4 additions in each of four
 * chains, 2 to join the chains, 4 to add the lanes. */
enum { EKI_TILE_DEPTH = 1024 / 4 + 2 + 4 };

#endif

static inline eki_wide FN(widen)(VAL a)
{
#if EK_VAL_FLOAT
	return (eki_wide){.sum = {a, 0}};
#else
	return (eki_wide){.integer = a};
#endif
}

static inline VAL FN(narrow)(eki_wide a)
{
#if EK_VAL_FLOAT
	return (VAL)a.sum.hi;
#else
	return (VAL)a.integer;
#endif
}

static inline eki_wide FN(wide_op)(ek_monoid op, eki_wide a, eki_wide b)
{
#if EK_VAL_FLOAT
	if (op == EK_SUM) {
		double s = a.sum.hi + b.sum.hi, error = 0;

#if EK_VAL_64
		if (s - s == 0) { /* true if s is finite */
			double part = s - a.sum.hi;

			error = (a.sum.hi - (s - part)) + (b.sum.hi - part);
			error += a.sum.lo + b.sum.lo;
			part = s + error;
			error -= part - s;
			s = part;
		}
#endif
		return (eki_wide){.sum = {s, error}};
	}
#endif
	return FN(widen)(sop(op, FN(narrow)(a), FN(narrow)(b)));
}

/* Prefetches for a loop that reads four vectors at a time and is now at p. */
static inline __attribute__((always_inline)) void FN(ahead)(const VAL *p)
{
	for (int64_t k = 0; k < 4 * W; k += (int64_t)(64 / sizeof(VAL)))
		EK_AHEAD(p + k);
}

/* Returns the sum of all lanes of four vectors, which completes the sum of a tile. */
static inline __attribute__((always_inline)) VAL FN(four)(ek_monoid op, const vec v[4])
{
	return vfold(op, vop(op, vop(op, v[0], v[1]), vop(op, v[2], v[3])));
}

/* Returns the sum of up to EKI_TILE entries, by a tree of additions of depth EKI_TILE_DEPTH. */
static inline __attribute__((always_inline)) VAL FN(tile_sum_by)(ek_monoid op, const VAL *in,
                                                                 int64_t n)
{
	const vec none = vset1(FN(identity)(op));
	vec sum[4] = {none, none, none, none};
	int64_t i = 0;

	for (; i + 4 * W <= n; i += 4 * W) {
		FN(ahead)(in + i);
		EK_UNROLL
		for (int k = 0; k < 4; k++)
			sum[k] = vop(op, sum[k], vload(in + i + k * W));
	}
	for (int k = 0; i + W <= n; i += W, k++)
		sum[k] = vop(op, sum[k], vload(in + i));
	if (i < n)
		sum[0] = vop(op, sum[0], vload_n(in + i, n - i, none));
	return FN(four)(op, sum);
}

static VAL FN(tile_sum)(ek_monoid op, const VAL *in, int64_t n)
{
	switch (op) {
	case EK_MAX: return FN(tile_sum_by)(EK_MAX, in, n);
	case EK_MIN: return FN(tile_sum_by)(EK_MIN, in, n);
#if !EK_VAL_FLOAT
	case EK_OR: return FN(tile_sum_by)(EK_OR, in, n);
#endif
	default: return FN(tile_sum_by)(EK_SUM, in, n);
	}
}
