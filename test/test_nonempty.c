/* SPDX-License-Identifier: BSD-3-Clause
 * Tests spmv.csr.nonempty where most rows are empty: rows at both ends, a single row, no entries,
 * rows with one entry each, and any lengths. With beta = 1, memory of y that has only empty rows is
 * never touched. Also tests that the library chooses the method for such matrices among those for
 * CSR, and not for others. */
#define _DEFAULT_SOURCE
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/contexts.h"
#include "support/guard.h"
#include "support/support.h"

static const char method[] = "spmv.csr.nonempty";
enum { ROWS = 3000, COLS = 200, MANY_ROWS = 700000 };

/* A matrix in CSR of small integers. */
struct block {
	int64_t rows;
	int32_t *ptr, col[60000];
	double val[60000], x[COLS];
};

static struct block block;
static struct rng rng = {5};

/* ---- Matrices -------------------------------------------------------------------------------- */

/* Functions that return the length of row i of a matrix with n rows. */
static int64_t none(int64_t i, int64_t n)
{
	(void)i, (void)n;
	return 0;
}

static int64_t at_both_ends(int64_t i, int64_t n)
{
	return i == 0 || i == n - 1 ? 3 : 0;
}

static int64_t first_only(int64_t i, int64_t n)
{
	(void)n;
	return i == 0 ? 40 : 0;
}

static int64_t last_only(int64_t i, int64_t n)
{
	return i == n - 1;
}

static int64_t one_long_row(int64_t i, int64_t n)
{
	return i == n / 2 ? 5000 : 0;
}

static int64_t one_entry_each(int64_t i, int64_t n)
{
	(void)n;
	return i % 37 == 5;
}

static int64_t of_any_length(int64_t i, int64_t n)
{
	(void)i;
	return rng_below(&rng, n > ROWS ? 500 : 20) ? 0 : 1 + rng_below(&rng, 40);
}

static int64_t no_row_empty(int64_t i, int64_t n)
{
	(void)n;
	return n > ROWS ? i % 20 == 0 : 1 + i % 3;
}

typedef int64_t length_fn(int64_t i, int64_t n);

static length_fn *const lengths[] = {none,         at_both_ends,   first_only,    last_only,
                                     one_long_row, one_entry_each, of_any_length, no_row_empty};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static void make_block(int64_t rows, length_fn *length)
{
	int32_t nnz = 0;

	block.rows = rows;
	block.ptr = calloc((size_t)rows + 1, sizeof *block.ptr);
	for (int64_t i = 0; i < rows; i++) {
		for (int64_t n = length(i, rows); n > 0; n--) {
			assert_true(nnz < 60000);
			block.col[nnz] = (int32_t)rng_below(&rng, COLS);
			block.val[nnz++] = (double)(1 + rng_below(&rng, 9));
		}
		block.ptr[i + 1] = nnz;
	}
	for (int j = 0; j < COLS; j++)
		block.x[j] = (double)(rng_below(&rng, 9) - 4);
}

static void make_plan(ek_context *ctx, const char *name, ek_op op, ek_matrix **A, ek_plan **plan)
{
	const ek_hints hints = {.size = sizeof hints, .method = name, .op = op};

	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, block.rows, COLS, block.ptr,
	                                 block.col, block.val, EK_BORROW, A),
	              EK_OK);
	expect_status(ek_plan_create(EK_SPMV, *A, &hints, plan), EK_OK);
}

/* ---- Products -------------------------------------------------------------------------------- */

/* Checks y = alpha A x + beta y0. */
static void check(const char *what, double alpha, double beta, const double *y0, const double *y)
{
	for (int64_t i = 0; i < block.rows; i++) {
		double sum = 0, expected;

		for (int32_t k = block.ptr[i]; k < block.ptr[i + 1]; k++)
			sum += block.val[k] * block.x[block.col[k]];
		expected = alpha * sum + (beta == 0 ? 0 : beta * y0[i]);
		if (!(y[i] == expected) && !(isnan(y[i]) && isnan(expected)))
			fail_msg("%s, beta %g: row %lld is %g, expected %g", what, beta,
			         (long long)i, y[i], expected);
	}
}

/* Runs a plan with y in place and with y0 in another vector. With beta = 0 both are NaN before. */
static void check_betas(ek_plan *plan)
{
	static const double betas[] = {0, 1, -1, 2.5, NAN};
	const size_t n = (size_t)block.rows;
	double *y0 = malloc(n * sizeof *y0), *y = malloc(n * sizeof *y);
	const ek_dense x = ek_vector(EK_F64, COLS, block.x);
	const ek_dense from = ek_vector(EK_F64, block.rows, y0);
	const ek_dense to = ek_vector(EK_F64, block.rows, y);

	for (size_t b = 0; b < sizeof betas / sizeof *betas; b++) {
		for (size_t i = 0; i < n; i++)
			y0[i] = betas[b] == 0 ? NAN : (double)(i % 19) - 9;
		memcpy(y, y0, n * sizeof *y);
		expect_status(ek_spmv(plan, 2, &x, betas[b], &to), EK_OK);
		check("in place", 2, betas[b], y0, y);
		for (size_t i = 0; i < n; i++)
			y[i] = NAN;
		expect_status(ek_spmv_add(plan, 2, &x, betas[b], &from, &to), EK_OK);
		check("from another vector", 2, betas[b], y0, y);
	}
	free(y0);
	free(y);
}

static void check_block(ek_context *ctx, int64_t rows, length_fn *length)
{
	ek_matrix *A;
	ek_plan *plan;

	make_block(rows, length);
	make_plan(ctx, method, EK_OP_N, &A, &plan);
	check_betas(plan);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	free(block.ptr);
}

static void test_rows(void **state)
{
	(void)state;
	for (int k = 0; k < LENGTHS; k++)
		for (int isa = 0; isa < contexts.levels; isa++)
			for (int count = 0; count < contexts.counts; count++) {
				check_block(contexts.of[isa][count], ROWS, lengths[k]);
				check_block(contexts.of[isa][count], 1, lengths[k]);
			}
}

/* Small products that are not divided, vectors longer than the caches, and products that are
 * divided, by a context that does not cut small matrices. */
static void test_long_vectors(void **state)
{
	const ek_options options = {.size = sizeof options, .threads = 2};
	ek_context *ctx;

	(void)state;
	expect_status(ek_context_create(&options, &ctx), EK_OK);
	for (int k = 0; k < LENGTHS; k++) {
		check_block(ctx, ROWS, lengths[k]);
		check_block(ctx, MANY_ROWS, lengths[k]);
	}
	ek_context_destroy(ctx);
}

/* The rows of the first and of the last page of y have entries. The pages between cannot be read or
 * written while plans run with beta = 1. */
static int64_t page_rows;

static int64_t outer_pages(int64_t i, int64_t n)
{
	return i < page_rows || i >= n - page_rows ? i % 4 % 3 : 0;
}

static void test_untouched(void **state)
{
	const int64_t page = sysconf(_SC_PAGESIZE), pages = 12;
	struct guard guard;
	double *y, *y0;

	(void)state;
	page_rows = page / (int64_t)sizeof *y;
	guard_make(&guard, (size_t)(pages * page));
	y = guard_at_begin(&guard, (size_t)(pages * page));
	make_block(pages * page_rows, outer_pages);
	y0 = malloc((size_t)(pages * page));
	char *const inner = (char *)y + page;
	const size_t inner_bytes = (size_t)((pages - 2) * page);

	for (int64_t i = 0; i < block.rows; i++)
		y0[i] = (double)(i % 7);
	for (int isa = 0; isa < contexts.levels; isa++)
		for (int count = 0; count < contexts.counts; count++) {
			ek_matrix *A;
			ek_plan *plan;

			make_plan(contexts.of[isa][count], method, EK_OP_N, &A, &plan);
			memcpy(y, y0, (size_t)(pages * page));
			assert_int_equal(mprotect(inner, inner_bytes, PROT_NONE), 0);
			multiply_f64(plan, 1, block.x, COLS, 1, y, block.rows);
			assert_int_equal(mprotect(inner, inner_bytes, PROT_READ | PROT_WRITE), 0);
			check("untouched", 1, 1, y0, y);
			ek_plan_destroy(plan);
			ek_matrix_destroy(A);
		}
	free(y0);
	free(block.ptr);
	guard_free(&guard);
}

/* ---- The choice ------------------------------------------------------------------------------ */

/* Checks whether the library chooses the method for a generated matrix. Where this is expected, A
 * stays in CSR and is multiplied so often that listing its rows pays with the table of any
 * processor and any number of threads. */
static void check_choice(ek_context *ctx, const char *spec, ek_op op, bool expected)
{
	const ek_hints hints = {.size = sizeof hints,
	                        .op = op,
	                        .calls = expected ? 10000 : 0,
	                        .format = expected ? "csr" : NULL};
	char text[4096];
	ek_matrix *A;
	ek_plan *plan;

	expect_status(ek_matrix_generate(ctx, spec, EK_F64, EK_I32, &A), EK_OK);
	expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
	if ((strcmp(ek_plan_method(plan), method) == 0) != expected)
		fail_msg("%s, op %c: the library chose %s", spec, op == EK_OP_T ? 'T' : 'N',
		         ek_plan_method(plan));
	if (expected) {
		expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
		assert_non_null(strstr(text, "rows have entries"));
	}
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
}

static void test_choice(void **state)
{
	static const char *const sparse[] = {
		"hypersparse:rows=256000,cols=6400,mean=0.025,seed=1",
		"emptyrows:rows=400000,cols=5000,k=12,leading=0.1,interleaved=0.95,trailing=0.1",
	};
	static const char *const others[] = {
		"poisson2d5:nx=200,ny=200",
		"banded:n=30000",
		"uniform:rows=50000,cols=50000,k=1",
		"uniform:rows=50000,cols=50000,k=9",
		"powerlaw:rows=50000,cols=50000",
		"circuit:n=50000",
		"lp:rows=100,cols=100000,mean=500,max=6000",
	};

	(void)state;
	for (int threads = 1; threads <= 16; threads *= 4) {
		const ek_options options = {.size = sizeof options, .threads = threads};
		ek_context *ctx;

		expect_status(ek_context_create(&options, &ctx), EK_OK);
		for (size_t k = 0; k < sizeof sparse / sizeof *sparse; k++)
			check_choice(ctx, sparse[k], EK_OP_N, true);
		if (threads == 1) /* more threads may prefer a transposed copy */
			check_choice(ctx, sparse[0], EK_OP_T, true);
		for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
			check_choice(ctx, others[k], EK_OP_N, false);
			check_choice(ctx, others[k], EK_OP_T, false);
		}
		ek_context_destroy(ctx);
	}
}

static int setup(void **state)
{
	unsetenv("EK_METHOD");
	return contexts_setup_isas(state);
}

int main(int argc, char **argv)
{
	(void)argc;
	test_passive_threads(argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_long_vectors),
		cmocka_unit_test(test_untouched),
		cmocka_unit_test(test_choice),
	};

	return run_all_tests(tests, setup, contexts_teardown);
}
