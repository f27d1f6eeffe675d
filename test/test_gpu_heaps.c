/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the heaps on devices: they must do the same operations as the heap on the processor,
 * number by number, for all arities, since they hold the same keys in the same nodes. The
 * ad-heap is tested with long lists, in every kind of memory. Its layout must be that of Liu
 * 2015, section 4.6.2, with as many transactions. */
#include "gpu/gpu.h"
#include "prim_gpu/heaps.h"
#include "support/devices.h"
#include "support/inputs.h"
#include "support/support.h"

#ifndef EK_NO_GPU

enum { MOST = 1 << 21 };

static char in[MOST * 8];

/* Selects by a method, and returns the counts of its heaps. */
static ek_heap_counts counted(ek_context *ctx, const char *method, int arity, ek_value type,
                              int64_t lists, int64_t n, int64_t k, char *kth)
{
	ek_heap_counts counts = {.size = sizeof counts};
	const ek_array_options o = {
		.size = sizeof o, .method = method, .arity = arity, .counts = &counts};

	if (ek_kselect(ctx, &o, type, lists, n, k, in, kth, NULL) != EK_OK)
		fail_msg("%s: %s", method, ek_error_text());
	return counts;
}

static void check(const struct device_context *on, int arity, ek_value type, int64_t lists,
                  int64_t n, int64_t k)
{
	static const char *const names[] = {"kselect.heap.gpu", "kselect.adheap.gpu"};
	const size_t bytes = (size_t)lists * ek_value_size(type);
	char *right = malloc(bytes), *got = malloc(bytes);
	const ek_heap_counts expected =
		counted(on->ctx, "kselect.heap", arity, type, lists, n, k, right);

	for (int m = 0; m < 2; m++) {
		const ek_heap_counts counts =
			counted(on->ctx, names[m], arity, type, lists, n, k, got);

		if (memcmp(got, right, bytes) != 0 ||
		    memcmp(&counts, &expected, sizeof counts) != 0)
			fail_msg("%s on %s, d = %d, %s, %lld lists of %lld, k %lld: %lld updates, "
			         "%lld expected",
			         names[m], on->text, arity, ek_value_name(type), (long long)lists,
			         (long long)n, (long long)k, (long long)counts.update_key,
			         (long long)expected.update_key);
	}
	free(right);
	free(got);
}

static void test_operations(void **state)
{
	struct rng r = {11};

	(void)state;
	need_device();
	say_devices();
	for (int turn = 0; turn < (test_tier() <= TIER_BRIEF   ? 4
	                           : test_tier() == TIER_QUICK ? 24
	                                                       : 200);
	     turn++) {
		const ek_value type =
			turn % 2 ? EK_F64 : EK_INT32; /* other types are in test_gpu_arrays */
		const int64_t lists = 1 + rng_below(&r, 6),
			      n = 1 + rng_below(&r, test_tier() <= TIER_BRIEF ? 200 : 3000);
		const int arity = turn % 3 ? 2 << turn % 6 : 2 + (int)rng_below(&r, 63);

		input_make((enum input)rng_below(&r, INPUTS), type, lists * n, &r, in);
		check(&devices.of[turn % devices.count], arity, type, lists, n,
		      1 + rng_below(&r, n));
	}
}

/* Tests one long list for each kind of memory. */
static void test_long(void **state)
{
	const int64_t n = test_tier() <= TIER_BRIEF   ? 1000
	                  : test_tier() == TIER_QUICK ? 1 << 16
	                                              : MOST;
	struct rng r = {12};

	(void)state;
	need_device();
	input_make(BITS, EK_INT32, n, &r, in);
	for (int d = 0; d < devices.count; d++)
		check(&devices.of[d], 32, EK_INT32, 1, n, n / 100);
}

static void test_layout(void **state)
{
	(void)state;
	for (int64_t d = 2; d <= 1024; d++)
		for (int64_t n = 1; n < 5000; n += 1 + n / 3) {
			const eki_adheap_shape s = eki_adheap_shape_of(n, d);
			int64_t first = 0;

			for (int64_t level = 1; level < s.levels; level++)
				first = d * first + 1;
			assert_true(first < n && d * first + 1 >= n);
			assert_true(s.head >= 2 * s.levels + 1);    /* the bridge has room */
			assert_true(s.head - d < 2 * s.levels + 1); /* and no more than it needs */
			assert_int_equal((s.head + 1) % d, 0);      /* children are aligned */
			assert_int_equal(s.room, s.head + n);
		}
	/* The example of the source: a 32-heap of 7 levels, and 32 words in a transaction. */
	assert_int_equal(eki_adheap_transactions(7, 32, 32), 8);
	assert_int_equal(eki_dheap_transactions(7, 32, 32), 14);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operations),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_layout),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, devices_setup, devices_teardown);
}

#else
int main(void)
{
	return 0;
}
#endif
