/* SPDX-License-Identifier: BSD-3-Clause
 * Says which candidate of a plan with hints.measure has the next trial (trials.c). At first the
 * predicted candidate runs twice, so that the time of a product is known.
 *
 * On the processor the candidate with the fewest runs is next, so they take turns and a disturbance
 * hits all. On a device each candidate takes turns with the predicted one alone, until it has had
 * its runs, and only the fastest is kept: the device's memory may be small, and holds the predicted
 * plan, the fastest so far, and the one that is tried. */
#include <math.h>

#include "base/pool.h"
#include "plan/plan.h"

/* The predicted candidate stays unless another one takes less than this part of its time. */
#define FASTER 0.97
/* A candidate is given up if its least time is more than this times that of the predicted one. */
#define SLOWER 1.1

enum {
	FEWEST = 3,             /* runs from which on a time counts */
	COMPILE_NS = 1000000000 /* assumed time of compiling a candidate's kernels */
};

int eki_trials_best(const eki_trials *t)
{
	int best = 0;

	for (int k = 1; k < t->count; k++)
		if (t->list[k].plan && t->list[k].runs >= FEWEST && t->list[0].runs >= FEWEST &&
		    t->list[k].least < (best ? t->list[best].least : FASTER * t->list[0].least))
			best = k;
	return best;
}

void eki_trial_give_up(ek_plan *p, eki_trial *trial, const char *why)
{
	ek_plan *plan = trial->plan;

	eki_lock_take(&p->trials->lock);
	trial->plan = NULL;
	trial->out = why;
	eki_lock_give(&p->trials->lock);
	eki_candidate_destroy(p, plan);
}

/* Gives up the candidates that have had their runs, but for the fastest. */
static void keep_best(ek_plan *p)
{
	eki_trials *t = p->trials;
	const int best = eki_trials_best(t);

	for (int k = 1; k < t->count; k++)
		if (k != best && t->list[k].plan)
			eki_trial_give_up(p, &t->list[k], "it is slower");
}

/* Tells whether there is time to compile a candidate's kernels: as much as all announced products
 * take. */
static bool may_compile(const ek_plan *p)
{
	const eki_trials *t = p->trials;

	return t->compiled + COMPILE_NS <= (double)p->problem.calls * t->list[0].least;
}

/* Makes the plan of a candidate, with an empty queue before and after, and takes the time that this
 * takes, but for compiling. */
static ek_status prepare(ek_plan *p, eki_trial *trial, const ek_hints *h)
{
	eki_compiling *c = eki_device_compiling();
	const eki_compiling before = *c;
	ek_status status = eki_device_finish(p->ctx);
	const int64_t start = eki_now_ns();

	c->may = may_compile(p);
	c->refused = false;
	if (status == EK_OK)
		status = eki_candidate_make(p, trial, h);
	if (status == EK_OK)
		status = eki_device_finish(p->ctx);
	trial->prepared = eki_trials_timing(p, trial->method, true, start + c->ns - before.ns);
	eki_lock_take(&p->trials->lock);
	p->trials->compiled += (double)(c->ns - before.ns);
	eki_lock_give(&p->trials->lock);
	c->may = before.may;
	return status;
}

static void make(ek_plan *p, eki_trial *trial)
{
	eki_trials *t = p->trials;
	eki_trial new = *trial;
	ek_hints h = t->hints;

	h.method = trial->method->name;
	if (trial->converted)
		h.format = trial->format;
	const ek_status status = prepare(p, &new, &h);

	eki_lock_take(&t->lock);
	*trial = new;
	eki_lock_give(&t->lock);
	t->made++;
	if (status != EK_OK)
		eki_trial_give_up(p, trial,
		                  status == EK_ENOMEM ? "there was no memory for it"
		                  : eki_device_compiling()->refused
		                          ? "to compile it would take too long"
		                          : "it could not be prepared");
}

static eki_trial *fewest_runs(eki_trials *t)
{
	eki_trial *next = NULL;

	for (eki_trial *c = t->list; c < t->list + t->count; c++)
		if (!c->out && c->runs < EKI_TRIAL_RUNS && (!next || c->runs < next->runs))
			next = c;
	for (eki_trial *c = t->list + 1; next == t->list && c < t->list + t->count; c++)
		if (!c->out)
			return next;
	return next == t->list ? NULL : next; /* the predicted one need not run alone */
}

/* Returns the first candidate that has not had its runs, or the predicted one, in turns. */
static eki_trial *one_by_one(eki_trials *t)
{
	for (eki_trial *c = t->list + 1; c < t->list + t->count; c++)
		if (!c->out && c->runs < EKI_TRIAL_RUNS)
			return t->last == c ? t->list : c;
	return NULL;
}

/* Returns the candidate that is next. Returns NULL if all are out or have their runs. */
static eki_trial *whose_turn(eki_trials *t)
{
	if (t->list[0].runs < 2)
		return &t->list[0];
	return eki_trials_on_device(t) ? one_by_one(t) : fewest_runs(t);
}

/* Returns why a candidate gets no trial, or NULL. */
static const char *refusal(const ek_plan *p, const eki_trial *c)
{
	const eki_trials *t = p->trials;
	const bool beside = eki_trial_beside(t, c);

	if (beside && (t->kind.x_where || t->kind.y_where))
		return "the vectors are on the device";
	if (!c->plan && !c->late && !beside && t->made >= EKI_TRIED_MOST)
		return "as many as are allowed were tried";
	if (c->runs >= FEWEST && c->least > SLOWER * t->list[0].least)
		return "it is slower";
	if (eki_trial_needs(t, c) > eki_trial_limit(p, c) - eki_trials_spent(t))
		return c->runs   ? "more runs would take too long"
		       : c->plan ? "to run it would take too long"
		                 : "to prepare and run it would take too long";
	return NULL;
}

eki_trial *eki_trials_next(ek_plan *p)
{
	eki_trials *t = p->trials;
	eki_trial *next;

	while ((next = whose_turn(t)) && next != t->list) {
		const char *why = refusal(p, next);

		if (why) {
			eki_trial_give_up(p, next, why);
			continue;
		}
		if (next->plan)
			return next;
		if (eki_trials_on_device(t))
			keep_best(p);
		make(p, next);
	}
	return next;
}
