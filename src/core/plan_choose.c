/* SPDX-License-Identifier: BSD-3-Clause
 * What a plan multiplies with: a method, and A in a format. The format is that of the hints, else
 * that of the method that was named, else the one in which A is. If A is not in it the plan makes a
 * copy, by way of CSR whatever A is in. CSC is CSR of the transpose, so methods of CSR multiply
 * with it, op N and op T exchanged; and a copy of a matrix in CSC is one of the transpose, unless
 * CSR is asked for, so that new values come without a way back. */
#include <stdio.h>
#include <string.h>

#include "gpu/gpu.h"

typedef struct request {
	const ek_method *method; /* NULL: to be chosen */
	const char *from;        /* what named it, for messages */
	bool forced, one_op;     /* by EK_METHOD, and for this op alone */
	const ek_format *format;
	int64_t dim[EKI_MAX_DIMS];
	ek_op op;                    /* of A */
	int64_t param[EKI_MAX_DIMS]; /* of the method */
} request;

static ek_status read_method(const ek_plan *p, const char *name, request *r)
{
	const eki_forced *forced = &p->ctx->forced[p->operation][r->op == EK_OP_T];

	r->from = "";
	if (name && strcmp(name, "auto") != 0)
		return eki_method_parse("", name, p->operation, &r->method, r->param);
	if (forced->method) {
		r->method = forced->method;
		memcpy(r->param, forced->param, sizeof r->param);
		r->forced = true;
		r->one_op = forced->one_op;
		r->from = "environment variable EK_METHOD: ";
	}
	return EK_OK;
}

/* Do methods of `of` multiply with `format`? */
static bool multiplies(const ek_format *of, const ek_format *format)
{
	return of == (format == &ek_format_csc ? &ek_format_csr : format);
}

/* The format that A is in, for people. */
static const ek_format *held(const ek_matrix *A)
{
	return A->transposed ? &ek_format_csc : A->store.format;
}

/* Is it the transpose that is stored? A in CSC is at hand so, for all formats but CSR itself. */
static bool by_columns(const ek_matrix *A, const ek_format *format)
{
	return format == &ek_format_csc || (A->transposed && format != &ek_format_csr);
}

/* What it takes to multiply with `format`: op N or op T. */
static ek_op op_in(const ek_plan *p, const request *r)
{
	return (r->op == EK_OP_T) != by_columns(p->A, r->format) ? EK_OP_T : EK_OP_N;
}

/* The format that the hints give, unless the method cannot use it. */
static const ek_format *format_for(const ek_matrix *A, const ek_method *m, const ek_format *given)
{
	const ek_format *format = given ? given : held(A);

	if (!m || multiplies(m->format, format))
		return format;
	return multiplies(m->format, held(A)) ? held(A) : m->format;
}

static ek_status read_hints(const ek_plan *p, const ek_hints *h, request *r)
{
	const ek_format *given = NULL;

	*r = (request){.op = h->op == EK_OP_T ? EK_OP_T : EK_OP_N};
	EK_RETURN_IF(read_method(p, h->method, r));
	if (h->format)
		EK_RETURN_IF(eki_format_parse(h->format, &given, r->dim));
	r->format = format_for(p->A, r->method, given);
	/* An entry of EK_METHOD that names no op is for those that its method does. */
	if (r->forced && !r->one_op && !ek_method_supports(r->method, op_in(p, r), EK_REPRO_RUN)) {
		r->method = NULL;
		r->forced = false;
		r->from = "";
		r->format = format_for(p->A, NULL, given);
	}
	if (given && r->format != given)
		return eki_fail(EK_EINVAL, "%smethod %s multiplies with format %s, not with %s",
		                r->from, r->method->name, r->method->format->name, given->name);
	return EK_OK;
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
	if (ek_method_supports(r->method, p->op, p->reproducible))
		return EK_OK;
	if (csc)
		snprintf(of, sizeof of,
		         " of a matrix in csc, which is op %s of its transpose in csr",
		         p->op == EK_OP_T ? "T" : "N");
	return eki_fail(EK_EUNSUPPORTED, "%smethod %s does not do op %c%s%s", r->from,
	                r->method->name, r->op == EK_OP_T ? 'T' : 'N', of,
	                p->reproducible == EK_REPRO_STRICT ? " with reproducible bits" : "");
}

/* Is A in that format, with the parameters that are given? */
static bool is_in(const ek_matrix *A, const request *r)
{
	bool same = held(A) == r->format;

	for (int k = 0; same && k < EKI_MAX_DIMS && r->format->param[k].name; k++)
		same = !r->dim[k] || (r->dim[k] == EKI_ZERO ? 0 : r->dim[k]) == A->store.dim[k];
	return same;
}

/* The same for parameters that the format does not take as they are given, as a width that is more
 * than the longest row: what comes out of them here, with what is not given as A has it? `csr` is A.
 */
static ek_status comes_out_so(const ek_matrix *A, const ek_store *csr, const request *r, bool *so)
{
	const ek_store *s = &A->store;
	ek_store out = *s;

	*so = held(A) == r->format;
	if (!*so)
		return EK_OK;
	memset(out.array, 0, sizeof out.array);
	memset(out.len, 0, sizeof out.len);
	eki_format_ask(s, out.dim);
	for (int k = 0; k < EKI_MAX_DIMS; k++)
		out.dim[k] = r->dim[k] ? r->dim[k] : out.dim[k];
	EK_RETURN_IF(r->format->layout(A->ctx, csr, &out));
	*so = memcmp(out.dim, s->dim, sizeof out.dim) == 0;
	return EK_OK;
}

static ek_status make_store(ek_plan *p, const request *r)
{
	const bool columns = by_columns(p->A, r->format);
	ek_store room = {0};
	const ek_store *csr;
	ek_status status = EK_OK;
	bool so;

	if (is_in(p->A, r))
		goto done;
	if (multiplies(&ek_format_csr, r->format))
		EK_TRY(eki_matrix_csr_limit(p->A, p->A->store.value, p->A->store.index, columns,
		                            0));
	EK_TRY(eki_matrix_csr(p->A, columns, &room, &csr));
	if (multiplies(&ek_format_csr, r->format)) {
		p->own = room; /* A is in another format, so `csr` is not A's own */
		room = (ek_store){0};
	} else {
		EK_TRY(comes_out_so(p->A, csr, r, &so));
		if (so)
			goto done;
		if (p->method->from_csr) {
			p->own = room;
			room = (ek_store){0};
			p->store = p->own.format ? &p->own : csr;
			goto done;
		}
		EK_TRY(eki_format_make(p->ctx, csr, r->format, r->dim, 0, &p->own));
	}
	p->store = &p->own;
done:
	eki_store_free(p->ctx, &room);
	p->bytes = eki_store_bytes(p->store) +
	           (p->store->rows + p->store->cols) * (int64_t)ek_value_size(p->store->value);
	eki_format_text(p->store, p->format, sizeof p->format);
	return status;
}

/* Columns that start at 1 are read as they are by methods that can; the others get a copy. */
static ek_status columns_for_method(ek_plan *p)
{
	const unsigned can = p->op == EK_OP_T ? EKI_BASE1_T : EKI_BASE1_N;
	const ek_store *csr;

	if (!p->store->base || p->method->traits & can)
		return EK_OK;
	EK_RETURN_IF(eki_format_csr(p->ctx, p->store, &p->own, &csr));
	p->store = &p->own;
	return EK_OK;
}

ek_status eki_plan_choose(ek_plan *p, const ek_hints *hints)
{
	request r;

	EK_RETURN_IF(read_hints(p, hints, &r));
	p->op = op_in(p, &r);
	p->method = r.method;
	memcpy(p->param, r.param, sizeof p->param);
	memcpy(p->dim, r.dim, sizeof p->dim);
	if (r.method) {
		EK_RETURN_IF(check_method(p, &r));
		snprintf(p->why, sizeof p->why, "asked for by %s%s\n",
		         r.forced ? "EK_METHOD" : "name",
		         !r.one_op         ? ""
		         : r.op == EK_OP_T ? ", for spmv.t"
		                           : ", for spmv.n");
	}
	/* Methods of CSR are compared by figures of the matrix, so it must be there. */
	const bool csr = multiplies(&ek_format_csr, r.format);

	if (!r.method && !csr)
		EK_RETURN_IF(eki_select(p, r.format, &p->method, p->why, sizeof p->why));
	EK_RETURN_IF(make_store(p, &r));
	if (!r.method && csr)
		EK_RETURN_IF(eki_select(p, &ek_format_csr, &p->method, p->why, sizeof p->why));
	EK_RETURN_IF(columns_for_method(p));
	if (p->method->applies && !p->method->applies(p->store, p->op))
		return eki_fail(EK_EUNSUPPORTED, "%smethod %s does not apply to this matrix",
		                r.from, p->method->name);
	return EK_OK;
}
