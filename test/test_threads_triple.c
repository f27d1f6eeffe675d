/* SPDX-License-Identifier: BSD-3-Clause
 * Tests that several threads can run one plan for Galerkin products at the same time, each with its
 * own C. Values change before the threads start, so all notice the change at once. This test is
 * also for the thread sanitizer (test_threads.c). */
#include <pthread.h>

#include "plan/plan.h"
#include "support/sparse.h"
#include "support/support.h"

enum { WORKERS = 4, ROUNDS = 3 };

static ek_plan *plan;
static ek_matrix *expected;
/* Faults that threads found. cmocka's checks work in the main thread only. */
static _Atomic int faults;

static bool same(const ek_matrix *C, const char *name)
{
	ek_view a = {.size = sizeof a}, b = {.size = sizeof b};

	return ek_matrix_array(C, name, &a) == EK_OK &&
	       ek_matrix_array(expected, name, &b) == EK_OK && a.len == b.len &&
	       memcmp(a.data, b.data, (size_t)a.len * a.elem_size) == 0;
}

/* Runs the plan into new matrices, then into these again. */
static void *work(void *arg)
{
	(void)arg;
	for (int k = 0; k < ROUNDS; k++) {
		ek_matrix *C = NULL;

		for (int again = 0; again < 2; again++)
			if (ek_triple(plan, 2, &C) != EK_OK || !same(C, "row_ptr") ||
			    !same(C, "col_idx") || !same(C, "val"))
				atomic_fetch_add(&faults, 1);
		ek_matrix_destroy(C);
	}
	return NULL;
}

static void check_method(const ek_method *m, ek_matrix *A, ek_matrix *P)
{
	const ek_hints hints = {.size = sizeof hints, .method = name_or_auto(m), .B = P};
	pthread_t thread[WORKERS];
	int started = 0;

	expected = NULL;
	expect_status(ek_plan_create(EK_TRIPLE, A, &hints, &plan), EK_OK);
	expect_status(ek_triple(plan, 2, &expected), EK_OK);
	expect_status(ek_matrix_values_changed(A), EK_OK);
	expect_status(ek_matrix_values_changed(P), EK_OK);
	for (int k = 0; k < WORKERS; k++)
		started += pthread_create(&thread[k], NULL, work, NULL) == 0;
	assert_int_equal(started, WORKERS);
	for (int k = 0; k < WORKERS; k++)
		pthread_join(thread[k], NULL);
	ek_matrix_destroy(expected);
	ek_plan_destroy(plan);
	assert_int_equal(atomic_load(&faults), 0);
}

static void test_one_plan(void **state)
{
	const ek_options options = {.size = sizeof options, .threads = 3};
	struct rng draw = {.state = 4};
	struct shape a, p;
	struct typed typed[2];
	const ek_method *m = NULL;
	ek_matrix *A, *P, *csc;
	ek_context *ctx;

	(void)state;
	expect_status(ek_context_create(&options, &ctx), EK_OK);
	ctx->small_work = 0;
	sparse_random(&draw, &a, 2000, 2000, 6);
	sparse_random(&draw, &p, 2000, 500, 4);
	typed_make(&typed[0], &a, EK_F64, EK_I32, 1);
	typed_make(&typed[1], &p, EK_F64, EK_I32, 1);
	expect_status(typed_csr(ctx, &typed[0], 0, &A), EK_OK);
	expect_status(typed_csr(ctx, &typed[1], 0, &P), EK_OK);
	expect_status(ek_matrix_convert(P, "csc", NULL, &csc), EK_OK);
	do
		check_method(m, A, csc);
	while ((m = processor_method_next(m, EK_TRIPLE)));
	ek_matrix_destroy(A);
	ek_matrix_destroy(P);
	ek_matrix_destroy(csc);
	typed_free(&typed[0]);
	typed_free(&typed[1]);
	shape_free(&a);
	shape_free(&p);
	ek_context_destroy(ctx);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_plan)};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, NULL, NULL);
}
