/* SPDX-License-Identifier: BSD-3-Clause
 * Tests when a device sees changed values: values that two matrices share, and values replaced
 * while runs are in the queue. Also tests the timer. */
#include <string.h>

#include "support/devices.h"
#include "support/support.h"

enum { N = 3000 };

static int32_t row_ptr[N + 1], col_idx[N];
static double val[N], x[N], y[N];

static void fill(double diagonal)
{
	for (int i = 0; i < N; i++) {
		row_ptr[i] = i;
		col_idx[i] = i;
		val[i] = diagonal;
		x[i] = i % 7;
	}
	row_ptr[N] = N;
}

static ek_plan *plan_of(const ek_matrix *A)
{
	const ek_hints hints = {.size = sizeof hints, .method = "spmv.csr.vector.gpu"};
	ek_plan *plan;

	expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
	return plan;
}

static void expect_product(ek_plan *plan, double diagonal, const char *where)
{
	multiply_f64(plan, 1, x, N, 0, y, N);
	for (int i = 0; i < N; i++)
		if (y[i] != diagonal * x[i])
			fail_msg("%s: y_%d is %g; %g is expected", where, i, y[i], diagonal * x[i]);
}

/* Changes an array of values before a second matrix borrows it. The plan of the first matrix must
 * see the new values only after ek_matrix_values_changed. */
static void test_one_array_of_two(void **state)
{
	(void)state;
	need_device();
	for (int k = 0; k < devices.count; k++) {
		ek_context *ctx = devices.of[k].ctx;
		ek_matrix *A, *B;
		ek_plan *of_a, *of_b;

		fill(2);
		expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, N, N, row_ptr, col_idx, val,
		                                 EK_BORROW, &A),
		              EK_OK);
		of_a = plan_of(A);
		expect_product(of_a, 2, devices.of[k].text);
		fill(3);
		expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, N, N, row_ptr, col_idx, val,
		                                 EK_BORROW, &B),
		              EK_OK);
		of_b = plan_of(B);
		expect_product(of_b, 3, devices.of[k].text);
		expect_status(ek_matrix_values_changed(A), EK_OK);
		expect_product(of_a, 3, devices.of[k].text);
		ek_plan_destroy(of_a);
		ek_plan_destroy(of_b);
		ek_matrix_destroy(A);
		ek_matrix_destroy(B);
	}
}

/* Checks that runs queued before new values were set use the old values. */
static void test_new_values_behind_the_queue(void **state)
{
	const int64_t bytes = N * (int64_t)sizeof(double);

	(void)state;
	need_device();
	for (int k = 0; k < devices.count; k++) {
		ek_context *ctx = devices.of[k].ctx;
		void *dx, *dy;
		ek_matrix *A;
		ek_plan *plan;

		fill(2);
		expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, N, N, row_ptr, col_idx, val,
		                                 EK_COPY, &A),
		              EK_OK);
		plan = plan_of(A);
		expect_status(ek_device_alloc(ctx, bytes, &dx), EK_OK);
		expect_status(ek_device_alloc(ctx, bytes, &dy), EK_OK);
		expect_status(ek_device_write(ctx, dx, x, bytes), EK_OK);
		memset(y, 0, sizeof y);
		expect_status(ek_device_write(ctx, dy, y, bytes), EK_OK);
		const ek_dense X = ek_device_vector(EK_F64, N, dx),
			       Y = ek_device_vector(EK_F64, N, dy);

		for (int run = 0; run < 50; run++)
			expect_status(ek_spmv(plan, 1, &X, 1, &Y), EK_OK);
		fill(5);
		expect_status(ek_matrix_set_values(A, N, val), EK_OK);
		expect_status(ek_spmv(plan, 1, &X, 1, &Y), EK_OK);
		expect_status(ek_device_read(ctx, dy, y, bytes), EK_OK);
		for (int i = 0; i < N; i++)
			if (y[i] != 105 * x[i])
				fail_msg("%s: y_%d is %g; %g is expected", devices.of[k].text, i,
				         y[i], 105 * x[i]);
		ek_device_free(ctx, dx);
		ek_device_free(ctx, dy);
		ek_plan_destroy(plan);
		ek_matrix_destroy(A);
	}
}

/* Checks that a timer that was not started gives an error. */
static void test_timer(void **state)
{
	(void)state;
	need_device();
	for (int k = 0; k < devices.count; k++) {
		ek_context *ctx = devices.of[k].ctx;
		double seconds = -1;

		expect_error(ek_device_timer_stop(ctx, &seconds), EK_EINVAL, "not started");
		assert_true(seconds == -1);
		expect_status(ek_device_timer_start(ctx), EK_OK);
		expect_status(ek_device_timer_stop(ctx, &seconds), EK_OK);
		assert_true(seconds >= 0);
		expect_error(ek_device_timer_stop(ctx, &seconds), EK_EINVAL, "not started");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_array_of_two),
		cmocka_unit_test(test_new_values_behind_the_queue),
		cmocka_unit_test(test_timer),
	};

	return run_all_tests(tests, devices_setup, devices_teardown);
}
