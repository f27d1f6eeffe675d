/* SPDX-License-Identifier: BSD-3-Clause
 * Tests spmv.csr.forward at, below and above the limits of 16-bit numbers: 65,536 columns, 65,536
 * rows, and segments of 65,535 entries. Also tests panels without entries, rows in one panel only,
 * unsorted columns, parts that begin inside rows and between empty rows, and new values in the
 * plan's own copies. All arrays are next to guard pages, and x is NaN where A has an empty column.
 * The same for spmv.csr.forward_published, which refuses more columns. */
#include "spmv/panels.h"
#include "support/bound.h"
#include "support/contexts.h"
#include "support/support.h"

enum { MAX_ROWS = 140000, MAX_ENTRIES = 400000 };

static const char *method = "spmv.csr.forward";
static bool published; /* the method is spmv.csr.forward_published */
static struct rng rng = {7};
static long met[3]; /* [kind], number of tiles of this kind in the tests */

/* ---- Matrices -------------------------------------------------------------------------------- */

static void add(struct shape *s, int64_t col)
{
	assert_true(col >= 0 && col < s->cols && s->nnz < MAX_ENTRIES);
	s->col[s->nnz++] = col;
}

/* Appends n entries in random columns of [from, from + width), then ends the row. */
static void row(struct shape *s, int64_t n, int64_t from, int64_t width)
{
	for (int64_t k = 0; k < n; k++)
		add(s, from + rng_below(&rng, width));
	assert_true(s->rows < MAX_ROWS);
	s->ptr[++s->rows] = s->nnz;
}

static void empty_rows(struct shape *s, int64_t n)
{
	while (n-- > 0)
		row(s, 0, 0, 1);
}

/* Builds rows of many lengths, and entries in the corners of the matrix. */
static void corners(struct shape *s)
{
	add(s, 0);
	add(s, s->cols - 1);
	row(s, 0, 0, 1);
	for (int k = 0; k < 300; k++)
		row(s, k % 40, 0, s->cols);
	row(s, 70, s->cols - 9, 9);
	add(s, s->cols - 1);
	row(s, 0, 0, 1);
}

static void last_column(struct shape *s)
{
	empty_rows(s, 3);
	for (int k = 0; k < 100; k++)
		row(s, k % 3, s->cols - 1, 1);
	empty_rows(s, 50);
}

/* Builds rows with entries only in the first, the fourth and the last panel. */
static void missing_panels(struct shape *s)
{
	for (int k = 0; k < 200; k++) {
		for (int n = 0; n < 12; n++)
			add(s, rng_below(&rng, PANEL));
		if (k % 2)
			row(s, 9, 3 * PANEL, PANEL);
		else
			row(s, 1, s->cols - 1, 1);
	}
}

static void one_panel_each(struct shape *s)
{
	for (int k = 0; k < 999; k++)
		row(s, 1 + k % 23, k % 3 * PANEL, k % 3 < 2 ? PANEL : s->cols - 2 * PANEL);
}

/* Builds rows whose columns alternate between panels, so a tile has several segments of a row. */
static void no_order(struct shape *s)
{
	for (int k = 0; k < 100; k++) {
		for (int n = 0; n < 60; n++)
			add(s, (n / 7 % 2) * PANEL + rng_below(&rng, s->cols - PANEL));
		row(s, 0, 0, 1);
	}
}

/* Builds rows, few of them with entries in the second panel, so that the panel lists its rows. */
static void sparse_panel(struct shape *s)
{
	for (int k = 0; k < 2000; k++)
		row(s, k % 9 == 0 ? 20 + k % 13 : 0, PANEL + 5, 300);
}

/* Builds rows longer than 65,535 entries, the 16-bit limit, and one row of exactly 65,535. */
static void long_rows(struct shape *s)
{
	row(s, 3, 0, s->cols);
	row(s, UINT16_MAX, PANEL, s->cols - PANEL);
	row(s, UINT16_MAX + 1, PANEL, s->cols - PANEL);
	row(s, 2 * UINT16_MAX + 5, 0, PANEL);
	row(s, 1, 0, s->cols);
}

/* Builds more than two blocks of rows. Most rows are empty, so that parts begin inside rows and
 * between empty rows. */
static void many_rows(struct shape *s)
{
	empty_rows(s, 66000);
	row(s, 900, 0, s->cols);
	empty_rows(s, 30000);
	for (int k = 0; k < 700; k++)
		row(s, k % 4, 0, s->cols);
	empty_rows(s, 40000);
	row(s, 2000, 0, s->cols);
	empty_rows(s, 20);
}

/* Builds rows of one entry each, so that rows before and after a block's last row have entries. */
static void full_blocks(struct shape *s)
{
	for (int k = 0; k < 2 * PANEL + 3; k++)
		row(s, 1, k % s->cols, 1);
}

static const struct forward_case {
	const char *name;
	int64_t cols;
	void (*build)(struct shape *s);
} cases[] = {
	{"65,535 columns", PANEL - 1, corners},
	{"65,536 columns", PANEL, corners},
	{"65,537 columns", PANEL + 1, corners},
	{"131,073 columns", 2 * PANEL + 1, corners},
	{"column 65,535", PANEL, last_column},
	{"column 65,536", PANEL + 1, last_column},
	{"column 131,072", 2 * PANEL + 1, last_column},
	{"missing panels", 5 * PANEL + 1, missing_panels},
	{"one panel each", 2 * PANEL + 1000, one_panel_each},
	{"no order", 2 * PANEL, no_order},
	{"sparse panel", 2 * PANEL, sparse_panel},
	{"long rows", PANEL + 40000, long_rows},
	{"many rows", 3 * PANEL + 7, many_rows},
	{"many rows, narrow", 1000, many_rows},
	{"full blocks", PANEL + 1, full_blocks},
};
enum { CASES = sizeof cases / sizeof *cases };

static void build(struct shape *s, const struct forward_case *c, enum data data)
{
	*s = (struct shape){.cols = c->cols, .room = MAX_ENTRIES};
	snprintf(s->name, sizeof s->name, "%s", c->name);
	s->ptr = calloc(MAX_ROWS + 1, sizeof *s->ptr);
	s->col = calloc(MAX_ENTRIES, sizeof *s->col);
	c->build(s);
	s->val = malloc((size_t)(s->nnz + 1) * sizeof *s->val);
	s->val2 = malloc((size_t)(s->nnz + 1) * sizeof *s->val2);
	for (int64_t k = 0; k < s->nnz; k++) {
		s->val[k] = data == DATA_EXACT ? rng_integer(&rng, 3) : rng_real(&rng, 20);
		s->val2[k] = data == DATA_EXACT ? rng_integer(&rng, 3) : rng_real(&rng, 20);
	}
}

/* ---- One matrix in one type ------------------------------------------------------------------ */

struct trial {
	enum data data;
	struct shape s;
	ek_value value;
	struct typed arrays;
	struct guard x_guard, y_guard;
	void *x, *y, *y0;
	size_t y_bytes;
	struct reference ref[2];
};

static double draw(enum data data, int64_t most)
{
	return data == DATA_EXACT ? rng_integer(&rng, most) : rng_real(&rng, 20);
}

static void trial_make(struct trial *t, const struct forward_case *c, enum data data,
                       ek_value value, ek_index index, int at_end)
{
	struct shape *s = &t->s;
	size_t size = ek_value_size(value);

	*t = (struct trial){.data = data, .value = value};
	build(s, c, data);
	typed_make(&t->arrays, s, value, index, at_end);
	t->y_bytes = (size_t)s->rows * size;
	guard_make(&t->x_guard, (size_t)s->cols * size);
	guard_make(&t->y_guard, t->y_bytes);
	t->x = (at_end ? guard_at_end : guard_at_begin)(&t->x_guard, (size_t)s->cols * size);
	t->y = (at_end ? guard_at_end : guard_at_begin)(&t->y_guard, t->y_bytes);
	t->y0 = malloc(t->y_bytes);
	poison(value, t->x, s->cols);
	for (int64_t k = 0; k < s->nnz; k++)
		value_set(value, t->x, s->col[k], draw(data, 4));
	for (int64_t i = 0; i < s->rows; i++)
		value_set(value, t->y0, i, draw(data, 100));
	guard_read_only(&t->x_guard, true);
	for (int which = 1; which >= 0; which--) {
		typed_values(&t->arrays, which ? s->val2 : s->val);
		reference_make(&t->ref[which], &t->arrays, EK_OP_N, t->x);
	}
}

static void trial_free(struct trial *t)
{
	typed_free(&t->arrays);
	for (int k = 0; k < 2; k++)
		reference_free(&t->ref[k]);
	guard_free(&t->x_guard);
	guard_free(&t->y_guard);
	free(t->y0);
	shape_free(&t->s);
}

static void check_run(struct trial *t, ek_plan *plan, double alpha, double beta, int which,
                      const char *where)
{
	ek_dense x = ek_vector(t->value, t->s.cols, t->x), y = ek_vector(t->value, t->s.rows, t->y);
	long calls = atomic_load(&contexts.heap.calls);
	int64_t fault;

	if (beta == 0)
		poison(t->value, t->y, t->s.rows);
	else
		memcpy(t->y, t->y0, t->y_bytes);
	expect_status(ek_spmv(plan, alpha, &x, beta, &y), EK_OK);
	assert_int_equal(atomic_load(&contexts.heap.calls), calls);
	if (t->data == DATA_REAL) {
		double ratio = bound_ratio(&t->ref[which], alpha, beta, t->y0, t->y, &fault);

		if (!(ratio <= 1))
			fail_msg("%s, alpha %g, beta %g: error %.3g of the bound in row %lld",
			         where, alpha, beta, ratio, (long long)fault);
		return;
	}
	fault = exact_fault(&t->ref[which], alpha, beta, t->y0, t->y);
	if (fault >= 0)
		fail_msg("%s, alpha %g, beta %g, values %d: y[%lld] = %.17g; A x is %.17g there",
		         where, alpha, beta, which, (long long)fault,
		         value_at(t->value, t->y, fault), (double)t->ref[which].sum[fault]);
}

static void count_kinds(const ek_plan *plan)
{
	const eki_panels *s = plan->root.aux;

	for (int64_t k = 0; k < s->block[s->blocks].tile; k++)
		met[s->tile[k].kind]++;
}

static void check_plan(struct trial *t, ek_context *ctx)
{
	ek_hints hints = {.size = sizeof hints, .method = method};
	double odd = t->data == DATA_EXACT ? -2.5 : -0.7;
	ek_matrix *A;
	ek_plan *plan;
	char where[160];

	typed_values(&t->arrays, t->s.val);
	expect_status(typed_csr(ctx, &t->arrays, EK_BORROW, &A), EK_OK);
	if (published && t->s.cols > PANEL) {
		expect_error(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_EUNSUPPORTED,
		             "65,536 columns");
		ek_matrix_destroy(A);
		return;
	}
	expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
	snprintf(where, sizeof where, "%s, %s, index %s, %s, %d threads", t->s.name,
	         ek_value_name(t->value), ek_index_name(t->arrays.index),
	         ek_isa_name(plan->root.isa), plan->root.threads);
	if (t->s.cols > PANEL)
		count_kinds(plan);
	check_run(t, plan, 1, 0, 0, where);
	check_run(t, plan, odd, 1.5, 0, where);
	typed_values(&t->arrays, t->s.val2);
	expect_status(ek_matrix_values_changed(A), EK_OK);
	check_run(t, plan, odd, 0, 1, where);
	check_run(t, plan, 1, -1, 1, where);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

/* Checks every case in all types. In the quick tier, each check takes another quarter of the
 * combinations of instruction set and number of threads; otherwise all. */
static void walk(enum data data)
{
	int all = contexts.levels * contexts.counts, turn = 0;

	for (int k = 0; k < CASES; k++)
		for (int type = 0; type < EK_NTYPE; type++, turn++) {
			struct trial t;

			trial_make(&t, &cases[k], data, (ek_value)(1 + type % EK_NVALUE),
			           (ek_index)(1 + type / EK_NVALUE), turn % 2);
			for (int at = 0; at < all; at++)
				if (test_tier() > TIER_QUICK || at % 4 == turn % 4)
					check_plan(&t, contexts.of[at % contexts.levels]
					                          [at / contexts.levels]);
			trial_free(&t);
		}
}

static void test_exact(void **state)
{
	(void)state;
	walk(DATA_EXACT);
	for (int kind = 0; kind < 3; kind++)
		assert_true(met[kind] > 0);
}

static void test_bound(void **state)
{
	(void)state;
	walk(DATA_REAL);
}

static void test_published(void **state)
{
	(void)state;
	method = "spmv.csr.forward_published";
	published = true;
	walk(DATA_EXACT);
	walk(DATA_REAL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_published),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, contexts_setup_isas, contexts_teardown);
}
