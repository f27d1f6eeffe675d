/* SPDX-License-Identifier: BSD-3-Clause
 * Tests primitives whose threads wait for each other, called repeatedly by several threads at once.
 * There are more threads than processors, and blocks are so small that threads often wait. This
 * test is also for the thread sanitizer (see test_threads.c). */
#include "plan/plan.h"
#include "support/support.h"
#include "support/workers.h"

enum { CALLERS = 3, ROUNDS = 40, N = 5000, LIST = 140000 };

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
		worker_fault(o.method);
	for (int i = 0; i < N; i++) {
		int64_t before = sum;

		sum += in[i];
		if (out[i] != (exclusive ? before : sum)) {
			worker_fault(o.method);
			return;
		}
	}
}

/* Checks a segmented scan with segments of 37 entries. */
static void segmented_scan(int threads, int64_t block)
{
	ek_array_options o = {
		.size = sizeof o, .method = "segscan.blocked", .threads = threads, .block = block};
	int32_t in[N], out[N];
	uint8_t flag[N];

	for (int i = 0; i < N; i++) {
		in[i] = 1;
		flag[i] = i % 37 == 0;
	}
	if (ek_segmented_scan(ctx, &o, EK_INT32, EK_SUM, EK_INCLUSIVE, N, in,
	                      &(ek_segments){.size = sizeof(ek_segments), .flag = flag},
	                      out) != EK_OK)
		worker_fault(o.method);
	for (int i = 0; i < N; i++)
		if (out[i] != 1 + i % 37) {
			worker_fault(o.method);
			return;
		}
}

/* Checks ek_kselect on one list that all its threads share, a permutation of 0 to LIST - 1. */
static void kselect(int threads, int64_t k, bool all)
{
	ek_array_options o = {.size = sizeof o, .method = "kselect.sample", .threads = threads};
	int32_t *in = malloc(2 * LIST * sizeof *in), *smallest = in ? in + LIST : NULL, kth = -1;
	int64_t sum = 0;

	for (int64_t i = 0; in && i < LIST; i++)
		in[i] = (int32_t)(i * 77773 % LIST);
	if (!in ||
	    ek_kselect(ctx, &o, EK_INT32, 1, LIST, k, in, &kth, all ? smallest : NULL) != EK_OK ||
	    kth != k - 1)
		worker_fault(o.method);
	for (int64_t i = 0; in && all && i < k; i++)
		sum += smallest[i];
	if (all && sum != k * (k - 1) / 2)
		worker_fault(o.method);
	free(in);
}

static void caller(int number)
{
	static const char *const method[] = {"scan.zhang", "scan.zhang:overlap=1", "scan.blocked",
	                                     "scan.blelloch"};

	(void)number;
	for (int k = 0; k < ROUNDS; k++) {
		segmented_scan(1 + k % 8, 64);
		if (k % 8 == 0)
			kselect(2 + k % 7, 100 + 1700 * k, k & 8);
		for (int m = 0; m < 4; m++)
			scan(method[m], 1 + (k + m) % 8, k % 2 ? 64 : 7 + k, k & 2, k & 4);
	}
}

static void test_waiting(void **state)
{
	ek_options o = {.size = sizeof o, .threads = 8};

	(void)state;
	expect_status(ek_context_create(&o, &ctx), EK_OK);
	ctx->small_work = 0;
	run_workers(CALLERS, caller);
	ek_context_destroy(ctx);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_waiting)};

	(void)argc;
	test_passive_threads(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
