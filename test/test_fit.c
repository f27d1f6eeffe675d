/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the fit of costs to measured times (tune/fit.c), and the matrices that are measured
 * (tune/sample.c). */
#include <math.h>

#include "support/support.h"
#include "tune/tune.h"

static void fit_finds_costs(void **state)
{
	const double count[4][3] = {{100, 300, 0}, {10, 800, 0}, {50, 500, 20}, {200, 400, 150}};
	const double true_cost[][3] = {{1.5, 0.25, 8}, {0, 0.5, 3}, {2, 0.125, 0}};
	eki_equation e[4];

	(void)state;
	for (int c = 0; c < 3; c++) {
		double cost[3] = {-1, -1, -1};

		for (int k = 0; k < 4; k++) {
			e[k].time = 0;
			for (int u = 0; u < 3; u++) {
				e[k].count[u] = count[k][u];
				e[k].time += count[k][u] * true_cost[c][u];
			}
		}
		eki_fit(e, 4, 3, cost);
		for (int u = 0; u < 3; u++)
			assert_true(fabs(cost[u] - true_cost[c][u]) < 1e-9);
	}
}

/* A cost that would have to be negative is 0, and one that no equation has keeps its value. */
static void fit_keeps_bounds(void **state)
{
	const eki_equation e[] = {{10, {1, 10, 0}}, {21, {5, 22, 0}}, {30, {2, 31, 0}}};
	double cost[3] = {7, 7, 7};

	(void)state;
	eki_fit(e, 3, 3, cost);
	assert_true(cost[0] >= 0 && cost[1] > 0.9 && cost[1] < 1.1);
	assert_true(cost[2] == 7);
}

/* Checks that a pattern makes a matrix whose columns ascend within each row, the same each time. */
static void check_pattern(ek_context *ctx, const eki_pattern *p)
{
	ek_matrix *A, *B;

	expect_status(eki_pattern_make(ctx, p, EK_F64, &A), EK_OK);
	expect_status(eki_pattern_make(ctx, p, EK_F64, &B), EK_OK);
	const ek_store *a = &A->store, *b = &B->store;
	const int32_t *ptr = a->array[CSR_PTR], *col = a->array[CSR_COL];

	assert_true(a->nnz > 0 && a->nnz == b->nnz && a->rows == b->rows && a->cols == b->cols);
	assert_memory_equal(col, b->array[CSR_COL], (size_t)a->nnz * sizeof *col);
	for (int64_t i = 0; i < a->rows; i++)
		for (int32_t k = ptr[i]; k < ptr[i + 1]; k++)
			assert_true(col[k] >= 0 && col[k] < a->cols &&
			            (k == ptr[i] || col[k - 1] < col[k]));
	ek_matrix_destroy(A);
	ek_matrix_destroy(B);
}

static void patterns_are_matrices(void **state)
{
	const eki_pattern p[] = {{EKI_EVEN, 300, 300, 0, 9, 0},   {EKI_RANDOM, 300, 400, 0, 30, 0},
	                         {EKI_BANDS, 300, 300, 3, 9, 0},  {EKI_SQUARES, 120, 120, 0, 3, 4},
	                         {EKI_SCATTERED, 90, 5000, 0, 8, 0}};
	ek_context *ctx;

	(void)state;
	expect_status(eki_tune_context(1, EK_ISA_SCALAR, &ctx), EK_OK);
	for (size_t k = 0; k < sizeof p / sizeof *p; k++)
		check_pattern(ctx, &p[k]);
	ek_context_destroy(ctx);
}

/* Checks that the vector of a far pattern goes by the last-level cache, and has a limit. */
static void far_vectors_fit_no_cache(void **state)
{
	const eki_pattern p = {EKI_FAR, 0, 0, 0, 8, 0};
	eki_machine m = *eki_machine_family();
	ek_context *ctx;
	ek_matrix *A;

	(void)state;
	expect_status(eki_tune_context(1, EK_ISA_SCALAR, &ctx), EK_OK);
	ctx->machine = &m;
	m.cache_bytes = 1e6;
	check_pattern(ctx, &p);
	for (int k = 0; k < 2; k++) {
		const double bytes[] = {1.5e6, 128 << 20};

		expect_status(eki_pattern_make(ctx, &p, EK_F64, &A), EK_OK);
		assert_int_equal(A->store.cols, (int64_t)(bytes[k] / 8));
		assert_int_equal(A->store.rows, (int64_t)(bytes[k] / 64) / 8);
		ek_matrix_destroy(A);
		m.cache_bytes = 1e12;
	}
	ek_context_destroy(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fit_finds_costs),
		cmocka_unit_test(fit_keeps_bounds),
		cmocka_unit_test(patterns_are_matrices),
		cmocka_unit_test(far_vectors_fit_no_cache),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
