/* SPDX-License-Identifier: BSD-3-Clause
 * Tests that several threads can run one plan for products with sparse vectors at the same time,
 * each with its own x and y. Scratch must be zero between runs, whichever thread had it before.
 * Values change before the threads start, so all notice the change at once. This test is also for
 * the thread sanitizer (test_threads.c). */
#include <pthread.h>

#include "plan/plan.h"
#include "support/support.h"

enum { WORKERS = 4, ROUNDS = 20, N = 2000 };

/* A vector x, and y as computed by a run alone. */
struct pair {
	int64_t nnz, count;
	int32_t xi[N], yi[N];
	double xv[N], yv[N];
};

static ek_plan *plan;
static struct pair pairs[WORKERS];
/* Faults that threads found. cmocka's checks work in the main thread only. */
static _Atomic int faults;

static ek_status product(const struct pair *p, int64_t *count, int32_t *yi, double *yv)
{
	const ek_sparse x = ek_sparse_vector(EK_F64, EK_INT32, N, p->nnz, p->xi, p->xv);
	const ek_sparse y = ek_sparse_vector(EK_F64, EK_INT32, N, N, yi, yv);

	return ek_spmspv(plan, 3, &x, count, &y);
}

static void *work(void *arg)
{
	const struct pair *p = arg;
	struct pair *own = malloc(sizeof *own);

	for (int k = 0; own && k < ROUNDS; k++) {
		int64_t count = -1;

		if (product(p, &count, own->yi, own->yv) != EK_OK || count != p->count ||
		    memcmp(own->yi, p->yi, (size_t)count * sizeof *own->yi) != 0 ||
		    memcmp(own->yv, p->yv, (size_t)count * sizeof *own->yv) != 0)
			atomic_fetch_add(&faults, 1);
	}
	free(own);
	return NULL;
}

/* Makes vectors with 1, 20, 400 and 2000 entries, to reach all branches of a method. */
static void make_pairs(void)
{
	static const int64_t nnz[WORKERS] = {1, 20, 400, N};

	for (int w = 0; w < WORKERS; w++) {
		struct pair *p = &pairs[w];

		p->nnz = nnz[w];
		for (int64_t k = 0; k < p->nnz; k++) {
			p->xi[k] = (int32_t)(k * (N / p->nnz));
			p->xv[k] = (double)(k % 7) - 3;
		}
	}
}

static void check_method(const ek_method *m, ek_matrix *A)
{
	const ek_hints hints = {.size = sizeof hints, .method = name_or_auto(m)};
	pthread_t thread[WORKERS];
	int started = 0;

	expect_status(ek_plan_create(EK_SPMSPV, A, &hints, &plan), EK_OK);
	for (int w = 0; w < WORKERS; w++)
		expect_status(product(&pairs[w], &pairs[w].count, pairs[w].yi, pairs[w].yv), EK_OK);
	expect_status(ek_matrix_values_changed(A), EK_OK);
	for (int w = 0; w < WORKERS; w++)
		started += pthread_create(&thread[w], NULL, work, &pairs[w]) == 0;
	assert_int_equal(started, WORKERS);
	for (int w = 0; w < WORKERS; w++)
		pthread_join(thread[w], NULL);
	ek_plan_destroy(plan);
	assert_int_equal(atomic_load(&faults), 0);
}

static void test_one_plan(void **state)
{
	const ek_options options = {.size = sizeof options, .threads = 3};
	const ek_method *m = NULL;
	ek_matrix *A;
	ek_context *ctx;

	(void)state;
	expect_status(ek_context_create(&options, &ctx), EK_OK);
	ctx->small_work = 0;
	expect_status(ek_matrix_generate(ctx, "uniform:rows=2000,cols=2000,k=6", EK_F64, EK_I32, &A),
	              EK_OK);
	make_pairs();
	do
		check_method(m, A);
	while ((m = processor_method_next(m, EK_SPMSPV)));
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_plan)};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, NULL, NULL);
}
