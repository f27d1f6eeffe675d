/* SPDX-License-Identifier: BSD-3-Clause
 * Trials: the runs of a plan with hints.measure, until the fastest candidate is known. Such a plan
 * holds a plan for each candidate, and passes its runs to one of them; turns.c says which is next.
 * The least time of a candidate counts, since other programs only make a run longer (as in
 * tune/time.c).
 *
 * On a device a trial waits until the queue is empty, before and after the run. A run that fails in
 * the middle may have written y; it is done again by the predicted candidate, so runs that read the
 * y which they write are no trials there. Nothing is read from a sparse C, and one that a failing
 * run was making has no arrays afterwards. If a method of the processor is the fastest, the
 * predicted plan stays too, for vectors in the device's memory.
 *
 * Threads: one thread at a time does a trial, and only it makes and gives up candidates. All other
 * runs use the plan `current`, which changes once, with the decision. Then the plans of the losers
 * are destroyed by the last run that may use one of them. Runs count themselves for that, until
 * they see that the decision has been made.
 *
 * Cost: after the decision, one more look at memory for each run. Source: planners that measure
 * (Frigo and Johnson 2005, FFTW), and tuning at run time (Vuduc, Demmel and Yelick 2005, OSKI). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/pool.h"
#include "plan/plan.h"

enum { PATIENCE = 512 }; /* runs after which there are no more trials */

/* ---- Making ---------------------------------------------------------------------------------- */

ek_status eki_trials_check(const ek_context *ctx, const eki_operation *operation)
{
	if (eki_together(ctx, operation->number))
		return EK_OK;
	if (operation->measured)
		return EK_OK;
	return eki_fail(EK_EUNSUPPORTED,
	                "hints.measure is 1, but plans for operation %s have no trials; those for "
	                "spmv, spmm, dense_spmm and spgemm have",
	                operation->name);
}

static bool is_named(const ek_plan *p, const ek_hints *h)
{
	return (h->method && strcmp(h->method, "auto") != 0) ||
	       eki_forced_of(p->ctx, p->problem.operation->number, p->problem.A[0].op);
}

/* Tells whether runs have vectors or blocks, which may be in the device's memory. */
static bool has_vectors(const ek_plan *p)
{
	return !p->problem.operation->operands;
}

/* If the decision that was found, list[0], is for the processor, in a context with a device, puts
 * the predicted candidate in front if that runs on the device. Returns false if it cannot be made;
 * then there is no decision. */
static bool add_device(ek_plan *p)
{
	eki_trials *t = p->trials;
	eki_trial *known = &t->list[0];

	if (!p->ctx->device || !(known->method->backend & EKI_CPU) || !has_vectors(p))
		return true;
	t->list[1] = *known;
	*known = (eki_trial){0};
	if (eki_candidate_make(p, &t->list[0], &t->hints) != EK_OK) {
		eki_candidate_destroy(p, t->list[1].plan);
		return false;
	}
	if (t->list[0].method->backend & EKI_CPU) {
		eki_candidate_destroy(p, t->list[0].plan);
		t->list[0] = t->list[1];
		return true;
	}
	t->count = 2;
	atomic_store(&t->now, 1);
	return true;
}

/* Tells whether the device has room for runs of a plan. Plans for named methods do not ask. */
static bool has_room(const ek_plan *made)
{
	return made->room <= 0 || eki_device_room(made->ctx, made->room, made->room_array) == EK_OK;
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
	if (eki_candidate_make(p, &t->list[0], &h) != EK_OK)
		return false;
	if (has_room(t->list[0].plan))
		return t->known = add_device(p);
	eki_candidate_destroy(p, t->list[0].plan);
	t->list[0].plan = NULL;
	return false;
}

ek_status eki_trials_make(ek_plan *p, const ek_hints *hints)
{
	const bool named = is_named(p, hints), few = p->problem.calls < EKI_TRIAL_CALLS;
	eki_trials *t;

	EK_RETURN_IF(eki_step_alloc(&p->root, 1, sizeof *t, &t));
	memset(t, 0, sizeof *t);
	EK_RETURN_IF(eki_step_alloc(&p->root, 2, sizeof *t->list, &t->list));
	memset(t->list, 0, 2 * sizeof *t->list);
	t->count = t->made = 1;
	p->trials = t;
	t->hints = *hints;
	t->hints.measure = 0;
	t->hints.unsorted = p->problem.unsorted; /* which hints.measure puts off */
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
	atomic_store(&t->current, t->list[atomic_load(&t->now)].plan);
	atomic_store(&t->decided, t->note || t->known);
	return EK_OK;
}

/* Destroys the losers unless a run may still use one: those that begin once the losers can be seen
 * here use the plan that was decided for. */
static void destroy_losers(ek_plan *p)
{
	eki_trials *t = p->trials;
	ek_plan *loser[EKI_TRIED_MOST] = {0};

	eki_lock_take(&t->lock);
	if (atomic_load(&t->users) == 0) {
		memcpy(loser, t->loser, sizeof loser);
		memset(t->loser, 0, sizeof t->loser);
	}
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

	if (!run->C)
		own.x.data = (char *)run->x.data +
		             entry * ((int64_t)moved(&p->root) - (int64_t)moved(&candidate->root));
	return eki_plan_run(candidate, &own);
}

/* Returns the plan that does runs now: the one in force or, if that is the processor's and a vector
 * is on the device, the predicted one. */
static ek_plan *plan_for(const ek_plan *p, const eki_run *run)
{
	const eki_trials *t = p->trials;
	ek_plan *now = atomic_load(&t->current);

	return (run->x.where || run->y.where) && now->root.method->backend & EKI_CPU
	               ? t->list[0].plan
	               : now;
}

static ek_status run_current(const ek_plan *p, const eki_run *run)
{
	return run_by(p, plan_for(p, run), run);
}

static eki_run_kind kind_of(const eki_run *v)
{
	const bool sparse = v->C != NULL;

	return (eki_run_kind){.width = sparse ? 1 : v->width,
	                      .x_row = v->x.row,
	                      .x_col = v->x.col,
	                      .y_row = v->y.row,
	                      .y_col = v->y.col,
	                      .scales = eki_is(v->beta, 0)                   ? 0
	                                : !sparse && v->y0.data == v->y.data ? 1
	                                                                     : 2,
	                      .x_where = v->x.where,
	                      .y_where = v->y.where,
	                      .known = sparse && v->C->array[CSR_PTR]};
}

/* Begins with runs of a kind. Times of runs of another kind are forgotten. */
static void begin_with(eki_trials *t, const eki_run_kind *kind)
{
	t->kind = *kind;
	eki_lock_take(&t->lock);
	t->list[0].runs = 0;
	eki_lock_give(&t->lock);
}

/* Tells whether a run may be a trial and is like the first of these. A program that makes C once
 * has other runs from then on, so as long as only the predicted candidate has had runs, the first
 * one into an existing C begins anew. */
static bool alike(eki_trials *t, const eki_run *run)
{
	const eki_run_kind kind = kind_of(run);

	t->seen++;
	if (eki_is(run->alpha, 0) || (eki_trials_on_device(t) && kind.scales == 1))
		return false;
	if (!t->kind.width || (t->made == 1 && kind.known > t->kind.known))
		begin_with(t, &kind);
	return memcmp(&kind, &t->kind, sizeof kind) == 0;
}

double eki_trials_timing(const ek_plan *p, const ek_method *method, bool prepares, int64_t start)
{
	const double ns = fmax(1, (double)(eki_now_ns() - start)); /* a coarse clock may say 0 */

	return p->ctx->timing ? p->ctx->timing(method, prepares, ns) : ns;
}

/* ---- Trials ---------------------------------------------------------------------------------- */

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
	const int best = eki_trials_best(t);
	const int kept = eki_trial_beside(t, &t->list[best]) && has_vectors(p) ? 0 : best;
	int losers = 0;

	if (complete)
		remember(p, &t->list[best]);
	eki_lock_take(&t->lock);
	for (int k = 0; k < t->count; k++)
		if (k != best && k != kept && t->list[k].plan) {
			t->loser[losers++] = t->list[k].plan;
			t->list[k].plan = NULL;
		}
	atomic_store(&t->current, t->list[best].plan);
	atomic_store(&t->now, best);
	eki_lock_give(&t->lock);
	atomic_store(&t->decided, true);
}

/* Notes the time of a run. A run that cannot be compared with others, since it also took over new
 * values or another thread came in between, only counts as time that was spent. What a candidate's
 * first run takes longer on a device, where drivers then load or compile its kernels, counts as
 * their time. */
static void record(eki_trials *t, eki_trial *trial, bool compares, double ns)
{
	eki_lock_take(&t->lock);
	t->last = trial;
	if (trial != t->list && !trial->warm && !(trial->method->backend & EKI_CPU)) {
		t->compiled += fmax(0, ns - t->list[0].least);
		trial->warm = true;
	} else if (compares) {
		trial->least = trial->runs == 0 ? ns : fmin(trial->least, ns);
		trial->runs++;
	} else if (trial != t->list) {
		trial->prepared += fmax(0, ns - t->list[0].least);
	}
	eki_lock_give(&t->lock);
}

/* Does a run by a candidate, with an empty queue before and after, and takes the time. */
static ek_status timed_run(const ek_plan *p, const eki_trial *trial, const eki_run *run, double *ns)
{
	EK_RETURN_IF(eki_device_finish(p->ctx));
	const int64_t start = eki_now_ns();

	EK_RETURN_IF(run_by(p, trial->plan, run));
	EK_RETURN_IF(eki_device_finish(p->ctx));
	*ns = eki_trials_timing(p, trial->method, false, start);
	return EK_OK;
}

/* Does a run by a candidate; the run counts itself among the arrivals. */
static ek_status try_one(ek_plan *p, eki_trial *trial, const eki_run *run)
{
	eki_trials *t = p->trials;
	const bool fresh = atomic_load(&trial->plan->seen) == eki_latest_state(trial->plan);
	const int64_t arrivals = atomic_load(&t->arrivals);
	double ns = 0;
	const ek_status status = timed_run(p, trial, run, &ns);

	if (status == EK_OK)
		record(t, trial, fresh && atomic_load(&t->arrivals) == arrivals, ns);
	else if (trial != t->list)
		eki_trial_give_up(p, trial, "a run of it failed");
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
	trial = eki_trials_next(p);
	if (trial)
		return try_one(p, trial, run);
	decide(p, true);
	return run_current(p, run);
}

/* Ends a run that has counted itself. */
static void leave(ek_plan *p)
{
	eki_trials *t = p->trials;

	if (atomic_fetch_sub(&t->users, 1) == 1 && atomic_load(&t->decided))
		destroy_losers(p);
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
	leave(p);
	return status;
}

ek_status eki_trials_scale(ek_plan *p, eki_run *run)
{
	ek_status status;

	atomic_fetch_add(&p->trials->users, 1);
	status = eki_gpu_scale(&plan_for(p, run)->root, run);
	leave(p);
	return status;
}
