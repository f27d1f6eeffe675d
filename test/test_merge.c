/* SPDX-License-Identifier: BSD-3-Clause
 * Compares every merge of the table, and the merge that the library chooses, with a simple merge in
 * this file. Keys must be the same bit for bit, and values in the same order. Networks are not
 * stable: with them, each value must occur once, with its key. Arrays are between guard pages, at
 * all alignments. */
#include "plan/plan.h"
#include "support/contexts.h"
#include "support/exhaust.h"
#include "support/guard.h"
#include "support/inputs.h"
#include "support/support.h"

enum { MOST = 40000 };

/* How keys of `a` compare with those of `b`: mixed, all below, or all above. */
enum mix { MIXED, A_BELOW, B_BELOW, MIXES };

/* Memory for the keys and values of `a`, `b` and the result; then the expected keys and values. */
static struct guard guards[3], value_guards[3];
static uint64_t expected_key[MOST], expected_value[MOST];

static int setup(void **state)
{
	for (int k = 0; k < 3; k++) {
		guard_make(&guards[k], (size_t)MOST * 8);
		guard_make(&value_guards[k], (size_t)MOST * 8);
	}
	return contexts_setup(state);
}

static int teardown(void **state)
{
	for (int k = 0; k < 3; k++) {
		guard_free(&guards[k]);
		guard_free(&value_guards[k]);
	}
	return contexts_teardown(state);
}

/* ---- One case -------------------------------------------------------------------------------- */

struct test {
	ek_value type;
	size_t values;
	int64_t batch;
	enum input kind;
	enum mix mix;
	/* whether the keys of `a` and of `b` ascend, or descend; if neither, they are unordered */
	bool sorted, falling;
	int place;
	ek_pairs a, b, out;
};

static uint64_t rank_at(ek_value type, const void *key, int64_t i)
{
	return rank_of(type, bits_at(type, key, i));
}

static ek_value values_as(const struct test *t)
{
	return t->values == 8 ? EK_INT64 : EK_INT32;
}

static ek_value sort_type;
static int by_rank(const void *a, const void *b)
{
	const uint64_t x = rank_at(sort_type, a, 0), y = rank_at(sort_type, b, 0);

	return (x > y) - (x < y);
}

static void keys_sort(ek_value type, void *key, int64_t n)
{
	sort_type = type;
	qsort(key, (size_t)n, ek_value_size(type), by_rank);
}

static void keys_put(const struct test *t, const ek_pairs *to, int64_t k, const char *from)
{
	const size_t bytes = (size_t)to->n * ek_value_size(t->type);
	char *key = to->key;

	if (!to->n)
		return;
	key += (size_t)k * bytes;
	memcpy(key, from, bytes);
	if (t->sorted || t->falling)
		keys_sort(t->type, key, to->n);
	for (int64_t i = 0, j = to->n - 1; t->falling && i < j; i++, j--) {
		const uint64_t bits = bits_at(t->type, key, i);

		bits_set(t->type, key, i, bits_at(t->type, key, j));
		bits_set(t->type, key, j, bits);
	}
}

/* Makes the keys of merge k of the batch. Those of `a` and `b` are drawn together, so that both
 * have the same distribution. */
static void fill(const struct test *t, int64_t k, struct rng *r)
{
	const int64_t size = (int64_t)ek_value_size(t->type), an = t->a.n, bn = t->b.n;
	char *all = (char *)expected_key;

	input_make(t->kind, t->type, an + bn, r, all);
	if (t->mix != MIXED)
		keys_sort(t->type, all, an + bn);
	keys_put(t, &t->a, k, all + (t->mix == B_BELOW ? bn * size : 0));
	keys_put(t, &t->b, k, all + (t->mix == B_BELOW ? 0 : an * size));
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
			const void *from = first ? t->a.key : t->b.key;
			const int64_t at = first ? i++ : j++;

			bits_set(t->type, expected_key, o, bits_at(t->type, from, at));
			if (t->values)
				bits_set(values_as(t), expected_value, o,
				         (uint64_t)((first ? 0 : MOST) + at));
		}
	}
}

/* Places the arrays in guarded memory and fills them. Each value is the position of its pair,
 * counted from 0 in `a` and from MOST in `b`. */
static void prepare(struct test *t, int64_t an, int64_t bn, struct rng *r)
{
	const int64_t n[3] = {t->batch * an, t->batch * bn, t->batch * (an + bn)};
	ek_pairs *p[3] = {&t->a, &t->b, &t->out};

	for (int k = 0; k < 3; k++) {
		const size_t size = ek_value_size(t->type);
		void *key = guard_lay(&guards[k], t->place + k, (size_t)n[k] * size);
		void *value =
			guard_lay(&value_guards[k], t->place / 2 + k, (size_t)n[k] * t->values);

		/* guard_lay aligns to 4 bytes; keys and values of 8 bytes need 8. */
		if (size == 8)
			key = (char *)key - (uintptr_t)key % 8;
		if (t->values == 8)
			value = (char *)value - (uintptr_t)value % 8;
		if (!n[k] && k < 2 && t->place % 2)
			key = value = NULL;
		*p[k] = ek_key_value(t->type, t->values, k == 0 ? an : bn, key, value);
		for (int64_t i = 0; t->values && k < 2 && i < n[k]; i++)
			bits_set(values_as(t), value, i, (uint64_t)(k * MOST + i));
	}
	for (int64_t k = 0; k < t->batch; k++)
		fill(t, k, r);
	if (t->sorted)
		expect_merge(t);
}

/* Checks that each value occurs once, in the result of its own merge, and still with its key. */
static void check_values(const struct test *t)
{
	static unsigned char seen[2 * MOST];
	const int64_t n = t->a.n + t->b.n;

	memset(seen, 0, (size_t)(t->batch * t->a.n));
	memset(seen + MOST, 0, (size_t)(t->batch * t->b.n));
	for (int64_t o = 0; o < t->batch * n; o++) {
		const uint64_t v = bits_at(values_as(t), t->out.value, o);
		const int64_t i = (int64_t)(v % MOST);
		const ek_pairs *from = v >= MOST ? &t->b : &t->a;

		if (v >= 2 * MOST || i >= t->batch * from->n || seen[v] || i / from->n != o / n ||
		    bits_at(t->type, from->key, i) != bits_at(t->type, t->out.key, o))
			fail_msg("value %llu at place %lld", (unsigned long long)v, (long long)o);
		seen[v] = 1;
	}
}

static bool stable(const char *method)
{
	return strcmp(method, "merge.bitonic") != 0 && strcmp(method, "merge.oddeven") != 0 &&
	       strcmp(method, "merge.simd") != 0;
}

static void check(const struct test *t, ek_context *ctx, const char *method)
{
	const ek_array_options o = {.size = sizeof o, .method = method};
	const size_t n = (size_t)(t->batch * (t->a.n + t->b.n));
	const size_t keys = n * ek_value_size(t->type), values = n * t->values;

	guard_paint(&guards[2], t->out.key, keys);
	guard_paint(&value_guards[2], t->out.value, values);
	expect_status(ek_merge(ctx, &o, t->batch, &t->a, &t->b, &t->out), EK_OK);
	guard_check(&guards[2], t->out.key, keys);
	guard_check(&value_guards[2], t->out.value, values);
	if (!t->sorted)
		return;
	if (memcmp(t->out.key, expected_key, keys) != 0 ||
	    (stable(method) && memcmp(t->out.value, expected_value, values) != 0))
		fail_msg("%s, %s, values of %zu bytes, %s, %d threads: %lld merges of %lld and "
		         "%lld",
		         method, ek_value_name(t->type), t->values,
		         ek_isa_name(ek_context_isa(ctx)), ek_context_threads(ctx),
		         (long long)t->batch, (long long)t->a.n, (long long)t->b.n);
	if (t->values && !stable(method))
		check_values(t);
}

/* Tests all methods with all instruction sets, with `an` keys in `a` and `bn` in `b`. Other
 * properties are random. */
static void lengths(int64_t an, int64_t bn, int64_t batch, bool sorted, int rare, struct rng *r)
{
	struct test t = {.type = (ek_value)(1 + rng_below(r, 4)),
	                 .values = (size_t)rng_below(r, 3) * 4,
	                 .batch = batch,
	                 .kind = (enum input)rng_below(r, INPUTS),
	                 .mix = rng_below(r, 3) ? MIXED : (enum mix)rng_below(r, MIXES),
	                 .sorted = sorted,
	                 .falling = !sorted && rng_next(r) % 2,
	                 .place = (int)rng_below(r, 3 * 64)};

	prepare(&t, an, bn, r);
	for (int l = 0; l < contexts.levels; l++) {
		check(&t, contexts_any(l, rare, r), "auto");
		for (const ek_method *m = NULL; (m = processor_method_next(m, EK_MERGE));)
			check(&t, contexts_any(l, rare, r), ek_method_name(m));
	}
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void test_short(void **state)
{
	const int times = test_tier() <= TIER_QUICK ? 1 : 8;
	struct rng r = {1};

	(void)state;
	for (int k = 0; k < times; k++)
		for (int64_t an = 0; an <= 70; an++)
			for (int64_t bn = 0; bn <= 70; bn++)
				lengths(an, bn, 1, true, 40, &r);
}

static void test_long(void **state)
{
	const int times = test_tier() <= TIER_QUICK ? 1 : 6;
	struct rng r = {2};

	(void)state;
	for (int k = 0; k < times; k++) {
		for (int64_t n = 0; n <= 1100; n++) {
			lengths(n, n, 1, true, 20, &r);
			lengths(n, rng_below(&r, 1101), 1, true, 20, &r);
		}
		for (int big = 0; big < 12; big++)
			lengths(rng_below(&r, MOST / 2), rng_below(&r, MOST / 2), 1, true, 1, &r);
		lengths(1, MOST - 1, 1, true, 1, &r);
		lengths(MOST - 3, 3, 1, true, 1, &r);
	}
}

static void test_batch(void **state)
{
	const int times = test_tier() <= TIER_QUICK ? 100 : 2000;
	struct rng r = {3};

	(void)state;
	for (int k = 0; k < times; k++) {
		const int64_t an = rng_below(&r, 90), bn = k % 2 ? an : rng_below(&r, 90);

		lengths(an, bn, rng_below(&r, k % 4 ? 15 : MOST / 90 / 2), true, 2, &r);
	}
}

/* Checks that unordered inputs lead to no access outside the arrays. In descending inputs, the
 * search on one diagonal of the merge can end before the place where the previous search ended. */
static void test_unsorted(void **state)
{
	const int times = test_tier() <= TIER_QUICK ? 120 : 3000;
	struct rng r = {4};

	(void)state;
	for (int k = 0; k < times; k++)
		lengths(rng_below(&r, 700), rng_below(&r, 700), 1 + rng_below(&r, 5), false, 3, &r);
}

static void test_arguments(void **state)
{
	int32_t x[8] = {1, 3, 5, 7}, y[8] = {2, 4}, v[8] = {0}, out[8] = {99, 99, 99, 99, 99, 99};
	ek_pairs a = ek_key_value(EK_INT32, 0, 4, x, NULL),
		 b = ek_key_value(EK_INT32, 0, 2, y, NULL);
	ek_pairs c = ek_key_value(EK_INT32, 0, 0, out, NULL), bad;
	ek_context *ctx = contexts.of[0][0];

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
	for (const ek_method *m = NULL; (m = processor_method_next(m, EK_MERGE));) {
		struct exhaust e = {0};

		exhaust_open(&e, 3, ek_method_name(m));
		exhaust(&e, ek_method_name(m), exhausted, NULL);
		exhaust_close(&e);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_short),     cmocka_unit_test(test_long),
		cmocka_unit_test(test_batch),     cmocka_unit_test(test_unsorted),
		cmocka_unit_test(test_arguments), cmocka_unit_test(test_memory),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, setup, teardown);
}
