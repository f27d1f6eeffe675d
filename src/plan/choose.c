/* SPDX-License-Identifier: BSD-3-Clause
 * Chooses a method for a plan, and the format of A that the method multiplies with. The format is
 * the one that the hints give or, if they give none, the format of A. If the caller or EK_METHOD
 * named a method that can use neither format, the format of that method is chosen.
 *
 * If A is not in the chosen format, the plan makes a copy, which is always converted via CSR. CSC
 * is CSR of the transpose, so methods of CSR multiply with it, with op N and op T exchanged. If A
 * is in CSC, a copy in any format except CSR also stores the transpose, so that new values need not
 * be transposed. */
#include <stdio.h>
#include <string.h>

#include "plan/plan.h"

typedef struct request {
	const ek_method *method; /* method that was named, or NULL if the library chooses */
	const char *from;        /* source of the name, with which error messages begin */
	/* whether EK_METHOD named `method`, and whether it did so for this op only */
	bool forced, one_op;
	bool together; /* whether the context's device, "cpu+NAME", led to `method` */
	const ek_format *format;
	int64_t dim[EKI_MAX_DIMS];
	ek_op op;                    /* requested op on A */
	int64_t param[EKI_MAX_DIMS]; /* parameters of the method */
	int64_t max_bytes;           /* as in ek_convert_options, for a copy in `format` */
} request;

static ek_status read_method(const ek_plan *p, const char *name, request *r)
{
	const eki_forced *forced = eki_forced_of(p->ctx, p->problem.operation->number, r->op);

	r->from = "";
	if (name && strcmp(name, "auto") != 0)
		return eki_method_parse("", name, p->problem.operation->number, &r->method,
		                        r->param);
	if (forced) {
		r->method = forced->method;
		memcpy(r->param, forced->param, sizeof r->param);
		r->forced = true;
		r->one_op = forced->one_op;
		r->from = "environment variable EK_METHOD: ";
	}
	return EK_OK;
}

static const ek_matrix *matrix(const ek_plan *p)
{
	return p->problem.A[0].M;
}

/* Tells whether a method multiplies with `format`. `of` is the method's own format, or NULL if the
 * method takes any format. */
static bool multiplies(const ek_format *of, const ek_format *format)
{
	return !of || of == (format == &ek_format_csc ? &ek_format_csr : format);
}

/* Returns the format of A as callers know it: CSC if the library stores A as CSR of its
 * transpose. */
static const ek_format *held(const ek_matrix *A)
{
	return A->transposed ? &ek_format_csc : A->store.format;
}

/* Tells whether A in `format` is stored as its transpose: CSC is and, if A is in CSC, so are all
 * other formats except CSR. */
static bool by_columns(const ek_matrix *A, const ek_format *format)
{
	return format == &ek_format_csc || (A->transposed && format != &ek_format_csr);
}

/* Returns the op for the store in the requested format. This is the op on A, or the opposite
 * op if the store is that of the transpose. */
static ek_op op_in(const ek_plan *p, const request *r)
{
	return (r->op == EK_OP_T) != by_columns(matrix(p), r->format) ? EK_OP_T : EK_OP_N;
}

/* Returns the format to multiply with: `given` or, if `given` is NULL, the format of A. If method m
 * cannot use that format, tries the format of A. If m cannot use this either, returns the format of
 * m. */
static const ek_format *format_for(const ek_matrix *A, const ek_method *m, const ek_format *given)
{
	const ek_format *format = given ? given : held(A);

	if (!m || multiplies(m->format[0], format))
		return format;
	return multiplies(m->format[0], held(A)) ? held(A) : m->format[0];
}

static ek_status read_hints(const ek_plan *p, const ek_hints *h, request *r)
{
	const ek_format *given = NULL;

	*r = (request){.op = h->op == EK_OP_T ? EK_OP_T : EK_OP_N};
	EK_RETURN_IF(read_method(p, h->method, r));
	if (h->format)
		EK_RETURN_IF(eki_format_parse(h->format, &given, r->dim));
	r->format = format_for(matrix(p), r->method, given);
	/* An entry of EK_METHOD that names no op applies to the ops that its method supports. For
	 * other ops the library chooses. */
	if (r->forced && !r->one_op && !ek_method_supports(r->method, op_in(p, r), EK_REPRO_RUN)) {
		r->method = NULL;
		r->forced = false;
		r->from = "";
		r->format = format_for(matrix(p), NULL, given);
	}
	if (given && r->format != given)
		return eki_fail(EK_EINVAL, "%smethod %s multiplies with format %s, not with %s",
		                r->from, r->method->name, r->method->format[0]->name, given->name);
	return EK_OK;
}

/* If no method is named, lets the one that a context for both kinds of core is for do the work, as
 * far as it can. If the device had too little memory for an earlier choice, that is the method that
 * sends A there in batches, or else a method of the processor. */
static void take_device(ek_plan *p, request *r)
{
	const eki_problem *problem = &p->problem;
	const ek_operation operation = problem->operation->number;
	const ek_method *m = problem->batches   ? eki_in_batches(operation)
	                     : problem->refused ? NULL
	                                        : eki_together(p->ctx, operation);

	p->automatic = !r->method;
	if (m && !r->method && problem->reproducible != EK_REPRO_STRICT &&
	    multiplies(m->format[0], r->format) &&
	    eki_device_backend(p->ctx, matrix(p)->store.value)) {
		r->method = m;
		r->together = !problem->refused;
	} else if (problem->refused) {
		p->root.backend = EKI_CPU;
	}
	p->problem.balances &= r->together;
}

/* Says why the method is the one that it is, if it was not chosen by predictions. */
static ek_status say_why(ek_plan *p, const request *r, const char *only)
{
	const ek_method *refused = p->problem.refused;

	if (refused)
		return eki_step_say(&p->root, "device %s has too little memory for %s: %s\n",
		                    eki_device_name(p->ctx), refused->name,
		                    r->method ? "A goes there in batches"
		                              : "the processor does it");
	if (!r->method)
		return EK_OK;
	return eki_step_say(&p->root, "asked for by %s%s\n",
	                    r->together ? "the device's name, cpu+..."
	                    : r->forced ? "EK_METHOD"
	                                : "name",
	                    only);
}

static ek_status check_method(const ek_plan *p, const request *r)
{
	const bool csc = r->format == &ek_format_csc;
	char of[96] = "";

	if (!eki_can_run(p->ctx, r->method))
		return eki_fail(EK_EDEVICE,
		                "%smethod %s runs on a device, and the context has none "
		                "(ek_options.device, environment variable EK_DEVICE)",
		                r->from, r->method->name);
	if (ek_method_supports(r->method, p->root.op[0], p->problem.reproducible))
		return EK_OK;
	if (csc)
		snprintf(of, sizeof of,
		         " of a matrix in csc, which is op %s of its transpose in csr",
		         p->root.op[0] == EK_OP_T ? "T" : "N");
	return eki_fail(EK_EUNSUPPORTED, "%smethod %s does not do op %c%s%s", r->from,
	                r->method->name, r->op == EK_OP_T ? 'T' : 'N', of,
	                p->problem.reproducible == EK_REPRO_STRICT ? " with reproducible bits"
	                                                           : "");
}

/* Tells whether A is in the requested format, with the parameters that were requested. */
static bool is_in(const ek_matrix *A, const request *r)
{
	bool same = held(A) == r->format;

	for (int k = 0; same && k < EKI_MAX_DIMS && r->format->param[k].name; k++)
		same = !r->dim[k] || (r->dim[k] == EKI_ZERO ? 0 : r->dim[k]) == A->store.dim[k];
	return same;
}

/* Sets *same to tell whether A already has the layout that the request leads to. Computes that
 * layout, because some formats adjust parameters, such as a width greater than the longest row.
 * Parameters that were not requested are those of A. `csr` is A in CSR. */
static ek_status same_layout(const ek_matrix *A, const ek_store *csr, const request *r, bool *same)
{
	const ek_store *s = &A->store;
	ek_store out = *s;

	*same = held(A) == r->format;
	if (!*same)
		return EK_OK;
	memset(out.array, 0, sizeof out.array);
	memset(out.len, 0, sizeof out.len);
	eki_format_ask(s, out.dim);
	for (int k = 0; k < EKI_MAX_DIMS; k++)
		out.dim[k] = r->dim[k] ? r->dim[k] : out.dim[k];
	EK_RETURN_IF(r->format->layout(A->ctx, csr, &out));
	*same = memcmp(out.dim, s->dim, sizeof out.dim) == 0;
	return EK_OK;
}

static ek_status make_store(ek_plan *p, const request *r)
{
	const ek_matrix *A = matrix(p);
	const bool columns = by_columns(A, r->format);
	ek_store copy = {0};
	const ek_store *csr;
	ek_status status = EK_OK;
	bool same;

	if (is_in(A, r))
		goto done;
	if (multiplies(&ek_format_csr, r->format))
		EK_TRY(eki_matrix_csr_limit(A, A->store.value, A->store.index, columns, 0));
	EK_TRY(eki_matrix_csr(A, columns, &copy, &csr));
	if (multiplies(&ek_format_csr, r->format)) {
		p->own[0] = copy; /* since A is in another format, `copy` is A in CSR */
		copy = (ek_store){0};
	} else {
		EK_TRY(same_layout(A, csr, r, &same));
		if (same)
			goto done;
		if (p->root.method && p->root.method->from_csr) {
			p->own[0] = copy;
			copy = (ek_store){0};
			p->root.in[0] = p->own[0].format ? &p->own[0] : csr;
			goto done;
		}
		EK_TRY(eki_format_make(p->ctx, csr, r->format, r->dim, r->max_bytes, &p->own[0]));
	}
	p->root.in[0] = &p->own[0];
done:
	eki_store_free(p->ctx, &copy);
	p->root.bytes = eki_moved_bytes(&p->problem, p->root.in[0]);
	eki_format_text(p->root.in[0], p->format, sizeof p->format);
	return status;
}

/* Replaces column indices that start at 1 by a copy that starts at 0, if the method cannot read
 * indices that start at 1. */
static ek_status columns_for_method(ek_plan *p)
{
	const unsigned can = p->root.op[0] == EK_OP_T ? EKI_BASE1_T : EKI_BASE1_N;
	const ek_store *csr;

	if (!p->root.in[0]->base || p->root.method->traits & can)
		return EK_OK;
	EK_RETURN_IF(eki_format_csr(p->ctx, p->root.in[0], &p->own[0], &csr));
	p->root.in[0] = &p->own[0];
	return EK_OK;
}

/* Chooses the method and, if the hints give no format, the format. If there is not enough memory
 * for a copy of A in that format, chooses a method for A as it is. */
static ek_status choose_pair(ek_plan *p, const ek_hints *hints, const request *r)
{
	const bool formats = !hints->format && multiplies(&ek_format_csr, r->format);
	request chosen = *r;
	eki_choice choice;
	ek_status status;

	EK_RETURN_IF(eki_select(&p->root, formats, &choice, &p->selection));
	p->root.method = choice.method;
	if (choice.format == p->root.in[0]->format)
		return EK_OK;
	chosen.format = choice.format;
	chosen.max_bytes = p->problem.memory < 0 ? -1 : 0;
	memcpy(chosen.dim, choice.dim, sizeof chosen.dim);
	memcpy(p->root.dim, choice.dim, sizeof p->root.dim);
	status = make_store(p, &chosen);
	if (status != EK_ENOMEM)
		return status;
	memcpy(p->root.dim, r->dim, sizeof p->root.dim);
	EK_RETURN_IF(eki_select(&p->root, false, &choice, NULL));
	p->root.method = choice.method;
	return eki_step_say(&p->root, "not enough memory for a copy of A in %s\n",
	                    chosen.format->name);
}

/* Chooses the method of an operation on several matrices, which are all in CSR. */
static ek_status choose_for_operands(ek_plan *p, const ek_hints *hints, request *r)
{
	eki_choice choice;

	if (hints->format && !multiplies(&ek_format_csr, r->format))
		return eki_fail(EK_EINVAL, "hints.format is %s; operation %s takes csr and csc",
		                r->format->name, p->problem.operation->name);
	p->problem.columns = hints->format ? r->format == &ek_format_csc : matrix(p)->transposed;
	r->format = &ek_format_csr;
	take_device(p, r);
	p->root.op[0] = EK_OP_N;
	p->root.method = r->method;
	memcpy(p->root.param, r->param, sizeof p->root.param);
	if (r->method)
		EK_RETURN_IF(check_method(p, r));
	EK_RETURN_IF(p->problem.operation->operands(p));
	for (int k = 0; k < EKI_MAX_MATRICES && p->root.in[k]; k++)
		p->root.bytes = eki_plus(p->root.bytes, eki_store_bytes(p->root.in[k]));
	if (!r->method) {
		EK_RETURN_IF(eki_select(&p->root, false, &choice, &p->selection));
		p->root.method = choice.method;
	}
	return say_why(p, r, "");
}

ek_status eki_plan_choose(ek_plan *p, const ek_hints *hints)
{
	char only[40] = "";
	request r;

	EK_RETURN_IF(read_hints(p, hints, &r));
	if (p->problem.operation->operands)
		return choose_for_operands(p, hints, &r);
	take_device(p, &r);
	p->root.op[0] = op_in(p, &r);
	p->root.method = r.method;
	memcpy(p->root.param, r.param, sizeof p->root.param);
	memcpy(p->root.dim, r.dim, sizeof p->root.dim);
	if (r.method) {
		EK_RETURN_IF(check_method(p, &r));
		if (r.one_op)
			snprintf(only, sizeof only, ", for %s.%c", p->problem.operation->name,
			         r.op == EK_OP_T ? 't' : 'n');
	}
	EK_RETURN_IF(say_why(p, &r, only));
	const bool csr = multiplies(&ek_format_csr, r.format);

	/* If only one method can use the format, choose it before the store is made. The method may
	 * build its own arrays from CSR, and then A is not converted to the format. */
	if (!r.method && !csr && (p->root.method = eki_only_method(&p->root, r.format)))
		EK_RETURN_IF(eki_step_say(&p->root, "the method for format %s\n", r.format->name));
	EK_RETURN_IF(make_store(p, &r));
	if (!p->root.method)
		EK_RETURN_IF(choose_pair(p, hints, &r));
	EK_RETURN_IF(columns_for_method(p));
	if (p->root.method->applies && !p->root.method->applies(p->root.in[0], p->root.op[0]))
		return eki_fail(EK_EUNSUPPORTED,
		                "%smethod %s does not apply to this matrix of %lld x %lld: %s",
		                r.from, p->root.method->name, (long long)p->root.in[0]->rows,
		                (long long)p->root.in[0]->cols, p->root.method->text);
	return EK_OK;
}
