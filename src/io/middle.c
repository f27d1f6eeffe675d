/* SPDX-License-Identifier: BSD-3-Clause
 * Compares a decimal exactly with the midpoint between two neighbouring floating-point numbers.
 * Both sides are multiplied by powers of 2 and 5 that make them integers. Few numbers need this
 * comparison. The longest midpoint between two doubles has 768 digits. So it is enough to know the
 * first 800 significant digits of the decimal, and whether any later digit is not 0 (after Clinger,
 * "How to read floating point numbers accurately", 1990). */
#include "io/number.h"

/* Before the final shift, the longest numbers are those of 801 decimal digits, which take 2661
 * bits, and the products of a number of 54 bits and 5^1124, which take 2664 bits. The shift makes
 * the two numbers about equally long. */
enum { LIMBS = 90, DIGITS = 800 };

struct big {
	int n;
	uint32_t limb[LIMBS]; /* lowest limb first; limb[n - 1] is not 0 */
};

static void multiply_add(struct big *b, uint32_t factor, uint32_t add)
{
	uint64_t carry = add;

	for (int k = 0; k < b->n; k++) {
		carry += (uint64_t)b->limb[k] * factor;
		b->limb[k] = (uint32_t)carry;
		carry >>= 32;
	}
	if (carry)
		b->limb[b->n++] = (uint32_t)carry;
}

static void multiply_pow5(struct big *b, int64_t e)
{
	for (; e >= 13; e -= 13)
		multiply_add(b, 1220703125, 0);
	for (; e > 0; e--)
		multiply_add(b, 5, 0);
}

static void shift(struct big *b, int64_t bits)
{
	int limbs = (int)(bits / 32);

	multiply_add(b, (uint32_t)1 << (bits % 32), 0);
	memmove(b->limb + limbs, b->limb, (size_t)b->n * sizeof *b->limb);
	memset(b->limb, 0, (size_t)limbs * sizeof *b->limb);
	b->n += limbs;
}

/* Converts all digits of a decimal to the integer *b. Returns the exponent e for which the decimal
 * equals *b times 10^e. */
static int64_t all_digits(const eki_decimal *d, struct big *b)
{
	int64_t taken = 0;
	bool more = false;

	for (const char *p = d->digits; p < d->digits_end; p++) {
		if (*p == '.' || (taken == 0 && *p == '0'))
			continue;
		if (taken < DIGITS) {
			multiply_add(b, 10, (uint32_t)(*p - '0'));
			taken++;
		} else {
			more |= *p != '0';
		}
	}
	if (more) {
		multiply_add(b, 10, 1);
		taken++;
	}
	/* If there are more than 19 digits, d->e is the exponent for the first 19. */
	return taken > 19 ? d->e - (taken - 19) : d->e;
}

int eki_decimal_compare(const eki_decimal *d, uint64_t h, int k)
{
	struct big a = {0}, b = {0};
	int64_t e = all_digits(d, &a), twos = e - k;

	b.limb[0] = (uint32_t)h;
	b.limb[1] = (uint32_t)(h >> 32);
	b.n = b.limb[1] ? 2 : 1;
	multiply_pow5(e > 0 ? &a : &b, e > 0 ? e : -e);
	shift(twos > 0 ? &a : &b, twos > 0 ? twos : -twos);
	if (a.n != b.n)
		return a.n < b.n ? -1 : 1;
	for (int i = a.n - 1; i >= 0; i--)
		if (a.limb[i] != b.limb[i])
			return a.limb[i] < b.limb[i] ? -1 : 1;
	return 0;
}
