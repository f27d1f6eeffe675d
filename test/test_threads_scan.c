/* SPDX-License-Identifier: BSD-3-Clause
 * Scans whose threads wait for each other, called by several threads at once, over and over, with
 * more threads than processors and blocks so small that they wait all the time. Meant for the thread
 * sanitizer too, as test_threads.c says. */
#include <pthread.h>

#include "core/ek_core.h"
#include "support/support.h"

enum { CALLERS = 3, ROUNDS = 40, N = 5000 };

/* Threads do not use cmocka's checks, which are for the main thread: they count faults. */
static _Atomic int faults;
static ek_context *ctx;

static void scan(const char *method, int threads, int64_t block, bool in_place, bool exclusive)
{
	ek_array_options o = {
		.size = sizeof o, .method = method, .threads = threads, .block = block};
	int32_t in[N], out[N];
	int64_t sum = 0;

	for (int i = 0; i < N; i++)
		in[i] = out[i] = i % 17;
	if (ek_scan(ctx, &o, EK_INT32, EK_SUM, exclusive ? EK_EXCLUSIVE : EK_INCLUSIVE, N,
	            in_place ? out : in, out) != EK_OK)
		atomic_fetch_add(&faults, 1);
	for (int i = 0; i < N; i++) {
		int64_t before = sum;

		sum += in[i];
		if (out[i] != (exclusive ? before : sum)) {
			atomic_fetch_add(&faults, 1);
			return;
		}
	}
}

static void *caller(void *arg)
{
	static const char *const method[] = {"scan.zhang", "scan.blocked", "scan.blelloch"};

	for (int k = 0; k < ROUNDS; k++)
		for (int m = 0; m < 3; m++)
			scan(method[m], 1 + (k + m) % 8, k % 2 ? 64 : 7 + k, k & 2, k & 4);
	return arg;
}

static void test_waiting(void **state)
{
	pthread_t thread[CALLERS];
	ek_options o = {.size = sizeof o, .threads = 8};
	int started = 0;

	(void)state;
	expect_status(ek_context_create(&o, &ctx), EK_OK);
	ctx->small_work = 0;
	for (int k = 0; k < CALLERS; k++)
		started += pthread_create(&thread[k], NULL, caller, NULL) == 0;
	assert_int_equal(started, CALLERS);
	for (int k = 0; k < CALLERS; k++)
		pthread_join(thread[k], NULL);
	ek_context_destroy(ctx);
	assert_int_equal(atomic_load(&faults), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_waiting)};

	(void)argc;
	test_passive_threads(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
