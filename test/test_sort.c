/* SPDX-License-Identifier: BSD-3-Clause
 * Sorting: all methods of the table, on all types, sizes of values, instruction sets and numbers of
 * threads. Keys are compared as integers that stand for the total order; every value is the place
 * that its key had, so a lost, doubled or mixed-up pair is seen. */
#include "core/ek_core.h"
#include "prim/network.h"
#include "support/exhaust.h"
#include "support/guard.h"
#include "support/random.h"
#include "support/support.h"

enum kind { RANDOM, FEW, ASCENDING, DESCENDING, ORGAN, EQUAL, EXTREME, KINDS };

/* ---- Keys ------------------------------------------------------------------------------------ */

static int64_t order_of(ek_value type, const void *key, int64_t i)
{
	int64_t x;

	if (ek_value_size(type) == 4) {
		int32_t y;

		memcpy(&y, (const char *)key + 4 * i, 4);
		x = y;
	} else {
		memcpy(&x, (const char *)key + 8 * i, 8);
	}
	if (x < 0 && type == EK_F32)
		return x ^ INT32_MAX;
	if (x < 0 && type == EK_F64)
		return x ^ INT64_MAX;
	return x;
}

static void bits_set(ek_value type, void *key, int64_t i, uint64_t bits)
{
	const size_t size = ek_value_size(type);

	memcpy((char *)key + (size_t)i * size, &bits, size);
}

static void extreme_set(ek_value type, void *key, int64_t i, struct rng *r)
{
	static const uint64_t f32[] = {0x7f800000, 0xff800000, 0x7fffffff, 0xffffffff, 0x7fc00001,
	                               0xffc00001, 0,          0x80000000, 1,          0x80000001};
	static const uint64_t f64[] = {UINT64_C(0x7ff0000000000000),
	                               UINT64_C(0xfff0000000000000),
	                               INT64_MAX,
	                               UINT64_MAX,
	                               UINT64_C(0x7ff8000000000001),
	                               UINT64_C(0xfff8000000000001),
	                               0,
	                               UINT64_C(0x8000000000000000),
	                               1,
	                               UINT64_C(0x8000000000000001)};
	const int64_t k = rng_below(r, 10);

	bits_set(type, key, i, ek_value_size(type) == 4 ? f32[k] : f64[k]);
}

static void keys_make(ek_value type, void *key, int64_t n, enum kind kind, struct rng *r)
{
	for (int64_t i = 0; i < n; i++) {
		switch (kind) {
		case RANDOM: bits_set(type, key, i, rng_next(r)); break;
		case FEW: value_set(type, key, i, (double)rng_below(r, 3) - 1); break;
		case ASCENDING: value_set(type, key, i, (double)(i - n / 2)); break;
		case DESCENDING: value_set(type, key, i, (double)(n / 2 - i)); break;
		case ORGAN: value_set(type, key, i, (double)(i < n / 2 ? i : n - i)); break;
		case EQUAL: bits_set(type, key, i, UINT64_C(0x7fffffff7fffffff)); break;
		default: extreme_set(type, key, i, r);
		}
	}
}

static void places_make(size_t vs, void *value, int64_t n)
{
	for (int64_t i = 0; vs && i < n; i++)
		value_set(vs == 4 ? EK_INT32 : EK_INT64, value, i, (double)i);
}

static int order_compare(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* `key` is `before` in order, and values are places of `before`; `stable`: ascending among equals. */
static void check(ek_value type, size_t vs, int64_t n, const void *before, const void *key,
                  const void *value, bool stable)
{
	int64_t *expect = malloc((size_t)(n + 1) * sizeof *expect);
	char *seen = calloc((size_t)n + 1, 1);

	for (int64_t i = 0; i < n; i++)
		expect[i] = order_of(type, before, i);
	qsort(expect, (size_t)n, sizeof *expect, order_compare);
	for (int64_t i = 0, last = 0; i < n; i++) {
		assert_int_equal(order_of(type, key, i), expect[i]);
		if (!vs)
			continue;

		const int64_t from = (int64_t)value_at(vs == 4 ? EK_INT32 : EK_INT64, value, i);

		assert_in_range(from, 0, n - 1);
		assert_false(seen[from]++);
		assert_int_equal(order_of(type, before, from), expect[i]);
		if (stable && i && expect[i - 1] == expect[i])
			assert_true(last < from);
		last = from;
	}
	free(expect);
	free(seen);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static void sort_here(ek_context *ctx, const ek_method *m, ek_value type, size_t vs, int64_t n,
                      void *key, void *value, enum kind kind, struct rng *r)
{
	const ek_array_options o = {.size = sizeof o, .method = ek_method_name(m)};
	const size_t bytes = (size_t)n * ek_value_size(type);
	void *before = malloc(bytes + 1);
	ek_pairs p = ek_key_value(type, vs, n, key, value);

	keys_make(type, key, n, kind, r);
	places_make(vs, value, n);
	memcpy(before, key, bytes);
	expect_status(ek_sort(ctx, &o, &p), EK_OK);
	check(type, vs, n, before, key, value, strcmp(o.method, "sort.serial") == 0);
	free(before);
}

static const ek_method *sort_next(const ek_method *m)
{
	while ((m = ek_method_next(m)) && ek_method_operation(m) != EK_SORT)
		;
	return m;
}

static ek_context *context(int threads, ek_isa isa)
{
	ek_options o = {.size = sizeof o, .threads = threads, .isa_limit = EK_ISA_LIMIT(isa)};
	ek_context *ctx = NULL;

	expect_status(ek_context_create(&o, &ctx), EK_OK);
	ctx->small_work = 0;
	return ctx;
}

/* Every method at every level with every number of threads; `each` gets a generator of its own. */
static void everywhere(void (*each)(ek_context *, const ek_method *, ek_value, size_t,
                                    struct rng *))
{
	ek_isa level[MAX_LEVELS];
	int count[MAX_COUNTS], levels = test_levels(level), counts = test_counts(count);
	struct rng r = {.state = 20};

	for (int l = 0; l < levels; l++) {
		for (int c = 0; c < counts; c++) {
			ek_context *ctx = context(count[c], level[l]);

			for (const ek_method *m = NULL; (m = sort_next(m));)
				for (int type = EK_F32; type <= EK_INT64; type++)
					for (size_t vs = 0; vs <= 8; vs += 4)
						each(ctx, m, (ek_value)type, vs, &r);
			ek_context_destroy(ctx);
		}
	}
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void lengths(ek_context *ctx, const ek_method *m, ek_value type, size_t vs, struct rng *r)
{
	static uint64_t key[1101], value[1101];
	const int step = ek_context_threads(ctx) == 1 ? 1 : test_tier() == TIER_FULL ? 7 : 137;

	for (int64_t n = step == 1 ? 0 : rng_below(r, step); n <= 1100; n += step)
		sort_here(ctx, m, type, vs, n, key, value, (enum kind)(rng_next(r) % KINDS), r);
}

static void test_lengths(void **state)
{
	(void)state;
	everywhere(lengths);
}

/* Beyond a chunk of the networks, and with pieces for each thread. */
static void large(ek_context *ctx, const ek_method *m, ek_value type, size_t vs, struct rng *r)
{
	const int64_t most = test_tier() == TIER_FULL ? 300000 : 30000;
	const int64_t n[] = {2 * EKI_CHUNK, 4 * EKI_CHUNK + 1, rng_below(r, most)};
	uint64_t *key = malloc((size_t)most * 8), *value = malloc((size_t)most * 8);

	for (int k = 0; k < 3; k++)
		sort_here(ctx, m, type, vs, n[k], key, value, (enum kind)(rng_next(r) % KINDS), r);
	free(key);
	free(value);
}

static void test_large(void **state)
{
	(void)state;
	everywhere(large);
}

/* A network that sorts all sequences of 0 and 1 sorts everything (Knuth 5.3.4, theorem Z). */
static void zero_one(ek_context *ctx, const ek_method *m, ek_value type, size_t vs, struct rng *r)
{
	const ek_array_options o = {.size = sizeof o, .method = ek_method_name(m)};
	const int most = test_tier() == TIER_FULL ? 16 : 10;
	uint64_t key[16], value[16];

	(void)r;
	if (ek_context_threads(ctx) > 1 || (type != EK_INT32 && type != EK_INT64))
		return;
	for (int n = 0; n <= most; n++) {
		for (unsigned bits = 0; bits < 1u << n; bits++) {
			const ek_pairs p = ek_key_value(type, vs, n, key, value);
			unsigned seen = 0;
			const int zeros = n - __builtin_popcount(bits);

			for (int i = 0; i < n; i++)
				value_set(type, key, i, (double)(bits >> i & 1));
			places_make(vs, value, n);
			expect_status(ek_sort(ctx, &o, &p), EK_OK);
			for (int i = 0; i < n; i++) {
				assert_int_equal(order_of(type, key, i), i >= zeros);
				if (vs)
					seen |= 1u << (int)value_at(vs == 4 ? EK_INT32 : EK_INT64,
					                            value, i);
			}
			for (int i = 0; vs && i < n; i++) {
				const int from =
					(int)value_at(vs == 4 ? EK_INT32 : EK_INT64, value, i);

				assert_int_equal(bits >> from & 1, i >= zeros);
			}
			if (vs)
				assert_int_equal(seen, (1u << n) - 1);
		}
	}
}

static void test_zero_one(void **state)
{
	(void)state;
	everywhere(zero_one);
}

/* At both ends of readable memory, and at every alignment. */
static struct guard guards[2];

static void edges(ek_context *ctx, const ek_method *m, ek_value type, size_t vs, struct rng *r)
{
	const size_t size = ek_value_size(type);
	static uint64_t key[400], value[400];

	for (int64_t n = 1; n < 300; n += n < 40 ? 3 : 29) {
		sort_here(ctx, m, type, vs, n, guard_at_end(&guards[0], (size_t)n * size),
		          guard_at_end(&guards[1], (size_t)n * (vs ? vs : 1)), RANDOM, r);
		sort_here(ctx, m, type, vs, n, guard_at_begin(&guards[0], (size_t)n * size),
		          guard_at_begin(&guards[1], (size_t)n * (vs ? vs : 1)), EXTREME, r);
	}
	for (size_t shift = 0; shift < 64; shift += size)
		sort_here(ctx, m, type, vs, 300, (char *)key + shift,
		          (char *)value + (vs ? (64 - shift) / vs * vs : 0), RANDOM, r);
}

static void test_edges(void **state)
{
	(void)state;
	for (int k = 0; k < 2; k++)
		guard_make(&guards[k], 8192);
	everywhere(edges);
	for (int k = 0; k < 2; k++)
		guard_free(&guards[k]);
}

/* The kernel that other files use, on its own: all lengths of both runs, floats in and out. */
static void test_merge_run(void **state)
{
	ek_isa level[MAX_LEVELS];
	const int levels = test_levels(level);
	struct rng r = {.state = 3};

	(void)state;
	for (int l = 0; l < levels; l++) {
		ek_context *ctx = context(1, level[l]);

		for (int k = 0; k < 12 * 150; k++) {
			const ek_value type = (ek_value)(1 + k % 4);
			const size_t vs = (size_t)(k / 4 % 3 * 4), size = ek_value_size(type);
			const int64_t n1 = rng_below(&r, k % 5 ? 300 : 3), n2 = rng_below(&r, 300);
			uint64_t in[600], places[600], out[600], value[600];
			const ek_array_options o = {.size = sizeof o, .method = "sort.serial"};
			ek_pairs p = ek_key_value(type, 0, n1, in, NULL);
			char *second = (char *)in + (size_t)n1 * size;

			keys_make(type, in, n1 + n2, (enum kind)(rng_next(&r) % KINDS), &r);
			places_make(vs, places, n1 + n2);
			expect_status(ek_sort(ctx, &o, &p), EK_OK);
			memcpy(out, second, (size_t)n2 * size);
			p = ek_key_value(type, 0, n2, out, NULL);
			expect_status(ek_sort(ctx, &o, &p), EK_OK);
			memcpy(second, out, (size_t)n2 * size);
			eki_merge_run[level[l]][size == 8][vs / 4](n1, in, places, n2, second,
			                                           (char *)places + (size_t)n1 * vs,
			                                           out, value, eki_flip(type));
			check(type, vs, n1 + n2, in, out, value, false);
		}
		ek_context_destroy(ctx);
	}
}

static ek_status exhaust_sort(struct exhaust *e)
{
	ek_pairs p = ek_key_value(EK_F64, 8, 50, e->room, e->room + 400);
	const ek_array_options o = {.size = sizeof o, .method = e->arg};
	ek_status status = ek_sort(e->ctx, &o, &p);

	if (status == EK_OK) {
		memset(e->room, 0, sizeof e->room); /* as it was, for the next round */
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
	for (const ek_method *m = NULL; (m = sort_next(m));) {
		struct exhaust e = {.heap = HEAP_INIT};

		e.ctx = heap_context(&e.heap, 2, EK_ISA_LIMIT(EK_ISA_SCALAR));
		e.arg = ek_method_name(m);
		for (size_t k = 0; k < 800; k++)
			e.room[k] = (unsigned char)(k * 37);
		exhaust(&e, e.arg, exhaust_sort, exhaust_none);
		ek_context_destroy(e.ctx);
		heap_close(&e.heap);
	}
}

static void test_arguments(void **state)
{
	ek_context *ctx = context(1, EK_ISA_AVX512);
	uint64_t key[4] = {3, 2, 1, 0}, value[4] = {0};
	const uint64_t before[4] = {3, 2, 1, 0};
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
	q = p, q.key = (char *)key + 4;
	expect_error(ek_sort(ctx, NULL, &q), EK_EINVAL, "aligned");
	q = p, q.value = NULL;
	expect_error(ek_sort(ctx, NULL, &q), EK_EINVAL, "pairs->value");
	q = p, q.value = key + 3;
	expect_error(ek_sort(ctx, NULL, &q), EK_EINVAL, "overlap");
	expect_error(ek_sort(NULL, NULL, &p), EK_EINVAL, "ctx");
	assert_memory_equal(key, before, sizeof key);
	q = ek_key_value(EK_F32, 4, 0, NULL, NULL);
	expect_status(ek_sort(ctx, NULL, &q), EK_OK);
	expect_status(ek_sort(ctx, NULL, &p), EK_OK);
	assert_int_equal(key[0], 0);
	ek_context_destroy(ctx);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths),   cmocka_unit_test(test_large),
		cmocka_unit_test(test_zero_one),  cmocka_unit_test(test_edges),
		cmocka_unit_test(test_merge_run), cmocka_unit_test(test_failing_allocations),
		cmocka_unit_test(test_arguments),
	};

	(void)argc;
	test_passive_threads(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
