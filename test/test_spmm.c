/* SPDX-License-Identifier: BSD-3-Clause
 * Tests products with dense blocks by every method of the table, and by `auto`, in every type,
 * instruction set and number of threads, on awkward shapes held as CSR and as CSC. Blocks have 1 to
 * 256 columns, both orders and several leading dimensions. A new row of the table is tested without
 * a change here. */
#include <math.h>

#include "plan/plan.h"
#include "support/blocks.h"
#include "support/plan_case.h"
#include "support/small.h"

static struct rng draw;
static unsigned turn;

static bool supported(const ek_method *m, int op, int held, ek_reproducible repro)
{
	const ek_op of_store = (op == 1) != (held == HELD_CSC) ? EK_OP_T : EK_OP_N;

	return !m || ek_method_supports(m, of_store, repro);
}

static ek_status make_plan(const struct plan_case *c, const ek_matrix *A, int64_t width,
                           ek_plan **plan)
{
	const ek_hints hints = {.size = sizeof hints,
	                        .method = name_or_auto(c->method),
	                        .op = c->op ? EK_OP_T : EK_OP_N,
	                        .reproducible = c->repro,
	                        .width = width};

	return ek_plan_create(EK_SPMM, A, &hints, plan);
}

static void checked_run(const struct blocks *b, ek_plan *plan, const struct block_run *run,
                        void **y)
{
	char text[600];

	if (!blocks_run(b, &contexts.heap, plan, run, y, text, sizeof text))
		fail_msg("%s: %s", product_where, text);
}

/* Runs the plan twice with the same numbers in different places (order, leading dimensions,
 * alignment). Both runs must give the same bits. Then runs the plan with the second values of A,
 * and again with the first. */
static void check_plan(struct blocks *b, const struct plan_case *c, ek_matrix *A, ek_plan *plan)
{
	struct block_run run = blocks_draw(b, &draw, turn++);
	const size_t bytes = (size_t)b->n[c->op] * (size_t)run.width * ek_value_size(b->value);
	void *y, *again;

	run.op = c->op;
	checked_run(b, plan, &run, &y);
	for (int k = 0; k < 2; k++) {
		run.order[k] = !run.order[k];
		run.more[k] = 3 - run.more[k] % 3;
	}
	run.at_end = !run.at_end;
	checked_run(b, plan, &run, &again);
	if (memcmp(y, again, bytes) != 0)
		fail_msg("%s: %lld columns have other bits in another order", product_where,
		         (long long)run.width);
	free(y);
	free(again);
	for (int which = VALUES_SECOND; which >= VALUES_FIRST; which--) {
		run = blocks_draw(b, &draw, turn++);
		run.op = c->op;
		run.values = which;
		blocks_values(b, c->held, c->index, which);
		expect_status(ek_matrix_values_changed(A), EK_OK);
		checked_run(b, plan, &run, NULL);
	}
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
	check_plan(b, c, A, plan);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
}

static void check_method(struct blocks *b, int shape, const ek_method *m)
{
	const int all = 3 * contexts.levels * contexts.counts;
	const int some = test_tier() == TIER_LONG                             ? all
	                 : !shape_is_core(shape) || test_tier() == TIER_BRIEF ? 1
	                 : test_tier() == TIER_QUICK                          ? 2
	                                                                      : 4;

	for (int k = 0; k < 8; k++) {
		struct plan_case c = {.method = m,
		                      .op = k & 1,
		                      .held = k / 2 & 1,
		                      .repro = (ek_reproducible)(k / 4)};
		const int64_t first = rng_below(&draw, all);

		if (!supported(m, c.op, c.held, c.repro))
			continue;
		for (int j = 0; j < some; j++) {
			const int at = (int)((first + 11 * j) % all);

			c.index = (ek_index)(1 + at % 3);
			c.isa = at / 3 % contexts.levels;
			c.count = at / 3 / contexts.levels;
			check_case(b, &c);
		}
	}
}

static void walk(enum data data)
{
	const enum tier tier = test_tier();
	const int every = tier == TIER_BRIEF ? 4 : tier == TIER_QUICK ? 2 : 1;

	for (int shape = 0; shape < shape_count(); shape++)
		for (int value = EK_F32; value <= EK_F64; value++) {
			const ek_method *m = NULL;
			struct blocks b;

			if ((shape + value + (int)data) % every &&
			    (!shape_is_core(shape) || tier == TIER_BRIEF))
				continue;
			blocks_make(&b, shape, data, (ek_value)value, shape + value);
			do
				check_method(&b, shape, m);
			while ((m = processor_method_next(m, EK_SPMM)));
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

/* Tests all widths up to 70 and all orders, with each method, on one shape. */
static void test_widths(void **state)
{
	struct blocks b;

	(void)state;
	blocks_make(&b, shape_count() / 2, DATA_EXACT, EK_F64, 1);
	for (const ek_method *m = processor_method_next(NULL, EK_SPMM); m;
	     m = processor_method_next(m, EK_SPMM))
		for (int k = 0; k < 2 * contexts.levels; k++) {
			struct plan_case c = {.method = m,
			                      .index = EK_I32,
			                      .op = k & 1,
			                      .isa = k / 2,
			                      .count = contexts.counts - 1};
			ek_matrix *A;
			ek_plan *plan;

			plan_case_where(&c, b.value, b.A.name, b.data);
			expect_status(
				blocks_matrix(&b, contexts.of[c.isa][c.count], c.held, c.index, &A),
				EK_OK);
			expect_status(make_plan(&c, A, 32, &plan), EK_OK);
			for (int64_t width = 1; width <= 70; width++)
				for (int order = 0; order < 4; order++) {
					const struct block_run run = {
						.op = c.op,
						.width = width,
						.order = {order & 1, order / 2},
						.more = {order % 3, 1},
						.alpha = 2.5,
						.beta = order % 3 - 1,
						.at_end = order < 2};

					checked_run(&b, plan, &run, NULL);
				}
			ek_plan_destroy(plan);
			ek_matrix_destroy(A);
		}
	blocks_free(&b);
}

/* Checks that EK_REPRO_STRICT gives the same bits for all numbers of threads, instruction sets and
 * index types. */
static void test_strict(void **state)
{
	(void)state;
	for (int shape = 0; shape < shape_count(); shape += 3) {
		const ek_method *m = NULL;
		struct blocks b;

		blocks_make(&b, shape, DATA_REAL, EK_F64, shape);
		do
			for (int op = 0; op < 2; op++) {
				struct block_run run = {
					.op = op, .width = 5, .alpha = 0.1, .beta = 2.5};
				void *first = NULL, *y;

				if (!supported(m, op, HELD_CSR, EK_REPRO_STRICT))
					continue;
				for (int at = 0; at < contexts.levels * contexts.counts; at++) {
					struct plan_case c = {
						m,
						op,
						HELD_CSR,
						EK_REPRO_STRICT,
						m && m->format[0] ? (ek_index)(1 + at % 3) : EK_I32,
						at % contexts.levels,
						at / contexts.levels};
					ek_matrix *A;
					ek_plan *plan;

					plan_case_where(&c, b.value, b.A.name, b.data);
					expect_status(blocks_matrix(&b, contexts.of[c.isa][c.count],
					                            c.held, c.index, &A),
					              EK_OK);
					expect_status(make_plan(&c, A, 0, &plan), EK_OK);
					checked_run(&b, plan, &run, &y);
					if (first &&
					    memcmp(first, y, (size_t)b.n[op] * 5 * sizeof(double)))
						fail_msg("%s: other bits", product_where);
					free(first);
					first = y;
					ek_plan_destroy(plan);
					ek_matrix_destroy(A);
				}
				free(first);
			}
		while ((m = processor_method_next(m, EK_SPMM)));
		blocks_free(&b);
	}
}

/* Multiplies dense blocks by every format, and checks that plans see new values. */
static void test_formats(void **state)
{
	struct blocks b;

	(void)state;
	blocks_make(&b, shape_count() / 2, DATA_EXACT, EK_F64, 2);
	for (const ek_format *f = NULL; (f = ek_format_next(f));)
		for (int op = 0; op < 2; op++) {
			const ek_hints hints = {.size = sizeof hints,
			                        .format = ek_format_name(f),
			                        .op = op ? EK_OP_T : EK_OP_N};
			ek_matrix *A;
			ek_plan *plan;
			ek_status status;

			snprintf(product_where, sizeof product_where, "format %s", hints.format);
			expect_status(blocks_matrix(&b, contexts.of[0][1 % contexts.counts],
			                            HELD_CSR, EK_I32, &A),
			              EK_OK);
			status = ek_plan_create(EK_SPMM, A, &hints, &plan);
			if (status != EK_ELIMIT) {
				expect_status(status, EK_OK);
				assert_string_equal(ek_method_find(ek_plan_method(plan))->name,
				                    ek_plan_method(plan));
				for (int which = VALUES_SECOND; which >= VALUES_FIRST; which--) {
					const struct block_run run = {.op = op,
					                              .values = which,
					                              .width = 9,
					                              .order = {1, 0},
					                              .more = {2, 0},
					                              .alpha = 1,
					                              .beta = -1,
					                              .at_end = 1};
					char text[600];

					blocks_values(&b, HELD_CSR, EK_I32, which);
					expect_status(ek_matrix_values_changed(A), EK_OK);
					if (!blocks_run(&b, NULL, plan, &run, NULL, text,
					                sizeof text))
						fail_msg("%s: %s", product_where, text);
				}
				ek_plan_destroy(plan);
			}
			ek_matrix_destroy(A);
		}
	blocks_free(&b);
}

/* ---- One plan, several threads --------------------------------------------------------------- */

/* Runs one plan in several threads. Values change before the threads start, so all notice the
 * change at once. */
static void test_one_plan(void **state)
{
	struct blocks b;
	ek_matrix *A;

	(void)state;
	blocks_make(&b, shape_count() / 2, DATA_EXACT, EK_F32, 3);
	expect_status(blocks_matrix(&b, contexts.of[contexts.levels - 1][1 % contexts.counts],
	                            HELD_CSR, EK_I32, &A),
	              EK_OK);
	for (const ek_method *m = NULL; (m = processor_method_next(m, EK_SPMM));)
		for (int op = 0; op < 2; op++) {
			const struct plan_case c = {.method = m, .op = op};
			ek_plan *plan;

			expect_status(make_plan(&c, A, 0, &plan), EK_OK);
			expect_status(ek_matrix_values_changed(A), EK_OK);
			blocks_threads(&b, plan, op, false);
			ek_plan_destroy(plan);
		}
	ek_matrix_destroy(A);
	blocks_free(&b);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integer_data), cmocka_unit_test(test_real_data),
		cmocka_unit_test(test_widths),       cmocka_unit_test(test_strict),
		cmocka_unit_test(test_formats),      cmocka_unit_test(test_one_plan),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, contexts_setup_isas, contexts_teardown);
}
