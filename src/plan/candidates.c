/* SPDX-License-Identifier: BSD-3-Clause
 * The candidates of a plan with hints.measure, and what trials of them cost. They come from the
 * table of predictions of the plan that the library chose. Each is made by name, as a caller would
 * make it, so a decision that names method and format leads to the same plan in a later program.
 *
 * If the predicted candidate runs on a device, there are more. One is the method that would be
 * chosen without the device. Others are those that take long to prepare, such as copies in another
 * format, or that have no prediction at all. They come last, and may take a part of all announced
 * calls: predictions for devices come from one GPU, and on another one these methods may win by
 * far. On the processor, methods without a prediction are tried if they may be the fastest for this
 * problem, within the limit of all.
 *
 * Products of sparse matrices take their operands in csr, so candidates differ in their methods
 * only. Each has copies of its own of the operands that are stored otherwise.
 *
 * Costs are counted in products of the predicted candidate. How long a preparation takes is found
 * from the method's own cost function, as in plan/predict.c: the part that shrinks with the number
 * of announced calls. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plan/plan.h"

/* Candidates whose predicted time is more than this times the least one are not tried: predictions
 * are rarely wrong by so much. Those for devices were fitted on one GPU. */
#define NEAR           1.5
#define NEAR_ON_DEVICE 3

enum {
	/* Products that the preparation of a method without a prediction is assumed to take. Those
	 * for sparse results bound the entries of each row, which takes less than a product. */
	UNKNOWN = 40,
	UNKNOWN_SPARSE = 1,
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

/* Tells whether a plan multiplies sparse matrices with each other. */
static bool is_sparse(const ek_plan *plan)
{
	return plan->problem.operation->operands != NULL;
}

/* Tells whether the chosen plan has a copy of A in the format that the hints ask for. Each
 * candidate then makes such a copy. */
static bool copies(const ek_plan *chosen, const ek_hints *h)
{
	return h->format && !is_sparse(chosen) && chosen->own[0].format && !chosen->own[0].borrowed;
}

/* Predicts the time of copying operands, as long as that of transposing them. */
static double copies_of_operands(const ek_plan *chosen)
{
	const eki_machine *m = chosen->ctx->machine;
	double time = 0;

	for (int k = 0; k < EKI_MAX_MATRICES; k++) {
		const ek_store *own = &chosen->own[k];

		if (own->format && !(own->borrowed >> CSR_VAL & 1))
			time += m->transpose_entry * (double)own->nnz +
			        m->transpose_column * (double)own->cols;
	}
	return time;
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

/* Sets the predictions of a candidate in a table. `product` is the predicted time of a product. */
static void predict(const ek_plan *chosen, const eki_selection *s, const ek_hints *h,
                    const eki_candidate *c, double product, eki_trial *trial)
{
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
	if (is_sparse(chosen)) {
		trial->copies = copies_of_operands(chosen);
		return;
	}
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

/* Inserts a trial behind the first `least`, by predicted time. */
static void insert(eki_trials *t, int least, const eki_trial *new)
{
	int at = t->count++;

	for (; at > least && t->list[at - 1].predicted > new->predicted; at--)
		t->list[at] = t->list[at - 1];
	t->list[at] = *new;
}

/* Describes a candidate in a table of predictions. `best` is the predicted one in its table. */
static eki_trial trial_of(const ek_plan *p, const eki_selection *s, const eki_candidate *c,
                          const eki_candidate *best)
{
	const eki_trials *t = p->trials;
	const char *held = p->problem.A[0].M->transposed ? "csc" : "csr";
	eki_trial new = {.method = c->method, .converted = c->share > 0};
	ek_store layout = {.format = c->method->format[0]};

	memcpy(layout.dim, c->dim, sizeof layout.dim);
	if (new.converted)
		eki_format_text(&layout, new.format, sizeof new.format);
	else
		snprintf(new.format, sizeof new.format, "%s",
		         best->share > 0 ? held : t->list[0].format);
	if (!c->method->cost) {
		new.late = eki_trials_on_device(t);
		new.predicted = t->list[0].predicted;
		new.prepares = new.predicted *(is_sparse(p) ? UNKNOWN_SPARSE : UNKNOWN);
		if (is_sparse(p))
			new.copies = copies_of_operands(t->list[0].plan);
		return new;
	}
	predict(t->list[0].plan, s, &t->hints, c, t->list[0].predicted, &new);
	return new;
}

/* Adds those of the candidates near the best that are to be late or, if `late` is false, the
 * others. */
static void add_near(ek_plan *p, const eki_candidate *best, bool late)
{
	eki_trials *t = p->trials;
	const eki_selection *s = t->list[0].plan->selection;
	const double most = eki_trials_on_device(t) ? NEAR_ON_DEVICE : NEAR;
	const int least = t->count;

	for (const eki_candidate *c = s->list; c < s->list + s->count; c++) {
		eki_trial new = trial_of(p, s, c, best);
		const bool is_near = new.predicted <= most * t->list[0].predicted;

		new.late =
			eki_trials_on_device(t) &&
			new.prepares + new.copies > (EKI_TRIALS_BUDGET - 1) * t->list[0].predicted;
		if (new.late == late && is_near &&c != best)
			insert(t, least, &new);
	}
}

/* Adds the method that would be chosen if the context had no device. Adds none if there is no
 * memory to find it. */
static void add_processor(ek_plan *p, const eki_candidate *best)
{
	eki_trials *t = p->trials;
	const bool as_chosen = t->hints.format || is_sparse(p);
	eki_step step = as_chosen ? t->list[0].plan->chosen : p->root;
	eki_selection *s = NULL;
	eki_choice choice;

	step.plan = p;
	step.backend = EKI_CPU;
	if (!is_sparse(p))
		step.bytes = eki_moved_bytes(&p->problem, step.in[0]);
	if (eki_select(&step, !as_chosen, &choice, &s) != EK_OK)
		return;
	for (const eki_candidate *c = s->list; c < s->list + s->count; c++)
		if (c->method == choice.method) {
			t->list[t->count++] = trial_of(p, s, c, best);
			return;
		}
}

/* Tells whether a method has no prediction, but is worth a trial. */
static bool tried_last(const ek_plan *chosen, const ek_method *m)
{
	const eki_selection *s = chosen->selection;
	const eki_step *step = &chosen->chosen;
	const ek_store *A =
		step->in[0]->format == s->format ? step->in[0] : &chosen->problem.A[0].M->store;

	return m->traits & EKI_TRIED && m->operation == chosen->problem.operation->number &&
	       m->backend & chosen->root.method->backend && eki_can_run(chosen->ctx, m) &&
	       m->format[0] == s->format && ek_method_supports(m, step->op[0], EK_REPRO_RUN) &&
	       (!m->applies || m->applies(A, step->op[0])) &&
	       (!m->worth_trial || m->worth_trial(step)) &&
	       (!m->memory || m->memory(&s->f) <= s->f.memory);
}

/* Counts the methods without predictions that are worth a trial, and adds them if `best` is not
 * NULL. */
static int unknown(ek_plan *p, const eki_candidate *best)
{
	eki_trials *t = p->trials;
	const ek_plan *chosen = t->list[0].plan;
	const ek_method *m;
	int count = 0;

	for (size_t k = 0; (m = eki_method(k)); k++) {
		const eki_candidate c = {.method = m};

		if (!tried_last(chosen, m))
			continue;
		if (best)
			t->list[t->count++] = trial_of(p, chosen->selection, &c, best);
		count++;
	}
	return count;
}

ek_status eki_candidates_list(ek_plan *p)
{
	eki_trials *t = p->trials;
	const ek_plan *chosen = t->list[0].plan;
	const eki_selection *s = chosen->selection;
	const eki_candidate *best = s ? chosen_one(chosen) : NULL;
	eki_trial *first = t->list;

	if (!best) {
		t->note = "no predictions, so no method to compare with";
		return EK_OK;
	}
	EK_RETURN_IF(eki_step_alloc(&p->root, 2 + s->count + unknown(p, NULL), sizeof *t->list,
	                            &t->list));
	t->list[0] = *first;
	predict(chosen, s, &t->hints, best, best->run, &t->list[0]);
	add_near(p, best, false);
	if (eki_trials_on_device(t)) {
		add_processor(p, best);
		add_near(p, best, true);
	}
	unknown(p, best);
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

/* Calls `each` for all matrices of a problem. */
static void for_matrices(const eki_problem *problem, void (*each)(const ek_matrix *))
{
	for (int k = 0; k < EKI_MAX_MATRICES; k++)
		if (problem->A[k].M)
			each(problem->A[k].M);
}

ek_status eki_candidate_make(ek_plan *p, eki_trial *trial, const ek_hints *hints)
{
	const eki_problem *problem = &p->problem;
	ek_plan *made = NULL;
	ek_status status;

	EK_TRY(eki_plan_make(problem->operation, problem->A[0].M, hints, &made));
	if (hints->method && p->trials->hints.method != hints->method)
		eki_candidate_reason(&made->why, "times of runs"); /* the caller named none */
	/* Only the plan with the trials counts as a holder of the matrices, since that is what the
	 * caller sees. */
	for_matrices(problem, eki_matrix_drop);
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
	for_matrices(&of->problem, eki_matrix_hold);
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
	/* Predictions for processor and device are not on one scale, so the processor's is compared
	 * with a time that was measured. So are copies of operands, which the machine's profile
	 * predicts, since predicted times of sparse products may be wrong by far. */
	const double product = eki_trial_beside(t, trial) ? t->list[0].least : t->list[0].predicted;
	const double first = fmax(1, trial->predicted / product - 1);

	if (trial->runs)
		return excess(t, trial);
	return trial->plan ? first
	                   : first + trial->prepares / product +
	                             (trial->copies + PLAN_NS) / t->list[0].least;
}

double eki_trial_limit(const ek_plan *p, const eki_trial *trial)
{
	const double few = EKI_TRIALS_BUDGET, part = (double)p->problem.calls / EKI_LATE_CALLS;

	return trial->late ? fmax(few, part) : few;
}
