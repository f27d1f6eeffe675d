/* SPDX-License-Identifier: BSD-3-Clause
 * Tests every method that runs on a device, and `auto`, on all devices of this machine. Products
 * are made in every type and kind of memory, with vectors on the host and on the device. Matrices
 * have awkward shapes and are held as CSR and as CSC. A new row of the table is tested without a
 * change here.
 *
 * Each triple (method, op, held) is tested with every shape, kind of data and value type, but with
 * only one pair of index type and context. The quick tier tests a quarter of these cases, and each
 * context has one index type for each value type there. The long tier tests all pairs of index type
 * and context. The device's compiler takes most of the time. */
#include <math.h>

#include "plan/plan.h"
#include "support/devices.h"
#include "support/product.h"
#include "support/random.h"
#include "support/support.h"

static unsigned turn; /* number of the next pair of alpha and beta */
static struct rng draw;

struct plan_case {
	const ek_method *method; /* NULL for `auto` */
	int op, held;
	ek_index index;
	const struct device_context *on;
};

static void say_where(const struct product *p, const struct plan_case *c)
{
	snprintf(product_where, sizeof product_where,
	         "%s op %c %s, index %s, held as %s, on %s, shape %s, %s data",
	         name_or_auto(c->method), c->op ? 'T' : 'N', ek_value_name(p->value),
	         ek_index_name(c->index), c->held == HELD_CSC ? "csc" : "csr", c->on->text,
	         p->A.name, p->data == DATA_EXACT ? "integer" : "real");
}

static int supported(const ek_method *m, int op, int held)
{
	const ek_op of_store = (op == 1) != (held == HELD_CSC) ? EK_OP_T : EK_OP_N;

	return !m || ek_method_supports(m, of_store, EK_REPRO_RUN);
}

static void checked_run(struct product *p, const struct plan_case *c, ek_plan *plan,
                        const struct run *run, const void **y)
{
	char text[400];

	if (!product_run(p, c->on->heap, plan, run, y, text, sizeof text))
		fail_msg("%s, vectors of the %s: %s", product_where,
		         run->device ? "device" : "host", text);
}

/* Runs the plan with vectors on the host and on the device. Both must give the same bits, unless
 * the processor has a share of the product with vectors on the host, which it rounds in its own
 * order. Then runs the plan with new values of A. */
static void check_plan(struct product *p, const struct plan_case *c, ek_matrix *A, ek_plan *plan)
{
	const size_t bytes = (size_t)p->n[c->op] * ek_value_size(p->value);
	const void *y;

	for (int k = 0; k < 3; k++) {
		struct run run = {.op = c->op,
		                  .x = k & 1,
		                  .y0 = k > 1,
		                  .at_end = k != 1,
		                  .device = k == 1 ? c->on->ctx : NULL};

		product_pair(p->data, turn++, &run.alpha, &run.beta);
		checked_run(p, c, plan, &run, &y);
		if (k != 1)
			continue;
		memcpy(p->again, y, bytes);
		run.device = NULL;
		checked_run(p, c, plan, &run, &y);
		if ((!c->method || !uses_both(c->method)) && memcmp(p->again, y, bytes) != 0)
			fail_msg("%s: vectors of host and device gave other bits", product_where);
	}
	for (int which = VALUES_SECOND; which >= VALUES_FIRST; which--) {
		struct run run = {c->op, 1, 0, which, 1, which, 1, NULL};

		product_values(p, c->held, c->index, which);
		expect_status(ek_matrix_values_changed(A), EK_OK);
		/* With A in another format, a plan may allocate for new values. */
		struct plan_case any = *c;
		struct device_context loose = *c->on;

		loose.heap = NULL;
		any.on = &loose;
		checked_run(p, &any, plan, &run, &y);
	}
}

static int check_case(struct product *p, const struct plan_case *c)
{
	ek_hints hints = {.size = sizeof hints,
	                  .method = method_with_cuts(c->method, &draw),
	                  .op = c->op ? EK_OP_T : EK_OP_N};
	ek_matrix *A;
	ek_plan *plan;
	ek_status status;

	say_where(p, c);
	expect_status(product_matrix(p, c->on->ctx, c->held, c->index, EK_BORROW, &A), EK_OK);
	status = ek_plan_create(EK_SPMV, A, &hints, &plan);
	if (status == EK_OK) {
		if (!c->method && !needs_device(ek_method_find(ek_plan_method(plan))))
			fail_msg("%s: auto chose %s", product_where, ek_plan_method(plan));
		check_plan(p, c, A, plan);
		ek_plan_destroy(plan);
	} else if (!shape_may_refuse(&p->A, c->method, status)) {
		fail_msg("%s: no plan: %s", product_where, ek_error_text());
	}
	ek_matrix_destroy(A);
	return status == EK_OK;
}

static void check_method(struct product *p, const ek_method *m, long *done, long *tried)
{
	const enum tier tier = test_tier();
	const int all = 3 * devices.count, some = tier == TIER_LONG ? all : 1;

	for (int k = 0; k < 4; k++) {
		struct plan_case c = {.method = m, .op = k & 1, .held = k / 2};
		int64_t first = rng_below(&draw, all);

		if (!supported(m, c.op, c.held) || (tier <= TIER_QUICK && rng_below(&draw, 4)))
			continue;
		for (int j = 0; j < some && j < all; j++) {
			const int at = (int)((first + 5 * j) % all);
			const int index = tier <= TIER_QUICK ? at / 3 + (int)p->value : at;

			c.index = (ek_index)(1 + index % 3);
			c.on = &devices.of[at / 3];
			*done += check_case(p, &c);
			++*tried;
		}
	}
}

static void walk(enum data data)
{
	enum { MOST = 256 };
	long done[MOST] = {0}, tried[MOST] = {0};
	int at;

	need_device();
	for (int shape = 0; shape < shape_count(); shape++)
		for (int value = EK_F32; value <= EK_F64; value++) {
			const ek_method *m = NULL;
			struct product p;

			product_make(&p, shape, data, (ek_value)value, shape + value);
			at = 0;
			do
				check_method(&p, m, &done[at], &tried[at]);
			while ((m = device_method_next(m, EK_SPMV)) && ++at < MOST);
			assert_true(at < MOST);
			product_free(&p);
		}
	at = 0;
	for (const ek_method *m = NULL; (m = device_method_next(m, EK_SPMV));) {
		at++;
		print_message("  %s: %ld plans of %ld\n", name_or_auto(m), done[at], tried[at]);
		if (2 * done[at] < tried[at] || !done[at])
			fail_msg("%s applies to too few matrices", name_or_auto(m));
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

/* Checks that without a device every device method is refused, with a message that names it. */
static void test_no_device(void **state)
{
	const ek_options o = {.size = sizeof o, .device = "cpu"};
	ek_context *ctx;
	struct product p;

	(void)state;
	expect_status(ek_context_create(&o, &ctx), EK_OK);
	product_make(&p, shape_count() / 2, DATA_EXACT, EK_F64, 1);
	for (const ek_method *m = NULL; (m = device_method_next(m, EK_SPMV));) {
		const ek_hints hints = {.size = sizeof hints, .method = ek_method_name(m)};
		ek_matrix *A;
		ek_plan *plan = NULL;

		expect_status(product_matrix(&p, ctx, HELD_CSR, EK_I32, 0, &A), EK_OK);
		expect_error(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_EDEVICE,
		             name_or_auto(m));
		assert_null(plan);
		ek_matrix_destroy(A);
	}
	product_free(&p);
	ek_context_destroy(ctx);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_device),
		cmocka_unit_test(test_integer_data),
		cmocka_unit_test(test_real_data),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, devices_setup, devices_teardown);
}
