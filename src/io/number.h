/* SPDX-License-Identifier: BSD-3-Clause
 * Reads numbers from text, each as the nearest value. Writes a number as the shortest text that
 * reads back as the same value. Neither reading nor writing depends on the locale or on the
 * rounding mode. The functions that are called for every line of a file are inline here; the others
 * are in number.c.
 *
 * Digits are converted eight at a time. A word is loaded with eight characters, and each character
 * is combined with '0' by exclusive or. This turns digits into bytes of at most 9, so the lowest
 * byte above 9 ends the number. Three multiplications join the digits into pairs, the pairs into
 * fours and the fours into one number. Texts must be followed by at least 16 readable bytes. */
#ifndef EK_NUMBER_H
#define EK_NUMBER_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define EKI_NUMBER_PAD 16 /* readable bytes that must follow a text */
#define EKI_NUMBER_MAX 32 /* bytes that eki_put_f64, eki_put_f32 and eki_put_int write at most */

/* The decimal number (-1)^negative * w * 10^e. If `more` is true, nonzero digits were dropped, and
 * the exact value of `w` would be between w and w + 1. */
typedef struct eki_decimal {
	uint64_t w;
	int64_t e;
	bool negative, more;
	const char *digits, *digits_end; /* text of the digits, with the decimal point */
} eki_decimal;

enum { EKI_EXACT = 0, EKI_TOO_LARGE = 1, EKI_TOO_SMALL = 2 };

/* Set *value to the value of its type that is nearest to the decimal. Return EKI_TOO_LARGE if
 * *value is infinite, and EKI_TOO_SMALL if *value is 0 but the decimal is not. In all other cases,
 * even if the value was rounded, return EKI_EXACT. */
int eki_decimal_f64(const eki_decimal *d, double *value);
int eki_decimal_f32(const eki_decimal *d, float *value);
/* Returns the sign of |decimal| - h 2^k, computed from all digits of the decimal (middle.c). The
 * two numbers must be nearly equal. */
int eki_decimal_compare(const eki_decimal *d, uint64_t h, int k);
/* Tells whether `value` is exactly equal to the decimal. `value` must be at least 1 in magnitude,
 * and no value of its type may be nearer to the decimal. */
bool eki_decimal_equals(const eki_decimal *d, double value);
/* Computes w, e and `more` of a decimal with more than 19 digits from its first 19 significant
 * digits. `exponent` is the exponent that the text has after "e". */
void eki_decimal_cut(eki_decimal *d, int64_t exponent);
/* Parses "nan", "inf" or "infinity", in upper or lower case, with or without a sign. Returns the
 * end of the word, or NULL if the text begins with none of these words. */
const char *eki_take_special(const char *p, double *value);

/* Write a value as text, without a terminating 0, and return the end of the text. NaN is written as
 * "nan". */
char *eki_put_f64(char *to, double value);
char *eki_put_f32(char *to, float value);
char *eki_put_int(char *to, uint64_t value);

/* Loads eight bytes into a word, the first byte as the lowest. */
static inline uint64_t eki_load8(const char *p)
{
	uint64_t x;

	memcpy(&x, p, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	return x;
}

/* Returns the number of digits at the beginning of a word of eight characters. Each character is
 * given as its exclusive or with '0'. */
static inline int eki_digits_in(uint64_t x)
{
	uint64_t other = ((x + 0x7676767676767676u) | x) & 0x8080808080808080u;

	return other ? __builtin_ctzll(other) >> 3 : 8;
}

/* Returns the number that is formed by the eight digits in x. The lowest byte is the most
 * significant digit. */
static inline uint64_t eki_join8(uint64_t x)
{
	x = (x * 10) + (x >> 8);
	return (((x & 0x000000ff000000ffu) * 0x000f424000000064u) +
	        (((x >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u)) >>
	       32;
}

/* Appends the decimal digits at p to the number *w, which wraps around if there are too many.
 * Returns where the digits end. */
static inline const char *eki_take_digits(const char *p, uint64_t *w)
{
	static const uint64_t power[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};

	for (;;) {
		uint64_t x = eki_load8(p) ^ 0x3030303030303030u;
		int n = eki_digits_in(x);

		if (n < 8) {
			if (n > 0)
				*w = *w * power[n] + eki_join8(x << (64 - 8 * n));
			return p + n;
		}
		*w = *w * 100000000u + eki_join8(x);
		p += 8;
	}
}

/* Parses an unsigned integer of at most 18 digits, with or without a + before it. Returns the end
 * of the integer, or NULL if there is none. */
static inline const char *eki_take_index(const char *p, uint64_t *value)
{
	const char *begin = p += *p == '+';

	*value = 0;
	p = eki_take_digits(p, value);
	return p == begin || p - begin > 18 ? NULL : p;
}

/* Parses a decimal number such as 12, -1.5, .5, 5., 1e3 or 1d3. Returns where the number ends, or
 * NULL if there is none. The caller checks what follows the number. */
static inline const char *eki_take_decimal(const char *p, eki_decimal *d)
{
	int64_t count, e = 0, exponent = 0;

	d->negative = *p == '-';
	p += *p == '-' || *p == '+';
	d->digits = p;
	d->w = 0;
	p = eki_take_digits(p, &d->w);
	count = p - d->digits;
	if (*p == '.') {
		const char *point = p++;

		p = eki_take_digits(p, &d->w);
		e = point + 1 - p;
		count -= e;
	}
	if (count == 0)
		return NULL;
	d->digits_end = p;
	if ((*p | 0x20) == 'e' || (*p | 0x20) == 'd') {
		bool minus = *++p == '-';
		const char *begin = p += *p == '-' || *p == '+';

		for (; *p >= '0' && *p <= '9'; p++)
			exponent = exponent < 100000000 ? exponent * 10 + (*p - '0') : exponent;
		if (p == begin)
			return NULL;
		exponent = minus ? -exponent : exponent;
	}
	d->e = e + exponent;
	d->more = false;
	if (count > 19)
		eki_decimal_cut(d, exponent);
	return p;
}

/* Tells whether the rounding mode of this thread is round-to-nearest. */
static inline bool eki_rounds_to_nearest(void)
{
	const volatile double one = 1, tiny = 0x1p-60;

	return one + tiny == 1 && one - tiny == 1;
}

/* Set *value to the value of its type that is nearest to the decimal. In most cases the digits and
 * the power of ten are both exact values of that type. Then one multiplication or division rounds
 * correctly (Clinger 1990) if the thread rounds to nearest; `quick` says whether it does. */
static inline int eki_nearest_f64(const eki_decimal *d, bool quick, double *value)
{
	static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
	                               1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
	                               1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#if FLT_EVAL_METHOD == 0
	if (d->w <= (uint64_t)1 << 53 && d->e >= -22 && d->e <= 22 && !d->more && quick) {
		double v = (double)(int64_t)d->w;

		v = d->e < 0 ? v / power[-d->e] : v * power[d->e];
		*value = d->negative ? -v : v;
		return EKI_EXACT;
	}
#endif
	return eki_decimal_f64(d, value);
}

static inline int eki_nearest_f32(const eki_decimal *d, bool quick, float *value)
{
	static const float power[] = {1e0F, 1e1F, 1e2F, 1e3F, 1e4F, 1e5F,
	                              1e6F, 1e7F, 1e8F, 1e9F, 1e10F};

#if FLT_EVAL_METHOD == 0
	if (d->w <= (uint64_t)1 << 24 && d->e >= -10 && d->e <= 10 && !d->more && quick) {
		float v = (float)(int32_t)d->w;

		v = d->e < 0 ? v / power[-d->e] : v * power[d->e];
		*value = d->negative ? -v : v;
		return EKI_EXACT;
	}
#endif
	return eki_decimal_f32(d, value);
}

#endif
