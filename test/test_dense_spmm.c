/* SPDX-License-Identifier: BSD-3-Clause
 * Tests products of dense blocks and a sparse matrix (EK_DENSE_SPMM) by every method of the table
 * and by `auto`, in every type, instruction set and number of threads, on awkward shapes held as
 * CSR and as CSC. References and blocks are those of the transposed products (support/blocks.h):
 * the plan computes Y^T = op(A)^T X^T, where `op` of a case is that of the SpMM. */
#include "plan/plan.h"
#include "support/blocks.h"
#include "support/exhaust.h"
#include "support/plan_case.h"
#include "support/small.h"

static struct rng draw;
static unsigned turn;

static ek_status make_plan(const struct plan_case *c, const ek_matrix *A, int64_t width,
                           ek_plan **plan)
{
	const ek_hints hints = {.size = sizeof hints,
	                        .method = name_or_auto(c->method),
	                        .op = c->op ? EK_OP_N : EK_OP_T,
	                        .reproducible = c->repro,
	                        .width = width};

	return ek_plan_create(EK_DENSE_SPMM, A, &hints, plan);
}

static void checked_run(const struct blocks *b, ek_plan *plan, struct block_run *run, void **y)
{
	char text[600];

	run->left = true;
	if (!blocks_run(b, &contexts.heap, plan, run, y, text, sizeof text))
		fail_msg("%s, transposed: %s", product_where, text);
}

static void check_case(struct blocks *b, const struct plan_case *c)
{
	static const int64_t width[] = {0, 1, 3, 16, 40};
	ek_matrix *A;
	ek_plan *plan;

	plan_case_where(c, b->value, b->A.name, b->data);
	expect_status(blocks_matrix(b, contexts.of[c->isa][c->count], c->held, c->index, &A),
	              EK_OK);
	expect_status(make_plan(c, A, width[turn % 5], &plan), EK_OK);
	for (int which = VALUES_FIRST; which <= VALUES_SECOND; which++) {
		struct block_run run = blocks_draw(b, &draw, turn++);

		run.op = c->op;
		run.values = which;
		blocks_values(b, c->held, c->index, which);
		expect_status(ek_matrix_values_changed(A), EK_OK);
		checked_run(b, plan, &run, NULL);
	}
	blocks_values(b, c->held, c->index, VALUES_FIRST);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
}

static void walk(enum data data)
{
	for (int shape = 0; shape < shape_count(); shape++) {
		const ek_method *m = NULL;
		struct blocks b;

		if (test_tier() <= TIER_QUICK && (shape + (int)data) % 2 && !shape_is_core(shape))
			continue;
		blocks_make(&b, shape, data, shape % 2 ? EK_F32 : EK_F64, shape);
		do
			for (int k = 0; k < 8; k++) {
				const struct plan_case c = plan_case_draw(m, k, &draw);

				check_case(&b, &c);
			}
		while ((m = processor_method_next(m, EK_DENSE_SPMM)));
		blocks_free(&b);
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

/* Checks that results have the bits of the transposed SpMM and, with EK_REPRO_STRICT, the same bits
 * for all numbers of threads and instruction sets. */
static void test_bits(void **state)
{
	struct blocks b;

	(void)state;
	blocks_make(&b, shape_count() / 2, DATA_REAL, EK_F64, 5);
	for (int k = 0; k < 4; k++) {
		const int op = k & 1, strict = k / 2;
		void *first = NULL;

		for (int at = 0; at < contexts.levels * contexts.counts; at++) {
			struct plan_case c = {.op = op,
			                      .repro = (ek_reproducible)strict,
			                      .index = EK_I32,
			                      .isa = at % contexts.levels,
			                      .count = at / contexts.levels};
			const ek_hints right = {.size = sizeof right,
			                        .op = op ? EK_OP_T : EK_OP_N,
			                        .reproducible = c.repro};
			struct block_run run = {.op = op, .width = 5, .alpha = 0.1, .beta = 2.5};
			const size_t bytes = (size_t)b.n[op] * 5 * sizeof(double);
			char text[600];
			ek_matrix *A;
			ek_plan *plan;
			void *y, *same;

			plan_case_where(&c, b.value, b.A.name, b.data);
			expect_status(blocks_matrix(&b, contexts.of[c.isa][c.count], HELD_CSR,
			                            EK_I32, &A),
			              EK_OK);
			expect_status(ek_plan_create(EK_SPMM, A, &right, &plan), EK_OK);
			if (!blocks_run(&b, NULL, plan, &run, &same, text, sizeof text))
				fail_msg("%s: %s", product_where, text);
			ek_plan_destroy(plan);
			expect_status(make_plan(&c, A, 0, &plan), EK_OK);
			checked_run(&b, plan, &run, &y);
			assert_memory_equal(y, same, bytes);
			if (first && strict)
				assert_memory_equal(y, first, bytes);
			free(same);
			free(first);
			first = y;
			ek_plan_destroy(plan);
			ek_matrix_destroy(A);
		}
		free(first);
	}
	blocks_free(&b);
}

/* Multiplies by every format. */
static void test_formats(void **state)
{
	struct blocks b;

	(void)state;
	blocks_make(&b, shape_count() / 2, DATA_EXACT, EK_F64, 2);
	for (const ek_format *f = NULL; (f = ek_format_next(f));)
		for (int op = 0; op < 2; op++) {
			const ek_hints hints = {.size = sizeof hints,
			                        .format = ek_format_name(f),
			                        .op = op ? EK_OP_N : EK_OP_T};
			struct block_run run = {
				.op = op, .width = 9, .order = {1, 0}, .alpha = 1, .left = true};
			char text[600];
			ek_matrix *A;
			ek_plan *plan;
			ek_status status;

			expect_status(blocks_matrix(&b, contexts.of[0][1 % contexts.counts],
			                            HELD_CSR, EK_I32, &A),
			              EK_OK);
			status = ek_plan_create(EK_DENSE_SPMM, A, &hints, &plan);
			if (status != EK_ELIMIT) {
				expect_status(status, EK_OK);
				if (!blocks_run(&b, NULL, plan, &run, NULL, text, sizeof text))
					fail_msg("format %s: %s", hints.format, text);
				ek_plan_destroy(plan);
			}
			ek_matrix_destroy(A);
		}
	blocks_free(&b);
}

/* Without a method for the bits that are asked for, the message has the op that was asked for. */
static void test_no_method(void **state)
{
	ek_hints hints = {.size = sizeof hints,
	                  .format = "ell",
	                  .reproducible = EK_REPRO_STRICT,
	                  .op = EK_OP_N};
	ek_plan *plan = NULL;

	assert_int_equal(small_setup(state), 0);
	for (int k = 0; k < 2; k++) {
		ek_matrix *A;

		expect_status(ek_matrix_convert(small_matrix, k ? "csc" : "csr", NULL, &A), EK_OK);
		expect_error(ek_plan_create(EK_DENSE_SPMM, A, &hints, &plan), EK_EUNSUPPORTED,
		             "no method does op N reproducibly on format ell");
		ek_matrix_destroy(A);
	}
	assert_null(plan);
	assert_int_equal(small_teardown(state), 0);
}

/* ---- One plan, several threads --------------------------------------------------------------- */

static void test_one_plan(void **state)
{
	struct blocks b;
	ek_matrix *A;

	(void)state;
	blocks_make(&b, shape_count() / 2, DATA_EXACT, EK_F32, 3);
	expect_status(blocks_matrix(&b, contexts.of[contexts.levels - 1][1 % contexts.counts],
	                            HELD_CSR, EK_I32, &A),
	              EK_OK);
	for (int op = 0; op < 2; op++) {
		const struct plan_case c = {.op = op};
		ek_plan *plan;

		expect_status(make_plan(&c, A, 0, &plan), EK_OK);
		expect_status(ek_matrix_values_changed(A), EK_OK);
		blocks_threads(&b, plan, op, true);
		ek_plan_destroy(plan);
	}
	ek_matrix_destroy(A);
	blocks_free(&b);
}

/* ---- Arguments, with the matrix of support/small.h ------------------------------------------- */

static double x_data[6] = {1, 2, 3, 4, 5, 6}, y_data[6];

static void expect_bad(ek_plan *plan, const ek_dense *X, const ek_dense *Y, const char *part)
{
	for (int k = 0; k < 6; k++)
		y_data[k] = -1;
	expect_error(ek_dense_spmm(plan, 1, X, 0, Y), EK_EINVAL, part);
	for (int k = 0; k < 6; k++)
		assert_true(y_data[k] == -1);
}

/* Tests arguments with X 2 x 3, op(A) 3 x 2, Y 2 x 2. */
static void test_arguments(void **state)
{
	const ek_dense X = ek_block(EK_F64, 2, 3, 3, EK_ROW_MAJOR, x_data),
		       Y = ek_block(EK_F64, 2, 2, 3, EK_COL_MAJOR, y_data);
	ek_plan *plan, *other;
	ek_dense bad;

	assert_int_equal(small_setup(state), 0);
	expect_status(ek_plan_create(EK_DENSE_SPMM, small_matrix, NULL, &plan), EK_OK);
	expect_status(ek_plan_create(EK_SPMM, small_matrix, NULL, &other), EK_OK);
	expect_bad(NULL, &X, &Y, "plan is NULL");
	expect_bad(other, &X, &Y, "plan is for operation spmm; one for dense_spmm is expected");
	expect_error(ek_spmm(plan, 1, &X, 0, &Y), EK_EINVAL,
	             "plan is for operation dense_spmm; one for spmm is expected");
	expect_bad(plan, NULL, &Y, "X is NULL");
	expect_bad(plan, &X, NULL, "Y is NULL");
	bad = X, bad.value = EK_F32, expect_bad(plan, &bad, &Y, "X has values of type f32");
	bad = X, bad.cols = 2, expect_bad(plan, &bad, &Y, "X is 2 x 2; op(A) has 3 rows, so 2 x 3");
	bad = X, bad.rows = -1, expect_bad(plan, &bad, &Y, "X.rows is -1; it must not be negative");
	bad = Y, bad.cols = 3,
	expect_bad(plan, &X, &bad, "Y is 2 x 3; op(A) has 2 columns, so 2 x 2 is expected");
	bad = Y, bad.rows = 3,
	expect_bad(plan, &X, &bad, "Y is 3 x 2; op(A) has 2 columns, so 2 x 2 is expected");
	bad = X, bad.ld = 2,
	expect_bad(plan, &bad, &Y, "X has leading dimension 2, less than its 3 columns");
	bad = Y, bad.ld = 1,
	expect_bad(plan, &X, &bad, "Y has leading dimension 1, less than its 2 rows");
	bad = X, bad.order = 9, expect_bad(plan, &bad, &Y, "X.order is 9");
	bad = Y, bad.where = 1, expect_bad(plan, &X, &bad, "Y is on a device");
	bad = Y, bad.data = NULL, expect_bad(plan, &X, &bad, "Y.data is NULL");
	bad = Y, bad.data = x_data + 2, expect_bad(plan, &X, &bad, "X and Y overlap");
	bad = Y, bad.ld = 2, bad.data = small_val;
	bad.rows = 1, bad.cols = 2;
	{
		const ek_dense one = ek_block(EK_F64, 1, 3, 3, EK_ROW_MAJOR, x_data);

		expect_bad(plan, &one, &bad, "Y overlaps the array val of A");
	}
	expect_status(ek_dense_spmm(plan, 1, &X, 0, &Y), EK_OK);
	assert_true(y_data[0] == 1 + 2 * 3 && y_data[1] == 4 + 2 * 6 && y_data[2] == -1);
	assert_true(y_data[3] == 3 * 3 && y_data[4] == 3 * 6 && y_data[5] == -1);
	bad = X, bad.rows = 0;
	{
		const ek_dense none = ek_block(EK_F64, 0, 2, 2, EK_ROW_MAJOR, NULL);

		expect_status(ek_dense_spmm(plan, 1, &bad, 0, &none), EK_OK);
	}
	ek_plan_destroy(plan);
	ek_plan_destroy(other);
	assert_int_equal(small_teardown(state), 0);
}

static void test_memory(void **state)
{
	static struct exhaust e;
	const ek_method *m = NULL;
	ek_matrix *A;

	(void)state;
	exhaust_open(&e, 3, NULL);
	expect_status(small_make(e.ctx, &A), EK_OK);
	do
		for (int op = 0; op < 2; op++) {
			const ek_hints hints = {.size = sizeof hints,
			                        .method = name_or_auto(m),
			                        .op = op ? EK_OP_T : EK_OP_N};
			assert_true(exhaust_plan(&e, EK_DENSE_SPMM, A, &hints) > 0);
		}
	while ((m = processor_method_next(m, EK_DENSE_SPMM)));
	ek_matrix_destroy(A);
	exhaust_close(&e);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integer_data), cmocka_unit_test(test_real_data),
		cmocka_unit_test(test_bits),         cmocka_unit_test(test_formats),
		cmocka_unit_test(test_no_method),    cmocka_unit_test(test_one_plan),
		cmocka_unit_test(test_arguments),    cmocka_unit_test(test_memory),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, contexts_setup, contexts_teardown);
}
