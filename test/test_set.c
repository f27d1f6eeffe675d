/* SPDX-License-Identifier: BSD-3-Clause
 * Every union and intersection of the table against bits of a universe: all lengths, densities, types,
 * instruction sets and thread counts, between guard pages; and garbage, which must not lead out. */
#include "support/support.h"
#include "support/exhaust.h"
#include "support/guard.h"
#include "support/random.h"
#include "core/ek_core.h"

enum { MOST = 30000, CONTEXTS = MAX_LEVELS * MAX_COUNTS };

static struct guard guards[3]; /* a, b, out */
static ek_context *contexts[CONTEXTS];
static int context_count;

static int setup(void **state)
{
	ek_isa level[MAX_LEVELS];
	int count[MAX_COUNTS], levels = test_levels(level), counts = test_counts(count);

	(void)state;
	for (int k = 0; k < 3; k++)
		guard_make(&guards[k], (size_t)MOST * 16);
	for (int c = 0; c < levels * counts; c++) {
		ek_options o = {.size = sizeof o, .threads = count[c % counts]};
		ek_context *ctx = NULL;

		o.isa_limit = EK_ISA_LIMIT(level[c / counts]);
		expect_status(ek_context_create(&o, &ctx), EK_OK);
		ctx->small_work = 0;
		contexts[context_count++] = ctx;
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (int k = 0; k < 3; k++)
		guard_free(&guards[k]);
	for (int k = 0; k < context_count; k++)
		ek_context_destroy(contexts[k]);
	return 0;
}

static int64_t get(ek_value type, const void *v, int64_t i)
{
	return type == EK_INT64 ? ((const int64_t *)v)[i] : ((const int32_t *)v)[i];
}

static void put(ek_value type, void *v, int64_t i, int64_t to)
{
	if (type == EK_INT64)
		((int64_t *)v)[i] = to;
	else
		((int32_t *)v)[i] = (int32_t)(uint32_t)(uint64_t)to;
}

/* The extremes of the type are entries too. */
static int64_t number(ek_value type, int64_t k, int64_t universe)
{
	if (k == universe - 1)
		return type == EK_INT64 ? INT64_MAX : INT32_MAX;
	if (k == 0)
		return type == EK_INT64 ? INT64_MIN : INT32_MIN;
	return (k - universe / 2) * (type == EK_INT64 ? INT64_C(5000000000) : 7);
}

static void *lay(const struct guard *g, int place, int64_t n, size_t size)
{
	const size_t bytes = (size_t)n * size, shift = (size_t)(place / 2) % 16 * 4 / size * size;

	return place % 2 ? guard_at_end(g, bytes)
	                 : (char *)guard_at_begin(g, bytes) + (bytes + 64 < g->size ? shift : 0);
}

static ek_status call(const ek_method *m, ek_context *ctx, ek_value type, int64_t an, const void *a,
                      int64_t bn, const void *b, int64_t *count, void *out)
{
	const ek_array_options o = {.size = sizeof o, .method = m ? ek_method_name(m) : NULL};

	if (!m || ek_method_operation(m) == EK_SET_UNION)
		return ek_set_union(ctx, &o, type, an, a, bn, b, count, out);
	return ek_set_intersection(ctx, &o, type, an, a, bn, b, count, out);
}

/* Sets of which entry k of the universe is with probability pa, pb in 1024. */
static void compare(int64_t universe, int64_t pa, int64_t pb, struct rng *r)
{
	static unsigned char in[MOST];
	const ek_value type = rng_next(r) % 2 ? EK_INT64 : EK_INT32;
	const size_t size = ek_value_size(type);
	int64_t n[2] = {0, 0};
	void *set[2], *out;

	for (int64_t k = 0; k < universe; k++) {
		in[k] = (unsigned char)((rng_below(r, 1024) < pa) + 2 * (rng_below(r, 1024) < pb));
		n[0] += in[k] & 1;
		n[1] += in[k] >> 1;
	}
	for (int s = 0; s < 2; s++) {
		int64_t i = 0;

		set[s] = lay(&guards[s], (int)rng_below(r, 32), n[s], size);
		for (int64_t k = 0; k < universe; k++)
			if (in[k] >> s & 1)
				put(type, set[s], i++, number(type, k, universe));
	}
	for (const ek_method *m = NULL; (m = ek_method_next(m));) {
		const bool all = ek_method_operation(m) == EK_SET_UNION;
		const int64_t room = all ? n[0] + n[1] : n[0] < n[1] ? n[0] : n[1];
		int64_t count = -1, i = 0;

		if (!all && ek_method_operation(m) != EK_SET_INTERSECTION)
			continue;
		memset(guards[2].begin, 0x5a, guards[2].size);
		out = lay(&guards[2], (int)rng_below(r, 32), room, size);
		expect_status(call(m, contexts[rng_below(r, context_count)], type, n[0], set[0],
		                   n[1], set[1], &count, out),
		              EK_OK);
		for (int64_t k = 0; k < universe; k++) {
			if (all ? !in[k] : in[k] != 3)
				continue;
			if (i >= count || get(type, out, i) != number(type, k, universe))
				fail_msg("%s: entry %lld of %lld", ek_method_name(m), (long long)i,
				         (long long)count);
			i++;
		}
		assert_int_equal(i, count);
		for (const char *p = guards[2].begin; p < guards[2].begin + guards[2].size; p++)
			assert_true((p >= (char *)out && p < (char *)out + (size_t)room * size) ||
			            *p == 0x5a);
	}
}

static void test_lengths(void **state)
{
	static const int64_t density[] = {0, 1, 30, 512, 1000, 1024};
	struct rng r = {1};

	(void)state;
	for (int64_t n = 0; n <= 1100; n++)
		compare(n, density[rng_below(&r, 6)], density[rng_below(&r, 6)], &r);
	for (int64_t n = 0; n < 120; n++)
		compare(n, 1024, 1024, &r);
	for (int k = 0; k < (test_tier() == TIER_QUICK ? 60 : 600); k++)
		compare(1 + rng_below(&r, MOST - 1), density[rng_below(&r, 6)],
		        density[rng_below(&r, 6)], &r);
}

/* Inputs that do not ascend: only the room is written, only the inputs are read. */
static void test_garbage(void **state)
{
	struct rng r = {2};

	(void)state;
	for (int k = 0; k < (test_tier() == TIER_QUICK ? 400 : 4000); k++) {
		const ek_value type = k % 2 ? EK_INT64 : EK_INT32;
		const size_t size = ek_value_size(type);
		const int64_t an = rng_below(&r, 6000), bn = rng_below(&r, 6000),
			      few = k % 3 ? 4 : 1000;
		void *a = lay(&guards[0], k / 2, an, size), *b = lay(&guards[1], k / 3, bn, size);

		for (int64_t i = 0; i < an; i++)
			put(type, a, i, rng_below(&r, few));
		for (int64_t i = 0; i < bn; i++)
			put(type, b, i, rng_below(&r, few));
		for (const ek_method *m = NULL; (m = ek_method_next(m));) {
			const bool all = ek_method_operation(m) == EK_SET_UNION;
			const int64_t room = all ? an + bn : an < bn ? an : bn;
			char *out;
			int64_t count = -1;

			if (!all && ek_method_operation(m) != EK_SET_INTERSECTION)
				continue;
			memset(guards[2].begin, 0x5a, guards[2].size);
			out = lay(&guards[2], k, room, size);
			expect_status(call(m, contexts[rng_below(&r, context_count)], type, an, a,
			                   bn, b, &count, out),
			              EK_OK);
			assert_true(count >= 0 && count <= room);
			for (const char *p = guards[2].begin; p < guards[2].begin + guards[2].size;
			     p++)
				assert_true((p >= out && p < out + (size_t)room * size) ||
				            *p == 0x5a);
		}
	}
}

static void test_arguments(void **state)
{
	int32_t a[4] = {1, 2, 3, 4}, b[4] = {2, 9, 10, 11},
		out[8] = {77, 77, 77, 77, 77, 77, 77, 77};
	int64_t count = -5;
	ek_context *ctx = contexts[0];

	(void)state;
	expect_error(ek_set_union(ctx, NULL, EK_F32, 4, a, 4, b, &count, out), EK_EINVAL,
	             "EK_INT32");
	expect_error(ek_set_union(ctx, NULL, EK_INT32, -4, a, 4, b, &count, out), EK_EINVAL,
	             "a_n is");
	expect_error(ek_set_intersection(ctx, NULL, EK_INT32, 4, a, -1, b, &count, out), EK_EINVAL,
	             "b_n is");
	expect_error(ek_set_union(ctx, NULL, EK_INT32, 4, NULL, 4, b, &count, out), EK_EINVAL,
	             "a is NULL");
	expect_error(ek_set_union(ctx, NULL, EK_INT32, 4, a, 4, NULL, &count, out), EK_EINVAL,
	             "b is NULL");
	expect_error(ek_set_union(ctx, NULL, EK_INT32, 4, a, 4, b, NULL, out), EK_EINVAL,
	             "count is NULL");
	expect_error(ek_set_union(ctx, NULL, EK_INT32, 4, a, 4, b, &count, NULL), EK_EINVAL,
	             "out is NULL");
	expect_error(ek_set_union(ctx, NULL, EK_INT32, 4, a, 4, b, &count, a), EK_EINVAL,
	             "overlap");
	expect_error(ek_set_intersection(ctx, NULL, EK_INT32, 4, a, 4, b, &count, b + 3), EK_EINVAL,
	             "overlap");
	assert_int_equal(count, -5);
	for (int i = 0; i < 8; i++)
		assert_int_equal(out[i], 77);
	expect_status(ek_set_union(ctx, NULL, EK_INT32, 0, NULL, 0, NULL, &count, NULL), EK_OK);
	assert_int_equal(count, 0);
	expect_status(ek_set_intersection(ctx, NULL, EK_INT32, 4, a, 4, b, &count, out), EK_OK);
	assert_int_equal(count, 1);
	assert_int_equal(out[0], 2);
}

static ek_status exhausted(struct exhaust *e)
{
	int32_t a[100];
	int64_t count = 0;

	for (int k = 0; k < 100; k++)
		a[k] = k;
	return call(e->arg, e->ctx, EK_INT32, 100, a, 80, a, &count, e->room);
}

static void test_memory(void **state)
{
	(void)state;
	for (const ek_method *m = NULL; (m = ek_method_next(m));) {
		struct exhaust e = {.heap = HEAP_INIT, .arg = m};

		if (ek_method_operation(m) != EK_SET_UNION &&
		    ek_method_operation(m) != EK_SET_INTERSECTION)
			continue;
		e.ctx = heap_context(&e.heap, 3, 0);
		e.ctx->small_work = 0;
		exhaust(&e, ek_method_name(m), exhausted, NULL);
		ek_context_destroy(e.ctx);
		heap_close(&e.heap);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_memory),
	};

	(void)argc;
	test_passive_threads(argv);
	return cmocka_run_group_tests(tests, setup, teardown);
}
