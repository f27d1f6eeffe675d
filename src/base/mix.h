/* SPDX-License-Identifier: BSD-3-Clause
 * The mixer of SplitMix64 (Steele, Lea and Flood 2014), for hashes and for random numbers. */
#ifndef EK_BASE_MIX_H
#define EK_BASE_MIX_H

#include <stdint.h>

/* What the counter of SplitMix64 goes up by: 2^64 divided by the golden ratio, made odd. */
#define EKI_GOLDEN UINT64_C(0x9e3779b97f4a7c15)

/* Returns a word whose bits all depend on all bits of x. Different words stay different. */
static inline uint64_t eki_mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* Returns random number `at` of the sequence that begins behind `seed`. */
static inline uint64_t eki_random_at(uint64_t at, uint64_t seed)
{
	return eki_mix(seed + (at + 1) * EKI_GOLDEN);
}

#endif
