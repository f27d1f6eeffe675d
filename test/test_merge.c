/* SPDX-License-Identifier: BSD-3-Clause
 * Every merge of the table against a merge of this file: keys bit for bit, values in order, or, of
 * the networks, each once and with its key. Arrays lie between guard pages at all alignments. */
#include "support/support.h"
#include "support/exhaust.h"
#include "support/guard.h"
#include "support/random.h"
#include "core/ek_core.h"

enum { MOST = 40000, CONTEXTS = MAX_LEVELS * MAX_COUNTS };

enum kind { RANDOM, FEW, EQUAL, EXTREME, BELOW, ABOVE, KINDS };

/* Arrays of keys and of values: of a, of b, of the result, and what it should be. */
struct arena {
	struct guard key[3], value[3];
	unsigned char *expected_key, *expected_value;
};

static struct arena arena;
static ek_context *contexts[CONTEXTS];
static int context_count;

static int setup(void **state)
{
	ek_isa level[MAX_LEVELS];
	int count[MAX_COUNTS], levels = test_levels(level), counts = test_counts(count);

	(void)state;
	for (int k = 0; k < 3; k++) {
		guard_make(&arena.key[k], (size_t)MOST * 8);
		guard_make(&arena.value[k], (size_t)MOST * 8);
	}
	arena.expected_key = malloc((size_t)MOST * 8);
	arena.expected_value = malloc((size_t)MOST * 8);
	for (int l = 0; l < levels; l++) {
		for (int c = 0; c < counts; c++) {
			ek_options o = {.size = sizeof o,
			                .threads = count[c],
			                .isa_limit = EK_ISA_LIMIT(level[l])};
			ek_context *ctx = NULL;

			expect_status(ek_context_create(&o, &ctx), EK_OK);
			ctx->small_work = 0;
			contexts[context_count++] = ctx;
		}
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (int k = 0; k < 3; k++) {
		guard_free(&arena.key[k]);
		guard_free(&arena.value[k]);
	}
	free(arena.expected_key);
	free(arena.expected_value);
	for (int k = 0; k < context_count; k++)
		ek_context_destroy(contexts[k]);
	return 0;
}

/* ---- Keys and their order, apart from the library's ------------------------------------------- */

static int64_t bits_at(ek_value type, const void *key, int64_t i)
{
	int32_t narrow;
	int64_t wide;

	if (ek_value_size(type) == 8) {
		memcpy(&wide, (const char *)key + 8 * i, 8);
		return wide;
	}
	memcpy(&narrow, (const char *)key + 4 * i, 4);
	return narrow;
}

/* A number of the order of the keys: of floats with the sign set, larger bits come first. */
static int64_t rank_at(ek_value type, const void *key, int64_t i)
{
	const int64_t bits = bits_at(type, key, i);

	if (bits >= 0 || type == EK_INT32 || type == EK_INT64)
		return bits;
	return type == EK_F32 ? -1 - (bits & INT32_MAX) : -1 - (bits & INT64_MAX);
}

static void key_put(ek_value type, void *key, int64_t i, int64_t bits)
{
	const int32_t narrow = (int32_t)(uint32_t)(uint64_t)bits;

	if (ek_value_size(type) == 8)
		memcpy((char *)key + 8 * i, &bits, 8);
	else
		memcpy((char *)key + 4 * i, &narrow, 4);
}

static int64_t key_bits(ek_value type, enum kind kind, bool second, struct rng *r)
{
	static const float odd32[] = {NAN, -NAN, INFINITY, -INFINITY, 0, -0.0f, 1, -1};
	static const double odd64[] = {NAN, -NAN, INFINITY, -INFINITY, 0, -0.0, 1, -1};
	const bool wide = ek_value_size(type) == 8;
	const int odd = (int)rng_below(r, 8);
	char text[8] = {0};

	switch (kind) {
	case FEW: return rng_below(r, 5) - 2;
	case EQUAL: return 7;
	case EXTREME:
		if (rng_next(r) % 2)
			return odd % 2 ? INT64_MAX - odd / 2 : INT64_MIN + odd / 2;
		if (rng_next(r) % 2)
			return odd % 2 ? INT32_MAX - odd / 2 : INT32_MIN + odd / 2;
		memcpy(text, wide ? (const void *)&odd64[odd] : (const void *)&odd32[odd],
		       wide ? 8 : 4);
		return bits_at(type, text, 0);
	case BELOW: return rng_below(r, 1000) + (second ? 1000 : 0);
	case ABOVE: return rng_below(r, 1000) + (second ? 0 : 1000);
	case RANDOM:
	case KINDS: break;
	}
	return (int64_t)rng_next(r);
}

static ek_value sort_type;
static int by_rank(const void *a, const void *b)
{
	const int64_t x = rank_at(sort_type, a, 0), y = rank_at(sort_type, b, 0);

	return (x > y) - (x < y);
}

static void fill(ek_value type, enum kind kind, bool second, int64_t batch, int64_t n, void *key,
                 bool sorted, struct rng *r)
{
	const size_t size = ek_value_size(type);

	for (int64_t i = 0; i < batch * n; i++)
		key_put(type, key, i, key_bits(type, kind, second, r));
	sort_type = type;
	for (int64_t k = 0; k < batch && n && sorted; k++)
		qsort((char *)key + (size_t)(k * n) * size, (size_t)n, size, by_rank);
}

/* ---- One case -------------------------------------------------------------------------------- */

struct test {
	const ek_method *method;
	ek_context *ctx;
	ek_value type;
	size_t values;
	int64_t batch;
	enum kind kind;
	bool sorted;
	int place;
	ek_pairs a, b, out;
};

static bool stable(const ek_method *m)
{
	static const char *const networks[] = {"merge.bitonic", "merge.oddeven", "merge.simd"};

	for (int k = 0; k < 3; k++)
		if (strcmp(ek_method_name(m), networks[k]) == 0)
			return false;
	return true;
}

/* An array at the end of its pages, at their beginning, or a few entries behind that. */
static void *lay(const struct guard *g, int place, int64_t n, size_t size)
{
	const size_t bytes = (size_t)n * size;

	if (place % 3 == 0)
		return guard_at_end(g, bytes);
	return (char *)guard_at_begin(g, bytes) +
	       (place % 3 == 2 && bytes + 64 <= g->size ? (size_t)(place / 3) % 16 * 4 / size * size
	                                                : 0);
}

static void value_put(void *value, int64_t i, size_t size, int64_t to)
{
	key_put(size == 8 ? EK_INT64 : EK_INT32, value, i, to);
}

static void prepare(struct test *t, int64_t an, int64_t bn, struct rng *r)
{
	const int64_t n[3] = {t->batch * an, t->batch * bn, t->batch * (an + bn)};
	ek_pairs *p[3] = {&t->a, &t->b, &t->out};

	for (int k = 0; k < 3; k++) {
		void *key = lay(&arena.key[k], t->place + k, n[k], ek_value_size(t->type));
		void *value =
			t->values ? lay(&arena.value[k], t->place / 2 + k, n[k], t->values) : NULL;

		memset(arena.key[k].begin, 0x5a, arena.key[k].size);
		memset(arena.value[k].begin, 0x5a, arena.value[k].size);
		*p[k] = ek_key_value(t->type, t->values, k == 0 ? an : bn, key, value);
		for (int64_t i = 0; t->values && k < 2 && i < n[k]; i++)
			value_put(value, i, t->values, k * MOST + i);
	}
	fill(t->type, t->kind, false, t->batch, an, t->a.key, t->sorted, r);
	fill(t->type, t->kind, true, t->batch, bn, t->b.key, t->sorted, r);
}

static void expect_merge(const struct test *t)
{
	const int64_t an = t->a.n, bn = t->b.n;

	for (int64_t k = 0; k < t->batch; k++) {
		int64_t i = k * an, j = k * bn;

		for (int64_t o = k * (an + bn); o < (k + 1) * (an + bn); o++) {
			const bool first =
				j == (k + 1) * bn ||
				(i < (k + 1) * an &&
			         rank_at(t->type, t->a.key, i) <= rank_at(t->type, t->b.key, j));
			const ek_pairs *from = first ? &t->a : &t->b;
			const int64_t at = first ? i++ : j++;

			key_put(t->type, arena.expected_key, o, bits_at(t->type, from->key, at));
			if (t->values)
				value_put(arena.expected_value, o, t->values,
				          (first ? 0 : MOST) + at);
		}
	}
}

/* Each value once, in the result of its merge, with the key that it came with. */
static void check_values(const struct test *t, bool ordered)
{
	static unsigned char seen[2 * MOST];
	const ek_value type = t->values == 8 ? EK_INT64 : EK_INT32;
	const int64_t n = t->a.n + t->b.n;

	memset(seen, 0, sizeof seen);
	for (int64_t o = 0; o < t->batch * n; o++) {
		const int64_t v = bits_at(type, t->out.value, o), i = v % MOST;
		const bool second = v >= MOST;
		const ek_pairs *from = second ? &t->b : &t->a;

		assert_true(v >= 0 && v < 2 * MOST && !seen[v]);
		seen[v] = 1;
		assert_true(i / from->n == o / n);
		assert_true(bits_at(t->type, from->key, i) == bits_at(t->type, t->out.key, o));
		if (ordered)
			assert_true(v == bits_at(type, arena.expected_value, o));
	}
}

/* What lies beside the result is as it was. */
static void check_beside(const struct guard *g, const void *array, int64_t n, size_t size)
{
	const char *begin = array, *end = begin + (size_t)n * size;

	for (const char *p = g->begin; p < begin; p++)
		assert_true(*p == 0x5a);
	for (const char *p = end; p < g->begin + g->size && p < end + 256; p++)
		assert_true(*p == 0x5a);
}

static void check(struct test *t)
{
	const ek_array_options o = {.size = sizeof o, .method = ek_method_name(t->method)};
	const int64_t n = t->batch * (t->a.n + t->b.n);

	expect_status(ek_merge(t->ctx, &o, t->batch, &t->a, &t->b, &t->out), EK_OK);
	check_beside(&arena.key[2], t->out.key, n, ek_value_size(t->type));
	if (t->values)
		check_beside(&arena.value[2], t->out.value, n, t->values);
	if (!t->sorted)
		return;
	expect_merge(t);
	if (n && memcmp(t->out.key, arena.expected_key, (size_t)n * ek_value_size(t->type)) != 0)
		fail_msg("%s, %s, values of %zu bytes: keys of %lld merges of %lld and %lld",
		         ek_method_name(t->method), ek_value_name(t->type), t->values,
		         (long long)t->batch, (long long)t->a.n, (long long)t->b.n);
	if (t->values)
		check_values(t, stable(t->method));
}

/* All methods on lengths an and bn; the rest of the case is drawn by lot. */
static void lengths(int64_t an, int64_t bn, int64_t batch, bool sorted, struct rng *r)
{
	for (const ek_method *m = NULL; (m = ek_method_next(m));) {
		struct test t = {.method = m,
		                 .ctx = contexts[rng_below(r, context_count)],
		                 .type = (ek_value)(1 + rng_below(r, 4)),
		                 .values = (size_t)rng_below(r, 3) * 4,
		                 .batch = batch,
		                 .kind = (enum kind)rng_below(r, KINDS),
		                 .sorted = sorted,
		                 .place = (int)rng_below(r, 3 * 64)};

		if (ek_method_operation(m) != EK_MERGE)
			continue;
		prepare(&t, an, bn, r);
		check(&t);
	}
}

static void test_short(void **state)
{
	const int times = test_tier() == TIER_QUICK ? 1 : 8;
	struct rng r = {1};

	(void)state;
	for (int k = 0; k < times; k++)
		for (int64_t an = 0; an <= 70; an++)
			for (int64_t bn = 0; bn <= 70; bn++)
				lengths(an, bn, 1, true, &r);
}

static void test_long(void **state)
{
	const int times = test_tier() == TIER_QUICK ? 1 : 6;
	struct rng r = {2};

	(void)state;
	for (int k = 0; k < times; k++) {
		for (int64_t n = 0; n <= 1100; n++) {
			lengths(n, n, 1, true, &r);
			lengths(n, rng_below(&r, 1101), 1, true, &r);
		}
		for (int big = 0; big < 12; big++)
			lengths(rng_below(&r, MOST / 2), rng_below(&r, MOST / 2), 1, true, &r);
		lengths(1, MOST - 1, 1, true, &r);
		lengths(MOST - 3, 3, 1, true, &r);
	}
}

static void test_batch(void **state)
{
	const int times = test_tier() == TIER_QUICK ? 400 : 4000;
	struct rng r = {3};

	(void)state;
	for (int k = 0; k < times; k++) {
		const int64_t an = rng_below(&r, 90), bn = k % 2 ? an : rng_below(&r, 90);

		lengths(an, bn, rng_below(&r, MOST / 90 / 2), true, &r);
	}
}

/* Any order of inputs: nothing beyond the arrays is read or written. */
static void test_unsorted(void **state)
{
	const int times = test_tier() == TIER_QUICK ? 300 : 3000;
	struct rng r = {4};

	(void)state;
	for (int k = 0; k < times; k++)
		lengths(rng_below(&r, 700), rng_below(&r, 700), 1 + rng_below(&r, 5), false, &r);
}

static void test_default(void **state)
{
	struct rng r = {5};
	struct test t = {.ctx = contexts[context_count - 1],
	                 .type = EK_F32,
	                 .values = 8,
	                 .batch = 3,
	                 .kind = FEW,
	                 .sorted = true};

	(void)state;
	prepare(&t, 1000, 1700, &r);
	expect_status(ek_merge(t.ctx, NULL, t.batch, &t.a, &t.b, &t.out), EK_OK);
	expect_merge(&t);
	check_values(&t, true);
}

static void test_arguments(void **state)
{
	int32_t x[8] = {1, 3, 5, 7}, y[8] = {2, 4}, v[8] = {0}, out[8] = {99, 99, 99, 99, 99, 99};
	ek_pairs a = ek_key_value(EK_INT32, 0, 4, x, NULL),
		 b = ek_key_value(EK_INT32, 0, 2, y, NULL);
	ek_pairs c = ek_key_value(EK_INT32, 0, 0, out, NULL), bad;
	ek_context *ctx = contexts[0];

	(void)state;
	expect_error(ek_merge(ctx, NULL, 1, NULL, &b, &c), EK_EINVAL, "a is NULL");
	expect_error(ek_merge(ctx, NULL, 1, &a, NULL, &c), EK_EINVAL, "b is NULL");
	expect_error(ek_merge(ctx, NULL, 1, &a, &b, NULL), EK_EINVAL, "out is NULL");
	expect_error(ek_merge(ctx, NULL, -1, &a, &b, &c), EK_EINVAL, "batch is -1");
	expect_error(ek_merge(ctx, NULL, INT64_MAX / 8, &a, &b, &c), EK_EOVERFLOW, "merges of 6");
	bad = a, bad.type = (ek_value)9;
	expect_error(ek_merge(ctx, NULL, 1, &bad, &b, &c), EK_EINVAL, "type is 9");
	expect_error(ek_merge(ctx, NULL, 1, &a, &bad, &c), EK_EINVAL, "b->type");
	expect_error(ek_merge(ctx, NULL, 1, &a, &b, &bad), EK_EINVAL, "out->type");
	bad = a, bad.value_size = 3;
	expect_error(ek_merge(ctx, NULL, 1, &bad, &b, &c), EK_EINVAL, "value_size is 3");
	bad.value_size = 4, bad.value = v;
	expect_error(ek_merge(ctx, NULL, 1, &bad, &b, &c), EK_EINVAL, "b->value_size");
	bad = a, bad.n = -4;
	expect_error(ek_merge(ctx, NULL, 1, &bad, &b, &c), EK_EINVAL, "a->n is -4");
	expect_error(ek_merge(ctx, NULL, 1, &b, &bad, &c), EK_EINVAL, "b->n is -4");
	bad = a, bad.key = NULL;
	expect_error(ek_merge(ctx, NULL, 1, &bad, &b, &c), EK_EINVAL, "a->key is NULL");
	bad = c, bad.key = (char *)out + 1;
	expect_error(ek_merge(ctx, NULL, 1, &a, &b, &bad), EK_EINVAL, "out->key lies");
	bad = c, bad.key = x;
	expect_error(ek_merge(ctx, NULL, 1, &a, &b, &bad), EK_EINVAL,
	             "a->key and out->key overlap");
	bad.key = y + 1;
	expect_error(ek_merge(ctx, NULL, 1, &a, &b, &bad), EK_EINVAL,
	             "b->key and out->key overlap");
	a.value_size = b.value_size = c.value_size = 4;
	a.value = v, b.value = v + 4, c.value = out;
	expect_error(ek_merge(ctx, NULL, 1, &a, &b, &c), EK_EINVAL, "out->key and out->value");
	c.value = v + 3;
	expect_error(ek_merge(ctx, NULL, 1, &a, &b, &c), EK_EINVAL, "->value and out->value");
	a.value = NULL;
	expect_error(ek_merge(ctx, NULL, 1, &a, &b, &c), EK_EINVAL, "a->value is NULL");
	for (int i = 0; i < 6; i++)
		assert_int_equal(out[i], 99);
	expect_status(ek_merge(ctx, NULL, 0, &a, &b, &c), EK_OK);
	a.n = b.n = 0;
	expect_status(ek_merge(ctx, NULL, 1000, &a, &b, &c), EK_OK);
}

static ek_status exhausted(struct exhaust *e)
{
	static const int32_t a[100], b[80];
	const ek_pairs pa = ek_key_value(EK_INT32, 0, 100, a, NULL);
	const ek_pairs pb = ek_key_value(EK_INT32, 0, 80, b, NULL);
	const ek_pairs out = ek_key_value(EK_INT32, 0, 0, e->room, NULL);
	const ek_array_options o = {.size = sizeof o, .method = e->arg};

	return ek_merge(e->ctx, &o, 1, &pa, &pb, &out);
}

static void test_memory(void **state)
{
	(void)state;
	for (const ek_method *m = NULL; (m = ek_method_next(m));) {
		struct exhaust e = {.heap = HEAP_INIT, .arg = ek_method_name(m)};

		if (ek_method_operation(m) != EK_MERGE)
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
		cmocka_unit_test(test_short),   cmocka_unit_test(test_long),
		cmocka_unit_test(test_batch),   cmocka_unit_test(test_unsorted),
		cmocka_unit_test(test_default), cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_memory),
	};

	(void)argc;
	test_passive_threads(argv);
	return cmocka_run_group_tests(tests, setup, teardown);
}
