/* SPDX-License-Identifier: BSD-3-Clause
 * Tests plans: hints, a plan's description of itself, special values of alpha and beta, new values,
 * and sizes of 0. */
#define _POSIX_C_SOURCE 200809L /* unsetenv */
#include <math.h>

#include "plan/plan.h"
#include "support/support.h"
#include "support/small.h"

static ek_plan *plan_for(const char *method, ek_op op, int threads)
{
	ek_hints hints = {.size = sizeof hints, .method = method, .op = op, .threads = threads};
	ek_plan *plan = NULL;

	expect_status(ek_plan_create(EK_SPMV, small_matrix, &hints, &plan), EK_OK);
	return plan;
}

static void test_questions(void **state)
{
	char text[4096], small[20];
	ek_plan *plan;

	(void)state;
	for (const ek_method *m = NULL; (m = matrix_method_next(m));)
		for (int op = 0; op < 2; op++) {
			ek_op which = op ? EK_OP_T : EK_OP_N;
			ek_hints hints = {
				.size = sizeof hints, .method = ek_method_name(m), .op = which};

			if (!ek_method_supports(m, which, EK_REPRO_RUN) ||
			    ek_plan_create(EK_SPMV, small_matrix, &hints, &plan) == EK_EUNSUPPORTED)
				continue;
			assert_string_equal(ek_plan_method(plan), ek_method_name(m));
			/* A run moves 5 * 8 bytes of x and y. If columns take 16 bits, it also
			 * moves at least 4 * 4 + 3 * 2 + 3 * 8 bytes of the matrix, or 4 fewer of
			 * the transpose, which has one row less. */
			assert_true(ek_plan_bytes(plan) >= 42 + 40);
			assert_true(ek_plan_memory(plan) > 0);
			memset(text, 'x', sizeof text);
			expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
			assert_non_null(strstr(text, ek_method_name(m)));
			assert_non_null(strstr(text, ek_method_source(m)));
			assert_non_null(strstr(text, "bytes"));
			memset(small, 'x', sizeof small);
			expect_status(ek_plan_explain(plan, small, 10), EK_OK);
			assert_int_equal(strlen(small), 9);
			assert_int_equal(small[10], 'x');
			ek_plan_destroy(plan);
		}
	ek_plan_destroy(NULL);
	assert_null(ek_plan_method(NULL));
	assert_int_equal(ek_plan_bytes(NULL), 0);
	assert_int_equal(ek_plan_memory(NULL), 0);
}

/* Checks that the explanation of a plan made by `auto` names the method and why it was chosen. */
static void test_auto_explains(void **state)
{
	char text[4096];
	ek_plan *plan = plan_for(NULL, EK_OP_N, 0);

	(void)state;
	expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
	assert_non_null(strstr(text, ek_plan_method(plan)));
	assert_non_null(strstr(text, "why"));
	assert_non_null(ek_method_find(ek_plan_method(plan)));
	ek_plan_destroy(plan);
}

static void test_memory_is_returned(void **state)
{
	(void)state;
	for (const ek_method *m = NULL; (m = matrix_method_next(m));)
		for (int op = 0; op < 2; op++) {
			ek_hints hints = {.size = sizeof hints,
			                  .method = ek_method_name(m),
			                  .op = op ? EK_OP_T : EK_OP_N};
			long long bytes = atomic_load(&heap.bytes);
			ek_plan *plan;

			if (ek_plan_create(EK_SPMV, small_matrix, &hints, &plan) != EK_OK)
				continue;
			/* The plan must report as much memory as it took. */
			if (atomic_load(&heap.bytes) - bytes != ek_plan_memory(plan))
				fail_msg("%s holds %lld bytes and says %lld", hints.method,
				         atomic_load(&heap.bytes) - bytes,
				         (long long)ek_plan_memory(plan));
			ek_plan_destroy(plan);
			assert_true(atomic_load(&heap.bytes) == bytes);
		}
}

/* ---- alpha and beta -------------------------------------------------------------------------- */

static void test_factors(void **state)
{
	static const double x[] = {10, 100}, nan_x[] = {NAN, NAN};
	double y[] = {NAN, NAN, NAN};
	ek_plan *plan = plan_for(NULL, EK_OP_N, 0);

	(void)state;
	multiply_f64(plan, 1, x, 2, 0, y, 3);
	assert_memory_equal(y, ((double[]){10, 0, 320}), sizeof y);
	multiply_f64(plan, 0, nan_x, 2, 2, y, 3);
	assert_memory_equal(y, ((double[]){20, 0, 640}), sizeof y);
	multiply_f64(plan, 0, nan_x, 2, 1, y, 3);
	assert_memory_equal(y, ((double[]){20, 0, 640}), sizeof y);
	y[1] = (double)NAN;
	multiply_f64(plan, 0, nan_x, 2, 0, y, 3);
	assert_memory_equal(y, ((double[]){0, 0, 0}), sizeof y);
	y[1] = 5;
	multiply_f64(plan, -1, x, 2, -1, y, 3);
	assert_memory_equal(y, ((double[]){-10, -5, -320}), sizeof y);
	y[1] = (double)NAN; /* y is read if beta is not 0 */
	multiply_f64(plan, 1, x, 2, 1, y, 3);
	assert_true(isnan(y[1]) && y[0] == 0 && y[2] == 0);
	ek_plan_destroy(plan);
}

/* Checks that NaN or Inf in x_j reaches the rows with an entry in column j, and no others, that
 * alpha = NaN reaches all rows with entries, and beta = NaN all rows. */
static void test_nan_and_inf(void **state)
{
	double x[] = {1, INFINITY}, y[] = {0, 0, 0};

	(void)state;
	for (const ek_method *m = NULL; (m = matrix_method_next(m));) {
		ek_hints hints = {.size = sizeof hints, .method = ek_method_name(m)};
		ek_plan *plan;

		if (ek_plan_create(EK_SPMV, small_matrix, &hints, &plan) != EK_OK)
			continue;
		x[1] = (double)INFINITY;
		multiply_f64(plan, 1, x, 2, 0, y, 3);
		assert_true(y[0] == 1 && y[1] == 0 && isinf(y[2]));
		x[1] = (double)NAN;
		multiply_f64(plan, 1, x, 2, 0, y, 3);
		assert_true(y[0] == 1 && y[1] == 0 && isnan(y[2]));
		x[1] = 1;
		multiply_f64(plan, 1, x, 2, (double)NAN, y, 3);
		assert_true(isnan(y[0]) && isnan(y[1]) && isnan(y[2]));
		multiply_f64(plan, (double)NAN, x, 2, 0, y, 3);
		assert_true(isnan(y[0]) && isnan(y[2]));
		ek_plan_destroy(plan);
	}
}

/* Checks that alpha and beta are rounded to the value type. */
static void test_factors_are_rounded(void **state)
{
	static const int32_t one_ptr[] = {0, 1}, one_col[] = {0};
	static const float one = 3, x = 7;
	float y = 5, right;
	ek_dense xv = ek_vector(EK_F32, 1, &x), yv = ek_vector(EK_F32, 1, &y);
	ek_matrix *B;
	ek_plan *plan;

	(void)state;
	expect_status(ek_matrix_from_csr(ctx, EK_F32, EK_I32, 1, 1, one_ptr, one_col, &one, 0, &B),
	              EK_OK);
	expect_status(ek_plan_create(EK_SPMV, B, NULL, &plan), EK_OK);
	expect_status(ek_spmv(plan, 0.1, &xv, 1e-60, &yv), EK_OK); /* beta rounds to 0 */
	right = 0.1f * 21;
	assert_true(y == right);
	y = NAN;
	expect_status(ek_spmv(plan, 1e-60, &xv, 0, &yv), EK_OK);
	assert_true(y == 0);
	ek_plan_destroy(plan);
	ek_matrix_destroy(B);
}

/* ---- Values, sizes of 0, threads ------------------------------------------------------------- */

static void test_new_values(void **state)
{
	static const double x[] = {1, 1};
	double y[3];

	(void)state;
	for (const ek_method *m = NULL; (m = matrix_method_next(m));) {
		ek_hints hints = {.size = sizeof hints, .method = ek_method_name(m)};
		ek_plan *plan;

		if (ek_plan_create(EK_SPMV, small_matrix, &hints, &plan) != EK_OK)
			continue;
		for (int k = 0; k < 3; k++) {
			small_val[2] = 3 + 10 * k;
			expect_status(ek_matrix_values_changed(small_matrix), EK_OK);
			multiply_f64(plan, 1, x, 2, 0, y, 3);
			assert_memory_equal(y, ((double[]){1, 0, 5 + 10 * k}), sizeof y);
		}
		ek_plan_destroy(plan);
	}
	small_val[2] = 3;
	expect_status(ek_matrix_values_changed(small_matrix), EK_OK);
}

/* Tests matrices without entries, also without rows or columns. Arrays of length 0 are NULL. */
static void test_empty(void **state)
{
	static const int32_t zeros[8] = {0};
	static const int64_t size[][2] = {{0, 0}, {0, 7}, {7, 0}, {7, 5}};

	(void)state;
	for (size_t k = 0; k < sizeof size / sizeof *size; k++)
		for (int op = 0; op < 2; op++) {
			int64_t rows = size[k][0], cols = size[k][1];
			ek_hints hints = {.size = sizeof hints, .op = op ? EK_OP_T : EK_OP_N};
			double x[7] = {0}, y[7];
			int64_t n = op ? cols : rows;
			ek_matrix *B;
			ek_plan *plan;

			expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, rows, cols, zeros,
			                                 NULL, NULL, 0, &B),
			              EK_OK);
			expect_status(ek_plan_create(EK_SPMV, B, &hints, &plan), EK_OK);
			poison(EK_F64, y, 7);
			multiply_f64(plan, 1, rows + cols - n ? x : NULL, rows + cols - n, 0,
			             n ? y : NULL, n);
			for (int64_t i = 0; i < 7; i++)
				assert_true(i < n ? y[i] == 0 : isnan(y[i]));
			ek_plan_destroy(plan);
			ek_matrix_destroy(B);
		}
}

/* Checks that every method, even if it divides work between threads, accepts a matrix without
 * entries that is given without arrays. */
static void test_no_arrays(void **state)
{
	const int32_t rows[41] = {0};
	ek_matrix *E = NULL;
	double x[40], y[40];

	(void)state;
	expect_status(
		ek_matrix_from_csr(ctx, EK_F64, EK_I32, 40, 40, rows, NULL, NULL, EK_BORROW, &E),
		EK_OK);
	for (int i = 0; i < 40; i++)
		x[i] = 1;
	const int64_t small_work = ctx->small_work;

	ctx->small_work = 0;
	for (const ek_method *m = NULL; (m = matrix_method_next(m));)
		for (int op = EK_OP_N; op <= EK_OP_T; op++) {
			ek_hints h = {
				.size = sizeof h, .method = ek_method_name(m), .op = (ek_op)op};
			ek_plan *plan = NULL;

			if (!ek_method_supports(m, h.op, EK_REPRO_RUN))
				continue;
			expect_status(ek_plan_create(EK_SPMV, E, &h, &plan), EK_OK);
			for (int i = 0; i < 40; i++)
				y[i] = NAN;
			multiply_f64(plan, 2, x, 40, 0, y, 40);
			for (int i = 0; i < 40; i++)
				assert_true(y[i] == 0);
			ek_plan_destroy(plan);
		}
	ctx->small_work = small_work;
	ek_matrix_destroy(E);
}

static void test_thread_hint(void **state)
{
	static const double x[] = {1, 1};
	double y[3];

	(void)state;
	for (int threads = 0; threads <= 3; threads++) {
		ek_plan *plan = plan_for("auto", EK_OP_N, threads);

		multiply_f64(plan, 1, x, 2, 0, y, 3);
		assert_memory_equal(y, ((double[]){1, 0, 5}), sizeof y);
		ek_plan_destroy(plan);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_questions),
		cmocka_unit_test(test_auto_explains),
		cmocka_unit_test(test_memory_is_returned),
		cmocka_unit_test(test_factors),
		cmocka_unit_test(test_nan_and_inf),
		cmocka_unit_test(test_factors_are_rounded),
		cmocka_unit_test(test_new_values),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_no_arrays),
		cmocka_unit_test(test_thread_hint),
	};

	return run_all_tests(tests, small_setup, small_teardown);
}
