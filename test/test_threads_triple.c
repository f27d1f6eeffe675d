/* SPDX-License-Identifier: BSD-3-Clause
 * Tests that several threads can run one plan for Galerkin products at the same time, each with its
 * own C. Values change before the threads start, so all notice the change at once. This test is
 * also for the thread sanitizer (test_threads.c). */
#include "plan/plan.h"
#include "support/held.h"
#include "support/sparse.h"
#include "support/support.h"
#include "support/workers.h"

enum { ROUNDS = 3 };

static ek_plan *plan;
static ek_matrix *expected;

/* Runs the plan into new matrices, then into these again. */
static void work(int number)
{
	(void)number;
	for (int k = 0; k < ROUNDS; k++) {
		ek_matrix *C = NULL;

		for (int again = 0; again < 2; again++)
			if (ek_triple(plan, 2, &C) != EK_OK || different_array(C, expected))
				worker_fault(ek_plan_method(plan));
		ek_matrix_destroy(C);
	}
}

static void check_method(const ek_method *m, ek_matrix *A, ek_matrix *P)
{
	const ek_hints hints = {.size = sizeof hints, .method = name_or_auto(m), .B = P};

	expected = NULL;
	expect_status(ek_plan_create(EK_TRIPLE, A, &hints, &plan), EK_OK);
	expect_status(ek_triple(plan, 2, &expected), EK_OK);
	expect_status(ek_matrix_values_changed(A), EK_OK);
	expect_status(ek_matrix_values_changed(P), EK_OK);
	run_workers(WORKERS, work);
	ek_matrix_destroy(expected);
	ek_plan_destroy(plan);
}

static void test_one_plan(void **state)
{
	const ek_options options = {.size = sizeof options, .threads = 3};
	struct rng draw = {.state = 4};
	struct shape a, p;
	struct held held[2];
	const ek_method *m = NULL;
	ek_matrix *csc;
	ek_context *ctx;

	(void)state;
	expect_status(ek_context_create(&options, &ctx), EK_OK);
	ctx->small_work = 0;
	sparse_random(&draw, &a, 2000, 2000, 6);
	sparse_random(&draw, &p, 2000, 500, 4);
	held_make(&held[0], &a, HELD_CSR, EK_F64, EK_I32, 1, ctx);
	held_make(&held[1], &p, HELD_CSR, EK_F64, EK_I32, 1, ctx);
	expect_status(ek_matrix_convert(held[1].M, "csc", NULL, &csc), EK_OK);
	do
		check_method(m, held[0].M, csc);
	while ((m = processor_method_next(m, EK_TRIPLE)));
	ek_matrix_destroy(csc);
	held_free(&held[0]);
	held_free(&held[1]);
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
