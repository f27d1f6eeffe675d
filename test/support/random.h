/* SPDX-License-Identifier: BSD-3-Clause
 * A small deterministic generator of random numbers, the same on all machines: SplitMix64 (Steele,
 * Lea, Flood 2014). */
#ifndef TEST_RANDOM_H
#define TEST_RANDOM_H

#include <math.h>
#include <stdint.h>

struct rng {
	uint64_t state;
};

static inline uint64_t rng_next(struct rng *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Returns an integer from 0 to n - 1. */
static inline int64_t rng_below(struct rng *r, int64_t n)
{
	return (int64_t)(rng_next(r) % (uint64_t)n);
}

/* Returns an integer v of either sign, 1 <= |v| <= max. */
static inline double rng_integer(struct rng *r, int64_t max)
{
	double v = (double)(1 + rng_below(r, max));

	return rng_next(r) & 1 ? v : -v;
}

/* Returns a real number of either sign with 53 random bits; magnitudes spread over a factor of
 * 2^span. */
static inline double rng_real(struct rng *r, int span)
{
	double m = 0.5 + (double)(rng_next(r) >> 12) * 0x1p-53;
	int e = (int)rng_below(r, span + 1) - span / 2;

	return ldexp(rng_next(r) & 1 ? m : -m, e);
}

#endif
