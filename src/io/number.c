/* SPDX-License-Identifier: BSD-3-Clause
 * Decimal to binary and back, correctly rounded.
 *
 * Reading: w 10^e with w < 2^64 is multiplied by the leading 128 bits of 10^e. The product is known
 * to within four units of its 128 leading bits, so its rounding to 53 or 24 bits is certain unless
 * the bits below lie that near to one half; then, and where the result is subnormal or infinite,
 * the C library decides, on a text without a decimal point, which no locale changes (after Lemire,
 * "Number parsing at a gigabyte per second", 2021, and Clinger, "How to read floating point numbers
 * accurately", 1990; the margin of error takes the place of their case distinctions).
 *
 * Writing: the shortest decimal in the rounding interval, the nearest to the value among those
 * (Giulietti, "The Schubfach way to render doubles", 2020). Three products with a power of ten tell
 * the interval exactly, their last bit standing for all that was cut off. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "io/number.h"
#include "io/pow10.h"
#include "io/product.h"

enum { POW10_MIN = -342, POW10_MAX = 324 };

/* floor(e log2(10)), exact for |e| <= 1200 */
static int floor_log2_pow10(int e)
{
	return (int)(((int64_t)e * 1741647) >> 19);
}

/* ---- Reading --------------------------------------------------------------------------------- */

void eki_decimal_cut(eki_decimal *d, int64_t exponent)
{
	int64_t point = 0; /* digits before the point, less those taken */
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

/* The nearest number of `bits` bits, as mantissa and exponent; false if that is not certain. */
static bool round_product(uint64_t w, int64_t e, int bits, int64_t *mantissa, int *exponent)
{
	if (e < POW10_MIN || e > POW10_MAX)
		return false;
	int zeros = __builtin_clzll(w);
	const uint64_t *power = pow10_128[e - POW10_MIN], half = (uint64_t)1 << 63;
	eki_u128 p = eki_add_low(eki_mul(w << zeros, power[0]), eki_mul(w << zeros, power[1]).high);
	int binary = floor_log2_pow10((int)e) - 127 + 64 - zeros;

	if (!(p.high & half)) {
		p.high = p.high << 1 | p.low >> 63;
		p.low <<= 1;
		binary--;
	}
	eki_u128 rest = {p.high << bits | p.low >> (64 - bits), p.low << bits};
	bool above = rest.high > half || (rest.high == half && rest.low > 0);

	/* At or below one half, by at most four units. */
	if (!above && half - rest.high == (rest.low > 0) && 0 - rest.low <= (uint64_t)4 << bits)
		return false;
	*mantissa = (int64_t)(p.high >> (64 - bits)) + above;
	*exponent = binary + 128 - bits;
	return true;
}

/* The number as an integer times a power of ten, for strtod: past 800 significant digits only
 * whether there is anything more matters (the longest exact middle between two doubles has 768). */
static void plain_text(const eki_decimal *d, char *text)
{
	int64_t exponent = d->e;
	int taken = 0;
	bool more = false;
	int64_t all = 0;

	for (const char *p = d->digits; p < d->digits_end; p++)
		if (*p != '.' && (all > 0 || *p != '0')) {
			if (all++ < 800)
				text[taken++] = *p;
			else
				more |= *p != '0';
		}
	if (taken > 19) /* e belongs to the first 19 digits */
		exponent -= taken - 19;
	if (more) {
		text[taken++] = '1';
		exponent--;
	}
	if (taken == 0)
		text[taken++] = '0';
	text[taken++] = 'e';
	if (exponent < 0)
		text[taken++] = '-';
	*eki_put_int(text + taken, (uint64_t)(exponent < 0 ? -exponent : exponent)) = '\0';
}

int eki_decimal_f64(const eki_decimal *d, double *value)
{
	int64_t m, m1;
	int e, e1;
	double v = 0;

	if (d->w == 0 && !d->more) {
		*value = d->negative ? -0.0 : 0.0;
		return EKI_EXACT;
	}
	if (round_product(d->w, d->e, 53, &m, &e) && e >= -1074 && e < 971 - 1 &&
	    (!d->more || (round_product(d->w + 1, d->e, 53, &m1, &e1) && m == m1 && e == e1))) {
		uint64_t bits = ((uint64_t)(e + 1075) << 52) + (uint64_t)m - ((uint64_t)1 << 52);

		memcpy(&v, &bits, sizeof v);
	} else {
		char text[840];
		int saved = errno;

		plain_text(d, text);
		v = strtod(text, NULL);
		errno = saved;
	}
	*value = d->negative ? -v : v;
	return isinf(v) ? EKI_TOO_LARGE : v == 0 ? EKI_TOO_SMALL : EKI_EXACT;
}

int eki_decimal_f32(const eki_decimal *d, float *value)
{
	int64_t m, m1;
	int e, e1;
	float v = 0;

	if (d->w == 0 && !d->more) {
		*value = d->negative ? -0.0F : 0.0F;
		return EKI_EXACT;
	}
	if (round_product(d->w, d->e, 24, &m, &e) && e >= -149 && e < 104 - 1 &&
	    (!d->more || (round_product(d->w + 1, d->e, 24, &m1, &e1) && m == m1 && e == e1))) {
		uint32_t bits = ((uint32_t)(e + 150) << 23) + (uint32_t)m - ((uint32_t)1 << 23);

		memcpy(&v, &bits, sizeof v);
	} else {
		char text[840];
		int saved = errno;

		plain_text(d, text);
		v = strtof(text, NULL);
		errno = saved;
	}
	*value = d->negative ? -v : v;
	return isinf(v) ? EKI_TOO_LARGE : v == 0 ? EKI_TOO_SMALL : EKI_EXACT;
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

/* g c / 2^128, rounded to odd: the last bit is set if anything was cut off. */
static uint64_t round_to_odd(const uint64_t g[2], uint64_t c)
{
	eki_u128 y = eki_add_low(eki_mul(g[0], c), eki_mul(g[1], c).high);

	return y.high | (y.low > 1);
}

/* The shortest decimal digits * 10^k that reads as c 2^q; `closer`: the lower neighbour is half as
 * far away as the upper one. */
static uint64_t shortest(uint64_t c, int q, bool closer, int *k)
{
	bool odd = c & 1;
	uint64_t g[2], low, mid, high, s, tens;

	*k = (int)(((int64_t)q * 1262611 - (closer ? 524031 : 0)) >> 22);
	int h = q + floor_log2_pow10(-*k) + 1;

	memcpy(g, pow10_128[-*k - POW10_MIN], sizeof g);
	if (-*k < 0 || -*k > 55) { /* cut off: the method wants it rounded up */
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

/* digits * 10^k: plain where that is short, else with an exponent. */
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

/* What both types have in common: sign, special values, zero. NULL: an ordinary number follows. */
static char *put_special(char **to, double value)
{
	if (isnan(value)) {
		memcpy(*to, "nan", 3);
		return *to + 3;
	}
	if (signbit(value))
		*(*to)++ = '-';
	if (isinf(value)) {
		memcpy(*to, "inf", 3);
		return *to + 3;
	}
	if (value == 0) {
		**to = '0';
		return *to + 1;
	}
	return NULL;
}

char *eki_put_f64(char *to, double value)
{
	uint64_t bits, c;
	int exponent, k;
	char *end = put_special(&to, value);

	if (end)
		return end;
	memcpy(&bits, &value, sizeof bits);
	c = bits & (((uint64_t)1 << 52) - 1);
	exponent = (int)(bits >> 52 & 0x7ff);
	bool closer = c == 0 && exponent > 1;
	uint64_t digits = shortest(exponent ? c | (uint64_t)1 << 52 : c,
	                           (exponent ? exponent : 1) - 1075, closer, &k);

	return put_decimal(to, digits, k);
}

char *eki_put_f32(char *to, float value)
{
	uint32_t bits, c;
	int exponent, k;
	char *end = put_special(&to, (double)value);

	if (end)
		return end;
	memcpy(&bits, &value, sizeof bits);
	c = bits & (((uint32_t)1 << 23) - 1);
	exponent = (int)(bits >> 23 & 0xff);
	bool closer = c == 0 && exponent > 1;
	uint64_t digits = shortest(exponent ? c | (uint32_t)1 << 23 : c,
	                           (exponent ? exponent : 1) - 150, closer, &k);

	return put_decimal(to, digits, k);
}
