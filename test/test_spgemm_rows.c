/* SPDX-License-Identifier: BSD-3-Clause
 * Tests rows of sparse products at the limits between the ways in which spgemm/flags.c computes
 * them: rows with as many products as fit a sorting network, a list or a key, and one less and one
 * more, in columns side by side, far apart and farther than a window or a key reaches, with and
 * without products in common columns. In between are empty rows, and one row needs all of B. Values
 * are integers, so all results are exact. */
#include "plan/plan.h"
#include "support/contexts.h"
#include "support/entries.h"
#include "support/sparse.h"

enum {
	LISTS = 64,  /* rows of B of each length, for each distance of columns */
	LENGTHS = 13 /* 0 to 12 entries */
};

/* Distances between the columns of a row of B, 0 for a 16th of all columns, and after how many such
 * rows columns repeat. */
static const struct {
	int64_t apart;
	int repeat;
} kind[] = {
	{1, LISTS},
	{1, 3},
	{3, LISTS},
	{64, LISTS},
	{64, 5},
	{600, LISTS},
	{4000, LISTS},
	{4000, 2},
	{9001, LISTS},
	{300007, LISTS},
	{300007, 3},
	{(1 << 20) + 1, LISTS},
	{(1 << 22) + 1, LISTS},
	{0, LISTS},
};
enum { KINDS = sizeof kind / sizeof *kind };

static struct rng draw;

static int64_t list_row(int k, int64_t list, int64_t length)
{
	return (k * LISTS + list) * LENGTHS + length;
}

static void make_b(struct shape *s, int64_t cols)
{
	shape_open(s, "rows", KINDS * LISTS * LENGTHS, cols, KINDS * LISTS * LENGTHS * LENGTHS);
	for (int k = 0; k < KINDS; k++)
		for (int64_t list = 0; list < LISTS; list++)
			for (int64_t length = 0; length < LENGTHS; length++) {
				const int64_t apart = kind[k].apart ? kind[k].apart : cols / 16;
				const int64_t first = (5 * k + list % kind[k].repeat) *
				                      (kind[k].apart ? 1 : 4096);

				for (int64_t e = 0; e < length; e++)
					shape_put_integer(s, first + e * apart, &draw);
				shape_end_row(s, list_row(k, list, length));
			}
}

/* Adds a row with exactly this many products, whose lists have up to 12 of them. */
static void add_row(struct shape *s, int k, int64_t products)
{
	static const int64_t lengths[] = {5, 12, 1, 8, 0, 9, 3, 7};

	for (int64_t list = 0; products > 0; list++) {
		const int64_t usual = lengths[list % 8];
		const int64_t left = LISTS - list, n = products > (left - 1) * 6 ? 12 : usual;
		const int64_t length = products < n ? products : n;

		shape_put_integer(s, list_row(k, list, length), &draw);
		products -= length;
	}
}

static const int64_t limit[] = {1, 8, 16, 32, 64, 128, 256};
enum { LIMITS = sizeof limit / sizeof *limit };

/* Makes A: rows for all limits and kinds, between empty rows. Row `huge` needs all rows of B. */
static void make_a(struct shape *s, int64_t b_rows)
{
	const int64_t rows = 3 + KINDS * LIMITS * 4;
	int64_t i = 2;

	shape_open(s, "rows", rows, b_rows, rows * LISTS + b_rows);
	for (int k = 0; k < KINDS; k++)
		for (int l = 0; l < LIMITS; l++, i++) {
			for (int64_t off = -1; off <= 1; off++) {
				add_row(s, k, limit[l] + off);
				s->ptr[i++] = s->nnz;
			}
			for (int64_t j = 0; j < b_rows && k == KINDS / 2 && l == LIMITS - 1; j++)
				shape_put_integer(s, j, &draw);
			s->ptr[i] = s->nnz;
		}
	for (; i <= rows; i++)
		s->ptr[i] = s->nnz;
}

/* Makes D: up to two entries in a row, one of them near the last column. */
static void make_d(struct shape *s, int64_t rows, int64_t cols)
{
	shape_open(s, "rows", rows, cols, 2 * rows);
	for (int64_t i = 0; i < rows; i++) {
		if (i % 3 == 1)
			shape_put_integer(s, rng_below(&draw, 500), &draw);
		if (i % 5 == 1)
			shape_put_integer(s, cols - 4096, &draw);
		shape_end_row(s, i);
	}
}

static void check(const struct shape *s[3], const struct sparse_reference ref[2], ek_context *ctx,
                  ek_value value, ek_index index)
{
	struct typed typed[3];
	ek_matrix *M[3];
	char text[400];

	for (int k = 0; k < 3; k++) {
		typed_make(&typed[k], s[k], value, index, 1);
		expect_status(typed_csr(ctx, &typed[k], 0, &M[k]), EK_OK);
	}
	for (int d = 0; d < 2; d++) {
		const ek_hints h = {.size = sizeof h,
		                    .method = "spgemm.csr.flags",
		                    .B = M[1],
		                    .D = d ? M[2] : NULL};
		ek_matrix *C = NULL;
		ek_plan *plan;

		expect_status(ek_plan_create(EK_SPGEMM, M[0], &h, &plan), EK_OK);
		expect_status(ek_spgemm(plan, 2, -1, &C), EK_OK);
		if (!sparse_check(&ref[d], C, DATA_EXACT, 2, -1, text, sizeof text))
			fail_msg("%s, %s, %s: %s", ek_isa_name(ek_context_isa(ctx)),
			         ek_value_name(value), ek_index_name(index), text);
		ek_matrix_destroy(C);
		ek_plan_destroy(plan);
	}
	for (int k = 0; k < 3; k++) {
		ek_matrix_destroy(M[k]);
		typed_free(&typed[k]);
	}
}

/* Computes all rows with each instruction set, type and kind of indices. The contexts with a heap
 * of the test count C before they make it; those with the library's own do not. */
static void check_all(int64_t cols, ek_index least)
{
	struct shape a, b, d;
	const struct shape *s[3] = {&a, &b, &d};
	struct sparse_reference ref[2];

	make_b(&b, cols);
	make_a(&a, b.rows);
	make_d(&d, a.rows, cols);
	for (int k = 0; k < 2; k++)
		sparse_reference_make(&ref[k], (struct operand){&a, 0}, (struct operand){&b, 0},
		                      k ? &d : NULL, EK_F64, false);
	for (int level = 0; level < contexts.levels; level++) {
		const ek_options o = {.size = sizeof o,
		                      .threads = 1,
		                      .isa_limit = EK_ISA_LIMIT(contexts.level[level])};
		ek_context *own;

		expect_status(ek_context_create(&o, &own), EK_OK);
		for (int value = EK_F32; value <= EK_F64; value++)
			for (ek_index index = least; index <= EK_I64; index++) {
				check(s, ref, own, (ek_value)value, index);
				check(s, ref, contexts.of[level][index % contexts.counts],
				      (ek_value)value, index);
			}
		ek_context_destroy(own);
	}
	for (int k = 0; k < 2; k++)
		sparse_reference_free(&ref[k]);
	shape_free(&a);
	shape_free(&b);
	shape_free(&d);
}

static void test_limits(void **state)
{
	(void)state;
	check_all(INT32_MAX, EK_I32);
}

/* Tests columns that need more than 32 bits, and such that leave no bits for a key. */
static void test_wide_columns(void **state)
{
	(void)state;
	check_all((int64_t)1 << 50, EK_I64);
	check_all((int64_t)1 << 61, EK_I64);
}

/* Tests as many columns as there can be, which no multiple of a window's width has. */
static void test_most_columns(void **state)
{
	static const int64_t ptr[] = {0, 2}, col[] = {0, 1}, b_ptr[] = {0, 2, 4},
			     b_col[] = {0, INT64_MAX - 2, 5, INT64_MAX - 2},
			     want[] = {0, 5, INT64_MAX - 2};
	static const double val[] = {1, 2}, b_val[] = {3, 4, 5, 6}, sum[] = {3, 10, 16};
	ek_hints h = {.size = sizeof h};
	ek_view c = {.size = sizeof c}, v = {.size = sizeof v};
	ek_context *own;
	ek_matrix *A, *C = NULL;
	ek_plan *plan;

	(void)state;
	expect_status(ek_context_create(NULL, &own), EK_OK);
	expect_status(ek_matrix_from_csr(own, EK_F64, EK_I64, 1, 2, ptr, col, val, 0, &A), EK_OK);
	expect_status(ek_matrix_from_csr(own, EK_F64, EK_I64, 2, INT64_MAX - 1, b_ptr, b_col, b_val,
	                                 0, (ek_matrix **)&h.B),
	              EK_OK);
	expect_status(ek_plan_create(EK_SPGEMM, A, &h, &plan), EK_OK);
	expect_status(ek_spgemm(plan, 1, 0, &C), EK_OK);
	expect_status(ek_matrix_array(C, "col_idx", &c), EK_OK);
	expect_status(ek_matrix_array(C, "val", &v), EK_OK);
	assert_int_equal(c.len, 3);
	assert_memory_equal(c.data, want, sizeof want);
	assert_memory_equal(v.data, sum, sizeof sum);
	ek_plan_destroy(plan);
	ek_matrix_destroy(C);
	ek_matrix_destroy(A);
	ek_matrix_destroy((ek_matrix *)h.B);
	ek_context_destroy(own);
}

static int setup(void **state)
{
	draw.state = 31;
	return contexts_setup(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_wide_columns), cmocka_unit_test(test_most_columns),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, setup, contexts_teardown);
}
