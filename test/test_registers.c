/* SPDX-License-Identifier: BSD-3-Clause
 * Tests that products and primitives clear the upper halves of the vector registers before their
 * kernels run, whoever left them in use. Kernels of plain C would be slow otherwise. That all
 * methods leave them clear is tested with their results (support/product.c). */
#include "support/support.h"
#include "support/small.h"
#include "support/registers.h"

#if defined(__x86_64__) && defined(__GNUC__)

static void test_products(void **state)
{
	const ek_hints hints = {.size = sizeof hints, .method = "spmv.csr.serial"};
	const double x[] = {10, 100};
	double y[3] = {0};
	const ek_dense xv = ek_vector(EK_F64, 2, x), yv = ek_vector(EK_F64, 3, y);
	ek_status status;
	ek_plan *plan;

	(void)state;
	if (!__builtin_cpu_supports("avx"))
		skip();
	expect_status(ek_plan_create(EK_SPMV, small_matrix, &hints, &plan), EK_OK);
	fill_upper_halves();
	assert_false(upper_halves_are_clear());
	fill_upper_halves();
	status = ek_spmv(plan, 1, &xv, 0, &yv);
	assert_true(upper_halves_are_clear());
	expect_status(status, EK_OK);
	assert_memory_equal(y, ((double[]){10, 0, 320}), sizeof y);
	ek_plan_destroy(plan);
}

static void test_primitives(void **state)
{
	ek_array_options o = {.size = sizeof o, .method = "scan.serial"};
	const double in[] = {1, 2, 3};
	double out[3];
	ek_status status;

	(void)state;
	if (!__builtin_cpu_supports("avx"))
		skip();
	fill_upper_halves();
	status = ek_scan(ctx, &o, EK_F64, EK_SUM, EK_INCLUSIVE, 3, in, out);
	assert_true(upper_halves_are_clear());
	expect_status(status, EK_OK);
	assert_memory_equal(out, ((double[]){1, 3, 6}), sizeof out);
}

#else

static void test_products(void **state)
{
	(void)state;
	skip();
}

#define test_primitives test_products

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_products),
		cmocka_unit_test(test_primitives),
	};

	return run_all_tests(tests, small_setup, small_teardown);
}
