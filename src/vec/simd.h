/* SPDX-License-Identifier: BSD-3-Clause
 * The kernels of add_simd.c for blocks of merged entries, in which equal indices are neighbours:
 * those for indices are in simd_indices.c, those for values in simd_values.c. */
#ifndef EK_VEC_SIMD_H
#define EK_VEC_SIMD_H

#include "vec/vec.h"

/* Largest number of entries of a block, and of entries after its end that kernels may read. */
enum { EKI_BLOCK = 1024, EKI_BLOCK_PAD = 128 };

/* Which entries of a block equal the next one, and which differ from the one before: bit k % 64 of
 * word k / 64 is for entry k. */
typedef struct eki_block_bits {
	uint64_t pair[EKI_BLOCK / 64 + 1], head[EKI_BLOCK / 64 + 1];
} eki_block_bits;

/* Compares the n indices of a block, at most EKI_BLOCK + 1, with their neighbours. Writes each
 * index once to zi, which has space for `space` of them, and returns their number. */
typedef int64_t eki_block_indices_fn(const void *idx, int64_t n, eki_block_bits *bits, void *zi,
                                     int64_t space);
extern eki_block_indices_fn *const eki_block_indices[EK_NISA][2];

/* Adds each value whose index equals the next one to the next value. Writes the values of all heads
 * to zv. */
typedef void eki_block_values_fn(const void *val, int64_t n, const eki_block_bits *bits, void *zv,
                                 int64_t space);
extern eki_block_values_fn *const eki_block_values[EK_NISA][4];

/* Writes n values, multiplied by a factor, to `to`. */
typedef void eki_block_scale_fn(eki_scalar factor, const void *val, int64_t n, void *to);
extern eki_block_scale_fn *const eki_block_scale[EK_NISA][4];

#endif
