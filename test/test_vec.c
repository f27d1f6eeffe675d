/* SPDX-License-Identifier: BSD-3-Clause
 * Compares every method for a sparse and a dense vector (dot product, addition, gather, gather and
 * zero, scatter) with brute force, for all types, instruction sets and numbers of threads. Values
 * are small integers, so results are exact. The dense vector is NaN at all other indices, which
 * must be neither used nor changed. Arrays are between guard pages. */
#include <math.h>

#include "support/contexts.h"
#include "support/exhaust.h"
#include "support/integers.h"
#include "support/vectors.h"

static struct vectors v;
static double dense[VECTORS_MOST]; /* the dense vector's entries at the indices of x, by place */

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

static ek_status do_call(ek_operation operation, ek_context *ctx, const char *method, double alpha,
                         const ek_sparse *x, const ek_dense *y, void *result)
{
	const ek_array_options o = {.size = sizeof o, .method = method};

	switch (operation) {
	case EK_SPARSE_DOT_DENSE: return ek_sparse_dot_dense(ctx, &o, x, y, result);
	case EK_SPARSE_AXPY: return ek_sparse_axpy(ctx, &o, alpha, x, y);
	case EK_GATHER: return ek_gather(ctx, &o, y, x);
	case EK_GATHER_ZERO: return ek_gather_zero(ctx, &o, y, x);
	default: return ek_scatter(ctx, &o, x, y);
	}
}

static bool writes_x(ek_operation operation)
{
	return operation == EK_GATHER || operation == EK_GATHER_ZERO;
}

/* Returns the dense vector's entry at place p, where x has one, after the call. */
static double after(ek_operation operation, double alpha, int64_t p)
{
	switch (operation) {
	case EK_SPARSE_AXPY: return dense[p] + alpha * v.xv[p];
	case EK_GATHER_ZERO: return 0;
	case EK_SCATTER: return v.xv[p];
	default: return dense[p];
	}
}

static void expect_entry(double is, double should, ek_operation operation, const char *method,
                         int64_t at)
{
	if (is != should && !(isnan(is) && isnan(should)))
		fail_msg("%s %s, %s, %s: entry %lld is %g, not %g", ek_operation_name(operation),
		         method, ek_value_name(v.value), ek_value_name(v.index), (long long)at, is,
		         should);
}

/* Lays out the dense vector in guard 2: `dense` at the indices of x, poison elsewhere. */
static ek_dense lay_dense(struct rng *r)
{
	void *data = vectors_lay(2, r, v.n, ek_value_size(v.value));

	if (data)
		guard_paint(&vectors_guards[2], data, (size_t)v.n * ek_value_size(v.value));
	poison(v.value, data, v.n);
	for (int64_t p = 0; p < v.universe; p++)
		if (v.in[p] & 1)
			value_set(v.value, data, vectors_index(&v, p), dense[p]);
	return ek_vector(v.value, v.n, data);
}

/* Checks the dense vector after a call, and the values of x if it writes them. */
static void check_arrays(ek_operation operation, const char *method, double alpha,
                         const ek_sparse *x, const ek_dense *y)
{
	const double absent = v.value == EK_F32 || v.value == EK_F64 ? (double)NAN : -77777;
	int64_t k = 0, i = 0;

	for (int64_t p = 0; p < v.universe; p++) {
		if (!(v.in[p] & 1))
			continue;
		for (; i < vectors_index(&v, p); i++)
			expect_entry(value_at(v.value, y->data, i), absent, operation, method, i);
		expect_entry(value_at(v.value, y->data, i), after(operation, alpha, p), operation,
		             method, i);
		i++;
		if (writes_x(operation))
			expect_entry(value_at(v.value, x->val, k), dense[p], operation, method, k);
		k++;
	}
	for (; i < v.n; i++)
		expect_entry(value_at(v.value, y->data, i), absent, operation, method, i);
}

static void check(ek_operation operation, const char *method, ek_context *ctx, struct rng *r)
{
	const size_t vs = ek_value_size(v.value);
	const double alpha = (double)rng_below(r, 5) - 2;
	const ek_dense y = lay_dense(r);
	ek_sparse x = v.x;
	double sum = 0, result = 0;

	if (writes_x(operation)) {
		x.val = vectors_lay(4, r, x.nnz, vs);
		if (x.val)
			guard_paint(&vectors_guards[4], x.val, (size_t)x.nnz * vs);
	}
	expect_status(do_call(operation, ctx, method, alpha, &x, &y, &result), EK_OK);
	if (y.data)
		guard_check(&vectors_guards[2], y.data, (size_t)v.n * vs);
	if (writes_x(operation) && x.val)
		guard_check(&vectors_guards[4], x.val, (size_t)x.nnz * vs);
	check_arrays(operation, method, alpha, &x, &y);
	for (int64_t p = 0; p < v.universe; p++)
		sum += v.in[p] & 1 ? v.xv[p] * dense[p] : 0;
	if (operation == EK_SPARSE_DOT_DENSE)
		expect_entry(value_at(v.value, &result, 0), sum, operation, method, 0);
}

static void check_all(int rare, struct rng *r)
{
	for (int64_t p = 0; p < v.universe; p++)
		dense[p] = (double)rng_below(r, 9) - 4;
	guard_read_only(&vectors_guards[0], true);
	guard_read_only(&vectors_guards[1], true);
	for (int l = 0; l < contexts.levels; l++)
		for (ek_operation op = EK_SPARSE_DOT_DENSE; op <= EK_SCATTER; op++) {
			if (op == EK_SPARSE_DOT)
				continue;
			check(op, "auto", contexts_any(l, rare, r), r);
			for (const ek_method *m = NULL; (m = processor_method_next(m, op));)
				check(op, ek_method_name(m), contexts_any(l, rare, r), r);
		}
	guard_read_only(&vectors_guards[0], false);
	guard_read_only(&vectors_guards[1], false);
}

static void test_lengths(void **state)
{
	static const int64_t density[] = {0, 1, 30, 512, 1000, 1024};
	struct rng r = {1};

	(void)state;
	for (int64_t n = 0; n <= 300; n++) {
		vectors_make(&v, &r, VECTORS_NEAR, false, n, density[rng_below(&r, 6)], 0);
		check_all(10, &r);
	}
	for (int k = 0; k < (test_tier() <= TIER_QUICK ? 20 : 300); k++) {
		vectors_make(&v, &r, VECTORS_APART, false, 1 + rng_below(&r, 100),
		             density[rng_below(&r, 6)], 0);
		check_all(1, &r);
		vectors_make(&v, &r, VECTORS_NEAR, false, 1 + rng_below(&r, VECTORS_MOST - 10),
		             density[rng_below(&r, 6)], 0);
		check_all(1, &r);
	}
}

/* Checks that with alpha = 0, x is not read, and y keeps its bits, even of -0 and NaN. */
static void test_no_factor(void **state)
{
	int32_t idx[3] = {0, 2, 3};
	double val[3] = {NAN, INFINITY, NAN}, y[4] = {-0.0, 5, NAN, 7};
	const ek_sparse x = ek_sparse_vector(EK_F64, EK_INT32, 4, 3, idx, val);
	const ek_dense dy = ek_vector(EK_F64, 4, y);

	(void)state;
	for (const ek_method *m = NULL; (m = processor_method_next(m, EK_SPARSE_AXPY));) {
		expect_status(do_call(EK_SPARSE_AXPY, contexts.of[0][0], ek_method_name(m), 0, &x,
		                      &dy, NULL),
		              EK_OK);
		assert_true(signbit(y[0]) && y[0] == 0 && y[1] == 5 && isnan(y[2]) && y[3] == 7);
	}
	for (const ek_method *m = NULL; (m = processor_method_next(m, EK_SPARSE_ADD));) {
		const ek_array_options o = {.size = sizeof o, .method = ek_method_name(m)};
		const double one[1] = {-0.0};
		const ek_sparse second = ek_sparse_vector(EK_F64, EK_INT32, 4, 1, &idx[1], one);
		int32_t zi[4];
		double zv[4];
		const ek_sparse z = ek_sparse_vector(EK_F64, EK_INT32, 4, 4, zi, zv);
		int64_t count;

		expect_status(ek_sparse_add(contexts.of[0][0], &o, 0, &x, 1, &second, &count, &z),
		              EK_OK);
		assert_int_equal(count, 3);
		for (int k = 0; k < 3; k++) {
			assert_int_equal(zi[k], idx[k]);
			assert_true(zv[k] == 0 && !signbit(zv[k])); /* +0 + -0 is +0 */
		}
		expect_status(ek_sparse_add(contexts.of[0][0], &o, 1, &second, 0, &x, &count, &z),
		              EK_OK);
		assert_true(zv[0] == 0 && zv[1] == 0 && zv[2] == 0);
	}
}

static ek_status exhausted(struct exhaust *e)
{
	const ek_method *m = e->arg;
	int64_t idx[20];
	float data[60], val[20];
	const ek_sparse x = ek_sparse_vector(EK_F32, EK_INT64, 60, 20, idx, val);
	const ek_dense y = ek_vector(EK_F32, 60, data);

	for (int k = 0; k < 20; k++) {
		idx[k] = 3 * k;
		val[k] = 1;
	}
	poison(EK_F32, data, 60);
	return do_call(ek_method_operation(m), e->ctx, ek_method_name(m), 1, &x, &y, e->room);
}

static void test_memory(void **state)
{
	(void)state;
	for (const ek_method *m = NULL; (m = any_processor_method_next(m));) {
		const ek_operation op = ek_method_operation(m);
		struct exhaust e = {0};

		if (op < EK_SPARSE_DOT_DENSE || op > EK_SCATTER || op == EK_SPARSE_DOT)
			continue;
		exhaust_open(&e, 3, m);
		assert_int_equal(exhaust(&e, ek_method_name(m), exhausted, NULL), 0);
		exhaust_close(&e);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_no_factor),
		cmocka_unit_test(test_memory),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, setup, teardown);
}
