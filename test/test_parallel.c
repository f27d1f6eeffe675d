/* SPDX-License-Identifier: BSD-3-Clause
 * Tests who works on the parts of a call: every part is done once, for any number of threads, in
 * nested calls, in several callers at once, after fork, when the system refuses to start threads,
 * and when a thread joins late. This test is also for the thread sanitizer. */
#define _GNU_SOURCE /* RLIMIT_NPROC, sched_getaffinity */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "support/context.h"
#include "support/support.h"
#include "support/workers.h"

enum { MOST_PARTS = 600 };

static bool has_pool(void)
{
	return strcmp(eki_thread_run_time(), "pool") == 0;
}

static void sleep_ms(int ms)
{
	const struct timespec t = {ms / 1000, ms % 1000 * 1000000L};

	nanosleep(&t, NULL);
}

/* ---- Every part once ------------------------------------------------------------------------- */

struct marks {
	_Atomic int done[MOST_PARTS];
};

static void mark(void *arg, int part)
{
	struct marks *m = arg;

	atomic_fetch_add(&m->done[part], 1);
}

/* Returns whether each of the parts, and no other one, was done once. */
static bool all_once(struct marks *m, int parts)
{
	for (int p = 0; p < MOST_PARTS; p++)
		if (atomic_load(&m->done[p]) != (p < parts))
			return false;
	return true;
}

static bool done_once(const ek_context *of, int threads, int parts)
{
	struct marks m = {{0}};

	eki_parallel(of, threads, parts, mark, &m);
	return all_once(&m, parts);
}

static void test_once(void **state)
{
	static const int parts[] = {0, 1, 2, 3, 7, 64, 65, 200, MOST_PARTS};

	(void)state;
	for (int threads = 1; threads <= 9; threads++)
		for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
			for (int round = 0; round < 20; round++)
				assert_true(done_once(ctx, threads, parts[k]));
}

/* Checks small jobs one after the other, so that workers come too early and too late for many. */
static void test_stream(void **state)
{
	(void)state;
	for (int round = 0; round < 20000; round++) {
		assert_true(done_once(ctx, 2 + round % 3, 2 + round % 5));
		if (round % 1000 == 0)
			sleep_ms(1); /* the workers fall asleep */
	}
}

/* ---- Work in turns --------------------------------------------------------------------------- */

struct chain {
	_Atomic int64_t next;
	int64_t sum; /* owned by whose turn it is */
	eki_turn turn;
};

enum { LINKS = 2000 };

/* Takes numbers from a counter and adds them up in their order, as scans and products do. */
static void link_part(void *arg, int part)
{
	struct chain *c = arg;
	int64_t k;

	(void)part;
	while ((k = atomic_fetch_add(&c->next, 1)) < LINKS) {
		eki_turn_wait(&c->turn, k);
		c->sum = c->sum * 3 % 1000003 + k;
		eki_turn_pass(&c->turn, k);
	}
}

static bool chain_is_right(const ek_context *of, int threads)
{
	struct chain c = {0};
	int64_t sum = 0;

	eki_parallel(of, threads, threads, link_part, &c);
	for (int64_t k = 0; k < LINKS; k++)
		sum = sum * 3 % 1000003 + k;
	return c.sum == sum;
}

static void test_chain(void **state)
{
	(void)state;
	for (int threads = 1; threads <= 9; threads += 2)
		assert_true(chain_is_right(ctx, threads));
}

/* ---- Calls in calls -------------------------------------------------------------------------- */

static _Atomic int wrong;

static void outer(void *arg, int part)
{
	const ek_context *of = arg;

	if (!done_once(of, 2 + part % 3, 5 + part))
		atomic_fetch_add(&wrong, 1);
	if (part % 4 == 0 && !chain_is_right(of, 3))
		atomic_fetch_add(&wrong, 1);
}

static void test_nested(void **state)
{
	(void)state;
	atomic_store(&wrong, 0);
	for (int threads = 1; threads <= 5; threads += 2)
		eki_parallel(ctx, threads, 20, outer, ctx);
	assert_int_equal(atomic_load(&wrong), 0);
}

/* ---- Several callers ------------------------------------------------------------------------- */

static void caller(int number)
{
	const ek_options options = {.size = sizeof options, .threads = 1 + number % 4};
	ek_context *own = NULL;

	for (int round = 0; round < 20; round++) {
		if (ek_context_create(&options, &own) != EK_OK) {
			worker_fault("no context");
			return;
		}
		for (int k = 0; k < 100; k++)
			if (!done_once(round % 2 ? own : ctx, 1 + (k + number) % 5,
			               k * (number + 1)))
				worker_fault("a part was not done once");
		if (!chain_is_right(own, 1 + number))
			worker_fault("a chain is wrong");
		ek_context_destroy(own);
	}
}

static void test_callers(void **state)
{
	(void)state;
	run_workers(WORKERS, caller);
}

enum { CROWD = 80 }; /* more callers than the pool has places for jobs */

static void *in_crowd(void *arg)
{
	for (int k = 0; k < 50; k++)
		if (!done_once(ctx, 2, 3 + k % 5))
			atomic_fetch_add((_Atomic int *)arg, 1);
	return NULL;
}

static void test_crowd(void **state)
{
	pthread_t thread[CROWD];

	(void)state;
	atomic_store(&wrong, 0);
	for (int k = 0; k < CROWD; k++)
		assert_int_equal(pthread_create(&thread[k], NULL, in_crowd, &wrong), 0);
	for (int k = 0; k < CROWD; k++)
		pthread_join(thread[k], NULL);
	assert_int_equal(atomic_load(&wrong), 0);
}

/* ---- Threads start and end ------------------------------------------------------------------- */

struct who {
	pthread_t caller;
	_Atomic int others;
};

static void who_part(void *arg, int part)
{
	struct who *w = arg;

	(void)part;
	if (!pthread_equal(w->caller, pthread_self()))
		atomic_fetch_add(&w->others, 1);
}

#ifdef __linux__
/* Checks that a worker on the caller's own processor leaves the parts to the caller. */
static void test_one_processor(void **state)
{
	cpu_set_t before, one;
	struct who w = {.caller = pthread_self()};
	const ek_options options = {.size = sizeof options, .threads = 3};
	ek_context *own = NULL;
	int cpu = 0;

	(void)state;
	if (!has_pool() || ek_context_threads(ctx) < 2)
		skip();
	assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
	while (!CPU_ISSET(cpu, &before))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	context_teardown(NULL); /* all threads end; new ones inherit the caller's one processor */
	assert_int_equal(eki_threads_running(), 0);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	expect_status(ek_context_create(&options, &own), EK_OK);
	for (int k = 0; k < 1000; k++)
		eki_parallel(own, 3, 6, who_part, &w);
	ek_context_destroy(own);
	assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
	assert_int_equal(context_setup(NULL), 0);
	assert_true(atomic_load(&w.others) < 600); /* of 6000; a job may last over a nap */
}
#endif

/* A part that takes long enough for others to wake up. */
static void slow_part(void *arg, int part)
{
	const clock_t end = clock() + CLOCKS_PER_SEC / 50;

	while (clock() < end) {
	}
	who_part(arg, part);
}

/* Checks that threads join a job that takes long, also after they were idle or napped. */
static void test_late(void **state)
{
	(void)state;
	if (!has_pool() || eki_default_threads() < 2)
		skip();
	for (int round = 0; round < 3; round++) {
		struct who w = {.caller = pthread_self()};

		for (int k = 0; k < 200; k++) { /* wakes in vain */
			done_once(ctx, 3, 3);
			if (k % 20 == 0)
				sleep_ms(1);
		}
		eki_parallel(ctx, 3, 12, slow_part, &w);
		assert_true(atomic_load(&w.others) > 0);
	}
}

static void test_ends(void **state)
{
	(void)state;
	for (int round = 0; round < 50; round++) {
		context_teardown(NULL);
		assert_int_equal(eki_threads_running(), 0);
		assert_int_equal(context_setup(NULL), 0);
		assert_true(done_once(ctx, 3, 10));
		if (has_pool())
			assert_int_equal(eki_threads_running(), 2);
	}
}

static void signals_part(void *arg, int part)
{
	sigset_t set;

	(void)part;
	sleep_ms(2);
	pthread_sigmask(SIG_SETMASK, NULL, &set);
	if (!pthread_equal(*(pthread_t *)arg, pthread_self()) && !sigismember(&set, SIGALRM))
		atomic_fetch_add(&wrong, 1);
}

static void test_signals(void **state)
{
	pthread_t self = pthread_self();

	(void)state;
	if (!has_pool())
		skip();
	atomic_store(&wrong, 0);
	eki_parallel(ctx, 3, 12, signals_part, &self);
	assert_int_equal(atomic_load(&wrong), 0);
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NO_FORK /* the thread sanitizer allows no threads in a child of several threads */
#endif
#endif
#if defined(__SANITIZE_THREAD__) || defined(EK_TEST_IN_QEMU)
#define NO_FORK /* QEMU 7.2 dies if the child of a process with several threads starts one */
#endif

#ifndef NO_FORK
/* Waits for a child, and checks that it said that all is well. */
static void child_is_well(pid_t child)
{
	int status = -1;

	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void test_fork(void **state)
{
	(void)state;
	if (!has_pool())
		skip();
	for (int round = 0; round < 10; round++) {
		pid_t child;
		bool well = done_once(ctx, 3, 50);

		assert_true(well);
		child = fork();
		if (child == 0) {
			alarm(60); /* a child that waits for threads it has not would never end */
			well = eki_threads_running() == 0;
			for (int k = 0; k < 50; k++)
				well = done_once(ctx, 2 + k % 3, k) && well;
			well = chain_is_right(ctx, 3) && eki_threads_running() > 0 && well;
			_exit(!well);
		}
		child_is_well(child);
		assert_true(done_once(ctx, 3, 50));
	}
}

/* Checks that a system that starts no threads costs speed alone. */
static void test_refused(void **state)
{
	const struct rlimit none = {0, 0};
	pid_t child;

	(void)state;
	if (!has_pool())
		skip();
	child = fork();
	if (child == 0) {
		bool well;

		alarm(60);
		setrlimit(RLIMIT_NPROC, &none);
		if (geteuid() == 0 && setuid(65534) != 0) /* no limit holds for root */
			_exit(0);
		well = done_once(ctx, 3, 50) && chain_is_right(ctx, 3);
		_exit(!(well && eki_threads_running() == 0));
	}
	child_is_well(child);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_once),          cmocka_unit_test(test_stream),
		cmocka_unit_test(test_chain),         cmocka_unit_test(test_nested),
		cmocka_unit_test(test_callers),       cmocka_unit_test(test_crowd),
		cmocka_unit_test(test_late),          cmocka_unit_test(test_ends),
		cmocka_unit_test(test_signals),
#ifdef __linux__
		cmocka_unit_test(test_one_processor),
#endif
#ifndef NO_FORK
		cmocka_unit_test(test_fork),          cmocka_unit_test(test_refused),
#endif
	};

	return run_all_tests(tests, context_setup, context_teardown);
}
