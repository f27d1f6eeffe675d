/* SPDX-License-Identifier: BSD-3-Clause
 * Tests runs of plans with hints.measure for sparse products: only runs alike are compared, and
 * each result is right, whatever happens to the matrices and to memory during the trials. */
#include "support/spgemm_case.h"
#include "support/trials_sparse.h"

/* ---- Runs that are no trials ----------------------------------------------------------------- */

/* Runs a plan, and returns whether that was a trial. */
static bool timed(ek_plan *plan, double alpha, double beta, ek_matrix **C)
{
	fake.last = NULL;
	expect_status(ek_spgemm(plan, alpha, beta, C), EK_OK);
	return fake.last != NULL;
}

/* Runs that make C are not compared with runs into it. The first one into it begins anew, as long
 * as only the predicted method has had runs. */
static void kinds_of_runs(void **state)
{
	ek_plan *plan = trials_sparse_for_bins(true);
	eki_trials *t = plan->trials;
	ek_matrix *C = NULL, *new = NULL;

	(void)state;
	assert_true(timed(plan, 1.5, 0.5, &C));
	assert_true(t->list[0].runs == 1 && !t->kind.known);
	assert_false(timed(plan, 0, 0.5, &C)); /* values of A and B are not read */
	assert_true(timed(plan, 1.5, 0.5, &C));
	assert_true(t->list[0].runs == 1 && t->kind.known);
	assert_false(timed(plan, 1.5, 0.5, &new));
	assert_false(timed(plan, 1.5, 0, &C)); /* values of D are not read */
	trials_sparse_decide(plan, 0.5, true, &C);
	assert_string_equal(ek_plan_method(plan), SPARSE_BINS);
	trials_sparse_run(plan, 0.5, &new); /* made by csr.flags, filled by csr.bins */
	ek_matrix_destroy(new);
	ek_matrix_destroy(C);
	ek_plan_destroy(plan);
	plan = trials_sparse_for_bins(false);
	for (int k = 0; k < 3; k++) {
		C = NULL;
		assert_true(timed(plan, 1.5, 0, &C));
		assert_true(plan->trials->list[1].runs == (k == 2));
		if (k < 2)
			ek_matrix_destroy(C);
	}
	assert_false(timed(plan, 1.5, 0, &C)); /* too late */
	assert_false(plan->trials->kind.known);
	ek_matrix_destroy(C);
	ek_plan_destroy(plan);
}

/* Values in an array of the caller are those of a run into C. */
static void result_values(void **state)
{
	ek_plan *plan = trials_sparse_for_bins(false);
	ek_matrix *C = NULL;
	ek_view val = {.size = sizeof val};
	double *out;

	(void)state;
	trials_sparse_run(plan, 0, &C);
	expect_status(ek_matrix_array(C, "val", &val), EK_OK);
	out = malloc((size_t)val.len * sizeof *out);
	for (int k = 0; k < RUNS; k++) {
		expect_status(ek_result_values(plan, 1.5, 0, C, val.len, out), EK_OK);
		assert_memory_equal(out, val.data, (size_t)val.len * sizeof *out);
	}
	assert_string_equal(ek_plan_method(plan), SPARSE_BINS);
	free(out);
	ek_matrix_destroy(C);
	ek_plan_destroy(plan);
}

static void new_values(void **state)
{
	ek_plan *plan = trials_sparse_for_bins(true);
	ek_matrix *C = NULL;

	(void)state;
	for (int k = 0; k < 2 * RUNS; k++) {
		struct trials_sparse *s = &trials_sparse;

		if (k % 4 == 3)
			trials_sparse_values(k % 3 == 0 ? s->A : k % 3 == 1 ? s->B : s->D, k);
		trials_sparse_run(plan, 0.5, &C);
	}
	assert_true(plan->trials->decided);
	ek_matrix_destroy(C);
	ek_plan_destroy(plan);
}

/* ---- Matrices, threads, memory --------------------------------------------------------------- */

/* The caller destroys some of the operands before the candidates are made. */
static void operands_go(void **state)
{
	struct trials_sparse *s = &trials_sparse;
	ek_matrix **const operand[] = {&s->A, &s->B, &s->D};

	(void)state;
	for (int which = 1; which < 8; which++) {
		ek_plan *plan = trials_sparse_for_bins(true);
		ek_matrix *C = NULL;

		expect_error(ek_matrix_convert_in_place(s->B, "coo", NULL), EK_EINVAL,
		             "has 3 live plans"); /* two of them by the serial method */
		for (int k = 0; k < 3; k++)
			if (which >> k & 1) {
				ek_matrix_destroy(*operand[k]);
				*operand[k] = NULL;
			}
		trials_sparse_decide(plan, 0.5, which & 1, &C);
		assert_string_equal(ek_plan_method(plan), SPARSE_BINS);
		ek_matrix_destroy(C);
		if (which == 7) { /* the plan is the last that holds them */
			trials_sparse_close();
			ek_plan_destroy(plan);
		} else {
			ek_plan_destroy(plan);
			trials_sparse_close();
		}
		trials_sparse_open(ctx, SPARSE_WIDE);
	}
}

/* Operands in other formats and with other ops, of which each candidate has a copy. */
static void copies_of_operands(void **state)
{
	struct trials_sparse *s = &trials_sparse;
	ek_matrix *other, *C = NULL;
	ek_plan *plan;

	(void)state;
	for (int k = 0; k < 2; k++) {
		expect_status(ek_matrix_convert(s->A, k ? "ell" : "csc", NULL, &other), EK_OK);
		const ek_hints h = {.size = sizeof h, .calls = 100, .measure = 1, .B = s->B};

		fake_reset();
		fake_set(ek_method_find(SPARSE_BINS), 50e3);
		expect_status(ek_plan_create(EK_SPGEMM, other, &h, &plan), EK_OK);
		assert_true(plan->trials->list[1].copies > plan->trials->list[0].predicted);
		trials_sparse_decide(plan, 0, true, &C);
		assert_string_equal(ek_plan_method(plan), SPARSE_BINS);
		ek_plan_destroy(plan);
		expect_status(ek_plan_create(EK_SPGEMM, other, &h, &plan), EK_OK);
		assert_true(plan->trials->known);
		ek_plan_destroy(plan);
		ek_matrix_destroy(other);
		ek_matrix_destroy(C);
		C = NULL;
	}
}

static void threads_share_a_plan(void **state)
{
	(void)state;
	for (int k = 0; k < 5; k++) {
		ek_plan *plan = trials_sparse_for_bins(k & 1);
		ek_matrix *C = NULL;

		for (int i = 0; i < 3 * k; i++)
			trials_sparse_run(plan, 1, &C);
		spgemm_in_two_threads(plan);
		if (!C)
			trials_sparse_run(plan, 1, &C);
		trials_sparse_decide(plan, 1, true, &C);
		trials_sparse_run(plan, 1, &C);
		ek_matrix_destroy(C);
		ek_plan_destroy(plan);
	}
}

/* Makes the n-th allocation during the trials fail. Runs into a C need none of their own, so all
 * succeed; one that makes C may fail, and then leaves nothing. */
static void allocations_fail(void **state)
{
	bool failed = true;
	int lost = 0;

	(void)state;
	for (long n = 0; failed; n++)
		for (int k = 0; k < 4; k++) {
			const bool into = k & 1, persistent = k & 2;
			ek_plan *plan = trials_sparse_for_bins(true);
			ek_matrix *C = NULL;

			if (into)
				trials_sparse_run(plan, 1, &C);
			heap_fail(&heap, n, persistent);
			for (int i = 0; i < RUNS && !plan->trials->decided; i++) {
				if (!into) {
					ek_matrix_destroy(C);
					C = NULL;
				}
				const ek_status status = ek_spgemm(plan, 1.5, 1, &C);

				assert_true(status == EK_OK || (status == EK_ENOMEM && !into));
				assert_true((C != NULL) == (status == EK_OK));
			}
			failed = atomic_load(&heap.calls) > n;
			heap_fail(&heap, -1, false);
			lost += plan->trials->list[1].out != NULL;
			if (C)
				trials_sparse_check(plan, 1, C);
			ek_matrix_destroy(C);
			ek_plan_destroy(plan);
		}
	assert_true(lost > 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_of_runs),      cmocka_unit_test(result_values),
		cmocka_unit_test(new_values),         cmocka_unit_test(operands_go),
		cmocka_unit_test(copies_of_operands), cmocka_unit_test(threads_share_a_plan),
		cmocka_unit_test(allocations_fail),
	};

	return run_all_tests(tests, trials_sparse_setup, trials_sparse_teardown);
}
