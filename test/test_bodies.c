/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the primitives in src/prim_body/, which kernels include, against plain loops, for lengths
 * up to 300. Arrays and scratch are between guard pages, and have exactly the lengths that the
 * primitives ask for. Scratch is poisoned. */
#include "plan/plan.h"
#include "prim/counters.h"
#include "prim_body/heap_sort.h"
#include "prim_body/radix.h"
#include "prim_body/search.h"
#include "prim_body/sort.h"
#include "support/contexts.h"
#include "support/guard.h"
#include "support/random.h"
#include "support/support.h"

enum { MOST = 300, VALUE = 16 };

static struct guard keys, values, key_scratch, value_scratch;

static int setup(void **state)
{
	guard_make(&keys, MOST * 8);
	guard_make(&values, MOST * VALUE);
	guard_make(&key_scratch, MOST * 8);
	guard_make(&value_scratch, MOST * VALUE);
	return contexts_setup(state);
}

static int teardown(void **state)
{
	guard_free(&keys);
	guard_free(&values);
	guard_free(&key_scratch);
	guard_free(&value_scratch);
	return contexts_teardown(state);
}

/* ---- Searches -------------------------------------------------------------------------------- */

static void check_bounds(const int32_t *narrow, const int64_t *wide, int64_t n, int64_t x)
{
	int64_t lower = 0, upper = 0;

	while (lower < n && narrow[lower] < x)
		lower++;
	while (upper < n && narrow[upper] <= x)
		upper++;
	assert_int_equal(eki_lower_bound(narrow, 0, n, x), lower);
	assert_int_equal(eki_lower_bound(wide, 0, n, x), lower);
	assert_int_equal(eki_upper_bound(narrow, 0, n, x), upper);
	assert_int_equal(eki_upper_bound(wide, 0, n, x), upper);
	for (int64_t from = 0; from <= lower; from += 1 + lower / 7) {
		assert_int_equal(eki_gallop_bound(narrow, from, n, x), lower);
		assert_int_equal(eki_gallop_bound(wide, from, n, x), lower);
	}
}

static void test_bounds(void **state)
{
	struct rng r = {1};

	(void)state;
	for (int64_t n = 0; n <= MOST; n += n < 40 ? 1 : 37) {
		int32_t *narrow = guard_at_end(&keys, (size_t)n * sizeof *narrow);
		int64_t *wide = guard_at_end(&values, (size_t)n * sizeof *wide), now = -5;

		for (int64_t i = 0; i < n; i++) {
			now += rng_below(&r, 3);
			narrow[i] = (int32_t)now;
			wide[i] = now;
		}
		for (int64_t x = -7; x <= now + 2; x++)
			check_bounds(narrow, wide, n, x);
		check_bounds(narrow, wide, n, INT64_MIN);
		check_bounds(narrow, wide, n, INT64_MAX);
	}
}

struct lists {
	const int32_t *a, *b;
	int64_t d;
};

static bool comes_before(const void *of, int64_t i)
{
	const struct lists *l = of;

	return l->a[i] <= l->b[l->d - i - 1];
}

static void check_path(const int32_t *a, int64_t an, const int32_t *b, int64_t bn)
{
	for (int64_t d = 0, i = 0; d <= an + bn; d++) {
		const struct lists l = {a, b, d};

		assert_int_equal(eki_merge_path(an, bn, d, comes_before, &l), i);
		i += i < an && (d - i >= bn || a[i] <= b[d - i]);
	}
}

static void test_merge_path(void **state)
{
	struct rng r = {2};

	(void)state;
	for (int64_t an = 0; an <= 24; an++)
		for (int64_t bn = 0; bn <= 24; bn++) {
			int32_t *a = guard_at_end(&keys, (size_t)an * sizeof *a);
			int32_t *b = guard_at_end(&values, (size_t)bn * sizeof *b);

			for (int64_t i = 0, now = 0; i < an; i++)
				a[i] = (int32_t)(now += rng_below(&r, 3));
			for (int64_t j = 0, now = 0; j < bn; j++)
				b[j] = (int32_t)(now += rng_below(&r, 3));
			check_path(a, an, b, bn);
		}
}

/* ---- Sorts ----------------------------------------------------------------------------------- */

static const eki_pair_kind kinds[] = {{4, 0, false}, {4, 4, false}, {4, 8, false}, {4, 16, false},
                                      {8, 0, false}, {8, 4, false}, {8, 8, false}, {8, 16, false},
                                      {4, 4, true},  {8, 8, true}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* number[i]: the key of pair i before sorting. place[k]: the pair that a stable sort puts at k. */
static int64_t number[MOST], place[MOST];

static int64_t number_of(int order, int64_t n, int64_t i, struct rng *r)
{
	switch (order) {
	case 0: return rng_below(r, 2 * n) - n; /* random keys, some of them equal */
	case 1: return i;
	case 2: return -i;
	case 3: return rng_below(r, 3) - 1;
	case 4: return i % 40; /* ascending runs */
	default: return i + rng_below(r, 8);
	}
}

/* Writes key `v` to `to`, as v / 2 if keys are floats. Sorts must flip bits of negative floats. */
static void key_put(eki_pair_kind of, int64_t v, char *to)
{
	const float f32 = (float)v / 2;
	const double f64 = (double)v / 2;
	const int32_t i32 = (int32_t)v;

	if (of.key == 4)
		memcpy(to, of.flip ? (const void *)&f32 : &i32, 4);
	else
		memcpy(to, of.flip ? (const void *)&f64 : &v, 8);
}

/* Writes the value of pair i to `to`. */
static void value_put(eki_pair_kind of, int64_t i, char *to)
{
	char value[VALUE];

	memset(value, (int)(i % 251), sizeof value);
	memcpy(value, &(int32_t){(int32_t)i}, 4);
	memcpy(to, value, (size_t)of.value);
}

static eki_pair_at run_lay(const struct guard *k, const struct guard *v, int64_t n, eki_pair_kind of)
{
	return (eki_pair_at){guard_at_end(k, (size_t)(n * of.key)),
	                 guard_at_end(v, (size_t)(n * of.value))};
}

/* Makes n pairs, and sets `number` and `place` for them. */
static eki_pair_at pairs_make(eki_pair_kind of, int64_t n, int order, struct rng *r)
{
	const eki_pair_at p = run_lay(&keys, &values, n, of);

	for (int64_t i = 0; i < n; i++) {
		int64_t k = i;

		number[i] = number_of(order, n, i, r);
		key_put(of, number[i], (char *)p.key + i * of.key);
		value_put(of, i, p.value + i * of.value);
		for (; k > 0 && number[place[k - 1]] > number[i]; k--)
			place[k] = place[k - 1];
		place[k] = i;
	}
	return p;
}

static void pairs_check(eki_pair_at p, int64_t n, eki_pair_kind of, const char *what)
{
	char key[8], value[VALUE];

	for (int64_t k = 0; k < n; k++) {
		key_put(of, number[place[k]], key);
		value_put(of, place[k], value);
		if (memcmp((char *)p.key + k * of.key, key, (size_t)of.key) != 0 ||
		    memcmp(p.value + k * of.value, value, (size_t)of.value) != 0)
			fail_msg("%s: keys of %d bytes, values of %d: %lld of %lld is wrong", what,
			         (int)of.key, (int)of.value, (long long)k, (long long)n);
	}
}

static void check_sort(eki_pair_kind of, int64_t n, int order, struct rng *r)
{
	const int64_t room = eki_sort_scratch(n);
	const eki_pair_at p = pairs_make(of, n, order, r);
	const eki_pair_at scratch = run_lay(&key_scratch, &value_scratch, room, of);
	bool ascends = true;

	for (int64_t i = 1; i < n; i++)
		ascends &= number[i - 1] <= number[i];
	assert_int_equal(eki_ascends(n, p, of), ascends);
	memset(key_scratch.begin, 0x5a, key_scratch.size);
	memset(value_scratch.begin, 0x5a, value_scratch.size);
	eki_sort_pairs(n, p, room ? scratch : (eki_pair_at){NULL, NULL}, of);
	pairs_check(p, n, of, "sort");
}

static void test_sort(void **state)
{
	struct rng r = {3};

	(void)state;
	for (int k = 0; k < KINDS; k++)
		for (int64_t n = 0; n <= MOST; n += n < 120 ? 1 : 7)
			for (int order = 0; order < 6; order++)
				check_sort(kinds[k], n, order, &r);
}

/* Tests heap sort, which is not stable, on pairs without values or with different keys. */
static void test_heap_sort(void **state)
{
	struct rng r = {4};

	(void)state;
	for (int k = 0; k < KINDS; k++)
		for (int64_t n = 0; n <= MOST; n += kinds[k].value ? 13 : 1)
			for (int order = 0; order < 6; order++) {
				const int o = kinds[k].value ? 1 + order % 2 : order;
				const eki_pair_at p = pairs_make(kinds[k], n, o, &r);

				eki_heap_sort(n, p, kinds[k]);
				pairs_check(p, n, kinds[k], "heap sort");
			}
}

static void test_merge(void **state)
{
	struct rng r = {6};

	(void)state;
	for (int64_t an = 0; an <= 40; an++)
		for (int64_t bn = 0; bn <= 40; bn++) {
			const eki_pair_kind of = kinds[(an + bn) % KINDS];
			const eki_pair_at p = pairs_make(of, an + bn, 0, &r);
			const eki_pair_at to = run_lay(&key_scratch, &value_scratch, an + bn, of);

			eki_insertion_sort(an, p, of);
			eki_insertion_sort(bn, eki_run_at(p, an, of), of);
			eki_merge_runs(p, an, bn, to, of);
			pairs_check(to, an + bn, of, "merge");
		}
}

/* ---- Counting -------------------------------------------------------------------------------- */

static void test_sums(void **state)
{
	(void)state;
	for (int64_t n = 0; n <= MOST; n++) {
		int32_t *narrow = guard_at_end(&keys, (size_t)n * sizeof *narrow);
		int64_t *wide = guard_at_end(&values, (size_t)n * sizeof *wide), sum = 0;

		for (int64_t i = 0; i < n; i++)
			sum += wide[i] = narrow[i] = (int32_t)(i * 7 % 11);
		assert_int_equal(eki_exclusive_sum(narrow, n), sum);
		assert_int_equal(eki_exclusive_sum(wide, n), sum);
		for (int64_t i = 0, before = 0; i < n; i++) {
			assert_int_equal(narrow[i], before);
			assert_int_equal(wide[i], before);
			before += i * 7 % 11;
			wide[i] = narrow[i] = (int32_t)(i * 7 % 11);
		}
		eki_inclusive_sum(narrow, n);
		eki_inclusive_sum(wide, n);
		for (int64_t i = 0, upto = 0; i < n; i++) {
			upto += i * 7 % 11;
			assert_int_equal(narrow[i], upto);
			assert_int_equal(wide[i], upto);
		}
	}
}

struct digits {
	const int32_t *from;
	int32_t *to;
};

static int64_t digit(const void *of, int64_t e)
{
	return ((const struct digits *)of)->from[e] / 1000;
}

static void put(const void *of, int64_t e, int64_t to)
{
	const struct digits *d = of;

	d->to[to] = d->from[e];
}

/* Sorts numbers 1000 d + i, where d is the digit of number i: a stable pass sorts them all. */
static void test_radix(void **state)
{
	struct rng r = {7};

	(void)state;
	for (int64_t n = 0; n <= MOST; n++)
		for (int64_t count = 1; count <= 64; count *= 4) {
			const struct digits d = {guard_at_end(&keys, (size_t)n * 4),
			                         guard_at_end(&values, (size_t)n * 4)};
			int64_t *at = guard_at_end(&key_scratch, (size_t)count * sizeof *at);

			for (int64_t i = 0; i < n; i++)
				((int32_t *)(uintptr_t)d.from)[i] =
					(int32_t)(1000 * rng_below(&r, count) + i);
			eki_radix_pass(n, count, at, digit, put, &d);
			for (int64_t i = 1; i < n; i++)
				assert_true(d.to[i - 1] < d.to[i]);
		}
}

/* Counts entries by key in several parts. Each entry must be placed after all entries of smaller
 * keys, and after the earlier entries of its own key. */
static void check_counters(const ek_context *ctx, int64_t n, int parts, size_t size, struct rng *r)
{
	enum { EACH = 50 };
	const int64_t all = EACH * parts;
	int64_t *key = calloc((size_t)all, sizeof *key), *to = calloc((size_t)all, sizeof *to);
	eki_counters c = {.n = n, .size = size, .parts = parts};

	c.own = calloc((size_t)(eki_counters_len(&c) + 1), size);
	c.begin = calloc((size_t)n + 1, size);
	for (int part = 0; part < parts; part++) {
		void *count = eki_counters_clear(&c, part);

		for (int64_t e = EACH * part; n && e < EACH * (part + 1); e++) {
			key[e] = rng_below(r, n);
			if (size == 4)
				((int32_t *)count)[key[e]]++;
			else
				((int64_t *)count)[key[e]]++;
		}
	}
	eki_counters_scan(ctx, &c, ctx->threads);
	for (int part = 0; part < parts; part++)
		for (int64_t e = EACH * part; n && e < EACH * (part + 1); e++) {
			void *next = eki_counters_of(&c, part);

			to[size == 4 ? ((int32_t *)next)[key[e]]++ : ((int64_t *)next)[key[e]]++] =
				e;
		}
	for (int64_t p = 1; n && p < all; p++)
		assert_true(key[to[p - 1]] < key[to[p]] ||
		            (key[to[p - 1]] == key[to[p]] && to[p - 1] < to[p]));
	for (int64_t i = 0, p = 0; n && i <= n; i++) {
		while (p < all && key[to[p]] < i)
			p++;
		assert_int_equal(size == 4 ? ((int32_t *)c.begin)[i] : ((int64_t *)c.begin)[i], p);
	}
	free(key);
	free(to);
	free(c.own);
	free(c.begin);
}

static void test_counters(void **state)
{
	struct rng r = {8};

	(void)state;
	for (int64_t n = 0; n <= MOST; n += n < 20 ? 1 : 31)
		for (int parts = 1; parts <= 5; parts++)
			check_counters(contexts_turn((int)n + parts), n, parts, 4 + 4 * (n % 2),
			               &r);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bounds), cmocka_unit_test(test_merge_path),
		cmocka_unit_test(test_sort),   cmocka_unit_test(test_heap_sort),
		cmocka_unit_test(test_merge),  cmocka_unit_test(test_sums),
		cmocka_unit_test(test_radix),  cmocka_unit_test(test_counters),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, setup, teardown);
}
