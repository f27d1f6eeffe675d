/* SPDX-License-Identifier: BSD-3-Clause
 * Tests that several threads can run one plan for a transposition at the same time, each with its
 * own C. This test is also for the thread sanitizer (test_threads.c). */
#include "plan/plan.h"
#include "support/heap.h"
#include "support/held.h"
#include "support/support.h"
#include "support/workers.h"

enum { ROUNDS = 3 };

static ek_matrix *A, *expected;
static ek_plan *plan;

/* Runs the plan into new matrices, then into these again. */
static void work(int number)
{
	(void)number;
	for (int k = 0; k < ROUNDS; k++) {
		ek_matrix *C = NULL;

		for (int again = 0; again < 3; again++)
			if (ek_transpose(plan, &C) != EK_OK || different_array(C, expected)) {
				worker_fault(ek_plan_method(plan));
				break;
			}
		ek_matrix_destroy(C);
	}
}

/* Runs the plan in all threads. Values change before these start, so all notice it at once. */
static void check_plan(const char *method)
{
	const ek_hints hints = {.size = sizeof hints, .method = method};

	expect_status(ek_plan_create(EK_TRANSPOSE, A, &hints, &plan), EK_OK);
	expected = NULL;
	expect_status(ek_transpose(plan, &expected), EK_OK);
	expect_status(ek_matrix_values_changed(A), EK_OK);
	run_workers(WORKERS, work);
	ek_plan_destroy(plan);
	ek_matrix_destroy(expected);
}

/* Tests A in CSR, and in a format of which the plan has a copy. */
static void test_shared_plan(void **state)
{
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context_cut(&heap, 3, 0);
	eki_machine small = *ctx->machine;

	(void)state;
	small.core_bytes = 1 << 14;
	ctx->machine = &small;
	for (int k = 0; k < 3; k++) { /* the last with fewer columns than parts, which once
	                                * stored the same pointer, as only the sanitizer tells */
		const bool ell = k == 1;
		const ek_method *m = NULL;

		expect_status(ek_matrix_generate(ctx,
		                                 k == 2 ? "uniform:rows=3000,cols=3,k=2"
		                                        : "uniform:rows=900,cols=5000,k=9",
		                                 EK_F64, EK_I32, &A),
		              EK_OK);
		if (ell)
			expect_status(ek_matrix_convert_in_place(A, "ell", NULL), EK_OK);
		do
			check_plan(name_or_auto(m));
		while ((m = processor_method_next(m, EK_TRANSPOSE)));
		ek_matrix_destroy(A);
	}
	ek_context_destroy(ctx);
	heap_close(&heap);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_shared_plan)};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, NULL, NULL);
}
