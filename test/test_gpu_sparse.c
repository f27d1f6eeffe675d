/* SPDX-License-Identifier: BSD-3-Clause
 * Tests transposition and addition of sparse matrices by every method that runs on a device, and by
 * `auto`, on all devices of this machine and in every kind of memory, on awkward shapes held as CSR
 * and as CSC. Results must have the arrays of the operation's reference on the processor, bit for
 * bit: in a new C, in an existing one, and after new values. */
#include "plan/plan.h"
#include "support/budget.h"
#include "support/held.h"
#include "support/random.h"
#include "support/sparse.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

static struct rng draw = {11};

/* One result to test. */
struct problem {
	ek_operation operation;
	struct held h[2];
	ek_op op[2];
	double alpha, beta;
};

static ek_status run(const struct problem *p, ek_plan *plan, ek_matrix **C)
{
	return p->operation == EK_SPADD ? ek_spadd(plan, p->alpha, p->beta, C)
	                                : ek_transpose(plan, C);
}

static ek_plan *plan_for(const struct problem *p, const char *method)
{
	const ek_hints hints = {.size = sizeof hints,
	                        .method = method,
	                        .op = p->op[0],
	                        .op_b = p->operation == EK_SPADD ? p->op[1] : 0,
	                        .B = p->operation == EK_SPADD ? p->h[1].M : NULL};
	ek_plan *plan;

	expect_status(ek_plan_create(p->operation, p->h[0].M, &hints, &plan), EK_OK);
	return plan;
}

static void same(const struct problem *p, ek_plan *plan, ek_plan *reference, const ek_matrix *C)
{
	ek_matrix *right = NULL;
	const char *array;

	expect_status(run(p, reference, &right), EK_OK);
	if ((array = different_array(C, right)))
		fail_msg("%s: %s: array %s differs", product_where, ek_plan_method(plan), array);
	ek_matrix_destroy(right);
}

/* Compares a method with the reference. */
static void check_method(struct problem *p, const char *method)
{
	const char *name = p->operation == EK_SPADD ? "spadd.csr.serial" : "transpose.csr.serial";
	ek_plan *plan = plan_for(p, method), *reference = plan_for(p, name);
	ek_matrix *C = NULL;

	if (needs_device(ek_method_find(ek_plan_method(plan))) ==
	    (strcmp(method, "auto") == 0 && eki_device_is_processor(p->h[0].M->ctx)))
		fail_msg("%s: auto chose %s", product_where, ek_plan_method(plan));
	expect_status(run(p, plan, &C), EK_OK);
	same(p, plan, reference, C);
	for (int second = 1; second >= 0; second--) {
		for (int k = 0; k < (p->operation == EK_SPADD ? 2 : 1); k++)
			held_values(&p->h[k], second);
		expect_status(run(p, plan, &C), EK_OK);
		same(p, plan, reference, C);
	}
	ek_plan_destroy(plan);
	ek_plan_destroy(reference);
	ek_matrix_destroy(C);
}

static void check(struct problem *p)
{
	for (const ek_method *m = NULL; (m = device_method_next(m, p->operation));)
		check_method(p, m->name);
	check_method(p, "auto");
}

/* Makes operand k of a shape, held in any way. */
static void hold(struct problem *p, int k, const struct shape *s, ek_value value, ek_index index,
                 int held, const struct device_context *on)
{
	held_make(&p->h[k], s, held, value, index, (int)rng_below(&draw, 2), on->ctx);
}

static void check_shape(const struct shape *s, ek_value value)
{
	const struct device_context *on = &devices.of[rng_below(&draw, devices.count)];
	static const double factor[] = {1, 0, -1, 2.5};
	struct shape other, T;

	snprintf(product_where, sizeof product_where, "%s, %s, on %s", s->name,
	         ek_value_name(value), on->text);
	for (int held = 0; held < 2; held++) {
		const ek_index index = (ek_index)(1 + rng_below(&draw, 3));
		struct problem p = {.operation = EK_TRANSPOSE, .op = {EK_OP_N, EK_OP_N}};

		hold(&p, 0, s, value, index, held ? HELD_CSC : HELD_CSR, on);
		check(&p);
		p.operation = EK_SPADD;
		p.alpha = factor[rng_below(&draw, 4)];
		p.beta = factor[rng_below(&draw, 4)];
		sparse_random(&draw, &other, s->rows, s->cols, 6);
		shape_transpose(&other, &T);
		p.op[1] = rng_below(&draw, 2) ? EK_OP_T : EK_OP_N;
		hold(&p, 1, p.op[1] == EK_OP_T ? &T : &other, value,
		     (ek_index)(1 + rng_below(&draw, 3)), rng_below(&draw, 2) ? HELD_CSC : HELD_CSR,
		     on);
		check(&p);
		for (int k = 0; k < 2; k++)
			held_free(&p.h[k]);
		shape_free(&other);
		shape_free(&T);
	}
}

static void test_shapes(void **state)
{
	(void)state;
	need_device();
	for (int k = 0; k < shape_count(); k++)
		for (int value = EK_F32; value <= EK_F64; value++) {
			struct shape s;

			if (test_tier() <= TIER_QUICK && (k + value) % 2)
				continue;
			shape_make(&s, k, DATA_REAL);
			check_shape(&s, (ek_value)value);
			shape_free(&s);
		}
}

/* Tests matrices whose columns have one, two and three bytes, and more entries than a tile. */
static void test_sizes(void **state)
{
	static const int64_t cols[] = {1, 255, 256, 257, 65536, 65537, 70000};

	(void)state;
	need_device();
	for (size_t k = 0; k < sizeof cols / sizeof *cols; k++) {
		struct shape s;

		sparse_random(&draw, &s, 700, cols[k], 20);
		check_shape(&s, k % 2 ? EK_F32 : EK_F64);
		shape_free(&s);
	}
}

/* Checks that a plan refuses limits that are too small, and names one that does, which is kept on
 * host and device. */
static void check_limit(const struct device_context *on, ek_operation operation, const ek_matrix *A,
                        ek_hints hints)
{
	ek_plan *plan = NULL;
	long long needs = 0;

	hints.memory = 1000;
	expect_status(ek_plan_create(operation, A, &hints, &plan), EK_ELIMIT);
	assert_null(plan);
	if (sscanf(strstr(ek_error_text(), "at least"), "at least %lld", &needs) != 1)
		fail_msg("no number in: %s", ek_error_text());
	hints.memory = needs;
	expect_status(ek_plan_create(operation, A, &hints, &plan), EK_OK);
	assert_true(ek_plan_memory(plan) <= needs);
	ek_plan_destroy(plan);
	budget_check(operation, on, A, &hints, 0);
	plan = NULL;
	hints.memory = needs - 1;
	expect_status(ek_plan_create(operation, A, &hints, &plan), EK_ELIMIT);
}

static void test_memory(void **state)
{
	(void)state;
	need_device();
	for (int turn = 0; turn < 4; turn++) {
		struct problem p = {.operation = turn % 2 ? EK_SPADD : EK_TRANSPOSE,
		                    .op = {EK_OP_N, EK_OP_N}};
		const struct device_context *on = &devices.of[turn % devices.count];
		ek_hints hints = {.size = sizeof hints};
		struct shape s;

		sparse_random(&draw, &s, 500, 400, 20);
		for (int k = 0; k < 2; k++)
			hold(&p, k, &s, EK_F64, EK_I32, HELD_CSR, on);
		hints.B = turn % 2 ? p.h[1].M : NULL;
		check_limit(on, p.operation, p.h[0].M, hints);
		for (const ek_method *m = NULL; (m = device_method_next(m, p.operation));) {
			hints.method = ek_method_name(m);
			check_limit(on, p.operation, p.h[0].M, hints);
		}
		for (int k = 0; k < 2; k++)
			held_free(&p.h[k]);
		shape_free(&s);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_memory),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
