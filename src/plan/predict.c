/* SPDX-License-Identifier: BSD-3-Clause
 * Predictions for a plan that exists: what eki_select would have found for its method and its
 * format. The features are found again, as for a choice, so that plans made by name cost nothing
 * more to create. */
#include <math.h>

#include "plan/plan.h"

/* Tells whether the plan multiplies with A as it is stored, as far as the choice is concerned: for
 * methods of CSR it does not count copies of the operands of an operation, or of column indices
 * that start at 1. */
static bool as_stored(const ek_plan *p)
{
	return p->problem.operation->operands || !p->own[0].format || p->own[0].borrowed;
}

static ek_status check(const ek_plan *p, int64_t calls, ek_prediction *prediction)
{
	if (calls < 0)
		return eki_fail(EK_EINVAL, "calls is %lld; it must not be negative",
		                (long long)calls);
	EK_RETURN_IF(EKI_STRUCT_CHECK("prediction", ek_prediction, prediction));
	if (!p->chosen.method->cost)
		return eki_fail(EK_EUNSUPPORTED, "method %s has no prediction",
		                p->chosen.method->name);
	return EK_OK;
}

ek_status ek_plan_predict(const ek_plan *plan, int64_t calls, ek_prediction *prediction)
{
	ek_prediction all = {.size = sizeof all};
	ek_store layout;

	EK_RETURN_IF(eki_plan_check(plan));
	if (plan->trials)
		return eki_trials_predict(plan, calls, prediction);
	EK_RETURN_IF(check(plan, calls, prediction));
	const ek_format *own = plan->chosen.method->format[0];
	const ek_store *A = &plan->problem.A[0].M->store, *with = plan->chosen.in[0];
	eki_problem problem = plan->problem;
	eki_step step = plan->chosen;
	bool known = as_stored(plan);

	problem.calls = calls ? calls : problem.calls;
	step.problem = &problem;
	if (with->format != &ek_format_csr && A->format == &ek_format_csr) {
		step.in[0] = A;
		step.bytes = eki_moved_bytes(&problem, A);
		known = with->format->convert.products > 0;
	} else if (own && own != &ek_format_csr && with->format == &ek_format_csr) {
		/* The method makes the arrays of its format itself. */
		EK_RETURN_IF(eki_format_look(plan->ctx, with, own, step.dim, -1, &layout));
		known = known && own->convert.products > 0;
		with = &layout;
	}
	EK_RETURN_IF(eki_predict(&step, with, &all.run, &all.convert));
	if (!known)
		all.convert = (double)NAN;
	all.calls = problem.calls;
	all.run *= 1e-9;
	all.convert *= 1e-9;
	EKI_STRUCT_OUT(ek_prediction, &all, prediction);
	return EK_OK;
}
