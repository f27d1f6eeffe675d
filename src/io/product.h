/* SPDX-License-Identifier: BSD-3-Clause
 * Multiplies two 64-bit numbers into a product of 128 bits. The compiler's own 128-bit type is used
 * if there is one. Otherwise the result is the sum of four products of halves (Knuth, The Art of
 * Computer Programming, volume 2, section 4.3.1, Algorithm M). */
#ifndef EKI_IO_PRODUCT_H
#define EKI_IO_PRODUCT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct eki_u128 {
	uint64_t high, low;
} eki_u128;

/* Multiplies two numbers by products of their 32-bit halves, for compilers without a 128-bit
 * type. */
static inline eki_u128 eki_mul_halves(uint64_t a, uint64_t b)
{
	const uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
	const uint64_t low = a0 * b0, cross = a1 * b0 + (low >> 32); /* no sum here overflows */
	const uint64_t middle = a0 * b1 + (cross & 0xffffffffu);

	return (eki_u128){a1 * b1 + (cross >> 32) + (middle >> 32),
	                  middle << 32 | (low & 0xffffffffu)};
}

static inline eki_u128 eki_mul(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__)
	__extension__ typedef unsigned __int128 u128;
	const u128 p = (u128)a * b;

	return (eki_u128){(uint64_t)(p >> 64), (uint64_t)p};
#else
	return eki_mul_halves(a, b);
#endif
}

static inline eki_u128 eki_add_low(eki_u128 p, uint64_t a)
{
	p.low += a;
	p.high += p.low < a;
	return p;
}

/* Shifts p to the left by n bits, 0 <= n < 64. */
static inline eki_u128 eki_shift_left(eki_u128 p, int n)
{
	return n ? (eki_u128){p.high << n | p.low >> (64 - n), p.low << n} : p;
}

static inline eki_u128 eki_shift_right(eki_u128 p, int n)
{
	return n ? (eki_u128){p.high >> n, p.high << (64 - n) | p.low >> n} : p;
}

static inline bool eki_less(eki_u128 a, eki_u128 b)
{
	return a.high < b.high || (a.high == b.high && a.low < b.low);
}

static inline eki_u128 eki_minus(eki_u128 a, eki_u128 b)
{
	return (eki_u128){a.high - b.high - (a.low < b.low), a.low - b.low};
}

#endif
