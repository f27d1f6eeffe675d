/* SPDX-License-Identifier: BSD-3-Clause
 * Tests sparse products with hints.unsorted: which rows do not ascend, and where they do all the
 * same; that operations which need ascending rows take such a C; and what is refused. Entries are
 * checked in test_spgemm.c, with and without the hint. */
#include <stdlib.h>
#include <string.h>

#include "support/contexts.h"
#include "support/entries.h"
#include "support/held.h"
#include "support/sparse.h"

enum { N = 6000, K = 5 };

static struct rng draw;

/* Returns a context with the most threads. */
static ek_context *most_threads(void)
{
	return contexts.of[0][contexts.counts - 1];
}

/* Opens a matrix with K random entries in each row, so that products have no runs. */
static void scattered(struct shape *s)
{
	shape_open(s, "scattered", N, N, N * K);
	for (int64_t i = 0; i < N; i++) {
		for (int k = 0; k < K; k++)
			shape_put_integer(s, k * (N / K) + rng_below(&draw, N / K), &draw);
		shape_end_row(s, i);
	}
}

static ek_matrix *matrix_of(ek_context *ctx, struct typed *t, const struct shape *s)
{
	ek_matrix *M;

	typed_make(t, s, EK_F64, EK_I32, 1);
	expect_status(typed_csr(ctx, t, 0, &M), EK_OK);
	return M;
}

static void release(ek_matrix *A, struct typed *t, struct shape *s)
{
	ek_matrix_destroy(A);
	typed_free(t);
	shape_free(s);
}

/* Returns C = A B by a plan with these hints. If `text` is not NULL, checks that the plan says
 * so. */
static ek_matrix *product(const ek_matrix *A, const ek_hints *hints, const char *text)
{
	ek_matrix *C = NULL;
	ek_plan *plan;
	char why[4000];

	expect_status(ek_plan_create(EK_SPGEMM, A, hints, &plan), EK_OK);
	expect_status(ek_spgemm(plan, 1, 0, &C), EK_OK);
	ek_plan_explain(plan, why, sizeof why);
	if (text && !strstr(why, text))
		fail_msg("\"%s\" is not in:\n%s", text, why);
	if (!text && strstr(why, "columns in rows"))
		fail_msg("without the hint, the plan says:\n%s", why);
	ek_plan_destroy(plan);
	return C;
}

static int is_sorted(const ek_matrix *C)
{
	ek_stats stats = {.size = sizeof stats};

	expect_status(ek_matrix_stats(C, &stats), EK_OK);
	return stats.sorted;
}

static const char *const lists = "in the order of the products", *const ascends = "ascending";

/* Tests which rows ascend. */
static void test_order(void **state)
{
	const struct {
		ek_hints hints;
		const char *text;
		int sorted;
	} cases[] = {
		{{.unsorted = 1}, lists, 0},
		{{.unsorted = 1, .threads = 1}, lists, 0},
		{{.unsorted = 1, .op = EK_OP_T}, lists, 0},
		{{.unsorted = 1, .reproducible = EK_REPRO_STRICT}, ascends, 1},
		{{.unsorted = 1, .memory = 1 << 24}, ascends, 1},
		{{.unsorted = 1, .method = "csr.textbook"}, NULL, 1},
		{{.unsorted = 1, .measure = 1, .calls = 100}, NULL, 1},
		{{0}, NULL, 1},
	};
	struct shape s;
	struct typed t;
	ek_matrix *A;

	(void)state;
	scattered(&s);
	A = matrix_of(contexts.of[0][0], &t, &s);
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		ek_hints h = cases[k].hints;
		ek_matrix *C;

		h.size = sizeof h;
		h.B = A;
		C = product(A, &h, cases[k].text);
		if (is_sorted(C) != cases[k].sorted)
			fail_msg("case %d: rows %s", (int)k,
			         cases[k].sorted ? "do not ascend" : "ascend");
		ek_matrix_destroy(C);
	}
	release(A, &t, &s);
}

/* Tests that threads together take no more sums than there are products: a permutation has one for
 * each column. */
static void test_threads(void **state)
{
	ek_context *ctx = most_threads();
	ek_hints h = {.size = sizeof h, .unsorted = 1};
	struct shape s;
	struct typed t;
	ek_matrix *A;

	(void)state;
	if (ek_context_threads(ctx) == 1)
		skip();
	shape_open(&s, "permutation", 5 * N, 5 * N, 5 * N);
	for (int64_t i = 0; i < 5 * N; i++) {
		shape_put_integer(&s, (i * 7) % (5 * N), &draw);
		shape_end_row(&s, i);
	}
	h.B = A = matrix_of(ctx, &t, &s);
	ek_matrix_destroy(product(A, &h, ascends));
	release(A, &t, &s);
}

/* Tests a C that was made with an estimate that is too low, in batches on several threads, and the
 * values of such a C computed again and elsewhere. */
static void test_again(void **state)
{
	ek_hints h = {.size = sizeof h, .unsorted = 1};
	ek_view first = {.size = sizeof first};
	ek_context *ctx = most_threads();
	struct shape s;
	struct typed t;
	ek_matrix *A, *C = NULL, *one;
	ek_plan *plan;

	(void)state;
	shape_open(&s, "late", N, N, 2 * N * K);
	for (int64_t i = 0; i < N; i++) { /* only the last rows are long */
		for (int64_t k = 0; k < (i < N - N / 8 ? 1 : 5 * K); k++)
			shape_put_integer(&s, (k * 229 + i * 31) % N, &draw);
		shape_end_row(&s, i);
	}
	h.B = A = matrix_of(ctx, &t, &s);
	expect_status(ek_plan_create(EK_SPGEMM, A, &h, &plan), EK_OK);
	expect_status(ek_spgemm(plan, 1, 0, &C), EK_OK);
	one = sparse_sorted(C);
	h.unsorted = 0;
	ek_matrix *sorted = product(A, &h, NULL);

	assert_null(different_array(one, sorted));
	expect_status(ek_matrix_array(C, "val", &first), EK_OK);
	double *again = malloc((size_t)first.len * sizeof *again);

	expect_status(ek_result_values(plan, 1, 0, C, first.len, again), EK_OK);
	assert_memory_equal(again, first.data, (size_t)first.len * sizeof *again);
	free(again);
	ek_plan_destroy(plan);
	ek_matrix_destroy(sorted);
	ek_matrix_destroy(one);
	ek_matrix_destroy(C);
	release(A, &t, &s);
}

/* Tests that rows of a band ascend: they are runs, and each is the row before plus 1. */
static void test_band(void **state)
{
	struct shape s;
	struct typed t;
	ek_matrix *A, *C;

	(void)state;
	shape_open(&s, "band", N, N, N * 16);
	for (int64_t i = 0; i < N; i++) {
		for (int64_t j = i < 8 ? 0 : i - 8; j < i + 8 && j < N; j++)
			shape_put_integer(&s, j, &draw);
		shape_end_row(&s, i);
	}
	for (int level = 0; level < contexts.levels; level++) {
		A = matrix_of(contexts.of[level][0], &t, &s);
		C = product(A, &(ek_hints){.size = sizeof(ek_hints), .B = A, .unsorted = 1},
		            ascends);
		assert_true(is_sorted(C));
		ek_matrix_destroy(C);
		ek_matrix_destroy(A);
		typed_free(&t);
	}
	shape_free(&s);
}

/* Tests that matrices with more columns than products have get no sums for all of them. */
static void test_many_columns(void **state)
{
	static const int64_t ptr[] = {0, 2}, col[] = {0, 1}, b_ptr[] = {0, 1, 2},
			     b_col[] = {INT64_MAX - 2, 7};
	static const double val[] = {2, 3};
	ek_hints h = {.size = sizeof h, .unsorted = 1};
	ek_context *ctx = contexts.of[0][0];
	ek_matrix *A, *B, *C;

	(void)state;
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I64, 1, 2, ptr, col, val, 0, &A), EK_OK);
	expect_status(
		ek_matrix_from_csr(ctx, EK_F64, EK_I64, 2, INT64_MAX - 1, b_ptr, b_col, val, 0, &B),
		EK_OK);
	h.B = B;
	C = product(A, &h, ascends);
	assert_true(is_sorted(C));
	ek_matrix_destroy(C);
	ek_matrix_destroy(B);
	ek_matrix_destroy(A);
}

/* Tests (A A) A and A A + A, where A A is not sorted. */
static void test_next(void **state)
{
	struct shape s;
	struct typed t;
	ek_matrix *A, *C[2], *last[2][3];

	(void)state;
	scattered(&s);
	A = matrix_of(contexts.of[0][0], &t, &s);
	for (int k = 0; k < 2; k++) {
		ek_hints h = {.size = sizeof h, .B = A, .unsorted = k};
		ek_plan *plan;

		C[k] = product(A, &h, k ? lists : NULL);
		h.unsorted = 0;
		last[k][0] = product(C[k], &h, NULL);
		h.B = C[k];
		last[k][1] = product(A, &h, NULL);
		last[k][2] = NULL;
		expect_status(ek_plan_create(EK_SPADD, A, &h, &plan), EK_OK);
		expect_status(ek_spadd(plan, 1, 1, &last[k][2]), EK_OK);
		ek_plan_destroy(plan);
	}
	for (int way = 0; way < 3; way++) {
		const char *array = different_array(last[0][way], last[1][way]);

		if (array)
			fail_msg("way %d: %s differs", way, array);
		ek_matrix_destroy(last[0][way]);
		ek_matrix_destroy(last[1][way]);
	}
	ek_matrix_destroy(C[0]);
	ek_matrix_destroy(C[1]);
	release(A, &t, &s);
}

static void test_refused(void **state)
{
	ek_hints h = {.size = sizeof h, .unsorted = 2};
	ek_plan *plan = NULL;
	struct shape s;
	struct typed t;
	ek_matrix *A;

	(void)state;
	scattered(&s);
	h.B = A = matrix_of(contexts.of[0][0], &t, &s);
	expect_status(ek_plan_create(EK_SPGEMM, A, &h, &plan), EK_EINVAL);
	assert_non_null(strstr(ek_error_text(), "hints.unsorted is 2"));
	h.unsorted = 1;
	expect_status(ek_plan_create(EK_SPADD, A, &h, &plan), EK_EINVAL);
	assert_non_null(strstr(ek_error_text(), "operation spadd"));
	h.B = NULL;
	expect_status(ek_plan_create(EK_SPMV, A, &h, &plan), EK_EINVAL);
	assert_non_null(strstr(ek_error_text(), "operation spmv"));
	assert_null(plan);
	release(A, &t, &s);
}

static int setup(void **state)
{
	draw.state = 77;
	return contexts_setup(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),        cmocka_unit_test(test_band),
		cmocka_unit_test(test_threads),      cmocka_unit_test(test_again),
		cmocka_unit_test(test_many_columns), cmocka_unit_test(test_next),
		cmocka_unit_test(test_refused),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, setup, contexts_teardown);
}
