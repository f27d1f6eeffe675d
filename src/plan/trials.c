/* SPDX-License-Identifier: BSD-3-Clause
 * Trials: the runs of a plan with hints.measure, until the fastest candidate is known. Such a plan
 * holds a plan for each candidate, and passes its runs to one of them. At first the predicted
 * candidate runs twice, so that the time of a product is known. Then the candidate with the fewest
 * runs is next, so they take turns and a disturbance hits all. The least time of a candidate
 * counts, since other programs only make a run longer (as in tune/time.c).
 *
 * Threads: one thread at a time does a trial, and only it makes and gives up candidates. All other
 * runs use the plan `current`, which changes once, with the decision. Then the plans of the losers
 * are destroyed by the last run that may use one of them. Runs count themselves for that, until
 * they see that the decision has been made.
 *
 * Cost: after the decision, one more look at memory for each run. Source: planners that measure
 * (Frigo and Johnson 2005, FFTW), and sparse products that are tuned at run time (Vuduc, Demmel and
 * Yelick 2005, OSKI). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/pool.h"
#include "plan/plan.h"

/* The predicted candidate stays unless another one takes less than this part of its time. */
#define FASTER 0.97
/* A candidate is given up if its least time is more than this times that of the predicted one. */
#define SLOWER 1.1

enum {
	FEWEST = 3,    /* runs from which on a time counts */
	PATIENCE = 512 /* runs after which there are no more trials */
};

/* ---- Making ---------------------------------------------------------------------------------- */

ek_status eki_trials_check(const ek_context *ctx, const eki_operation *operation)
{
	if (eki_together(ctx, operation->number))
		return EK_OK;
	if (operation->matrices > 1 || operation->operands)
		return eki_fail(EK_EUNSUPPORTED,
		                "hints.measure is 1, but operation %s has no trials here; those "
		                "of spmv, spmm and dense_spmm have",
		                operation->name);
	if (ctx->device)
		return eki_fail(EK_EUNSUPPORTED,
		                "hints.measure is 1, but the context has a device, whose runs are "
		                "not timed");
	return EK_OK;
}

static bool is_named(const ek_plan *p, const ek_hints *h)
{
	return (h->method && strcmp(h->method, "auto") != 0) ||
	       eki_forced_of(p->ctx, p->problem.operation->number, p->problem.A[0].op);
}

/* Takes the decision that the context remembers. Returns false if there is none, or if it cannot be
 * followed, for example for lack of memory. */
static bool recall(ek_plan *p)
{
	eki_trials *t = p->trials;
	eki_decision known;
	ek_hints h = t->hints;

	if (!t->remembers || !eki_wisdom_find(p->ctx, &t->key, &known))
		return false;
	h.method = known.method;
	h.format = known.format;
	h.calls = known.calls;
	t->known = eki_candidate_make(p, &t->list[0], &h) == EK_OK;
	return t->known;
}

ek_status eki_trials_make(ek_plan *p, const ek_hints *hints)
{
	const bool named = is_named(p, hints), few = p->problem.calls < EKI_TRIAL_CALLS;
	eki_trials *t;

	EK_RETURN_IF(eki_step_alloc(&p->root, 1, sizeof *t, &t));
	memset(t, 0, sizeof *t);
	EK_RETURN_IF(eki_step_alloc(&p->root, 1, sizeof *t->list, &t->list));
	memset(t->list, 0, sizeof *t->list);
	t->count = t->made = 1;
	p->trials = t;
	t->hints = *hints;
	t->hints.measure = 0;
	t->note = named ? "a method was named"
	          : few ? "too few calls are announced to make up for trials"
	                : NULL;
	if (!t->note) {
		t->remembers = eki_wisdom_key_of(&p->root, hints->format, &t->key);
		t->note = t->remembers ? NULL : "the text of hints.format is too long";
	}
	if (!recall(p))
		EK_RETURN_IF(eki_candidate_make(p, &t->list[0], &t->hints));
	t->hints.method = NULL; /* the caller's strings may be gone later */
	if (hints->format && t->remembers)
		t->hints.format = strcpy(t->wanted, hints->format);
	if (!t->note && !t->known)
		EK_RETURN_IF(eki_candidates_list(p));
	p->root.method = t->list[0].method;
	atomic_store(&t->current, t->list[0].plan);
	atomic_store(&t->decided, t->note || t->known);
	return EK_OK;
}

static void destroy_losers(ek_plan *p)
{
	eki_trials *t = p->trials;
	ek_plan *loser[EKI_TRIED_MOST];

	eki_lock_take(&t->lock);
	memcpy(loser, t->loser, sizeof loser);
	memset(t->loser, 0, sizeof t->loser);
	eki_lock_give(&t->lock);
	for (int k = 0; k < EKI_TRIED_MOST; k++)
		eki_candidate_destroy(p, loser[k]);
}

void eki_trials_free(ek_plan *p)
{
	if (!p->trials)
		return;
	destroy_losers(p);
	for (int k = 0; k < p->trials->count; k++)
		eki_candidate_destroy(p, p->trials->list[k].plan);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

/* Tells whether the pointer to x has been moved back by an entry, since columns start at 1. */
static bool moved(const eki_step *root)
{
	return root->op[0] == EK_OP_N && root->in[0]->base;
}

/* Passes a run to the plan of a candidate. */
static ek_status run_by(const ek_plan *p, ek_plan *candidate, const eki_run *run)
{
	const int64_t entry = run->x.row * (int64_t)ek_value_size(p->root.in[0]->value);
	eki_run own = *run;

	own.x.data = (char *)run->x.data +
	             entry * ((int64_t)moved(&p->root) - (int64_t)moved(&candidate->root));
	return eki_plan_run(candidate, &own);
}

static ek_status run_current(const ek_plan *p, const eki_run *run)
{
	return run_by(p, atomic_load(&p->trials->current), run);
}

static eki_run_kind kind_of(const eki_run *v)
{
	return (eki_run_kind){v->width, v->x.row,
	                      v->x.col, v->y.row,
	                      v->y.col, eki_is(v->beta, 0) ? 0 : v->y0.data == v->y.data ? 1 : 2};
}

/* Tells whether a run is like the first one. */
static bool alike(eki_trials *t, const eki_run *run)
{
	const eki_run_kind kind = kind_of(run);

	if (t->seen++ == 0)
		t->kind = kind;
	return memcmp(&kind, &t->kind, sizeof kind) == 0;
}

static double timing(const ek_plan *p, const ek_method *method, bool prepares, int64_t start)
{
	const double ns = fmax(1, (double)(eki_now_ns() - start)); /* a coarse clock may say 0 */

	return p->ctx->timing ? p->ctx->timing(method, prepares, ns) : ns;
}

/* ---- Trials ---------------------------------------------------------------------------------- */

static void give_up(ek_plan *p, eki_trial *trial, const char *why)
{
	ek_plan *plan = trial->plan;

	eki_lock_take(&p->trials->lock);
	trial->plan = NULL;
	trial->out = why;
	eki_lock_give(&p->trials->lock);
	eki_candidate_destroy(p, plan);
}

/* Makes the plan of a candidate, and takes the time. */
static void make(ek_plan *p, eki_trial *trial)
{
	eki_trials *t = p->trials;
	const int64_t start = eki_now_ns();
	eki_trial new = *trial;
	ek_hints h = t->hints;
	ek_status status;

	h.method = trial->method->name;
	if (trial->converted)
		h.format = trial->format;
	status = eki_candidate_make(p, &new, &h);
	new.prepared = timing(p, trial->method, true, start);
	new.out = status == EK_OK       ? NULL
	          : status == EK_ENOMEM ? "there was no memory for it"
	                                : "it could not be prepared";
	eki_lock_take(&t->lock);
	*trial = new;
	eki_lock_give(&t->lock);
	t->made++;
}

/* Returns the candidate that is next: the one with the fewest runs. Returns NULL if all are out or
 * have their runs. */
static eki_trial *fewest_runs(eki_trials *t)
{
	eki_trial *next = NULL;

	if (t->list[0].runs < 2)
		return &t->list[0];
	for (eki_trial *c = t->list; c < t->list + t->count; c++)
		if (!c->out && c->runs < EKI_TRIAL_RUNS && (!next || c->runs < next->runs))
			next = c;
	for (eki_trial *c = t->list + 1; next == t->list && c < t->list + t->count; c++)
		if (!c->out)
			return next;
	return next == t->list ? NULL : next; /* the predicted one need not run alone */
}

/* Returns the candidate that is next, with a plan, or NULL. Gives up those that are too slow, and
 * those that need more than is left. */
static eki_trial *next_trial(ek_plan *p)
{
	eki_trials *t = p->trials;
	eki_trial *next;

	while ((next = fewest_runs(t)) && next != t->list) {
		const double rest = EKI_TRIALS_BUDGET - eki_trials_spent(t);

		if (!next->plan && t->made == EKI_TRIED_MOST)
			give_up(p, next, "as many as are allowed were tried");
		else if (next->runs >= FEWEST && next->least > SLOWER * t->list[0].least)
			give_up(p, next, "it is slower");
		else if (eki_trial_needs(t, next) > rest)
			give_up(p, next,
			        next->runs   ? "more runs would take too long"
			        : next->plan ? "to run it would take too long"
			                     : "to prepare and run it would take too long");
		else if (!next->plan)
			make(p, next);
		else
			return next;
	}
	return next;
}

/* Adds the decision to those that the context remembers, so that a later plan needs no trials. */
static void remember(const ek_plan *p, const eki_trial *best)
{
	eki_trials *t = p->trials;
	eki_decision decision = {.key = t->key, .calls = p->problem.calls};

	snprintf(decision.method, sizeof decision.method, "%s", best->method->name);
	snprintf(decision.format, sizeof decision.format, "%s", best->format);
	const bool lost = eki_wisdom_add(p->ctx, &decision, 1) != EK_OK;

	eki_lock_take(&t->lock);
	t->lost = lost;
	eki_lock_give(&t->lock);
}

/* Ends the trials. `complete` tells whether they came to their end, so that the decision is worth
 * remembering. */
static void decide(ek_plan *p, bool complete)
{
	eki_trials *t = p->trials;
	int best = 0, losers = 0;

	for (int k = 1; k < t->count; k++)
		if (t->list[k].plan && t->list[k].runs >= FEWEST && t->list[0].runs >= FEWEST &&
		    t->list[k].least < (best ? t->list[best].least : FASTER * t->list[0].least))
			best = k;
	if (complete)
		remember(p, &t->list[best]);
	eki_lock_take(&t->lock);
	for (int k = 0; k < t->count; k++)
		if (k != best && t->list[k].plan) {
			t->loser[losers++] = t->list[k].plan;
			t->list[k].plan = NULL;
		}
	atomic_store(&t->current, t->list[best].plan);
	atomic_store(&t->now, best);
	eki_lock_give(&t->lock);
	atomic_store(&t->decided, true);
}

/* Notes the time of a run. A run that cannot be compared with others, since it also took over new
 * values or another thread came in between, only counts as time that was spent. */
static void record(eki_trials *t, eki_trial *trial, bool compares, double ns)
{
	eki_lock_take(&t->lock);
	if (compares) {
		trial->least = trial->runs == 0 ? ns : fmin(trial->least, ns);
		trial->runs++;
	} else if (trial != t->list) {
		trial->prepared += fmax(0, ns - t->list[0].least);
	}
	eki_lock_give(&t->lock);
}

/* Does a run by a candidate; the run counts itself among the arrivals. */
static ek_status try_one(ek_plan *p, eki_trial *trial, const eki_run *run)
{
	eki_trials *t = p->trials;
	const bool fresh = atomic_load(&trial->plan->seen) == eki_latest_state(trial->plan);
	const int64_t arrivals = atomic_load(&t->arrivals), start = eki_now_ns();
	const ek_status status = run_by(p, trial->plan, run);
	const double ns = timing(p, trial->method, false, start);

	if (status == EK_OK)
		record(t, trial, fresh && atomic_load(&t->arrivals) == arrivals, ns);
	else if (trial != t->list)
		give_up(p, trial, "a run of it failed");
	return status == EK_OK || trial == t->list ? status : run_current(p, run);
}

/* Does a run before the decision, in the only thread that may do trials now. */
static ek_status run_or_try(ek_plan *p, const eki_run *run)
{
	eki_trials *t = p->trials;
	const bool like = alike(t, run);
	eki_trial *trial;

	if (t->seen > PATIENCE) {
		decide(p, false);
		return run_current(p, run);
	}
	if (!like || atomic_load(&t->users) > 1)
		return run_current(p, run);
	trial = next_trial(p);
	if (trial)
		return try_one(p, trial, run);
	decide(p, true);
	return run_current(p, run);
}

ek_status eki_trials_run(ek_plan *p, eki_run *run)
{
	eki_trials *t = p->trials;
	int free = 0;
	ek_status status;

	if (atomic_load_explicit(&t->decided, memory_order_acquire))
		return run_current(p, run);
	atomic_fetch_add(&t->users, 1);
	atomic_fetch_add(&t->arrivals, 1);
	if (atomic_compare_exchange_strong(&t->busy, &free, 1)) {
		status = atomic_load(&t->decided) ? run_current(p, run) : run_or_try(p, run);
		atomic_store(&t->busy, 0);
	} else {
		status = run_current(p, run);
	}
	if (atomic_fetch_sub(&t->users, 1) == 1 && atomic_load(&t->decided))
		destroy_losers(p);
	return status;
}
