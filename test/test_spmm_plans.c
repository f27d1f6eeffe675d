/* SPDX-License-Identifier: BSD-3-Clause
 * Tests plans of SpMM, by every method of the table and by `auto`: columns from 1, and the
 * explanation of the choice. */
#include <math.h>
#include <stdlib.h>

#include "plan/plan.h"
#include "support/contexts.h"
#include "support/support.h"

/* Checks that columns from 1 give the same bits as columns from 0, with blocks of one panel and of
 * several, in both orders. X ends at a guard page, and begins after other values. */
static void check_base1(const ek_method *m, const ek_matrix *A, const ek_matrix *A1, int64_t width)
{
	enum { ROWS = 150, COLS = 150, MOST_WIDTH = 40, BEFORE = 64 };
	static double x[BEFORE + COLS * MOST_WIDTH], y[2][ROWS * MOST_WIDTH];
	const ek_hints hints = {.size = sizeof hints, .method = name_or_auto(m)};

	for (int k = 0; k < BEFORE; k++)
		x[k] = NAN;
	for (int k = BEFORE; k < BEFORE + COLS * MOST_WIDTH; k++)
		x[k] = (double)(k % 17) - 8;
	for (int order = 0; order < 4; order++) {
		const ek_dense X = ek_block(EK_F64, COLS, width, order & 1 ? width : COLS,
		                            order & 1 ? EK_ROW_MAJOR : EK_COL_MAJOR, x + BEFORE);

		for (int k = 0; k < 2; k++) {
			const ek_dense Y = ek_block(EK_F64, ROWS, width, order & 2 ? width : ROWS,
			                            order & 2 ? EK_ROW_MAJOR : EK_COL_MAJOR, y[k]);
			ek_plan *plan;

			expect_status(ek_plan_create(EK_SPMM, k ? A1 : A, &hints, &plan), EK_OK);
			expect_status(ek_spmm(plan, 2, &X, 0, &Y), EK_OK);
			ek_plan_destroy(plan);
		}
		if (memcmp(y[0], y[1], sizeof y[0][0] * (size_t)(ROWS * width)) != 0)
			fail_msg("%s, %lld columns, order %d: other bits with columns from 1",
			         name_or_auto(m), (long long)width, order);
	}
}

static void test_base1(void **state)
{
	static const int64_t width[] = {1, 3, 8, 9, 17, 40};
	ek_view v[3];
	int32_t *ptr, *col;

	(void)state;
	for (int at = 0; at < contexts.levels * contexts.counts; at++) {
		ek_context *here = contexts.of[at % contexts.levels][at / contexts.levels];
		const ek_method *m = NULL;
		ek_matrix *A, *A1;

		expect_status(ek_matrix_generate(here,
		                                 at & 1 ? "uniform:rows=150,cols=150,k=5"
		                                        : "banded:n=150,lower=3,upper=3",
		                                 EK_F64, EK_I32, &A),
		              EK_OK);
		for (int k = 0; k < 3; k++) {
			static const char *const name[] = {"row_ptr", "col_idx", "val"};

			v[k] = (ek_view){.size = sizeof v[k]};
			expect_status(ek_matrix_array(A, name[k], &v[k]), EK_OK);
		}
		ptr = malloc((size_t)v[0].len * sizeof *ptr);
		col = malloc((size_t)v[1].len * sizeof *col);
		for (int64_t k = 0; k < v[0].len; k++)
			ptr[k] = ((const int32_t *)v[0].data)[k] + 1;
		for (int64_t k = 0; k < v[1].len; k++)
			col[k] = ((const int32_t *)v[1].data)[k] + 1;
		expect_status(ek_matrix_from_csr(here, EK_F64, EK_I32, 150, 150, ptr, col,
		                                 v[2].data, EK_BORROW | EK_BASE1, &A1),
		              EK_OK);
		do
			for (size_t k = 0; k < sizeof width / sizeof *width; k++)
				check_base1(m, A, A1, width[k]);
		while ((m = processor_method_next(m, EK_SPMM)));
		ek_matrix_destroy(A1);
		ek_matrix_destroy(A);
		free(ptr);
		free(col);
	}
}

/* Checks that a plan explains the choice, whatever the format, and names its method. */
static void test_explain(void **state)
{
	(void)state;
	for (const ek_format *f = NULL; (f = ek_format_next(f));)
		for (int op = 0; op < 2; op++) {
			const ek_hints hints = {.size = sizeof hints,
			                        .op = op ? EK_OP_T : EK_OP_N,
			                        .format = ek_format_name(f)};
			char text[8192];
			ek_matrix *A;
			ek_plan *plan;

			expect_status(ek_matrix_generate(contexts.of[0][0],
			                                 "poisson2d5:nx=40,ny=40", EK_F64, EK_I32,
			                                 &A),
			              EK_OK);
			expect_status(ek_plan_create(EK_SPMM, A, &hints, &plan), EK_OK);
			expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
			if (!strstr(text, ek_plan_method(plan)) || strlen(text) + 1 >= sizeof text)
				fail_msg("format %s: %s", ek_format_name(f), text);
			ek_plan_destroy(plan);
			ek_matrix_destroy(A);
		}
}

/* Checks that a plan that multiplies column by column runs on as many threads as its child, counts
 * A once in its bytes, and names the child before the child's parts. */
static void test_columns(void **state)
{
	const ek_hints hints = {.size = sizeof hints, .method = "spmm.columns", .width = 4};
	const ek_hints one = {.size = sizeof one, .calls = 4000, .format = "csr"};
	const ek_options options = {.size = sizeof options, .threads = 2};
	const char *child, *part;
	ek_matrix_info info = {.size = sizeof info};
	char text[8192], on[100];
	ek_context *ctx;
	ek_matrix *A, *B;
	ek_plan *plan;

	(void)state;
	expect_status(ek_context_create(&options, &ctx), EK_OK);
	expect_status(ek_matrix_generate(ctx, "poisson2d5:nx=20,ny=10", EK_F64, EK_I32, &A), EK_OK);
	expect_status(ek_matrix_convert(A, "hyb:width=4", NULL, &B), EK_OK);
	expect_status(ek_matrix_get_info(B, &info), EK_OK);
	expect_status(ek_plan_create(EK_SPMM, B, &hints, &plan), EK_OK);
	assert_int_equal(ek_plan_bytes(plan),
	                 info.bytes + 4 * (200 + 200) * 8 +
	                         /* the second part reads x and y, and writes y, for 144 entries */
	                         3 * 144 * 8);
	expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
	child = strstr(text, "each column is multiplied by spmv.hyb");
	part = strstr(text, "spmv.coo");
	assert_true(child && part && child < part);
	ek_plan_destroy(plan);
	ek_matrix_destroy(B);
	for (int k = 0; k < 2; k++) {
		expect_status(ek_plan_create(k ? EK_SPMM : EK_SPMV, A, k ? &hints : &one, &plan),
		              EK_OK);
		expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
		assert_non_null(part = strstr(text, "runs on"));
		if (k == 0)
			snprintf(on, sizeof on, "%.*s", (int)strcspn(part, "\n"), part);
		else if (strncmp(part, on, strlen(on)) != 0)
			fail_msg("the child has \"%s\", not\n%s", on, text);
		ek_plan_destroy(plan);
	}
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base1),
		cmocka_unit_test(test_explain),
		cmocka_unit_test(test_columns),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, contexts_setup, contexts_teardown);
}
