/* SPDX-License-Identifier: BSD-3-Clause
 * Tests that objects may be destroyed in any order and in any thread: each keeps alive the objects
 * that it needs. */
#define _POSIX_C_SOURCE 200809L /* pthread_barrier_t */
#include <pthread.h>

#include "support/heap.h"
#include "support/orders.h"
#include "support/support.h"

static struct heap heap = HEAP_INIT;

static ek_context *open_counted(void)
{
	return heap_context_cut(&heap, 3, 0);
}

static ek_context *open_plain(void)
{
	const ek_options o = {.size = sizeof o, .threads = 2};
	ek_context *ctx;

	expect_status(ek_context_create(&o, &ctx), EK_OK);
	return ctx;
}

static void *counted(size_t bytes)
{
	return heap_block(&heap, bytes);
}

/* Cases whose methods borrow the matrix's arrays, keep copies, combine other methods, or are chosen
 * by `auto`. */
static const struct made made[] = {
	{EK_F64, NULL, EK_COPY, {"spmv.csr.balanced", "spmv.csr.copy_t"}, {EK_OP_N, EK_OP_T}},
	{EK_F32, NULL, EK_ADOPT, {NULL, "spmv.csr.patterns"}, {EK_OP_T, EK_OP_N}},
	{EK_F64, NULL, EK_BORROW, {"spmv.csr.segsum", "spmv.hyb"}, {EK_OP_N, EK_OP_N}},
	{EK_F64, "csc", EK_ADOPT, {NULL, "spmv.csr.merge"}, {EK_OP_T, EK_OP_T}},
	{EK_F32, "csc", EK_BORROW, {"spmv.csr.strict", NULL}, {EK_OP_N, EK_OP_T}},
	{EK_F32, "sell", EK_COPY, {NULL, "spmv.csr.vector"}, {EK_OP_N, EK_OP_N}},
	{EK_F64, "csr5", EK_COPY, {NULL, NULL}, {EK_OP_T, EK_OP_N}},
	{EK_F64, "cocktail", EK_COPY, {NULL, NULL}, {EK_OP_T, EK_OP_N}},
};

static void test_orders(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof made / sizeof *made; k++) {
		orders_check(open_counted, counted, &made[k]);
		assert_int_equal(atomic_load(&heap.live), 0);
		orders_check(open_plain, malloc, &made[k]);
	}
}

/* Checks that products still use the new values of a matrix that is then destroyed. */
static void test_new_values(void **state)
{
	const int32_t ptr[] = {0, 1, 2}, idx[] = {0, 1};
	const double first[] = {1, 2}, second[] = {3, 4}, x[] = {10, 100};
	const ek_hints hints = {.size = sizeof hints, .format = "sell"};
	ek_context *ctx = open_counted();
	double y[2];
	const ek_dense xv = ek_vector(EK_F64, 2, x), yv = ek_vector(EK_F64, 2, y);
	ek_matrix *A;
	ek_plan *plan;

	(void)state;
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 2, 2, ptr, idx, first, EK_COPY, &A),
	              EK_OK);
	expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
	expect_status(ek_matrix_set_values(A, 2, second), EK_OK);
	ek_context_destroy(ctx);
	expect_error(ek_tune(ctx, &(ek_tune_options){.size = sizeof(ek_tune_options), .dry = 1}),
	             EK_EINVAL, "ctx was destroyed");
	ek_matrix_destroy(A);
	expect_status(ek_spmv(plan, 1, &xv, 0, &yv), EK_OK);
	assert_true(y[0] == 30 && y[1] == 400);
	ek_plan_destroy(plan);
	assert_int_equal(atomic_load(&heap.live), 0);
}

/* Checks that a plan that could not be made does not keep the matrix or the context alive. */
static void test_failed_plan(void **state)
{
	const int32_t ptr[] = {0, 1}, idx[] = {0};
	const double val[] = {1};
	const ek_hints hints = {.size = sizeof hints, .method = "spmv.csr.copy_t", .op = EK_OP_N};
	ek_context *ctx = open_counted();
	ek_matrix *A;
	ek_plan *plan;

	(void)state;
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 1, 1, ptr, idx, val, EK_COPY, &A),
	              EK_OK);
	expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_EUNSUPPORTED);
	expect_status(ek_matrix_convert_in_place(A, "coo", NULL), EK_OK);
	ek_context_destroy(ctx);
	ek_matrix_destroy(A);
	assert_int_equal(atomic_load(&heap.live), 0);
}

/* ---- Threads --------------------------------------------------------------------------------- */

enum { THREADS = 6, ROUNDS = 60 };

struct shared {
	ek_context *ctx;
	ek_matrix *A;
	ek_plan *plan[THREADS - 2];
	pthread_barrier_t start;
};

struct worker {
	struct shared *s;
	int number;
	double y[2];
};

/* Does the work of one thread, ROUNDS times. Thread 0 destroys the context, thread 1 destroys the
 * matrix, and each other thread runs a plan and then destroys it. */
static void *work(void *arg)
{
	struct worker *w = arg;
	const double x[] = {10, 100};

	for (int round = 0; round < ROUNDS; round++) {
		pthread_barrier_wait(&w->s->start);
		if (w->number == 0)
			ek_context_destroy(w->s->ctx);
		else if (w->number == 1)
			ek_matrix_destroy(w->s->A);
		else {
			const ek_dense xv = ek_vector(EK_F64, 2, x),
				       yv = ek_vector(EK_F64, 2, w->y);

			if (ek_spmv(w->s->plan[w->number - 2], 1, &xv, 0, &yv) != EK_OK)
				w->y[0] = -1;
			ek_plan_destroy(w->s->plan[w->number - 2]);
		}
		pthread_barrier_wait(&w->s->start);
	}
	return NULL;
}

static void test_threads(void **state)
{
	const int32_t ptr[] = {0, 1, 2}, idx[] = {1, 0};
	const double val[] = {2, 3};
	struct shared s;
	struct worker worker[THREADS];
	pthread_t thread[THREADS];

	(void)state;
	assert_int_equal(pthread_barrier_init(&s.start, NULL, THREADS + 1), 0);
	for (int k = 0; k < THREADS; k++) {
		worker[k] = (struct worker){.s = &s, .number = k};
		assert_int_equal(pthread_create(&thread[k], NULL, work, &worker[k]), 0);
	}
	for (int round = 0; round < ROUNDS; round++) {
		s.ctx = heap_context(&heap, 1, 0);
		expect_status(ek_matrix_from_csr(s.ctx, EK_F64, EK_I32, 2, 2, ptr, idx, val,
		                                 EK_COPY, &s.A),
		              EK_OK);
		for (int k = 0; k < THREADS - 2; k++)
			expect_status(ek_plan_create(EK_SPMV, s.A, NULL, &s.plan[k]), EK_OK);
		pthread_barrier_wait(&s.start);
		pthread_barrier_wait(&s.start);
		assert_int_equal(atomic_load(&heap.live), 0);
		for (int k = 2; k < THREADS; k++)
			assert_true(worker[k].y[0] == 200 && worker[k].y[1] == 30);
	}
	for (int k = 0; k < THREADS; k++)
		pthread_join(thread[k], NULL);
	pthread_barrier_destroy(&s.start);
}

static int close_heap(void **state)
{
	(void)state;
	heap_close(&heap);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_new_values),
		cmocka_unit_test(test_failed_plan),
		cmocka_unit_test(test_threads),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, NULL, close_heap);
}
