/* SPDX-License-Identifier: BSD-3-Clause
 * Makes plans: a choice, then the preparation of what was chosen.
 *
 * If the library chose a method of the context's device, and the device has too little memory for
 * it, the plan is made again: by the method that sends rows of A there in batches, if the operation
 * has one, and else by the processor, as in a context without a device. The plan says so. A method
 * that was named is never replaced. Cost: what was prepared is prepared again. */
#include <stdio.h>

#include "plan/plan.h"

static void first_step(ek_plan *p, const ek_matrix *A, int threads)
{
	eki_step *step = &p->root;

	step->problem = &p->problem;
	step->ctx = p->ctx;
	step->plan = p;
	step->in[0] = &A->store;
	step->op[0] = (p->problem.A[0].op == EK_OP_T) != A->transposed ? EK_OP_T : EK_OP_N;
	step->x_len = step->op[0] == EK_OP_N ? A->store.cols : A->store.rows;
	step->y_len = step->op[0] == EK_OP_N ? A->store.rows : A->store.cols;
	step->isa = p->ctx->isa;
	step->threads = step->parts = threads ? threads : p->ctx->threads;
}

/* Tells whether memory is limited so that there is none for a second plan beside this one. */
static bool is_limited(const ek_plan *p)
{
	return p->problem.operation->limited && p->problem.memory > 0;
}

/* Chooses and prepares what does the runs: steps or, with hints.measure, plans that are tried. */
static ek_status prepare(ek_plan *p, const ek_hints *h)
{
	const bool tries = h->measure && !p->problem.balances, fits = !is_limited(p);

	if (tries && fits)
		return eki_trials_make(p, h);
	EK_RETURN_IF(eki_plan_choose(p, h));
	if (tries)
		EK_RETURN_IF(eki_step_say(&p->root,
		                          "measured nothing: hints.memory is a limit on all that "
		                          "the plan takes\n"));
	p->chosen = p->root;
	EK_RETURN_IF(eki_step_prepare(&p->root));
	if (p->automatic && p->room > 0)
		EK_RETURN_IF(eki_device_room(p->ctx, p->room, p->room_array));
	eki_plan_note_parameters(p);
	EK_RETURN_IF(eki_operands_limit(p));
	return eki_scratch_make(p);
}

/* Tells whether a plan that could not be made has a method on the device that the library chose and
 * for which there is too little memory. Where A goes there in batches, a method may also refuse
 * to keep to hints.memory. */
static bool too_large(const ek_plan *p, ek_status status)
{
	return (status == EK_ENOMEM || (status == EK_EUNSUPPORTED && p->problem.batches)) &&
	       p->automatic && p->root.method && !(p->root.method->backend & EKI_CPU);
}

/* Adds method and device to a message about memory, which may be that of a driver. */
static void name_method(const ek_plan *p)
{
	char text[EKI_MESSAGE];

	if (!p->root.method || p->root.method->backend & EKI_CPU)
		return;
	snprintf(text, sizeof text, "%s", ek_error_text());
	eki_fail(EK_ENOMEM, "method %s on device %s: %s", p->root.method->name,
	         eki_device_name(p->ctx), text);
}

/* Makes a plan for a problem. If the device has too little memory for the method that the library
 * chose, sets *refused to that method. */
static ek_status try_problem(const eki_problem *problem, const ek_hints *h,
                             const ek_method **refused, ek_plan **plan)
{
	const ek_matrix *A = problem->A[0].M;
	ek_plan *p;
	ek_status status;

	EK_RETURN_IF(eki_plan_new(A->ctx, problem, &p));
	eki_plan_arrays(p);
	first_step(p, A, h->threads);
	atomic_store(&p->seen, eki_latest_state(p));
	EK_TRY(prepare(p, h));
	*plan = p;
done:
	if (too_large(p, status))
		*refused = p->root.method;
	else if (status == EK_ENOMEM)
		name_method(p);
	if (status != EK_OK)
		ek_plan_destroy(p);
	return status;
}

ek_status eki_plan_make(const eki_operation *operation, const ek_matrix *A, const ek_hints *h,
                        ek_plan **plan)
{
	eki_problem problem = {.operation = operation};
	const ek_method *refused;
	ek_status status;

	problem.A[0].M = A;
	problem.A[0].op = h->op == EK_OP_T ? EK_OP_T : EK_OP_N;
	problem.calls = h->calls ? h->calls : 1000;
	problem.announced = h->calls > 0;
	problem.width = operation->width ? h->width ? h->width : operation->width : 1;
	problem.reproducible = h->reproducible;
	/* Trials fill a C by several methods, most of which need ascending rows. */
	problem.unsorted = h->unsorted && !h->measure;
	problem.memory = h->memory;
	problem.balances = h->measure && eki_together(A->ctx, operation->number);
	EK_RETURN_IF(eki_operands_check(h, &problem));
	EK_RETURN_IF(operation->check(&problem));
	do {
		refused = NULL;
		status = try_problem(&problem, h, &refused, plan);
		problem.batches = refused && !problem.refused;
		problem.refused = problem.refused ? problem.refused : refused;
	} while (refused);
	return status;
}
