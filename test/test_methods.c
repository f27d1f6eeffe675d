/* SPDX-License-Identifier: BSD-3-Clause
 * Tests every method of the table, and `auto`, in every type, instruction set and number of
 * threads, on awkward shapes held as CSR and as CSC. A new row of the table is tested without a
 * change here.
 *
 * A case is a shape, kind of data, value type, method, op, reproducibility and format in which A is
 * held. Each case runs with some of the at most 36 combinations of index type, instruction set and
 * number of threads: one in the brief tier; two in the quick tier, drawn so that each pair of
 * settings occurs in some shape; eight in the full tier, or half of all for core shapes; all in the
 * long tier. In the quick and full tiers, large shapes get half as many. Methods that convert A get
 * fewer, as test_formats.c multiplies with every format too. */
#include <math.h>

#include "plan/plan.h"
#include "support/plan_case.h"

static long asked;    /* number of plans asked for so far */
static unsigned turn; /* selects alpha, beta, and the cases left out */
static struct rng draw;

/* Tells whether the table says that the method supports an op, format and reproducibility. For
 * `auto`, which is NULL, one such method is enough. */
static int supported(const ek_method *m, int op, int held, ek_reproducible repro)
{
	ek_op of_store = (op == 1) != (held == HELD_CSC) ? EK_OP_T : EK_OP_N;

	if (m)
		return ek_method_supports(m, of_store, repro);
	while ((m = matrix_method_next(m)))
		if (ek_method_operation(m) == EK_SPMV && ek_method_supports(m, of_store, repro))
			return 1;
	return 0;
}

static ek_status make_plan(const struct plan_case *c, const ek_matrix *A, ek_plan **plan)
{
	ek_hints hints = {.size = sizeof hints,
	                  .method = name_or_auto(c->method),
	                  .op = c->op ? EK_OP_T : EK_OP_N,
	                  .reproducible = c->repro};

	return ek_plan_create(EK_SPMV, A, &hints, plan);
}

static void checked_run(struct product *p, ek_plan *plan, const struct run *run, const void **y)
{
	char text[400];

	if (!product_run(p, &contexts.heap, plan, run, y, text, sizeof text))
		fail_msg("%s: %s", product_where, text);
}

/* Runs the plan with three sets of operands. Repeats the first and the third with y in another
 * place, which must give the same bits. Then, except for some large shapes, runs the plan with the
 * second values of A and again with the first. */
static void check_plan(struct product *p, const struct plan_case *c, ek_matrix *A, ek_plan *plan)
{
	size_t bytes = (size_t)p->n[c->op] * ek_value_size(p->value);
	const void *y;

	for (int k = 0; k < 3; k++) {
		struct run run = {.op = c->op, .x = k & 1, .y0 = k > 1, .at_end = k != 1};

		product_pair(p->data, turn++, &run.alpha, &run.beta);
		checked_run(p, plan, &run, &y);
		if (k == 1)
			continue;
		memcpy(p->again, y, bytes);
		run.at_end = !run.at_end;
		checked_run(p, plan, &run, &y);
		if (memcmp(p->again, y, bytes) != 0)
			fail_msg("%s: the second of two equal runs gave other bits", product_where);
	}
	if (turn % 2 && p->A.nnz > 10000)
		return;
	for (int which = VALUES_SECOND; which >= VALUES_FIRST; which--) {
		struct run run = {c->op, 1, 0, which, 1, which, 1, NULL};

		product_values(p, c->held, c->index, which);
		expect_status(ek_matrix_values_changed(A), EK_OK);
		checked_run(p, plan, &run, &y);
	}
}

/* Returns 1 if the plan could be made, or 0 if the method does not apply to the matrix. */
static int check_case(struct product *p, const struct plan_case *c)
{
	ek_context *ctx = contexts.of[c->isa][c->count];
	ek_matrix *A;
	ek_plan *plan;
	ek_status status;

	plan_case_where(c, p->value, p->A.name, p->data);
	asked++;
	expect_status(product_matrix(p, ctx, c->held, c->index, EK_BORROW, &A), EK_OK);
	status = make_plan(c, A, &plan);
	if (status == EK_OK) {
		check_plan(p, c, A, plan);
		ek_plan_destroy(plan);
	} else if (!shape_may_refuse(&p->A, c->method, status)) {
		fail_msg("%s: no plan: %s", product_where, ek_error_text());
	}
	ek_matrix_destroy(A);
	return status == EK_OK;
}

/* Returns how many of the `all` combinations of index type, instruction set and number of threads
 * are tested for this shape and method. */
static int share(const struct product *p, int shape, const ek_method *m, int all)
{
	const bool converts = m && strcmp(ek_method_format(m), "csr") != 0;
	enum tier tier = test_tier();
	int some = tier <= TIER_QUICK ? 2 : shape_is_core(shape) ? all / 2 : 8;

	if (tier == TIER_LONG)
		return all;
	if (tier == TIER_BRIEF)
		return converts ? rng_below(&draw, 3) == 0 : 1;
	if (converts)
		some = tier <= TIER_QUICK ? (shape_is_core(shape) || rng_below(&draw, 3) == 0) : 5;
	if (p->A.nnz > 10000)
		some /= 2;
	return some < all ? some : all;
}

/* Tests some combinations of index type, instruction set and number of threads, in steps of 11. As
 * 11 is coprime to the numbers of these, a few steps reach all of them. Returns how many plans
 * could be made. */
static int check_combinations(struct product *p, int shape, const struct plan_case *fixed)
{
	int all = 3 * contexts.levels * contexts.counts, some = share(p, shape, fixed->method, all),
	    done = 0;
	int64_t first = rng_below(&draw, all);

	for (int k = 0; k < some; k++) {
		int at = (int)((first + 11 * k) % all);
		struct plan_case c = *fixed;

		c.index = (ek_index)(1 + at % 3);
		c.isa = at / 3 % contexts.levels;
		c.count = at / 3 / contexts.levels;
		done += check_case(p, &c);
	}
	return done;
}

static int check_method(struct product *p, int shape, const ek_method *m)
{
	int done = 0;

	for (int k = 0; k < 8; k++) {
		struct plan_case c = {.method = m,
		                      .op = k & 1,
		                      .held = k / 2 & 1,
		                      .repro = (ek_reproducible)(k / 4)};

		if (supported(m, c.op, c.held, c.repro))
			done += check_combinations(p, shape, &c);
	}
	return done;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

/* Returns the number of methods that take a matrix, with `auto` as one of them. */
static int count_methods(void)
{
	int count = 1;

	for (const ek_method *m = NULL; (m = matrix_method_next(m));)
		count++;
	return count;
}

static void walk(enum data data)
{
	const int methods = count_methods();
	long *done = calloc((size_t)methods, sizeof *done);
	long *tried = calloc((size_t)methods, sizeof *tried);
	long shapes = shape_count(), at = 0;

	for (int shape = 0; shape < shapes; shape++)
		for (int value = EK_F32; value <= EK_F64; value++) {
			const ek_method *m = NULL;
			struct product p;
			int k = 0;

			product_make(&p, shape, data, (ek_value)value, shape + value);
			do {
				const long before = asked;

				done[k] += check_method(&p, shape, m);
				tried[k++] += asked - before;
			} while ((m = matrix_method_next(m)));
			assert_int_equal(k, methods);
			product_free(&p);
		}
	print_message("  auto: %ld plans\n", done[0]);
	for (const ek_method *m = NULL; (m = matrix_method_next(m)) && ++at;) {
		print_message("  %s: %ld plans of %ld\n", name_or_auto(m), done[at], tried[at]);
		if (5 * done[at] < 4 * tried[at] || (!done[at] && m->operation == EK_SPMV))
			fail_msg("%s applies to too few matrices", name_or_auto(m));
	}
	free(done);
	free(tried);
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

/* Checks that an unsupported combination is refused, and that the message names the method. */
static void test_unsupported(void **state)
{
	struct product p;

	(void)state;
	product_make(&p, shape_count() / 2, DATA_EXACT, EK_F64, 1);
	for (const ek_method *m = matrix_method_next(NULL); m; m = matrix_method_next(m))
		for (int k = 0; k < 8; k++) {
			struct plan_case c = {m,      k & 1, k / 2 & 1, (ek_reproducible)(k / 4),
			                      EK_I32, 0,     0};
			ek_plan *plan = NULL;
			ek_matrix *A;

			if (supported(m, c.op, c.held, c.repro))
				continue;
			expect_status(product_matrix(&p, contexts.of[0][0], c.held, c.index, 0, &A),
			              EK_OK);
			expect_error(make_plan(&c, A, &plan), EK_EUNSUPPORTED, name_or_auto(m));
			assert_null(plan);
			ek_matrix_destroy(A);
		}
	product_free(&p);
}

/* Runs a case and compares the bits of y with those of the first that ran. *have is 0 until
 * then. */
static void same_bits(struct product *p, const struct plan_case *c, int *have)
{
	struct run run = {c->op, 0, 0, VALUES_FIRST, 0.1, 2.5, 1, NULL};
	size_t bytes = (size_t)p->n[c->op] * ek_value_size(p->value);
	ek_matrix *A;
	ek_plan *plan;
	const void *y;
	ek_status status;

	plan_case_where(c, p->value, p->A.name, p->data);
	expect_status(
		product_matrix(p, contexts.of[c->isa][c->count], c->held, c->index, EK_BORROW, &A),
		EK_OK);
	status = make_plan(c, A, &plan);
	if (status == EK_OK) {
		checked_run(p, plan, &run, &y);
		if (!*have)
			memcpy(p->again, y, bytes);
		else if (memcmp(p->again, y, bytes) != 0)
			fail_msg("%s: other bits than with %s and %d thread(s)", product_where,
			         ek_isa_name(contexts.level[0]), contexts.of[0][0]->threads);
		*have = 1;
		ek_plan_destroy(plan);
	} else if (!shape_may_refuse(&p->A, c->method, status)) {
		fail_msg("%s: no plan: %s", product_where, ek_error_text());
	}
	ek_matrix_destroy(A);
}

/* Checks that EK_REPRO_STRICT gives the same bits for all numbers of threads and instruction sets
 * and, with a named method, for all index types. */
static void test_strict(void **state)
{
	const enum tier tier = test_tier();
	int step = tier == TIER_BRIEF ? 4 : tier == TIER_QUICK ? 2 : 1, shapes = shape_count();

	(void)state;
	for (int shape = 0; shape < shapes; shape += step)
		for (int value = EK_F32; value <= EK_F64; value++) {
			const ek_method *m = NULL;
			struct product p;

			product_make(&p, shape, DATA_REAL, (ek_value)value, shape);
			do
				for (int k = 0; k < 4; k++) {
					struct plan_case c = {m,      k & 1, k / 2, EK_REPRO_STRICT,
					                      EK_I32, 0,     0};
					int have = 0;

					if (!supported(m, c.op, c.held, c.repro))
						continue;
					for (int at = 0; at < contexts.levels * contexts.counts;
					     at++) {
						c.isa = at % contexts.levels;
						c.count = at / contexts.levels;
						c.index = m ? (ek_index)(1 + at % 3) : EK_I32;
						same_bits(&p, &c, &have);
					}
				}
			while ((m = matrix_method_next(m)));
			product_free(&p);
		}
}

/* Checks that a matrix with copied arrays takes new values for the same pattern. */
static void test_set_values(void **state)
{
	int shapes = shape_count();

	(void)state;
	for (int shape = 0; shape < shapes; shape += test_tier() <= TIER_QUICK ? 7 : 2) {
		const ek_method *m = NULL;
		struct product p;

		product_make(&p, shape, DATA_EXACT, EK_F64, 3);
		do
			for (int k = 0; k < 4; k++) {
				struct plan_case c = {m,
				                      k & 1,
				                      k / 2,
				                      EK_REPRO_RUN,
				                      EK_I64_32,
				                      contexts.levels - 1,
				                      contexts.counts - 1};
				const struct shape *s = c.held ? &p.T : &p.A;
				struct run run = {c.op, 0, 1, VALUES_FIRST, 2.5, 1, 0, NULL};
				const void *y;
				ek_matrix *A;
				ek_plan *plan;
				ek_status status;

				plan_case_where(&c, p.value, p.A.name, p.data);
				if (!supported(m, c.op, c.held, c.repro))
					continue;
				expect_status(product_matrix(&p, contexts.of[c.isa][c.count],
				                             c.held, c.index, EK_COPY, &A),
				              EK_OK);
				status = make_plan(&c, A, &plan);
				if (status == EK_OK) {
					checked_run(&p, plan, &run, &y);
					expect_status(ek_matrix_set_values(A, s->nnz, s->val2),
					              EK_OK);
					run.values = VALUES_SECOND;
					checked_run(&p, plan, &run, &y);
					ek_plan_destroy(plan);
				} else if (!shape_may_refuse(&p.A, m, status)) {
					fail_msg("%s: no plan: %s", product_where, ek_error_text());
				}
				ek_matrix_destroy(A);
			}
		while ((m = matrix_method_next(m)));
		product_free(&p);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unsupported), cmocka_unit_test(test_integer_data),
		cmocka_unit_test(test_real_data),   cmocka_unit_test(test_strict),
		cmocka_unit_test(test_set_values),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, contexts_setup_isas, contexts_teardown);
}
