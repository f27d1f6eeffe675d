/* SPDX-License-Identifier: BSD-3-Clause
 * Tests how products of sparse matrices fill the arrays of C: in one pass, which needs the
 * library's own heap, and in two with any other heap. Both must give the same bits. The matrices
 * are large enough for several batches, and some mislead the sample from which the number of
 * entries is estimated. Also tests the runs of columns that a plan finds in B, and plans for one
 * call, which look for runs only where these pay. */
#include "plan/plan.h"
#include "support/heap.h"
#include "support/held.h"
#include "support/random.h"
#include "support/support.h"

static struct rng draw;

struct csr {
	int64_t rows, cols, nnz;
	int32_t *ptr, *col;
	double *val;
};

static void csr_open(struct csr *s, int64_t rows, int64_t cols, int64_t room)
{
	*s = (struct csr){.rows = rows, .cols = cols};
	s->ptr = calloc((size_t)rows + 1, sizeof *s->ptr);
	s->col = malloc((size_t)(room + 1) * sizeof *s->col);
	s->val = malloc((size_t)(room + 1) * sizeof *s->val);
}

static void add(struct csr *s, int64_t col)
{
	s->col[s->nnz] = (int32_t)col;
	s->val[s->nnz++] = rng_real(&draw, 10);
}

static void csr_free(struct csr *s)
{
	free(s->ptr);
	free(s->col);
	free(s->val);
}

static ek_matrix *matrix(ek_context *ctx, const struct csr *s)
{
	ek_matrix *A;

	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, s->rows, s->cols, s->ptr, s->col,
	                                 s->val, EK_BORROW, &A),
	              EK_OK);
	return A;
}

static void expect_same(const ek_matrix *C, const ek_matrix *right)
{
	assert_null(different_array(C, right));
	expect_status(ek_matrix_check(C), EK_OK);
}

/* Computes A B + D in a context, with D = A if `with_d`, into a new matrix and again into it. */
static ek_matrix *product(ek_context *ctx, const struct csr *a, const struct csr *b, bool with_d,
                          ek_index index)
{
	ek_matrix *A = matrix(ctx, a), *B = matrix(ctx, b), *C = NULL;
	const ek_hints h = {.size = sizeof h, .B = B, .D = with_d ? A : NULL, .index = index};
	ek_plan *plan;

	expect_status(ek_plan_create(EK_SPGEMM, A, &h, &plan), EK_OK);
	expect_status(ek_spgemm(plan, 1.5, -1, &C), EK_OK);
	ek_matrix *again = NULL;

	expect_status(ek_spgemm(plan, 1.5, -1, &again), EK_OK);
	expect_status(ek_spgemm(plan, 1.5, -1, &again), EK_OK);
	expect_same(again, C);
	ek_matrix_destroy(again);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	ek_matrix_destroy(B);
	return C;
}

/* Compares one pass with two, for all numbers of threads and some instruction sets. */
static void compare(const struct csr *a, const struct csr *b, bool with_d, ek_index index)
{
	struct heap heap = HEAP_INIT;
	ek_context *counted = heap_context_cut(&heap, 2, 0);
	ek_matrix *right = product(counted, a, b, with_d, index);
	ek_isa level[MAX_LEVELS];
	int count[MAX_COUNTS];
	const int levels = test_levels(level), counts = test_counts(count);

	for (int k = 0; k < counts; k++) {
		const ek_options o = {.size = sizeof o,
		                      .threads = count[k],
		                      .isa_limit = EK_ISA_LIMIT(level[k % levels])};
		ek_context *own;
		ek_matrix *C;

		expect_status(ek_context_create(&o, &own), EK_OK);
		own->small_work = 0;
		C = product(own, a, b, with_d, index);
		expect_same(C, right);
		ek_matrix_destroy(C);
		ek_context_destroy(own);
	}
	ek_matrix_destroy(right);
	ek_context_destroy(counted);
	heap_close(&heap);
}

/* ---- Matrices -------------------------------------------------------------------------------- */

static void make_random(struct csr *s, int64_t rows, int64_t cols, int64_t most)
{
	csr_open(s, rows, cols, rows * most);
	for (int64_t i = 0; i < rows; i++) {
		const int64_t n = rng_below(&draw, most + 1), gap = cols / (n + 1);

		for (int64_t k = 0; k < n; k++)
			add(s, k * gap + rng_below(&draw, gap));
		s->ptr[i + 1] = (int32_t)s->nnz;
	}
}

static void test_batches(void **state)
{
	static const int64_t rows[] = {1, 2, 3, 5, 4095, 4097, 30000};
	struct csr a, b;

	(void)state;
	for (int k = 0; k < 7; k++) {
		make_random(&a, rows[k], 700, 9);
		make_random(&b, 700, 700, 9);
		compare(&a, &b, k & 1, k == 4 ? EK_I64 : k == 5 ? EK_I64_32 : 0);
		csr_free(&a);
		csr_free(&b);
	}
}

/* Tests a B whose first rows are alike, and whose others have no column in common. The rows of A
 * that the estimate samples (spgemm/output.c) use only the first, so C has ten times as many
 * entries as estimated or, if `swap`, a tenth. */
static void mislead(bool swap)
{
	enum { ROWS = 8192, EACH = 20, LENGTH = 10, GROUP = 4 };
	const int64_t distance = ROWS / ((64 + ROWS / 64) / GROUP);
	struct csr a, b;

	csr_open(&b, 2 * EACH, EACH * LENGTH, 2 * EACH * LENGTH);
	for (int64_t j = 0; j < 2 * EACH; j++) {
		for (int64_t k = 0; k < LENGTH; k++)
			add(&b, j < EACH ? 7 * k : (j - EACH) * LENGTH + k);
		b.ptr[j + 1] = (int32_t)b.nnz;
	}
	csr_open(&a, ROWS, 2 * EACH, ROWS * EACH);
	for (int64_t i = 0; i < ROWS; i++) {
		const bool seen = i >= distance / 2 && (i - distance / 2) % distance < GROUP;

		for (int64_t k = 0; k < EACH; k++)
			add(&a, k + (seen == swap ? EACH : 0));
		a.ptr[i + 1] = (int32_t)a.nnz;
	}
	compare(&a, &b, false, 0);
	csr_free(&a);
	csr_free(&b);
}

static void test_wrong_estimates(void **state)
{
	(void)state;
	mislead(false);
	mislead(true);
}

/* Tests a row with more entries than usual batches: its batch alone fills a buffer. */
static void test_long_row(void **state)
{
	const int64_t cols = 120001;
	struct csr a, b;

	(void)state;
	csr_open(&b, 3, cols, cols + 2);
	for (int64_t j = 0; j < 3; j++) {
		for (int64_t k = j; k < cols; k += j == 1 ? 1 : cols)
			add(&b, k);
		b.ptr[j + 1] = (int32_t)b.nnz;
	}
	make_random(&a, 20, 3, 2);
	compare(&a, &b, false, 0);
	csr_free(&a);
	csr_free(&b);
}

static void test_no_entries(void **state)
{
	struct csr a, b;

	(void)state;
	for (int64_t rows = 0; rows < 12000; rows += 5500) {
		csr_open(&a, rows, 5, 0);
		make_random(&b, 5, 9, 3);
		compare(&a, &b, false, 0);
		csr_free(&a);
		csr_free(&b);
		make_random(&a, rows, 3, 2);
		csr_open(&b, 3, 0, 0);
		compare(&a, &b, false, 0);
		csr_free(&a);
		csr_free(&b);
	}
}

/* ---- Few rows, and the last rows ------------------------------------------------------------- */

/* Tests products with few rows and with many, whose long rows come last: a single thread, which
 * computes rows where they stay, then has to find out row by row what still fits. */
static void test_last_rows(void **state)
{
	static const int64_t rows[] = {40, 511, 512, 3000};
	const int64_t cols = 5000;
	struct csr a, b;

	(void)state;
	csr_open(&b, 60, cols, cols * 30);
	for (int64_t j = 0; j < 60; j++) {
		for (int64_t k = j; k < cols; k += j < 40 ? 1000 : 1 + j % 7)
			add(&b, k);
		b.ptr[j + 1] = (int32_t)b.nnz;
	}
	for (int k = 0; k < 4; k++) {
		csr_open(&a, rows[k], 60, rows[k] * 20);
		for (int64_t i = 0; i < rows[k]; i++) {
			const bool last = i >= rows[k] - 30;

			for (int64_t j = last ? 41 + i % 7 : i % 40; j < (last ? 60 : 40); j += 9)
				add(&a, j);
			a.ptr[i + 1] = (int32_t)a.nnz;
		}
		compare(&a, &b, false, 0);
		csr_free(&a);
	}
	csr_free(&b);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

/* Makes rows of runs of 1 to 19 columns, each of which begins where the row or the run before ended
 * or one column later. */
static void make_runs(struct csr *s, int64_t rows)
{
	int64_t at = 0;

	csr_open(s, rows, 40 * rows, 60 * rows);
	for (int64_t i = 0; i < rows; i++) {
		at -= i % 5 ? 0 : at / 2;
		for (int64_t r = 0; r < i % 4; r++) {
			const int64_t n = 1 + (i * 7 + r) % 19;

			at += (i + r) % 2;
			for (int64_t k = 0; k < n; k++)
				add(s, at++);
		}
		s->ptr[i + 1] = (int32_t)s->nnz;
	}
}

/* Computes A B by a method, or by the chosen one, as for one call or for many. */
static ek_matrix *by(ek_context *ctx, const struct csr *a, const struct csr *b, const char *method,
                     int64_t calls)
{
	ek_matrix *A = matrix(ctx, a), *B = matrix(ctx, b), *C = NULL;
	const ek_hints h = {.size = sizeof h, .B = B, .method = method, .calls = calls};
	ek_plan *plan;

	expect_status(ek_plan_create(EK_SPGEMM, A, &h, &plan), EK_OK);
	expect_status(ek_spgemm(plan, 1, 0, &C), EK_OK);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	ek_matrix_destroy(B);
	return C;
}

static void test_runs(void **state)
{
	ek_isa level[MAX_LEVELS];
	const int levels = test_levels(level);
	struct csr a, b;

	(void)state;
	make_runs(&b, 700);
	for (int64_t rows = 1; rows <= 1000;
	     rows *= 1000) { /* one row of A is too little for runs */
		make_random(&a, rows, 700, 9);
		for (int k = 0; k < 2 * levels; k++) {
			const ek_options o = {.size = sizeof o,
			                      .threads = 1 + k % 2,
			                      .isa_limit = EK_ISA_LIMIT(level[k / 2])};
			ek_context *own;

			expect_status(ek_context_create(&o, &own), EK_OK);
			own->small_work = 0;
			ek_matrix *right = by(own, &a, &b, "csr.serial", 1);

			for (int64_t calls = 0; calls < 2; calls++) {
				ek_matrix *C = by(own, &a, &b, NULL, calls);

				expect_same(C, right);
				ek_matrix_destroy(C);
			}
			ek_matrix_destroy(right);
			ek_context_destroy(own);
		}
		csr_free(&a);
	}
	csr_free(&b);
}

/* ---- Too many entries ------------------------------------------------------------------------ */

/* Multiplies a column by a row of 46341 entries, so that C has more than 2^31. They must be counted
 * before memory is taken, in one pass and in two. */
static void test_overflow(void **state)
{
	enum { N = 46341 };
	const char *const message =
		"C has 2147488281 entries, which do not fit row pointers of type 32: set "
		"hints.index to EK_I64_32";
	struct heap heap = HEAP_INIT;
	struct csr a, b;

	(void)state;
	csr_open(&a, N, 1, N);
	csr_open(&b, 1, N, N);
	for (int64_t i = 0; i < N; i++) {
		add(&a, 0);
		a.ptr[i + 1] = (int32_t)(i + 1);
		add(&b, i);
	}
	b.ptr[1] = N;
	for (int own = 0; own < 2; own++) {
		ek_context *ctx;
		ek_matrix *C = NULL;
		ek_plan *plan;

		if (own)
			expect_status(ek_context_create(NULL, &ctx), EK_OK);
		else
			ctx = heap_context(&heap, 2, 0);
		ek_matrix *A = matrix(ctx, &a), *B = matrix(ctx, &b);
		const ek_hints h = {.size = sizeof h, .B = B};

		expect_status(ek_plan_create(EK_SPGEMM, A, &h, &plan), EK_OK);
		expect_error(ek_spgemm(plan, 1, 0, &C), EK_EOVERFLOW, message);
		assert_null(C);
		ek_plan_destroy(plan);
		ek_matrix_destroy(A);
		ek_matrix_destroy(B);
		ek_context_destroy(ctx);
	}
	csr_free(&a);
	csr_free(&b);
	heap_close(&heap);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_batches),   cmocka_unit_test(test_wrong_estimates),
		cmocka_unit_test(test_long_row),  cmocka_unit_test(test_no_entries),
		cmocka_unit_test(test_last_rows), cmocka_unit_test(test_runs),
		cmocka_unit_test(test_overflow),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, NULL, NULL);
}
