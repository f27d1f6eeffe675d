/* SPDX-License-Identifier: BSD-3-Clause
 * Tests that several threads can run one plan for a transposition at the same time, each with its
 * own C. This test is also for the thread sanitizer (test_threads.c). */
#include <pthread.h>

#include "plan/plan.h"
#include "support/heap.h"
#include "support/support.h"

enum { WORKERS = 4, ROUNDS = 3 };

static ek_matrix *A, *expected;
static ek_plan *plan;
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

		for (int again = 0; again < 3; again++)
			if (ek_transpose(plan, &C) != EK_OK || !same(C, "row_ptr") ||
			    !same(C, "col_idx") || !same(C, "val")) {
				if (atomic_fetch_add(&faults, 1) == 0)
					print_error("  %s: wrong; last message: %s\n",
					            ek_plan_method(plan), ek_error_text());
				break;
			}
		ek_matrix_destroy(C);
	}
	return NULL;
}

/* Runs the plan in all threads. Values change before these start, so all notice it at once. */
static void check_plan(const char *method)
{
	const ek_hints hints = {.size = sizeof hints, .method = method};
	pthread_t thread[WORKERS];
	int started = 0;

	expect_status(ek_plan_create(EK_TRANSPOSE, A, &hints, &plan), EK_OK);
	expected = NULL;
	expect_status(ek_transpose(plan, &expected), EK_OK);
	expect_status(ek_matrix_values_changed(A), EK_OK);
	for (int k = 0; k < WORKERS; k++)
		started += pthread_create(&thread[k], NULL, work, NULL) == 0;
	assert_int_equal(started, WORKERS);
	for (int k = 0; k < WORKERS; k++)
		pthread_join(thread[k], NULL);
	ek_plan_destroy(plan);
	ek_matrix_destroy(expected);
	assert_int_equal(atomic_load(&faults), 0);
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
	for (int ell = 0; ell < 2; ell++) {
		const ek_method *m = NULL;

		expect_status(ek_matrix_generate(ctx, "uniform:rows=900,cols=5000,k=9", EK_F64,
		                                 EK_I32, &A),
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
