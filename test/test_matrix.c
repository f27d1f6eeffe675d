/* SPDX-License-Identifier: BSD-3-Clause
 * Tests matrices made from arrays: ownership of the arrays, index bases, duplicates, new values,
 * and the errors for bad arrays. */
#include "plan/plan.h"
#include "support/support.h"
#include "support/context.h"
#include "support/shapes.h"

/* A 3 x 4 matrix with unsorted columns and one empty row. Its values are stored as 3, 7, 5:
 *   . . 3 .
 *   . . . .
 *   5 . . 7 */
static const int32_t ptr[] = {0, 1, 1, 3}, col[] = {2, 3, 0};
static const double val[] = {3, 7, 5};

static void expect_array(const ek_matrix *A, const char *name, const void *data, int64_t len,
                         size_t size, bool same)
{
	ek_view view = {.size = sizeof view};

	expect_status(ek_matrix_array(A, name, &view), EK_OK);
	assert_int_equal(view.len, len);
	assert_int_equal(view.elem_size, size);
	assert_memory_equal(view.data, data, (size_t)len * size);
	if (same)
		assert_ptr_equal(view.data, data);
	else
		assert_ptr_not_equal(view.data, data);
}

/* ---- Ownership ------------------------------------------------------------------------------- */

static void test_borrow_and_copy(void **state)
{
	ek_matrix_info info = {.size = sizeof info};
	ek_matrix *A;

	(void)state;
	for (int copy = 0; copy < 2; copy++) {
		unsigned flags = copy ? EK_COPY : EK_BORROW;

		expect_status(
			ek_matrix_from_csr(ctx, EK_F64, EK_I32, 3, 4, ptr, col, val, flags, &A),
			EK_OK);
		expect_array(A, "row_ptr", ptr, 4, 4, !copy);
		expect_array(A, "col_idx", col, 3, 4, !copy);
		expect_array(A, "val", val, 3, 8, !copy);
		expect_status(ek_matrix_get_info(A, &info), EK_OK);
		assert_int_equal(info.rows, 3);
		assert_int_equal(info.cols, 4);
		assert_int_equal(info.nnz, 3);
		assert_int_equal(info.value, EK_F64);
		assert_int_equal(info.index, EK_I32);
		assert_string_equal(info.format, "csr");
		assert_int_equal(info.borrowed, !copy);
		assert_int_equal(info.bytes, 4 * 4 + 3 * 4 + 3 * 8);
		ek_matrix_destroy(A);
		expect_status(
			ek_matrix_from_csc(ctx, EK_F64, EK_I32, 4, 3, ptr, col, val, flags, &A),
			EK_OK);
		expect_array(A, "col_ptr", ptr, 4, 4, !copy);
		expect_array(A, "row_idx", col, 3, 4, !copy);
		expect_array(A, "val", val, 3, 8, !copy);
		expect_status(ek_matrix_get_info(A, &info), EK_OK);
		assert_int_equal(info.rows, 4);
		assert_int_equal(info.cols, 3);
		assert_string_equal(info.format, "csc");
		ek_matrix_destroy(A);
	}
	ek_matrix_destroy(NULL);
}

/* Checks that adopted arrays are freed by the context's memory hook, and still belong to the caller
 * if the call fails. */
static void test_adopt(void **state)
{
	long live = atomic_load(&heap.live);
	int32_t *p = heap_block(&heap, sizeof ptr), *c = heap_block(&heap, sizeof col);
	double *v = heap_block(&heap, sizeof val);
	ek_matrix *A = NULL;

	(void)state;
	memcpy(p, ptr, sizeof ptr);
	memcpy(c, col, sizeof col);
	memcpy(v, val, sizeof val);
	c[1] = 4;
	expect_error(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 3, 4, p, c, v, EK_ADOPT, &A),
	             EK_ERANGE, "col_idx[1] is 4");
	assert_null(A);
	assert_int_equal(atomic_load(&heap.live), live + 3);
	assert_int_equal(c[1], 4);
	c[1] = 3;
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 3, 4, p, c, v, EK_ADOPT, &A), EK_OK);
	expect_array(A, "val", v, 3, 8, true);
	v[0] = 1;
	expect_status(ek_matrix_values_changed(A), EK_OK);
	expect_status(ek_matrix_set_values(A, 3, val), EK_OK);
	assert_true(v[0] == 3);
	ek_matrix_destroy(A);
	assert_int_equal(atomic_load(&heap.live), live);
}

static void test_base1(void **state)
{
	static const int32_t p1[] = {1, 2, 2, 4}, c1[] = {3, 4, 1}, r1[] = {1, 3, 3};
	static const int32_t low[] = {3, 0, 1}, min[] = {3, INT32_MIN, 1};
	ek_matrix *A = NULL;

	(void)state;
	expect_error(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 3, 4, ptr, col, val,
	                                EK_BASE1 | EK_COPY, &A),
	             EK_ERANGE, "row_ptr(1) is 0");
	expect_error(
		ek_matrix_from_csr(ctx, EK_F64, EK_I32, 3, 4, p1, low, val, EK_BASE1 | EK_COPY, &A),
		EK_ERANGE, "col_idx(2)");
	expect_error(
		ek_matrix_from_csr(ctx, EK_F64, EK_I32, 3, 4, p1, min, val, EK_BASE1 | EK_COPY, &A),
		EK_ERANGE, "col_idx(2)");
	expect_error(ek_matrix_from_coo(ctx, EK_F64, EK_I32, 3, 4, 3, r1, min, val, EK_BASE1, &A),
	             EK_ERANGE, "col_idx(2)");
	assert_null(A);
	expect_status(
		ek_matrix_from_csr(ctx, EK_F64, EK_I32, 3, 4, p1, c1, val, EK_BASE1 | EK_COPY, &A),
		EK_OK);
	expect_array(A, "row_ptr", ptr, 4, 4, false);
	expect_array(A, "col_idx", col, 3, 4, false);
	ek_matrix_destroy(A);
	expect_status(ek_matrix_from_coo(ctx, EK_F64, EK_I32, 3, 4, 3, r1, c1, val, EK_BASE1, &A),
	              EK_OK);
	expect_array(A, "row_ptr", ptr, 4, 4, false);
	expect_array(A, "col_idx", (int32_t[]){2, 0, 3}, 3, 4, false);
	expect_array(A, "val", (double[]){3, 5, 7}, 3, 8, false);
	ek_matrix_destroy(A);
}

/* ---- Duplicates and order -------------------------------------------------------------------- */

/* A 2 x 6 matrix with duplicates: row 0 has columns 5, 1, 5, 1 and 1, row 1 has column 0. */
static const int32_t dup_ptr[] = {0, 5, 6}, dup_row[] = {0, 0, 0, 0, 0, 1},
		     dup_col[] = {5, 1, 5, 1, 1, 0};
static const double dup_val[] = {1, 2, 4, 8, 16, 32};

static void test_duplicates(void **state)
{
	static const struct {
		unsigned policy;
		double first, second;
	} merged[] = {{EK_DUP_SUM, 26, 5}, {EK_DUP_LAST, 16, 4}};
	ek_matrix *A = NULL;

	(void)state;
	expect_status(
		ek_matrix_from_csr(ctx, EK_F64, EK_I32, 2, 6, dup_ptr, dup_col, dup_val, 0, &A),
		EK_OK);
	expect_array(A, "col_idx", dup_col, 6, 4, true); /* duplicates stay, in the given order */
	ek_matrix_destroy(A);
	for (int k = 0; k < 2; k++) {
		double sums[] = {merged[k].first, merged[k].second, 32};
		unsigned policy = merged[k].policy;

		expect_error(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 2, 6, dup_ptr, dup_col,
		                                dup_val, policy, &A),
		             EK_EINVAL, "EK_COPY");
		expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 2, 6, dup_ptr, dup_col,
		                                 dup_val, policy | EK_COPY, &A),
		              EK_OK);
		expect_array(A, "val", sums, 3, 8, false);
		expect_error(ek_matrix_set_values(A, 6, dup_val), EK_EINVAL, "order");
		ek_matrix_destroy(A);
		expect_status(ek_matrix_from_coo(ctx, EK_F64, EK_I32, 2, 6, 6, dup_row, dup_col,
		                                 dup_val, policy, &A),
		              EK_OK);
		expect_array(A, "row_ptr", (int32_t[]){0, 2, 3}, 3, 4, false);
		expect_array(A, "col_idx", (int32_t[]){1, 5, 0}, 3, 4, false);
		expect_array(A, "val", sums, 3, 8, false);
		ek_matrix_destroy(A);
	}
}

static void test_duplicates_refused(void **state)
{
	ek_matrix *A = NULL;

	(void)state;
	for (int owner = 0; owner < 2; owner++) {
		unsigned flags = EK_DUP_ERROR | (owner ? EK_COPY : EK_BORROW);

		expect_error(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 2, 6, dup_ptr, dup_col,
		                                dup_val, flags, &A),
		             EK_ERANGE, "repeats row 0, column 1");
		assert_null(A);
		/* Without duplicates, new values can be given in the order of entries. */
		expect_status(
			ek_matrix_from_csr(ctx, EK_F64, EK_I32, 3, 4, ptr, col, val, flags, &A),
			EK_OK);
		expect_array(A, "col_idx", col, 3, 4, !owner);
		if (owner) {
			expect_status(ek_matrix_set_values(A, 3, dup_val), EK_OK);
			expect_array(A, "val", dup_val, 3, 8, false);
		}
		ek_matrix_destroy(A);
		A = NULL;
	}
	expect_error(ek_matrix_from_coo(ctx, EK_F64, EK_I32, 2, 6, 6, dup_row, dup_col, dup_val,
	                                EK_DUP_ERROR, &A),
	             EK_ERANGE, "row 0, column 1");
}

static void test_keep_order(void **state)
{
	static const unsigned policy[] = {0, EK_DUP_SUM, EK_DUP_LAST};
	static const double other[] = {100, 200, 400, 800, 1600, 3200};
	ek_matrix_info before = {.size = sizeof before}, after = before;

	(void)state;
	for (int k = 0; k < 3; k++)
		for (int index = EK_I32; index <= EK_I64_32; index++) {
			ek_matrix *A, *B;
			ek_view view = {.size = sizeof view};

			expect_status(ek_matrix_from_coo(ctx, EK_F64, (ek_index)index, 2, 6, 6,
			                                 dup_row, dup_col, dup_val,
			                                 policy[k] | EK_KEEP_ORDER, &A),
			              EK_OK);
			expect_status(ek_matrix_from_coo(ctx, EK_F64, (ek_index)index, 2, 6, 6,
			                                 dup_row, dup_col, other, policy[k], &B),
			              EK_OK);
			expect_error(ek_matrix_set_values(B, 6, other), EK_EINVAL, "EK_KEEP_ORDER");
			expect_status(ek_matrix_get_info(A, &before), EK_OK);
			expect_error(ek_matrix_set_values(A, 3, other), EK_EINVAL,
			             "made from 6 values");
			expect_status(ek_matrix_set_values(A, 6, other), EK_OK);
			expect_status(ek_matrix_get_info(A, &after), EK_OK);
			assert_true(after.state > before.state);
			expect_status(ek_matrix_array(B, "val", &view), EK_OK);
			expect_array(A, "val", view.data, view.len, 8, false);
			ek_matrix_destroy(A);
			ek_matrix_destroy(B);
		}
}

static void test_set_values_refused(void **state)
{
	ek_matrix *A;

	(void)state;
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 3, 4, ptr, col, val, 0, &A), EK_OK);
	expect_error(ek_matrix_set_values(A, 3, val), EK_EINVAL, "borrowed");
	ek_matrix_destroy(A);
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 3, 4, ptr, col, val, EK_COPY, &A),
	              EK_OK);
	expect_error(ek_matrix_set_values(A, 2, val), EK_EINVAL, "count is 2");
	expect_error(ek_matrix_set_values(A, 3, NULL), EK_EINVAL, "val is NULL");
	expect_error(ek_matrix_set_values(A, 3, (const char *)val + 1), EK_EINVAL, "aligned");
	expect_array(A, "val", val, 3, 8, false);
	ek_matrix_destroy(A);
}

/* ---- Bad arrays ------------------------------------------------------------------------------ */

/* Checks that EK_TRUSTED postpones checks, and that ek_matrix_check then finds the faults. */
static void test_trusted(void **state)
{
	static const int32_t wrong[] = {2, 4, 0};
	ek_matrix *A;

	(void)state;
	expect_status(
		ek_matrix_from_csr(ctx, EK_F64, EK_I32, 3, 4, ptr, wrong, val, EK_TRUSTED, &A),
		EK_OK);
	expect_error(ek_matrix_check(A), EK_ERANGE, "col_idx[1] is 4 (in row 2)");
	ek_matrix_destroy(A);
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 3, 4, ptr, col, val, EK_TRUSTED, &A),
	              EK_OK);
	expect_status(ek_matrix_check(A), EK_OK);
	ek_matrix_destroy(A);
}

/* Row pointers and columns of a 3 x 4 matrix in CSR, or of a 4 x 3 matrix in CSC. `number` is the
 * number of the case in the project's list of bad inputs (74 to 79, 83 and 84). */
static const struct {
	int number;
	int64_t ptr[4], col[3];
	ek_status status;
	const char *csr, *csc; /* parts of the messages for CSR and for CSC */
} bad[] = {
	{74, {1, 1, 1, 3}, {0, 1, 2}, EK_ERANGE, "row_ptr[0] is 1", "col_ptr[0] is 1"},
	{74, {-1, 1, 1, 3}, {0, 1, 2}, EK_ERANGE, "row_ptr[0] is -1", "col_ptr[0] is -1"},
	{75, {0, 2, 1, 3}, {0, 1, 2}, EK_ERANGE, "row_ptr[1] = 2 to row_ptr[2] = 1", "col_ptr[1]"},
	{75, {0, 4, 4, 3}, {0, 1, 2}, EK_ERANGE, "row_ptr[2] = 4 to row_ptr[3] = 3", "col_ptr[2]"},
	{75, {0, 0, 0, -1}, {0, 1, 2}, EK_ERANGE, "row_ptr[3]", "col_ptr[3]"},
	{75, {0, 0, 0, INT32_MIN}, {0, 1, 2}, EK_ERANGE, "row_ptr[3]", "col_ptr[3]"},
	{78, {0, 0, 0, INT32_MAX}, {0, 1, 2}, EK_EOVERFLOW, "2147483647 entries", "2147483647"},
	{79, {0, 1, 1, 3}, {0, 4, 2}, EK_ERANGE, "col_idx[1] is 4 (in row 2)", "row_idx[1] is 4"},
	{79, {0, 1, 1, 3}, {0, 1, -1}, EK_ERANGE, "col_idx[2] is -1", "row_idx[2] is -1"},
	{79, {0, 1, 1, 3}, {INT32_MIN, 1, 1}, EK_ERANGE, "col_idx[0] is -2147483648", "row_idx[0]"},
	{77, {0, 1, 1, 2}, {0, 1, 99}, EK_OK, "", ""}, /* the rest of the array is ignored */
	{83, {0, 3, 3, 3}, {3, 0, 2}, EK_OK, "", ""},
	{84, {0, 3, 3, 3}, {1, 1, 1}, EK_OK, "", ""},
};

static void check_bad(size_t k, ek_index index, unsigned flags, bool csc)
{
	int32_t p32[4], c32[3];
	const void *p = index == EK_I32 ? (const void *)p32 : bad[k].ptr;
	const void *c = index == EK_I64 ? (const void *)bad[k].col : c32;
	ek_matrix *A = NULL;
	ek_status status;

	for (int i = 0; i < 4; i++)
		p32[i] = (int32_t)bad[k].ptr[i];
	for (int i = 0; i < 3; i++)
		c32[i] = (int32_t)bad[k].col[i];
	status = csc ? ek_matrix_from_csc(ctx, EK_F64, index, 4, 3, p, c, val, flags, &A)
	             : ek_matrix_from_csr(ctx, EK_F64, index, 3, 4, p, c, val, flags, &A);
	if (bad[k].status == EK_OK) {
		expect_status(status, EK_OK);
		expect_status(ek_matrix_check(A), EK_OK);
		ek_matrix_destroy(A);
		return;
	}
	expect_error(status, bad[k].status, csc ? bad[k].csc : bad[k].csr);
	assert_null(A);
}

static void test_bad_arrays(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
		for (int index = EK_I32; index <= EK_I64; index++)
			for (int way = 0; way < 4; way++)
				if (bad[k].number != 78 || index == EK_I32)
					check_bad(k, (ek_index)index, way & 1 ? EK_COPY : EK_BORROW,
					          way / 2);
}

static void test_bad_coordinates(void **state)
{
	static const int32_t good[] = {0, 1, 2};
	static const struct {
		int32_t row[3], col[3];
		const char *part;
	} list[] = {
		{{0, 3, 1}, {0, 1, 2}, "row_idx[1] is 3; 0 to 2"},
		{{0, 1, -1}, {0, 1, 2}, "row_idx[2] is -1"},
		{{0, 1, 1}, {4, 1, 2}, "col_idx[0] is 4; 0 to 3"},
		{{0, 1, 1}, {0, INT32_MIN, 2}, "col_idx[1] is -2147483648"},
	};
	ek_matrix *A = NULL;

	(void)state;
	for (size_t k = 0; k < sizeof list / sizeof *list; k++)
		expect_error(ek_matrix_from_coo(ctx, EK_F64, EK_I32, 3, 4, 3, list[k].row,
		                                list[k].col, val, 0, &A),
		             EK_ERANGE, list[k].part);
	expect_error(ek_matrix_from_coo(ctx, EK_F64, EK_I32, 3, 4, -1, good, good, val, 0, &A),
	             EK_EINVAL, "nnz is -1");
	expect_error(ek_matrix_from_coo(ctx, EK_F64, EK_I64, 3, 4, INT64_MAX / 8, good, good, val,
	                                0, &A),
	             EK_EOVERFLOW, "row pointer type of index 64, or memory");
	expect_error(ek_matrix_from_csr(ctx, EK_F64, EK_I64, 1, 1,
	                                (const int64_t[]){0, INT64_MAX / 8}, good, val, 0, &A),
	             EK_EOVERFLOW, "row pointer type of index 64, or memory");
	expect_error(
		ek_matrix_from_coo(ctx, EK_F64, EK_I32, 3, 4, INT32_MAX, good, good, val, 0, &A),
		EK_EOVERFLOW, "2147483647 entries");
	expect_error(ek_matrix_from_coo(ctx, EK_F64, EK_I32, 0, 4, 1, good, good, val, 0, &A),
	             EK_ERANGE, "row_idx[0]");
	assert_null(A);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_borrow_and_copy),
		cmocka_unit_test(test_adopt),
		cmocka_unit_test(test_base1),
		cmocka_unit_test(test_duplicates),
		cmocka_unit_test(test_duplicates_refused),
		cmocka_unit_test(test_keep_order),
		cmocka_unit_test(test_set_values_refused),
		cmocka_unit_test(test_trusted),
		cmocka_unit_test(test_bad_arrays),
		cmocka_unit_test(test_bad_coordinates),
	};

	return run_all_tests(tests, context_setup, context_teardown);
}
