/* SPDX-License-Identifier: BSD-3-Clause
 * Tests that messages about bad arrays give rows, columns and positions as the caller counts them,
 * even where the library stores the matrix differently: a CSC matrix as the CSR of its transpose,
 * and indices from 1 as indices from 0. Of several faults, the first must be reported, even if the
 * check is divided between threads. */
#include <stdlib.h>

#include "plan/plan.h"
#include "support/support.h"
#include "support/context.h"

static const double val[] = {1, 2, 4, 8};

/* Tests duplicates at row 4, column 1 of a 6 x 3 matrix: from 1, row 5, column 2. */
static void test_duplicates(void **state)
{
	static const int32_t csr[2][7] = {{0, 0, 0, 0, 0, 2, 2}, {1, 1, 1, 1, 1, 3, 3}};
	static const int32_t csc[2][4] = {{0, 0, 2, 2}, {1, 1, 3, 3}};
	static const int32_t row[2][2] = {{4, 4}, {5, 5}}, col[2][2] = {{1, 1}, {2, 2}};
	static const char *const part[] = {"repeats row 4, column 1,", "repeats row 5, column 2,"};
	ek_matrix *A = NULL;

	(void)state;
	for (int base = 0; base < 2; base++) {
		unsigned flags = EK_DUP_ERROR | (base ? EK_BASE1 : 0);

		expect_error(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 6, 3, csr[base], col[base],
		                                val, flags, &A),
		             EK_ERANGE, part[base]);
		expect_error(ek_matrix_from_csc(ctx, EK_F64, EK_I32, 6, 3, csc[base], row[base],
		                                val, flags, &A),
		             EK_ERANGE, part[base]);
		expect_error(ek_matrix_from_coo(ctx, EK_F64, EK_I32, 6, 3, 2, row[base], col[base],
		                                val, flags, &A),
		             EK_ERANGE, part[base]);
		assert_null(A);
	}
}

/* Expects bad arrays with indices from 1 to be refused: as the CSR of a 3 x 4 matrix with the
 * message `csr`, as the CSC of a 4 x 3 matrix with the message `csc`. */
static void check_base1(ek_index index, const int64_t *ptr, const int64_t *idx, const char *csr,
                        const char *csc)
{
	int32_t p32[4], i32[3];
	const void *p = index == EK_I32 ? (const void *)p32 : ptr;
	const void *i = index == EK_I64 ? (const void *)idx : i32;
	ek_matrix *A = NULL;

	for (int k = 0; k < 4; k++)
		p32[k] = (int32_t)ptr[k];
	for (int k = 0; k < 3; k++)
		i32[k] = (int32_t)idx[k];
	expect_error(
		ek_matrix_from_csr(ctx, EK_F64, index, 3, 4, p, i, val, EK_BASE1 | EK_COPY, &A),
		EK_ERANGE, csr);
	expect_error(
		ek_matrix_from_csc(ctx, EK_F64, index, 4, 3, p, i, val, EK_BASE1 | EK_COPY, &A),
		EK_ERANGE, csc);
	assert_null(A);
}

static void test_base1_compressed(void **state)
{
	static const struct {
		int64_t ptr[4], idx[3];
		const char *csr, *csc;
	} list[] = {
		{{1, 2, 2, 4},
	         {3, 0, 1},
	         "col_idx(2) is 0 (in row 3); 1 to 4 are possible",
	         "row_idx(2) is 0 (in column 3); 1 to 4 are possible"},
		{{1, 2, 2, 4},
	         {5, 4, 1},
	         "col_idx(1) is 5 (in row 1); 1 to 4 are possible",
	         "row_idx(1) is 5 (in column 1); 1 to 4 are possible"},
		{{1, 2, 2, 4},
	         {3, INT32_MIN, 1},
	         "col_idx(2) is -2147483648 (in row 3); 1 to 4",
	         "row_idx(2) is -2147483648 (in column 3); 1 to 4"},
		{{0, 2, 2, 4}, {3, 4, 1}, "row_ptr(1) is 0; 1 is expected", "col_ptr(1) is 0; 1"},
		{{1, 3, 2, 4},
	         {3, 4, 1},
	         "row_ptr(2) = 3 to row_ptr(3) = 2",
	         "col_ptr(2) = 3 to col_ptr(3) = 2"},
		{{1, INT32_MIN, 2, 4},
	         {3, 4, 1},
	         "row_ptr(1) = 1 to row_ptr(2) = -2147483648",
	         "col_ptr(1) = 1 to col_ptr(2) = -2147483648"},
		{{1, 2, 2, 0},
	         {3, 4, 1},
	         "row_ptr(4), the number of entries and 1 with EK_BASE1, is 0",
	         "col_ptr(4), the number of entries and 1 with EK_BASE1, is 0"},
		{{1, 2, 2, INT32_MIN}, {3, 4, 1}, "is -2147483648", "is -2147483648"},
	};

	(void)state;
	for (size_t k = 0; k < sizeof list / sizeof *list; k++)
		for (int index = EK_I32; index <= EK_I64; index++)
			check_base1((ek_index)index, list[k].ptr, list[k].idx, list[k].csr,
			            list[k].csc);
}

static void test_base1_coordinates(void **state)
{
	static const struct {
		int32_t row[3], col[3];
		const char *part;
	} list[] = {
		{{1, 0, 2}, {1, 2, 3}, "row_idx(2) is 0; 1 to 3 are possible"},
		{{1, 2, 4}, {1, 2, 3}, "row_idx(3) is 4; 1 to 3 are possible"},
		{{1, INT32_MIN, 2}, {1, 2, 3}, "row_idx(2) is -2147483648; 1 to 3 are possible"},
		{{1, 2, 3}, {5, 2, 3}, "col_idx(1) is 5; 1 to 4 are possible"},
		{{1, 2, 3}, {4, 2, 0}, "col_idx(3) is 0; 1 to 4 are possible"},
	};
	ek_matrix *A = NULL;

	(void)state;
	for (size_t k = 0; k < sizeof list / sizeof *list; k++)
		expect_error(ek_matrix_from_coo(ctx, EK_F64, EK_I32, 3, 4, 3, list[k].row,
		                                list[k].col, val, EK_BASE1, &A),
		             EK_ERANGE, list[k].part);
	assert_null(A);
}

/* Checks a diagonal matrix long enough to be divided between threads. Valid arrays are accepted; if
 * `base` is 1, columns must be decremented in every part. Then an index in the last part is made
 * wrong, then also one near the beginning: each time the first fault must be reported. */
static void check_long(ek_context *with, ek_index index, int base)
{
	enum { N = 30011 };
	int64_t bytes = N * (index == EK_I64 ? 8 : 4);
	void *row = malloc((size_t)bytes);
	double *one = malloc(N * sizeof *one);
	char part[2][64];
	ek_matrix *A = NULL;
	ek_view view = {.size = sizeof view};

	assert_true(row && one);
	for (int64_t k = 0; k < N; k++) {
		one[k] = (double)k;
		if (index == EK_I64)
			((int64_t *)row)[k] = k + base;
		else
			((int32_t *)row)[k] = (int32_t)k + base;
	}
	expect_status(ek_matrix_from_coo(with, EK_F64, index, N, N, N, row, row, one,
	                                 base ? EK_BASE1 : 0, &A),
	              EK_OK);
	expect_status(ek_matrix_array(A, "col_idx", &view), EK_OK);
	for (int64_t k = 0; k < N; k++)
		assert_int_equal(index == EK_I64 ? ((const int64_t *)view.data)[k]
		                                 : ((const int32_t *)view.data)[k],
		                 k);
	expect_status(ek_matrix_array(A, "val", &view), EK_OK);
	assert_memory_equal(view.data, one, N * sizeof *one);
	ek_matrix_destroy(A);
	A = NULL;
	for (int fault = 0; fault < 2; fault++) {
		int64_t at = fault ? 4097 : N - 1, bad = fault ? base - 1 : N + base;

		if (index == EK_I64)
			((int64_t *)row)[at] = bad;
		else
			((int32_t *)row)[at] = (int32_t)bad;
		snprintf(part[fault], sizeof *part,
		         base ? "row_idx(%lld) is %lld; %d to %d are possible"
		              : "row_idx[%lld] is %lld; %d to %d are possible",
		         (long long)at + base, (long long)bad, base, N - 1 + base);
		expect_error(ek_matrix_from_coo(with, EK_F64, index, N, N, N, row, row, one,
		                                base ? EK_BASE1 : 0, &A),
		             EK_ERANGE, part[fault]);
	}
	assert_null(A);
	free(row);
	free(one);
}

static void test_long_coordinates(void **state)
{
	(void)state;
	for (int threads = 1; threads <= 5; threads += 2)
		for (int isa = 1; isa <= EK_NISA; isa++) {
			ek_context *with = heap_context_cut(&heap, threads, isa);

			for (int index = EK_I32; index <= EK_I64; index++)
				for (int base = 0; base < 2; base++)
					check_long(with, (ek_index)index, base);
			ek_context_destroy(with);
		}
}

/* Checks that new values may be a view of the matrix's own values, or overlap them. */
static void test_values_of_its_own(void **state)
{
	static const int32_t p0[] = {0, 3}, c0[] = {0, 1, 2};
	int32_t *p = heap_block(&heap, sizeof p0), *c = heap_block(&heap, sizeof c0);
	double *v = heap_block(&heap, 3 * sizeof *v), wide[4] = {1, 2, 4, 8};
	ek_matrix *A;
	ek_view view = {.size = sizeof view};

	(void)state;
	memcpy(p, p0, sizeof p0);
	memcpy(c, c0, sizeof c0);
	memcpy(v, val, 3 * sizeof *v);
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 1, 3, p, c, v, EK_ADOPT, &A), EK_OK);
	expect_status(ek_matrix_array(A, "val", &view), EK_OK);
	expect_status(ek_matrix_set_values(A, 3, view.data), EK_OK);
	assert_memory_equal(v, val, 3 * sizeof *v);
	A->store.array[CSR_VAL] = wide;
	expect_status(ek_matrix_set_values(A, 3, wide + 1), EK_OK);
	assert_memory_equal(wide, val + 1, 3 * sizeof *wide);
	A->store.array[CSR_VAL] = v;
	ek_matrix_destroy(A);
}

enum { NAMES = 300 };

static const char *number_name(const void *list, size_t k)
{
	static char name[16];

	snprintf(name, sizeof name, "%s%zu", (const char *)list, k);
	return k < NAMES ? name : NULL;
}

/* Checks that each name of a long list is in the message or counted in its "and N more". */
static void test_long_list(void **state)
{
	char text[1024];
	int listed = 0, more = 0;

	(void)state;
	expect_status(eki_fail_list(EK_EINVAL, number_name, "name", "there is no %s; these exist:",
	                            "such name"),
	              EK_EINVAL);
	snprintf(text, sizeof text, "%s", ek_error_text());
	assert_int_equal(strncmp(text, "there is no such name; these exist: name0 name1 ", 48), 0);
	for (const char *at = text; (at = strstr(at, " name")); at++)
		listed++;
	assert_int_equal(sscanf(strstr(text, " and "), " and %d more", &more), 1);
	assert_true(strlen(text) > 900);
	assert_int_equal(listed - 1 + more, NAMES); /* minus 1 for "such name" */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_long_list),
		cmocka_unit_test(test_duplicates),        cmocka_unit_test(test_base1_compressed),
		cmocka_unit_test(test_base1_coordinates), cmocka_unit_test(test_long_coordinates),
		cmocka_unit_test(test_values_of_its_own),
	};

	return run_all_tests(tests, context_setup, context_teardown);
}
