/* SPDX-License-Identifier: BSD-3-Clause
 * Conversions from f64 to f32 and back by bit operations. They round to the nearest value, ties to
 * even, whatever rounding mode the caller has set. They keep denormal numbers even if the caller's
 * mode flushes these to zero. The processor's own conversions would obey both modes. */
#ifndef EK_F32_H
#define EK_F32_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The smallest double that rounds to infinity in f32: FLT_MAX plus half a unit in its last
 * place. */
#define EKI_F32_END 0x1.ffffffp127

/* The f64 bits of three magnitudes. EKI_F32_NORMAL: 2^-126, the smallest normal number of f32.
 * EKI_F32_OVER: EKI_F32_END. EKI_F64_INF: infinity. EKI_F32_SHIFT is the difference between the
 * exponent biases of f64 and f32, shifted to the position of the exponent in f64. */
#define EKI_F32_NORMAL ((uint64_t)0x381 << 52)
#define EKI_F32_OVER   (((uint64_t)0x47e << 52) + 0xffffff0000000)
#define EKI_F64_INF    ((uint64_t)0x7ff << 52)
#define EKI_F32_SHIFT  ((uint64_t)896 << 52)

static inline uint64_t eki_f64_bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

/* Tells whether a value is finite but beyond the range of f32. */
static inline bool eki_f32_over(double value)
{
	return (eki_f64_bits(value) & INT64_MAX) - EKI_F32_OVER < EKI_F64_INF - EKI_F32_OVER;
}

/* Returns m / 2^shift, rounded to the nearest integer, ties to even. */
static inline uint64_t eki_shift_nearest(uint64_t m, int shift)
{
	return (m + (((uint64_t)1 << (shift - 1)) - 1) + (m >> shift & 1)) >> shift;
}

/* Returns the f32 bits, without the sign, of a number that becomes 0, denormal, infinity or NaN in
 * f32. `magnitude` has the f64 bits of the number, without the sign. */
static inline uint32_t eki_f32_unusual(uint64_t magnitude)
{
	const uint64_t hidden = (uint64_t)1 << 52;
	const int exponent = (int)(magnitude >> 52), shift = 926 - exponent;

	if (magnitude > EKI_F64_INF)
		return 0x7fc00000 | (uint32_t)(magnitude >> 29 & 0x3fffff);
	if (magnitude >= EKI_F32_OVER)
		return 0x7f800000;
	return (uint32_t)eki_shift_nearest(hidden | (magnitude & (hidden - 1)),
	                                   shift < 63 ? shift : 63);
}

/* Tells whether a number is 0 or becomes a normal number in f32, neither denormal nor infinity.
 * `magnitude` has the f64 bits of the number, without the sign. 0 is included so that zeros among
 * other values do not make the caller's branch hard to predict. */
static inline bool eki_f32_usual(uint64_t magnitude)
{
	const uint64_t nonzero = (magnitude + INT64_MAX) >> 63;
	const uint64_t m = magnitude | (EKI_F32_NORMAL & (nonzero - 1));

	return m - EKI_F32_NORMAL < EKI_F32_OVER - EKI_F32_NORMAL;
}

/* Returns the bits of the f32 that is nearest to the f64 with the given bits. */
static inline uint32_t eki_f32_nearest(uint64_t bits)
{
	const uint64_t magnitude = bits & INT64_MAX, nonzero = (magnitude + INT64_MAX) >> 63;
	const uint32_t sign = (uint32_t)(bits >> 32) & 0x80000000;
	const uint64_t usual = eki_shift_nearest(magnitude - EKI_F32_SHIFT, 29);

	return sign | (eki_f32_usual(magnitude) ? (uint32_t)usual & (0 - (uint32_t)nonzero)
	                                        : eki_f32_unusual(magnitude));
}

static inline float eki_narrow(double value)
{
	const uint32_t bits = eki_f32_nearest(eki_f64_bits(value));
	float f;

	memcpy(&f, &bits, sizeof f);
	return f;
}

/* Returns `value` as f64. Denormal numbers and zeros are computed exactly from their mantissa; all
 * others are converted by the processor. The code avoids a branch, since zeros among other values
 * would make a branch hard to predict. */
static inline double eki_widen(float value)
{
	const uint64_t usual = eki_f64_bits((double)value);
	uint32_t bits, magnitude;
	double v;

	memcpy(&bits, &value, sizeof bits);
	magnitude = bits & INT32_MAX;
	uint64_t small = eki_f64_bits((double)(int32_t)magnitude * 0x1p-149) |
	                 (uint64_t)(bits - magnitude) << 32;
	const uint64_t mask = 0 - (uint64_t)((magnitude - 0x800000) >> 31);

	small = usual ^ ((usual ^ small) & mask);
	memcpy(&v, &small, sizeof v);
	return v;
}

#endif
