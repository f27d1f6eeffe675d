/* SPDX-License-Identifier: BSD-3-Clause
 * Tests formats of several parts: which entries go to which part, how a plan describes the parts,
 * and numbers that are not finite. */
#include <math.h>

#include "plan/plan.h"
#include "support/context.h"
#include "support/support.h"

/* ---- HYB: the width -------------------------------------------------------------------------- */

/* Makes a matrix of arrays from malloc, and frees them. */
static ek_matrix *taken(int64_t rows, int64_t cols, int32_t *ptr, int32_t *col, double *val)
{
	ek_matrix *A;

	expect_status(
		ek_matrix_from_csr(ctx, EK_F64, EK_I32, rows, cols, ptr, col, val, EK_COPY, &A),
		EK_OK);
	free(ptr);
	free(col);
	free(val);
	return A;
}

/* Makes a matrix whose first `some` rows have `longer` entries each, the others `shorter`. */
static ek_matrix *two_lengths(int64_t rows, int64_t some, int longer, int shorter)
{
	int32_t *ptr = malloc((size_t)(rows + 1) * sizeof *ptr);
	int32_t *col = malloc((size_t)(rows * longer + 1) * sizeof *col);
	double *val = malloc((size_t)(rows * longer + 1) * sizeof *val);

	ptr[0] = 0;
	for (int64_t i = 0; i < rows; i++) {
		ptr[i + 1] = ptr[i] + (i < some ? longer : shorter);
		for (int32_t k = ptr[i]; k < ptr[i + 1]; k++) {
			col[k] = k - ptr[i];
			val[k] = k % 7 + 1;
		}
	}
	return taken(rows, longer, ptr, col, val);
}

static void check_width(int64_t rows, int64_t some, int longer, int shorter, const char *format,
                        int64_t width)
{
	ek_matrix *A = two_lengths(rows, some, longer, shorter), *B;
	const int64_t rest = some * (longer > width ? longer - width : 0) +
	                     (rows - some) * (shorter > width ? shorter - width : 0);
	ek_view view = {.size = sizeof view};

	expect_status(ek_matrix_convert(A, format, NULL, &B), EK_OK);
	if (B->store.dim[0] != width)
		fail_msg("%lld of %lld rows have %d, others %d entries: width %lld, not %lld",
		         (long long)some, (long long)rows, longer, shorter,
		         (long long)B->store.dim[0], (long long)width);
	expect_status(ek_matrix_array(B, "rest_val", &view), EK_OK);
	assert_int_equal(view.len, rest);
	ek_matrix_destroy(B);
	ek_matrix_destroy(A);
}

static void test_width(void **state)
{
	(void)state;
	check_width(30000, 10000, 7, 1, "hyb", 7); /* a third of the rows is longer */
	check_width(30000, 9999, 7, 1, "hyb", 1);
	check_width(6000, 4096, 5, 2, "hyb", 5); /* 4096 rows are longer */
	check_width(6000, 4095, 5, 2, "hyb", 2);
	check_width(100, 100, 4, 0, "hyb", 4); /* all 100 rows are longer */
	check_width(100, 99, 50, 3, "hyb", 3);
	check_width(100, 99, 50, 0, "hyb", 0);
	check_width(100, 99, 50, 3, "hyb:width=20", 20);
	check_width(100, 99, 50, 3, "hyb:width=60", 50);
}

/* ---- Cocktail: the parts --------------------------------------------------------------------- */

enum { N = 4000, BLOCK = 4, BLOCKS = 3, LONG = 800, EACH = 100 };

/* Tell whether the entry in row i and column j belongs to a diagonal, a block or a long row of the
 * matrix that `mixture` makes. */
static bool in_band(int64_t i, int64_t j)
{
	static const int64_t offset[] = {0, 1, 11, 20, 37, 70};
	const int64_t d = j > i ? j - i : i - j;

	for (size_t k = 0; k < sizeof offset / sizeof *offset; k++)
		if (offset[k] == d)
			return true;
	return false;
}
/* Returns the block column of block k of block row b. No two blocks are on one diagonal of
 * blocks. */
static int64_t block_column(int64_t b, int64_t k)
{
	return (7 * b + k * (N / BLOCK / 4)) % (N / BLOCK);
}
static bool far_from_band(int64_t b, int64_t q)
{
	return q > b + 20 || b > q + 20;
}
static bool in_block(int64_t i, int64_t j)
{
	const int64_t b = i / BLOCK, q = j / BLOCK;

	for (int64_t k = 0; k < BLOCKS; k++)
		if (q == block_column(b, k))
			return far_from_band(b, q);
	return false;
}
static int64_t count_blocks(void)
{
	int64_t n = 0;

	for (int64_t b = 0; b < N / BLOCK; b++)
		for (int64_t k = 0; k < BLOCKS; k++)
			n += far_from_band(b, block_column(b, k));
	return n;
}
static bool in_long(int64_t i, int64_t j)
{
	return i % LONG == 0 && j % (N / EACH) == 3;
}

static ek_matrix *mixture(bool band, bool blocks, bool rest)
{
	int32_t *ptr = malloc((N + 1) * sizeof *ptr);
	int32_t *col = malloc((size_t)N * 40 * sizeof *col);
	double *val = malloc((size_t)N * 40 * sizeof *val);
	int32_t k = 0;

	for (int64_t i = 0; i < N; i++) {
		ptr[i] = k;
		for (int64_t j = 0; j < N; j++)
			if ((band && in_band(i, j)) || (blocks && in_block(i, j)) ||
			    (rest && in_long(i, j))) {
				col[k] = (int32_t)j;
				val[k] = (double)(k % 5) - 2;
				k++;
			}
	}
	ptr[N] = k;
	return taken(N, N, ptr, col, val);
}

static int64_t length_of(const ek_matrix *B, const char *array)
{
	ek_view view = {.size = sizeof view};

	expect_status(ek_matrix_array(B, array, &view), EK_OK);
	return view.len;
}

static void same_product(const ek_matrix *A, const ek_matrix *B, int op)
{
	const ek_hints hints = {.size = sizeof hints, .op = op ? EK_OP_T : EK_OP_N};
	static double x[N], y[N], z[N];
	const ek_dense X = ek_vector(EK_F64, N, x), Y = ek_vector(EK_F64, N, y),
		       Z = ek_vector(EK_F64, N, z);
	ek_plan *with, *without;

	for (int64_t i = 0; i < N; i++) {
		x[i] = (double)(i % 9) - 4;
		y[i] = z[i] = (double)(i % 4);
	}
	expect_status(ek_plan_create(EK_SPMV, B, &hints, &with), EK_OK);
	expect_status(ek_plan_create(EK_SPMV, A, &hints, &without), EK_OK);
	expect_status(ek_spmv(with, 2, &X, -3, &Y), EK_OK);
	expect_status(ek_spmv(without, 2, &X, -3, &Z), EK_OK);
	for (int64_t i = 0; i < N; i++)
		assert_true(y[i] == z[i]);
	ek_plan_destroy(with);
	ek_plan_destroy(without);
}

static void check_mixture(bool band, bool blocks, bool rest)
{
	ek_matrix *A = mixture(band, blocks, rest), *B;
	char text[2048];
	ek_plan *plan;

	expect_status(ek_matrix_convert(A, "cocktail", NULL, &B), EK_OK);
	expect_status(ek_matrix_check(B), EK_OK);
	assert_int_equal(length_of(B, "dia_offset"), band ? 11 : 0);
	assert_int_equal(length_of(B, "bcsr_block_col"), blocks ? count_blocks() : 0);
	assert_int_equal(B->store.dim[0], blocks ? BLOCK : 0);
	assert_true((length_of(B, "coo_val") > 0) == rest);
	assert_int_equal(length_of(B, "csr_val") + length_of(B, "ell_val"), 0);
	expect_status(ek_plan_create(EK_SPMV, B, NULL, &plan), EK_OK);
	expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
	assert_true(!band == !strstr(text, "spmv.dia"));
	assert_true(!blocks == !strstr(text, "spmv.bcsr"));
	assert_true(!rest == !strstr(text, "spmv.coo"));
	ek_plan_destroy(plan);
	same_product(A, B, 0);
	same_product(A, B, 1);
	ek_matrix_destroy(B);
	ek_matrix_destroy(A);
}

static void test_mixtures(void **state)
{
	(void)state;
	check_mixture(true, true, true);
	check_mixture(true, true, false);
	check_mixture(true, false, true);
	check_mixture(false, true, true);
	check_mixture(true, false, false);
	check_mixture(false, true, false);
	check_mixture(false, false, true);
}

/* Makes a matrix of seven diagonals, and some entries that are on one diagonal each. */
static ek_matrix *strays(void)
{
	enum { ROWS = 20000, DIAGONALS = 7, STRAYS = 600 };
	static const int32_t offset[DIAGONALS] = {-1000, -50, -3, 0, 3, 50, 1000};
	int32_t *ptr = malloc((ROWS + 1) * sizeof *ptr);
	int32_t *col = malloc((size_t)ROWS * (DIAGONALS + 1) * sizeof *col), k = 0;
	double *val = calloc((size_t)ROWS * (DIAGONALS + 1), sizeof *val);

	for (int32_t i = 0; i < ROWS; i++) {
		ptr[i] = k;
		for (int d = 0; d < DIAGONALS; d++)
			if (i + offset[d] >= 0 && i + offset[d] < ROWS)
				col[k++] = i + offset[d];
		if (i < STRAYS)
			col[k++] = 2000 + 3 * i;
	}
	ptr[ROWS] = k;
	return taken(ROWS, ROWS, ptr, col, val);
}

/* Tests that a cocktail is chosen where DIA cannot hold all, if enough runs pay for it. The machine
 * is fast at diagonals. */
static void test_chosen(void **state)
{
	const eki_machine *own = ctx->machine;
	eki_machine fast = *eki_machine_fixed();
	ek_matrix *A = strays();

	(void)state;
	for (int level = 0; level < EK_NLEVEL; level++)
		fast.speed[EKI_LOOP_DIAGONALS][1][level] = (eki_speed){0.01, 0.01, 0};
	ctx->machine = &fast;
	for (int many = 0; many < 2; many++) {
		const ek_hints hints = {.size = sizeof hints, .calls = many ? 1000000 : 399};
		char text[4096];
		ek_plan *plan;

		expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
		expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
		if ((strstr(text, "method   spmv.cocktail") != NULL) != many)
			fail_msg("%s", text);
		ek_plan_destroy(plan);
	}
	ctx->machine = own;
	ek_matrix_destroy(A);
}

/* Tests matrices without diagonals and blocks: rows of one length go to ELLPACK, others to CSR. */
static void test_flat(void **state)
{
	static const char *const source[] = {"uniform:rows=5000,cols=5000,k=7",
	                                     "powerlaw:rows=20000,cols=20000,min=4,exponent=1.8"};

	(void)state;
	for (int k = 0; k < 2; k++) {
		ek_matrix *A, *B;

		expect_status(ek_matrix_generate(ctx, source[k], EK_F64, EK_I32, &A), EK_OK);
		expect_status(ek_matrix_convert(A, "cocktail", NULL, &B), EK_OK);
		assert_int_equal(length_of(B, "dia_val") + length_of(B, "bcsr_val"), 0);
		assert_true((length_of(B, "ell_val") > 0) == (k == 0));
		assert_true((length_of(B, "csr_val") > 0) == (k == 1));
		ek_matrix_destroy(B);
		ek_matrix_destroy(A);
	}
}

/* ---- NaN and infinity ------------------------------------------------------------------------ */

/* Checks that NaN or Inf in x_j reaches only those y_i whose rows have an entry in column j. */
static void test_leaks(void **state)
{
	static const char *const format[] = {"dia", "hyb:width=13", "cocktail"};

	ek_matrix *A = mixture(true, true, true);

	(void)state;
	for (int k = 0; k < 12; k++) {
		const ek_convert_options o = {.size = sizeof o, .max_bytes = -1};
		ek_matrix *B;

		expect_status(ek_matrix_convert(A, format[k / 4], &o, &B), EK_OK);
		check_leak(A, B, k % 2 ? EK_OP_T : EK_OP_N,
		           k / 2 % 2 ? (double)NAN : -(double)INFINITY, 397, format[k / 4]);
		ek_matrix_destroy(B);
	}
	ek_matrix_destroy(A);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_width),  cmocka_unit_test(test_mixtures),
		cmocka_unit_test(test_chosen), cmocka_unit_test(test_flat),
		cmocka_unit_test(test_leaks),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, context_setup_cut, context_teardown);
}
