/* SPDX-License-Identifier: BSD-3-Clause
 * Numbers as text: reading to the nearest value, writing the shortest text that reads back to the
 * same value. Neither depends on the locale or on the rounding mode. What every line of a file needs is
 * inline here, the rest is in number.c.
 *
 * Digits are taken eight at a time: in a word of eight characters, x ^ '0' is at most 9 in the
 * bytes that are digits; the lowest other byte ends the number; three multiplications join pairs,
 * fours and eights. Texts must be followed by at least 16 readable bytes. */
#ifndef EK_NUMBER_H
#define EK_NUMBER_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define EKI_NUMBER_PAD 16 /* readable bytes that must follow a text */
#define EKI_NUMBER_MAX 32 /* most bytes that the writers use */

/* (-1)^negative w 10^e; `more`: digits were left out, so the value lies between w and w + 1. */
typedef struct eki_decimal {
	uint64_t w;
	int64_t e;
	bool negative, more;
	const char *digits, *digits_end; /* the text, with its point */
} eki_decimal;

enum { EKI_EXACT = 0, EKI_TOO_LARGE = 1, EKI_TOO_SMALL = 2 };

/* The nearest value of a decimal; EKI_TOO_LARGE if that is infinite, EKI_TOO_SMALL if it is 0 and
 * the decimal is not. */
int eki_decimal_f64(const eki_decimal *d, double *value);
int eki_decimal_f32(const eki_decimal *d, float *value);
/* middle.c: the sign of (the decimal without its sign) - h 2^k, from all its digits; both must be
 * nearly the same. */
int eki_decimal_compare(const eki_decimal *d, uint64_t h, int k);
/* Is the value, which is the nearest of its type and at least 1, exactly the decimal? */
bool eki_decimal_equals(const eki_decimal *d, double value);
/* For numbers of more than 19 digits: keeps the first 19 significant ones. */
void eki_decimal_cut(eki_decimal *d, int64_t exponent);
/* "nan", "inf", "infinity" with a sign, in any case; NULL if it is none of them. */
const char *eki_take_special(const char *p, double *value);

/* Writes a value without a final 0 and returns the end. NaN is "nan". */
char *eki_put_f64(char *to, double value);
char *eki_put_f32(char *to, float value);
char *eki_put_int(char *to, uint64_t value);

static inline uint64_t eki_load8(const char *p)
{
	uint64_t x;

	memcpy(&x, p, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	return x;
}

/* How many of eight characters, given as x ^ '0' each, are digits before the first other. */
static inline int eki_digits_in(uint64_t x)
{
	uint64_t other = ((x + 0x7676767676767676u) | x) & 0x8080808080808080u;

	return other ? __builtin_ctzll(other) >> 3 : 8;
}

/* The number that eight digits make, the most significant one in the lowest byte. */
static inline uint64_t eki_join8(uint64_t x)
{
	x = (x * 10) + (x >> 8);
	return (((x & 0x000000ff000000ffu) * 0x000f424000000064u) +
	        (((x >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u)) >>
	       32;
}

/* Appends digits to *w, which wraps if there are too many; returns where they end. */
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

/* A number without sign of at most 18 digits; a + is fine. NULL if there is none. */
static inline const char *eki_take_index(const char *p, uint64_t *value)
{
	const char *begin = p += *p == '+';

	*value = 0;
	p = eki_take_digits(p, value);
	return p == begin || p - begin > 18 ? NULL : p;
}

/* A decimal number: 12, -1.5, .5, 5., 1e3, 1d3. NULL if there is none; what follows is for the
 * caller to look at. */
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

/* Does this thread round to nearest? */
static inline bool eki_rounds_to_nearest(void)
{
	const volatile double one = 1, tiny = 0x1p-60;

	return one + tiny == 1 && one - tiny == 1;
}

/* The exact cases, which are most: both the digits and the power of ten are exact (Clinger 1990),
 * so that one operation rounds as the thread does; `quick` says that this is to nearest. */
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
