/* SPDX-License-Identifier: BSD-3-Clause
 * Plans with hints.measure: their candidates are plans of their own, which do the runs in turn
 * until the fastest is known (trials.c, turns.c, candidates.c, trials_report.c). Part of
 * plan/plan.h. */
#ifndef EK_PLAN_TRIALS_H
#define EK_PLAN_TRIALS_H

#include "plan/wisdom.h"

enum {
	EKI_TRIED_MOST = 4,   /* methods that are tried, with the predicted one */
	EKI_TRIAL_RUNS = 6,   /* runs of each; the least time counts */
	EKI_TRIAL_CALLS = 64, /* announced calls from which on there are trials */
	EKI_LATE_CALLS = 16   /* of so many announced calls, late candidates may take one */
};

/* A candidate. `plan` is NULL before it is made and after it was given up. Times are in
 * nanoseconds. */
typedef struct eki_trial {
	const ek_method *method;
	char format[96]; /* the format that the plan multiplies with, as in hints.format */
	bool converted;  /* whether `format` is wanted, not what the caller's hints lead to */
	bool late;       /* on a device: whether it has another limit, and comes after the others */
	double predicted; /* predicted time of a run, without preparation */
	double prepares;  /* predicted time of the preparation */
	double copies; /* for sparse products: time of copying operands, by the machine's profile */
	int64_t bytes; /* bytes that a run moves */
	char parameters[EK_PARAMETERS_TEXT]; /* those of the plan */
	ek_plan *plan;
	bool warm;       /* on a device: whether it has had a run before those that count */
	int runs;        /* runs whose time was taken */
	double least;    /* the least of their times */
	double prepared; /* measured time of the preparation */
	const char *out; /* why it was given up, or NULL */
} eki_trial;

/* What runs must have in common to be compared. */
typedef struct eki_run_kind {
	int64_t width, x_row, x_col, y_row, y_col;
	int64_t scales; /* 0 if beta is 0, 1 if it is not, 2 if y0 is another block than y */
	int64_t x_where, y_where;
	int64_t known; /* 1 if the run writes values of a C that exists; its width is 1 */
} eki_run_kind;

typedef struct eki_trials {
	ek_hints hints; /* the caller's, without `measure`; hints.format is `wanted` or NULL */
	char wanted[EKI_WISDOM_WORD];
	/* The first is the predicted one, the others ascend by predicted time. On a device the
	 * processor's candidate and the late ones follow. */
	eki_trial *list;
	int count;
	const eki_trial *last; /* candidate that had a trial last */
	int made;              /* candidates that were prepared */
	double compiled;       /* nanoseconds for which kernels were compiled and loaded */
	const char *note;      /* why there are no trials, or NULL */
	bool remembers; /* whether `key` is that of the plan, and the decision is to be kept */
	bool known;     /* whether the decision was found, not measured */
	bool lost;      /* whether there was no memory to keep it */
	eki_wisdom_key key;
	eki_run_kind kind; /* that of runs that are trials; its width is 0 before the first */
	int64_t seen;      /* runs before the decision */
	/* Guards what queries read: plans, times and reasons of the candidates. */
	eki_lock lock;
	ek_plan *_Atomic current; /* plan of the candidate `now` */
	_Atomic int now;
	_Atomic bool decided;
	_Atomic int busy; /* 1 while a thread does a trial */
	/* Runs that may use a plan which the decision gives up: those that are now in progress, and
	 * all that have begun. */
	_Atomic int64_t users, arrivals;
	ek_plan *loser[EKI_TRIED_MOST]; /* plans to destroy once `users` is 0 */
} eki_trials;

/* Refuses hints.measure where it is not supported. */
ek_status eki_trials_check(const ek_context *ctx, const eki_operation *operation);
/* Makes plan->trials and the predicted candidate. `hints` are the caller's. */
ek_status eki_trials_make(ek_plan *plan, const ek_hints *hints);
void eki_trials_free(ek_plan *plan);
/* Does a run of a plan with trials. */
ek_status eki_trials_run(ek_plan *plan, eki_run *run);
/* Computes y = beta y0 for a y on the device. Never a trial. */
ek_status eki_trials_scale(ek_plan *plan, eki_run *run);
/* Returns the nanoseconds since `start`, or what a test says that a method took. */
double eki_trials_timing(const ek_plan *plan, const ek_method *method, bool prepares,
                         int64_t start);

/* Makes a plan for an operation that has a row and for hints that ek_plan_create has checked. Its
 * matrices may have been destroyed by the caller, if another plan holds them (plan.c). */
ek_status eki_plan_make(const eki_operation *operation, const ek_matrix *A, const ek_hints *hints,
                        ek_plan **plan);

/* ---- turns.c --------------------------------------------------------------------------------- */

/* Returns the candidate whose turn it is, with a plan, or NULL if there are no more trials. Gives
 * up those that are too slow, and those that need more than is left. */
eki_trial *eki_trials_next(ek_plan *plan);
void eki_trial_give_up(ek_plan *plan, eki_trial *trial, const char *why);
/* Returns the number of the candidate that is the fastest by what is known so far. */
int eki_trials_best(const eki_trials *t);

/* ---- candidates.c ---------------------------------------------------------------------------- */

/* Lists the candidates besides list[0], the plan that the library chose by prediction. */
ek_status eki_candidates_list(ek_plan *plan);
/* Makes the plan of a candidate. `hints` are those of the trials, with method and format. */
ek_status eki_candidate_make(ek_plan *plan, eki_trial *trial, const ek_hints *hints);
/* Replaces "asked for by name" at the beginning of a plan's reasons by a reason that is not
 * longer. */
void eki_candidate_reason(eki_text *why, const char *reason);
void eki_candidate_destroy(ek_plan *of, ek_plan *plan);
/* Returns the time that trials have taken, in products, over that of the predicted candidate. */
double eki_trials_spent(const eki_trials *t);
/* Returns how much of that the next trial of a candidate takes. */
double eki_trial_needs(const eki_trials *t, const eki_trial *trial);

/* Returns how many products trials may have taken when one of this candidate ends. */
double eki_trial_limit(const ek_plan *plan, const eki_trial *trial);
/* Tells whether the predicted candidate runs on the context's device. */
static inline bool eki_trials_on_device(const eki_trials *t)
{
	return !(t->list[0].method->backend & EKI_CPU);
}
/* Tells whether a candidate is the processor's, beside a predicted one on the device. */
static inline bool eki_trial_beside(const eki_trials *t, const eki_trial *trial)
{
	return eki_trials_on_device(t) && (trial->method->backend & EKI_CPU);
}

/* ---- trials_report.c ------------------------------------------------------------------------- */

enum { EKI_TRIALS_BUDGET = 3 }; /* products that trials may take, without late candidates */

/* Returns the candidate that the plan has so far; only its constant members may be read. */
static inline const eki_trial *eki_trials_now(const ek_plan *plan)
{
	return &plan->trials->list[atomic_load(&plan->trials->now)];
}
int64_t eki_trials_memory(const ek_plan *plan);
ek_status eki_trials_explain(const ek_plan *plan, char *text, size_t size);
ek_status eki_trials_predict(const ek_plan *plan, int64_t calls, ek_prediction *prediction);

#endif
