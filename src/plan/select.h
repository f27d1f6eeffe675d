/* SPDX-License-Identifier: BSD-3-Clause
 * Chooses a method and a format by predicted time (select.c, features.c, explain.c). Part of
 * plan/plan.h. */
#ifndef EK_PLAN_SELECT_H
#define EK_PLAN_SELECT_H

/* Products that a copy of the columns takes, which then start at 0. */
enum { EKI_COPY_COLUMNS = 2 };

/* The predictions for a method. `run` is the time of one run in nanoseconds; it includes the time
 * of what the method itself prepares, divided by the expected calls. If A must be converted to the
 * method's format, `share` is the time of the conversion in nanoseconds, divided by the expected
 * calls. `bytes` and `dim` are then the size of the format's arrays and the parameters of the
 * format. */
typedef struct eki_candidate {
	const ek_method *method;
	double run, share;
	int64_t bytes, dim[EKI_MAX_DIMS];
} eki_candidate;

/* All candidates, in the order of the table of methods, and the features on which the predictions
 * are based. */
struct eki_selection {
	eki_features f;
	const ek_format *format; /* format of A when the library chose */
	/* whether methods of the context's device were left out because none has a prediction */
	bool untimed;
	int count;
	eki_candidate list[];
};
/* Writes the table of candidates, which a plan of `ctx` has, as text. Returns the length of the
 * text, like snprintf. */
size_t eki_selection_text(const ek_context *ctx, const eki_selection *s, char *text, size_t size);

/* A method and the format that it multiplies with. `dim` has the parameters to request for the
 * format. */
typedef struct eki_choice {
	const ek_method *method;
	const ek_format *format;
	int64_t dim[EKI_MAX_DIMS];
} eki_choice;

/* Chooses the method and the format with the shortest predicted time among those that can do the
 * step's work. The format is that of step->in[0]. If this is CSR and `formats` is true, other
 * formats are considered too. Their time includes that of the conversion, divided by the expected
 * calls. What the choice takes besides A is limited by the memory of the problem. If `why` is not
 * NULL, sets *why to the table of candidates, which lives as long as the plan. */
ek_status eki_select(eki_step *step, bool formats, eki_choice *choice, eki_selection **why);
/* Predicts the time of a step with a method that has `cost`, in nanoseconds: *run as in
 * eki_candidate, and *share of converting step->in[0] to the store `with`, which the method
 * multiplies with; only the layout of that store is read. *share is 0 if the two are the same. */
ek_status eki_predict(const eki_step *step, const ek_store *with, double *run, double *share);
/* Finds the features of the matrix of a step. `memory` is the number of bytes that a choice may
 * take besides A. */
ek_status eki_step_features(const eki_step *step, double memory, eki_features *f);
/* Returns the shortest time that a method of `backend` predicts for an operation on the matrix of
 * `f`, or INFINITY if none predicts any. For steps whose children will do that operation. */
double eki_least_cost(const eki_features *f, ek_operation operation, unsigned backend);
/* Returns the only method that can do the step's work with a format, or NULL if there are several
 * or none. */
const ek_method *eki_only_method(const eki_step *step, const ek_format *format);

#endif
