/* SPDX-License-Identifier: BSD-3-Clause
 * Tests scans and reductions with failing allocations and wrong arguments. Each call must return
 * its error and leave the outputs as they were. */
#include "plan/plan.h"
#include "support/heap.h"
#include "support/support.h"

enum { N = 600 };

static ek_status call(ek_context *ctx, const ek_method *m, const double *in, double *out)
{
	ek_array_options o = {.size = sizeof o, .method = ek_method_name(m), .block = 50};

	if (ek_method_operation(m) == EK_SCAN)
		return ek_scan(ctx, &o, EK_F64, EK_SUM, EK_INCLUSIVE, N, in, out);
	return ek_reduce(ctx, &o, EK_F64, EK_SUM, N, in, out + N - 1);
}

static void each_allocation_fails(const ek_method *m, bool persistent)
{
	double in[N], out[N], before[N];
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context_cut(&heap, 3, 0);
	ek_status status = EK_ENOMEM;

	for (int k = 0; k < N; k++)
		in[k] = 1, before[k] = -1;
	for (long n = 0; status != EK_OK; n++) {
		heap_fail(&heap, n, persistent);
		memcpy(out, before, sizeof out);
		status = call(ctx, m, in, out);
		if (status != EK_OK) {
			expect_status(status, EK_ENOMEM);
			assert_memory_equal(out, before, sizeof out);
		}
	}
	assert_true(out[N - 1] == N);
	heap_fail(&heap, -1, false);
	ek_context_destroy(ctx);
	heap_close(&heap);
}

static void test_no_memory(void **state)
{
	(void)state;
	for (const ek_method *m = NULL; (m = any_processor_method_next(m));)
		if (ek_method_operation(m) == EK_SCAN || ek_method_operation(m) == EK_REDUCE) {
			each_allocation_fails(m, false);
			each_allocation_fails(m, true);
		}
}

static void test_scan_arguments(void **state)
{
	ek_context *ctx = NULL;
	const double in[4] = {1, 2, 3, 4};
	double out[6] = {7, 7, 7, 7, 7, 7}, before[6];
	ek_array_options o = {.size = sizeof o, .method = "scan.none"};
	const void *odd = (const char *)in + 1;

	(void)state;
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	memcpy(before, out, sizeof out);
	expect_error(ek_scan(ctx, NULL, (ek_value)9, EK_SUM, EK_INCLUSIVE, 4, in, out), EK_EINVAL,
	             "type is 9");
	expect_error(ek_scan(ctx, NULL, EK_F64, (ek_monoid)0, EK_INCLUSIVE, 4, in, out), EK_EINVAL,
	             "op is 0");
	expect_error(ek_scan(ctx, NULL, EK_F64, EK_OR, EK_INCLUSIVE, 4, in, out), EK_EINVAL,
	             "EK_OR");
	expect_error(ek_scan(ctx, NULL, EK_F64, EK_SUM, (ek_scan_kind)3, 4, in, out), EK_EINVAL,
	             "kind is 3");
	expect_error(ek_scan(ctx, NULL, EK_F64, EK_SUM, EK_INCLUSIVE, -1, in, out), EK_EINVAL,
	             "n is -1");
	expect_error(ek_scan(ctx, NULL, EK_F64, EK_SUM, EK_INCLUSIVE, INT64_MAX, in, out),
	             EK_EOVERFLOW, "n is");
	expect_error(ek_scan(ctx, NULL, EK_F64, EK_SUM, EK_INCLUSIVE, 4, NULL, out), EK_EINVAL,
	             "in");
	expect_error(ek_scan(ctx, NULL, EK_F64, EK_SUM, EK_INCLUSIVE, 4, in, NULL), EK_EINVAL,
	             "out");
	expect_error(ek_scan(ctx, NULL, EK_F64, EK_SUM, EK_INCLUSIVE, 3, odd, out), EK_EINVAL,
	             "in lies at");
	expect_error(ek_scan(ctx, NULL, EK_F64, EK_SUM, EK_INCLUSIVE, 4, out + 1, out), EK_EINVAL,
	             "overlap");
	expect_error(ek_scan(ctx, &o, EK_F64, EK_SUM, EK_INCLUSIVE, 4, in, out), EK_EINVAL,
	             "scan.none");
	assert_memory_equal(out, before, sizeof out);
	expect_status(ek_scan(ctx, NULL, EK_F64, EK_SUM, EK_INCLUSIVE, 0, NULL, NULL), EK_OK);
	ek_context_destroy(ctx);
}

static void test_reduce_arguments(void **state)
{
	ek_context *ctx = NULL;
	const double in[4] = {1, 2, 3, 4};
	double out = 7;
	ek_array_options o = {.size = sizeof o, .method = "scan.serial"};
	const void *odd = (const char *)in + 1;

	(void)state;
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	expect_error(ek_reduce(ctx, NULL, (ek_value)9, EK_SUM, 4, in, &out), EK_EINVAL,
	             "type is 9");
	expect_error(ek_reduce(ctx, NULL, EK_F64, (ek_monoid)5, 4, in, &out), EK_EINVAL, "op is 5");
	expect_error(ek_reduce(ctx, NULL, EK_F32, EK_OR, 4, in, &out), EK_EINVAL, "EK_OR");
	expect_error(ek_reduce(ctx, NULL, EK_F64, EK_SUM, -1, in, &out), EK_EINVAL, "n is -1");
	expect_error(ek_reduce(ctx, NULL, EK_F64, EK_SUM, 4, NULL, &out), EK_EINVAL, "in");
	expect_error(ek_reduce(ctx, NULL, EK_F64, EK_SUM, 3, odd, &out), EK_EINVAL, "in lies at");
	expect_error(ek_reduce(ctx, NULL, EK_F64, EK_SUM, 4, in, NULL), EK_EINVAL, "result");
	expect_error(ek_reduce(ctx, &o, EK_F64, EK_SUM, 4, in, &out), EK_EINVAL, "scan.serial");
	assert_true(out == 7);
	ek_context_destroy(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_scan_arguments),
		cmocka_unit_test(test_reduce_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
