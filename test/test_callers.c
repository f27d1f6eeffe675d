/* SPDX-License-Identifier: BSD-3-Clause
 * Tests that a caller never waits for the job of another caller, be it in the same context or in
 * another one: threads are kept busy with a job that ends only when another caller's has. This
 * test is also for the thread sanitizer. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <pthread.h>
#include <time.h>

#include "base/base.h"
#include "support/context.h"
#include "support/support.h"

enum { BUSY_PARTS = 16 };

static _Atomic int begun, wrong;
static _Atomic bool other_done;

static void nap(void)
{
	nanosleep(&(struct timespec){0, 1000000}, NULL);
}

/* Waits until the other caller has come back, for half a minute at most. */
static void busy_part(void *arg, int part)
{
	(void)arg, (void)part;
	atomic_fetch_add(&begun, 1);
	for (int k = 0; k < 30000 && !atomic_load(&other_done) && !atomic_load(&wrong); k++)
		nap();
	if (!atomic_load(&other_done))
		atomic_fetch_add(&wrong, 1);
}

static void *keep_busy(void *of)
{
	eki_parallel(of, ek_context_threads(of), BUSY_PARTS, busy_part, NULL);
	return NULL;
}

static void count_part(void *count, int part)
{
	(void)part;
	atomic_fetch_add((_Atomic int *)count, 1);
}

static void check_other(const ek_context *busy, const ek_context *other)
{
	_Atomic int done = 0;
	pthread_t thread;

	atomic_store(&begun, 0);
	atomic_store(&other_done, false);
	assert_int_equal(pthread_create(&thread, NULL, keep_busy, (void *)(uintptr_t)busy), 0);
	/* The job has begun, and others have had time to join it. */
	while (atomic_load(&begun) == 0)
		nap();
	for (int k = 0; k < 1000 && atomic_load(&begun) < ek_context_threads(busy); k++)
		nap();
	for (int k = 0; k < 100; k++)
		eki_parallel(other, ek_context_threads(other), BUSY_PARTS, count_part, &done);
	atomic_store(&other_done, true);
	pthread_join(thread, NULL);
	assert_int_equal(atomic_load(&done), 100 * BUSY_PARTS);
	assert_int_equal(atomic_load(&wrong), 0);
}

static void test_callers(void **state)
{
	const ek_options options = {.size = sizeof options, .threads = 3};
	ek_context *other = NULL;

	(void)state;
	expect_status(ek_context_create(&options, &other), EK_OK);
	check_other(ctx, ctx);
	check_other(ctx, other);
	check_other(other, ctx);
	ek_context_destroy(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_callers)};

	return run_all_tests(tests, context_setup, context_teardown);
}
