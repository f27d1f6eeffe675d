/* SPDX-License-Identifier: BSD-3-Clause
 * Tests EK_BIND: workers run on the processors that they are bound to while there is a context that
 * asks for it, callers keep all of theirs, and nothing is bound by default. */
#define _GNU_SOURCE /* sched_getaffinity, setenv */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/base.h"
#include "support/support.h"

#ifdef __linux__

enum { PARTS = 8, MOST_TRIES = 1000 };

/* What a worker saw: the processors that it may use, and the one that it ran on. */
struct seen {
	pthread_t caller;
	_Atomic int workers, outside, other; /* how often a worker ran outside of its processors */
	cpu_set_t expected;
};

static void look(void *arg, int part)
{
	const clock_t end = clock() + CLOCKS_PER_SEC / 500; /* until others have joined */
	struct seen *s = arg;
	cpu_set_t may;

	(void)part;
	while (clock() < end) {
	}
	if (pthread_equal(s->caller, pthread_self()))
		return;
	atomic_fetch_add(&s->workers, 1);
	if (sched_getaffinity(0, sizeof may, &may) != 0 || !CPU_EQUAL(&may, &s->expected))
		atomic_fetch_add(&s->other, 1);
	if (!CPU_ISSET((size_t)sched_getcpu(), &s->expected))
		atomic_fetch_add(&s->outside, 1);
}

/* Checks that the only worker of two threads may use just these processors. */
static void check_worker(const ek_context *ctx, cpu_set_t expected)
{
	struct seen s = {.caller = pthread_self(), .expected = expected};
	cpu_set_t before, after;

	assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
	for (int k = 0; k < MOST_TRIES && atomic_load(&s.workers) < PARTS; k++)
		eki_parallel(ctx, 2, PARTS, look, &s);
	assert_true(atomic_load(&s.workers) > 0);
	assert_int_equal(atomic_load(&s.other), 0);
	assert_int_equal(atomic_load(&s.outside), 0);
	assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
}

static cpu_set_t second(const cpu_set_t *all)
{
	cpu_set_t one;
	int cpu = 0, left = 1 % CPU_COUNT(all);

	while (!CPU_ISSET((size_t)cpu, all) || left-- > 0)
		cpu++;
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	return one;
}

static ek_context *context(const char *bind)
{
	const ek_options options = {.size = sizeof options, .threads = 2};
	ek_context *ctx = NULL;

	setenv("EK_BIND", bind, 1);
	expect_status(ek_context_create(&options, &ctx), EK_OK);
	return ctx;
}

static void test_bind(void **state)
{
	cpu_set_t all;

	(void)state;
	if (strcmp(eki_thread_run_time(), "pool") != 0 || eki_default_threads() < 2)
		skip();
	assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
	for (int round = 0; round < 3; round++) {
		ek_context *free_ctx = context("0"), *bound;

		check_worker(free_ctx, all);
		bound = context("1"); /* binds the worker that runs */
		check_worker(bound, second(&all));
		check_worker(free_ctx, second(&all));
		ek_context_destroy(bound);
		check_worker(free_ctx, all);
		ek_context_destroy(free_ctx);
		assert_int_equal(eki_threads_running(), 0);
		bound = context("1"); /* starts a worker that is bound */
		check_worker(bound, second(&all));
		ek_context_destroy(bound);
	}
}

#else

static void test_bind(void **state)
{
	(void)state;
	skip();
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_bind)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
