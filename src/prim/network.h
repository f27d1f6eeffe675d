/* SPDX-License-Identifier: BSD-3-Clause
 * Pairs of keys and values for sorting and merging, and the kernels for short and for sorted ones
 * that network.c makes from sorting networks in registers.
 *
 * Keys are handled as integers of their size. Floats become integers of the same order, the total
 * order of IEEE 754, by flipping all bits but the sign of those whose sign is set; doing so again
 * gives the float back, bit for bit. */
#ifndef EK_NETWORK_H
#define EK_NETWORK_H

#include <string.h>

#include "prim/prim.h"

/* Where pairs lie; without values `value` is not looked at. */
typedef struct eki_run {
	void *key;
	char *value;
} eki_run;

/* Whether a kernel flips the keys that it reads, those that it writes. 0: they are integers, or
 * flipped before. Keys of the type `type` from and to the user's arrays: eki_flip(type). */
enum { EKI_FLIP_IN = 1, EKI_FLIP_OUT = 2 };
static inline unsigned eki_flip(ek_value type)
{
	return type == EK_F32 || type == EK_F64 ? EKI_FLIP_IN | EKI_FLIP_OUT : 0;
}

/* Calls X(pair, key size, value size) for the kernels of a pass. */
#define EKI_PAIRS_OF_32(X) X(0, 4, 0) X(4, 4, 4)
#define EKI_PAIRS_OF_64(X) X(0, 8, 0) X(4, 8, 4) X(8, 8, 8) X(wide, 4, 8)

/* Tables of functions by instruction set, eki_int_row(type), value_size / 4. Keys of 4 bytes with
 * values of 8 are done in lanes of 8, by FN(name_wide) of the pass i64. */
#define EKI_PAIRS_OF(name, level)                                                          \
	{                                                                                  \
		{EK_PASTE3(name##_0, i32, level), EK_PASTE3(name##_4, i32, level),         \
		 EK_PASTE3(name##_wide, i64, level)},                                      \
			{EK_PASTE3(name##_0, i64, level), EK_PASTE3(name##_4, i64, level), \
		         EK_PASTE3(name##_8, i64, level)},                                 \
	}
#if defined(__x86_64__) && defined(__GNUC__)
#define EKI_BY_PAIR(name)                                                                        \
	{                                                                                        \
		EKI_PAIRS_OF(name, scalar), EKI_PAIRS_OF(name, avx2), EKI_PAIRS_OF(name, avx512) \
	}
#else
#define EKI_BY_PAIR(name)                                                                          \
	{                                                                                          \
		EKI_PAIRS_OF(name, scalar), EKI_PAIRS_OF(name, scalar), EKI_PAIRS_OF(name, scalar) \
	}
#endif

/* Merges two sorted runs of n1 >= 0 and n2 >= 0 pairs to n1 + n2 pairs at k and v, which do not
 * overlap the runs. No access beyond the arrays. Pairs with equal keys come in any order. One
 * thread; one read and one write. v1, v2 and v are not looked at if value_size is 0. */
typedef void eki_merge_run_fn(int64_t n1, const void *k1, const void *v1, int64_t n2,
                              const void *k2, const void *v2, void *k, void *v, unsigned flip);
extern eki_merge_run_fn *const eki_merge_run[EK_NISA][2][3];

/* Sorts n <= eki_short_max pairs from `from` to `to`, which may be the same. Not stable. */
typedef void eki_sort_short_fn(int64_t n, eki_run from, eki_run to, unsigned flip);
extern eki_sort_short_fn *const eki_sort_short[EK_NISA][2][3];
/* Eight registers, of lanes as wide as the wider of key and value, but 32 without vectors. */
static inline int64_t eki_short_max(ek_isa isa, ek_value type, size_t value_size)
{
	const int wide = ek_value_size(type) == 8 || value_size == 8;

	return isa == EK_ISA_SCALAR ? 32 : (isa == EK_ISA_AVX512 ? 128 : 64) >> wide;
}

/* ---- steps.c: sorting networks in place ------------------------------------------------------ */

/* Pairs of a chunk: a power of two, at least twice the lanes of a register. */
enum { EKI_CHUNK = 2048 };
/* On the chunk from place c on of an array of n pairs: all stages within the chunk (stage = 0), or
 * step k of the stage that merges blocks of `stage` >= EKI_CHUNK. Chunks may be done at the same
 * time. */
typedef void eki_step_fn(eki_run p, int64_t n, int64_t stage, int64_t k, int64_t c);
/* The step function of a pair, from an INLINE FN(name) that takes the sizes behind c too. */
#define EKI_STEP(name, pair, ks, vs)                                                             \
	static void FN(name##_##pair)(eki_run p, int64_t n, int64_t stage, int64_t k, int64_t c) \
	{                                                                                        \
		FN(name)(p, n, stage, k, c, ks, vs);                                             \
	}
/* Sorts a->a by stages 1, 2, 4, ... of the steps k = stage, stage / 2, ... least. */
void eki_network_sort(const eki_array *a, eki_step_fn *step, int64_t least);

#endif
