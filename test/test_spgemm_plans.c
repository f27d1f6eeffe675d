/* SPDX-License-Identifier: BSD-3-Clause
 * Tests calls that ek_spgemm and its plans refuse, which results may be reused, and plans and runs
 * whose n-th allocation fails. The matrix is that of support/small.h:
 *   1 .
 *   . .
 *   2 3 */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <math.h>

#include "plan/plan.h"
#include "support/exhaust.h"
#include "support/shapes.h"
#include "support/small.h"
#include "support/support.h"

static ek_plan *plan; /* for A^T A */

static int setup(void **state)
{
	if (small_setup(state) != 0)
		return -1;
	const ek_hints hints = {.size = sizeof hints, .op = EK_OP_T, .B = small_matrix};

	expect_status(ek_plan_create(EK_SPGEMM, small_matrix, &hints, &plan), EK_OK);
	return 0;
}

static int teardown(void **state)
{
	ek_plan_destroy(plan);
	return small_teardown(state);
}

/* ---- Arguments ------------------------------------------------------------------------------- */

static const double *values_of(const ek_matrix *C, int64_t n)
{
	ek_view view = {.size = sizeof view};

	expect_status(ek_matrix_array(C, "val", &view), EK_OK);
	assert_int_equal(view.len, n);
	return view.data;
}

static void expect_product(const ek_matrix *C, double alpha)
{
	static const double right[] = {5, 6, 6, 9};
	const double *val = values_of(C, 4);

	for (int k = 0; k < 4; k++)
		assert_true(val[k] == alpha * right[k]);
}

static void test_result(void **state)
{
	ek_matrix *C = NULL;

	(void)state;
	expect_status(ek_spgemm(plan, 1, NAN, &C), EK_OK); /* beta is not read without D */
	expect_product(C, 1);
	ek_matrix *same = C;

	expect_status(ek_spgemm(plan, 2, 0, &C), EK_OK);
	assert_ptr_equal(C, same);
	expect_product(C, 2);
	ek_matrix_destroy(C);
}

static void expect_refused(const ek_hints *hints, ek_status status, const char *part)
{
	ek_plan *out = (ek_plan *)&out;

	expect_error(ek_plan_create(EK_SPGEMM, small_matrix, hints, &out), status, part);
	assert_ptr_equal(out, &out);
}

static void test_plans(void **state)
{
	ek_hints h = {.size = sizeof h};
	ek_plan *out;

	(void)state;
	expect_error(ek_plan_create(EK_SPGEMM, NULL, &h, &out), EK_EINVAL, "A is NULL");
	expect_error(ek_plan_create(EK_SPGEMM, small_matrix, &h, NULL), EK_EINVAL, "plan, where");
	expect_refused(NULL, EK_EINVAL, "hints.B is NULL; operation spgemm takes two matrices");
	expect_refused(&h, EK_EINVAL, "hints.B is NULL");
	h.B = small_matrix;
	expect_refused(&h, EK_EINVAL,
	               "op(A) is 3 x 2 and op(B) 3 x 2; op(B) needs as many rows as op(A) has "
	               "columns");
	h.op = h.op_b = EK_OP_T;
	expect_refused(&h, EK_EINVAL, "op(A) is 2 x 3 and op(B) 2 x 3");
	h.op_b = (ek_op)7;
	expect_refused(&h, EK_EINVAL, "hints.op_b is 7; EK_OP_N or EK_OP_T is expected");
	h.op_b = 0;
	h.op = (ek_op)3;
	expect_refused(&h, EK_EINVAL, "hints.op is 3");
	h.op = EK_OP_T;
	h.D = small_matrix;
	expect_refused(&h, EK_EINVAL, "D is 3 x 2; op(A) op(B) is 2 x 2");
	h.D = NULL;
	h.memory = -2;
	expect_refused(&h, EK_EINVAL, "hints.memory is -2");
	h.memory = 0;
	h.threads = 4;
	expect_refused(&h, EK_EINVAL, "hints.threads is 4; 0 to 3");
	h.threads = 0;
	h.index = (ek_index)9;
	expect_refused(&h, EK_EINVAL,
	               "hints.index is 9; 0, EK_I32, EK_I64_32 or EK_I64 is expected");
	h.index = (ek_index)-1;
	expect_refused(&h, EK_EINVAL, "hints.index is -1");
}

/* Checks that operations on one matrix refuse the hints of products of two. */
static void test_hints_of_others(void **state)
{
	const ek_operation operation[] = {EK_SPMV, EK_SPMM};

	(void)state;
	for (int k = 0; k < 2; k++) {
		const char *name = ek_operation_name(operation[k]);
		ek_plan *out = NULL;
		ek_hints h = {.size = sizeof h, .B = small_matrix};
		char text[100];

		snprintf(text, sizeof text, "hints.B is set, but operation %s takes one", name);
		expect_error(ek_plan_create(operation[k], small_matrix, &h, &out), EK_EINVAL, text);
		h = (ek_hints){.size = sizeof h, .D = small_matrix};
		expect_error(ek_plan_create(operation[k], small_matrix, &h, &out), EK_EINVAL,
		             "hints.D is set");
		h = (ek_hints){.size = sizeof h, .op_b = EK_OP_N};
		expect_error(ek_plan_create(operation[k], small_matrix, &h, &out), EK_EINVAL,
		             "hints.op_b is set");
		h = (ek_hints){.size = sizeof h, .index = EK_I32};
		expect_error(ek_plan_create(operation[k], small_matrix, &h, &out), EK_EINVAL,
		             "hints.index is set");
		assert_null(out);
	}
}

static void test_operands(void **state)
{
	struct heap other = HEAP_INIT;
	ek_context *elsewhere = heap_context(&other, 1, 0);
	ek_hints h = {.size = sizeof h, .op = EK_OP_T};
	ek_matrix *away, *narrow, *wide, *dead;
	ek_plan *user, *out;

	(void)state;
	expect_status(small_make(elsewhere, &away), EK_OK);
	expect_status(convert_types(small_matrix, EK_F32, EK_I32, &narrow), EK_OK);
	expect_status(convert_types(small_matrix, EK_F64, EK_I64, &wide), EK_OK);
	h.B = away;
	expect_refused(&h, EK_EINVAL, "hints.B was made in another context than A");
	h.B = narrow;
	expect_refused(&h, EK_EINVAL, "hints.B has values of type f32, A of type f64");
	h.B = small_matrix;
	h.D = narrow;
	expect_refused(&h, EK_EINVAL, "hints.D has values of type f32");
	h.D = away;
	expect_refused(&h, EK_EINVAL, "hints.D was made in another context");
	h.D = NULL;
	h.B = wide;
	h.index = EK_I32;
	expect_refused(&h, EK_EINVAL,
	               "hints.index is 32, but an operand has columns of 64 bits; 0 or EK_I64 is "
	               "expected");
	h.index = EK_I64_32;
	expect_refused(&h, EK_EINVAL, "hints.index is 64/32, but an operand has columns of 64");
	expect_status(small_make(ctx, &dead), EK_OK);
	expect_status(ek_plan_create(EK_SPMV, dead, NULL, &user), EK_OK);
	ek_matrix_destroy(dead);
	h = (ek_hints){.size = sizeof h, .op = EK_OP_T, .B = dead};
	expect_refused(&h, EK_EINVAL, "hints.B is not a matrix, or was destroyed");
	h.B = small_matrix;
	h.D = dead;
	expect_refused(&h, EK_EINVAL, "hints.D is not a matrix, or was destroyed");
	expect_error(ek_plan_create(EK_SPGEMM, dead, &h, &out), EK_EINVAL, "destroyed");
	ek_plan_destroy(user);
	ek_matrix_destroy(wide);
	ek_matrix_destroy(narrow);
	ek_matrix_destroy(away);
	ek_context_destroy(elsewhere);
	heap_close(&other);
}

/* Checks that plans say which format they multiply with, and whether A was copied for it. */
static void test_format(void **state)
{
	ek_matrix *A[3];
	static const char *const stored[] = {"csr", "csc", "ell"};
	static const char *const format[3][2] = {{"csr", "csr"}, {"csc", "csc"}, {"csr", "csr"}};
	char text[4096];

	(void)state;
	for (int k = 0; k < 3; k++) {
		expect_status(ek_matrix_convert(small_matrix, stored[k], NULL, &A[k]), EK_OK);
		for (int op = 0; op < 2; op++) {
			const ek_hints h = {.size = sizeof h,
			                    .op = op ? EK_OP_T : EK_OP_N,
			                    .op_b = op ? EK_OP_N : EK_OP_T,
			                    .B = A[k]};
			ek_plan *out;

			expect_status(ek_plan_create(EK_SPGEMM, A[k], &h, &out), EK_OK);
			assert_string_equal(ek_plan_format(out), format[k][op]);
			expect_status(ek_plan_explain(out, text, sizeof text), EK_OK);
			assert_non_null(strstr(text, k < 2 && !op ? "as A is stored" : "a copy"));
			ek_plan_destroy(out);
		}
		ek_matrix_destroy(A[k]);
	}
}

static void test_methods(void **state)
{
	ek_hints h = {.size = sizeof h, .op = EK_OP_T, .B = small_matrix};
	static const char *const known[] = {"spgemm.csr.flags", "csr.flags", "auto", NULL};
	static const char *const format[] = {"csr", "csc", NULL};
	ek_plan *out;

	(void)state;
	for (int k = 0; k < 4; k++)
		for (int f = 0; f < 3; f++) {
			h.method = known[k];
			h.format = format[f];
			expect_status(ek_plan_create(EK_SPGEMM, small_matrix, &h, &out), EK_OK);
			assert_string_equal(ek_plan_method(out), "spgemm.csr.flags");
			ek_plan_destroy(out);
		}
	h.method = NULL;
	h.format = "ell";
	expect_refused(&h, EK_EINVAL, "hints.format is ell; operation spgemm takes csr and csc");
	h.method = "csr.flags";
	expect_refused(&h, EK_EINVAL, "spgemm.csr.flags multiplies with format csr, not with ell");
	h.format = "nonsense";
	expect_refused(&h, EK_EINVAL, "nonsense");
	h.format = NULL;
	h.method = "spmv.csr.merge";
	expect_refused(&h, EK_EINVAL,
	               "method spmv.csr.merge is for operation spmv, not for spgemm; auto and "
	               "these exist: spgemm.csr.serial");
	h.method = "spmm.csr.panels";
	expect_refused(&h, EK_EINVAL, "for operation spmm, not for spgemm");
	h.method = "csr.flag";
	expect_refused(&h, EK_EINVAL, "did you mean spgemm.csr.flags?");
	h.method = "csr.flags:tile=2";
	expect_refused(&h, EK_EINVAL, "method spgemm.csr.flags");
	h = (ek_hints){.size = sizeof h, .method = "spgemm.csr.flags"};
	expect_error(ek_plan_create(EK_SPMV, small_matrix, &h, &out), EK_EINVAL,
	             "for operation spgemm, not for spmv");
}

/* Returns the method of a plan for A^T A, or of A A^T if `op` is EK_OP_N, when EK_METHOD is
 * `text`. */
static const char *forced(const char *text, ek_op op)
{
	struct heap own = HEAP_INIT;
	ek_hints h = {.size = sizeof h, .op = op, .op_b = op == EK_OP_N ? EK_OP_T : EK_OP_N};
	const char *name;
	ek_context *c;
	ek_matrix *A;
	ek_plan *p;

	setenv("EK_METHOD", text, 1);
	c = heap_context(&own, 2, 0);
	unsetenv("EK_METHOD");
	expect_status(small_make(c, &A), EK_OK);
	h.B = A;
	expect_status(ek_plan_create(EK_SPGEMM, A, &h, &p), EK_OK);
	name = ek_plan_method(p);
	ek_plan_destroy(p);
	ek_matrix_destroy(A);
	ek_context_destroy(c);
	heap_close(&own);
	return name;
}

static void test_environment(void **state)
{
	(void)state;
	assert_string_equal(forced("spgemm=csr.textbook", EK_OP_N), "spgemm.csr.textbook");
	assert_string_equal(forced("spgemm=csr.textbook", EK_OP_T), "spgemm.csr.textbook");
	assert_string_equal(forced("spgemm.csr.textbook", EK_OP_T), "spgemm.csr.textbook");
	assert_string_equal(forced("spgemm=auto", EK_OP_T), "spgemm.csr.flags");
	assert_string_equal(forced("spgemm.n=csr.serial", EK_OP_N), "spgemm.csr.serial");
	assert_string_equal(forced("spgemm.n=csr.serial", EK_OP_T), "spgemm.csr.flags");
	assert_string_equal(forced("spgemm.n=csr.serial;spgemm.t=csr.textbook", EK_OP_T),
	                    "spgemm.csr.textbook");
	assert_string_equal(forced("spmv=csr.merge;spmm=csr.panels", EK_OP_T), "spgemm.csr.flags");
	static const char *const wrong[][2] = {
		{"spgemm=csr.merge", "spmv.csr.merge is for operation spmv, not for spgemm"},
		{"spgemm.x=csr.flags", "there is no such operation"},
		{"spgemm=csr.flagz", "did you mean spgemm.csr.flags?"},
		{"spgemm=csr.flags;spgemm=csr.serial", "an entry before it"}};

	for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
		ek_context *c = NULL;

		setenv("EK_METHOD", wrong[k][0], 1);
		expect_error(ek_context_create(NULL, &c), EK_EINVAL, wrong[k][1]);
		assert_null(c);
	}
	unsetenv("EK_METHOD");
}

/* ---- The result ------------------------------------------------------------------------------ */

static void expect_not_ours(ek_matrix *C)
{
	ek_matrix *same = C;

	expect_error(ek_spgemm(plan, 3, 0, &C), EK_EINVAL,
	             "*C was not made by a run of this plan, or was converted since; NULL asks "
	             "for a new matrix");
	assert_ptr_equal(C, same);
}

static void test_runs(void **state)
{
	static double x[3], y[3];
	const ek_dense X = ek_vector(EK_F64, 2, x), Y = ek_vector(EK_F64, 2, y);
	const ek_hints h = {.size = sizeof h, .op = EK_OP_T, .B = small_matrix};
	ek_matrix *C = NULL, *dead;
	ek_plan *vector, *twin, *user;

	(void)state;
	expect_status(ek_plan_create(EK_SPMV, small_matrix, NULL, &vector), EK_OK);
	expect_status(ek_plan_create(EK_SPGEMM, small_matrix, &h, &twin), EK_OK);
	expect_error(ek_spgemm(NULL, 1, 0, &C), EK_EINVAL, "plan is NULL");
	expect_error(ek_spgemm(vector, 1, 0, &C), EK_EINVAL,
	             "plan is for operation spmv; one for spgemm is expected");
	expect_error(ek_spmv(plan, 1, &X, 0, &Y), EK_EINVAL,
	             "plan is for operation spgemm; one for spmv is expected");
	expect_error(ek_spmm(plan, 1, &X, 0, &Y), EK_EINVAL,
	             "plan is for operation spgemm; one for spmm is expected");
	expect_error(ek_spgemm(plan, 1, 0, NULL), EK_EINVAL, "C, where the result goes, is NULL");
	assert_null(C);
	expect_not_ours(small_matrix);
	expect_status(ek_spgemm(twin, 1, 0, &C), EK_OK);
	expect_not_ours(C);
	ek_matrix_destroy(C);
	C = NULL;
	expect_status(ek_spgemm(plan, 1, 0, &C), EK_OK);
	expect_status(ek_plan_create(EK_SPMV, C, NULL, &user), EK_OK);
	dead = C;
	ek_matrix_destroy(C);
	expect_error(ek_spgemm(plan, 1, 0, &dead), EK_EINVAL, "destroyed");
	assert_ptr_equal(dead, C);
	ek_plan_destroy(user);
	ek_plan_destroy(vector);
	ek_plan_destroy(twin);
}

/* Checks that a plan refuses a C whose arrays were replaced, even if it is in the same format
 * again, a copy of C, and a C of a destroyed plan. */
static void test_converted(void **state)
{
	static const char *const format[] = {"csc", "ell", "csr"};
	const ek_hints h = {.size = sizeof h, .op = EK_OP_T, .B = small_matrix};
	ek_matrix *C = NULL, *copy;
	ek_plan *late;

	(void)state;
	expect_status(ek_spgemm(plan, 1, 0, &C), EK_OK);
	expect_status(ek_matrix_convert(C, "csr", NULL, &copy), EK_OK);
	expect_not_ours(copy);
	ek_matrix_destroy(copy);
	for (int k = 0; k < 3; k++) {
		expect_status(ek_matrix_convert_in_place(C, format[k], NULL), EK_OK);
		expect_not_ours(C);
		if (strcmp(format[k], "ell") != 0)
			expect_product(C, 1);
	}
	ek_matrix_destroy(C);
	C = NULL;
	expect_status(ek_plan_create(EK_SPGEMM, small_matrix, &h, &late), EK_OK);
	expect_status(ek_spgemm(late, 1, 0, &C), EK_OK);
	ek_plan_destroy(late);
	expect_status(ek_plan_create(EK_SPGEMM, small_matrix, &h, &late), EK_OK);
	expect_error(ek_spgemm(late, 1, 0, &C), EK_EINVAL, "*C was not made by a run of this plan");
	ek_plan_destroy(late);
	expect_product(C, 1);
	ek_matrix_destroy(C);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result),      cmocka_unit_test(test_plans),
		cmocka_unit_test(test_operands),    cmocka_unit_test(test_hints_of_others),
		cmocka_unit_test(test_format),      cmocka_unit_test(test_methods),
		cmocka_unit_test(test_environment), cmocka_unit_test(test_runs),
		cmocka_unit_test(test_converted),
	};

	return run_all_tests(tests, setup, teardown);
}
