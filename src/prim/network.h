/* SPDX-License-Identifier: BSD-3-Clause
 * The kernels that network.c makes from sorting networks in registers: they sort short arrays of
 * pairs of keys and values, and merge sorted runs.
 *
 * Keys are handled as integers of their size. If the sign of a float is set, all its other bits are
 * flipped. That turns floats into integers of the same order, which is the total order of IEEE 754.
 * Flipping a second time gives the float back, bit for bit. */
#ifndef EK_NETWORK_H
#define EK_NETWORK_H

#include "prim/prim.h"
#include "prim_body/pair.h"

/* Flags of a kernel: whether it flips the keys that it reads (IN) and the keys that it writes
 * (OUT). A flag is not set for keys that are integers or are already flipped. eki_flip(type)
 * returns the flags for a kernel that reads and writes keys of that type in the user's arrays. */
enum { EKI_FLIP_IN = 1, EKI_FLIP_OUT = 2 };
static inline unsigned eki_flip(ek_value type)
{
	return type == EK_F32 || type == EK_F64 ? EKI_FLIP_IN | EKI_FLIP_OUT : 0;
}

/* Lists of the sizes for which kernels exist in the pass for 32 bits and in the pass for 64 bits.
 * Each element is X(name, key size, value size). */
#define EKI_PAIRS_OF_32(X) X(0, 4, 0) X(4, 4, 4)
#define EKI_PAIRS_OF_64(X) X(0, 8, 0) X(4, 8, 4) X(8, 8, 8) X(wide, 4, 8)

/* Initializers for tables of functions, indexed by instruction set, eki_int_row(type) and
 * value_size / 4. Keys of 4 bytes with values of 8 bytes are processed in lanes of 8 bytes, by
 * FN(name_wide) of the pass i64. */
#define EKI_PAIRS_OF(name, level)                                                  \
	{EK_PASTE3(name##_0, i32, level), EK_PASTE3(name##_4, i32, level),         \
	 EK_PASTE3(name##_wide, i64, level)},                                      \
		{EK_PASTE3(name##_0, i64, level), EK_PASTE3(name##_4, i64, level), \
	         EK_PASTE3(name##_8, i64, level)}
#define EKI_BY_PAIR(name) EK_BY_ISA(EKI_PAIRS_OF, name)

/* Merges two sorted runs: n1 >= 0 pairs with keys k1 and values v1, and n2 >= 0 pairs with keys k2
 * and values v2. The n1 + n2 pairs of the result go to k and v, which must not overlap the runs.
 * `flip` has EKI_FLIP_ flags. Accesses nothing beyond the arrays. Pairs with equal keys come in any
 * order. One thread reads and writes each pair once. If there are no values, v1, v2 and v are
 * ignored. */
typedef void eki_merge_run_fn(int64_t n1, const void *k1, const void *v1, int64_t n2,
                              const void *k2, const void *v2, void *k, void *v, unsigned flip);
extern eki_merge_run_fn *const eki_merge_run[EK_NISA][2][3];

/* Sorts n <= eki_short_max() pairs at `from` into `to`, which may be the same memory. Not
 * stable. */
typedef void eki_sort_short_fn(int64_t n, eki_pair_at from, eki_pair_at to, unsigned flip);
extern eki_sort_short_fn *const eki_sort_short[EK_NISA][2][3];
/* Returns the largest number of pairs that eki_sort_short can sort. Without vectors it is 32. With
 * vectors, it is the number of lanes in eight registers, where a lane is as wide as the wider of
 * key and value. */
static inline int64_t eki_short_max(ek_isa isa, ek_value type, size_t value_size)
{
	static const int lanes[EK_NISA] = {[EK_ISA_AVX2] = 8,
	                                   [EK_ISA_AVX512] = 16,
	                                   [EK_ISA_AVX2_LOADS] = 8,
	                                   [EK_ISA_AVX512_LOADS] = 16,
	                                   [EK_ISA_NEON] = 4};
	const int wide = ek_value_size(type) == 8 || value_size == 8;

	return isa == EK_ISA_SCALAR ? 32 : 8 * lanes[isa] >> wide;
}

/* ---- steps.c: sorting networks in place ------------------------------------------------------ */

/* Number of pairs in a chunk: a power of two, at least twice the number of lanes of a register. */
enum { EKI_CHUNK = 2048 };
/* Works on the chunk that begins at place c of an array of n pairs. If `stage` is 0, runs all
 * stages within the chunk. Otherwise runs the chunk's share of step k of one stage: the stage that
 * merges blocks of `stage` pairs, where `stage` is at least EKI_CHUNK. Threads may work on
 * different chunks at the same time. */
typedef void eki_step_fn(eki_pair_at p, int64_t n, int64_t stage, int64_t k, int64_t c);
/* Defines the step function for keys of `ks` bytes and values of `vs` bytes. It calls the INLINE
 * function FN(name), which has the same parameters and, after c, also ks and vs. */
#define EKI_STEP(name, pair, ks, vs)                                                      \
	static void FN(name##_##pair)(eki_pair_at p, int64_t n, int64_t stage, int64_t k, \
	                              int64_t c)                                          \
	{                                                                                 \
		FN(name)(p, n, stage, k, c, ks, vs);                                      \
	}
/* Sorts the pairs a->a by the function `step`. Runs all stages within chunks first, then the stages
 * EKI_CHUNK, 2 EKI_CHUNK, .... Each of these consists of the steps k = stage, stage / 2, ... down
 * to `least`. */
void eki_network_sort(const eki_array *a, eki_step_fn *step, int64_t least);
/* Sorts the pairs a->a in place by the bitonic sort (sort_bitonic.c). Not stable. `a` must be
 * complete and already checked. Allocates no memory. */
void eki_sort_bitonic_into(const eki_array *a);

#endif
