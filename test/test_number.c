/* SPDX-License-Identifier: BSD-3-Clause
 * Compares reading and writing numbers with the C library, for decimals of all kinds and for
 * midpoints between neighbouring numbers. A written number must read back to the same bits, and
 * have no more digits than needed. */
#include <float.h>
#include <math.h>

#include "io/number.h"
#include "io/product.h"
#include "support/random.h"
#include "support/support.h"

/* Returns how many numbers to draw: `quick` in the quick tier, five times as many in the others. */
static int many(int quick)
{
	return test_tier() <= TIER_QUICK ? quick : 5 * quick;
}

static double from_bits(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof v);
	return v;
}

static float from_bits32(uint32_t bits)
{
	float v;

	memcpy(&v, &bits, sizeof v);
	return v;
}

/* Checks that the library reads the text, as f64 and as f32, to the same bits as the C library. */
static void check(const char *text)
{
	char padded[2048] = {0};
	eki_decimal d;
	double v = 0, v_expected = strtod(text, NULL);
	float f = 0, f_expected = strtof(text, NULL);

	assert_true(strlen(text) + EKI_NUMBER_PAD < sizeof padded);
	memcpy(padded, text, strlen(text));
	const char *end = eki_take_decimal(padded, &d);
	int fit = end ? eki_nearest_f64(&d, true, &v) : 0,
	    fit32 = end ? eki_nearest_f32(&d, true, &f) : 0;

	if (!end || *end || memcmp(&v, &v_expected, sizeof v) || memcmp(&f, &f_expected, sizeof f))
		fail_msg("%.900s: %a %a instead of %a %a", text, v, (double)f, v_expected,
		         (double)f_expected);
	assert_int_equal(fit == EKI_TOO_LARGE, isinf(v) != 0);
	assert_int_equal(fit32 == EKI_TOO_LARGE, isinf(f) != 0);
	assert_int_equal(fit == EKI_TOO_SMALL, v == 0 && d.w != 0);
	fit = eki_decimal_f64(&d, &v); /* now without the fast path */
	fit32 = eki_decimal_f32(&d, &f);
	assert_true(memcmp(&v, &v_expected, sizeof v) == 0);
	assert_true(memcmp(&f, &f_expected, sizeof f) == 0);
	assert_int_equal(fit32 == EKI_TOO_SMALL, f == 0 && d.w != 0);
	assert_int_equal(fit == EKI_TOO_LARGE, isinf(v) != 0);
}

static void test_decimals(void **state)
{
	static const char *const fixed[] = {"0",
	                                    "-0",
	                                    "0.0e5",
	                                    "1e400",
	                                    "1e-400",
	                                    "1e22",
	                                    "1e23",
	                                    "123456789012345678901234567890",
	                                    "0.00000000000000000000012345678901234567890123",
	                                    "9007199254740993",
	                                    "4.9e-324",
	                                    "2.4703282292062327e-324",
	                                    "2.4703282292062328e-324",
	                                    "1.7976931348623158e308",
	                                    "1.7976931348623159e308",
	                                    "3.4028235677973366e38",
	                                    "3.4028235677973367e38",
	                                    "16777217",
	                                    "16777219",
	                                    "1.",
	                                    ".5",
	                                    "+7",
	                                    "18446744073709551615",
	                                    "18446744073709551616",
	                                    "9999999999999999999e-10",
	                                    "99999999999999999999e-10",
	                                    "0.000000000000000000000000000000",
	                                    "1e-342",
	                                    "1e-343",
	                                    "1e308",
	                                    "1e309",
	                                    "1e324",
	                                    "1e325",
	                                    "1e-99999999999",
	                                    "0e99999999999",
	                                    "7.0064923216240853e-46",
	                                    "7.0064923216240854e-46",
	                                    "1.00000017881393432617187499",
	                                    "1.00000017881393432617187500",
	                                    "1.00000017881393432617187501"};
	struct rng r = {1};
	char text[64];

	(void)state;
	for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++)
		check(fixed[k]);
	for (int k = 0; k < many(30000); k++) {
		int n = 1 + (int)rng_below(&r, 25), point = (int)rng_below(&r, n + 1), at = 0;

		for (int i = 0; i < n; i++) {
			if (i == point)
				text[at++] = '.';
			text[at++] = (char)('0' + rng_below(&r, 10));
		}
		snprintf(text + at, sizeof text - (size_t)at, "e%d", (int)rng_below(&r, 700) - 350);
		check(text);
	}
}

/* Tests decimals exactly midway between neighbouring numbers, and a little above, where the last of
 * hundreds of digits decides. */
static void test_middles(void **state)
{
	struct rng r = {2};
	static char text[2048];

	(void)state;
	for (int k = 0; k < many(4000); k++) {
		double v =
			fabs(from_bits(k % 4 ? rng_next(&r) : rng_next(&r) & 0x001fffffffffffff));
		float f = fabsf(from_bits32((uint32_t)rng_next(&r)));

#if LDBL_MANT_DIG >= 64
		if (isfinite(v) && isfinite(nextafter(v, INFINITY))) {
			snprintf(text, sizeof text, "%.*Le", 800,
			         ((long double)v + (long double)nextafter(v, INFINITY)) / 2);
			check(text);
			strchr(text, 'e')[-1] = '1';
			check(text);
		}
#endif
		if (isfinite(f) && isfinite(nextafterf(f, INFINITY))) {
			snprintf(text, sizeof text, "%.*e", k % 2 ? 16 : 160,
			         ((double)f + (double)nextafterf(f, INFINITY)) / 2);
			check(text);
		}
	}
}

static int digits(const char *p, const char *end)
{
	int n = 0, zeros = 0, all = 0;
	bool point = memchr(p, '.', (size_t)(end - p)) != NULL;

	for (; p < end && *p != 'e'; p++)
		if (*p >= '0' && *p <= '9' && (all || *p != '0')) {
			all++;
			zeros = *p == '0' ? zeros + 1 : 0;
		}
	n = point ? all : all - zeros;
	return n;
}

static void test_shortest(void **state)
{
	struct rng r = {3};
	char text[64], other[64];

	(void)state;
	for (int k = 0; k < many(40000); k++) {
		uint64_t bits = rng_next(&r);
		double v = k < 2100 ? ldexp(1, k - 1074)
		                    : from_bits(k % 8 ? bits : bits & ~(0x7ffULL << 52));
		float f = k < 280 ? ldexpf(1, k - 149) : from_bits32((uint32_t)bits);
		char *end;

		if (isfinite(v)) {
			int n = 1;

			end = eki_put_f64(text, v);
			*end = '\0';
			assert_true(end - text < EKI_NUMBER_MAX);
			double back = strtod(text, NULL);
			assert_memory_equal(&back, &v, sizeof v);
			while (n < 17 && (snprintf(other, sizeof other, "%.*e", n - 1, v),
			                  strtod(other, NULL) != v))
				n++;
			if (k % 4 == 0 && digits(text, end) > n)
				fail_msg("%s: %d digits would do", text, n);
		}
		if (isfinite(f)) {
			end = eki_put_f32(text, f);
			*end = '\0';
			float back = strtof(text, NULL);
			assert_memory_equal(&back, &f, sizeof f);
		}
	}
	*eki_put_f64(text, -(double)INFINITY) = '\0';
	assert_string_equal(text, "-inf");
	*eki_put_f64(text, (double)NAN) = '\0';
	assert_string_equal(text, "nan");
	*eki_put_f64(text, -0.0) = '\0';
	assert_string_equal(text, "-0");
	*eki_put_f64(text, 1234.5) = '\0';
	assert_string_equal(text, "1234.5");
}

/* Checks that eki_mul_halves, which makes a 128-bit product from halves, agrees with eki_mul, which
 * uses the compiler's 128-bit type if there is one, and that a product that fits 64 bits, divided
 * by one factor, gives the other. */
static void test_products(void **state)
{
	static const uint64_t edge[] = {0, 1, 2, 0xffffffff, (uint64_t)1 << 32, UINT64_MAX - 1,
	                                UINT64_MAX, UINT64_C(0x8000000080000000),
	                                UINT64_C(0xffffffff00000001)};
	enum { EDGES = sizeof edge / sizeof *edge };
	struct rng r = {11};

	(void)state;
	for (int k = 0; k < many(20000); k++) {
		uint64_t a = k < EDGES * EDGES ? edge[k / EDGES] : rng_next(&r);
		uint64_t b = k < EDGES * EDGES ? edge[k % EDGES] : rng_next(&r) >> k % 64;
		eki_u128 p = eki_mul_halves(a, b), q = eki_mul(a, b);

		if (p.high != q.high || p.low != q.low)
			fail_msg("%llu x %llu", (unsigned long long)a, (unsigned long long)b);
		assert_true(p.low == a * b);
		if (!p.high && b)
			assert_true(p.low / b == a);
		q = eki_add_low(p, b);
		assert_true(q.low == p.low + b && q.high - p.high == (q.low < b));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decimals),
		cmocka_unit_test(test_middles),
		cmocka_unit_test(test_shortest),
		cmocka_unit_test(test_products),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
