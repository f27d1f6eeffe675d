/* SPDX-License-Identifier: BSD-3-Clause
 * Tests ek_spmv_add: which vectors may be the same, and which arguments are refused. Tests of the
 * methods check that each gives the same bits as in ek_spmv (support/product.c). */
#include <math.h>

#include "support/context.h"
#include "support/support.h"

enum { N = 6 };

static const int32_t ptr[] = {0, 2, 2, 3, 4, 4, 5}, idx[] = {0, 5, 2, 1, 3};
/* This array has N elements, although A has only 5 entries. So no other array overlaps a vector of
 * N elements placed here. */
static const double val[N] = {1, 2, 3, 4, 5};
/* A x for x = 1, 2, ..., 6 */
static const double product[N] = {13, 0, 9, 8, 0, 20};

static ek_matrix *A;
static ek_plan *plan;

static int open_all(void **state)
{
	context_setup(state);
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, N, N, ptr, idx, val, EK_BORROW, &A),
	              EK_OK);
	expect_status(ek_plan_create(EK_SPMV, A, NULL, &plan), EK_OK);
	return 0;
}

static int close_all(void **state)
{
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	return context_teardown(state);
}

static ek_status add(double alpha, const double *x, double beta, const double *y, const double *z)
{
	const ek_dense xv = ek_vector(EK_F64, N, x), yv = ek_vector(EK_F64, N, y),
		       zv = ek_vector(EK_F64, N, z);

	return ek_spmv_add(plan, alpha, &xv, beta, &yv, &zv);
}

static void fill(double *v, double first)
{
	for (int i = 0; i < N; i++)
		v[i] = first + i;
}

static void test_vectors(void **state)
{
	double x[N], y[N], z[N];

	(void)state;
	fill(x, 1);
	fill(y, 10);
	poison(EK_F64, z, N);
	expect_status(add(2, x, 3, y, z), EK_OK);
	for (int i = 0; i < N; i++)
		assert_true(z[i] == 2 * product[i] + 3 * (10 + i) && y[i] == 10 + i);
	expect_status(add(1, x, 1, x, z), EK_OK); /* y may be x */
	for (int i = 0; i < N; i++)
		assert_true(z[i] == product[i] + 1 + i && x[i] == 1 + i);
	expect_status(add(1, x, -1, y, y), EK_OK); /* z may be y */
	for (int i = 0; i < N; i++)
		assert_true(y[i] == product[i] - 10 - i);
}

/* Checks that x or y is not read if alpha or beta is 0, and z still gets all of its entries. */
static void test_shortcuts(void **state)
{
	const double beta[] = {0, 1, 0.5};
	double x[N], y[N], z[N];

	(void)state;
	fill(x, 1);
	for (int k = 0; k < 3; k++) {
		const double nan[N] = {NAN, NAN, NAN, NAN, NAN, NAN};

		fill(y, 4);
		poison(EK_F64, z, N);
		expect_status(add(0, nan, beta[k], beta[k] == 0 ? nan : y, z), EK_OK);
		for (int i = 0; i < N; i++)
			assert_true(z[i] == beta[k] * y[i]);
		poison(EK_F64, z, N);
		expect_status(add(1, x, beta[k], beta[k] == 0 ? nan : y, z), EK_OK);
		for (int i = 0; i < N; i++)
			assert_true(z[i] == product[i] + beta[k] * y[i]);
	}
}

static void test_arguments(void **state)
{
	double room[3 * N] = {0}, *x = room, *y = room + N, *z = room + 2 * N;
	const ek_dense xv = ek_vector(EK_F64, N, x), yv = ek_vector(EK_F64, N, y),
		       zv = ek_vector(EK_F64, N, z), longer = ek_vector(EK_F64, N + 1, z),
		       other = ek_vector(EK_F32, N, z), none = ek_vector(EK_F64, N, NULL);
	ek_dense there = yv;

	(void)state;
	fill(x, 1);
	fill(y, 2);
	fill(z, 3);
	there.where = EK_ON_DEVICE;
	expect_error(add(1, x, 1, y, x), EK_EINVAL, "x and z overlap");
	expect_error(add(1, x, 1, y, x + 1), EK_EINVAL, "x and z overlap");
	expect_error(add(1, x, 1, y, y + 1), EK_EINVAL, "y and z overlap; the same vector");
	expect_error(add(1, x, 0, y + 1, y), EK_EINVAL, "y and z overlap; the same vector");
	expect_error(add(1, x, 1, y, val), EK_EINVAL, "z overlaps the array val of A");
	expect_error(ek_spmv_add(NULL, 1, &xv, 1, &yv, &zv), EK_EINVAL, "plan is NULL");
	expect_error(ek_spmv_add(plan, 1, NULL, 1, &yv, &zv), EK_EINVAL, "x is NULL");
	expect_error(ek_spmv_add(plan, 1, &xv, 1, NULL, &zv), EK_EINVAL, "y is NULL");
	expect_error(ek_spmv_add(plan, 1, &xv, 1, &yv, NULL), EK_EINVAL, "z is NULL");
	expect_error(ek_spmv_add(plan, 1, &xv, 1, &none, &zv), EK_EINVAL, "y.data is NULL");
	expect_error(ek_spmv_add(plan, 1, &xv, 1, &yv, &longer), EK_EINVAL, "z is 7 x 1");
	expect_error(ek_spmv_add(plan, 1, &xv, 1, &longer, &zv), EK_EINVAL, "y is 7 x 1");
	expect_error(ek_spmv_add(plan, 1, &xv, 1, &yv, &other), EK_EINVAL,
	             "z has values of type f32");
	expect_error(ek_spmv_add(plan, 1, &xv, 1, &there, &zv), EK_EINVAL,
	             "y lies on a device and z with the host");
	expect_error(ek_spmv_add(plan, 1, &xv, 1, &yv, &there), EK_EINVAL, "z is on a device");
	for (int i = 0; i < 3 * N; i++)
		assert_true(room[i] == i / N + 1 + i % N);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_shortcuts),
		cmocka_unit_test(test_arguments),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, open_all, close_all);
}
