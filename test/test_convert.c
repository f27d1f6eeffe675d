/* SPDX-License-Identifier: BSD-3-Clause
 * Tests conversion between all types, of matrices held by rows and by columns. Entries must keep
 * their values and order. What does not fit must be refused. Allocations also fail. */
#include <float.h>
#include <math.h>

#include "support/support.h"
#include "support/heap.h"
#include "support/shapes.h"

enum { TYPES = 6 };

static ek_value value_of(int type)
{
	return type < 3 ? EK_F32 : EK_F64;
}

static ek_index index_of(int type)
{
	return (ek_index)(EK_I32 + type % 3);
}

static int64_t index_at(const ek_view *v, int64_t k)
{
	return v->elem_size == 8 ? ((const int64_t *)v->data)[k] : ((const int32_t *)v->data)[k];
}

/* Checks that B has the value and index type of `type`, and the entries of `s` (exact in f32). */
static void check_entries(const ek_matrix *B, const struct shape *s, int type)
{
	ek_matrix_info info = {.size = sizeof info};
	ek_view ptr = {.size = sizeof ptr}, col = {.size = sizeof col}, val = {.size = sizeof val};

	expect_status(ek_matrix_get_info(B, &info), EK_OK);
	assert_string_equal(info.format, "csr");
	assert_false(info.borrowed);
	assert_true(info.rows == s->rows && info.cols == s->cols && info.nnz == s->nnz);
	assert_true(info.value == value_of(type) && info.index == index_of(type));
	expect_status(ek_matrix_check(B), EK_OK);
	expect_status(ek_matrix_array(B, "row_ptr", &ptr), EK_OK);
	expect_status(ek_matrix_array(B, "col_idx", &col), EK_OK);
	expect_status(ek_matrix_array(B, "val", &val), EK_OK);
	for (int64_t i = 0; i <= s->rows; i++)
		assert_true(index_at(&ptr, i) == s->ptr[i]);
	for (int64_t k = 0; k < s->nnz; k++)
		assert_true(index_at(&col, k) == s->col[k] &&
		            value_at(info.value, val.data, k) == s->val[k]);
}

/* Converts a matrix from one type to all types, held by rows and held by columns. In the second
 * case, columns ascend in each row of the result, as after transposing twice. */
static void check_from(ek_context *ctx, const struct shape *s, int from)
{
	struct shape turned, sorted;
	struct typed rows, columns;
	ek_matrix *A, *C, *B;

	shape_transpose(s, &turned);
	shape_transpose(&turned, &sorted);
	typed_make(&rows, s, value_of(from), index_of(from), 1);
	typed_make(&columns, &turned, value_of(from), index_of(from), 1);
	expect_status(typed_csr(ctx, &rows, EK_BORROW, &A), EK_OK);
	expect_status(typed_csc(ctx, &columns, EK_BORROW, &C), EK_OK);
	for (int to = 0; to < TYPES; to++) {
		expect_status(convert_types(A, value_of(to), index_of(to), &B), EK_OK);
		check_entries(B, s, to);
		ek_matrix_destroy(B);
		expect_status(convert_types(C, value_of(to), index_of(to), &B), EK_OK);
		check_entries(B, &sorted, to);
		ek_matrix_destroy(B);
	}
	ek_matrix_destroy(A);
	ek_matrix_destroy(C);
	typed_free(&rows);
	typed_free(&columns);
	shape_free(&turned);
	shape_free(&sorted);
}

static void test_shapes(void **state)
{
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context(&heap, 2, 0);
	int count = shape_count();

	(void)state;
	for (int k = 0; k < count; k++) {
		struct shape s;

		shape_make(&s, k, DATA_EXACT);
		if (test_tier() >= TIER_FULL || shape_is_core(k))
			for (int from = 0; from < TYPES; from++)
				check_from(ctx, &s, from);
		else
			check_from(ctx, &s, k % TYPES);
		shape_free(&s);
	}
	ek_context_destroy(ctx);
	heap_close(&heap);
}

/* Converts a matrix to other types and back. All threads have entries to convert. */
static void test_large(void **state)
{
	static const char *const name[] = {"row_ptr", "col_idx", "val"};
	ek_options options = {.size = sizeof options, .threads = 3};
	ek_context *ctx = NULL;
	ek_matrix *A, *B, *C;

	(void)state;
	expect_status(ek_context_create(&options, &ctx), EK_OK);
	expect_status(ek_matrix_generate(ctx, "powerlaw:rows=100000,cols=1000000,values=integer",
	                                 EK_F64, EK_I32, &A),
	              EK_OK);
	expect_status(convert_types(A, EK_F32, EK_I64, &B), EK_OK);
	expect_status(convert_types(B, EK_F64, EK_I32, &C), EK_OK);
	for (int k = 0; k < 3; k++) {
		ek_view a = {.size = sizeof a}, c = {.size = sizeof c};

		expect_status(ek_matrix_array(A, name[k], &a), EK_OK);
		expect_status(ek_matrix_array(C, name[k], &c), EK_OK);
		assert_true(a.len == c.len && a.elem_size == c.elem_size);
		assert_memory_equal(a.data, c.data, (size_t)a.len * a.elem_size);
	}
	ek_matrix_destroy(A);
	ek_matrix_destroy(B);
	ek_matrix_destroy(C);
	ek_context_destroy(ctx);
}

/* Checks that f64 is rounded to nearest, NaN and infinity stay, and too large values are
 * refused. */
static void test_values(void **state)
{
	static const struct {
		double from;
		float to; /* expected result, or 0 if the value must be refused */
	} cases[] = {
		{1 + 0x1p-24, 1},
		{1 + 0x1.8p-23, 1 + 0x1p-22f},
		{FLT_MAX, FLT_MAX},
		{-0x1.fffffefffffffp127, -FLT_MAX},
		{0x1.ffffffp127, 0},
		{-0x1p128, 0},
		{1e300, 0},
		{0x1p-149, 0x1p-149f},
		{(double)INFINITY, INFINITY},
		{-(double)INFINITY, -INFINITY},
	};
	int32_t ptr[] = {0, 0, 2}, col[] = {0, 1};
	double val[] = {5, 5};
	ek_context *ctx = NULL;
	ek_matrix *A, *B = NULL;
	ek_view view = {.size = sizeof view};

	(void)state;
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 2, 2, ptr, col, val, EK_BORROW, &A),
	              EK_OK);
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		val[1] = cases[k].from;
		if (cases[k].to == 0) {
			expect_error(convert_types(A, EK_F32, EK_I32, &B), EK_EOVERFLOW,
			             "entry 1 (row 1, column 1)");
			assert_null(B);
			continue;
		}
		expect_status(convert_types(A, EK_F32, EK_I64_32, &B), EK_OK);
		expect_status(ek_matrix_array(B, "val", &view), EK_OK);
		assert_true(((const float *)view.data)[1] == cases[k].to);
		ek_matrix_destroy(B);
		B = NULL;
	}
	val[1] = (double)NAN;
	expect_status(convert_types(A, EK_F32, EK_I32, &B), EK_OK);
	expect_status(ek_matrix_array(B, "val", &view), EK_OK);
	assert_true(isnan(((const float *)view.data)[1]));
	ek_matrix_destroy(B);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
}

static void test_refusals(void **state)
{
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context(&heap, 2, 0);
	int64_t ptr[] = {0, 1}, col[] = {2999999999};
	double val[] = {1};
	ek_matrix *A, *B = NULL;

	(void)state;
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I64, 1, 3000000000, ptr, col, val,
	                                 EK_BORROW, &A),
	              EK_OK);
	expect_error(convert_types(A, EK_F64, EK_I32, &B), EK_EOVERFLOW, "3000000000 columns");
	expect_error(convert_types(A, EK_F64, EK_I64_32, &B), EK_EOVERFLOW, "64/32");
	expect_error(convert_types(A, (ek_value)3, EK_I64, &B), EK_EINVAL, "value is 3");
	expect_error(convert_types(A, EK_F32, (ek_index)4, &B), EK_EINVAL, "index is 4");
	expect_error(convert_types(A, EK_F32, EK_I64, NULL), EK_EINVAL, "B,");
	expect_error(convert_types(NULL, EK_F32, EK_I64, &B), EK_EINVAL, "A is NULL");
	assert_null(B);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
	heap_close(&heap);
}

static void test_allocations(void **state)
{
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context(&heap, 2, 0);
	struct shape s;
	struct typed t;

	(void)state;
	shape_make(&s, shape_count() / 2, DATA_EXACT);
	typed_make(&t, &s, EK_F64, EK_I32, 1);
	for (int columns = 0; columns < 2; columns++) {
		ek_status status = EK_ENOMEM;
		ek_matrix *A, *B = NULL;

		expect_status((columns ? typed_csc : typed_csr)(ctx, &t, EK_BORROW, &A), EK_OK);
		for (long n = 0; status != EK_OK; n++) {
			heap_fail(&heap, n, false);
			status = convert_types(A, EK_F32, EK_I64, &B);
			heap_fail(&heap, -1, false);
			assert_true(status == (B ? EK_OK : EK_ENOMEM));
			assert_true(n < 20);
		}
		ek_matrix_destroy(B);
		ek_matrix_destroy(A);
	}
	typed_free(&t);
	shape_free(&s);
	ek_context_destroy(ctx);
	heap_close(&heap);
}

/* Checks that each array of the format is found by its name, and that their sizes add up to the
 * bytes that the matrix reports. */
static void check_arrays(const ek_matrix *A, const ek_format *f)
{
	ek_matrix_info info = {.size = sizeof info};
	int64_t bytes = 0;
	ek_view view = {.size = sizeof view};
	int k = 0;

	expect_status(ek_matrix_get_info(A, &info), EK_OK);
	assert_string_equal(info.format, ek_format_name(f));
	for (; ek_format_array(f, k); k++) {
		expect_status(ek_matrix_array(A, ek_format_array(f, k), &view), EK_OK);
		assert_true(!view.type || ek_value_size(view.type) == view.elem_size);
		bytes += view.len * (int64_t)view.elem_size;
	}
	assert_true(k > 0 && bytes == info.bytes);
	assert_null(ek_format_array(f, k + 1));
	assert_null(ek_format_array(f, -1));
}

static void test_arrays(void **state)
{
	ek_context *ctx = NULL;
	ek_matrix *A, *B;

	(void)state;
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	assert_null(ek_format_array(NULL, 0));
	for (int type = 0; type < TYPES; type++) {
		ek_view view = {.size = sizeof view};

		expect_status(ek_matrix_generate(ctx, "poisson2d5:nx=7,ny=5", value_of(type),
		                                 index_of(type), &A),
		              EK_OK);
		expect_status(ek_matrix_array(A, "col_idx", &view), EK_OK);
		assert_int_equal(view.type, index_of(type) == EK_I64 ? EK_INT64 : EK_INT32);
		expect_status(ek_matrix_array(A, "val", &view), EK_OK);
		assert_int_equal(view.type, value_of(type));
		for (const ek_format *f = NULL; (f = ek_format_next(f));) {
			expect_status(ek_matrix_convert(A, ek_format_name(f), NULL, &B), EK_OK);
			check_arrays(B, f);
			ek_matrix_destroy(B);
		}
		ek_matrix_destroy(A);
	}
	ek_context_destroy(ctx);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),      cmocka_unit_test(test_large),
		cmocka_unit_test(test_values),      cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_allocations), cmocka_unit_test(test_arrays),
	};

	(void)argc;
	test_passive_threads(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
