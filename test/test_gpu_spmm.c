/* SPDX-License-Identifier: BSD-3-Clause
 * Tests products with dense blocks on all devices of this machine, in every type and kind of
 * memory, by every method of the table that runs on devices and by `auto`, with blocks on the host
 * and on the device. */
#include "plan/plan.h"
#include "support/blocks.h"
#include "support/devices.h"
#include "support/support.h"

static struct rng draw;
static unsigned turn;

static void checked_run(const struct blocks *b, const struct device_context *on, ek_plan *plan,
                        const struct block_run *run, void **y)
{
	char text[600];

	if (!blocks_run(b, on->heap, plan, run, y, text, sizeof text))
		fail_msg("%s, X of the %s, Y of the %s: %s", product_where,
		         run->device && !run->on_host[0] ? "device" : "host",
		         run->device && !run->on_host[1] ? "device" : "host", text);
}

/* Runs the plan with blocks on the host and on the device; both must give the same bits, unless the
 * processor has a share of the product. Then runs the plan with new values of A. */
static void check_plan(struct blocks *b, const struct device_context *on, ek_index index,
                       ek_matrix *A, ek_plan *plan, int op)
{
	const bool both = uses_both(ek_method_find(ek_plan_method(plan)));
	struct block_run run = blocks_draw(b, &draw, turn++);
	struct device_context loose = *on;
	void *y, *again;

	run.op = op;
	checked_run(b, on, plan, &run, &y);
	run.device = on->ctx;
	run.order[0] = !run.order[0];
	checked_run(b, on, plan, &run, &again);
	/* If there is nothing to multiply, the two runs may give 0 with different signs. */
	if (b->A.nnz > 0 && run.alpha != 0 && !both &&
	    memcmp(y, again, (size_t)b->n[op] * (size_t)run.width * ek_value_size(b->value)) != 0)
		fail_msg("%s: blocks of host and device gave other bits", product_where);
	free(y);
	free(again);
	run = blocks_draw(b, &draw, turn); /* in groups of columns, if the plan is for fewer */
	run.op = op;
	run.width = 33;
	run.device = on->ctx;
	run.on_host[turn & 1] = true;
	checked_run(b, on, plan, &run, NULL);
	loose.heap = NULL;
	for (int which = VALUES_SECOND; which >= VALUES_FIRST; which--) {
		run = blocks_draw(b, &draw, turn++);
		run.op = op;
		run.values = which;
		blocks_values(b, HELD_CSR, index, which);
		expect_status(ek_matrix_values_changed(A), EK_OK);
		checked_run(b, &loose, plan, &run, NULL);
	}
}

static void check_method(struct blocks *b, const ek_method *m)
{
	for (int op = 0; op < 2; op++) {
		const int64_t which = rng_below(&draw, devices.count);
		const struct device_context *on = &devices.of[which];
		/* In the quick tier a context has one index type for each value type, since
		 * compiling takes most of the time. */
		const int64_t any =
			test_tier() <= TIER_QUICK ? which + (int64_t)b->value : rng_below(&draw, 3);
		const ek_index index = (ek_index)(1 + any % 3);
		const ek_hints hints = {.size = sizeof hints,
		                        .method = method_with_cuts(m, &draw),
		                        .op = op ? EK_OP_T : EK_OP_N,
		                        .width = 1 << rng_below(&draw, 8)};
		ek_matrix *A;
		ek_plan *plan;

		snprintf(product_where, sizeof product_where,
		         "%s op %c %s, index %s, on %s, shape %s, width %lld", hints.method,
		         op ? 'T' : 'N', ek_value_name(b->value), ek_index_name(index), on->text,
		         b->A.name, (long long)hints.width);
		expect_status(blocks_matrix(b, on->ctx, HELD_CSR, index, &A), EK_OK);
		expect_status(ek_plan_create(EK_SPMM, A, &hints, &plan), EK_OK);
		if (!needs_device(ek_method_find(ek_plan_method(plan))))
			fail_msg("%s: auto chose %s", product_where, ek_plan_method(plan));
		check_plan(b, on, index, A, plan, op);
		ek_plan_destroy(plan);
		ek_matrix_destroy(A);
	}
}

static void walk(enum data data)
{
	need_device();
	for (int shape = 0; shape < shape_count(); shape++) {
		const ek_method *m = NULL;
		struct blocks b;

		blocks_make(&b, shape, data, shape & 1 ? EK_F32 : EK_F64, shape);
		do
			check_method(&b, m);
		while ((m = device_method_next(m, EK_SPMM)));
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

/* Checks that all steps run on the processor, even in a context with a device, if the hints name a
 * method of the processor. */
static void test_processor(void **state)
{
	struct blocks b;

	(void)state;
	need_device();
	blocks_make(&b, shape_count() / 2, DATA_EXACT, EK_F64, 4);
	for (int k = 0; k < devices.count; k++) {
		const ek_hints hints = {.size = sizeof hints, .method = "spmm.columns"};
		const struct block_run run = {.width = 5, .alpha = 1, .order = {1, 0}};
		ek_matrix *A;
		ek_plan *plan;

		snprintf(product_where, sizeof product_where, "%s", devices.of[k].text);
		expect_status(blocks_matrix(&b, devices.of[k].ctx, HELD_CSR, EK_I32, &A), EK_OK);
		expect_status(ek_plan_create(EK_SPMM, A, &hints, &plan), EK_OK);
		checked_run(&b, &devices.of[k], plan, &run, NULL);
		assert_true(plan->root.child[0].method->backend & EKI_CPU);
		ek_plan_destroy(plan);
		ek_matrix_destroy(A);
	}
	blocks_free(&b);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integer_data),
		cmocka_unit_test(test_real_data),
		cmocka_unit_test(test_processor),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, devices_setup, devices_teardown);
}
