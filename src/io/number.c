/* SPDX-License-Identifier: BSD-3-Clause
 * Converts decimal numbers to binary and back, correctly rounded. All arithmetic is on integers, so
 * the caller's rounding mode, flush-to-zero and denormals-are-zero change nothing.
 *
 * Reading: a decimal is w 10^e with w < 2^64. The product of w and the leading 128 bits of 10^e
 * gives the leading 128 bits of the decimal to within four units of the last bit. These are rounded
 * to 53 or 24 bits, or to fewer if the result is subnormal. The rounding is certain unless the bits
 * to round off are within that margin of one half. If they are, middle.c compares all digits with
 * that half (after Lemire, "Number parsing at a gigabyte per second", 2021, and Clinger, "How to
 * read floating point numbers accurately", 1990; the margin of error takes the place of their case
 * distinctions).
 *
 * Writing: the result is the shortest decimal in the rounding interval of the value. If several
 * decimals are that short, it is the one nearest to the value (Giulietti, "The Schubfach way to
 * render doubles", 2020). Three products with a power of ten give the value and both ends of the
 * interval. The last bit of each product tells whether anything was cut off, which keeps
 * comparisons exact. */
#include <math.h>

#include "io/number.h"
#include "io/pow10.h"
#include "io/product.h"

enum { POW10_MIN = -342, POW10_MAX = 324 };

/* Returns floor(e log2(10)), which is exact for |e| <= 1200. */
static int floor_log2_pow10(int e)
{
	return (int)(((int64_t)e * 1741647) >> 19);
}

/* ---- Reading --------------------------------------------------------------------------------- */

void eki_decimal_cut(eki_decimal *d, int64_t exponent)
{
	int64_t point = 0; /* digits dropped before the point, minus digits kept after it */
	int taken = 0;
	bool after = false;

	d->w = 0;
	d->more = false;
	for (const char *p = d->digits; p < d->digits_end; p++) {
		if (*p == '.') {
			after = true;
			continue;
		}
		if (taken < 19) {
			d->w = d->w * 10 + (uint64_t)(*p - '0');
			taken += d->w != 0;
			point -= after;
		} else {
			d->more |= *p != '0';
			point += !after;
		}
	}
	d->e = exponent + point;
}

/* Returns the number nearest to a decimal among the numbers that have at most `bits` bits and are
 * multiples of 2^least. The result is encoded as in the IEEE format, but with unlimited
 * exponents. */
static uint64_t nearest(const eki_decimal *d, int bits, int least)
{
	if (d->e < POW10_MIN) /* the decimal is below half the smallest double */
		return 0;
	if (d->e > POW10_MAX)
		return UINT64_MAX;
	int zeros = __builtin_clzll(d->w);
	const uint64_t *power = pow10_128[d->e - POW10_MIN];
	const uint64_t w = d->w << zeros;
	const eki_u128 half = {(uint64_t)1 << 63, 0};
	eki_u128 p = eki_add_low(eki_mul(w, power[0]), eki_mul(w, power[1]).high), rest;
	eki_u128 slack = {0, 4};
	int exponent = floor_log2_pow10((int)d->e) - 127 + 64 - zeros + 128 - bits, kept = bits;
	uint64_t m;

	if (!(p.high & half.high)) {
		p = eki_shift_left(p, 1);
		exponent--;
	}
	if (exponent < least) {
		kept -= least - exponent;
		exponent = least;
	}
	if (kept < -1) /* below half of the smallest number */
		return 0;
	if (d->more) /* digits were dropped: w may be too small by up to one */
		slack = eki_add_low(eki_shift_left((eki_u128){0, p.high / (d->w >> 32) + 1}, 32),
		                    4);
	m = kept > 0 ? p.high >> (64 - kept) : 0;
	rest = kept >= 0 ? eki_shift_left(p, kept) : eki_shift_right(p, -kept);
	slack = eki_shift_left(slack, kept > 0 ? kept : 0);
	if (eki_less(half, rest)) {
		m++;
	} else if (!eki_less(slack, eki_minus(half, rest))) {
		int above = eki_decimal_compare(d, 2 * m + 1, exponent - 1);

		m += above > 0 || (above == 0 && (m & 1));
	}
	return ((uint64_t)(exponent - least) << (bits - 1)) + m;
}

int eki_decimal_f64(const eki_decimal *d, double *value)
{
	const uint64_t infinite = (uint64_t)0x7ff << 52;
	uint64_t v = d->w ? nearest(d, 53, -1074) : 0, bits = v < infinite ? v : infinite;

	bits |= (uint64_t)d->negative << 63;
	memcpy(value, &bits, sizeof bits);
	return v >= infinite ? EKI_TOO_LARGE : v == 0 && d->w ? EKI_TOO_SMALL : EKI_EXACT;
}

int eki_decimal_f32(const eki_decimal *d, float *value)
{
	const uint64_t infinite = (uint64_t)0xff << 23;
	uint64_t v = d->w ? nearest(d, 24, -149) : 0;
	uint32_t bits = (uint32_t)(v < infinite ? v : infinite) | (uint32_t)d->negative << 31;

	memcpy(value, &bits, sizeof bits);
	return v >= infinite ? EKI_TOO_LARGE : v == 0 && d->w ? EKI_TOO_SMALL : EKI_EXACT;
}

bool eki_decimal_equals(const eki_decimal *d, double value)
{
	const uint64_t hidden = (uint64_t)1 << 52;
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return eki_decimal_compare(d, (bits & (hidden - 1)) | hidden,
	                           (int)(bits >> 52 & 0x7ff) - 1075) == 0;
}

const char *eki_take_special(const char *p, double *value)
{
	static const struct {
		const char *text;
		double value;
	} special[] = {{"nan", NAN}, {"infinity", INFINITY}, {"inf", INFINITY}};
	bool negative = *p == '-';

	p += *p == '-' || *p == '+';
	for (size_t k = 0; k < sizeof special / sizeof *special; k++) {
		size_t n = 0;

		while (special[k].text[n] && (p[n] | 0x20) == special[k].text[n])
			n++;
		if (!special[k].text[n]) {
			*value = negative ? -special[k].value : special[k].value;
			return p + n;
		}
	}
	return NULL;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* Returns the integer part of g c / 2^128, rounded to odd: its last bit is set if a nonzero part
 * was cut off. */
static uint64_t round_to_odd(const uint64_t g[2], uint64_t c)
{
	eki_u128 y = eki_add_low(eki_mul(g[0], c), eki_mul(g[1], c).high);

	return y.high | (y.low > 1);
}

/* Returns the digits of the shortest decimal that reads back as c 2^q, and stores its exponent in
 * *k: the decimal is digits * 10^k. `closer` is true if the lower neighbour of c 2^q is half as far
 * away as the upper one. */
static uint64_t shortest(uint64_t c, int q, bool closer, int *k)
{
	bool odd = c & 1;
	uint64_t g[2], low, mid, high, s, tens;

	*k = (int)(((int64_t)q * 1262611 - (closer ? 524031 : 0)) >> 22);
	int h = q + floor_log2_pow10(-*k) + 1;

	memcpy(g, pow10_128[-*k - POW10_MIN], sizeof g);
	if (-*k < 0 || -*k > 55) { /* this power is cut off, but must be rounded up */
		g[1]++;
		g[0] += g[1] == 0;
	}
	low = round_to_odd(g, (4 * c - 2 + closer) << h) + odd;
	mid = round_to_odd(g, (4 * c) << h);
	high = round_to_odd(g, (4 * c + 2) << h) - odd;
	s = mid / 4;
	tens = s / 10;
	if (tens > 0) {
		bool below = low <= 40 * tens, above = 40 * tens + 40 <= high;

		if (below != above) {
			++*k;
			return tens + above;
		}
	}
	bool below = low <= 4 * s, above = 4 * s + 4 <= high;

	if (below != above)
		return s + above;
	return s + (mid > 4 * s + 2 || (mid == 4 * s + 2 && (s & 1)));
}

char *eki_put_int(char *to, uint64_t value)
{
	static const char pair[201] = "00010203040506070809101112131415161718192021222324"
				      "25262728293031323334353637383940414243444546474849"
				      "50515253545556575859606162636465666768697071727374"
				      "75767778798081828384858687888990919293949596979899";
	char text[20], *p = text + sizeof text;

	for (; value >= 100; value /= 100)
		memcpy(p -= 2, pair + 2 * (value % 100), 2);
	if (value >= 10)
		memcpy(p -= 2, pair + 2 * value, 2);
	else
		*--p = (char)('0' + value);
	memcpy(to, p, (size_t)(text + sizeof text - p));
	return to + (text + sizeof text - p);
}

/* Writes the number digits * 10^k and returns the end of the text. An exponent is written only
 * where the number would be long without one. */
static char *put_decimal(char *to, uint64_t digits, int k)
{
	char text[24];

	while (digits % 10 == 0) {
		digits /= 10;
		k++;
	}
	int n = (int)(eki_put_int(text, digits) - text), point = n + k;

	if (k >= 0 && point <= 17) {
		memcpy(to, text, (size_t)n);
		memset(to + n, '0', (size_t)k);
		return to + point;
	}
	if (point > 0 && point <= 17) {
		memcpy(to, text, (size_t)point);
		to[point] = '.';
		memcpy(to + point + 1, text + point, (size_t)(n - point));
		return to + n + 1;
	}
	if (point <= 0 && point > -4) {
		memcpy(to, "0.000", 5);
		memcpy(to + 2 - point, text, (size_t)n);
		return to + 2 - point + n;
	}
	*to++ = text[0];
	if (n > 1) {
		*to++ = '.';
		memcpy(to, text + 1, (size_t)n - 1);
		to += n - 1;
	}
	*to++ = 'e';
	if (point - 1 < 0)
		*to++ = '-';
	return eki_put_int(to, (uint64_t)(point - 1 < 0 ? 1 - point : point - 1));
}

/* Writes a value of any type from the fields of its encoding: a mantissa of `bits` bits and an
 * exponent. The exponent is `last` for NaN and Inf; numbers with exponent 1 are multiples of
 * 2^least. No floating-point comparison is used, as that would treat subnormal values as 0 if the
 * caller has set denormals-are-zero. */
static char *put_value(char *to, bool negative, uint64_t mantissa, int exponent, int bits, int last,
                       int least)
{
	bool closer = mantissa == 0 && exponent > 1;
	int k;

	if (exponent == last && mantissa) {
		memcpy(to, "nan", 3);
		return to + 3;
	}
	if (negative)
		*to++ = '-';
	if (exponent == last) {
		memcpy(to, "inf", 3);
		return to + 3;
	}
	if (exponent == 0 && mantissa == 0) {
		*to = '0';
		return to + 1;
	}
	uint64_t digits = shortest(exponent ? mantissa | (uint64_t)1 << bits : mantissa,
	                           (exponent ? exponent : 1) - 1 + least, closer, &k);

	return put_decimal(to, digits, k);
}

char *eki_put_f64(char *to, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return put_value(to, bits >> 63, bits & (((uint64_t)1 << 52) - 1),
	                 (int)(bits >> 52 & 0x7ff), 52, 0x7ff, -1074);
}

char *eki_put_f32(char *to, float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	return put_value(to, bits >> 31, bits & (((uint32_t)1 << 23) - 1), (int)(bits >> 23 & 0xff),
	                 23, 0xff, -149);
}
