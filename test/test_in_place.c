/* SPDX-License-Identifier: BSD-3-Clause
 * Tests conversion in place: from matrices made in every way, to every format and to other types.
 * Also tests the order of new values after a conversion, and limits on size. After every failure, A
 * must be as it was. */
#include "support/context.h"
#include "support/support.h"

enum { ROWS = 7, COLS = 9, NNZ = 16, TYPES = 6 };
enum source { FROM_COO, FROM_COO_KEPT, FROM_CSR, FROM_CSC, FROM_SELL, SOURCES };

/* Rows and columns of the entries, in no particular order. Rows 4 and 5 are empty. */
static const int row_idx[] = {6, 0, 0, 2, 1, 6, 3, 1, 0, 6, 3, 2, 2, 3, 1, 0};
static const int col_idx[] = {0, 8, 2, 1, 1, 5, 4, 0, 3, 8, 3, 7, 0, 2, 6, 1};

/* The matrix as a dense table: `a` has the values, `there` tells which entries are stored. */
struct table {
	double a[ROWS][COLS];
	bool there[ROWS][COLS];
};

static ek_value value_of(int type)
{
	return type < 3 ? EK_F32 : EK_F64;
}

static ek_index index_of(int type)
{
	return (ek_index)(EK_I32 + type % 3);
}

static double nth(int k, int round)
{
	return k * (round + 3) % 11 - 4.5;
}

/* Sets each val[k] to a new value for the entry at (row_idx[k], col_idx[k]), and `t` to the matrix
 * with these values. */
static void given(struct table *t, ek_value value, void *val, int round)
{
	memset(t, 0, sizeof *t);
	for (int k = 0; k < NNZ; k++) {
		t->a[row_idx[k]][col_idx[k]] = nth(k, round);
		t->there[row_idx[k]][col_idx[k]] = true;
		value_set(value, val, k, nth(k, round));
	}
}

/* Sets `val` to new values for the entries of `t`, by columns if `columns` is true, else by rows.
 * Puts the same values into `t`. */
static void sorted(struct table *t, bool columns, ek_value value, void *val, int round)
{
	int n = 0;

	for (int k = 0; k < ROWS * COLS; k++) {
		const int i = columns ? k % ROWS : k / COLS, j = columns ? k / ROWS : k % COLS;

		if (!t->there[i][j])
			continue;
		t->a[i][j] = nth(n, round);
		value_set(value, val, n++, t->a[i][j]);
	}
}

static ek_matrix *make(enum source source, int type, struct table *t)
{
	const ek_value value = value_of(type);
	const ek_index index = index_of(type);
	const unsigned flags = source == FROM_COO_KEPT ? EK_KEEP_ORDER : 0;
	int64_t row[NNZ], col[NNZ];
	double val[NNZ];
	ek_matrix *A;

	for (int k = 0; k < NNZ; k++)
		if (index == EK_I64) {
			row[k] = row_idx[k];
			col[k] = col_idx[k];
		} else {
			((int32_t *)row)[k] = row_idx[k];
			((int32_t *)col)[k] = col_idx[k];
		}
	given(t, value, val, 0);
	expect_status(
		ek_matrix_from_coo(ctx, value, index, ROWS, COLS, NNZ, row, col, val, flags, &A),
		EK_OK);
	if (source >= FROM_CSR) {
		static const char *const name[] = {"csr", "csc", "sell"};
		ek_matrix *B;

		expect_status(ek_matrix_convert(A, name[source - FROM_CSR], NULL, &B), EK_OK);
		ek_matrix_destroy(A);
		A = B;
	}
	return A;
}

static void check_product(const ek_matrix *A, const struct table *t, const char *what)
{
	ek_matrix_info info = {.size = sizeof info};

	expect_status(ek_matrix_check(A), EK_OK);
	expect_status(ek_matrix_get_info(A, &info), EK_OK);
	assert_true(info.rows == ROWS && info.cols == COLS && info.nnz == NNZ);
	for (int op = 0; op < 2; op++) {
		const ek_hints hints = {.size = sizeof hints, .op = op ? EK_OP_T : EK_OP_N};
		const int in = op ? ROWS : COLS, out = op ? COLS : ROWS;
		double x[COLS], y[COLS];
		const ek_dense X = ek_vector(info.value, in, x), Y = ek_vector(info.value, out, y);
		ek_plan *plan;

		for (int j = 0; j < in; j++)
			value_set(info.value, x, j, j + 1);
		expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
		expect_status(ek_spmv(plan, 1, &X, 0, &Y), EK_OK);
		ek_plan_destroy(plan);
		for (int i = 0; i < out; i++) {
			double sum = 0;

			for (int j = 0; j < in; j++)
				sum += (j + 1) * (op ? t->a[j][i] : t->a[i][j]);
			if (value_at(info.value, y, i) != sum)
				fail_msg("%s, op %c: y[%d] is %g, not %g", what, op ? 'T' : 'N', i,
				         value_at(info.value, y, i), sum);
		}
	}
}

/* ---- Results --------------------------------------------------------------------------------- */

static void check_in_place(enum source source, int from, const char *format, int to)
{
	const ek_convert_options o = {
		.size = sizeof o, .value = value_of(to), .index = index_of(to)};
	const bool columns = strcmp(format, "csc") == 0;
	ek_matrix_info info = {.size = sizeof info};
	double val[NNZ];
	struct table t;
	ek_matrix *A = make(source, from, &t);
	char what[80];

	snprintf(what, sizeof what, "source %d, type %d, %s, type %d", (int)source, from, format,
	         to);
	expect_status(ek_matrix_convert_in_place(A, format, &o), EK_OK);
	expect_status(ek_matrix_get_info(A, &info), EK_OK);
	assert_string_equal(info.format, format);
	assert_true(info.value == o.value && info.index == o.index);
	check_product(A, &t, what);
	expect_error(ek_matrix_set_values(A, NNZ + 1, val), EK_EINVAL, "16 values");
	for (int round = 1; round < 3; round++) {
		sorted(&t, columns, o.value, val, round);
		expect_status(ek_matrix_set_values(A, NNZ, val), EK_OK);
		check_product(A, &t, what);
	}
	ek_matrix_destroy(A);
}

static void test_all(void **state)
{
	(void)state;
	for (const ek_format *f = NULL; (f = ek_format_next(f));)
		for (int source = 0; source < SOURCES; source++)
			for (int from = 0; from < TYPES; from++) {
				check_in_place((enum source)source, from, ek_format_name(f), from);
				check_in_place((enum source)source, from, ek_format_name(f),
				               (from + 1 + source) % TYPES);
			}
}

/* ---- Failures -------------------------------------------------------------------------------- */

/* Checks that A still has its format, its entries, and the order in which these were given. */
static void check_untouched(ek_matrix *A, struct table *t, int round, const char *what)
{
	ek_matrix_info info = {.size = sizeof info};
	double val[NNZ];

	expect_status(ek_matrix_get_info(A, &info), EK_OK);
	assert_string_equal(info.format, "csr");
	check_product(A, t, what);
	given(t, info.value, val, round);
	expect_status(ek_matrix_set_values(A, NNZ, val), EK_OK);
	check_product(A, t, what);
}

/* Checks that conversion is refused, and A unchanged, if the limit is a byte too small. */
static void test_limits(void **state)
{
	(void)state;
	for (const ek_format *f = NULL; (f = ek_format_next(f));) {
		const char *name = ek_format_name(f);
		ek_convert_options o = {.size = sizeof o, .max_bytes = -1};
		ek_matrix_info info = {.size = sizeof info};
		struct table t;
		ek_matrix *A = make(FROM_COO_KEPT, 3, &t), *B;

		expect_status(ek_matrix_convert(A, name, &o, &B), EK_OK);
		expect_status(ek_matrix_get_info(B, &info), EK_OK);
		ek_matrix_destroy(B);
		B = NULL;
		o.max_bytes = info.bytes - 1;
		expect_error(ek_matrix_convert(A, name, &o, &B), EK_ELIMIT, name);
		assert_null(B);
		expect_error(ek_matrix_convert_in_place(A, name, &o), EK_ELIMIT, "the limit is");
		check_untouched(A, &t, 1, name);
		o.max_bytes++;
		expect_status(ek_matrix_convert_in_place(A, name, &o), EK_OK);
		check_product(A, &t, name);
		ek_matrix_destroy(A);
	}
}

static void test_default_limit(void **state)
{
	static const int32_t ptr[] = {0, 1}, col[] = {0};
	static const double val[] = {1};
	const ek_hints hints = {.size = sizeof hints, .format = "csc"};
	ek_plan *plan = NULL;
	ek_matrix *A, *B = NULL;

	(void)state;
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 1, INT32_MAX, ptr, col, val, 0, &A),
	              EK_OK);
	heap.limit = 1 << 20;
	expect_error(ek_matrix_convert(A, "csc", NULL, &B), EK_ELIMIT, "csc would take 8.0 GiB");
	assert_null(B);
	expect_error(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_ELIMIT,
	             "csc would take 8.0 GiB");
	assert_null(plan);
	assert_int_equal(heap.refused, 0);
	heap.limit = 0;
	ek_matrix_destroy(A);
}

/* Makes every allocation fail once, in conversions that keep and that change the types of A. */
static void test_no_memory(void **state)
{
	(void)state;
	for (const ek_format *f = NULL; (f = ek_format_next(f));)
		for (int type = 3; type < 5; type++) {
			const ek_convert_options o = {
				.size = sizeof o, .value = EK_F64, .index = index_of(type)};
			const char *name = ek_format_name(f);
			ek_status status = EK_ENOMEM;
			struct table t;
			ek_matrix *A = make(FROM_COO_KEPT, 3, &t);

			for (long n = 0; status != EK_OK; n++) {
				heap_fail(&heap, n, false);
				status = ek_matrix_convert_in_place(A, name, &o);
				heap_fail(&heap, -1, false);
				assert_true(status == EK_OK || status == EK_ENOMEM);
				if (status != EK_OK)
					check_untouched(A, &t, (int)(n % 5), name);
				assert_true(n < 200);
			}
			check_product(A, &t, name);
			ek_matrix_destroy(A);
		}
}

/* Checks that formats with values in the order of CSR need no memory for new values, and that
 * others keep the old ones if memory is refused. */
static void test_values_no_memory(void **state)
{
	static const char *const alone[] = {"csr", "csc", "coo", "csr5"};

	(void)state;
	for (const ek_format *f = NULL; (f = ek_format_next(f));) {
		const char *name = ek_format_name(f);
		ek_status status = EK_ENOMEM;
		double val[NNZ];
		struct table t, new;
		ek_matrix *A = make(FROM_CSR, 3, &t);
		long n = 0;

		expect_status(ek_matrix_convert_in_place(A, name, NULL), EK_OK);
		new = t;
		sorted(&new, strcmp(name, "csc") == 0, EK_F64, val, 4);
		for (; status != EK_OK; n++) {
			heap_fail(&heap, n, false);
			status = ek_matrix_set_values(A, NNZ, val);
			heap_fail(&heap, -1, false);
			assert_true(status == EK_OK || status == EK_ENOMEM);
			check_product(A, status == EK_OK ? &new : &t, name);
			assert_true(n < 200);
		}
		for (size_t k = 0; k < sizeof alone / sizeof *alone; k++)
			assert_true(n == 1 || strcmp(name, alone[k]) != 0);
		ek_matrix_destroy(A);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_default_limit),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_values_no_memory),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, context_setup, context_teardown);
}
