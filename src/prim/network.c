/* SPDX-License-Identifier: BSD-3-Clause
 * Sorting networks in registers.
 *
 * A short array is sorted in R registers, R = 1, 2, 4 or 8, which are rows of W columns. A network
 * for R keys, whose comparators take whole registers, sorts all columns at once. Then neighbouring
 * columns are merged into groups of C = 2, 4, ... W columns; a group, read row by row, is a sorted
 * sequence. The two halves of a group are merged by Batcher's bitonic merger in the form that
 * mirrors at each step: in blocks of h = R, R/2, ... 2 rows, row r is compared with the reverse of
 * row h - 1 - r. After that, each row is a bitonic sequence of C lanes, which is then sorted. The
 * result is in order row by row, so nothing is transposed.
 *
 * To merge sorted runs, one block of U registers is held, and the next block is loaded from the run
 * whose next key is the lesser. A bitonic merger of both blocks gives the lesser half, which is
 * stored, and the greater half, which is held.
 *
 * The lesser half is final. Proof: let b be the next key of the run that was not loaded last. The
 * registers hold two blocks. Suppose that fewer than a block of their keys were below b. Then more
 * than a block of keys would be above b, and all of these would come from the other run. So one of
 * them would be before the block that was loaded last, and all keys of that block would be above b.
 * But when that block was loaded, its first key was at most b.
 *
 * Incomplete blocks are padded with the greatest key. Pairs that have this key themselves could not
 * be told from the padding. So if there are values, such pairs are moved to the end beforehand.
 *
 * Cost of a merge: for every 2 W pairs, 1 + log2 W steps on two registers, and log2 U steps that
 * take whole registers.
 *
 * Batcher 1968; Chhugani et al. 2008, Efficient implementation of sorting on multi-core SIMD CPU
 * architecture; Inoue et al. 2007, AA-sort; the columns after Bramas 2017 and Blacher et al.
 * 2021. */
#include "prim/network.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_FILE "prim/network.c"
#include "base/for_each.h"

#include "prim/lanes.h"

#if W > 1

/* Number of registers in a block of a merge: 4 where the instruction set has 32 registers (AVX-512
 * and NEON), else 2. */
#define UNITS (W == 32 / (EK_VAL_64 ? 8 : 4) ? 2 : 4)

/* ---- Short arrays ---------------------------------------------------------------------------- */

/* Compares row i with row j, after reversing each group of C lanes of row j. */
#define MIRROR(i, j)                                  \
	do {                                          \
		r[j] = FN(pack_xor)(r[j], C - 1, vs); \
		FN(compare)(&r[i], &r[j], vs);        \
	} while (0)
#define COMPARE(i, j) FN(compare)(&r[i], &r[j], vs)

INLINE void FN(sort_columns)(FN(pack) * r, int R, int vs)
{
	if (R == 8) { /* 19 comparators, the fewest possible */
		COMPARE(0, 2), COMPARE(1, 3), COMPARE(4, 6), COMPARE(5, 7);
		COMPARE(0, 4), COMPARE(1, 5), COMPARE(2, 6), COMPARE(3, 7);
		COMPARE(0, 1), COMPARE(2, 3), COMPARE(4, 5), COMPARE(6, 7);
		COMPARE(2, 4), COMPARE(3, 5);
		COMPARE(1, 4), COMPARE(3, 6);
		COMPARE(1, 2), COMPARE(3, 4), COMPARE(5, 6);
	} else if (R == 4) {
		COMPARE(0, 1), COMPARE(2, 3);
		COMPARE(0, 2), COMPARE(1, 3);
		COMPARE(1, 2);
	} else if (R == 2) {
		COMPARE(0, 1);
	}
}

INLINE void FN(merge_columns)(FN(pack) * r, int R, int C, int vs)
{
	if (R >= 8) {
		MIRROR(0, 7);
		MIRROR(1, 6);
		MIRROR(2, 5);
		MIRROR(3, 4);
		MIRROR(4, 7);
		MIRROR(5, 6);
	}
	if (R >= 4) {
		MIRROR(0, 3);
		MIRROR(1, 2);
		MIRROR(2, 3);
	}
	if (R >= 8) {
		MIRROR(4, 5);
		MIRROR(6, 7);
	}
	if (R >= 2)
		MIRROR(0, 1);
	EK_UNROLL
	for (int i = 0; i < R; i++) {
		FN(compare_lanes)(&r[i], C - 1, C / 2, vs);
		FN(clean_lanes)(&r[i], C / 2, vs);
	}
}

INLINE void FN(sort_rows)(int64_t n, eki_pair_at from, eki_pair_at to, VAL in, VAL out, int R,
                          int ks, int vs)
{
	FN(pack) r[8];

	EK_UNROLL
	for (int i = 0; i < R; i++)
		r[i] = FN(pack_load)(from, i * W, n > i * W ? n - i * W : 0, ks, vs, in);
	FN(sort_columns)(r, R, vs);
	FN(merge_columns)(r, R, 2, vs);
	if (W >= 4)
		FN(merge_columns)(r, R, 4, vs);
	if (W >= 8)
		FN(merge_columns)(r, R, 8, vs);
	if (W >= 16)
		FN(merge_columns)(r, R, 16, vs);
	EK_UNROLL
	for (int i = 0; i < R; i++)
		FN(pack_store)(r[i], to, i * W, n > i * W ? n - i * W : 0, ks, vs, out);
}

/* Tells whether real pairs may be mistaken for padding. That is so if there are values and keys are
 * as wide as lanes. Narrower keys never equal the greatest key of a lane. */
#define MIXES(ks, vs) ((vs) && (ks) == (int)sizeof(VAL))

INLINE bool FN(has_greatest)(int64_t n, eki_pair_at p)
{
	const FN(raw) *key = p.key;
	bool any = false;

	for (int64_t i = 0; i < n; i++)
		any |= key[i] == GREATEST;
	return any;
}

/* Copies n pairs from `from` to `to`: first the pairs whose key is not the greatest, then the
 * others. No flip changes the greatest key. Returns the number of pairs whose key is not the
 * greatest. */
static int64_t FN(greatest_last)(int64_t n, eki_pair_at from, eki_pair_at to, int vs)
{
	FN(raw) key[8 * W];
	char value[8 * W * sizeof(VAL)];
	const eki_pair_at copy = {key, value}; /* needed because `to` may be `from` */
	const eki_pair_kind of = {sizeof(VAL), vs, false};
	int64_t few = 0, many = n;

	for (int64_t i = 0; i < n; i++)
		eki_pair_move(from, i, copy,
		              ((const FN(raw) *)from.key)[i] == GREATEST ? --many : few++, of);
	eki_pairs_copy(n, copy, 0, to, 0, of);
	return few;
}

INLINE void FN(sort_short)(int64_t n, eki_pair_at from, eki_pair_at to, unsigned flip, int ks,
                           int vs)
{
	const VAL most = ks == 4 ? (VAL)INT32_MAX : GREATEST;
	const VAL in = flip & EKI_FLIP_IN ? most : 0, out = flip & EKI_FLIP_OUT ? most : 0;

	if (MIXES(ks, vs) && n < 8 * W && FN(has_greatest)(n, from)) {
		n = FN(greatest_last)(n, from, to, vs);
		from = to;
	}
	if (n <= W)
		FN(sort_rows)(n, from, to, in, out, 1, ks, vs);
	else if (n <= 2 * W)
		FN(sort_rows)(n, from, to, in, out, 2, ks, vs);
	else if (n <= 4 * W)
		FN(sort_rows)(n, from, to, in, out, 4, ks, vs);
	else
		FN(sort_rows)(n, from, to, in, out, 8, ks, vs);
}

/* ---- Sorted runs ----------------------------------------------------------------------------- */

/* Takes step d of sorting bitonic sequences of W lanes in both blocks. */
INLINE void FN(clean_step)(FN(pack) * a, FN(pack) * b, int d, int U, int vs)
{
	const int steps = d < W ? U : 0;
	EK_UNROLL
	for (int i = 0; i < steps; i++) {
		FN(compare_lanes)(&a[i], d, d, vs);
		FN(compare_lanes)(&b[i], d, d, vs);
	}
}

/* Moves lesser keys to lower registers of a block whose keys are a bitonic sequence, until each
 * register is one of its own. */
INLINE void FN(clean_rows)(FN(pack) * r, int U, int vs)
{
	if (U == 4)
		COMPARE(0, 2), COMPARE(1, 3), COMPARE(2, 3);
	COMPARE(0, 1);
}

/* Merges two sorted blocks: the lesser half goes to `next`, the greater half stays in `held`. Each
 * step within registers is taken for all of them before the next step, so that few instructions
 * wait for the one before. */
INLINE void FN(merge_blocks)(FN(pack) * held, FN(pack) * next, int U, int vs)
{
	FN(pack) lo[4];

	EK_UNROLL
	for (int i = 0; i < U; i++) {
		FN(pack) reversed = FN(pack_xor)(next[U - 1 - i], W - 1, vs);

		lo[i] = held[i];
		held[i] = reversed;
		FN(compare)(&lo[i], &held[i], vs);
	}
	EK_UNROLL
	for (int i = 0; i < U; i++)
		next[i] = lo[i];
	FN(clean_rows)(next, U, vs);
	FN(clean_rows)(held, U, vs);
	FN(clean_step)(next, held, 8, U, vs);
	FN(clean_step)(next, held, 4, U, vs);
	FN(clean_step)(next, held, 2, U, vs);
	FN(clean_step)(next, held, 1, U, vs);
}

INLINE void FN(block_load)(FN(pack) * r, eki_pair_at p, int64_t i, int64_t n, VAL flip, int U,
                           int ks, int vs)
{
	EK_UNROLL
	for (int u = 0; u < U; u++)
		r[u] = FN(pack_load)(p, i + u * W, n > u * W ? n - u * W : 0, ks, vs, flip);
}

INLINE void FN(block_store)(FN(pack) * r, eki_pair_at p, int64_t i, int64_t n, VAL flip, int U,
                            int ks, int vs)
{
	EK_UNROLL
	for (int u = 0; u < U; u++)
		FN(pack_store)(r[u], p, i + u * W, n > u * W ? n - u * W : 0, ks, vs, flip);
}

/* Prefetches `bytes` bytes, 4 KiB after p (EK_AHEAD). Which run is read next depends on the keys,
 * which defeats the processor's own prefetching. */
INLINE void FN(ahead)(const char *p, int bytes)
{
	EK_UNROLL
	for (int k = 0; k < bytes; k += 64)
		EK_AHEAD(p + k);
}

/* Returns key i as the integer by which it is compared. */
INLINE VAL FN(head)(eki_pair_at p, int64_t i, int ks, VAL flip)
{
#if EK_VAL_64
	if (ks == 4) {
		int32_t x;

		memcpy(&x, (const char *)p.key + 4 * i, sizeof x);
		return FN(order)(x, flip);
	}
#endif
	(void)ks;
	return FN(order)(((const FN(raw) *)p.key)[i], flip);
}

/* Copies the pairs with the greatest key, which are at the end of a run of n pairs, to the places
 * of `to` before *o, and lowers *o accordingly. Returns how many pairs of the run are left. */
INLINE int64_t FN(greatest_copy)(int64_t n, eki_pair_at p, eki_pair_at to, int64_t *o, int vs)
{
	for (; n && ((const FN(raw) *)p.key)[n - 1] == GREATEST; n--)
		eki_pair_move(p, n - 1, to, --*o, (eki_pair_kind){sizeof(VAL), vs, false});
	return n;
}

INLINE void FN(merge_run)(int64_t n1, eki_pair_at p1, int64_t n2, eki_pair_at p2, eki_pair_at to,
                          unsigned flip, int ks, int vs)
{
	enum { U = UNITS, B = U * W };
	const VAL most = ks == 4 ? (VAL)INT32_MAX : GREATEST;
	const VAL in = flip & EKI_FLIP_IN ? most : 0, out = flip & EKI_FLIP_OUT ? most : 0;
	int64_t n = n1 + n2, i1 = 0, i2 = 0, o = 0;
	FN(pack) held[U], next[U];

	if (MIXES(ks, vs)) {
		n2 = FN(greatest_copy)(n2, p2, to, &n, vs);
		n1 = FN(greatest_copy)(n1, p1, to, &n, vs);
	}
	if (n1 && (!n2 || FN(head)(p1, 0, ks, in) <= FN(head)(p2, 0, ks, in))) {
		FN(block_load)(held, p1, 0, n1, in, U, ks, vs);
		i1 = n1 < B ? n1 : B;
	} else {
		FN(block_load)(held, p2, 0, n2, in, U, ks, vs);
		i2 = n2 < B ? n2 : B;
	}
	while (n1 - i1 >= B && n2 - i2 >= B) {
		const int64_t first = FN(head)(p1, i1, ks, in) <= FN(head)(p2, i2, ks, in);
		const eki_pair_at from = first ? p1 : p2;
		const int64_t i = first ? i1 : i2;

		i1 += first ? B : 0;
		i2 += first ? 0 : B;
		FN(ahead)((const char *)from.key + i * ks, B * ks);
		if (vs)
			FN(ahead)(from.value + i * vs, B * vs);
		FN(block_load)(next, from, i, B, in, U, ks, vs);
		FN(merge_blocks)(held, next, U, vs);
		FN(block_store)(next, to, o, B, out, U, ks, vs);
		o += B;
	}
	while (i1 < n1 || i2 < n2) {
		const bool first = i1 < n1 && (i2 >= n2 || FN(head)(p1, i1, ks, in) <=
		                                                   FN(head)(p2, i2, ks, in));
		int64_t *i = first ? &i1 : &i2;
		const int64_t end = first ? n1 : n2;

		FN(block_load)(next, first ? p1 : p2, *i, end - *i, in, U, ks, vs);
		*i += end - *i < B ? end - *i : B;
		FN(merge_blocks)(held, next, U, vs);
		FN(block_store)(next, to, o, n - o, out, U, ks, vs);
		o += B;
	}
	FN(block_store)(held, to, o, n - o, out, U, ks, vs);
}

#else

/* The kernels without vectors: FN(sort_short) is an insertion sort, FN(merge_run) a loop without a
 * branch on the keys. */
INLINE void FN(sort_short)(int64_t n, eki_pair_at from, eki_pair_at to, unsigned flip, int ks,
                           int vs)
{
	const VAL most = ks == 4 ? (VAL)INT32_MAX : GREATEST;
	const VAL in = flip & EKI_FLIP_IN ? most : 0, out = flip & EKI_FLIP_OUT ? most : 0;

	for (int64_t i = 0; i < n; i++) {
		const FN(pack) pair = FN(pack_load)(from, i, 1, ks, vs, in);
		int64_t k = i;

		for (; k > 0; k--) {
			const FN(pack) x = FN(pack_load)(to, k - 1, 1, ks, vs, out);

			if (x.k <= pair.k)
				break;
			FN(pack_store)(x, to, k, 1, ks, vs, out);
		}
		FN(pack_store)(pair, to, k, 1, ks, vs, out);
	}
}

INLINE void FN(merge_run)(int64_t n1, eki_pair_at p1, int64_t n2, eki_pair_at p2, eki_pair_at to,
                          unsigned flip, int ks, int vs)
{
	const VAL most = ks == 4 ? (VAL)INT32_MAX : GREATEST;
	const VAL in = flip & EKI_FLIP_IN ? most : 0, out = flip & EKI_FLIP_OUT ? most : 0;
	int64_t i = 0, j = 0;

	for (int64_t o = 0; o < n1 + n2; o++) {
		const bool first =
			i < n1 && (j >= n2 || FN(pack_load)(p1, i, 1, ks, 0, in).k <=
		                                      FN(pack_load)(p2, j, 1, ks, 0, in).k);

		const eki_pair_at from = first ? p1 : p2;
		const FN(pack) x = FN(pack_load)(from, first ? i : j, 1, ks, vs, in);

		FN(pack_store)(x, to, o, 1, ks, vs, out);
		i += first;
		j += !first;
	}
}
#endif

/* ---- Tables ---------------------------------------------------------------------------------- */

#define KERNELS(name, ks, vs)                                                                    \
	static void FN(sort_short_##name)(int64_t n, eki_pair_at from, eki_pair_at to,           \
	                                  unsigned flip)                                         \
	{                                                                                        \
		FN(sort_short)(n, from, to, flip, ks, vs);                                       \
	}                                                                                        \
	static void FN(merge_run_##name)(int64_t n1, const void *k1, const void *v1, int64_t n2, \
	                                 const void *k2, const void *v2, void *k, void *v,       \
	                                 unsigned flip)                                          \
	{                                                                                        \
		const eki_pair_at p1 = {(void *)(uintptr_t)k1, (char *)(uintptr_t)v1};           \
		const eki_pair_at p2 = {(void *)(uintptr_t)k2, (char *)(uintptr_t)v2};           \
		const eki_pair_at to = {k, v};                                                   \
                                                                                                 \
		FN(merge_run)(n1, p1, n2, p2, to, flip, ks, vs);                                 \
	}

EK_EACH_PAIR(KERNELS)
#undef KERNELS
#undef UNITS
#undef MIRROR
#undef COMPARE
#undef MIXES
#include "prim/lanes_end.h"

#if EK_ONCE

eki_sort_short_fn *const eki_sort_short[EK_NISA][2][3] = EKI_BY_PAIR(sort_short);
eki_merge_run_fn *const eki_merge_run[EK_NISA][2][3] = EKI_BY_PAIR(merge_run);

#endif
