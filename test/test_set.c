/* SPDX-License-Identifier: BSD-3-Clause
 * Compares every union and intersection of the table with brute force, which has flags for each
 * possible number. Sets have all lengths, densities and types, and are combined with all
 * instruction sets and numbers of threads. Arrays are between guard pages. Inputs that are not sets
 * must not cause accesses outside the arrays. */
#include "support/support.h"
#include "support/contexts.h"
#include "support/exhaust.h"
#include "support/guard.h"
#include "plan/plan.h"

enum { MOST = 30000 };

static struct guard guards[3]; /* memory for `a`, `b` and the output */

static int setup(void **state)
{
	for (int k = 0; k < 3; k++)
		guard_make(&guards[k], (size_t)MOST * 16);
	return contexts_setup(state);
}

static int teardown(void **state)
{
	for (int k = 0; k < 3; k++)
		guard_free(&guards[k]);
	return contexts_teardown(state);
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

/* Returns number k of the universe, the list of possible numbers in a set. The first and the last
 * are the extremes of the type. */
static int64_t number(ek_value type, int64_t k, int64_t universe)
{
	if (k == universe - 1)
		return type == EK_INT64 ? INT64_MAX : INT32_MAX;
	if (k == 0)
		return type == EK_INT64 ? INT64_MIN : INT32_MIN;
	return (k - universe / 2) * (type == EK_INT64 ? INT64_C(5000000000) : 7);
}

static void *lay(const struct guard *g, struct rng *r, int64_t n, size_t size)
{
	char *p = guard_lay(g, (int)rng_below(r, 192), (size_t)n * size);

	return p - (uintptr_t)p % size; /* guard_lay aligns to 4 bytes only */
}

/* Calls the operation with the given method. With "auto", the library chooses the method. */
static ek_status call(ek_operation operation, const char *method, ek_context *ctx, ek_value type,
                      const int64_t n[2], void *const set[2], int64_t *count, void *out)
{
	const ek_array_options o = {.size = sizeof o, .method = method};

	if (operation == EK_SET_UNION)
		return ek_set_union(ctx, &o, type, n[0], set[0], n[1], set[1], count, out);
	return ek_set_intersection(ctx, &o, type, n[0], set[0], n[1], set[1], count, out);
}

/* The inputs, and the expected result of each call. Garbage has none: only accesses outside the
 * arrays are faults. */
struct expect {
	ek_value type;
	int64_t n[2];
	void *set[2];
	bool garbage;
	int64_t count[2]; /* size of the union and of the intersection */
	int64_t entry[2][2 * MOST];
};

static void check(const struct expect *e, ek_operation operation, const char *method,
                  ek_context *ctx, struct rng *r)
{
	const bool both = operation == EK_SET_INTERSECTION;
	const int64_t room = !both ? e->n[0] + e->n[1] : e->n[0] < e->n[1] ? e->n[0] : e->n[1];
	const size_t size = ek_value_size(e->type), bytes = (size_t)room * size;
	void *out = lay(&guards[2], r, room, size);
	int64_t count = -1;

	guard_paint(&guards[2], out, bytes);
	expect_status(call(operation, method, ctx, e->type, e->n, e->set, &count, out), EK_OK);
	guard_check(&guards[2], out, bytes);
	assert_true(count >= 0 && count <= room);
	if (e->garbage)
		return;
	for (int64_t i = 0; i < count && i < e->count[both]; i++)
		if (get(e->type, out, i) != e->entry[both][i])
			fail_msg("%s, %s, %d threads: entry %lld of %lld", method,
			         ek_isa_name(ek_context_isa(ctx)), ek_context_threads(ctx),
			         (long long)i, (long long)count);
	assert_int_equal(count, e->count[both]);
}

/* Checks all methods with all instruction sets. */
static void check_all(const struct expect *e, int rare, struct rng *r)
{
	for (int l = 0; l < contexts.levels; l++) {
		check(e, EK_SET_UNION, "auto", contexts_any(l, rare, r), r);
		check(e, EK_SET_INTERSECTION, "auto", contexts_any(l, rare, r), r);
		for (const ek_method *m = NULL; (m = any_processor_method_next(m));)
			if (ek_method_operation(m) == EK_SET_UNION ||
			    ek_method_operation(m) == EK_SET_INTERSECTION)
				check(e, ek_method_operation(m), ek_method_name(m),
				      contexts_any(l, rare, r), r);
	}
}

/* Checks random sets. Each number of the universe is in the first set with probability pa / 1024,
 * and in the second with probability pb / 1024. */
static void compare(int64_t universe, int64_t pa, int64_t pb, int rare, struct rng *r)
{
	static unsigned char in[MOST];
	static struct expect e;
	const ek_value type = rng_next(r) % 2 ? EK_INT64 : EK_INT32;

	e = (struct expect){.type = type};
	for (int64_t k = 0; k < universe; k++) {
		in[k] = (unsigned char)((rng_below(r, 1024) < pa) + 2 * (rng_below(r, 1024) < pb));
		e.n[0] += in[k] & 1;
		e.n[1] += in[k] >> 1;
		if (in[k])
			e.entry[0][e.count[0]++] = number(type, k, universe);
		if (in[k] == 3)
			e.entry[1][e.count[1]++] = number(type, k, universe);
	}
	for (int s = 0; s < 2; s++) {
		int64_t i = 0;

		e.set[s] = e.n[s] || rng_next(r) % 2
		                   ? lay(&guards[s], r, e.n[s], ek_value_size(type))
		                   : NULL;
		for (int64_t k = 0; k < universe; k++)
			if (in[k] >> s & 1)
				put(type, e.set[s], i++, number(type, k, universe));
	}
	check_all(&e, rare, r);
}

static void test_lengths(void **state)
{
	static const int64_t density[] = {0, 1, 30, 512, 1000, 1024};
	struct rng r = {1};

	(void)state;
	for (int64_t n = 0; n <= 1100; n++)
		for (int k = 0; k < 2; k++)
			compare(n, density[rng_below(&r, 6)], density[rng_below(&r, 6)], 10, &r);
	for (int64_t n = 0; n < 120; n++)
		compare(n, 1024, 1024, 10, &r);
	for (int k = 0; k < (test_tier() <= TIER_QUICK ? 50 : 600); k++)
		compare(1 + rng_below(&r, MOST - 1), density[rng_below(&r, 6)],
		        density[rng_below(&r, 6)], 1, &r);
}

/* Tests inputs that do not ascend: only the output may be written, and only the inputs read. */
static void test_garbage(void **state)
{
	static struct expect e;
	struct rng r = {2};

	(void)state;
	for (int k = 0; k < (test_tier() <= TIER_QUICK ? 300 : 4000); k++) {
		e.garbage = true;
		e.type = k % 2 ? EK_INT64 : EK_INT32;
		for (int s = 0; s < 2; s++) {
			e.n[s] = rng_below(&r, 6000);
			e.set[s] = lay(&guards[s], &r, e.n[s], ek_value_size(e.type));
			for (int64_t i = 0; i < e.n[s]; i++)
				put(e.type, e.set[s], i, rng_below(&r, k % 3 ? 4 : 1000));
		}
		check_all(&e, 3, &r);
	}
}

static void test_arguments(void **state)
{
	int32_t a[4] = {1, 2, 3, 4}, b[4] = {2, 9, 10, 11},
		out[8] = {77, 77, 77, 77, 77, 77, 77, 77};
	int64_t count = -5;
	ek_context *ctx = contexts.of[0][0];

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
	void *const set[2] = {a, a};

	for (int k = 0; k < 100; k++)
		a[k] = k;
	return call(ek_method_operation(e->arg), ek_method_name(e->arg), e->ctx, EK_INT32,
	            (const int64_t[]){100, 80}, set, &count, e->room);
}

static void test_memory(void **state)
{
	(void)state;
	for (const ek_method *m = NULL; (m = any_processor_method_next(m));) {
		struct exhaust e = {0};

		if (ek_method_operation(m) != EK_SET_UNION &&
		    ek_method_operation(m) != EK_SET_INTERSECTION)
			continue;
		exhaust_open(&e, 3, m);
		exhaust(&e, ek_method_name(m), exhausted, NULL);
		exhaust_close(&e);
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
	return run_all_tests(tests, setup, teardown);
}
