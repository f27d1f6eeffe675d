/* SPDX-License-Identifier: BSD-3-Clause
 * Tests that several threads can run one plan for SpMM at the same time, each with its own blocks.
 * This test is also for the thread sanitizer (test_threads.c). */
#include <math.h>

#include "plan/plan.h"
#include "support/context.h"
#include "support/shapes.h"
#include "support/support.h"
#include "support/workers.h"

enum { ROUNDS = 4, WIDTH = 37 }; /* more columns than in a panel */

static struct shape shape;
static struct typed arrays;
static ek_matrix *A;
static double *x[2], *expected[2][2]; /* expected[op][k] is the product with x[k] */
static ek_plan *plan;
static int plan_op;

static int setup(void **state)
{
	int64_t longest;

	for (int k = 0; k < shape_count(); k++)
		if (strcmp(shape_name(k), "power-law") == 0)
			shape_free(&shape), shape_make(&shape, k, DATA_EXACT);
	if (shape.nnz == 0)
		return -1; /* there is no such shape */
	typed_make(&arrays, &shape, EK_F64, EK_I32, 1);
	context_setup_cut(state);
	if (typed_csr(ctx, &arrays, EK_BORROW, &A) != EK_OK)
		return -1;
	longest = shape.rows > shape.cols ? shape.rows : shape.cols;
	for (int v = 0; v < 2; v++) {
		x[v] = calloc((size_t)longest, sizeof **x);
		for (int op = 0; op < 2; op++)
			expected[op][v] = calloc((size_t)longest, sizeof **x);
		for (int64_t j = 0; j < longest; j++)
			x[v][j] = (double)(j % (7 - 2 * v) - 3);
		for (int64_t i = 0; i < shape.rows; i++)
			for (int64_t k = shape.ptr[i]; k < shape.ptr[i + 1]; k++) {
				expected[0][v][i] += shape.val[k] * x[v][shape.col[k]];
				expected[1][v][shape.col[k]] += shape.val[k] * x[v][i];
			}
	}
	return 0;
}

static int teardown(void **state)
{
	ek_matrix_destroy(A);
	typed_free(&arrays);
	shape_free(&shape);
	for (int v = 0; v < 2; v++) {
		free(x[v]);
		free(expected[0][v]);
		free(expected[1][v]);
	}
	return context_teardown(state);
}

/* Returns element k of the array of a block whose columns are v[0] and v[1] in turn. */
static double element(const ek_dense *block, double *const v[2], int64_t k)
{
	return block->order == EK_ROW_MAJOR ? v[k % WIDTH & 1][k / WIDTH]
	                                    : v[k / block->rows & 1][k % block->rows];
}

/* Computes Y = alpha op(A) X + beta Y, where Y is 3 before, or NaN if beta is 0. The columns of X
 * are x[0] and x[1] in turn. Tells whether Y is right. */
static bool multiply(double alpha, const ek_dense *X, double beta, const ek_dense *Y)
{
	double *in = (double *)(uintptr_t)X->data, *out = (double *)(uintptr_t)Y->data;
	bool right = true;

	for (int64_t k = 0; k < X->rows * WIDTH; k++)
		in[k] = element(X, x, k);
	for (int64_t k = 0; k < Y->rows * WIDTH; k++)
		out[k] = beta == 0 ? NAN : 3;
	if (ek_spmm(plan, alpha, X, beta, Y) != EK_OK)
		return false;
	for (int64_t k = 0; k < Y->rows * WIDTH; k++)
		right &= out[k] == alpha * element(Y, expected[plan_op], k) + 3 * beta;
	return right;
}

/* Runs the plan with row-major and column-major blocks in turn. */
static void work(int number)
{
	const int64_t n = plan_op ? shape.cols : shape.rows, m = plan_op ? shape.rows : shape.cols;
	double *in = calloc((size_t)(m * WIDTH), sizeof *in);
	double *out = calloc((size_t)(n * WIDTH), sizeof *out);

	for (int k = 0; k < ROUNDS; k++) {
		const bool x_rows = (k + number) & 1, y_rows = k & 2;
		const ek_dense X = ek_block(EK_F64, m, WIDTH, x_rows ? WIDTH : m,
		                            x_rows ? EK_ROW_MAJOR : EK_COL_MAJOR, in);
		const ek_dense Y = ek_block(EK_F64, n, WIDTH, y_rows ? WIDTH : n,
		                            y_rows ? EK_ROW_MAJOR : EK_COL_MAJOR, out);

		if (!multiply(1.5 - k, &X, k & 1, &Y))
			worker_fault(ek_plan_method(plan));
	}
	free(out);
	free(in);
}

/* Runs the plan in all threads. Values change before these start, so all notice it at once. */
static void check_plan(const char *method, ek_op op)
{
	const ek_hints hints = {.size = sizeof hints, .method = method, .op = op, .width = WIDTH};

	expect_status(ek_plan_create(EK_SPMM, A, &hints, &plan), EK_OK);
	plan_op = op == EK_OP_T;
	expect_status(ek_matrix_values_changed(A), EK_OK);
	run_workers(WORKERS, work);
	ek_plan_destroy(plan);
}

static void test_one_plan(void **state)
{
	const ek_op op[2] = {EK_OP_N, EK_OP_T};
	int checked = 0;

	(void)state;
	for (int k = 0; k < 2; k++)
		check_plan("auto", op[k]);
	for (const ek_method *m = NULL; (m = ek_method_next(m));)
		for (int k = 0; k < 2; k++)
			if (ek_method_operation(m) == EK_SPMM && !needs_device(m) &&
			    ek_method_supports(m, op[k], EK_REPRO_RUN)) {
				check_plan(ek_method_name(m), op[k]);
				checked++;
			}
	assert_true(checked >= 6);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_plan)};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, setup, teardown);
}
