/* SPDX-License-Identifier: BSD-3-Clause
 * Tests operations on sparse vectors with random numbers: errors of dot products are below the
 * bound in ek.h, additions multiply each entry once and add once, and results have the same bits
 * for any number of threads and instruction set, as the methods promise. Values at indices that are
 * not common may be NaN and have no effect. */
#include <math.h>

#include "../cli/quad.h"
#include "support/contexts.h"
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

/* Checks the error of a dot product of k terms against gamma(k) sum |x_i y_i|. */
static void check_bound(const char *method, double result, quad sum, quad size, int64_t k)
{
	const quad ku = (quad)k * (v.value == EK_F32 ? 0x1p-24 : 0x1p-53);
	const quad error = result > sum ? result - sum : sum - result;

	if (!(error <= ku / (1 - ku) * size))
		fail_msg("%s, %s: the error of %lld terms is %g, and the bound %g", method,
		         ek_value_name(v.value), (long long)k, (double)error,
		         (double)(ku / (1 - ku) * size));
}

/* Checks a method for the dot product of x and y, or the dense vector, with all contexts. */
static void check_dot(const ek_method *m, const ek_dense *y, quad sum, quad size, int64_t k)
{
	const ek_array_options o = {.size = sizeof o, .method = ek_method_name(m)};
	char first[8];

	for (int l = 0; l < contexts.levels; l++)
		for (int c = 0; c < contexts.counts; c++) {
			double room = 0;

			if (y)
				expect_status(
					ek_sparse_dot_dense(contexts.of[l][c], &o, &v.x, y, &room),
					EK_OK);
			else
				expect_status(
					ek_sparse_dot(contexts.of[l][c], &o, &v.x, &v.y, &room),
					EK_OK);
			check_bound(ek_method_name(m), value_at(v.value, &room, 0), sum, size, k);
			if (l + c == 0)
				memcpy(first, &room, sizeof first);
			else if (ek_method_supports(m, (ek_op)0, EK_REPRO_STRICT))
				assert_memory_equal(first, &room, ek_value_size(v.value));
		}
}

static void make(struct rng *r, enum vectors_kind kind)
{
	const int64_t n = rng_next(r) % 2 ? 1 + rng_below(r, 300) : VECTORS_MOST - 100;

	vectors_make(&v, r, kind, true, n, 1 + rng_below(r, 1023), 1 + rng_below(r, 1023));
	for (int64_t p = 0; p < v.universe; p++)
		if (v.in[p] != 3)
			v.xv[p] = v.yv[p] = (double)NAN;
}

static void test_dot(void **state)
{
	struct rng r = {1};

	(void)state;
	for (int turn = 0; turn < (test_tier() <= TIER_QUICK ? 20 : 200); turn++) {
		quad sum = 0, size = 0;

		make(&r, VECTORS_APART);
		vectors_refill(&v, &r);
		for (int64_t p = 0; p < v.universe; p++) {
			const quad term = v.in[p] == 3 ? (quad)v.xv[p] * v.yv[p] : 0;

			sum += term;
			size += term < 0 ? -term : term;
		}
		for (const ek_method *m = NULL; (m = processor_method_next(m, EK_SPARSE_DOT));)
			check_dot(m, NULL, sum, size, v.both);
	}
}

static void test_dot_dense(void **state)
{
	static double data[VECTORS_MOST];
	struct rng r = {2};

	(void)state;
	for (int turn = 0; turn < (test_tier() <= TIER_QUICK ? 20 : 200); turn++) {
		quad sum = 0, size = 0;
		ek_dense y;

		vectors_make(&v, &r, VECTORS_NEAR, true, 1 + rng_below(&r, VECTORS_MOST - 100),
		             1 + rng_below(&r, 1023), 0);
		y = ek_vector(v.value, v.n, data);
		poison(v.value, data, v.n);
		for (int64_t p = 0; p < v.universe; p++) {
			const quad term = v.in[p] & 1 ? (quad)v.xv[p] * v.yv[p] : 0;

			if (v.in[p] & 1)
				value_set(v.value, data, vectors_index(&v, p), v.yv[p]);
			sum += term;
			size += term < 0 ? -term : term;
		}
		for (const ek_method *m = NULL;
		     (m = processor_method_next(m, EK_SPARSE_DOT_DENSE));)
			check_dot(m, &y, sum, size, v.x.nnz);
	}
}

/* Returns alpha x + beta y as ek.h says, each step rounded to the type. */
static double combined(int64_t p, double alpha, double beta)
{
	volatile double a = alpha * v.xv[p], b = beta * v.yv[p], d = a + b;
	volatile float s = (float)alpha * (float)v.xv[p], t = (float)beta * (float)v.yv[p],
		       f = s + t;

	if (v.value == EK_F64)
		return v.in[p] == 3 ? d : v.in[p] == 1 ? a : b;
	return v.in[p] == 3 ? f : v.in[p] == 1 ? s : t;
}

static void check_add(const ek_method *m, ek_context *ctx, double alpha, double beta, struct rng *r)
{
	const ek_array_options o = {.size = sizeof o, .method = ek_method_name(m)};
	const int64_t room = v.x.nnz + v.y.nnz;
	const ek_sparse z = ek_sparse_vector(v.value, v.index, v.n, room,
	                                     vectors_lay(4, r, room, ek_value_size(v.index)),
	                                     vectors_lay(5, r, room, ek_value_size(v.value)));
	int64_t count, k = 0;

	expect_status(ek_sparse_add(ctx, &o, alpha, &v.x, beta, &v.y, &count, &z), EK_OK);
	assert_int_equal(count, v.any);
	for (int64_t p = 0; p < v.universe; p++) {
		if (!v.in[p])
			continue;
		assert_int_equal(integer_at(v.index, z.idx, k), vectors_index(&v, p));
		if (value_at(v.value, z.val, k) != combined(p, alpha, beta))
			fail_msg("%s: entry %lld is %a, not %a", ek_method_name(m), (long long)k,
			         value_at(v.value, z.val, k), combined(p, alpha, beta));
		k++;
	}
}

static void test_add(void **state)
{
	struct rng r = {3};

	(void)state;
	for (int turn = 0; turn < (test_tier() <= TIER_QUICK ? 10 : 100); turn++) {
		const double alpha = rng_real(&r, 4), beta = rng_real(&r, 4);

		vectors_make(&v, &r, (enum vectors_kind)rng_below(&r, VECTORS_KEYS), true,
		             1 + rng_below(&r, turn % 2 ? 300 : 20000), 1 + rng_below(&r, 1023),
		             1 + rng_below(&r, 1023));
		for (const ek_method *m = NULL; (m = processor_method_next(m, EK_SPARSE_ADD));)
			for (int l = 0; l < contexts.levels; l++)
				for (int c = 0; c < contexts.counts; c++)
					check_add(m, contexts.of[l][c], alpha, beta, &r);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dot),
		cmocka_unit_test(test_dot_dense),
		cmocka_unit_test(test_add),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, setup, teardown);
}
