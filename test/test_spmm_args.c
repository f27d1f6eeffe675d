/* SPDX-License-Identifier: BSD-3-Clause
 * Tests calls that ek_spmm and its plans refuse, blocks without columns, callers with an older
 * header, and plans whose n-th allocation fails. The matrix is that of support/small.h:
 *   1 .
 *   . .
 *   2 3 */
#include "plan/plan.h"
#include "support/exhaust.h"
#include "support/small.h"
#include "support/support.h"

enum { WIDTH = 3 };

static ek_plan *plan, *vector_plan;
static double x_data[2 * WIDTH] = {1, 2, 3, 4, 5, 6}, y_data[5 * WIDTH];

static int setup(void **state)
{
	if (small_setup(state) != 0)
		return -1;
	expect_status(ek_plan_create(EK_SPMM, small_matrix, NULL, &plan), EK_OK);
	expect_status(ek_plan_create(EK_SPMV, small_matrix, NULL, &vector_plan), EK_OK);
	return 0;
}

static int teardown(void **state)
{
	ek_plan_destroy(plan);
	ek_plan_destroy(vector_plan);
	return small_teardown(state);
}

static ek_dense x_block(void)
{
	return ek_block(EK_F64, 2, WIDTH, WIDTH, EK_ROW_MAJOR, x_data);
}

static ek_dense y_block(void)
{
	return ek_block(EK_F64, 3, WIDTH, 5, EK_COL_MAJOR, y_data);
}

/* ---- Arguments ------------------------------------------------------------------------------- */

static void test_result(void **state)
{
	const ek_dense X = x_block(), Y = y_block();

	(void)state;
	for (int k = 0; k < 5 * WIDTH; k++)
		y_data[k] = -1;
	expect_status(ek_spmm(plan, 1, &X, 0, &Y), EK_OK);
	for (int j = 0; j < WIDTH; j++) {
		assert_true(y_data[5 * j] == 1 + j && y_data[5 * j + 1] == 0);
		assert_true(y_data[5 * j + 2] == 2 * (1 + j) + 3 * (4 + j));
		assert_true(y_data[5 * j + 3] == -1 && y_data[5 * j + 4] == -1);
	}
}

static void test_plans(void **state)
{
	const ek_dense X = x_block(), Y = y_block(), x = ek_vector(EK_F64, 2, x_data),
		       y = ek_vector(EK_F64, 3, y_data);
	ek_hints hints = {.size = sizeof hints, .width = -1};
	ek_plan *out = NULL;

	(void)state;
	expect_error(ek_spmm(NULL, 1, &X, 0, &Y), EK_EINVAL, "plan is NULL");
	expect_error(ek_spmm(vector_plan, 1, &X, 0, &Y), EK_EINVAL,
	             "plan is for operation spmv; one for spmm is expected");
	expect_error(ek_spmv(plan, 1, &x, 0, &y), EK_EINVAL,
	             "plan is for operation spmm; one for spmv is expected");
	expect_error(ek_spmv_add(plan, 1, &x, 0, &y, &y), EK_EINVAL, "plan is for operation spmm");
	expect_error(ek_plan_create(EK_SPMM, small_matrix, &hints, &out), EK_EINVAL,
	             "hints.width is -1");
	hints.width = 0;
	hints.method = "spmv.csr.rows";
	expect_error(ek_plan_create(EK_SPMM, small_matrix, &hints, &out), EK_EINVAL,
	             "spmv.csr.rows is for operation spmv, not for spmm");
	hints.method = "csr.panels";
	expect_status(ek_plan_create(EK_SPMM, small_matrix, &hints, &out), EK_OK);
	assert_string_equal(ek_plan_method(out), "spmm.csr.panels");
	ek_plan_destroy(out);
	expect_error(ek_plan_create((ek_operation)99, small_matrix, NULL, &out), EK_EINVAL,
	             "operation is 99; plans are made for these: spmv spmm spgemm spadd");
	assert_string_equal(ek_operation_name(EK_SPMM), "spmm");
}

static void expect_bad(const ek_dense *X, const ek_dense *Y, const char *part)
{
	expect_error(ek_spmm(plan, 1, X, 0, Y), EK_EINVAL, part);
}

static void test_blocks(void **state)
{
	const ek_dense X = x_block(), Y = y_block();
	ek_dense bad;

	(void)state;
	expect_bad(NULL, &Y, "X is NULL");
	expect_bad(&X, NULL, "Y is NULL");
	bad = X, bad.value = EK_F32, expect_bad(&bad, &Y, "X has values of type f32");
	bad = X, bad.rows = 3, expect_bad(&bad, &Y, "X is 3 x 3; op(A) has 2 columns");
	bad = X, bad.cols = 2, expect_bad(&bad, &Y, "Y is 3 x 3; op(A) has 3 rows, so 3 x 2");
	bad = X, bad.cols = -1, expect_bad(&bad, &Y, "X.cols is -1; it must not be negative");
	bad = X, bad.ld = 2, expect_bad(&bad, &Y, "leading dimension 2, less than its 3 columns");
	bad = Y, bad.ld = 2, expect_bad(&X, &bad, "leading dimension 2, less than its 3 rows");
	bad = X, bad.order = 2, expect_bad(&bad, &Y, "X.order is 2; EK_COL_MAJOR or");
	bad = Y, bad.order = -1, expect_bad(&X, &bad, "Y.order is -1");
	bad = Y, bad.ld = INT64_MAX / 2, expect_bad(&X, &bad, "does not fit the address space");
	bad = X, bad.where = 7, expect_bad(&bad, &Y, "X.where is 7");
	bad = X, bad.where = 1, expect_bad(&bad, &Y, "X is on a device, and method spmm");
	bad = X, bad.data = NULL, expect_bad(&bad, &Y, "X.data is NULL");
	bad = X, bad.data = (char *)x_data + 1, expect_bad(&bad, &Y, "not aligned");
	bad = X, bad.size = 3, expect_bad(&bad, &Y, "X.size is 3");
}

static void test_vectors_have_columns(void **state)
{
	ek_dense x = ek_vector(EK_F64, 2, x_data), y = ek_vector(EK_F64, 3, y_data);

	(void)state;
	x.order = EK_ROW_MAJOR;
	expect_error(ek_spmv(vector_plan, 1, &x, 0, &y), EK_EINVAL,
	             "x.order is 1; EK_COL_MAJOR is expected of vectors");
}

static void test_overlap(void **state)
{
	static double room[40];
	ek_dense X = ek_block(EK_F64, 2, WIDTH, 7, EK_ROW_MAJOR, room + 4),
		 Y = ek_block(EK_F64, 3, WIDTH, 7, EK_ROW_MAJOR, room);

	(void)state;
	expect_status(ek_spmm(plan, 1, &X, 0, &Y), EK_OK); /* X and Y are columns of one array */
	X.data = room + 3;
	expect_status(ek_spmm(plan, 1, &X, 0, &Y), EK_OK);
	X.data = room + 10;
	expect_status(ek_spmm(plan, 1, &X, 0, &Y), EK_OK);
	X.data = room + 2;
	expect_bad(&X, &Y, "X and Y overlap");
	X.data = room + 5; /* row i of X overlaps the beginning of row i + 1 of Y */
	expect_bad(&X, &Y, "X and Y overlap");
	X.data = room + 21;
	expect_status(ek_spmm(plan, 1, &X, 0, &Y), EK_OK);
	X.ld = 8;
	X.data = room + 4;
	expect_bad(&X, &Y, "X and Y overlap");
	X = ek_block(EK_F64, 2, WIDTH, 5, EK_COL_MAJOR, room + 3);
	Y = ek_block(EK_F64, 3, WIDTH, 5, EK_COL_MAJOR, room);
	expect_status(ek_spmm(plan, 1, &X, 0, &Y), EK_OK); /* X and Y are rows of one array */
	X.data = room + 4;
	expect_bad(&X, &Y, "X and Y overlap");
	Y.data = small_val;
	Y.cols = X.cols = 1;
	expect_bad(&X, &Y, "Y overlaps the array val of A");
}

static void test_empty(void **state)
{
	ek_dense X = x_block(), Y = y_block();

	(void)state;
	X.cols = Y.cols = 0;
	X.data = Y.data = NULL;
	expect_status(ek_spmm(plan, 1, &X, 0, &Y), EK_OK);
	X = x_block();
	Y = y_block();
	for (int k = 0; k < 5 * WIDTH; k++)
		y_data[k] = k;
	expect_status(ek_spmm(plan, 0, &X, 2, &Y), EK_OK);
	for (int k = 0; k < 5 * WIDTH; k++)
		assert_true(y_data[k] == (k % 5 < 3 ? 2 * k : k));
}

/* Checks that the order is by columns if the caller's ek_dense has no member `order` yet. */
static void test_old_caller(void **state)
{
	ek_dense X = x_block(), Y = ek_block(EK_F64, 3, WIDTH, 3, EK_COL_MAJOR, y_data);

	(void)state;
	X.order = 99;
	X.ld = 2;
	X.size = offsetof(ek_dense, order);
	expect_status(ek_spmm(plan, 1, &X, 0, &Y), EK_OK);
	assert_true(y_data[0] == 1 && y_data[3] == 3 && y_data[5] == 2 * 3 + 3 * 4);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void test_memory(void **state)
{
	static struct exhaust e;
	const ek_method *m = NULL;
	ek_matrix *A;

	(void)state;
	exhaust_open(&e, 3, NULL);
	expect_status(small_make(e.ctx, &A), EK_OK);
	do
		for (int op = 0; op < 2; op++) {
			const ek_dense X = ek_block(EK_F64, 3, WIDTH, 3, EK_COL_MAJOR, y_data),
				       Y = x_block();
			const ek_hints hints = {.size = sizeof hints,
			                        .method = m ? ek_method_name(m) : NULL,
			                        .op = op ? EK_OP_T : EK_OP_N};
			ek_plan *own;

			if (m && needs_device(m))
				continue;
			assert_true(exhaust_plan(&e, EK_SPMM, A, &hints) > 0);
			expect_status(ek_plan_create(EK_SPMM, A, &hints, &own), EK_OK);
			heap_fail(&e.heap, 0, true);
			if (op)
				expect_status(ek_spmm(own, 1, &X, 0, &Y), EK_OK);
			else
				expect_status(ek_spmm(own, 1, &Y, 0, &X), EK_OK);
			heap_fail(&e.heap, -1, false);
			ek_plan_destroy(own);
		}
	while ((m = operation_next(m, EK_SPMM)));
	ek_matrix_destroy(A);
	exhaust_close(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result),     cmocka_unit_test(test_plans),
		cmocka_unit_test(test_blocks),     cmocka_unit_test(test_vectors_have_columns),
		cmocka_unit_test(test_overlap),    cmocka_unit_test(test_empty),
		cmocka_unit_test(test_old_caller), cmocka_unit_test(test_memory),
	};

	return run_all_tests(tests, setup, teardown);
}
