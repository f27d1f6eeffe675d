/* SPDX-License-Identifier: BSD-3-Clause
 * Tests when a device sees changed values: values that two matrices share, values replaced while
 * runs are in the queue, and values of one of several operands. Also tests the timer. */
#include <string.h>

#include "support/devices.h"
#include "support/held.h"
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

/* ---- One of several operands ----------------------------------------------------------------- */

enum { ROWS = 60, ENTRIES = 4 * ROWS };

/* Makes a square matrix with four entries in each row, in csr or csc. */
static ek_matrix *operand_of(ek_context *ctx, const char *format)
{
	ek_matrix *csr, *M;

	expect_status(ek_matrix_generate(ctx, "uniform:rows=60,cols=60,k=4", EK_F64, EK_I32, &csr),
	              EK_OK);
	expect_status(ek_matrix_convert(csr, format, NULL, &M), EK_OK);
	ek_matrix_destroy(csr);
	return M;
}

static void new_values(ek_matrix *M, int seed)
{
	double value[ENTRIES];

	for (int k = 0; k < ENTRIES; k++)
		value[k] = (seed + k) * 7 % 19 + 1;
	expect_status(ek_matrix_set_values(M, ENTRIES, value), EK_OK);
}

static ek_status run_of(ek_operation o, ek_plan *plan, ek_matrix **C)
{
	return o == EK_SPGEMM ? ek_spgemm(plan, 2, -3, C) : ek_triple(plan, 2, C);
}

/* Gives each operand new values in turn, and compares with a plan that is made after that. */
static void change_each(ek_context *ctx, const char *method, const char *plain, const char *format,
                        int op)
{
	const ek_operation o = strncmp(method, "spgemm", 6) == 0 ? EK_SPGEMM : EK_TRIPLE;
	const int operands = o == EK_SPGEMM ? 3 : 2;
	ek_matrix *M[3] = {0}, *C = NULL;
	ek_plan *plan;

	for (int m = 0; m < operands; m++)
		new_values(M[m] = operand_of(ctx, format), m);
	ek_hints hints = {.size = sizeof hints,
	                  .method = method,
	                  .op = op ? EK_OP_T : EK_OP_N,
	                  .op_b = op ? EK_OP_T : EK_OP_N,
	                  .B = M[1],
	                  .D = M[2]};

	expect_status(ek_plan_create(o, M[0], &hints, &plan), EK_OK);
	hints.method = plain;
	for (int m = -1; m < 2 * operands; m++) {
		ek_matrix *R = NULL;
		ek_plan *new;

		if (m >= 0)
			new_values(M[m % operands], 10 + m);
		expect_status(run_of(o, plan, &C), EK_OK);
		expect_status(ek_plan_create(o, M[0], &hints, &new), EK_OK);
		expect_status(run_of(o, new, &R), EK_OK);
		if (different_array(C, R))
			fail_msg("%s, %s, op %d: old values of operand %d", method, format, op,
			         m % operands);
		ek_plan_destroy(new);
		ek_matrix_destroy(R);
	}
	ek_plan_destroy(plan);
	ek_matrix_destroy(C);
	for (int m = 0; m < operands; m++)
		ek_matrix_destroy(M[m]);
}

static void test_one_operand_of_several(void **state)
{
	static const char *const method[][2] = {
		{"spgemm.csr.hash.gpu", "spgemm.csr.serial"},
		{"spgemm.csr.bins.gpu", "spgemm.csr.serial"},
		{"spgemm.csr.batches.gpu:batch=20000", "spgemm.csr.serial"},
		{"spgemm.csr.batches.gpu:batch=20000,slices=2", "spgemm.csr.serial"},
		{"spgemm.csr.split.gpu:share=500", "spgemm.csr.serial"},
		{"triple.csr.left.gpu", "triple.csr.left"},
		{"triple.csr.right.gpu", "triple.csr.right"}};

	(void)state;
	need_device();
	for (int k = 0; k < devices.count; k++) {
		if (strstr(devices.of[k].text, "shared")) /* nothing is copied there */
			continue;
		for (size_t m = 0; m < sizeof method / sizeof *method; m++)
			for (int way = 0; way < 3; way++)
				change_each(devices.of[k].ctx, method[m][0], method[m][1],
				            way == 1 ? "csc" : "csr", way == 2);
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
		cmocka_unit_test(test_one_operand_of_several),
		cmocka_unit_test(test_timer),
	};

	return run_all_tests(tests, devices_setup, devices_teardown);
}
