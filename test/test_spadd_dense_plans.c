/* SPDX-License-Identifier: BSD-3-Clause
 * Tests plans of EK_SPADD_DENSE: matrices in every format and with columns from 1, one plan in
 * several threads, refused calls, and plans whose n-th allocation fails. The matrix is that of
 * support/small.h:
 *   1 .
 *   . .
 *   2 3 */
#include <pthread.h>

#include "plan/plan.h"
#include "support/contexts.h"
#include "support/exhaust.h"
#include "support/small.h"

/* Adds matrices in every format and with columns from 1. */
static void test_formats(void **state)
{
	const int32_t ptr[] = {1, 2, 2, 4}, col[] = {1, 1, 2};
	const double val[] = {1, 2, 3};
	ek_context *here = contexts.of[0][0];
	ek_matrix *A;
	ek_plan *plan;

	(void)state;
	for (const ek_format *f = NULL; (f = ek_format_next(f));) {
		double y[] = {10, 20, 30, 40, 50, 60};
		const ek_dense Y = ek_block(EK_F64, 3, 2, 2, EK_ROW_MAJOR, y);
		ek_matrix *B;

		expect_status(small_make(here, &A), EK_OK);
		expect_status(ek_matrix_convert(A, ek_format_name(f), NULL, &B), EK_OK);
		expect_status(ek_plan_create(EK_SPADD_DENSE, B, NULL, &plan), EK_OK);
		expect_status(ek_spadd_dense(plan, 2, 1, &Y), EK_OK);
		assert_true(y[0] == 12 && y[1] == 20 && y[2] == 30 && y[4] == 54 && y[5] == 66);
		ek_plan_destroy(plan);
		ek_matrix_destroy(B);
		ek_matrix_destroy(A);
	}
	double y[6];
	const ek_dense Y = ek_block(EK_F64, 3, 2, 3, EK_COL_MAJOR, y);

	expect_status(ek_matrix_from_csr(here, EK_F64, EK_I32, 3, 2, ptr, col, val,
	                                 EK_BORROW | EK_BASE1, &A),
	              EK_OK);
	expect_status(ek_plan_create(EK_SPADD_DENSE, A, NULL, &plan), EK_OK);
	expect_status(ek_spadd_dense(plan, 1, 0, &Y), EK_OK);
	assert_true(y[0] == 1 && y[1] == 0 && y[2] == 2 && y[3] == 0 && y[4] == 0 && y[5] == 3);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
}

/* ---- One plan, several threads --------------------------------------------------------------- */

enum { WORKERS = 4, SIDE = 50 };

static struct {
	ek_plan *plan;
	_Atomic int faults;
} common;

static void *worker(void *arg)
{
	const double size = (double)(uintptr_t)arg;
	double y[SIDE * SIDE];
	const ek_dense Y = ek_block(EK_F64, SIDE, SIDE, SIDE, EK_ROW_MAJOR, y);

	for (int turn = 0; turn < 20; turn++) {
		if (ek_spadd_dense(common.plan, size, 0, &Y) != EK_OK)
			atomic_fetch_add(&common.faults, 1);
		for (int i = 0; i < SIDE * SIDE; i++)
			if (y[i] != (i / SIDE == i % SIDE ? size : 0))
				atomic_fetch_add(&common.faults, 1);
	}
	return NULL;
}

static void test_one_plan(void **state)
{
	pthread_t thread[WORKERS];
	ek_view val = {.size = sizeof val};
	ek_matrix *A;

	(void)state;
	expect_status(ek_matrix_generate(contexts.of[contexts.levels - 1][1 % contexts.counts],
	                                 "diagonal:n=50", EK_F64, EK_I32, &A),
	              EK_OK);
	expect_status(ek_matrix_array(A, "val", &val), EK_OK);
	for (int64_t k = 0; k < val.len; k++)
		((double *)(uintptr_t)val.data)[k] = 1;
	expect_status(ek_plan_create(EK_SPADD_DENSE, A, NULL, &common.plan), EK_OK);
	expect_status(ek_matrix_values_changed(A), EK_OK);
	for (uintptr_t k = 0; k < WORKERS; k++)
		assert_int_equal(pthread_create(&thread[k], NULL, worker, (void *)(k + 1)), 0);
	for (int k = 0; k < WORKERS; k++)
		pthread_join(thread[k], NULL);
	assert_int_equal(common.faults, 0);
	ek_plan_destroy(common.plan);
	ek_matrix_destroy(A);
}

/* ---- Arguments and memory, with the matrix of support/small.h -------------------------------- */

static void expect_bad(ek_plan *plan, const ek_dense *Y, const char *part)
{
	expect_error(ek_spadd_dense(plan, 1, 0, Y), EK_EINVAL, part);
}

static void test_arguments(void **state)
{
	static double y[6];
	const ek_dense Y = ek_block(EK_F64, 3, 2, 2, EK_ROW_MAJOR, y);
	ek_plan *plan, *other;
	ek_dense bad;

	assert_int_equal(small_setup(state), 0);
	expect_status(ek_plan_create(EK_SPADD_DENSE, small_matrix, NULL, &plan), EK_OK);
	expect_status(ek_plan_create(EK_SPMM, small_matrix, NULL, &other), EK_OK);
	expect_bad(NULL, &Y, "plan is NULL");
	expect_bad(other, &Y, "plan is for operation spmm; one for spadd_dense is expected");
	expect_bad(plan, NULL, "Y is NULL");
	bad = Y, bad.value = EK_F32,
	expect_bad(plan, &bad, "Y has values of type f32, A of type f64");
	bad = Y, bad.rows = 2, expect_bad(plan, &bad, "Y is 2 x 2; op(A) is 3 x 2");
	bad = Y, bad.cols = 3, expect_bad(plan, &bad, "Y is 3 x 3; op(A) is 3 x 2");
	bad = Y, bad.ld = 1,
	expect_bad(plan, &bad, "Y has leading dimension 1, less than its 2 columns");
	bad = Y, bad.order = 5, expect_bad(plan, &bad, "Y.order is 5");
	bad = Y, bad.where = 1, expect_bad(plan, &bad, "Y is on a device, and method spadd_dense");
	bad = Y, bad.where = 4, expect_bad(plan, &bad, "Y.where is 4");
	bad = Y, bad.data = NULL, expect_bad(plan, &bad, "Y.data is NULL");
	bad = Y, bad.data = small_val, expect_bad(plan, &bad, "Y overlaps the array val of A");
	bad = Y, bad.size = 3, expect_bad(plan, &bad, "Y.size is 3");
	for (int k = 0; k < 6; k++)
		assert_true(y[k] == 0);
	ek_plan_destroy(plan);
	ek_plan_destroy(other);
	assert_int_equal(small_teardown(state), 0);
}

static struct wish {
	ek_matrix *A;
	ek_hints hints;
} wish;

static ek_status exhausted_plan(struct exhaust *x)
{
	return ek_plan_create(EK_SPADD_DENSE, wish.A, &wish.hints, (ek_plan **)&x->out);
}

static void free_plan(struct exhaust *x)
{
	ek_plan_destroy(x->out);
}

/* Checks that making a plan fails cleanly at each allocation, and that runs allocate nothing. */
static void test_memory(void **state)
{
	static struct exhaust e;
	const ek_method *m = NULL;
	double y[6];
	const ek_dense Y = ek_block(EK_F64, 3, 2, 2, EK_ROW_MAJOR, y);
	ek_matrix *A;

	(void)state;
	exhaust_open(&e, 3, NULL);
	expect_status(small_make(e.ctx, &A), EK_OK);
	do
		for (int k = 0; k < 2; k++) {
			wish.hints =
				(ek_hints){.size = sizeof wish.hints, .method = name_or_auto(m)};
			expect_status(ek_matrix_convert(A, k ? "ell" : "csr", NULL, &wish.A),
			              EK_OK);
			assert_true(exhaust(&e, "plan", exhausted_plan, free_plan) > 0);
			expect_status(exhausted_plan(&e), EK_OK);
			heap_fail(&e.heap, 0, true);
			expect_status(ek_spadd_dense(e.out, 1, 0, &Y), EK_OK);
			heap_fail(&e.heap, -1, false);
			ek_plan_destroy(e.out);
			ek_matrix_destroy(wish.A);
		}
	while ((m = processor_method_next(m, EK_SPADD_DENSE)));
	ek_matrix_destroy(A);
	exhaust_close(&e);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_one_plan),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_memory),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, contexts_setup, contexts_teardown);
}
