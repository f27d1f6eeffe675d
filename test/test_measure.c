/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the decisions of hints.measure. Times are made up, so that trials have known ends: the
 * decision follows the times, each run has the bits of the method that did it, and trials stay
 * within their limit. */
#include "support/trials.h"

static const eki_trial *chosen(const ek_plan *plan)
{
	return &plan->trials->list[plan->trials->now];
}

/* Checks that y has the bits of the method and the format of the candidate that ran. */
static void check_bits(const ek_plan *plan, const ek_method *m)
{
	const eki_trials *t = plan->trials;
	const eki_problem *p = &plan->problem;
	const char *format = chosen(plan)->format;
	ek_plan *named;

	for (int k = 0; k < t->count; k++)
		format = t->list[k].method == m ? t->list[k].format : format;
	named = make_plan(p->A[0].M, p->operation->number, p->A[0].op, false, m->name, format);
	run(named, 0, z);
	if (memcmp(y, z, result_bytes(plan)) != 0)
		fail_msg("a run by %s on %s gave other bits than a plan by name", m->name, format);
	ek_plan_destroy(named);
}

/* ---- Decisions ------------------------------------------------------------------------------- */

/* Makes a candidate the fastest: the n-th that is tried, or the predicted one if n is 0. Returns
 * false if there are fewer. */
static bool check_decision(ek_operation operation, ek_op op, int n)
{
	fake_reset();
	ek_plan *plan = make_plan(A, operation, op, true, NULL, NULL);
	eki_trials *t = plan->trials;
	int fastest = 0;

	for (int k = 0; k < n && (k == 0 || fastest); k++)
		fastest = tryable(plan, fastest);
	if (t->note || (n > 0 && !fastest)) {
		ek_plan_destroy(plan);
		return false;
	}
	const ek_method *best = t->list[fastest].method;

	fake_set(best, 60e3);
	for (int k = 0; k < RUNS; k++) {
		const bool decided = t->decided;

		fake.last = NULL;
		run(plan, 0, y);
		check_bits(plan, fake.last ? fake.last : chosen(plan)->method);
		assert_true(!decided || !fake.last);
	}
	assert_true(t->decided);
	assert_string_equal(ek_plan_method(plan), best->name);
	assert_string_equal(ek_plan_format(plan), chosen(plan)->plan->format);
	assert_true(ek_plan_bytes(plan) == chosen(plan)->plan->root.bytes);
	for (int k = 0; k < t->count; k++)
		assert_true((t->list[k].plan != NULL) == (t->list[k].method == best));
	assert_int_equal(ek_wisdom_count(ctx), 1);
	ek_plan_destroy(plan);
	return true;
}

static void decision_follows_times(void **state)
{
	static const ek_operation operations[] = {EK_SPMV, EK_SPMM};
	int checked[EKI_TRIED_MOST] = {0};

	(void)state;
	for (int n = 0; n < EKI_TRIED_MOST; n++)
		for (int k = 0; k < 4; k++)
			checked[n] +=
				check_decision(operations[k / 2], k & 1 ? EK_OP_T : EK_OP_N, n);
	assert_true(checked[0] == 4 && checked[1] >= 3 && checked[2] >= 1);
}

/* The predicted one stays if others are as good or little better; slow ones get few runs. */
static void predicted_stays(void **state)
{
	(void)state;
	fake_reset();
	ek_plan *plan = make_plan(A, EK_SPMV, EK_OP_N, true, NULL, NULL);
	const ek_method *first = plan->trials->list[0].method;

	fake_set(first, 102e3);
	run_until_decided(plan);
	assert_string_equal(ek_plan_method(plan), first->name);
	ek_plan_destroy(plan);
	fake_reset();
	plan = make_plan(A, EK_SPMV, EK_OP_N, true, NULL, NULL);
	fake.usual = 120e3;
	fake_set(first, 100e3);
	run_until_decided(plan);
	assert_string_equal(ek_plan_method(plan), first->name);
	for (int k = 1; k < plan->trials->count; k++)
		assert_true(plan->trials->list[k].runs <= 3 && plan->trials->list[k].out);
	ek_plan_destroy(plan);
}

/* ---- The limit ------------------------------------------------------------------------------- */

/* Sums up what runs take more than those of the predicted method. Preparations take as long as
 * predicted, and methods at most twice as long as the predicted one. */
static void limit_holds(void **state)
{
	unsigned seed = 1;
	int tried = 0;

	(void)state;
	for (int round = 0; round < 200; round++) {
		fake_reset();
		fake.prepares = 2500;
		ek_plan *plan =
			make_plan(A, EK_SPMV, round & 1 ? EK_OP_T : EK_OP_N, true, NULL, NULL);
		eki_trials *t = plan->trials;
		double extra = 0;

		for (int k = 1; k < t->count && k < NAMED; k++) {
			seed = seed * 1103515245 + 12345;
			fake_set(t->list[k].method, 100e3 * (1 + (seed >> 16) % 1000 / 1000.0));
			t->list[k].prepares = 0;
		}
		for (int k = 0; k < RUNS; k++) {
			fake.last = NULL;
			run(plan, 0, y);
			if (fake.last)
				extra += fake_time(fake.last, false, 0) - 100e3;
		}
		for (int k = 1; k < t->count; k++) {
			extra += t->list[k].prepared;
			tried += t->list[k].runs > 0;
		}
		assert_true(t->decided);
		if (extra > EKI_TRIALS_BUDGET * 100e3)
			fail_msg("round %d: trials took %g products", round, extra / 100e3);
		ek_plan_destroy(plan);
	}
	assert_true(tried > 200);
}

/* A candidate is not made if its preparation does not fit, and one whose run takes very long gets
 * no second one. */
static void too_slow(void **state)
{
	(void)state;
	fake_reset();
	ek_plan *plan = make_plan(A, EK_SPMV, EK_OP_N, true, NULL, NULL);
	eki_trials *t = plan->trials;
	char text[4096];

	assert_true(t->count > 1);
	for (int k = 1; k < t->count; k++)
		t->list[k].prepares = 2.5 * t->list[0].predicted;
	run_until_decided(plan);
	for (int k = 1; k < t->count; k++)
		assert_true(t->list[k].runs == 0 && t->list[k].prepared == 0);
	expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
	assert_non_null(strstr(text, "given up, to prepare and run it would take too long"));
	assert_non_null(strstr(text, "measured no other method, so the prediction stands; "
	                             "trials took 0.00 products"));
	ek_plan_destroy(plan);
	fake_reset();
	plan = make_plan(A, EK_SPMV, EK_OP_N, true, NULL, NULL);
	t = plan->trials;
	fake.usual = 1e6;
	fake_set(t->list[0].method, 100e3);
	run_until_decided(plan);
	for (int k = 1; k < t->count; k++)
		assert_true(t->list[k].runs <= 1 && t->list[k].out);
	assert_string_equal(ek_plan_method(plan), t->list[0].method->name);
	ek_plan_destroy(plan);
}

/* ---- What is refused, and what has no effect ------------------------------------------------- */

static void refused(void **state)
{
	ek_hints h = {.size = sizeof h, .measure = 1, .reproducible = EK_REPRO_STRICT};
	ek_plan *plan = NULL;

	(void)state;
	expect_error(ek_plan_create(EK_SPMV, A, &h, &plan), EK_EINVAL, "EK_REPRO_STRICT");
	h.reproducible = EK_REPRO_RUN;
	h.measure = 2;
	expect_error(ek_plan_create(EK_SPMV, A, &h, &plan), EK_EINVAL, "hints.measure is 2");
	h.measure = 1;
	h.B = A;
	expect_error(ek_plan_create(EK_SPADD, A, &h, &plan), EK_EUNSUPPORTED, "spadd");
	expect_error(ek_plan_create(EK_TRIPLE, A, &h, &plan), EK_EUNSUPPORTED, "triple");
	h.B = NULL;
	expect_error(ek_plan_create(EK_SPMSPV, A, &h, &plan), EK_EUNSUPPORTED, "spmspv");
	expect_error(ek_plan_create(EK_TRANSPOSE, A, &h, &plan), EK_EUNSUPPORTED, "transpose");
	assert_null(plan);
}

static void no_effect(void **state)
{
	ek_plan *plan = make_plan(A, EK_SPMV, EK_OP_N, true, "csr.merge", NULL);
	const ek_hints few = {.size = sizeof few, .measure = 1, .calls = EKI_TRIAL_CALLS - 1};
	char text[4096];

	(void)state;
	fake_reset();
	assert_true(plan->trials->decided);
	assert_string_equal(ek_plan_method(plan), "spmv.csr.merge");
	expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
	assert_non_null(strstr(text, "measured nothing: a method was named"));
	ek_plan_destroy(plan);
	expect_status(ek_plan_create(EK_SPMV, A, &few, &plan), EK_OK);
	expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
	assert_non_null(strstr(text, "measured nothing: too few calls"));
	for (int k = 0; k < RUNS; k++)
		run(plan, 0, y);
	assert_int_equal(ek_wisdom_count(ctx), 0);
	ek_plan_destroy(plan);
}

/* Checks that the announced calls do not change the predicted time of a run by more than what is
 * prepared for more calls gains: preparations are found from the difference between predictions for
 * some and for twice as many calls, between which formats may become worth considering. */
static void predictions_are_sound(void **state)
{
	(void)state;
	for (int64_t calls = EKI_TRIAL_CALLS; calls < 1000; calls += 41)
		for (int op = EK_OP_N; op <= EK_OP_T; op++) {
			const ek_hints h = {.size = sizeof h,
			                    .measure = 1,
			                    .op = (ek_op)op,
			                    .calls = calls};
			ek_plan *plan = NULL;

			expect_status(ek_plan_create(EK_SPMV, A, &h, &plan), EK_OK);
			const eki_trials *t = plan->trials;

			for (int k = 0; k < t->count && !t->known; k++) {
				assert_true(t->list[k].prepares >= 0);
				assert_true(t->list[k].predicted > 0.2 * t->list[0].predicted);
			}
			assert_true(t->list[0].predicted > 0);
			ek_plan_destroy(plan);
			ek_wisdom_forget(ctx);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decision_follows_times),
		cmocka_unit_test(predicted_stays),
		cmocka_unit_test(limit_holds),
		cmocka_unit_test(too_slow),
		cmocka_unit_test(refused),
		cmocka_unit_test(no_effect),
		cmocka_unit_test(predictions_are_sound),
	};

	return run_all_tests(tests, trials_setup, trials_teardown);
}
