/* SPDX-License-Identifier: BSD-3-Clause
 * Tests calls that ek_spmspv, ek_spmspv_size and their plans refuse, all formats of A, the choice
 * of methods, matrices with very many columns, and plans whose n-th allocation fails. The matrix is
 * that of support/small.h:
 *   1 .
 *   . .
 *   2 3 */
#include <math.h>

#include "plan/plan.h"
#include "support/exhaust.h"
#include "support/small.h"
#include "support/support.h"

static ek_plan *plan, *dense_plan;
static int32_t x_idx[2] = {0, 1}, y_idx[3];
static double x_val[2] = {10, 100}, y_val[3];
static int64_t count;

static int setup(void **state)
{
	if (small_setup(state) != 0)
		return -1;
	expect_status(ek_plan_create(EK_SPMSPV, small_matrix, NULL, &plan), EK_OK);
	expect_status(ek_plan_create(EK_SPMV, small_matrix, NULL, &dense_plan), EK_OK);
	return 0;
}

static int teardown(void **state)
{
	ek_plan_destroy(plan);
	ek_plan_destroy(dense_plan);
	return small_teardown(state);
}

static ek_sparse x_vector(void)
{
	return ek_sparse_vector(EK_F64, EK_INT32, 2, 2, x_idx, x_val);
}

static ek_sparse y_vector(void)
{
	return ek_sparse_vector(EK_F64, EK_INT32, 3, 3, y_idx, y_val);
}

static void test_result(void **state)
{
	const ek_sparse x = x_vector(), y = y_vector();
	ek_sparse one = ek_sparse_vector(EK_F64, EK_INT32, 2, 1, &x_idx[1], &x_val[1]);
	int64_t most, exact;

	(void)state;
	expect_status(ek_spmspv(plan, 2, &x, &count, &y), EK_OK);
	assert_true(count == 2 && y_idx[0] == 0 && y_idx[1] == 2);
	assert_true(y_val[0] == 20 && y_val[1] == 640);
	expect_status(ek_spmspv(plan, 1, &one, &count, &y), EK_OK);
	assert_true(count == 1 && y_idx[0] == 2 && y_val[0] == 300);
	expect_status(ek_spmspv_size(plan, &one, &most, &exact), EK_OK);
	assert_true(most >= 1 && most <= 3 && exact == 1);
	one.nnz = 0;
	one.idx = one.val = NULL;
	expect_status(ek_spmspv(plan, 1, &one, &count, &y), EK_OK);
	assert_int_equal(count, 0);
	expect_status(ek_spmspv_size(plan, &one, &most, &exact), EK_OK);
	assert_true(most == 0 && exact == 0);
}

static void refuse(const ek_sparse *x, const ek_sparse *y, ek_status status, const char *part)
{
	memset(y_idx, 0x55, sizeof y_idx);
	memset(y_val, 0x55, sizeof y_val);
	count = -7;
	expect_error(ek_spmspv(plan, 1, x, &count, y), status, part);
	assert_int_equal(count, -7);
	for (size_t k = 0; k < sizeof y_val; k++)
		assert_int_equal(((char *)y_val)[k], 0x55);
	for (size_t k = 0; k < sizeof y_idx; k++)
		assert_int_equal(((char *)y_idx)[k], 0x55);
}

static void test_vectors(void **state)
{
	static int32_t wrong[2] = {1, 1}, beyond[2] = {0, 2};
	const ek_sparse good_x = x_vector(), good_y = y_vector();
	ek_sparse x = good_x, y = good_y;

	(void)state;
	refuse(NULL, &y, EK_EINVAL, "x is NULL");
	refuse(&x, NULL, EK_EINVAL, "y is NULL");
	expect_error(ek_spmspv(plan, 1, &x, NULL, &y), EK_EINVAL, "count is NULL");
	expect_error(ek_spmspv(NULL, 1, &x, &count, &y), EK_EINVAL, "plan is NULL");
	expect_error(ek_spmspv(dense_plan, 1, &x, &count, &y), EK_EINVAL,
	             "plan is for operation spmv; one for spmspv is expected");
	expect_error(ek_spmspv_size(plan, NULL, NULL, NULL), EK_EINVAL, "x is NULL");
	x.value = EK_F32;
	refuse(&x, &y, EK_EINVAL, "x->value is f32, and A has values of type f64");
	x = good_x;
	x.index = EK_INT64;
	refuse(&x, &y, EK_EINVAL, "x->index is i64; A has indices of type 32, so i32 is expected");
	x = good_x;
	x.n = 3;
	refuse(&x, &y, EK_EINVAL, "x->n is 3, and op(A) has 2 columns");
	y.n = 2;
	refuse(&good_x, &y, EK_EINVAL, "y->n is 2, and op(A) has 3 rows");
	y = good_y;
	y.nnz = 1;
	refuse(&good_x, &y, EK_EINVAL,
	       "y->nnz is 1, and y must have space for the 2 entries of the result");
	y = good_y;
	x = good_x;
	x.idx = wrong;
	refuse(&x, &y, EK_ERANGE, "x->idx[1] is 1; more than the index before, 1, is expected");
	x.idx = beyond;
	refuse(&x, &y, EK_ERANGE, "x->idx[1] is 2; x->n is 2, so 0 to 1 is expected");
	x = good_x;
	x.val = y_val;
	refuse(&x, &y, EK_EINVAL, "x->val and y->val overlap");
	y.val = small_val;
	refuse(&good_x, &y, EK_EINVAL, "val and y->val overlap");
	expect_error(ek_spmspv(plan, 1, &good_x, (int64_t *)(void *)y_val, &good_y), EK_EINVAL,
	             "y->val and count overlap");
}

static void test_hints(void **state)
{
	ek_hints h = {.size = sizeof h, .B = small_matrix};
	ek_plan *out = NULL;

	(void)state;
	expect_error(ek_plan_create(EK_SPMSPV, small_matrix, &h, &out), EK_EINVAL,
	             "hints.B is set, but operation spmspv takes one matrix");
	h = (ek_hints){.size = sizeof h, .method = "spmv.csr.rows"};
	expect_error(ek_plan_create(EK_SPMSPV, small_matrix, &h, &out), EK_EINVAL,
	             "for operation spmv, not for spmspv");
	h = (ek_hints){.size = sizeof h, .format = "sell"};
	expect_error(ek_plan_create(EK_SPMSPV, small_matrix, &h, &out), EK_EINVAL,
	             "operation spmspv takes csr and csc");
	assert_null(out);
}

/* Checks that rows with very many columns are sorted without an array as long as the columns. */
static void check_unsorted(void)
{
	const int64_t ptr[] = {0, 2}, col[] = {9, 3}, at[] = {3, 9};
	double val[] = {5, 7}, xv[] = {1, 2}, yv[1];
	int64_t yi[1];
	const ek_sparse x = ek_sparse_vector(EK_F64, EK_INT64, INT64_C(1) << 56, 2, at, xv);
	const ek_sparse y = ek_sparse_vector(EK_F64, EK_INT64, 1, 1, yi, yv);
	char text[4096];
	ek_matrix *wide;
	ek_plan *p;

	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I64, 1, INT64_C(1) << 56, ptr, col, val,
	                                 EK_BORROW, &wide),
	              EK_OK);
	expect_status(ek_plan_create(EK_SPMSPV, wide, NULL, &p), EK_OK);
	expect_status(ek_plan_explain(p, text, sizeof text), EK_OK);
	assert_non_null(strstr(text, "keeps a copy with sorted rows of A"));
	expect_status(ek_spmspv(p, 1, &x, &count, &y), EK_OK);
	assert_true(count == 1 && yi[0] == 0 && yv[0] == 17);
	val[0] = 6;
	expect_status(ek_matrix_values_changed(wide), EK_OK);
	expect_status(ek_spmspv(p, 1, &x, &count, &y), EK_OK);
	assert_true(yv[0] == 19);
	ek_plan_destroy(p);
	ek_matrix_destroy(wide);
}

/* Tests which method is chosen: for many calls csr.switch, which explains when it switches; for few
 * one that needs no copy; for very many columns one without long arrays. */
static void test_choice(void **state)
{
	const ek_hints few = {.size = sizeof few, .calls = 1};
	const ek_hints limited = {.size = sizeof limited, .method = "csr.switch", .memory = 100};
	const int64_t row[1] = {3}, col[1] = {INT64_C(1) << 55};
	const double val[1] = {5};
	ek_matrix *wide;
	ek_plan *p;
	char text[4096];

	(void)state;
	expect_status(ek_matrix_generate(ctx, "uniform:rows=3000,cols=3000", EK_F64, EK_I32, &wide),
	              EK_OK);
	expect_status(ek_plan_create(EK_SPMSPV, wide, NULL, &p), EK_OK);
	assert_string_equal(ek_plan_method(p), "spmspv.csr.switch");
	expect_status(ek_plan_explain(p, text, sizeof text), EK_OK);
	assert_non_null(strstr(text, "by columns up to about"));
	ek_plan_destroy(p);
	expect_status(ek_plan_create(EK_SPMSPV, wide, &few, &p), EK_OK);
	assert_string_equal(ek_plan_method(p), "spmspv.csr.masked");
	ek_plan_destroy(p);
	/* hints.memory limits no method that makes no matrix. */
	expect_status(ek_plan_create(EK_SPMSPV, wide, &limited, &p), EK_OK);
	ek_plan_destroy(p);
	ek_matrix_destroy(wide);
	expect_status(ek_matrix_from_coo(ctx, EK_F64, EK_I64, 5, INT64_C(1) << 56, 1, row, col, val,
	                                 0, &wide),
	              EK_OK);
	for (int op = 0; op < 2; op++) {
		const ek_hints h = {.size = sizeof h, .op = op ? EK_OP_T : EK_OP_N};
		ek_hints named = h;
		int64_t yi[1];
		double yv[1], xv[1] = {2};
		const ek_sparse x = ek_sparse_vector(EK_F64, EK_INT64, op ? 5 : INT64_C(1) << 56, 1,
		                                     op ? row : col, xv);
		const ek_sparse y =
			ek_sparse_vector(EK_F64, EK_INT64, op ? INT64_C(1) << 56 : 5, 1, yi, yv);

		expect_status(ek_plan_create(EK_SPMSPV, wide, &h, &p), EK_OK);
		assert_string_equal(ek_plan_method(p), "spmspv.csr.serial");
		expect_status(ek_spmspv(p, 1, &x, &count, &y), EK_OK);
		assert_true(count == 1 && yi[0] == (op ? col[0] : 3) && yv[0] == 10);
		ek_plan_destroy(p);
		named.method = "csr.switch";
		expect_error(ek_plan_create(EK_SPMSPV, wide, &named, &p), EK_EUNSUPPORTED,
		             "method spmspv.csr.switch does not apply to this matrix");
	}
	ek_matrix_destroy(wide);
	check_unsorted();
}

static void test_formats(void **state)
{
	const ek_sparse x = x_vector(), y = y_vector();

	(void)state;
	for (const ek_format *f = NULL; (f = ek_format_next(f));)
		for (int op = 0; op < 2; op++) {
			const ek_hints h = {.size = sizeof h, .op = op ? EK_OP_T : EK_OP_N};
			const ek_sparse from =
				op ? ek_sparse_vector(EK_F64, EK_INT32, 3, 2, x_idx, x_val) : x;
			const ek_sparse to =
				op ? ek_sparse_vector(EK_F64, EK_INT32, 2, 2, y_idx, y_val) : y;
			ek_matrix *B;
			ek_plan *p;

			expect_status(ek_matrix_convert(small_matrix, ek_format_name(f), NULL, &B),
			              EK_OK);
			for (int times = 1; times <= 2; times++) {
				double v[3] = {times, 2 * times, 3 * times};

				if (times == 1)
					expect_status(ek_plan_create(EK_SPMSPV, B, &h, &p), EK_OK);
				if (strcmp(ek_format_name(f), "csc") == 0) {
					v[1] = 2 * times;
					v[2] = 3 * times;
				}
				expect_status(ek_matrix_set_values(B, 3, v), EK_OK);
				expect_status(ek_spmspv(p, 1, &from, &count, &to), EK_OK);
				assert_int_equal(count, op ? 1 : 2);
				assert_true(y_val[0] == 10 * times);
				assert_true(op || y_val[1] == 320 * times);
			}
			ek_plan_destroy(p);
			ek_matrix_destroy(B);
		}
}

/* hints.format tells whether the plan has A by rows or by columns, whatever the format of A. */
static void test_asked_format(void **state)
{
	static const char *const stored[] = {"csr", "csc", "ell"}, *const asked[] = {"csr", "csc"};
	const ek_sparse x = x_vector(), y = y_vector();

	(void)state;
	for (const ek_method *m = NULL; (m = processor_method_next(m, EK_SPMSPV));)
		for (int k = 0; k < 12; k++) {
			const bool op = k & 1;
			const ek_hints h = {.size = sizeof h,
			                    .method = ek_method_name(m),
			                    .op = op ? EK_OP_T : EK_OP_N,
			                    .format = asked[k / 2 % 2]};
			const ek_sparse from =
				op ? ek_sparse_vector(EK_F64, EK_INT32, 3, 2, x_idx, x_val) : x;
			const ek_sparse to =
				op ? ek_sparse_vector(EK_F64, EK_INT32, 2, 2, y_idx, y_val) : y;
			const double twice[3] = {2, 4, 6};
			ek_matrix *B;
			ek_plan *p;

			expect_status(ek_matrix_convert(small_matrix, stored[k / 4], NULL, &B),
			              EK_OK);
			expect_status(ek_plan_create(EK_SPMSPV, B, &h, &p), EK_OK);
			assert_string_equal(ek_plan_format(p), h.format);
			for (int times = 1; times <= 2; times++) {
				expect_status(ek_spmspv(p, 1, &from, &count, &to), EK_OK);
				assert_int_equal(count, op ? 1 : 2);
				assert_true(y_val[0] == 10 * times);
				assert_true(op || y_val[1] == 320 * times);
				expect_status(ek_matrix_set_values(B, 3, twice), EK_OK);
			}
			ek_plan_destroy(p);
			ek_matrix_destroy(B);
		}
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static ek_status make_plan(struct exhaust *e)
{
	static const int32_t unsorted[3] = {0, 1, 0};
	const ek_hints *h = e->arg;
	ek_matrix *A = NULL;
	ek_status status = ek_matrix_from_csr(e->ctx, EK_F64, EK_I32, 3, 2, small_ptr, unsorted,
	                                      small_val, EK_BORROW, &A);

	if (status == EK_OK)
		status = ek_plan_create(EK_SPMSPV, A, h, (ek_plan **)&e->out);
	ek_matrix_destroy(A);
	return status;
}

static void release(struct exhaust *e)
{
	ek_plan_destroy(e->out);
	e->out = NULL;
}

static void test_memory(void **state)
{
	(void)state;
	for (const ek_method *m = NULL; (m = processor_method_next(m, EK_SPMSPV));)
		for (int op = 0; op < 2; op++) {
			const ek_hints h = {.size = sizeof h,
			                    .method = ek_method_name(m),
			                    .op = op ? EK_OP_T : EK_OP_N};
			struct exhaust e = {0};

			exhaust_open(&e, 3, &h);
			exhaust(&e, ek_method_name(m), make_plan, release);
			exhaust_close(&e);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result),  cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_hints),   cmocka_unit_test(test_choice),
		cmocka_unit_test(test_formats), cmocka_unit_test(test_asked_format),
		cmocka_unit_test(test_memory),
	};

	return run_all_tests(tests, setup, teardown);
}
