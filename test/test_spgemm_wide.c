/* SPDX-License-Identifier: BSD-3-Clause
 * Tests products of sparse matrices with many columns, whose rows reach every branch of
 * spgemm/flags.c: rows of one list, of few and of many products, close together and far apart, in
 * one window and in pieces, rows of runs and of nodes, and rows with the columns of the previous
 * row or these plus 1. Some values are NaN or infinite. */
#include <math.h>

#include "plan/plan.h"
#include "support/contexts.h"
#include "support/entries.h"
#include "support/sparse.h"

enum { GRID = 200, RUNS = 100, POINTS = 100, INNER = GRID + RUNS + POINTS + 20 };

static struct rng draw;

/* ---- Shapes ---------------------------------------------------------------------------------- */

/* What the rows of B have in common. */
enum pattern { POINTS_ONLY, WITH_RUNS, NODES, PATTERNS };

/* Makes B. Unless it consists of nodes, its first GRID rows are each the previous row shifted by
 * one column; then come rows with or without runs, rows with few entries far apart, and empty
 * rows. */
static void make_b(struct shape *s, int64_t cols, enum pattern pattern)
{
	const bool with_runs = pattern == WITH_RUNS;
	const int64_t far = (cols - GRID - 64) / 6;

	if (pattern == NODES) {
		sparse_nodes(&draw, s, INNER, cols);
		return;
	}
	shape_open(s, "wide", INNER, cols, INNER * 80);
	for (int64_t i = 0; i < INNER; i++) {
		const int64_t at = rng_below(&draw, cols - 64), gap = with_runs ? 1 : 2;

		for (int64_t k = 0; i < GRID && k < 5; k++)
			for (int64_t j = 0; j < (with_runs ? 3 : 1); j++)
				shape_put_integer(s, i + (i < GRID / 2 ? 70 * k : far * k) + j,
				                  &draw);
		for (int64_t k = 0; i >= GRID && i < GRID + RUNS && k < 30; k++)
			shape_put_integer(s, at + gap * k, &draw);
		for (int64_t k = 0; i >= GRID + RUNS && i < GRID + RUNS + POINTS && k < 4; k++)
			shape_put_integer(s, k * (cols / 4) + rng_below(&draw, cols / 4), &draw);
		shape_end_row(s, i);
	}
}

/* Adds n entries to row i of A, in columns [begin, end), which ascend in steps. */
static void add_spread(struct shape *s, int64_t n, int64_t begin, int64_t end)
{
	for (int64_t k = 0; k < n; k++)
		shape_put_integer(s, begin + k * (end - begin) / n, &draw);
}

/* Makes A. Many rows have the columns of the previous row, or these plus 1. */
static void make_a(struct shape *s, int64_t rows)
{
	shape_open(s, "wide", rows, INNER, rows * 60);
	for (int64_t i = 0; i < rows; i++) {
		const int64_t before = i ? s->ptr[i] - s->ptr[i - 1] : 0;
		const int64_t again = rng_below(&draw, 4), n = 1 + rng_below(&draw, 24);

		if (before && again < 3 && s->col[s->nnz - 1] < INNER - 2) {
			for (int64_t k = 0; k < before; k++)
				shape_put_integer(s, s->col[s->ptr[i - 1] + k] + (again > 0),
				                  &draw);
		} else {
			switch (rng_below(&draw, 9)) {
			case 0: add_spread(s, 1, rng_below(&draw, INNER - 1), INNER); break;
			case 1: add_spread(s, n, 0, GRID / 2 - 20); break;
			case 2: add_spread(s, n, GRID / 2, GRID - 20); break;
			case 3: add_spread(s, 1 + n % 3, GRID + RUNS, GRID + RUNS + POINTS); break;
			case 4: add_spread(s, n, GRID, GRID + RUNS); break;
			case 5: add_spread(s, 3 * n, GRID / 2, INNER - 30); break;
			case 6: add_spread(s, n % 5, INNER - 20, INNER - 8); break;
			case 7: add_spread(s, n, 5 * n, 6 * n); break;
			default: add_spread(s, 2 + n % 2, GRID / 2, GRID - 20); break;
			}
		}
		shape_end_row(s, i);
	}
}

static void make_d(struct shape *s, int64_t rows, int64_t cols)
{
	shape_open(s, "wide", rows, cols, rows * 3 + 1);
	for (int64_t i = 0; i < rows; i++) {
		const int64_t n = rng_below(&draw, 4);

		for (int64_t k = 0; k < n; k++)
			shape_put_integer(s, k * (cols / 3) + rng_below(&draw, cols / 3), &draw);
		shape_end_row(s, i);
	}
}

/* ---- Products -------------------------------------------------------------------------------- */

struct problem {
	struct shape a, b, d;
	struct sparse_reference ref[2][2]; /* [with D][values] */
};

static void problem_make(struct problem *p, int64_t rows, int64_t cols, enum pattern pattern)
{
	make_a(&p->a, rows);
	make_b(&p->b, cols, pattern);
	make_d(&p->d, rows, cols);
	for (int k = 0; k < 4; k++)
		sparse_reference_make(&p->ref[k & 1][k >> 1], (struct operand){&p->a, 0},
		                      (struct operand){&p->b, 0}, k & 1 ? &p->d : NULL, EK_F64,
		                      k >> 1);
}

static void problem_free(struct problem *p)
{
	for (int k = 0; k < 4; k++)
		sparse_reference_free(&p->ref[k & 1][k >> 1]);
	shape_free(&p->a);
	shape_free(&p->b);
	shape_free(&p->d);
}

static struct operands {
	struct typed typed[3];
	ek_matrix *M[3];
} held;

static void hold(const struct problem *p, ek_context *ctx, ek_value value, ek_index index)
{
	const struct shape *s[3] = {&p->a, &p->b, &p->d};

	for (int k = 0; k < 3; k++) {
		typed_make(&held.typed[k], s[k], value, index, 1);
		expect_status(typed_csr(ctx, &held.typed[k], 0, &held.M[k]), EK_OK);
	}
}

static void new_values(const struct problem *p, bool second)
{
	const struct shape *s[3] = {&p->a, &p->b, &p->d};

	for (int k = 0; k < 3; k++) {
		typed_values(&held.typed[k], second ? s[k]->val2 : s[k]->val);
		expect_status(ek_matrix_values_changed(held.M[k]), EK_OK);
	}
}

static void release(void)
{
	for (int k = 0; k < 3; k++) {
		ek_matrix_destroy(held.M[k]);
		typed_free(&held.typed[k]);
	}
}

/* Returns hints for a product, with the smallest possible window if `small`. */
static ek_hints hints_for(bool with_d, bool small)
{
	ek_hints h = {.size = sizeof h,
	              .method = "spgemm.csr.flags",
	              .B = held.M[1],
	              .D = with_d ? held.M[2] : NULL};
	ek_plan *plan;

	if (!small)
		return h;
	h.memory = 1;
	expect_error(ek_plan_create(EK_SPGEMM, held.M[0], &h, &plan), EK_ELIMIT, "at least ");
	h.memory = strtoll(strstr(ek_error_text(), "at least ") + 9, NULL, 10);
	return h;
}

static void expect_right(const struct sparse_reference *ref, const ek_matrix *C, double beta)
{
	char text[400];

	if (!sparse_check(ref, C, DATA_EXACT, 2, beta, text, sizeof text))
		fail_msg("%s", text);
}

/* Runs into a new matrix, and with other values into it again. */
static void check_product(const struct problem *p, bool with_d, bool small)
{
	const ek_hints h = hints_for(with_d, small);
	ek_matrix *C = NULL;
	ek_plan *plan;

	expect_status(ek_plan_create(EK_SPGEMM, held.M[0], &h, &plan), EK_OK);
	expect_status(ek_spgemm(plan, 2, -1, &C), EK_OK);
	expect_right(&p->ref[with_d][0], C, -1);
	new_values(p, true);
	expect_status(ek_spgemm(plan, 2, -1, &C), EK_OK);
	expect_right(&p->ref[with_d][1], C, -1);
	new_values(p, false);
	ek_plan_destroy(plan);
	ek_matrix_destroy(C);
}

static void test_windows(void **state)
{
	static const int64_t cols[] = {9001, 300007, (1 << 22) + 77, INT32_MAX};
	struct problem p;

	(void)state;
	for (int turn = 0; turn < 4 * PATTERNS; turn++) {
		problem_make(&p, 150 + 20 * turn, cols[turn / PATTERNS], turn % PATTERNS);
		for (int level = 0; level < contexts.levels; level++)
			for (int k = 0; k < 6; k++) {
				hold(&p, contexts.of[level][k % contexts.counts],
				     k & 1 ? EK_F32 : EK_F64, (ek_index)(EK_I32 + k % 3));
				/* Windows as large as a cache take long to clear. */
				for (int way = turn >= 3 * PATTERNS ||
				                               (turn >= 2 * PATTERNS && k + level)
				                       ? 2
				                       : 0;
				     way < 4; way++)
					check_product(&p, way & 1, way & 2);
				release();
			}
		problem_free(&p);
	}
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Checks that sizes near the limit of 32-bit indices take no more memory than the windows of all
 * threads, for C in CSR and, with all operands in CSC, in CSC. */
static void test_hypersparse(void **state)
{
	static const int32_t ptr[] = {0, 2, 3}, b_ptr[] = {0, 2, 4}, col[] = {0, 1, 1},
			     all_b_col[][4] = {{5, INT32_MAX - 1, 0, INT32_MAX - 2},
	                                       {INT32_MAX - 1, 5, INT32_MAX - 2, 0}};
	static const double val[] = {1, 2, 3}, all_b_val[][4] = {{1, 2, 3, 4}, {2, 1, 4, 3}};
	static const double right[] = {6, 1, 8, 2, 9, 12};
	struct heap heap = HEAP_INIT;

	(void)state;
	for (int k = 0; k < 8; k++) {
		ek_context *ctx = heap_context(&heap, 2, 0);
		const bool columns = k & 1;
		const int32_t *b_col = all_b_col[k / 4];
		const double *b_val = all_b_val[k / 4];
		ek_matrix *A, *B, *C = NULL;
		ek_hints h = {.size = sizeof h, .memory = k & 2 ? 200000 : 0};
		ek_view view = {.size = sizeof view};
		ek_plan *plan;

		expect_status((columns ? ek_matrix_from_csc : ek_matrix_from_csr)(
				      ctx, EK_F64, EK_I32, 2, 2, ptr, col, val, EK_BORROW, &A),
		              EK_OK);
		expect_status((columns ? ek_matrix_from_csc : ek_matrix_from_csr)(
				      ctx, EK_F64, EK_I32, columns ? INT32_MAX : 2,
				      columns ? 2 : INT32_MAX, b_ptr, b_col, b_val, EK_BORROW, &B),
		              EK_OK);
		h.B = columns ? A : B;
		expect_status(ek_plan_create(EK_SPGEMM, columns ? B : A, &h, &plan), EK_OK);
		expect_status(ek_spgemm(plan, 1, 0, &C), EK_OK);
		expect_status(ek_spgemm(plan, 1, 0, &C), EK_OK);
		expect_status(ek_matrix_array(C, "val", &view), EK_OK);
		assert_int_equal(view.len, 6);
		assert_memory_equal(view.data, right, sizeof right);
		assert_true(atomic_load(&heap.peak) <
		            2 * ((int64_t)eki_cpu_cache() + (int64_t)ctx->machine->core_bytes) +
		                    1000000);
		ek_plan_destroy(plan);
		ek_matrix_destroy(C);
		ek_matrix_destroy(A);
		ek_matrix_destroy(B);
		ek_context_destroy(ctx);
	}
	heap_close(&heap);
}

/* ---- NaN and Inf ----------------------------------------------------------------------------- */

/* Makes a few values of a shape infinite or NaN. */
static void spoil(struct shape *s)
{
	static const double bad[] = {NAN, INFINITY, -INFINITY};

	for (int64_t k = 0; k < s->nnz; k++)
		if (rng_below(&draw, 400) == 0)
			s->val[k] = bad[rng_below(&draw, 3)];
}

static bool alike(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

/* Checks that C has the finite entries, NaN and Inf of the reference. */
static void check_spoilt(const struct sparse_reference *r, const ek_matrix *C, double alpha,
                         double beta)
{
	ek_view view = {.size = sizeof view};

	expect_status(ek_matrix_array(C, "val", &view), EK_OK);
	assert_int_equal(view.len, r->nnz);
	for (int64_t k = 0; k < r->nnz; k++) {
		const double expected = (alpha != 0 ? alpha * (double)r->sum[k] : 0) +
		                        (beta != 0 ? beta * (double)r->addend[k] : 0);

		if (!alike(value_at(view.type, view.data, k), expected))
			fail_msg("entry %lld is %g, %g is expected", (long long)k,
			         value_at(view.type, view.data, k), expected);
	}
}

static void test_not_finite(void **state)
{
	static const double factor[] = {1, 0, 2, -0.5};
	struct problem p;

	(void)state;
	for (int turn = 0; turn < 6; turn++) {
		make_a(&p.a, 200);
		make_b(&p.b, turn & 1 ? 100000 : 3000, turn & 2);
		make_d(&p.d, 200, p.b.cols);
		if (turn != 0)
			spoil(&p.a), spoil(&p.b), spoil(&p.d);
		for (int d = 0; d < 2; d++)
			sparse_reference_make(&p.ref[d][0], (struct operand){&p.a, 0},
			                      (struct operand){&p.b, 0}, d ? &p.d : NULL, EK_F64,
			                      false);
		for (int k = 0; k < 32; k++) {
			const double alpha = factor[k & 3], beta = factor[k >> 2 & 3];
			ek_context *ctx = contexts_turn(k);

			hold(&p, ctx, k & 1 ? EK_F32 : EK_F64, EK_I32);
			for (const ek_method *m = NULL;
			     (m = processor_method_next(m, EK_SPGEMM));) {
				ek_hints h = hints_for(k & 16, k & 1);
				ek_matrix *C = NULL;
				ek_plan *plan;

				h.method = ek_method_name(m);
				if (strcmp(h.method, "spgemm.csr.flags") != 0)
					h.memory = 0;
				expect_status(ek_plan_create(EK_SPGEMM, held.M[0], &h, &plan),
				              EK_OK);
				for (int again = 0; again < 2; again++) {
					expect_status(ek_spgemm(plan, alpha, beta, &C), EK_OK);
					check_spoilt(&p.ref[k >> 4][0], C, alpha, beta);
				}
				ek_plan_destroy(plan);
				ek_matrix_destroy(C);
			}
			release();
		}
		for (int d = 0; d < 2; d++)
			sparse_reference_free(&p.ref[d][0]);
		shape_free(&p.a);
		shape_free(&p.b);
		shape_free(&p.d);
	}
}

static int setup(void **state)
{
	draw.state = 77;
	return contexts_setup(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_hypersparse),
		cmocka_unit_test(test_not_finite),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, setup, contexts_teardown);
}
