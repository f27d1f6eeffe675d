/* SPDX-License-Identifier: BSD-3-Clause
 * Tests Galerkin products by every method that runs on a device, on all devices of this machine and
 * in every kind of memory, with hierarchies of aggregates and with awkward shapes, also after new
 * values. Each method adds in the order of the method of the processor that has its name without
 * ".gpu", whose arrays it must give, bit for bit; those are compared with other references by
 * test_triple. Compiling kernels takes most of the time, so the quick tier has two pairs of
 * types. */
#include "plan/plan.h"
#include "support/devices.h"
#include "support/sparse.h"
#include "support/triple_case.h"

enum { TRIPLES_MOST = 30000 };

static struct rng draw;

/* Returns the name of the method whose bits a method on a device gives. */
static const char *on_processor(const char *method)
{
	static char name[64];

	snprintf(name, sizeof name, "%.*s", (int)(strstr(method, ".gpu") - method), method);
	return name;
}

/* ---- Hierarchies ----------------------------------------------------------------------------- */

/* Multiplies the values of a matrix by small integers. */
static void change(ek_matrix *M)
{
	ek_store *s = &M->store;

	for (int64_t k = 0; k < s->nnz; k++)
		value_set(s->value, s->array[CSR_VAL], k,
		          value_at(s->value, s->array[CSR_VAL], k) * (double)(k % 3 + 1));
	expect_status(ek_matrix_values_changed(M), EK_OK);
}

/* Checks a method on one level: a new C, new values, and another new C. All sums are exact, so the
 * reference has the same bits. */
static void check_level(struct triple_case *f, const char *method)
{
	ek_matrix *C = NULL, *again = NULL, *A, *P;
	struct triple_case own = *f;
	ek_plan *plan;

	expect_status(ek_matrix_convert(f->A, "csr", NULL, &A), EK_OK);
	expect_status(ek_matrix_convert(f->P, "csr", NULL, &P), EK_OK);
	own.A = A;
	own.P = P;
	expect_status(triple_plan(&own, method, &plan), EK_OK);
	triple_same(&own, plan, "triple.csr.serial", &C, "new C");
	change(A);
	triple_same(&own, plan, "triple.csr.serial", &C, "new values of A");
	change(P);
	triple_same(&own, plan, "triple.csr.serial", &C, "new values of P");
	triple_same(&own, plan, "triple.csr.serial", &again, "another new C");
	ek_plan_destroy(plan);
	ek_matrix_destroy(C);
	ek_matrix_destroy(again);
	ek_matrix_destroy(A);
	ek_matrix_destroy(P);
}

static void check_hierarchy(ek_context *ctx, const char *spec, ek_value value, ek_index index)
{
	ek_matrix *A, *P, *C;

	expect_status(ek_matrix_generate(ctx, spec, value, index, &A), EK_OK);
	for (int level = 0; level < 3; level++) {
		struct triple_case f = {.A = A};
		ek_plan *plan;

		expect_status(ek_aggregate(A, NULL, &P), EK_OK);
		f.P = P;
		snprintf(product_where, sizeof product_where, "%s, level %d, %s, %s", spec, level,
		         ek_value_name(value), ek_index_name(index));
		for (const ek_method *m = NULL; (m = device_method_next(m, EK_TRIPLE));)
			check_level(&f, ek_method_name(m));
		C = NULL;
		expect_status(triple_plan(&f, "triple.csr.serial", &plan), EK_OK);
		expect_status(ek_triple(plan, 1, &C), EK_OK);
		ek_plan_destroy(plan);
		ek_matrix_destroy(P);
		ek_matrix_destroy(A);
		A = C;
	}
	ek_matrix_destroy(A);
}

static void test_hierarchies(void **state)
{
	static const char *const spec[] = {"poisson2d5:nx=23,ny=19", "poisson2d9:nx=18,ny=21",
	                                   "poisson3d7:nx=9,ny=8,nz=7"};
	int turn = 0;

	(void)state;
	need_device();
	for (int d = 0; d < devices.count; d++)
		for (int k = 0; k < 3; k++, turn++)
			if (test_tier() > TIER_QUICK || d == 0 || k == d % 3)
				check_hierarchy(devices.of[d].ctx, spec[k],
				                turn % 2 ? EK_F64 : EK_F32,
				                turn % 2 ? EK_I64 : EK_I32);
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

/* Checks one method with a product of shapes, in a random context and held at random. */
static void check_shapes(const struct operand *of, ek_value value, const char *method)
{
	const struct device_context *on = &devices.of[rng_below(&draw, devices.count)];
	struct triple_case f = {.memory = 0};
	ek_matrix *C = NULL;
	struct held h[2];
	ek_plan *plan;

	for (int k = 0; k < 2; k++) {
		const int held = rng_below(&draw, 3) ? HELD_CSR : HELD_CSC;
		const ek_index index = test_tier() > TIER_QUICK
		                               ? (ek_index)(1 + rng_below(&draw, 3))
		                       : value == EK_F32 ? EK_I32
		                                         : EK_I64;

		held_make(&h[k], of[k].s, held, value, index, (int)rng_below(&draw, 2), on->ctx);
		f.op[k] = of[k].op ? EK_OP_T : EK_OP_N;
	}
	f.A = h[0].M;
	f.P = h[1].M;
	snprintf(product_where, sizeof product_where, "%s: A op %c of %s, P op %c of %s, %s",
	         on->text, of[0].op ? 'T' : 'N', of[0].s->name, of[1].op ? 'T' : 'N', of[1].s->name,
	         ek_value_name(value));
	expect_status(triple_plan(&f, method, &plan), EK_OK);
	triple_same(&f, plan, on_processor(method), &C, "new C");
	for (int second = 1; second >= 0; second--) {
		for (int k = 0; k < 2; k++)
			held_values(&h[k], second);
		triple_same(&f, plan, on_processor(method), &C, "new values");
	}
	ek_plan_destroy(plan);
	ek_matrix_destroy(C);
	for (int k = 0; k < 2; k++)
		held_free(&h[k]);
}

/* Tests a shape as P, with both ops, and as A if it is square. */
static void check_shape(int k, ek_value value, enum data data)
{
	struct shape s, other;

	shape_make(&s, k, data);
	for (int turn = 0; turn < (s.rows == s.cols ? 3 : 2); turn++) {
		const int64_t rows = turn == 1 ? s.cols : s.rows;
		struct operand of[2];

		sparse_random(&draw, &other, rows, turn == 2 ? rows / 3 + 1 : rows, 5);
		of[turn != 2] = (struct operand){&s, turn == 1};
		of[turn == 2] = (struct operand){&other, 0};
		if (turn < 2)
			of[0].op = (int)rng_below(&draw, 2);
		const int64_t products = sparse_triples(of[0], of[1]);
		const ek_method *m = NULL;

		while (products >= 0 && products < TRIPLES_MOST &&
		       (m = device_method_next(m, EK_TRIPLE)))
			check_shapes(of, value, ek_method_name(m));
		shape_free(&other);
	}
	shape_free(&s);
}

static void test_shapes(void **state)
{
	(void)state;
	need_device();
	for (int k = 0; k < shape_count(); k++)
		for (int value = EK_F32; value <= EK_F64; value++)
			for (int data = DATA_EXACT; data <= DATA_REAL; data++)
				if (test_tier() > TIER_QUICK || (k + value + 2 * data) % 4 == 0)
					check_shape(k, (ek_value)value, (enum data)data);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hierarchies),
		cmocka_unit_test(test_shapes),
	};

	draw.state = 31;
	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, devices_setup, devices_teardown);
}
