/* SPDX-License-Identifier: BSD-3-Clause
 * Tests sums of a sparse and a dense matrix (EK_SPADD_DENSE) by every method of the table, and by
 * `auto`, in every type, instruction set and number of threads, on awkward shapes, plain and
 * transposed, held as CSR and as CSC. Each entry of Y is checked like that of a product of one row:
 * integers exactly, real numbers by the bound in ek.h. */
#include <math.h>

#include "plan/plan.h"
#include "support/bound.h"
#include "support/plan_case.h"

enum { MOST = 300000 }; /* maximum number of entries of Y */

static struct rng draw;

/* A shape, and the sums of its entries at each place of Y, row by row. */
struct sums {
	struct shape A, T;
	ek_value value;
	enum data data;
	struct reference ref[2]; /* with the first and with the second values */
};

static void sums_make(struct sums *s)
{
	const int64_t n = s->A.rows * s->A.cols;
	struct typed t;

	shape_transpose(&s->A, &s->T);
	typed_make(&t, &s->A, s->value, EK_I64, 0);
	for (int second = 0; second < 2; second++) {
		struct reference *r = &s->ref[second];

		*r = (struct reference){.n = n, .value = s->value};
		r->count = calloc((size_t)n + 1, sizeof *r->count);
		r->sum = calloc((size_t)n + 1, sizeof *r->sum);
		r->size = calloc((size_t)n + 1, sizeof *r->size);
		typed_values(&t, second ? s->A.val2 : s->A.val);
		for (int64_t i = 0; i < s->A.rows; i++)
			for (int64_t k = s->A.ptr[i]; k < s->A.ptr[i + 1]; k++) {
				const int64_t at = i * s->A.cols + s->A.col[k];
				const double a = value_at(s->value, t.val, k);

				r->count[at]++;
				r->sum[at] += a;
				r->size[at] += fabs(a);
			}
	}
	typed_free(&t);
}

static void sums_free(struct sums *s)
{
	reference_free(&s->ref[0]);
	reference_free(&s->ref[1]);
	shape_free(&s->A);
	shape_free(&s->T);
}

/* ---- One run --------------------------------------------------------------------------------- */

struct sum_run {
	int op, order;
	int64_t more; /* by how much the leading dimension exceeds the minimum */
	double alpha, beta;
	bool second, at_end;
};

/* Returns the address of the entry of Y where A has (i, j). */
static void *entry(const ek_dense *v, int op, int64_t i, int64_t j)
{
	const int64_t row = op ? j : i, col = op ? i : j;
	const int64_t at = v->order == EK_ROW_MAJOR ? row * v->ld + col : row + col * v->ld;

	return (char *)v->data + at * (int64_t)ek_value_size(v->value);
}

/* Runs the plan with a Y between guard pages, which is poisoned if beta = 0. Checks each entry of
 * Y, and that the gaps between them are unchanged. Returns the entries, by rows of A, which the
 * caller frees. */
static void *checked_run(const struct sums *s, ek_plan *plan, const struct sum_run *run)
{
	const size_t size = ek_value_size(s->value);
	const int64_t rows = s->A.rows, cols = s->A.cols;
	const int64_t y_rows = run->op ? cols : rows, y_cols = run->op ? rows : cols;
	const int64_t inner = run->order ? y_cols : y_rows, outer = y_rows + y_cols - inner;
	const int64_t room = outer > 0 ? (outer - 1) * (inner + run->more) + inner : 0;
	void *y0 = malloc((size_t)(rows * cols + 1) * size),
	     *y = malloc((size_t)(rows * cols + 1) * size);
	const struct reference *r = &s->ref[run->second];
	struct guard guard;
	double ratio = 0;
	int64_t at;

	guard_make(&guard, (size_t)room * size + 64);
	ek_dense Y = ek_block(s->value, y_rows, y_cols, inner + run->more, run->order,
	                      run->at_end ? guard_at_end(&guard, (size_t)room * size)
	                                  : guard_at_begin(&guard, (size_t)room * size));

	poison(s->value, Y.data, room);
	for (int64_t k = 0; k < rows * cols; k++) {
		value_set(s->value, y0, k, (double)(k * 7 % 41) - 20);
		if (run->beta != 0)
			memcpy(entry(&Y, run->op, k / cols, k % cols),
			       (char *)y0 + (size_t)k * size, size);
	}
	expect_status(ek_spadd_dense(plan, run->alpha, run->beta, &Y), EK_OK);
	for (int64_t k = 0; k < rows * cols; k++) {
		void *from = entry(&Y, run->op, k / cols, k % cols);

		memcpy((char *)y + (size_t)k * size, from, size);
		poison(s->value, from, 1);
	}
	for (int64_t k = 0; k < room; k++)
		if (!isnan(value_at(s->value, Y.data, k)))
			fail_msg("%s: a gap was written", product_where);
	at = s->data == DATA_EXACT ? exact_fault(r, run->alpha, run->beta, y0, y) : -1;
	if (s->data == DATA_REAL && r->n > 0 &&
	    (ratio = bound_ratio(r, run->alpha, run->beta, y0, y, &at)) <= 1)
		at = -1;
	if (at >= 0 && r->n > 0)
		fail_msg("%s, order %d + %lld, %g A + %g Y: (%lld, %lld) is %.17g of %lld entries, "
		         "sum %.17g, Y was %.17g, error/bound %g",
		         product_where, run->order, (long long)run->more, run->alpha, run->beta,
		         (long long)(at / cols), (long long)(at % cols), value_at(s->value, y, at),
		         (long long)r->count[at], (double)r->sum[at], value_at(s->value, y0, at),
		         ratio);
	guard_free(&guard);
	free(y0);
	return y;
}

static struct sum_run drawn(int op)
{
	static const double factor[] = {1, 0, -1, 2.5};

	return (struct sum_run){.op = op,
	                        .order = (int)rng_below(&draw, 2),
	                        .more = rng_below(&draw, 2) ? rng_below(&draw, 5) : 0,
	                        .alpha = factor[rng_below(&draw, 4)],
	                        .beta = factor[rng_below(&draw, 4)],
	                        .at_end = rng_below(&draw, 2) != 0};
}

/* ---- All methods, shapes and types ----------------------------------------------------------- */

static ek_status make_plan(const struct plan_case *c, const ek_matrix *A, ek_plan **plan)
{
	const ek_hints hints = {.size = sizeof hints,
	                        .method = name_or_auto(c->method),
	                        .op = c->op ? EK_OP_T : EK_OP_N,
	                        .reproducible = c->repro};

	return ek_plan_create(EK_SPADD_DENSE, A, &hints, plan);
}

static void check_case(const struct sums *s, const struct plan_case *c)
{
	const bool csc = c->held == HELD_CSC;
	const struct shape *shape = csc ? &s->T : &s->A;
	struct typed t;
	ek_matrix *A;
	ek_plan *plan;

	plan_case_where(c, s->value, s->A.name, s->data);
	typed_make(&t, shape, s->value, c->index, (int)rng_below(&draw, 2));
	expect_status(
		(csc ? typed_csc : typed_csr)(contexts.of[c->isa][c->count], &t, EK_BORROW, &A),
		EK_OK);
	expect_status(make_plan(c, A, &plan), EK_OK);
	for (int second = 0; second < 2; second++) {
		struct sum_run run = drawn(c->op);

		run.second = second != 0;
		typed_values(&t, second ? shape->val2 : shape->val);
		expect_status(ek_matrix_values_changed(A), EK_OK);
		free(checked_run(s, plan, &run));
	}
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	typed_free(&t);
}

static void walk(enum data data)
{
	for (int shape = 0; shape < shape_count(); shape += test_tier() == TIER_BRIEF ? 3 : 1) {
		const ek_method *m = NULL;
		struct sums s = {.value = (shape + (int)data) % 2 ? EK_F32 : EK_F64, .data = data};

		shape_make(&s.A, shape, data);
		if (s.A.rows * s.A.cols > MOST) {
			shape_free(&s.A);
			continue;
		}
		sums_make(&s);
		do
			for (int k = 0; k < 8; k++) {
				const struct plan_case c = plan_case_draw(m, k, &draw);

				check_case(&s, &c);
			}
		while ((m = processor_method_next(m, EK_SPADD_DENSE)));
		sums_free(&s);
	}
}

static void test_integer_data(void **state)
{
	(void)state;
	walk(DATA_EXACT);
}

static void test_real_data(void **state)
{
	(void)state;
	walk(DATA_REAL);
}

/* Checks that all methods, numbers of threads, instruction sets and orders give the same bits. */
static void test_bits(void **state)
{
	(void)state;
	for (int shape = 0; shape < shape_count(); shape += 3) {
		const ek_method *m = NULL;
		struct sums s = {.value = EK_F64, .data = DATA_REAL};
		void *first = NULL, *y;

		shape_make(&s.A, shape, DATA_REAL);
		if (s.A.rows * s.A.cols > MOST / 10) {
			shape_free(&s.A);
			continue;
		}
		sums_make(&s);
		do
			for (int at = 0; at < 2 * contexts.levels * contexts.counts; at++) {
				const struct plan_case c = {.method = m,
				                            .index = (ek_index)(1 + at % 3),
				                            .isa = at / 2 % contexts.levels,
				                            .count = at / 2 / contexts.levels};
				const struct sum_run run = {
					.order = at & 1, .alpha = 0.1, .beta = 0.3};
				struct typed t;
				ek_matrix *A;
				ek_plan *plan;

				plan_case_where(&c, s.value, s.A.name, s.data);
				typed_make(&t, &s.A, s.value, c.index, 0);
				expect_status(
					typed_csr(contexts.of[c.isa][c.count], &t, EK_BORROW, &A),
					EK_OK);
				expect_status(make_plan(&c, A, &plan), EK_OK);
				y = checked_run(&s, plan, &run);
				if (first)
					assert_memory_equal(y, first,
					                    (size_t)(s.A.rows * s.A.cols) *
					                            sizeof(double));
				free(first);
				first = y;
				ek_plan_destroy(plan);
				ek_matrix_destroy(A);
				typed_free(&t);
			}
		while ((m = processor_method_next(m, EK_SPADD_DENSE)));
		free(first);
		sums_free(&s);
	}
}

/* Tests matrices large enough for several tiles: wide ones, where tiles are low and columns are
 * cut, and tall ones. Y begins as ones, and becomes 2 op(A) + 3. */
static void test_large(void **state)
{
	static const char *const spec[] = {"uniform:rows=5,cols=90000,k=70",
	                                   "uniform:rows=90000,cols=5,k=3",
	                                   "uniform:rows=700,cols=900,k=7"};

	(void)state;
	for (int k = 0; k < 12; k++) {
		const int op = k & 1, order = k / 2 & 1;
		const char *const text = spec[k / 4];
		const ek_hints hints = {.size = sizeof hints, .op = op ? EK_OP_T : EK_OP_N};
		ek_matrix_info info = {.size = sizeof info};
		double *y, a;
		ek_matrix *A;
		ek_plan *plan;

		expect_status(
			ek_matrix_generate(contexts.of[contexts.levels - 1][contexts.counts - 1],
		                           text, EK_F64, EK_I32, &A),
			EK_OK);
		expect_status(ek_matrix_get_info(A, &info), EK_OK);
		const int64_t rows = op ? info.cols : info.rows, cols = op ? info.rows : info.cols;
		const int64_t ld = order ? cols : rows;
		const ek_dense Y = ek_block(EK_F64, rows, cols, ld, order,
		                            y = malloc((size_t)(rows * cols) * sizeof *y));

		for (int64_t i = 0; i < rows * cols; i++)
			y[i] = 1;
		expect_status(ek_plan_create(EK_SPADD_DENSE, A, &hints, &plan), EK_OK);
		expect_status(ek_spadd_dense(plan, 2, 3, &Y), EK_OK);
		for (int64_t i = 0; i < rows; i += 1 + rows / 300)
			for (int64_t j = 0; j < cols; j += 1 + cols / 300) {
				expect_status(ek_matrix_get(A, op ? j : i, op ? i : j, &a), EK_OK);
				if (y[order ? i * ld + j : i + j * ld] != 3 + 2 * a)
					fail_msg("%s, op %d, order %d: (%lld, %lld)", text, op,
					         order, (long long)i, (long long)j);
			}
		ek_plan_destroy(plan);
		ek_matrix_destroy(A);
		free(y);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integer_data),
		cmocka_unit_test(test_real_data),
		cmocka_unit_test(test_bits),
		cmocka_unit_test(test_large),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, contexts_setup, contexts_teardown);
}
