/* SPDX-License-Identifier: BSD-3-Clause
 * Tests sorting by all methods of the table, and by the method that the library chooses, for all
 * types, sizes of values, instruction sets and numbers of threads. Each value is the original
 * position of its key, so a lost, doubled or mixed-up pair is found. */
#include "prim/network.h"
#include "support/contexts.h"
#include "support/exhaust.h"
#include "support/guard.h"
#include "support/inputs.h"
#include "support/support.h"

/* Most sorted pairs. The quick tier sorts fewer, but still several chunks of the networks. */
enum { MOST = 300000 };

static struct guard keys, values;
/* The keys before sorting, and the ranks of these keys in ascending order. */
static uint64_t before[MOST], expected[MOST];

static int setup(void **state)
{
	guard_make(&keys, (size_t)MOST * 8);
	guard_make(&values, (size_t)MOST * 8);
	return contexts_setup(state);
}

static int teardown(void **state)
{
	guard_free(&keys);
	guard_free(&values);
	return contexts_teardown(state);
}

static ek_value values_as(size_t vs)
{
	return vs == 4 ? EK_INT32 : EK_INT64;
}

static void places_make(size_t vs, void *value, int64_t n)
{
	for (int64_t i = 0; vs && i < n; i++)
		bits_set(values_as(vs), value, i, (uint64_t)i);
}

/* Checks that the keys are those of `from` in ascending order, and that each value is the position
 * of its key in `from`. If `stable` is true, the values of equal keys must ascend. */
static void check(const ek_pairs *p, const void *from, bool stable)
{
	static unsigned char seen[MOST];
	uint64_t last = 0;

	memset(seen, 0, (size_t)p->n);
	for (int64_t i = 0; i < p->n; i++) {
		if (rank_of(p->type, bits_at(p->type, p->key, i)) != expected[i])
			fail_msg("key %lld of %lld is wrong", (long long)i, (long long)p->n);
		if (!p->value_size)
			continue;

		const uint64_t v = bits_at(values_as(p->value_size), p->value, i);

		if (v >= (uint64_t)p->n || seen[v]++ ||
		    bits_at(p->type, from, (int64_t)v) != bits_at(p->type, p->key, i))
			fail_msg("value %lld of %lld is wrong", (long long)i, (long long)p->n);
		if (stable && i && expected[i - 1] == expected[i] && v < last)
			fail_msg("the order of equal keys at %lld of %lld", (long long)i,
			         (long long)p->n);
		last = v;
	}
}

static void sort_by(ek_context *ctx, const char *method, int place, ek_pairs p)
{
	const ek_array_options o = {.size = sizeof o, .method = method};
	const size_t size = ek_value_size(p.type), bytes = (size_t)p.n * size,
		     value_bytes = (size_t)p.n * p.value_size;

	p.key = guard_lay(&keys, place, bytes);
	p.value = guard_lay(&values, place / 2, value_bytes);
	/* guard_lay aligns to 4 bytes only; keys and values of 8 bytes need 8. */
	p.key = (char *)p.key - (uintptr_t)p.key % size;
	if (p.value_size)
		p.value = (char *)p.value - (uintptr_t)p.value % p.value_size;
	guard_paint(&keys, p.key, bytes);
	guard_paint(&values, p.value, value_bytes);
	memcpy(p.key, before, bytes);
	places_make(p.value_size, p.value, p.n);
	expect_status(ek_sort(ctx, &o, &p), EK_OK);
	guard_check(&keys, p.key, bytes);
	guard_check(&values, p.value, value_bytes);
	check(&p, before, strcmp(method, "sort.serial") == 0);
}

/* Sorts n pairs by all methods with all instruction sets. The other properties are random. */
static void sort_all(int64_t n, ek_value type, size_t vs, enum input kind, int rare, struct rng *r)
{
	const ek_pairs p = ek_key_value(type, vs, n, NULL, NULL);

	input_make(kind, type, n, r, before);
	ranks_sorted(type, before, n, expected);
	for (int l = 0; l < contexts.levels; l++) {
		sort_by(contexts_any(l, rare, r), "auto", (int)rng_below(r, 192), p);
		for (const ek_method *m = NULL; (m = processor_method_next(m, EK_SORT));)
			sort_by(contexts_any(l, rare, r), ek_method_name(m), (int)rng_below(r, 192),
			        p);
	}
}

static enum input any_input(struct rng *r)
{
	return (enum input)rng_below(r, INPUTS);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

/* Tests all lengths up to 1100, each with a random size of values. Any four successive lengths have
 * four different types. */
static void test_lengths(void **state)
{
	const int times = test_tier() <= TIER_QUICK ? 2 : 24;
	struct rng r = {20};

	(void)state;
	for (int k = 0; k < times; k++)
		for (int64_t n = 0; n <= 1100; n++)
			sort_all(n, (ek_value)(1 + (n + 2 * k) % 4), (size_t)rng_below(&r, 3) * 4,
			         any_input(&r), 20, &r);
}

/* Tests short arrays, which fill vector registers only partly, with all types and sizes of
 * values. */
static void test_short(void **state)
{
	struct rng r = {21};

	(void)state;
	for (int64_t n = 0; n <= 140; n += n < 40 ? 1 : 7)
		for (int type = EK_F32; type <= EK_INT64; type++)
			for (size_t vs = 0; vs <= 8; vs += 4)
				sort_all(n, (ek_value)type, vs, any_input(&r), 20, &r);
}

/* Tests arrays that are longer than a chunk of the networks and have pieces for each thread. */
static void test_large(void **state)
{
	const bool quick = test_tier() <= TIER_QUICK;
	const int64_t most = quick ? 20000 : MOST;
	struct rng r = {22};

	(void)state;
	for (int k = 0; k < (quick ? 12 : 48); k++) {
		const int64_t n[] = {2 * EKI_CHUNK, 4 * EKI_CHUNK + 1, rng_below(&r, most)};

		sort_all(n[k % 3], (ek_value)(1 + k % 4), (size_t)(k / 4 % 3 * 4), any_input(&r), 1,
		         &r);
	}
}

/* Sorts all 0-1 sequences: a network that sorts these sorts everything (Knuth 5.3.4, theorem Z). */
static void zero_one(const char *method, ek_context *ctx, ek_value type, size_t vs)
{
	const ek_array_options o = {.size = sizeof o, .method = method};
	const int most = test_tier() <= TIER_QUICK ? 9 : 16;
	uint64_t key[16], value[16], was[16];

	for (int n = 0; n <= most; n++) {
		for (unsigned bits = 0; bits < 1u << n; bits++) {
			const ek_pairs p = ek_key_value(type, vs, n, key, value);

			for (int i = 0; i < n; i++) {
				value_set(type, was, i, (double)(bits >> i & 1));
				expected[i] = rank_of(type, i >= n - __builtin_popcount(bits));
			}
			memcpy(key, was, sizeof was);
			places_make(vs, value, n);
			expect_status(ek_sort(ctx, &o, &p), EK_OK);
			check(&p, was, false);
		}
	}
}

static void test_zero_one(void **state)
{
	(void)state;
	for (int l = 0; l < contexts.levels; l++)
		for (const ek_method *m = NULL; (m = processor_method_next(m, EK_SORT));)
			for (int k = 0; k < 6; k++)
				zero_one(ek_method_name(m), contexts.of[l][0],
				         k % 2 ? EK_INT64 : EK_INT32, (size_t)(k / 2 * 4));
}

/* Tests the kernel eki_merge_run, which other files use, on sorted runs of random lengths, with
 * keys of all types. */
static void test_merge_run(void **state)
{
	static uint64_t in[600], places[600], out[600], value[600];
	struct rng r = {3};

	(void)state;
	for (int k = 0; k < contexts.levels * 12 * 150; k++) {
		const ek_value type = (ek_value)(1 + k % 4);
		const size_t vs = (size_t)(k / 4 % 3 * 4), size = ek_value_size(type);
		const int64_t n1 = rng_below(&r, k % 5 ? 300 : 3), n2 = rng_below(&r, 300);
		const ek_array_options o = {.size = sizeof o, .method = "sort.serial"};
		const int l = k / 12 % contexts.levels;
		const ek_pairs all = ek_key_value(type, vs, n1 + n2, out, value);
		char *second = (char *)in + (size_t)n1 * size;
		ek_pairs p = ek_key_value(type, 0, n1, in, NULL);

		input_make(any_input(&r), type, n1 + n2, &r, in);
		memmove(out, second, (size_t)n2 * size);
		places_make(vs, places, n1 + n2);
		expect_status(ek_sort(contexts.of[l][0], &o, &p), EK_OK);
		p = ek_key_value(type, 0, n2, out, NULL);
		expect_status(ek_sort(contexts.of[l][0], &o, &p), EK_OK);
		memcpy(second, out, (size_t)n2 * size);
		ranks_sorted(type, in, n1 + n2, expected);
		eki_merge_run[contexts.level[l]][size == 8][vs / 4](
			n1, in, places, n2, second, (char *)places + (size_t)n1 * vs, out, value,
			eki_flip(type));
		check(&all, in, false);
	}
}

static ek_status exhaust_sort(struct exhaust *e)
{
	ek_pairs p = ek_key_value(EK_F64, 8, 50, e->room, e->room + 400);
	const ek_array_options o = {.size = sizeof o, .method = e->arg};
	ek_status status = ek_sort(e->ctx, &o, &p);

	if (status == EK_OK) {
		memset(e->room, 0, sizeof e->room); /* cleared for the next round */
		e->out = e->room;
	}
	return status;
}

static void exhaust_none(struct exhaust *e)
{
	e->out = NULL;
}

static void test_failing_allocations(void **state)
{
	(void)state;
	for (const ek_method *m = NULL; (m = processor_method_next(m, EK_SORT));) {
		struct exhaust e = {.heap = HEAP_INIT};

		/* With so few numbers, only the scalar merge sort allocates memory. */
		e.ctx = heap_context(&e.heap, 2, EK_ISA_LIMIT(EK_ISA_SCALAR));
		e.arg = ek_method_name(m);
		exhaust(&e, e.arg, exhaust_sort, exhaust_none);
		exhaust_close(&e);
	}
}

static void test_arguments(void **state)
{
	ek_context *ctx = contexts.of[0][0];
	uint64_t key[4] = {3, 2, 1, 0}, value[4] = {0};
	const uint64_t was[4] = {3, 2, 1, 0};
	ek_pairs p = ek_key_value(EK_INT64, 8, 4, key, value), q;

	(void)state;
	expect_error(ek_sort(ctx, NULL, NULL), EK_EINVAL, "pairs");
	q = p, q.type = (ek_value)9;
	expect_error(ek_sort(ctx, NULL, &q), EK_EINVAL, "type");
	q = p, q.value_size = 2;
	expect_error(ek_sort(ctx, NULL, &q), EK_EINVAL, "value_size");
	q = p, q.n = -1;
	expect_error(ek_sort(ctx, NULL, &q), EK_EINVAL, "pairs->n");
	q = p, q.n = INT64_MAX;
	expect_error(ek_sort(ctx, NULL, &q), EK_EOVERFLOW, "pairs->n");
	q = p, q.key = NULL;
	expect_error(ek_sort(ctx, NULL, &q), EK_EINVAL, "pairs->key");
	q = p, q.key = (char *)key + 2;
	expect_error(ek_sort(ctx, NULL, &q), EK_EINVAL, "aligned");
	q = p, q.value = NULL;
	expect_error(ek_sort(ctx, NULL, &q), EK_EINVAL, "pairs->value");
	q = p, q.value = key + 3;
	expect_error(ek_sort(ctx, NULL, &q), EK_EINVAL, "overlap");
	expect_error(ek_sort(NULL, NULL, &p), EK_EINVAL, "ctx");
	assert_memory_equal(key, was, sizeof key);
	q = ek_key_value(EK_F32, 4, 0, NULL, NULL);
	expect_status(ek_sort(ctx, NULL, &q), EK_OK);
	expect_status(ek_sort(ctx, NULL, &p), EK_OK);
	assert_int_equal(key[0], 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths),   cmocka_unit_test(test_large),
		cmocka_unit_test(test_zero_one),  cmocka_unit_test(test_short),
		cmocka_unit_test(test_merge_run), cmocka_unit_test(test_failing_allocations),
		cmocka_unit_test(test_arguments),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, setup, teardown);
}
