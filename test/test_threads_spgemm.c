/* SPDX-License-Identifier: BSD-3-Clause
 * Tests that several threads can run one plan for SpGEMM at the same time, each with its own C.
 * This test is also for the thread sanitizer (test_threads.c). */
#include <pthread.h>

#include "plan/plan.h"
#include "support/heap.h"
#include "support/shapes.h"
#include "support/support.h"

enum { WORKERS = 4, ROUNDS = 3 };

static struct shape shape;
static ek_matrix *A, *B;
static ek_plan *plan;
static ek_matrix *expected;
/* Faults that threads found. cmocka's checks work in the main thread only. */
static _Atomic int faults;

/* Tells whether an array of C is `factor` times the expected array. */
static bool same(const ek_matrix *C, const char *name, double factor)
{
	ek_view a = {.size = sizeof a}, b = {.size = sizeof b};
	bool right = ek_matrix_array(C, name, &a) == EK_OK &&
	             ek_matrix_array(expected, name, &b) == EK_OK && a.len == b.len;

	for (int64_t k = 0; right && k < a.len; k++)
		right = value_at(a.type, a.data, k) == factor * value_at(b.type, b.data, k);
	return right;
}

/* Runs the plan into new matrices, then into these with another alpha. */
static void *work(void *arg)
{
	(void)arg;
	for (int k = 0; k < ROUNDS; k++) {
		ek_matrix *C = NULL;

		for (int alpha = 1; alpha <= 3; alpha++)
			if (ek_spgemm(plan, alpha, 0, &C) != EK_OK || !same(C, "row_ptr", 1) ||
			    !same(C, "col_idx", 1) || !same(C, "val", alpha)) {
				if (atomic_fetch_add(&faults, 1) == 0)
					print_error("  %s: wrong; last message: %s\n",
					            ek_plan_method(plan), ek_error_text());
				break;
			}
		ek_matrix_destroy(C);
	}
	return NULL;
}

/* Runs the plan in all threads. Values change before the threads start, so all notice the change at
 * once. B is in another format, so the plan has a copy of it. */
static void check_plan(const char *method)
{
	const ek_hints hints = {.size = sizeof hints, .method = method, .B = B};
	pthread_t thread[WORKERS];
	int started = 0;

	expect_status(ek_plan_create(EK_SPGEMM, A, &hints, &plan), EK_OK);
	expected = NULL;
	expect_status(ek_spgemm(plan, 1, 0, &expected), EK_OK);
	expect_status(ek_matrix_values_changed(A), EK_OK);
	expect_status(ek_matrix_values_changed(B), EK_OK);
	for (int k = 0; k < WORKERS; k++)
		started += pthread_create(&thread[k], NULL, work, NULL) == 0;
	assert_int_equal(started, WORKERS);
	for (int k = 0; k < WORKERS; k++)
		pthread_join(thread[k], NULL);
	ek_plan_destroy(plan);
	ek_matrix_destroy(expected);
	assert_int_equal(atomic_load(&faults), 0);
}

/* Runs all methods in a context with the library's own heap, where C is made in one pass, or with
 * counted memory, where it is made in two. */
static void check_context(ek_context *ctx)
{
	struct shape T;
	struct typed arrays, other;
	ek_matrix *csr;
	int checked = 0;

	ctx->small_work = 0;
	shape_transpose(&shape, &T);
	typed_make(&arrays, &shape, EK_F64, EK_I32, 1);
	typed_make(&other, &T, EK_F64, EK_I32, 1);
	expect_status(typed_csr(ctx, &arrays, EK_BORROW, &A), EK_OK);
	expect_status(typed_csr(ctx, &other, EK_BORROW, &csr), EK_OK);
	expect_status(ek_matrix_convert(csr, "csc", NULL, &B), EK_OK);
	check_plan("auto");
	for (const ek_method *m = NULL; (m = processor_method_next(m, EK_SPGEMM));) {
		check_plan(ek_method_name(m));
		checked++;
	}
	assert_true(checked >= 3);
	ek_matrix_destroy(csr);
	ek_matrix_destroy(B);
	ek_matrix_destroy(A);
	typed_free(&arrays);
	typed_free(&other);
	shape_free(&T);
}

static void test_one_plan(void **state)
{
	struct heap heap = HEAP_INIT;
	const ek_options options = {.size = sizeof options, .threads = 3};
	ek_context *ctx;

	(void)state;
	for (int k = 0; k < shape_count() && !shape.nnz; k++)
		if (strcmp(shape_name(k), "power-law") == 0)
			shape_make(&shape, k, DATA_EXACT);
	assert_true(shape.nnz > 0);
	ctx = heap_context(&heap, 3, 0);
	check_context(ctx);
	ek_context_destroy(ctx);
	heap_close(&heap);
	expect_status(ek_context_create(&options, &ctx), EK_OK);
	check_context(ctx);
	ek_context_destroy(ctx);
	shape_free(&shape);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_plan)};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, NULL, NULL);
}
