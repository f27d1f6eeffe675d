/* SPDX-License-Identifier: BSD-3-Clause
 * Compares every method for two sparse vectors (dot product, addition, union and intersection of
 * pairs) with brute force over all possible indices, for all types, lengths, densities, gaps,
 * instruction sets and numbers of threads. Values are small integers, so results are exact; zeros
 * must be kept. Arrays are between guard pages. */
#include "support/contexts.h"
#include "support/exhaust.h"
#include "support/integers.h"
#include "support/vectors.h"

static struct vectors v;

static int setup(void **state)
{
	vectors_open();
	return contexts_setup(state);
}

static int teardown(void **state)
{
	vectors_close();
	return contexts_teardown(state);
}

/* The parameters of a call. */
struct call {
	ek_operation operation;
	const char *method;
	ek_context *ctx;
	double alpha, beta;
	ek_monoid op;
	int64_t block;
};

static ek_status do_call(const struct call *c, const ek_sparse *x, const ek_sparse *y,
                         int64_t *count, const ek_sparse *z)
{
	const ek_array_options o = {.size = sizeof o, .method = c->method, .block = c->block};
	const size_t size = ek_value_size(x->value);
	const ek_pairs a = ek_key_value(x->index, size, x->nnz, x->idx, x->val);
	const ek_pairs b = ek_key_value(y->index, size, y->nnz, y->idx, y->val);
	const ek_pairs out = ek_key_value(z->index, size, z->nnz, z->idx, z->val);

	if (c->operation == EK_SPARSE_ADD)
		return ek_sparse_add(c->ctx, &o, c->alpha, x, c->beta, y, count, z);
	if (c->operation == EK_PAIRS_UNION)
		return ek_pairs_union(c->ctx, &o, x->value, c->op, &a, &b, count, &out);
	return ek_pairs_intersection(c->ctx, &o, x->value, c->op, &a, &b, count, &out);
}

/* Returns the expected value at place p of the universe. */
static double expected(const struct call *c, int64_t p)
{
	const double x = v.xv[p], y = v.yv[p];

	if (c->operation == EK_SPARSE_ADD)
		return (v.in[p] & 1 ? c->alpha * x : 0) + (v.in[p] & 2 ? c->beta * y : 0);
	if (v.in[p] != 3)
		return v.in[p] & 1 ? x : y;
	return c->op == EK_MAX ? (x > y ? x : y) : c->op == EK_MIN ? (x < y ? x : y) : x + y;
}

static void fail_at(const struct call *c, int64_t i, double is, double should)
{
	fail_msg("%s, %s, %d threads, %s, %s: entry %lld is %g, not %g (nnz %lld and %lld)",
	         c->method, ek_isa_name(ek_context_isa(c->ctx)), ek_context_threads(c->ctx),
	         ek_value_name(v.value), ek_value_name(v.index), (long long)i, is, should,
	         (long long)v.x.nnz, (long long)v.y.nnz);
}

static void check(const struct call *c, struct rng *r)
{
	const bool meet = c->operation == EK_PAIRS_INTERSECTION;
	const int64_t few = v.x.nnz < v.y.nnz ? v.x.nnz : v.y.nnz;
	const int64_t room = meet ? few : v.x.nnz + v.y.nnz;
	const size_t is = ek_value_size(v.index), vs = ek_value_size(v.value);
	const ek_sparse z =
		ek_sparse_vector(v.value, v.index, v.n, room, vectors_lay(4, r, room, is),
	                         vectors_lay(5, r, room, vs));
	int64_t count = -1, k = 0;

	if (z.idx)
		guard_paint(&vectors_guards[4], z.idx, (size_t)room * is);
	if (z.val)
		guard_paint(&vectors_guards[5], z.val, (size_t)room * vs);
	expect_status(do_call(c, &v.x, &v.y, &count, &z), EK_OK);
	if (z.idx)
		guard_check(&vectors_guards[4], z.idx, (size_t)room * is);
	if (z.val)
		guard_check(&vectors_guards[5], z.val, (size_t)room * vs);
	if (count != (meet ? v.both : v.any))
		fail_at(c, -1, (double)count, (double)(meet ? v.both : v.any));
	for (int64_t p = 0; p < v.universe; p++) {
		if (meet ? v.in[p] != 3 : !v.in[p])
			continue;
		if (integer_at(v.index, z.idx, k) != vectors_index(&v, p))
			fail_at(c, k, (double)integer_at(v.index, z.idx, k),
			        (double)vectors_index(&v, p));
		if (value_at(v.value, z.val, k) != expected(c, p))
			fail_at(c, k, value_at(v.value, z.val, k), expected(c, p));
		k++;
	}
}

static void check_dot(const char *method, ek_context *ctx)
{
	const ek_array_options o = {.size = sizeof o, .method = method};
	const struct call c = {EK_SPARSE_DOT, method, ctx, 1, 1, EK_SUM, 0};
	double sum = 0, result;
	char out[8];

	for (int64_t p = 0; p < v.universe; p++)
		sum += v.in[p] == 3 ? v.xv[p] * v.yv[p] : 0;
	poison(v.value, &result, 1);
	memcpy(out, &result, 8);
	expect_status(ek_sparse_dot(ctx, &o, &v.x, &v.y, &result), EK_OK);
	if (value_at(v.value, &result, 0) != sum)
		fail_at(&c, 0, value_at(v.value, &result, 0), sum);
}

static void check_operation(ek_operation operation, int level, int rare, struct rng *r)
{
	const bool reals = v.value == EK_F32 || v.value == EK_F64;

	for (const ek_method *m = NULL;;) {
		struct call c = {operation,
		                 name_or_auto(m),
		                 contexts_any(level, rare, r),
		                 (double)rng_below(r, 5) - 2,
		                 (double)rng_below(r, 5) - 2,
		                 (ek_monoid)(1 + rng_below(r, 3)),
		                 0};

		if (!reals && c.op == EK_OR)
			c.op = EK_SUM;
		/* A tile of the whole vector, as published, works only for short vectors. */
		if (rng_next(r) % 2)
			c.block = v.n < 100000 && rng_next(r) % 2 ? v.n : 1 + rng_below(r, 200);
		if (operation == EK_SPARSE_DOT)
			check_dot(c.method, c.ctx);
		else
			check(&c, r);
		m = processor_method_next(m, operation);
		if (!m)
			break;
	}
}

static void check_all(enum vectors_kind kind, int rare, struct rng *r)
{
	for (int g = 0; g < 4; g++)
		guard_read_only(&vectors_guards[g], true);
	for (int l = 0; l < contexts.levels; l++) {
		if (kind != VECTORS_KEYS) {
			check_operation(EK_SPARSE_ADD, l, rare, r);
			check_operation(EK_SPARSE_DOT, l, rare, r);
		}
		check_operation(EK_PAIRS_UNION, l, rare, r);
		check_operation(EK_PAIRS_INTERSECTION, l, rare, r);
	}
	for (int g = 0; g < 4; g++)
		guard_read_only(&vectors_guards[g], false);
}

static void test_lengths(void **state)
{
	static const int64_t density[] = {0, 1, 30, 512, 1000, 1024};
	struct rng r = {1};

	(void)state;
	for (int64_t n = 0; n <= 400; n++)
		for (int k = 0; k < 2; k++) {
			const enum vectors_kind kind =
				(enum vectors_kind)rng_below(&r, VECTORS_KINDS);

			vectors_make(&v, &r, kind, false, n, density[rng_below(&r, 6)],
			             density[rng_below(&r, 6)]);
			check_all(kind, 10, &r);
		}
	for (int64_t n = 0; n < 70; n++) { /* all indices equal */
		vectors_make(&v, &r, VECTORS_APART, false, n, 1024, 1024);
		check_all(VECTORS_APART, 10, &r);
	}
	for (int k = 0; k < (test_tier() <= TIER_QUICK ? 40 : 500); k++) {
		const enum vectors_kind kind = (enum vectors_kind)rng_below(&r, VECTORS_KINDS);

		vectors_make(&v, &r, kind, false, 1 + rng_below(&r, VECTORS_MOST - 1),
		             density[rng_below(&r, 6)], density[rng_below(&r, 6)]);
		check_all(kind, 1, &r);
	}
}

/* Tests vectors without common indices: in sequence, interleaved, and one in a gap of the other. */
static void test_apart(void **state)
{
	struct rng r = {2};

	(void)state;
	for (int shape = 0; shape < 4; shape++)
		for (int64_t n = 1; n < 20000; n = n * 5 + 3) {
			vectors_make(&v, &r, VECTORS_APART, false, n, 0, 0);
			for (int64_t p = 0; p < n; p++)
				v.in[p] = (unsigned char)(shape == 0   ? 1 + (p >= n / 2)
				                          : shape == 1 ? 1 + (p < n / 3)
				                          : shape == 2
				                                  ? 1 + p % 2
				                                  : 1 + (p > n / 4 && p < n / 2));
			vectors_refill(&v, &r);
			check_all(VECTORS_APART, 2, &r);
		}
}

/* Checks that integers wrap around. */
static void test_wrap(void **state)
{
	const int32_t idx[1] = {4}, big[1] = {INT32_MAX};
	const ek_sparse x = ek_sparse_vector(EK_INT32, EK_INT32, 9, 1, idx, big);

	(void)state;
	for (const ek_method *m = NULL; (m = any_processor_method_next(m));) {
		const ek_array_options o = {.size = sizeof o, .method = ek_method_name(m)};
		int32_t zi[2], zv[2], sum = 0;
		const ek_sparse z = ek_sparse_vector(EK_INT32, EK_INT32, 9, 2, zi, zv);
		int64_t count;

		if (ek_method_operation(m) == EK_SPARSE_ADD) {
			expect_status(
				ek_sparse_add(contexts.of[0][0], &o, 3, &x, -1, &x, &count, &z),
				EK_OK);
			assert_int_equal(count, 1);
			assert_int_equal(zv[0], (int32_t)(2 * (uint32_t)INT32_MAX));
		} else if (ek_method_operation(m) == EK_SPARSE_DOT) {
			expect_status(ek_sparse_dot(contexts.of[0][0], &o, &x, &x, &sum), EK_OK);
			assert_int_equal(sum, 1);
		}
	}
}

/* Tests pairs whose keys do not ascend: only accesses outside the arrays are faults. */
static void test_garbage(void **state)
{
	struct rng r = {3};

	(void)state;
	for (int k = 0; k < (test_tier() <= TIER_QUICK ? 100 : 2000); k++) {
		vectors_make(&v, &r, VECTORS_NEAR, false, 1 + rng_below(&r, 6000), 800, 700);
		for (int64_t i = 0; i < v.x.nnz; i++)
			integer_set(v.index, v.x.idx, i, rng_below(&r, k % 3 ? 4 : 1000));
		for (int64_t i = 0; i < v.y.nnz; i++)
			integer_set(v.index, v.y.idx, i, rng_below(&r, k % 3 ? 4 : 1000));
		for (const ek_method *m = NULL; (m = any_processor_method_next(m));) {
			const ek_operation op = ek_method_operation(m);
			const struct call c = {
				op, ek_method_name(m), contexts_turn(k), 1, 1, EK_SUM, 0};
			const int64_t few = v.x.nnz < v.y.nnz ? v.x.nnz : v.y.nnz;
			const int64_t room = op == EK_PAIRS_UNION ? v.x.nnz + v.y.nnz : few;
			const size_t is = ek_value_size(v.index), vs = ek_value_size(v.value);
			ek_sparse z;
			int64_t count = -1;

			if (op != EK_PAIRS_UNION && op != EK_PAIRS_INTERSECTION)
				continue;
			z = ek_sparse_vector(v.value, v.index, v.n, room,
			                     guard_at_end(&vectors_guards[4], (size_t)room * is),
			                     guard_at_end(&vectors_guards[5], (size_t)room * vs));
			guard_paint(&vectors_guards[4], z.idx, (size_t)room * is);
			guard_paint(&vectors_guards[5], z.val, (size_t)room * vs);
			expect_status(do_call(&c, &v.x, &v.y, &count, &z), EK_OK);
			guard_check(&vectors_guards[4], z.idx, (size_t)room * is);
			guard_check(&vectors_guards[5], z.val, (size_t)room * vs);
			assert_in_range(count, 0, room);
		}
	}
}

static ek_status exhausted(struct exhaust *e)
{
	const ek_method *m = e->arg;
	const struct call c = {ek_method_operation(m), ek_method_name(m), e->ctx, 2, 3, EK_SUM, 0};
	int32_t idx[20];
	float val[20];
	int64_t count = -1;
	ek_status status;

	for (int k = 0; k < 20; k++) {
		idx[k] = 3 * k;
		val[k] = 1;
	}

	const ek_sparse x = ek_sparse_vector(EK_F32, EK_INT32, 100, 20, idx, val);
	const ek_sparse z = ek_sparse_vector(EK_F32, EK_INT32, 100, 40, e->room, e->room + 512);

	if (c.operation == EK_SPARSE_DOT) {
		const ek_array_options o = {.size = sizeof o, .method = c.method};

		return ek_sparse_dot(e->ctx, &o, &x, &x, e->room);
	}
	status = do_call(&c, &x, &x, &count, &z);
	assert_int_equal(count, status == EK_OK ? 20 : -1);
	return status;
}

static void test_memory(void **state)
{
	(void)state;
	for (const ek_method *m = NULL; (m = any_processor_method_next(m));) {
		struct exhaust e = {0};

		if (ek_method_operation(m) != EK_SPARSE_ADD &&
		    ek_method_operation(m) != EK_SPARSE_DOT &&
		    ek_method_operation(m) != EK_PAIRS_UNION &&
		    ek_method_operation(m) != EK_PAIRS_INTERSECTION)
			continue;
		exhaust_open(&e, 3, m);
		exhaust(&e, ek_method_name(m), exhausted, NULL);
		exhaust_close(&e);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths), cmocka_unit_test(test_apart),
		cmocka_unit_test(test_wrap),    cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_memory),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, setup, teardown);
}
