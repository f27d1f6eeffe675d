/* SPDX-License-Identifier: BSD-3-Clause
 * The candidates of a plan with hints.measure, and what trials of them cost. They come from the
 * table of predictions of the plan that the library chose. Each is made by name, as a caller would
 * make it, so a decision that names method and format leads to the same plan in a later program.
 *
 * Costs are counted in products of the predicted candidate. How long a preparation takes is found
 * from the method's own cost function, as in plan/predict.c: the part that shrinks with the number
 * of announced calls. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plan/plan.h"

/* Candidates whose predicted time is more than this times the least one are not tried: predictions
 * are rarely wrong by so much. */
#define NEAR 1.5

enum {
	/* Nanoseconds that making a plan takes besides what its method prepares (measured: 2 to 4
	 * microseconds in cache, 20 where new pages were touched). */
	PLAN_NS = 10000
};

/* ---- Predictions ----------------------------------------------------------------------------- */

/* Returns the part of a predicted time that is the method's preparation, not divided by the
 * calls. */
static double own_preparation(const ek_method *m, eki_features f)
{
	const double calls = (double)f.calls, once = m->cost(&f);

	f.calls = eki_times(f.calls, 2);
	return fmax(0, (once - m->cost(&f)) * 2 * calls);
}

/* Tells whether the chosen plan has a copy of A in the format that the hints ask for. Each
 * candidate then makes such a copy. */
static bool copies(const ek_plan *chosen, const ek_hints *h)
{
	return h->format && chosen->own[0].format && !chosen->own[0].borrowed;
}

/* Returns the time that the first run takes to bring A to the cache, if only the chosen plan's copy
 * of A is there. */
static double cold(const eki_selection *s)
{
	const eki_machine *m = s->f.machine;
	const double all =
		m->memory_all_gbps > 0 ? m->memory_all_gbps : s->f.threads * m->memory_gbps;

	return s->f.strict ? 0
	                   : eki_held(s->f.csr_bytes, m->cache_bytes) * s->f.csr_bytes /
	                             (s->f.threads > 1 ? all : m->memory_gbps);
}

/* Sets the predictions of a candidate. `product` is the predicted time of a product. */
static void predict(const ek_plan *chosen, const ek_hints *h, const eki_candidate *c,
                    double product, eki_trial *trial)
{
	const eki_selection *s = chosen->selection;
	const ek_store *A = &chosen->problem.A[0].M->store;
	const unsigned can = chosen->root.op[0] == EK_OP_T ? EKI_BASE1_T : EKI_BASE1_N;
	const ek_format *format = s->format;
	const bool as_chosen = c->method == chosen->root.method;
	eki_features f = s->f;

	if (c->share > 0) { /* the predicted time is that of a store which does not exist yet */
		trial->predicted = c->run;
		trial->prepares = c->share * (double)f.calls;
		return;
	}
	f.store = format == &ek_format_csr ? NULL : copies(chosen, h) ? &chosen->own[0] : A;
	trial->prepares = own_preparation(c->method, f);
	trial->predicted = c->run - trial->prepares / (double)f.calls;
	if (chosen->own[0].format && !chosen->own[0].borrowed && !as_chosen)
		trial->prepares += cold(s);
	if (copies(chosen, h))
		trial->prepares +=
			format->convert.products > 0
				? format->convert.products * product + 1e3 * format->convert.us
				: INFINITY;
	else if (A->base && !(c->method->traits & can))
		trial->prepares += EKI_COPY_COLUMNS * product;
}

/* ---- The list -------------------------------------------------------------------------------- */

static const eki_candidate *chosen_one(const ek_plan *chosen)
{
	const eki_selection *s = chosen->selection;

	for (int k = 0; k < s->count; k++)
		if (s->list[k].method == chosen->root.method)
			return &s->list[k];
	return NULL;
}

/* Inserts a trial behind the first, by predicted time. */
static void insert(eki_trials *t, const eki_trial *new)
{
	int at = t->count++;

	for (; at > 1 && t->list[at - 1].predicted > new->predicted; at--)
		t->list[at] = t->list[at - 1];
	t->list[at] = *new;
}

ek_status eki_candidates_list(ek_plan *p)
{
	eki_trials *t = p->trials;
	const ek_plan *chosen = t->list[0].plan;
	const eki_selection *s = chosen->selection;
	const eki_candidate *best = s ? chosen_one(chosen) : NULL;
	const char *held = p->problem.A[0].M->transposed ? "csc" : "csr";
	eki_trial *first = t->list;

	if (!best) {
		t->note = "no predictions, so no method to compare with";
		return EK_OK;
	}
	EK_RETURN_IF(eki_step_alloc(&p->root, 1 + s->count, sizeof *t->list, &t->list));
	t->list[0] = *first;
	predict(chosen, &t->hints, best, best->run, &t->list[0]);
	for (const eki_candidate *c = s->list; c < s->list + s->count; c++) {
		eki_trial new = {.method = c->method, .converted = c->share > 0};
		ek_store layout = {.format = c->method->format[0]};

		if (c == best)
			continue;
		memcpy(layout.dim, c->dim, sizeof layout.dim);
		if (new.converted)
			eki_format_text(&layout, new.format, sizeof new.format);
		else
			snprintf(new.format, sizeof new.format, "%s",
			         best->share > 0 ? held : t->list[0].format);
		predict(chosen, &t->hints, c, t->list[0].predicted, &new);
		if (new.predicted <= NEAR * t->list[0].predicted)
			insert(t, &new);
	}
	if (t->count == 1)
		t->note = "no other method is predicted to be near";
	return EK_OK;
}

/* ---- Plans ----------------------------------------------------------------------------------- */

void eki_candidate_reason(eki_text *why, const char *reason)
{
	static const char named[] = "asked for by name";
	const size_t from = sizeof named - 1, to = strlen(reason);

	if (!why->data || strncmp(why->data, named, from) != 0)
		return;
	memcpy(why->data, reason, to);
	memmove(why->data + to, why->data + from, (size_t)why->used - from + 1);
	why->used -= (int64_t)(from - to);
}

ek_status eki_candidate_make(ek_plan *p, eki_trial *trial, const ek_hints *hints)
{
	const eki_problem *problem = &p->problem;
	const ek_matrix *A = problem->A[0].M;
	ek_plan *made = NULL;
	ek_status status;

	EK_TRY(eki_plan_make(problem->operation, A, hints, &made));
	if (hints->method && p->trials->hints.method != hints->method)
		eki_candidate_reason(&made->why, "times of runs"); /* the caller named none */
	/* Only the plan with the trials counts as a holder of A, since that is what the caller
	 * sees. */
	eki_matrix_drop(A);
	trial->method = made->root.method;
	trial->bytes = made->root.bytes;
	snprintf(trial->format, sizeof trial->format, "%s", made->format);
	snprintf(trial->parameters, sizeof trial->parameters, "%s", made->parameters);
	trial->plan = made;
	return EK_OK;
done:
	ek_plan_destroy(made);
	return status;
}

void eki_candidate_destroy(ek_plan *of, ek_plan *plan)
{
	if (!plan)
		return;
	eki_matrix_hold(of->problem.A[0].M);
	ek_plan_destroy(plan);
}

/* ---- Costs ----------------------------------------------------------------------------------- */

/* Returns how many products a run of a candidate takes more than a product does. */
static double excess(const eki_trials *t, const eki_trial *trial)
{
	return fmax(0, trial->least / t->list[0].least - 1);
}

double eki_trials_spent(const eki_trials *t)
{
	double spent = 0;

	for (int k = 1; k < t->count; k++) {
		spent += t->list[k].prepared / t->list[0].least;
		if (t->list[k].runs)
			spent += t->list[k].runs * excess(t, &t->list[k]);
	}
	return spent;
}

double eki_trial_needs(const eki_trials *t, const eki_trial *trial)
{
	const double product = t->list[0].predicted;

	const double first = fmax(1, trial->predicted / product - 1);

	if (trial->runs)
		return excess(t, trial);
	return trial->plan ? first : first + trial->prepares / product + PLAN_NS / t->list[0].least;
}
