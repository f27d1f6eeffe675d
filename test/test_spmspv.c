/* SPDX-License-Identifier: BSD-3-Clause
 * Tests products of sparse matrices and sparse vectors by every method of the table, and by `auto`,
 * in every type, instruction set and number of threads, on awkward shapes held as CSR and as CSC,
 * and on random matrices of many sizes. Vectors of all densities and results are between guard
 * pages. All methods promise one order of summation, so results are compared with it bit for bit. A
 * new row of the table is tested without a change here. */
#include <math.h>
#include <pthread.h>

#include "plan/plan.h"
#include "support/plan_case.h"
#include "support/sparse.h"
#include "support/sparse_problem.h"

static struct rng draw;

static struct guard guards[4];

static void check_run(struct sparse_problem *p, ek_plan *plan, ek_index index, bool second,
                      bool real)
{
	static const double factor[] = {1, 0, -1, 2.5, -0.0};
	static const int64_t density[] = {0, 1, 20, 200, 700, 1000, 1023, 1024};
	const double alpha = factor[rng_below(&draw, 5)];
	const long calls = atomic_load(&contexts.heap.calls);
	int64_t most = -1, exact = -1;
	char text[300];
	ek_sparse x;

	sparse_problem_x(p, &draw, density[rng_below(&draw, 8)], real);
	sparse_problem_reference(p, alpha, second);
	x = sparse_problem_lay(p, guards, &draw, index);
	const int64_t rooms[] = {p->count, p->rows.rows, p->count / 2, p->count + 3, 0, p->count};

	for (int k = 0; k < 3; k++)
		if (!sparse_problem_run(p, guards, &draw, plan, alpha, &x,
		                        rooms[rng_below(&draw, 6)], text, sizeof text))
			fail_msg("%s, nnz(x) = %lld, alpha = %g: %s", product_where,
			         (long long)p->nnz, alpha, text);
	expect_status(ek_spmspv_size(plan, &x, &most, &exact), EK_OK);
	if (exact != p->count || most < exact || most > p->rows.rows)
		fail_msg("%s: sizes %lld and %lld for %lld entries", product_where, (long long)most,
		         (long long)exact, (long long)p->count);
	expect_status(ek_spmspv_size(plan, &x, NULL, NULL), EK_OK);
	if (!second && atomic_load(&contexts.heap.calls) != calls)
		fail_msg("%s: a run allocated memory", product_where);
}

static void check_case(struct sparse_problem *p, const struct plan_case *c, bool real)
{
	const struct shape *held = c->held == HELD_CSC ? &p->T : p->A;
	const ek_hints hints = {.size = sizeof hints,
	                        .method = name_or_auto(c->method),
	                        .op = p->op ? EK_OP_T : EK_OP_N,
	                        .calls = rng_below(&draw, 2) ? 1 : 0,
	                        .reproducible = c->repro};
	struct typed typed;
	ek_matrix *A;
	ek_plan *plan;

	plan_case_where(c, p->value, p->A->name, real ? DATA_REAL : DATA_EXACT);
	typed_make(&typed, held, p->value, c->index, c->isa & 1);
	expect_status((c->held == HELD_CSC ? typed_csc : typed_csr)(contexts.of[c->isa][c->count],
	                                                            &typed, 0, &A),
	              EK_OK);
	expect_status(ek_plan_create(EK_SPMSPV, A, &hints, &plan), EK_OK);
	for (int k = 0; k < 4; k++)
		check_run(p, plan, c->index, false, real);
	for (int second = 1; second >= 0; second--) {
		typed_values(&typed, second ? held->val2 : held->val);
		expect_status(ek_matrix_values_changed(A), EK_OK);
		check_run(p, plan, c->index, second, real);
	}
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	typed_free(&typed);
}

static void check_shape(const struct shape *s, bool real, int some)
{
	const ek_method *m = NULL;

	for (int k = 0; k < 4; k++) {
		const size_t bytes = 8 * (size_t)((s->rows > s->cols ? s->rows : s->cols) + 4);

		guard_make(&guards[k], bytes);
	}
	do
		for (int k = 0; k < some; k++) {
			const int at =
				(int)rng_below(&draw, 24 * contexts.levels * contexts.counts);
			const struct plan_case c = {.method = m,
			                            .op = at & 1,
			                            .held = at / 2 & 1,
			                            .repro = (ek_reproducible)(at / 4 & 1),
			                            .index = (ek_index)(1 + at / 8 % 3),
			                            .isa = at / 24 % contexts.levels,
			                            .count = at / 24 / contexts.levels};
			struct sparse_problem p;

			sparse_problem_make(&p, s, c.op, rng_below(&draw, 2) ? EK_F32 : EK_F64);
			check_case(&p, &c, real);
			sparse_problem_free(&p);
		}
	while ((m = processor_method_next(m, EK_SPMSPV)));
	for (int k = 0; k < 4; k++)
		guard_free(&guards[k]);
}

static void test_shapes(void **state)
{
	(void)state;
	for (int real = 0; real < 2; real++)
		for (int k = 0; k < shape_count(); k++) {
			struct shape s;

			if (test_tier() == TIER_BRIEF && (k + real) % 2)
				continue;
			shape_make(&s, k, real ? DATA_REAL : DATA_EXACT);
			check_shape(&s, real, test_tier() <= TIER_QUICK ? 3 : 30);
			shape_free(&s);
		}
}

/* Tests random matrices of up to some thousand rows, with many buckets and nested groups of
 * rows. */
static void test_random(void **state)
{
	const int turns = test_tier() == TIER_BRIEF ? 6 : test_tier() == TIER_QUICK ? 20 : 200;

	(void)state;
	for (int turn = 0; turn < turns; turn++) {
		const int64_t most = 1 + rng_below(&draw, turn % 5 == 4 ? 20000 : 600);
		struct shape s;

		sparse_random(&draw, &s, 1 + rng_below(&draw, most), 1 + rng_below(&draw, most),
		              1 + rng_below(&draw, 12));
		check_shape(&s, false, 2);
		shape_free(&s);
	}
}

/* Checks that NaN and infinite values of A reach only their rows, and only if x has an entry in
 * their column, and those of x only rows with an entry there. */
static void test_not_finite(void **state)
{
	struct shape s;

	(void)state;
	shape_make(&s, shape_count() / 2, DATA_EXACT);
	for (int64_t k = 0; k < s.nnz; k += 3)
		s.val[k] = s.val2[k] = k % 2 ? (double)NAN : (double)INFINITY;
	check_shape(&s, false, 30);
	shape_free(&s);
}

/* ---- One plan, several threads --------------------------------------------------------------- */

enum { WORKERS = 4 };

static struct {
	const struct shape *s;
	ek_plan *plan;
	int op;
	_Atomic int faults;
} common;

static void *worker(void *arg)
{
	struct rng own = {(uint64_t)(uintptr_t)arg};
	struct guard g[4];
	struct sparse_problem p;
	char text[300];

	sparse_problem_make(&p, common.s, common.op, EK_F64);
	for (int k = 0; k < 4; k++)
		guard_make(&g[k], 8 * (size_t)(p.n + p.rows.rows + 4));
	for (int k = 0; k < 12; k++) {
		ek_sparse x;

		sparse_problem_x(&p, &own, 1 + rng_below(&own, 1024), false);
		sparse_problem_reference(&p, 1, false);
		x = sparse_problem_lay(&p, g, &own, EK_I32);
		if (!sparse_problem_run(&p, g, &own, common.plan, 1, &x,
		                        p.count ? p.count - rng_below(&own, 2) : 0, text,
		                        sizeof text) &&
		    p.count > 0 && atomic_fetch_add(&common.faults, 1) == 0)
			print_error("  %s\n", text);
	}
	for (int k = 0; k < 4; k++)
		guard_free(&g[k]);
	sparse_problem_free(&p);
	return NULL;
}

static void test_one_plan(void **state)
{
	struct shape s;
	struct typed typed;
	ek_matrix *A;

	(void)state;
	sparse_random(&draw, &s, 5000, 400, 9);
	common.s = &s;
	typed_make(&typed, &s, EK_F64, EK_I32, 1);
	expect_status(
		typed_csr(contexts.of[contexts.levels - 1][1 % contexts.counts], &typed, 0, &A),
		EK_OK);
	for (const ek_method *m = processor_method_next(NULL, EK_SPMSPV); m;
	     m = processor_method_next(m, EK_SPMSPV))
		for (common.op = 0; common.op < 2; common.op++) {
			const ek_hints hints = {.size = sizeof hints,
			                        .method = m->name,
			                        .op = common.op ? EK_OP_T : EK_OP_N};
			pthread_t thread[WORKERS];

			expect_status(ek_plan_create(EK_SPMSPV, A, &hints, &common.plan), EK_OK);
			expect_status(ek_matrix_values_changed(A), EK_OK);
			for (uintptr_t k = 0; k < WORKERS; k++)
				assert_int_equal(
					pthread_create(&thread[k], NULL, worker, (void *)(k + 1)),
					0);
			for (int k = 0; k < WORKERS; k++)
				pthread_join(thread[k], NULL);
			assert_int_equal(common.faults, 0);
			ek_plan_destroy(common.plan);
		}
	ek_matrix_destroy(A);
	typed_free(&typed);
	shape_free(&s);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_not_finite),
		cmocka_unit_test(test_one_plan),
	};

	if (argc > 0)
		test_passive_threads(argv);
	product_catch_crashes();
	return run_all_tests(tests, contexts_setup, contexts_teardown);
}
