/* SPDX-License-Identifier: BSD-3-Clause
 * Tests slices of SCOO that are taller than the band of rows that conversions take at a time:
 * conversion there and back, products, and products after new values. Shapes of other tests have
 * fewer rows. */
#include "support/held.h"
#include "support/support.h"

enum { ROWS = 70000, COLS = 3000 };

static double x[COLS], y[ROWS], expected[ROWS];

static void multiply(ek_plan *plan, double *to)
{
	ek_dense vx = ek_vector(EK_F64, COLS, x), vy = ek_vector(EK_F64, ROWS, to);

	for (int i = 0; i < ROWS; i++)
		to[i] = i % 7 - 3;
	expect_status(ek_spmv(plan, -2, &vx, 3, &vy), EK_OK);
}

static void check_products(ek_plan *plan, ek_plan *plain)
{
	multiply(plan, y);
	multiply(plain, expected);
	assert_memory_equal(y, expected, sizeof y);
}

/* Sets the values of A to integers, so that all products are exact. */
static void set_values(ek_matrix *A, int64_t nnz, int step)
{
	double *val = malloc((size_t)nnz * sizeof *val);

	assert_non_null(val);
	for (int64_t k = 0; k < nnz; k++)
		val[k] = (double)(k * step % 17 - 8);
	expect_status(ek_matrix_set_values(A, nnz, val), EK_OK);
	free(val);
}

static void test_tall(void **state)
{
	static const char *const format[] = {"scoo:height=8193", "scoo:height=65536"};
	ek_hints with = {.size = sizeof with, .method = "spmv.scoo"};
	ek_hints without = {.size = sizeof without, .method = "spmv.csr.serial"};
	ek_matrix_info info = {.size = sizeof info};
	ek_plan *plan, *plain;
	ek_matrix *A, *B, *C;
	ek_context *ctx;

	(void)state;
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	expect_status(
		ek_matrix_generate(ctx, "uniform:rows=70000,cols=3000,k=5", EK_F64, EK_I32, &A),
		EK_OK);
	expect_status(ek_matrix_get_info(A, &info), EK_OK);
	for (int j = 0; j < COLS; j++)
		x[j] = j % 11 - 5;
	for (size_t k = 0; k < sizeof format / sizeof *format; k++) {
		set_values(A, info.nnz, 3);
		with.format = format[k];
		expect_status(ek_plan_create(EK_SPMV, A, &with, &plan), EK_OK);
		expect_status(ek_plan_create(EK_SPMV, A, &without, &plain), EK_OK);
		check_products(plan, plain);
		set_values(A, info.nnz, 5);
		check_products(plan, plain);
		expect_status(ek_matrix_convert(A, format[k], NULL, &B), EK_OK);
		expect_status(ek_matrix_check(B), EK_OK);
		expect_status(ek_matrix_convert(B, "csr", NULL, &C), EK_OK);
		assert_null(different_array(A, C));
		ek_matrix_destroy(C);
		ek_matrix_destroy(B);
		ek_plan_destroy(plain);
		ek_plan_destroy(plan);
	}
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_tall)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
