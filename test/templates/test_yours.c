/* SPDX-License-Identifier: BSD-3-Clause
 * Tests y = |op(A)| |x| with every method of the table, and with `auto`, on awkward shapes held as
 * CSR and as CSC. Types, instruction sets and numbers of threads take turns. Results with integers
 * must be exact, and results with real numbers within the bound. y is NaN before each run. A new
 * row of the table is tested without a change here. */
#include "yours/yours.h"
#include "support/contexts.h"
#include "support/product.h"

static unsigned turn; /* selects index types, contexts and the position of y */

/* Runs the plan with set `which` of the values of A. Checks y and the bytes beside it. */
static void check_run(struct product *p, ek_plan *plan, int op, int which)
{
	const size_t bytes = (size_t)p->n[op] * ek_value_size(p->value);
	void *y = guard_lay(&p->y_guard, (int)(turn % 2), bytes);
	const ek_dense x_view = ek_vector(p->value, p->n[1 - op], p->x[op][which]),
		       y_view = ek_vector(p->value, p->n[op], y);
	struct reference r = p->ref[op][which][which];
	int64_t row;
	bool right;

	r.sum = r.size; /* the expected result is the sum of |a_ij x_j| */
	guard_paint(&p->y_guard, y, bytes);
	poison(p->value, y, p->n[op]);
	expect_status(ek_yours(plan, &x_view, &y_view), EK_OK);
	guard_check(&p->y_guard, y, bytes);
	if (p->data == DATA_EXACT)
		right = (row = exact_fault(&r, 1, 0, NULL, y)) < 0;
	else
		right = bound_ratio(&r, 1, 0, NULL, y, &row) <= 1;
	if (!right)
		fail_msg("%s: y[%lld] is %g instead of %g", product_where, (long long)row,
		         value_at(p->value, y, row), (double)r.sum[row]);
}

static void check_method(struct product *p, const ek_method *m, int op, int held)
{
	const ek_hints hints = {.size = sizeof hints,
	                        .method = m ? ek_method_name(m) : "auto",
	                        .op = op ? EK_OP_T : EK_OP_N};
	const ek_index index = (ek_index)(1 + turn % 3);
	ek_context *ctx = contexts_turn((int)turn++);
	ek_matrix *A;
	ek_plan *plan;

	snprintf(product_where, sizeof product_where,
	         "%s op %c %s, index %s, held as %s, %s, %d threads, shape %s", hints.method,
	         "NT"[op], ek_value_name(p->value), ek_index_name(index),
	         held == HELD_CSC ? "csc" : "csr", ek_isa_name(ctx->isa), ctx->threads, p->A.name);
	expect_status(product_matrix(p, ctx, held, index, EK_BORROW, &A), EK_OK);
	expect_status(ek_plan_create(EK_YOURS, A, &hints, &plan), EK_OK);
	for (int which = VALUES_SECOND; which >= VALUES_FIRST; which--) {
		product_values(p, held, index, which);
		expect_status(ek_matrix_values_changed(A), EK_OK);
		check_run(p, plan, op, which);
	}
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
}

static void walk(enum data data)
{
	for (int shape = 0; shape < shape_count(); shape++)
		for (int value = EK_F32; value <= EK_F64; value++) {
			const ek_method *m = NULL;
			struct product p;

			product_make(&p, shape, data, (ek_value)value, shape + value);
			do
				for (int k = 0; k < 4; k++)
					check_method(&p, m, k & 1, k / 2);
			while ((m = operation_next(m, EK_YOURS)));
			product_free(&p);
		}
}

static void test_integer_data(void **state)
{
	(void)state;
	walk(DATA_EXACT);
}

static void test_real_data(void **state)
{
	(void)state;
	walk(DATA_REAL);
}

/* Checks that bad arguments are refused and leave y unchanged. */
static void test_arguments(void **state)
{
	double x[64] = {0}, y[64] = {7};
	const ek_dense X = ek_vector(EK_F64, 30, x), Y = ek_vector(EK_F64, 30, y);
	const ek_dense longer = ek_vector(EK_F64, 31, x), f32 = ek_vector(EK_F32, 30, y);
	ek_matrix *A;
	ek_plan *plan, *other;

	(void)state;
	expect_status(
		ek_matrix_generate(contexts.of[0][0], "dense:rows=30,cols=30", EK_F64, EK_I32, &A),
		EK_OK);
	expect_status(ek_plan_create(EK_YOURS, A, NULL, &plan), EK_OK);
	expect_status(ek_plan_create(EK_SPMV, A, NULL, &other), EK_OK);
	expect_error(ek_yours(NULL, &X, &Y), EK_EINVAL, "plan");
	expect_error(ek_yours(other, &X, &Y), EK_EINVAL, "yours");
	expect_error(ek_yours(plan, NULL, &Y), EK_EINVAL, "x is NULL");
	expect_error(ek_yours(plan, &X, NULL), EK_EINVAL, "y is NULL");
	expect_error(ek_yours(plan, &longer, &Y), EK_EINVAL, "30 x 1 is expected");
	expect_error(ek_yours(plan, &X, &f32), EK_EINVAL, "y has values of type f32");
	expect_error(ek_yours(plan, &Y, &Y), EK_EINVAL, "overlap");
	assert_true(y[0] == 7);
	ek_plan_destroy(other);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_integer_data),
		cmocka_unit_test(test_real_data),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, contexts_setup, contexts_teardown);
}
