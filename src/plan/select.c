/* SPDX-License-Identifier: BSD-3-Clause
 * Chooses a method and a format. Each method that can do the work predicts its time from a few
 * features of the pattern, and the one with the shortest time is chosen. ek_plan_explain shows the
 * table of predictions.
 *
 * If A is in CSR, other formats are candidates too. Their time is that of a run, plus the time of
 * the conversion divided by the expected calls. The bytes of a format, including padding, are known
 * only after its layout has been computed, which takes as long as a few products. So the layout is
 * computed only if there are enough calls to make up for that time, and if the format would win
 * without padding (ELL: with what the longest row says). */
#include <math.h>
#include <string.h>

#include "plan/plan.h"

/* Conversions that take more products than this are considered last. */
enum { LONG = 20 };

typedef struct selection {
	const eki_step *step;
	ek_store csr;      /* the matrix of `step` in CSR, with columns from 0, once it is wanted */
	ek_store own_csr;  /* the arrays of `csr` that are not those of the matrix */
	bool ordered;      /* whether csr.ascends has been found out */
	eki_features f;
	unsigned backend;
	double memory; /* f.memory, or INFINITY if no method fits into that */
	double columns; /* bytes that the parent step frees if a format does not need them */
	double (*looked)(const eki_features *); /* cost function of the last layout compared */
	eki_choice best;
	/* Predicted time of a run with `best`. `time` includes a share of the time of the
	 * conversion; `run` does not. */
	double time, run;
	eki_selection *why; /* table of candidates, or NULL if none is wanted */
} selection;

/* Says that there is no method. The op is the caller's, which that of the step may be the opposite
 * of. */
static ek_status none(const eki_step *step, const ek_format *format)
{
	const bool csc = step->in[0]->columns && format == &ek_format_csr;

	return eki_fail(EK_EUNSUPPORTED, "no method does op %s%s on format %s",
	                step->plan->problem.A[0].op == EK_OP_T ? "T" : "N",
	                step->problem->reproducible == EK_REPRO_STRICT ? " reproducibly" : "",
	                csc ? "csc" : format->name);
}

static bool candidate(const eki_step *step, const ek_format *format, unsigned backend,
                      const ek_method *m)
{
	if (step->part && m->traits & EKI_ON_BOTH)
		return false;
	return (m->backend & backend) && m->operation == step->problem->operation->number &&
	       (!m->format[0] || m->format[0] == format) &&
	       ek_method_supports(m, step->op[0], step->problem->reproducible);
}

/* Returns the backend that candidates must have. It is the one that the parent step named, if it
 * did. Otherwise, if the context has a device, it is the backend of the device, since a caller who
 * opened a device wants its methods. There are three exceptions in which it is EKI_CPU: if no
 * method on the device can do the work, or several can and none has a prediction; in child steps of
 * a plan whose root method runs on the processor; and for sparse results where the device is a
 * processor: these take so many kernels with barriers that compiling them alone takes seconds
 * (PoCL, for a transpose). Sets *untimed to true if several methods on the device have no
 * prediction. */
static unsigned backend_for(const eki_step *step, const ek_format *format, bool *untimed)
{
	const unsigned device = eki_device_backend(step->ctx, step->in[0]->value);
	const ek_method *m;
	int several = 0;

	*untimed = false;
	if (step->backend)
		return step->backend;
	if (!device || (step->part && step->plan->root.method->backend & EKI_CPU) ||
	    (step->problem->operation->limited && eki_device_is_processor(step->ctx)))
		return EKI_CPU;
	for (size_t k = 0; (m = eki_method(k)); k++)
		if (candidate(step, format, device, m)) {
			if (m->cost)
				return device;
			several++;
		}
	*untimed = several > 1;
	return several == 1 ? device : EKI_CPU;
}

const ek_method *eki_only_method(const eki_step *step, const ek_format *format)
{
	bool untimed;
	const unsigned backend = backend_for(step, format, &untimed);
	const ek_method *only = NULL, *m;

	for (size_t k = 0; (m = eki_method(k)); k++)
		if (candidate(step, format, backend, m)) {
			if (only)
				return NULL;
			only = m;
		}
	return only;
}

/* Adds a candidate to the table s->why, unless s->why is NULL. */
static void note(selection *s, const ek_method *m, double run, double share, const ek_store *out)
{
	eki_candidate *c;

	if (!s->why)
		return;
	c = &s->why->list[s->why->count++];
	*c = (eki_candidate){.method = m, .run = run, .share = share};
	if (out) {
		c->bytes = eki_store_bytes(out);
		memcpy(c->dim, out->dim, sizeof c->dim);
	}
}

/* ---- Methods for the format at hand ---------------------------------------------------------- */

static void consider(selection *s, const ek_method *m)
{
	const ek_store *A = s->step->in[0];
	double time;

	if (!m->cost || (m->applies && !m->applies(A, s->step->op[0])))
		return;
	if (m->memory && m->memory(&s->f) > s->memory)
		return;
	time = m->cost(&s->f);
	if (!s->best.method || time < s->time) {
		s->best = (eki_choice){.method = m, .format = A->format};
		s->time = s->run = time;
	}
	note(s, m, time, 0, NULL);
}

/* Considers all methods for the format of A. Returns the first, or NULL if there is none. */
static const ek_method *consider_all(selection *s)
{
	const ek_format *format = s->step->in[0]->format;
	const ek_method *m, *any = NULL;

	for (size_t k = 0; (m = eki_method(k)); k++) {
		if (!candidate(s->step, format, s->backend, m))
			continue;
		consider(s, m);
		any = any ? any : m;
	}
	return any;
}

static ek_status choose_method(selection *s)
{
	const ek_format *format = s->step->in[0]->format;
	const double memory = s->memory;
	const ek_method *any = consider_all(s);

	/* If every method that can do the work needs more memory than the limit, chooses among them
	 * as if there were no limit. */
	if (!s->best.method) {
		s->memory = INFINITY;
		consider_all(s);
		s->memory = memory;
	}
	/* A format other than CSR may have only one method, which then needs no prediction. */
	if (!s->best.method && any && format != &ek_format_csr)
		s->best = (eki_choice){.method = any, .format = format};
	return s->best.method ? EK_OK : none(s->step, format);
}

double eki_least_cost(const eki_features *f, ek_operation operation, unsigned backend)
{
	const ek_store csr = {.format = &ek_format_csr,
	                      .value = f->value,
	                      .index = f->index,
	                      .rows = f->stats.rows,
	                      .cols = f->stats.cols,
	                      .nnz = f->stats.nnz};
	const ek_store *A = f->store ? f->store : &csr;
	const ek_reproducible level = f->strict ? EK_REPRO_STRICT : EK_REPRO_RUN;
	double least = INFINITY;
	const ek_method *m;

	for (size_t k = 0; (m = eki_method(k)); k++)
		if ((m->backend & backend) && m->operation == operation && m->cost &&
		    (!m->format[0] || m->format[0] == A->format) && !(m->traits & EKI_ON_BOTH) &&
		    ek_method_supports(m, f->op, level) && (!m->applies || m->applies(A, f->op)) &&
		    (!m->memory || m->memory(f) <= f->memory))
			least = fmin(least, m->cost(f));
	return least;
}

/* ---- Other formats --------------------------------------------------------------------------- */

/* Returns the number of bytes that a copy in a format may take. New values of a copy in which the
 * place of an entry does not depend on its column need no columns (csr_copy_t.c). */
static double limit(const selection *s, const ek_format *format)
{
	return s->memory + (format->by_column ? 0 : s->columns);
}

/* Sets s->csr, from which formats are made. */
static ek_status find_csr(selection *s)
{
	const ek_store *csr;

	if (s->csr.format)
		return EK_OK;
	EK_RETURN_IF(eki_format_csr(s->step->ctx, s->step->in[0], &s->own_csr, &csr));
	s->csr = *csr;
	return EK_OK;
}

/* Tells whether the columns of each row ascend. Looks at them only once. */
static bool ascends(selection *s)
{
	if (!s->ordered)
		s->csr.ascends = eki_ascends_strictly(s->step->ctx, &s->csr);
	s->ordered = true;
	return s->csr.ascends;
}

/* Computes the layout of A in a format with the parameters `dim`, of which 0 lets the format
 * choose. Sets *fits to tell whether the format can hold A within the allowed memory, and whether
 * there was enough memory to find that out. */
static ek_status look(selection *s, const ek_format *format, const int64_t *dim,
                      ek_store *out, bool *fits)
{
	const int64_t most = isinf(s->memory) ? -1 : 0;
	ek_status status;

	if (format->by_column)
		ascends(s);
	status = eki_format_look(s->step->ctx, &s->csr, format, dim, most, out);
	*fits = status == EK_OK && (double)eki_store_bytes(out) <= limit(s, format);
	return status == EK_EUNSUPPORTED || status == EK_ELIMIT || status == EK_EOVERFLOW ||
	                       status == EK_ENOMEM
	               ? EK_OK
	               : status;
}

/* Predicts the time of converting A to a format, in nanoseconds, divided by the expected calls.
 * `plain` is the time of a product with A. Columns that start at 1 are copied twice, for the layout
 * and for the conversion. */
static double share_of(const selection *s, const ek_format *format, double plain)
{
	const double copies = s->step->in[0]->base ? 2 * EKI_COPY_COLUMNS * plain : 0;

	return eki_convert_share(&s->f, format, plain) + copies / (double)s->f.calls;
}

/* Considers a method whose format is not that of A. `plain` is the time of a product with A. */
static ek_status consider_pair(selection *s, const ek_method *m, double plain)
{
	const ek_format *format = m->format[0];
	const double share = share_of(s, format, plain);
	eki_features f = s->f;
	int64_t dim[EKI_MAX_DIMS] = {0};
	ek_store out;
	double run;
	bool fits;

	/* Neighbours in the table that share a cost function have the same kernels in formats of
	 * the same size, so the first that fits stands for all. */
	if (!m->cost || m->cost == s->looked || m->cost(&f) + share >= s->time)
		return EK_OK;
	EK_RETURN_IF(find_csr(s));
	if (format->estimate && ascends(s)) {
		EK_RETURN_IF(eki_format_estimate(s->step->ctx, &s->csr, format, &out));
		f.store = &out;
		if (m->cost(&f) + share >= s->time)
			return EK_OK;
		eki_format_ask(&out, dim);
	}
	EK_RETURN_IF(look(s, format, dim, &out, &fits));
	if (!fits || (m->applies && !m->applies(&out, s->step->op[0])))
		return EK_OK;
	f.store = &out;
	if (m->memory && (double)eki_store_bytes(&out) + m->memory(&f) > limit(s, format))
		return EK_OK;
	s->looked = m->cost;
	run = m->cost(&f);
	if (run + share < s->time) {
		s->best = (eki_choice){.method = m, .format = format};
		eki_format_ask(&out, s->best.dim);
		s->time = run + share;
		s->run = run;
	}
	note(s, m, run, share, &out);
	return EK_OK;
}

/* Considers all methods for other formats. Those of formats that take long to make come last: often
 * they are then known to be slower before anything is looked for. */
static ek_status consider_formats(selection *s)
{
	const double plain = s->run;
	const ek_method *m;

	for (int last = 0; last < 2; last++)
		for (size_t k = 0; (m = eki_method(k)); k++) {
			const ek_format *format = m->format[0];

			if (format && format != &ek_format_csr &&
			    (format->convert.products > LONG) == last &&
			    eki_convert_worthwhile(&s->f, format) &&
			    candidate(s->step, format, s->backend, m))
				EK_RETURN_IF(consider_pair(s, m, plain));
		}
	return EK_OK;
}

/* Considers other formats, as long as there is memory for columns from 0 and for estimates. */
static ek_status add_formats(selection *s)
{
	const ek_status status = consider_formats(s);

	eki_store_free(s->step->ctx, &s->own_csr);
	return status == EK_ENOMEM ? EK_OK : status;
}

/* Returns the number of bytes that the choice may take besides A: a copy in another format, or
 * arrays of the method. */
static double allowance(const ek_plan *p)
{
	const double most = (double)p->problem.memory, usual = 1 << 24;

	if (most < 0)
		return INFINITY;
	return most > 0 ? most : 2 * (double)eki_store_bytes(p->root.in[0]) + usual;
}

/* Allocates a table with room for as many candidates as there are methods. */
static ek_status make_table(eki_step *step, eki_selection **why)
{
	int64_t count = 0;

	while (eki_method((size_t)count))
		count++;
	EK_RETURN_IF(eki_step_alloc(
		step, (int64_t)sizeof **why + count * (int64_t)sizeof *(*why)->list, 1, why));
	(*why)->count = 0;
	return EK_OK;
}

ek_status eki_select(eki_step *step, bool formats, eki_choice *choice, eki_selection **why)
{
	const ek_store *A = step->in[0];
	bool untimed;
	selection s = {.step = step,
	               .backend = backend_for(step, A->format, &untimed),
	               .memory = allowance(step->plan)};

	if (why) {
		EK_RETURN_IF(make_table(step, why));
		s.why = *why;
	}
	if (step->held) {
		s.memory = fmax(0, s.memory - (double)step->held);
		s.columns = (double)A->nnz * (double)eki_idx_size(A->index);
	}
	EK_RETURN_IF(eki_step_features(step, s.memory, &s.f));
	EK_RETURN_IF(choose_method(&s));
	if (formats && A->format == &ek_format_csr && A->nnz > 0)
		EK_RETURN_IF(add_formats(&s));
	*choice = s.best;
	if (s.why) {
		s.why->f = s.f;
		s.why->f.store = NULL;
		s.why->format = A->format;
		s.why->untimed = untimed;
	}
	return EK_OK;
}

/* ---- Predictions ----------------------------------------------------------------------------- */

ek_status eki_predict(const eki_step *step, const ek_store *with, double *run, double *share)
{
	const ek_store *A = step->in[0];
	bool untimed;
	selection s = {.step = step,
	               .backend = backend_for(step, A->format, &untimed),
	               .memory = allowance(step->plan)};

	EK_RETURN_IF(eki_step_features(step, s.memory, &s.f));
	if (with != A)
		EK_RETURN_IF(choose_method(&s));
	*share = with == A ? 0 : share_of(&s, with->format, s.run);
	s.f.store = with->format == &ek_format_csr ? NULL : with;
	*run = step->method->cost(&s.f);
	return EK_OK;
}
