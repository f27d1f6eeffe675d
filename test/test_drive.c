/* SPDX-License-Identifier: BSD-3-Clause
 * Tests eki_drive.both, with which a run both computes rows and scatters. The test's method is like
 * one for symmetric storage: it computes y = alpha (L + S^T) x + beta y0, where the lower triangle
 * L is in CSR, and S is L without its diagonal. Kernels either finish all their rows (`rows`) or
 * pass on the sums of their first and last row (`carry`). x and y are vectors, or blocks stored by
 * rows or by columns, of which kernels take one or four columns at a time. Data are small integers,
 * so results are exact. If beta is 0, y0 is NaN. */
#include "drive/drive.h"
#include "support/contexts.h"
#include "support/guard.h"
#include "support/support.h"
#define EK_TYPES_ONLY
#define EK_FILE "test_drive.c"
#include "base/for_each.h"

#include "drive/finish.h"

#if EK_PER_TYPE

/* Returns the product of row i of L and column c of x. */
static VAL FN(lower_dot)(const ek_store *L, const eki_run *v, int64_t i, int64_t c)
{
	const PTR *row_ptr = L->array[CSR_PTR];
	const IDX *col_idx = L->array[CSR_COL];
	const VAL *val = L->array[CSR_VAL], *x = (const VAL *)v->x.data + c * v->x.col;
	VAL sum = 0;

	for (PTR k = row_ptr[i]; k < row_ptr[i + 1]; k++)
		sum += val[k] * x[col_idx[k] * v->x.row];
	return sum;
}

static void FN(lower_finish)(const eki_run *v, int64_t i, int64_t c, VAL sum)
{
	const VAL alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta);

	const VAL *y0 = (const VAL *)v->y0.data + i * v->y0.row + c * v->y0.col;
	VAL *y = (VAL *)v->y.data + i * v->y.row + c * v->y.col;

	FN(finish_row)(sum, alpha, beta, y0, y);
}

static void FN(lower_rows)(const ek_store *L, const eki_run *v, int64_t begin, int64_t end)
{
	for (int64_t i = begin; i < end; i++)
		for (int64_t c = 0; c < v->width; c++)
			FN(lower_finish)(v, i, c, FN(lower_dot)(L, v, i, c));
}

/* Computes rows [begin, end) of y, except the first and the last row. The sums of these two rows go
 * to `carry`. */
static void FN(lower_carry)(const ek_store *L, const eki_run *v, int64_t begin, int64_t end,
                            eki_carry *carry)
{
	VAL *first = carry->first_sum, *last = carry->last_sum;

	carry->first = begin;
	carry->last = end - 1;
	for (int64_t i = begin; i < end; i++)
		for (int64_t c = 0; c < v->width; c++) {
			const VAL sum = FN(lower_dot)(L, v, i, c);

			if (i == begin)
				first[c] = sum;
			else if (i == end - 1)
				last[c] = sum;
			else
				FN(lower_finish)(v, i, c, sum);
		}
}

/* Adds the contribution of rows [begin, end) of L to alpha S^T x to the array `to`, which begins
 * with the sums of row `first` of y. */
static void FN(lower_scatter)(const ek_store *L, const eki_run *v, int64_t begin, int64_t end,
                              int64_t first, void *to)
{
	const PTR *row_ptr = L->array[CSR_PTR];
	const IDX *col_idx = L->array[CSR_COL];
	const VAL *val = L->array[CSR_VAL], *x = v->x.data;
	const VAL alpha = EK_SCALAR(v->alpha);
	VAL *sum = to;

	for (int64_t i = begin; i < end; i++)
		for (PTR k = row_ptr[i]; k < row_ptr[i + 1]; k++)
			for (int64_t c = 0; c < v->width && col_idx[k] != i; c++)
				sum[(col_idx[k] - first) * v->width + c] +=
					val[k] * (alpha * x[i * v->x.row + c * v->x.col]);
}

#endif
#if EK_ONCE

enum { MOST = 150, ENTRIES = MOST * 12, COLUMNS = 9, KINDS = 6 };

/* ---- The method ------------------------------------------------------------------------------ */

static struct {
	bool carry, weighed;
	int width;
} variant; /* variant of the method, for the next plan */

static void span(const ek_store *L, int64_t begin, int64_t end, int64_t span[2])
{
	eki_span(L, CSR_COL, eki_ptr_at(L, begin), eki_ptr_at(L, end), span);
}

static ek_status prepare(eki_step *step)
{
	static eki_rows_fn *const rows[EK_NTYPE] = EK_BY_TYPE(lower_rows);
	static eki_carry_fn *const carry[EK_NTYPE] = EK_BY_TYPE(lower_carry);
	static eki_scatter_fn *const scatter[EK_NTYPE] = EK_BY_TYPE(lower_scatter);
	const ek_store *L = step->in[0];
	const int type = eki_type(L->value, L->index);

	return eki_drive_prepare(
		step, &(eki_drive){.units = L->rows,
	                           .unit_ptr = variant.weighed ? L->array[CSR_PTR] : NULL,
	                           .rows = variant.carry ? NULL : rows[type],
	                           .carry = variant.carry ? carry[type] : NULL,
	                           .scatter = scatter[type],
	                           .span = span,
	                           .both = true,
	                           .width = variant.width});
}

static const ek_method lower = {
	.name = "lower",
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.prepare = prepare,
	.run = eki_drive_run,
};

/* Makes a plan of the oracle, then prepares its step again with the method `lower`. */
static ek_plan *make_plan(ek_operation operation, ek_op op, const ek_matrix *L)
{
	const ek_hints hints = {.size = sizeof hints, .method = "csr.serial", .op = op};
	ek_plan *plan;

	expect_status(ek_plan_create(operation, L, &hints, &plan), EK_OK);
	plan->root.method = &lower;
	plan->root.threads = plan->root.parts = plan->ctx->threads;
	expect_status(eki_step_prepare(&plan->root), EK_OK);
	expect_status(eki_scratch_make(plan), EK_OK);
	return plan;
}

/* ---- Data ------------------------------------------------------------------------------------ */

static struct rng draw = {3};
static int64_t n;
static int64_t row_ptr[MOST + 1], col_idx[ENTRIES];
static double val[ENTRIES], x[MOST * COLUMNS], y0[MOST * COLUMNS], product[MOST * COLUMNS];

/* Tells whether entry (i, j) of the lower triangle is stored. Kinds 0 to 5: no entries, a diagonal,
 * a long last row, a long first column, random entries, and random entries between empty rows at
 * the beginning and at the end. */
static bool stored(int kind, int64_t i, int64_t j)
{
	switch (kind) {
	case 0: return false;
	case 1: return i == j;
	case 2: return i == j || i == n - 1;
	case 3: return i == j || j == 0;
	case 4: return rng_below(&draw, n) < 6;
	default: return i > n / 4 && i < n / 2 && rng_below(&draw, 8) == 0;
	}
}

static void make(int kind, int64_t rows)
{
	int64_t k = 0;

	n = rows;
	memset(product, 0, sizeof product);
	for (int64_t at = 0; at < n * COLUMNS; at++) {
		x[at] = (double)rng_integer(&draw, 4);
		y0[at] = (double)rng_integer(&draw, 100);
	}
	for (int64_t i = 0; i < n; i++) {
		for (int64_t j = 0; j <= i && k < ENTRIES; j++) {
			if (!stored(kind, i, j))
				continue;
			col_idx[k] = j;
			val[k] = (double)rng_integer(&draw, 9);
			for (int c = 0; c < COLUMNS; c++) {
				product[i * COLUMNS + c] += val[k] * x[j * COLUMNS + c];
				if (i != j)
					product[j * COLUMNS + c] += val[k] * x[i * COLUMNS + c];
			}
			k++;
		}
		row_ptr[i + 1] = k;
	}
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static struct block {
	struct guard guard;
	int64_t row, col;
	void *data;
} in, from, out;

/* Fills a block between guard pages with the first columns of `v`, or with NaN if `v` is NULL. */
static void block_fill(struct block *b, ek_value value, int64_t columns, bool by_rows,
                       const double *v)
{
	const size_t bytes = (size_t)(n * columns) * ek_value_size(value);

	b->row = by_rows ? columns : 1;
	b->col = by_rows ? 1 : n;
	b->data = guard_at_end(&b->guard, bytes);
	guard_paint(&b->guard, b->data, bytes);
	poison(value, b->data, n * columns);
	for (int64_t i = 0; i < n && v; i++)
		for (int64_t c = 0; c < columns; c++)
			value_set(value, b->data, i * b->row + c * b->col, v[i * COLUMNS + c]);
}

static eki_dense dense(const struct block *b)
{
	return (eki_dense){.data = b->data, .row = b->row, .col = b->col};
}

/* Checks one run, with y in the same memory as y0 or in other memory. */
static void check_run(ek_plan *plan, int64_t columns, unsigned turn)
{
	static const double factor[] = {1, 0, 2.5, -1};
	const ek_value value = plan->root.in[0]->value;
	const double alpha = factor[turn % 4], beta = factor[turn / 4 % 4];
	const bool elsewhere = turn % 3 == 0;
	const size_t bytes = (size_t)(n * columns) * ek_value_size(value);

	block_fill(&in, value, columns, turn & 1, x);
	block_fill(&from, value, columns, turn & 2, beta == 0 ? NULL : y0);
	block_fill(&out, value, columns, turn & 2, elsewhere || beta == 0 ? NULL : y0);
	eki_run run = {.x = dense(&in),
	               .y = dense(&out),
	               .y0 = dense(elsewhere ? &from : &out),
	               .width = columns,
	               .alpha = eki_real(alpha),
	               .beta = eki_real(beta)};

	expect_status(eki_plan_run(plan, &run), EK_OK);
	guard_check(&out.guard, out.data, bytes);
	for (int64_t i = 0; i < n; i++)
		for (int64_t c = 0; c < columns; c++) {
			const int64_t at = i * COLUMNS + c;
			const double right = alpha * product[at] + (beta == 0 ? 0 : beta * y0[at]);
			const double is = value_at(value, out.data, i * out.row + c * out.col);

			if (!(is == right))
				fail_msg(
					"%s, %d parts, %d columns at a time, carry %d, alpha %g, "
					"beta "
					"%g: entry (%lld, %lld) of %lld x %lld is %g instead of %g",
					ek_value_name(value), plan->root.parts, variant.width,
					variant.carry, alpha, beta, (long long)i, (long long)c,
					(long long)n, (long long)columns, is, right);
		}
}

/* Checks all variants of the method, each with op N and op T, which give the same product. */
static void check_matrix(const ek_matrix *L, bool blocks)
{
	static const int64_t columns[] = {1, 3, 4, COLUMNS};
	static unsigned turn;

	for (int k = 0; k < 16; k++) {
		if (!blocks && k & 8)
			continue;
		variant.carry = k & 1;
		variant.weighed = k & 2;
		variant.width = k & 8 ? 4 : 1;

		ek_plan *plan = make_plan(blocks ? EK_SPMM : EK_SPMV, k & 4 ? EK_OP_T : EK_OP_N, L);

		for (int run = 0; run < 3; run++, turn++)
			check_run(plan, blocks ? columns[rng_below(&draw, 4)] : 1, turn);
		ek_plan_destroy(plan);
	}
}

/* Checks all matrices with all types and numbers of threads. */
static void walk(bool blocks)
{
	static const int64_t sizes[] = {1, 2, 37, MOST};

	for (int shape = 0; shape < KINDS * 4; shape++)
		for (int count = 0; count < contexts.counts; count++) {
			ek_matrix *wide, *L;

			make(shape / 4, sizes[shape % 4]);
			expect_status(ek_matrix_from_csr(contexts.of[0][count], EK_F64, EK_I64, n,
			                                 n, row_ptr, col_idx, val, EK_BORROW,
			                                 &wide),
			              EK_OK);
			for (int type = 0; type < 6; type++) {
				expect_status(convert_types(wide, (ek_value)(1 + type % 2),
				                            (ek_index)(1 + type / 2), &L),
				              EK_OK);
				check_matrix(L, blocks);
				ek_matrix_destroy(L);
			}
			ek_matrix_destroy(wide);
		}
}

static void test_vectors(void **state)
{
	(void)state;
	walk(false);
}

static void test_blocks(void **state)
{
	(void)state;
	walk(true);
}

static int setup(void **state)
{
	guard_make(&in.guard, sizeof x);
	guard_make(&from.guard, sizeof y0);
	guard_make(&out.guard, sizeof y0);
	return contexts_setup(state);
}

static int teardown(void **state)
{
	guard_free(&in.guard);
	guard_free(&from.guard);
	guard_free(&out.guard);
	return contexts_teardown(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_blocks),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, setup, teardown);
}

#endif
