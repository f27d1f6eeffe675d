/* SPDX-License-Identifier: BSD-3-Clause
 * The choice by learned rules, which hints.method = "learned" asks for, as in SMAT (Li, Tan, Chen
 * and Sun 2013; Liu 2015, section 5.3.3): rules over features of the matrix that were learned
 * off-line from the times of measured matrices (bench/learn.py). Each rule has a confidence. Where
 * that of the rule that fits is high its method is taken, else runs are measured, as with
 * hints.measure.
 *
 * Exactly one rule fits each matrix. Its confidence is (near + 1) / (cases + 2), where `near` of
 * `cases` training cases that it covers had this method within 20 % of the fastest one (the
 * estimate of Laplace, as in C5.0). Rules stand for the machine that they were learned on, which
 * the table names, and for op N on CSR with the types and numbers of threads that it lists; all
 * else is measured. hints.memory is no limit for a rule's method, as for any that is named.
 *
 * Cost: some products, most of it to count diagonals, so that nothing is asked with few calls. */
#include <stdio.h>
#include <string.h>

#include "plan/plan.h"

/* Rules below this confidence are not trusted. */
#define SURE 0.8

enum {
	MOST_CONDITIONS = 12,
	FEWEST_CALLS = 8 /* with fewer, finding the features costs more than a choice can gain */
};

/* A feature is above a number, or not. */
typedef struct condition {
	int feature; /* EKI_LEARN_none behind the last condition */
	bool above;
	double than;
} condition;

typedef struct rule {
	const char *method;
	int near, cases;
	condition when[MOST_CONDITIONS + 1];
} rule;

#define ABOVE(feature, number)                    \
	{                                         \
		EKI_LEARN_##feature, true, number \
	}
#define UP_TO(feature, number)                     \
	{                                          \
		EKI_LEARN_##feature, false, number \
	}
#define LEARNED_ON(value, index, threads)
#define RULE(method, near, cases, ...) {"spmv." method, near, cases, {__VA_ARGS__}},
static const rule rules[] = {
#include "plan/learned.def"
};
#undef LEARNED_ON
#undef RULE
enum { RULES = sizeof rules / sizeof *rules };

/* What training cases had. */
typedef struct training {
	ek_value value;
	ek_index index;
	int threads;
} training;

#define LEARNED_ON(value, index, threads) {EK_##value, EK_##index, threads},
#define RULE(method, near, cases, ...)
static const training trainings[] = {
#include "plan/learned.def"
};
#undef LEARNED_ON
#undef RULE
enum { TRAININGS = sizeof trainings / sizeof *trainings };

static const char *const feature_name[EKI_LEARN_FEATURES] = {
	"",
#define FEATURE(name, text) #name,
#include "plan/learn_features.def"
#undef FEATURE
};

/* ---- Rules ----------------------------------------------------------------------------------- */

static double confidence(const rule *r)
{
	return (r->near + 1.) / (r->cases + 2.);
}

static bool fits(const rule *r, const double *feature)
{
	for (const condition *c = r->when; c->feature != EKI_LEARN_none; c++)
		if ((feature[c->feature] > c->than) != c->above)
			return false;
	return true;
}

static const rule *rule_for(const double *feature)
{
	for (const rule *r = rules; r < rules + RULES; r++)
		if (fits(r, feature))
			return r;
	return NULL;
}

/* ---- What ek_plan_explain says --------------------------------------------------------------- */

/* Says which rule fits, with its confidence, and the features. */
static ek_status say(eki_step *step, const rule *r, const double *feature)
{
	EK_RETURN_IF(eki_step_say(step, "         rule %d of %d: ", (int)(r - rules) + 1, RULES));
	for (const condition *c = r->when; c->feature != EKI_LEARN_none; c++)
		EK_RETURN_IF(eki_step_say(step, "%s%s %s %.6g", c == r->when ? "" : ", ",
		                          feature_name[c->feature],
		                          c->above ? ">" : "<=", c->than));
	EK_RETURN_IF(eki_step_say(step,
	                          ": %s, within 20 %% of the fastest in %d of %d cases: "
	                          "confidence %.0f %%\n         features",
	                          r->method, r->near, r->cases, 100 * confidence(r)));
	for (int k = 1; k < EKI_LEARN_FEATURES; k++)
		EK_RETURN_IF(eki_step_say(step, " %s=%.9g", feature_name[k], feature[k]));
	return eki_step_say(step, "\n");
}

/* ---- Plans ----------------------------------------------------------------------------------- */

bool eki_learned_wanted(const ek_hints *hints)
{
	return hints->method && strcmp(hints->method, "learned") == 0;
}

static ek_status check(const eki_operation *operation, const ek_matrix *A, const ek_hints *hints)
{
	if (operation->number != EK_SPMV)
		return eki_fail(EK_EUNSUPPORTED,
		                "hints.method is learned, but operation %s has no learned rules; "
		                "spmv has",
		                operation->name);
	if (A->ctx->device)
		return eki_fail(EK_EUNSUPPORTED, "hints.method is learned, but the context has a "
		                                 "device, and the rules are for processors");
	if (hints->reproducible == EK_REPRO_STRICT)
		return eki_fail(EK_EINVAL,
		                "hints.method is learned and hints.reproducible EK_REPRO_STRICT; "
		                "rules do not look at reproducibility, so only one of the two is "
		                "expected");
	return EK_OK;
}

/* Returns why no rule can be for a problem, or NULL. */
static const char *beyond(const ek_matrix *A, const ek_hints *hints)
{
	const bool turned = (hints->op == EK_OP_T) != A->transposed;

	return hints->format                                 ? "a format was asked for"
	       : A->store.format != &ek_format_csr           ? "A is not in csr"
	       : turned                                      ? "the rules are for op N of rows"
	       : hints->calls && hints->calls < FEWEST_CALLS ? "too few calls are announced"
	       : A->store.nnz == 0                           ? "A has no entries"
	                                                     : NULL;
}

/* Returns what no training case had, or NULL. */
static const char *unseen(const ek_store *csr, int threads)
{
	bool value = false, index = false;

	for (const training *t = trainings; t < trainings + TRAININGS; t++) {
		const bool same = t->value == csr->value;

		if (same && t->index == csr->index && t->threads == threads)
			return NULL;
		value = value || same;
		index = index || (same && t->index == csr->index);
	}
	return !value   ? "no rule was learned with this type of values"
	       : !index ? "no rule was learned with this width of indices"
	                : "no rule was learned with this number of threads";
}

/* Tells whether a method just cannot be used for this matrix, so that others should be tried. */
static bool cannot(ek_status status)
{
	return status == EK_EUNSUPPORTED || status == EK_ELIMIT || status == EK_ENOMEM ||
	       status == EK_EOVERFLOW;
}

/* Makes a plan whose runs are measured. `why` says why no rule decided. */
static ek_status make_measured(const eki_operation *operation, const ek_matrix *A,
                               const ek_hints *hints, const char *why, ek_plan **plan)
{
	ek_hints h = *hints;

	h.method = NULL;
	h.measure = 1;
	EK_RETURN_IF(eki_plan_make(operation, A, &h, plan));
	return eki_step_say(&(*plan)->root, "no learned rule decides: %s\n", why);
}

ek_status eki_learned_make(const eki_operation *operation, const ek_matrix *A,
                           const ek_hints *hints, ek_plan **plan)
{
	const char *why = beyond(A, hints);
	const int threads = hints->threads ? hints->threads : A->ctx->threads;
	double feature[EKI_LEARN_FEATURES];
	const rule *r = NULL;
	ek_plan *made = NULL;
	ek_hints h = *hints;
	ek_status status;

	EK_TRY(check(operation, A, hints));
	if (!why) { /* bench/learn.py takes features from here also where nothing was learned yet */
		if (eki_learn_features(A->ctx, &A->store, h.calls ? h.calls : 1000, threads,
		                       feature) == EK_OK)
			r = rule_for(feature);
		why = r ? unseen(&A->store, threads) : "the features cannot be found";
	}
	if (!why && confidence(r) >= SURE) {
		h.method = r->method;
		status = eki_plan_make(operation, A, &h, &made);
		if (status == EK_OK)
			eki_candidate_reason(&made->why, "a learned rule");
		else if (!cannot(status))
			goto done;
		else
			why = "the method of the rule cannot be used here";
	}
	if (!made)
		EK_TRY(make_measured(operation, A, hints, why ? why : "the confidence is too low",
		                     &made));
	if (r)
		EK_TRY(say(&made->root, r, feature));
	*plan = made;
	return EK_OK;
done:
	ek_plan_destroy(made);
	return status;
}
