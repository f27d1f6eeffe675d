/* SPDX-License-Identifier: BSD-3-Clause
 * Tests ek_compact by every method: equality with a loop for all types and sizes of values, lengths
 * around blocks, shares of flags, numbers of threads and instruction sets, at guard pages; the
 * example of Liu 2015, section 4.4.1; failing allocations; and refused arguments. */
#include "plan/plan.h"
#include "support/guard.h"
#include "support/heap.h"
#include "support/random.h"
#include "support/support.h"

enum { LONG = 50021, ARRAYS = 5 };

static struct guard page[ARRAYS];
static struct rng rng = {8};
static struct heap heap = HEAP_INIT;

static int setup(void **state)
{
	(void)state;
	for (int k = 0; k < ARRAYS; k++)
		guard_make(&page[k], (size_t)LONG * 8 + 4096);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (int k = 0; k < ARRAYS; k++)
		guard_free(&page[k]);
	heap_close(&heap);
	return 0;
}

static char *random_bytes(struct guard *g, int64_t bytes)
{
	char *at = guard_at_end(g, (size_t)bytes);

	for (int64_t k = 0; k < bytes; k++)
		at[k] = (char)rng_next(&rng);
	return at;
}

/* Checks one call in which about one of `every` flags is set; 0: none, 1: all. The space behind the
 * result may have any content, but nothing is written behind the space. */
static void check(ek_context *ctx, const char *method, ek_value type, int64_t value_size, int64_t n,
                  int64_t every)
{
	const int64_t size = (int64_t)ek_value_size(type);
	const ek_array_options o = {.size = sizeof o, .method = method};
	char *key = random_bytes(&page[0], n * size),
	     *value = random_bytes(&page[1], n * value_size);
	uint8_t *flag = (uint8_t *)random_bytes(&page[2], n);
	char *to_key = random_bytes(&page[3], n * size);
	char *to_value = random_bytes(&page[4], n * value_size);
	const ek_pairs in = ek_key_value(type, (size_t)value_size, n, key, value);
	const ek_pairs out = ek_key_value(type, (size_t)value_size, n, to_key, to_value);
	int64_t count = -1, k = 0;

	for (int64_t i = 0; i < n; i++)
		flag[i] = every && rng_below(&rng, every) == 0 ? (uint8_t)(1 + (i & 127)) : 0;
	expect_status(ek_compact(ctx, &o, &in, flag, &count, &out), EK_OK);
	for (int64_t i = 0; i < n; i++) {
		if (!flag[i])
			continue;
		if (memcmp(to_key + k * size, key + i * size, (size_t)size) != 0 ||
		    memcmp(to_value + k * value_size, value + i * value_size, (size_t)value_size) !=
		            0)
			fail_msg("%s, %s+%d, n %lld, 1 of %lld: pair %lld", method,
			         ek_value_name(type), (int)value_size, (long long)n,
			         (long long)every, (long long)k);
		k++;
	}
	assert_int_equal(count, k);
}

static void test_pairs(void **state)
{
	static const int64_t length[] = {0, 1, 2, 3, 31, 100, 4095, 4096, 4097, 8193, LONG};
	static const int64_t share[] = {0, 1, 2, 9, 1000};
	ek_isa level[MAX_LEVELS];
	int count[MAX_COUNTS], turn = 0;

	(void)state;
	for (int l = test_levels(level); l-- > 0;)
		for (int c = test_counts(count); c-- > 0;) {
			ek_context *ctx = heap_context_cut(&heap, count[c], EK_ISA_LIMIT(level[l]));

			for (const ek_method *m = NULL; (m = processor_method_next(m, EK_COMPACT));)
				for (size_t n = 0; n < sizeof length / sizeof *length; n++)
					for (int s = 0; s < 5; s++, turn++)
						check(ctx, ek_method_name(m),
						      (ek_value)(1 + turn % 4), 4 * (turn / 4 % 3),
						      length[n], share[s]);
			ek_context_destroy(ctx);
		}
}

/* The second row of A without its odd columns. */
static void test_published(void **state)
{
	const int32_t col_idx[] = {0, 2, 3, 4, 5}, right[] = {0, 2, 4};
	const double val[] = {1, 2, 3, 4, 5}, right_val[] = {1, 2, 4};
	const uint8_t aux_array[] = {1, 1, 0, 1, 0};
	ek_context *ctx = heap_context_cut(&heap, 2, 0);

	(void)state;
	for (const ek_method *m = NULL; (m = processor_method_next(m, EK_COMPACT));) {
		const ek_array_options o = {.size = sizeof o, .method = ek_method_name(m)};
		int32_t odd[5];
		double odd_val[5];
		const ek_pairs in = ek_key_value(EK_INT32, 8, 5, col_idx, val);
		const ek_pairs out = ek_key_value(EK_INT32, 8, 5, odd, odd_val);
		int64_t count;

		expect_status(ek_compact(ctx, &o, &in, aux_array, &count, &out), EK_OK);
		assert_int_equal(count, 3);
		assert_memory_equal(odd, right, sizeof right);
		assert_memory_equal(odd_val, right_val, sizeof right_val);
	}
	ek_context_destroy(ctx);
}

static void each_allocation_fails(const char *method)
{
	enum { N = 600 };
	const ek_array_options o = {.size = sizeof o, .method = method};
	int64_t key[N], to[N], count = -1;
	uint8_t flag[N];
	const ek_pairs in = ek_key_value(EK_INT64, 0, N, key, NULL);
	const ek_pairs out = ek_key_value(EK_INT64, 0, N, to, NULL);
	ek_context *ctx = heap_context_cut(&heap, 3, 0);
	ek_status status = EK_ENOMEM;

	for (int k = 0; k < N; k++)
		key[k] = k, to[k] = -1, flag[k] = k & 1;
	for (long n = 0; status != EK_OK; n++) {
		heap_fail(&heap, n, false);
		status = ek_compact(ctx, &o, &in, flag, &count, &out);
		assert_true(status == EK_OK || (status == EK_ENOMEM && count == -1 && to[0] == -1));
	}
	assert_true(count == N / 2 && to[N / 2 - 1] == N - 1);
	heap_fail(&heap, -1, false);
	ek_context_destroy(ctx);
}

static void test_no_memory(void **state)
{
	(void)state;
	for (const ek_method *m = NULL; (m = processor_method_next(m, EK_COMPACT));)
		each_allocation_fails(ek_method_name(m));
}

static void test_arguments(void **state)
{
	int32_t key[4] = {1, 2, 3, 4}, to[6] = {7, 7, 7, 7, 7, 7};
	double value[4] = {0}, to_value[4] = {0};
	uint8_t flag[4] = {1, 0, 1, 1};
	const ek_pairs in = ek_key_value(EK_INT32, 8, 4, key, value);
	const ek_pairs out = ek_key_value(EK_INT32, 8, 4, to, to_value);
	ek_pairs bad_in = in, bad = out;
	int64_t count = -1;
	ek_context *ctx;

	(void)state;
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	expect_error(ek_compact(NULL, NULL, &in, flag, &count, &out), EK_EINVAL, "ctx");
	expect_error(ek_compact(ctx, NULL, NULL, flag, &count, &out), EK_EINVAL, "in is NULL");
	expect_error(ek_compact(ctx, NULL, &in, flag, &count, NULL), EK_EINVAL, "out is NULL");
	expect_error(ek_compact(ctx, NULL, &in, NULL, &count, &out), EK_EINVAL, "flag is NULL");
	expect_error(ek_compact(ctx, NULL, &in, flag, NULL, &out), EK_EINVAL, "count is NULL");
	bad.type = EK_INT64;
	expect_error(ek_compact(ctx, NULL, &in, flag, &count, &bad), EK_EINVAL, "out->type");
	bad = out, bad.value_size = 4;
	expect_error(ek_compact(ctx, NULL, &in, flag, &count, &bad), EK_EINVAL, "out->value_size");
	bad = out, bad.n = 3;
	expect_error(ek_compact(ctx, NULL, &in, flag, &count, &bad), EK_EINVAL, "out->n is 3");
	bad = out, bad.key = key + 1;
	expect_error(ek_compact(ctx, NULL, &in, flag, &count, &bad), EK_EINVAL, "overlap");
	bad = out, bad.value = NULL;
	expect_error(ek_compact(ctx, NULL, &in, flag, &count, &bad), EK_EINVAL,
	             "out->value is NULL");
	bad_in.n = -1;
	expect_error(ek_compact(ctx, NULL, &bad_in, flag, &count, &out), EK_EINVAL, "in->n is -1");
	bad_in = in, bad_in.value_size = 3;
	expect_error(ek_compact(ctx, NULL, &bad_in, flag, &count, &out), EK_EINVAL,
	             "in->value_size is 3");
	bad_in = in, bad_in.type = (ek_value)9;
	expect_error(ek_compact(ctx, NULL, &bad_in, flag, &count, &out), EK_EINVAL, "type is 9");
	assert_true(count == -1 && to[0] == 7);
	bad_in = ek_key_value(EK_INT32, 0, 0, NULL, NULL);
	expect_status(ek_compact(ctx, NULL, &bad_in, NULL, &count, &bad_in), EK_OK);
	assert_int_equal(count, 0);
	ek_context_destroy(ctx);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_published),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_arguments),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, setup, teardown);
}
