/* SPDX-License-Identifier: BSD-3-Clause
 * Compares every method of ek_gemvi with sums in the order that ek.h promises, for all types, both
 * orders of A, instruction sets and numbers of threads. Values are small integers or random
 * numbers; columns of A in which x has no entry are NaN. Arrays are between guard pages. */
#include <math.h>

#include "support/contexts.h"
#include "support/exhaust.h"
#include "support/integers.h"
#include "support/vectors.h"

static struct vectors v;
static struct guard a_guard, y_guard;

enum { MOST_ROWS = 1300, MOST_VALUES = 400000 };

static int setup(void **state)
{
	vectors_open();
	guard_make(&a_guard, MOST_VALUES * 8);
	guard_make(&y_guard, MOST_ROWS * 8);
	return contexts_setup(state);
}

static int teardown(void **state)
{
	vectors_close();
	guard_free(&a_guard);
	guard_free(&y_guard);
	return contexts_teardown(state);
}

struct problem {
	int64_t rows;
	ek_dense A;
	double alpha, beta;
	double before[MOST_ROWS]; /* y before the call */
};

static int64_t place(const ek_dense *A, int64_t i, int64_t j)
{
	return A->order == EK_ROW_MAJOR ? i * A->ld + j : i + j * A->ld;
}

/* Makes a block with the columns of v.x, and NaN elsewhere. */
static void make(struct problem *p, struct rng *r, int64_t rows, bool real)
{
	static const double factor[] = {1, 0, -2, 3};
	const int order = (int)rng_below(r, 2);
	const int64_t more = rng_below(r, 3), size = (int64_t)ek_value_size(v.value);
	const int64_t inner = order == EK_ROW_MAJOR ? v.n : rows;
	const int64_t outer = order == EK_ROW_MAJOR ? rows : v.n;
	const int64_t values = outer && inner ? (outer - 1) * (inner + more) + inner : 0;
	void *data = guard_lay(&a_guard, (int)rng_below(r, 2), (size_t)(values * size));

	p->rows = rows;
	p->A = ek_block(v.value, rows, v.n, inner + more, order, data);
	p->alpha = factor[rng_below(r, 4)];
	p->beta = factor[rng_below(r, 4)];
	poison(v.value, data, values);
	for (int64_t i = 0; i < rows; i++) {
		p->before[i] = p->beta == 0 && v.value <= EK_F64 ? (double)NAN
		                                                 : (double)rng_below(r, 9) - 4;
		for (int64_t j = 0; p->alpha != 0 && j < v.universe; j++)
			if (v.in[j] & 1)
				value_set(v.value, data, place(&p->A, i, vectors_index(&v, j)),
				          real ? rng_real(r, 10) : (double)rng_below(r, 9) - 4);
	}
}

static double reference(const struct problem *p, int64_t i)
{
	volatile double sum = 0, t;
	volatile float sum32 = 0, t32;

	for (int64_t j = 0; p->alpha != 0 && j < v.universe; j++) {
		if (!(v.in[j] & 1))
			continue;
		const double a =
			value_at(v.value, p->A.data, place(&p->A, i, vectors_index(&v, j)));

		t = a * v.xv[j];
		sum = sum + t;
		t32 = (float)a * (float)v.xv[j];
		sum32 = sum32 + t32;
	}
	t = p->alpha == 0 ? 0 : p->alpha * sum;
	t32 = p->alpha == 0 ? 0 : (float)p->alpha * sum32;
	if (p->beta != 0) {
		volatile double b = p->beta * p->before[i];
		volatile float b32 = (float)p->beta * (float)p->before[i];

		t = t + b;
		t32 = t32 + b32;
	}
	return v.value == EK_F32 ? (double)t32 : t;
}

static void check(const struct problem *p, ek_context *ctx, const char *method, struct rng *r)
{
	const ek_array_options o = {.size = sizeof o, .method = method};
	const size_t bytes = (size_t)p->rows * ek_value_size(v.value);
	void *data = guard_lay(&y_guard, (int)rng_below(r, 2), bytes);
	const ek_dense y = ek_vector(v.value, p->rows, data);

	guard_paint(&y_guard, data, bytes);
	for (int64_t i = 0; i < p->rows; i++)
		value_set(v.value, data, i, p->before[i]);
	expect_status(ek_gemvi(ctx, &o, p->alpha, &p->A, &v.x, p->beta, &y), EK_OK);
	guard_check(&y_guard, data, bytes);
	for (int64_t i = 0; i < p->rows; i++) {
		const double is = value_at(v.value, data, i), should = reference(p, i);

		if (is != should)
			fail_msg("%s, %s, order %d, %lld x %lld, alpha %g, beta %g: y[%lld] is "
			         "%.17g, not %.17g",
			         method, ek_value_name(v.value), (int)p->A.order,
			         (long long)p->rows, (long long)v.n, p->alpha, p->beta,
			         (long long)i, is, should);
	}
}

static void walk(int turns, bool real)
{
	static const int64_t density[] = {0, 1, 100, 512, 1000, 1024};
	struct rng r = {7};
	static struct problem p;

	for (int turn = 0; turn < turns; turn++) {
		const bool apart = turn % 4 == 0;
		const int64_t places = rng_below(&r, apart ? 6 : 120);
		int64_t rows = rng_below(&r, turn % 3 ? 40 : MOST_ROWS);

		vectors_make(&v, &r, apart ? VECTORS_APART : VECTORS_NEAR, real, places,
		             density[rng_below(&r, 6)], 0);
		while (rows > 0 && (rows + 3) * (v.n + 3) > MOST_VALUES)
			rows /= 2;
		make(&p, &r, rows, real);
		for (int level = 0; level < contexts.levels; level++) {
			check(&p, contexts_any(level, 2, &r), "auto", &r);
			for (const ek_method *m = NULL; (m = processor_method_next(m, EK_GEMVI));)
				check(&p, contexts_any(level, 2, &r), ek_method_name(m), &r);
		}
	}
}

static void test_integers(void **state)
{
	(void)state;
	walk(test_tier() <= TIER_QUICK ? 300 : 3000, false);
}

static void test_real(void **state)
{
	(void)state;
	walk(test_tier() <= TIER_QUICK ? 150 : 1500, true);
}

static void test_arguments(void **state)
{
	ek_context *ctx = contexts.of[0][0];
	int32_t idx[2] = {0, 2}, wrong[2] = {2, 1};
	double val[2] = {1, 2}, a[6] = {1, 2, 3, 4, 5, 6}, y_data[2] = {7, 8};
	const ek_sparse good = ek_sparse_vector(EK_F64, EK_INT32, 3, 2, idx, val);
	const ek_dense A = ek_block(EK_F64, 2, 3, 3, EK_ROW_MAJOR, a),
		       y = ek_vector(EK_F64, 2, y_data);
	ek_sparse x = good;
	ek_dense B = A;

	(void)state;
	expect_error(ek_gemvi(ctx, NULL, 1, NULL, &x, 0, &y), EK_EINVAL, "A is NULL");
	expect_error(ek_gemvi(ctx, NULL, 1, &A, NULL, 0, &y), EK_EINVAL, "x is NULL");
	expect_error(ek_gemvi(ctx, NULL, 1, &A, &x, 0, NULL), EK_EINVAL, "y is NULL");
	B.cols = 2;
	expect_error(ek_gemvi(ctx, NULL, 1, &B, &x, 0, &y), EK_EINVAL,
	             "A is 2 x 2; x->n is 3, so as many columns are expected");
	B = A;
	B.ld = 2;
	expect_error(ek_gemvi(ctx, NULL, 1, &B, &x, 0, &y), EK_EINVAL,
	             "A has leading dimension 2, less than its 3 columns");
	B = A;
	B.value = EK_F32;
	expect_error(ek_gemvi(ctx, NULL, 1, &B, &x, 0, &y), EK_EINVAL,
	             "A has values of type f32, and x of type f64");
	B = A;
	B.where = EK_ON_DEVICE;
	expect_error(ek_gemvi(ctx, NULL, 1, &B, &x, 0, &y), EK_EINVAL, "A.where is 1");
	B = ek_vector(EK_F64, 3, a);
	expect_error(ek_gemvi(ctx, NULL, 1, &A, &x, 0, &B), EK_EINVAL,
	             "y is 3 x 1; A.rows is 2");
	B = ek_vector(EK_F64, 2, a + 4);
	expect_error(ek_gemvi(ctx, NULL, 1, &A, &x, 0, &B), EK_EINVAL, "A.data and y.data overlap");
	x.idx = wrong;
	expect_error(ek_gemvi(ctx, NULL, 1, &A, &x, 0, &y), EK_ERANGE, "x->idx[1] is 1");
	assert_true(y_data[0] == 7 && y_data[1] == 8);
	expect_status(ek_gemvi(ctx, NULL, 1, &A, &good, 10, &y), EK_OK);
	assert_true(y_data[0] == 77 && y_data[1] == 96);
}

static ek_status exhausted(struct exhaust *e)
{
	const int32_t idx[2] = {0, 2};
	const double val[2] = {1, 2}, a[6] = {1, 2, 3, 4, 5, 6};
	const ek_sparse x = ek_sparse_vector(EK_F64, EK_INT32, 3, 2, idx, val);
	const ek_dense A = ek_block(EK_F64, 2, 3, 3, EK_ROW_MAJOR, a);
	const ek_dense y = ek_vector(EK_F64, 2, e->room);
	const ek_array_options o = {.size = sizeof o, .method = e->arg};

	return ek_gemvi(e->ctx, &o, 1, &A, &x, 0, &y);
}

static void test_memory(void **state)
{
	(void)state;
	for (const ek_method *m = NULL; (m = processor_method_next(m, EK_GEMVI));) {
		struct exhaust e = {0};

		exhaust_open(&e, 3, ek_method_name(m));
		assert_int_equal(exhaust(&e, ek_method_name(m), exhausted, NULL), 0);
		exhaust_close(&e);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_real),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_memory),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, setup, teardown);
}
