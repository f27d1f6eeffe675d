/* SPDX-License-Identifier: BSD-3-Clause
 * Tests what is special in scan.zhang: the segments of Zhang 2012, the two orders of its steps, and
 * the parameters that a call tells. test_scan.c tests it with all other scans. */
#include "plan/plan.h"
#include "support/heap.h"
#include "support/integers.h"
#include "support/random.h"
#include "support/support.h"

static struct rng rng = {1};
static struct heap heap = HEAP_INIT;

static int teardown(void **state)
{
	(void)state;
	heap_close(&heap);
	return 0;
}

/* Checks, by the bits of sums of floats, that scan.zhang has p segments, all but the first of
 * `length` entries, and that it adds to each the last sum of the one before. */
static void check_segments(const char *name, int p, int64_t n, int64_t length)
{
	float *in = malloc((size_t)n * 4), *out = malloc((size_t)n * 4), left = 0, sum = 0;
	ek_context *ctx = heap_context_cut(&heap, p, 0);
	ek_array_options o = {.size = sizeof o, .method = name};
	int64_t first = n - (p - 1) * length;

	for (int64_t i = 0; i < n; i++)
		in[i] = (float)rng_real(&rng, 20);
	expect_status(ek_scan(ctx, &o, EK_F32, EK_SUM, EK_INCLUSIVE, n, in, out), EK_OK);
	for (int64_t i = 0; i < n; i++) {
		const bool begins = i >= first && (i - first) % length == 0;

		left = begins ? out[i - 1] : left;
		sum = begins || i == 0 ? in[i] : sum + in[i];
		assert_true(out[i] == (i < first ? sum : left + sum));
	}
	ek_context_destroy(ctx);
	free(in);
	free(out);
}

static void test_segments(void **state)
{
	(void)state;
	/* Zhang 2012, section 3.2: w = floor(n / (b p)) = 192 */
	check_segments("scan.zhang", 8, 6291456, 192 * 4096 + 1);
	check_segments("scan.zhang:block=0", 8, 6291456, 6291456 / 8);
	check_segments("scan.zhang:block=10", 3, 1000, 331);
	check_segments("scan.zhang:block=0", 3, 1000, 333);
	check_segments("scan.zhang:block=0", 7, 7, 1);
	check_segments("scan.zhang:overlap=1", 8, 6291456, 192 * 4096 + 1);
	check_segments("scan.zhang:block=10,overlap=1", 3, 1000, 331);
	check_segments("scan.zhang:block=0,overlap=1", 7, 7, 1);
}

/* Checks that the order of the paper gives the bits of the other one: all types, kinds and numbers
 * of threads to 7, in place and not. */
static void test_overlap(void **state)
{
	enum { N = 70001 };
	const ek_array_options o = {.size = sizeof o, .method = "scan.zhang", .block = 1000},
			       over = {.size = sizeof over,
	                               .method = "scan.zhang:overlap=1",
	                               .block = 1000};
	static double in[N], out[2][N];

	(void)state;
	for (int k = 0; k < 7 * 4 * 4; k++) {
		ek_context *ctx = heap_context_cut(&heap, 1 + k / 16, 0);
		const ek_value type = (ek_value)(1 + k % 4);
		const ek_scan_kind kind = k / 4 % 2 ? EK_INCLUSIVE : EK_EXCLUSIVE;
		const bool in_place = k / 8 % 2;

		for (int64_t i = 0; i < N; i++)
			if (type == EK_F32 || type == EK_F64)
				value_set(type, in, i, rng_real(&rng, 20));
			else
				integer_set(type, in, i, (int64_t)rng_next(&rng));
		memcpy(out[1], in, sizeof in);
		expect_status(ek_scan(ctx, &o, type, EK_SUM, kind, N, in, out[0]), EK_OK);
		expect_status(
			ek_scan(ctx, &over, type, EK_SUM, kind, N, in_place ? out[1] : in, out[1]),
			EK_OK);
		assert_memory_equal(out[0], out[1], N * ek_value_size(type));
		ek_context_destroy(ctx);
	}
}

/* Checks what options.parameters tells, and that a call that fails or has nothing to do tells
 * nothing. */
static void test_told(void **state)
{
	static const char *const pair[][2] = {
		{"scan.zhang", "block=70,overlap=0"},
		{"scan.zhang:block=0,overlap=1", "block=0,overlap=1"},
		{"scan.blocked", "block=70"},
		{"scan.serial", ""},
	};
	char told[EK_PARAMETERS_TEXT];
	ek_array_options o = {.size = sizeof o, .block = 70, .parameters = told};
	ek_context *ctx = heap_context_cut(&heap, 2, 0);
	double x[500] = {0};

	(void)state;
	for (size_t k = 0; k < sizeof pair / sizeof *pair; k++) {
		strcpy(told, "as before");
		o.method = pair[k][0];
		expect_status(ek_scan(ctx, &o, EK_F64, EK_SUM, EK_INCLUSIVE, -1, x, x), EK_EINVAL);
		assert_string_equal(told, "as before");
		expect_status(ek_scan(ctx, &o, EK_F64, EK_SUM, EK_INCLUSIVE, 500, x, x), EK_OK);
		assert_string_equal(told, pair[k][1]);
		expect_status(ek_scan(ctx, &o, EK_F64, EK_SUM, EK_INCLUSIVE, 0, x, x), EK_OK);
		assert_string_equal(told, "");
	}
	o = (ek_array_options){.size = sizeof o, .method = "scan.zhang", .parameters = told};
	expect_status(ek_scan(ctx, &o, EK_F64, EK_SUM, EK_INCLUSIVE, 500, x, x), EK_OK);
	assert_string_equal(told, "block=4096,overlap=0");
	ek_context_destroy(ctx);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_segments),
		cmocka_unit_test(test_overlap),
		cmocka_unit_test(test_told),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, NULL, teardown);
}
