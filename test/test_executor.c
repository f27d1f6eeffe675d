/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the caller's executor (ek_options.parallel): one that runs the parts in the calling thread,
 * the last part first, and one that runs them in threads of its own. The library must call it as
 * its declaration says, start no threads itself, and compute the same results. Also tests two
 * functions beside each other, which have a thread of their own only without such an executor. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "support/support.h"

enum { N = 60000, MOST = 8 };

static struct {
	_Atomic int calls, wrong;
} executor;
static _Thread_local int inside;

struct hand {
	void (*part)(void *arg, int part);
	void *arg;
	int begin, end, step;
};

static void *do_hand(void *arg)
{
	const struct hand *h = arg;

	inside++;
	for (int p = h->begin; p != h->end; p += h->step)
		h->part(h->arg, p);
	inside--;
	return NULL;
}

static void count_call(const void *user, int threads, int parts)
{
	atomic_fetch_add(&executor.calls, 1);
	if (user != &executor || threads < 2 || threads > MOST || threads > parts || inside)
		atomic_fetch_add(&executor.wrong, 1);
}

static void backwards(void *user, int threads, int parts, void (*part)(void *arg, int part),
                      void *arg)
{
	struct hand h = {part, arg, parts - 1, -1, -1};

	count_call(user, threads, parts);
	do_hand(&h);
}

static void in_threads(void *user, int threads, int parts, void (*part)(void *arg, int part),
                       void *arg)
{
	struct hand hand[MOST];
	pthread_t thread[MOST];

	count_call(user, threads, parts);
	for (int k = 0; k < threads; k++) {
		hand[k] = (struct hand){part, arg, eki_cut(parts, threads, k),
		                        eki_cut(parts, threads, k + 1), 1};
		if (pthread_create(&thread[k], NULL, do_hand, &hand[k]) != 0)
			abort();
	}
	for (int k = 0; k < threads; k++)
		pthread_join(thread[k], NULL);
}

/* What is computed with an executor, and in one thread. */
struct results {
	int64_t scanned[4][N], sorted[N];
	double y[N];
	int64_t nnz;
	double sum; /* of the entries of A A, weighted by their positions */
};

static void scans_and_sort(ek_context *ctx, struct results *r)
{
	static const char *const method[] = {"scan.blocked", "scan.zhang", "scan.blelloch",
	                                     "scan.zhang:overlap=1"};
	static int64_t in[N];
	ek_pairs pairs;

	for (int i = 0; i < N; i++)
		in[i] = r->sorted[i] = (int64_t)i * 7919 % 1009 - 500;
	for (int m = 0; m < 4; m++) {
		const ek_array_options o = {.size = sizeof o, .method = method[m], .block = 1000};

		expect_status(
			ek_scan(ctx, &o, EK_INT64, EK_SUM, EK_INCLUSIVE, N, in, r->scanned[m]),
			EK_OK);
	}
	pairs = ek_key_value(EK_INT64, 0, N, r->sorted, NULL);
	expect_status(ek_sort(ctx, NULL, &pairs), EK_OK);
}

static void products(ek_context *ctx, struct results *r)
{
	static double x[N];
	ek_hints hints = {.size = sizeof hints, .reproducible = EK_REPRO_STRICT};
	ek_view val = {.size = sizeof val};
	ek_matrix *A = NULL, *C = NULL;
	ek_plan *plan = NULL;
	const ek_dense xv = ek_vector(EK_F64, 40000, x), yv = ek_vector(EK_F64, 40000, r->y);

	for (int i = 0; i < N; i++)
		x[i] = 1.0 / (1 + i % 7);
	expect_status(ek_matrix_generate(ctx, "poisson2d5:nx=200,ny=200", EK_F64, EK_I32, &A),
	              EK_OK);
	expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
	expect_status(ek_spmv(plan, 1, &xv, 0, &yv), EK_OK);
	ek_plan_destroy(plan);
	hints.B = A;
	expect_status(ek_plan_create(EK_SPGEMM, A, &hints, &plan), EK_OK);
	expect_status(ek_spgemm(plan, 1, 0, &C), EK_OK);
	expect_status(ek_matrix_array(C, "val", &val), EK_OK);
	r->nnz = val.len;
	for (int64_t k = 0; k < val.len; k++)
		r->sum += (double)(k % 1000) * ((const double *)val.data)[k];
	ek_plan_destroy(plan);
	ek_matrix_destroy(C);
	ek_matrix_destroy(A);
}

static struct results *compute(const ek_options *options)
{
	struct results *r = calloc(1, sizeof *r);
	ek_context *ctx = NULL;

	assert_non_null(r);
	expect_status(ek_context_create(options, &ctx), EK_OK);
	scans_and_sort(ctx, r);
	products(ctx, r);
	assert_int_equal(options->parallel ? eki_threads_running() : 0, 0);
	ek_context_destroy(ctx);
	return r;
}

static void check(void (*parallel)(void *, int, int, void (*)(void *, int), void *), int threads)
{
	ek_options options = {.size = sizeof options, .threads = 1};
	struct results *expected = compute(&options), *r;

	options.threads = threads;
	options.parallel = parallel;
	options.parallel_user = &executor;
	atomic_store(&executor.calls, 0);
	atomic_store(&executor.wrong, 0);
	r = compute(&options);
	assert_true(atomic_load(&executor.calls) > 10);
	assert_int_equal(atomic_load(&executor.wrong), 0);
	assert_memory_equal(r, expected, sizeof *r);
	free(expected);
	free(r);
}

static void test_backwards(void **state)
{
	(void)state;
	check(backwards, 2);
	check(backwards, 7);
}

static void test_in_threads(void **state)
{
	(void)state;
	check(in_threads, 2);
	check(in_threads, MOST);
}

/* ---- Two functions beside each other --------------------------------------------------------- */

/* Both sides sum up numbers by the library's threads, and note whose thread they have. */
struct sides {
	const ek_context *ctx;
	pthread_t thread[2];
	_Atomic int64_t sum[2];
};

struct adder {
	struct sides *of;
	int side;
};

static void add(void *arg, int part)
{
	const struct adder *a = arg;

	atomic_fetch_add(&a->of->sum[a->side], part);
}

static void add_up(struct sides *s, int side)
{
	struct adder a = {s, side};

	s->thread[side] = pthread_self();
	eki_parallel(s->ctx, 3, 200, add, &a);
}

static void *other_side(void *arg)
{
	add_up(arg, 1);
	return NULL;
}

static void this_side(void *arg)
{
	add_up(arg, 0);
}

/* Checks that eki_beside has a thread of its own for one side, unless functions of the caller's
 * might be called there, or only one thread is allowed. */
static void test_beside(void **state)
{
	(void)state;
	for (int k = 0; k < 30; k++) {
		const int threads = k % 3 ? 2 : 1;
		const ek_options options = {.size = sizeof options,
		                            .threads = 3,
		                            .parallel = k % 2 ? backwards : NULL,
		                            .parallel_user = &executor};
		struct sides s = {.ctx = NULL};
		ek_context *ctx;

		expect_status(ek_context_create(&options, &ctx), EK_OK);
		s.ctx = ctx;
		eki_beside(ctx, threads, other_side, this_side, &s);
		assert_true(pthread_equal(s.thread[0], pthread_self()));
		if (threads == 1 || k % 2 || strcmp(eki_thread_run_time(), "none") == 0)
			assert_true(pthread_equal(s.thread[1], pthread_self()));
		else
			assert_false(pthread_equal(s.thread[1], pthread_self()));
		for (int side = 0; side < 2; side++)
			assert_int_equal(atomic_load(&s.sum[side]), 199 * 200 / 2);
		ek_context_destroy(ctx);
	}
}

/* Checks that an executor is not called for a context of one thread. */
static void test_alone(void **state)
{
	const ek_options options = {.size = sizeof options,
	                            .threads = 1,
	                            .parallel = backwards,
	                            .parallel_user = &executor};

	(void)state;
	atomic_store(&executor.calls, 0);
	free(compute(&options));
	assert_int_equal(atomic_load(&executor.calls), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_backwards),
		cmocka_unit_test(test_in_threads),
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_beside),
	};

	return run_all_tests(tests, NULL, NULL);
}
