/* SPDX-License-Identifier: BSD-3-Clause
 * Tests arguments that operations on sparse vectors and on sets of pairs refuse: status, message,
 * and unchanged outputs. */
#include <math.h>

#include "support/context.h"
#include "support/support.h"

/* Valid arguments; a test changes one of them. */
static struct args {
	ek_context *ctx;
	int32_t xi[3], yi[3], zi[6];
	double xv[3], yv[3], zv[6], data[10], result;
	ek_sparse x, y, z;
	ek_pairs a, b, out;
	ek_dense d;
	int64_t count;
	ek_array_options options;
} right, now;

/* Makes all arguments valid again. */
static void reset(void)
{
	now = (struct args){.xi = {1, 4, 9}, .yi = {0, 4, 8}, .xv = {1, 2, 3}, .yv = {4, 5, 6}};
	now.options.size = sizeof now.options;
	now.count = -5;
	now.result = -7;
	for (int k = 0; k < 6; k++) {
		now.zi[k] = 77;
		now.zv[k] = 78;
	}
	for (int k = 0; k < 10; k++)
		now.data[k] = k;
	now.x = ek_sparse_vector(EK_F64, EK_INT32, 10, 3, now.xi, now.xv);
	now.y = ek_sparse_vector(EK_F64, EK_INT32, 10, 3, now.yi, now.yv);
	now.z = ek_sparse_vector(EK_F64, EK_INT32, 10, 6, now.zi, now.zv);
	now.a = ek_key_value(EK_INT32, 8, 3, now.xi, now.xv);
	now.b = ek_key_value(EK_INT32, 8, 3, now.yi, now.yv);
	now.out = ek_key_value(EK_INT32, 8, 6, now.zi, now.zv);
	now.d = ek_vector(EK_F64, 10, now.data);
	right = now;
}

static ek_status add(void)
{
	return ek_sparse_add(ctx, &now.options, 2, &now.x, 3, &now.y, &now.count, &now.z);
}

static ek_status dot(void)
{
	return ek_sparse_dot(ctx, &now.options, &now.x, &now.y, &now.result);
}

static ek_status dot_dense(void)
{
	return ek_sparse_dot_dense(ctx, &now.options, &now.x, &now.d, &now.result);
}

static ek_status axpy(void)
{
	return ek_sparse_axpy(ctx, &now.options, 2, &now.x, &now.d);
}

static ek_status gather(void)
{
	return ek_gather(ctx, &now.options, &now.d, &now.x);
}

static ek_status gather_zero(void)
{
	return ek_gather_zero(ctx, &now.options, &now.d, &now.x);
}

static ek_status scatter(void)
{
	return ek_scatter(ctx, &now.options, &now.x, &now.d);
}

static ek_status unite(void)
{
	return ek_pairs_union(ctx, &now.options, EK_F64, EK_SUM, &now.a, &now.b, &now.count,
	                      &now.out);
}

static ek_status intersect(void)
{
	return ek_pairs_intersection(ctx, &now.options, EK_F64, EK_SUM, &now.a, &now.b, &now.count,
	                             &now.out);
}

/* Checks that a call is refused and changes nothing, then makes the arguments valid again. */
static void refused(ek_status (*call)(void), ek_status status, const char *part)
{
	const struct args before = now;

	expect_error(call(), status, part);
	assert_memory_equal(&before, &now, sizeof now);
	reset();
}

static ek_status (*const dense[])(void) = {dot_dense, axpy, gather, gather_zero, scatter};
static ek_status (*const two[])(void) = {add, dot};

/* Changes an argument and expects each call of the list to be refused. */
#define REFUSED(list, change, status, part)                                  \
	do {                                                                 \
		for (size_t k_ = 0; k_ < sizeof list / sizeof *list; k_++) { \
			reset();                                             \
			change;                                              \
			refused(list[k_], status, part);                     \
		}                                                            \
	} while (0)

static void test_x(void **state)
{
	(void)state;
	REFUSED(dense, now.x.value = (ek_value)9, EK_EINVAL, "x->value is 9; EK_F32");
	REFUSED(two, now.x.value = (ek_value)9, EK_EINVAL, "x->value is 9; EK_F32");
	REFUSED(dense, now.x.index = EK_F32, EK_EINVAL, "x->index is 1; EK_INT32 or EK_INT64");
	REFUSED(dense, now.x.n = -1, EK_EINVAL, "x->n is -1");
	REFUSED(dense, now.x.nnz = -1, EK_EINVAL, "x->nnz is -1");
	REFUSED(two, now.x.nnz = INT64_MAX / 2, EK_EOVERFLOW, "x->nnz is");
	REFUSED(dense, now.x.idx = NULL, EK_EINVAL, "x->idx is NULL");
	REFUSED(two, now.x.val = NULL, EK_EINVAL, "x->val is NULL");
	REFUSED(two, now.x.idx = (char *)now.xi + 1, EK_EINVAL, "x->idx");
	REFUSED(dense, now.x.size = 3, EK_EINVAL, "x.size is 3");
	expect_error(ek_gather(ctx, NULL, &now.d, NULL), EK_EINVAL, "x is NULL");
	expect_error(ek_sparse_axpy(ctx, NULL, 1, NULL, &now.d), EK_EINVAL, "x is NULL");
	expect_error(ek_sparse_dot(ctx, NULL, &now.x, NULL, &now.result), EK_EINVAL, "y is NULL");
	expect_error(ek_sparse_dot(NULL, NULL, &now.x, &now.y, &now.result), EK_EINVAL, "ctx");
}

static void test_indices(void **state)
{
	(void)state;
	REFUSED(dense, now.xi[0] = -1, EK_ERANGE, "x->idx[0] is -1; x->n is 10, so 0 to 9");
	REFUSED(dense, now.xi[2] = 10, EK_ERANGE, "x->idx[2] is 10; x->n is 10, so 0 to 9");
	REFUSED(dense, now.xi[1] = 1, EK_ERANGE, "x->idx[1] is 1; more than the index before, 1");
	REFUSED(two, now.xi[2] = 3, EK_ERANGE, "x->idx[2] is 3; more than the index before, 4");
	REFUSED(two, now.yi[2] = 11, EK_ERANGE, "y->idx[2] is 11");
	reset();
	now.options.flags = EK_TRUSTED;
	expect_status(add(), EK_OK);
}

static void test_like(void **state)
{
	(void)state;
	REFUSED(two, now.y.value = EK_INT64, EK_EINVAL, "y->value is i64, and x->value is f64");
	REFUSED(two, now.y.index = EK_INT64, EK_EINVAL, "y->");
	REFUSED(two, now.y.n = 11, EK_EINVAL, "y->n is 11, and x->n is 10");
	REFUSED(dense, now.d.value = EK_F32, EK_EINVAL,
	        "y has values of type f32, and x of type f64");
	REFUSED(dense, now.d.rows = 9, EK_EINVAL, "y is 9 x 1; x->n is 10");
	REFUSED(dense, now.d.cols = 2, EK_EINVAL, "y is 10 x 2");
	REFUSED(dense, now.d.ld = 9, EK_EINVAL, "leading dimension 9");
	REFUSED(dense, now.d.order = EK_ROW_MAJOR, EK_EINVAL, "EK_COL_MAJOR is expected");
	REFUSED(dense, now.d.where = EK_ON_DEVICE, EK_EINVAL, "y.where is 1");
	REFUSED(dense, now.d.data = NULL, EK_EINVAL, "y.data is NULL");
	REFUSED(dense, now.options.method = "scan.serial", EK_EINVAL, "scan.serial");
}

static void test_result(void **state)
{
	(void)state;
	reset();
	now.z.nnz = 5;
	refused(add, EK_EINVAL, "z->nnz is 5, and z must have space for x->nnz + y->nnz = 6");
	now.z.idx = now.xi;
	refused(add, EK_EINVAL, "x->idx and z->idx overlap");
	now.z.val = now.yv;
	refused(add, EK_EINVAL, "y->val and z->val overlap");
	now.z.val = now.zi;
	refused(add, EK_EINVAL, "overlap");
	expect_error(ek_sparse_add(ctx, NULL, 1, &now.x, 1, &now.y, NULL, &now.z), EK_EINVAL,
	             "count is NULL");
	expect_error(
		ek_sparse_add(ctx, NULL, 1, &now.x, 1, &now.y, (int64_t *)(void *)now.zv, &now.z),
		EK_EINVAL, "z->val and count overlap");
	expect_error(ek_sparse_dot(ctx, NULL, &now.x, &now.y, NULL), EK_EINVAL, "result is NULL");
	expect_error(ek_sparse_dot(ctx, NULL, &now.x, &now.y, &now.xv[1]), EK_EINVAL,
	             "x->val and result overlap");
	now.d.data = now.xv;
	now.d.rows = now.d.ld = now.x.n = 3;
	now.xi[0] = 0, now.xi[1] = 1, now.xi[2] = 2;
	refused(axpy, EK_EINVAL, "x->val and y.data overlap");
	now.x.val = now.data;
	refused(gather, EK_EINVAL, "overlap");
	now.x.val = &now.data[7];
	refused(gather_zero, EK_EINVAL, "overlap");
	now.x.val = now.data;
	expect_status(dot_dense(), EK_OK); /* inputs may overlap */
}

static void test_factors(void **state)
{
	int32_t val[3] = {1, 2, 3}, y[10] = {0};
	const ek_sparse x = ek_sparse_vector(EK_INT32, EK_INT32, 10, 3, right.xi, val);
	const ek_dense dy = ek_vector(EK_INT32, 10, y);

	(void)state;
	expect_error(ek_sparse_axpy(ctx, NULL, 0.5, &x, &dy), EK_EINVAL,
	             "alpha is 0.5; a number of type i32 is expected");
	expect_error(ek_sparse_axpy(ctx, NULL, 0x1p31, &x, &dy), EK_EINVAL, "of type i32");
	expect_error(ek_sparse_axpy(ctx, NULL, (double)NAN, &x, &dy), EK_EINVAL, "alpha is");
	expect_status(ek_sparse_axpy(ctx, NULL, -0x1p31, &x, &dy), EK_OK);
	assert_int_equal(y[1], INT32_MIN);
	assert_int_equal(y[4], 0);
}

static void test_pairs(void **state)
{
	static ek_status (*const pairs[])(void) = {unite, intersect};

	(void)state;
	REFUSED(pairs, now.a.type = EK_F64, EK_EINVAL, "a->type is 2; EK_INT32 or EK_INT64");
	REFUSED(pairs, now.b.value_size = 4, EK_EINVAL, "b->value_size is 4");
	REFUSED(pairs, now.out.n = 2, EK_EINVAL, "out->n is 2, and the result may have");
	REFUSED(pairs, now.out.key = now.xi, EK_EINVAL, "overlap");
	REFUSED(pairs, now.b.key = NULL, EK_EINVAL, "b->key is NULL");
	REFUSED(pairs, now.b.value = NULL, EK_EINVAL, "b->value is NULL");
	REFUSED(pairs, now.b.n = -2, EK_EINVAL, "b->n is -2");
	REFUSED(pairs, now.out.type = EK_INT64, EK_EINVAL, "out->");
	expect_error(ek_pairs_union(ctx, NULL, (ek_value)0, EK_SUM, &now.a, &now.b, &now.count,
	                            &now.out),
	             EK_EINVAL, "type is 0");
	expect_error(ek_pairs_union(ctx, NULL, EK_F64, EK_OR, &now.a, &now.b, &now.count, &now.out),
	             EK_EINVAL, "EK_OR");
	expect_error(ek_pairs_union(ctx, NULL, EK_F64, EK_SUM, NULL, &now.b, &now.count, &now.out),
	             EK_EINVAL, "a is NULL");
	expect_error(
		ek_pairs_intersection(ctx, NULL, EK_F64, EK_SUM, &now.a, &now.b, NULL, &now.out),
		EK_EINVAL, "count is NULL");
	expect_status(intersect(), EK_OK);
	assert_int_equal(now.count, 1);
	assert_int_equal(now.zi[0], 4);
	assert_true(now.zv[0] == 7);
}

/* Tests vectors without entries, and of length 0. */
static void test_empty(void **state)
{
	const ek_sparse none = ek_sparse_vector(EK_F64, EK_INT64, 0, 0, NULL, NULL);
	const ek_dense y = ek_vector(EK_F64, 0, NULL);
	double sum = 5;
	int64_t count = 5;

	(void)state;
	for (const ek_method *m = NULL; (m = any_processor_method_next(m));) {
		const ek_array_options o = {.size = sizeof o, .method = ek_method_name(m)};

		sum = 5, count = 5;
		switch (ek_method_operation(m)) {
		case EK_SPARSE_DOT:
			expect_status(ek_sparse_dot(ctx, &o, &none, &none, &sum), EK_OK);
			assert_true(sum == 0);
			break;
		case EK_SPARSE_DOT_DENSE:
			expect_status(ek_sparse_dot_dense(ctx, &o, &none, &y, &sum), EK_OK);
			assert_true(sum == 0);
			break;
		case EK_SPARSE_ADD:
			expect_status(ek_sparse_add(ctx, &o, 1, &none, 1, &none, &count, &none),
			              EK_OK);
			assert_int_equal(count, 0);
			break;
		case EK_SPARSE_AXPY:
			expect_status(ek_sparse_axpy(ctx, &o, 1, &none, &y), EK_OK);
			break;
		case EK_GATHER: expect_status(ek_gather(ctx, &o, &y, &none), EK_OK); break;
		case EK_SCATTER: expect_status(ek_scatter(ctx, &o, &none, &y), EK_OK); break;
		default: break;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x),       cmocka_unit_test(test_indices),
		cmocka_unit_test(test_like),    cmocka_unit_test(test_result),
		cmocka_unit_test(test_factors), cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_empty),
	};

	reset();
	return run_all_tests(tests, context_setup, context_teardown);
}
