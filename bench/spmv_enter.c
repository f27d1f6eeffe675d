/* SPDX-License-Identifier: BSD-3-Clause
 * The entrants in a measurement of products: those that --method and --format name, or else all
 * methods for the processor or, with --device, for the device; the peers; and what they are
 * compared with. They are prepared and checked before products are timed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spmv.h"

#define SMALL_NNZ 20000 /* for fewer nonzeros the overhead over the bare loop is measured */

/* ---- Running --------------------------------------------------------------------------------- */

static void run_ours(void *entrant, int64_t calls)
{
	struct entrant *e = entrant;
	const struct product *p = e->own;
	const double alpha = p->problem->peer.alpha, beta = p->problem->peer.beta;
	ek_status (*multiply)(ek_plan *, double, const ek_dense *, double, const ek_dense *) =
		p->columns || p->problem->peer.operation == EK_SPMV ? ek_spmv : ek_spmm;

	for (; calls > 0; calls--)
		for (int64_t j = 0; j < p->count; j++)
			if (multiply(p->plan, alpha, &p->x[j], beta, &p->y[j]) != EK_OK)
				e->record.failed = true;
}

/* Copies the problem's y to the entrant's own y or, if `back`, the other way round. */
static bool move_ours(struct entrant *e, bool back)
{
	const struct product *own = e->own;
	const struct problem *p = own->problem;
	const ek_dense *here = p->side + (own->columns ? 2 + p->peer.width : 1);
	bool works = true;

	if (own->columns && !back)
		problem_to_columns(p);
	for (int64_t j = 0; j < own->count && own->y->where == EK_ON_DEVICE; j++)
		works &= device_move(p, &own->y[j], &here[j], back);
	if (own->columns && back)
		problem_from_columns(p);
	return works;
}

static void release(void *own)
{
	ek_plan_destroy(((struct product *)own)->plan);
}

/* ---- Preparing ------------------------------------------------------------------------------- */

ek_hints product_hints(const struct problem *p, ek_operation operation, const char *method,
                       const char *format)
{
	const bool blocks = operation == EK_SPMM;

	return (ek_hints){.size = sizeof(ek_hints),
	                  .method = method,
	                  .format = format,
	                  .op = p->op,
	                  .calls = blocks ? p->calls : p->calls * p->peer.width,
	                  .width = blocks ? p->peer.width : 0,
	                  .reproducible = p->reproducible};
}

/* Returns the format that a method needs, or NULL if it may be that of A. */
static const char *needed_format(const char *method, const char *format)
{
	const ek_method *m = tool_method_find(method);
	const char *of = format ? format : m ? ek_method_format(m) : "csr";

	return strcmp(of, "csr") == 0 || strcmp(of, "any") == 0 ? NULL : of;
}

/* Makes a plan. Plans have the default limit on the bytes of a format, so with another one
 * (--max-bytes) the matrix is converted before. On a device, waits until it has finished its
 * work. */
static ek_status make_plan(const struct product *own, ek_plan **plan)
{
	const struct problem *p = own->problem;
	const ek_hints hints = product_hints(p, own->operation, own->method, own->format);
	const ek_convert_options o = {.size = sizeof o, .max_bytes = p->max_bytes};
	const char *format = o.max_bytes ? needed_format(own->method, own->format) : NULL;
	ek_matrix *B = NULL;
	ek_status status = format ? ek_matrix_convert(p->A, format, &o, &B) : EK_OK;

	if (status == EK_OK)
		status = ek_plan_create(own->operation, B ? B : p->A, &hints, plan);
	ek_matrix_destroy(B);
	if (status == EK_OK && p->device.ctx)
		status = ek_device_wait(p->device.ctx);
	return status;
}

/* Makes the first plan of an entrant and stores its time in `v`. For a device a plan is made
 * before, untimed, since kernels are compiled only once per installation. */
static ek_status make_first(struct product *own, double v[VALUES])
{
	ek_status status = EK_OK;

	if (own->problem->device.ctx) {
		status = make_plan(own, &own->plan);
		ek_plan_destroy(own->plan);
		own->plan = NULL;
	}
	const double start = tool_seconds();

	if (status == EK_OK)
		status = make_plan(own, &own->plan);
	v[V_PREPARE_MS] = v[V_FIRST_MS] = 1e3 * (tool_seconds() - start);
	return status;
}

static bool prepare(struct entrant *e, void **spare)
{
	ek_plan *plan = NULL;
	const bool good = make_plan(e->own, &plan) == EK_OK;

	*spare = plan;
	return good;
}

/* Most copies of the matrix that exist during a conversion, each about as large as CSR. */
#define MOST_COPIES 4

/* Returns why there is not enough memory for a plan, or NULL if there is. The check is needed since
 * the system provides memory only when it is written to: a plan that does not fit would get the
 * program killed. Where larger formats are allowed, there are two of them when preparations are
 * timed. */
static const char *lack(const struct problem *p, const char *method, const char *format)
{
	const double large = p->max_bytes > 0 ? 2 * (double)p->max_bytes : 0;

	return needed_format(method, format) ? text_lack(MOST_COPIES * (double)p->csr_bytes + large,
	                                                 "about ", " are needed on the way")
	                                     : NULL;
}

/* Tells whether a method can use a format. It can if the format is NULL (the method's own), the
 * method is NULL (auto), or the method takes any format. */
static bool fit(const ek_method *m, const char *format)
{
	size_t len = format ? strcspn(format, ":") : 0;
	const char *of = ek_method_format(m);

	return !m || !format || strcmp(of, "any") == 0 ||
	       (strncmp(of, format, len) == 0 && !of[len]);
}

/* Tells whether a format has methods for where the measurement takes place or, if `anywhere`, for
 * any device. */
static bool has_methods(const struct field *f, const char *format, bool anywhere)
{
	for (const ek_method *m = NULL; (m = ek_method_next(m));)
		if (ek_method_operation(m) == f->bench->op->operation &&
		    (anywhere || method_here(f, m)) && fit(m, format))
			return true;
	return false;
}

/* Adds an entrant for a method. The caller then adds its plan, or refuses it. */
static struct entrant *enter_method(struct field *f, const char *name, const char *format)
{
	const bool stand_in = strcmp(name, "auto") == 0 && !has_methods(f, format, false);
	const enum record_kind kind = stand_in                    ? RECORD_OURS
	                              : strcmp(name, "auto") == 0 ? RECORD_AUTO
	                              : tool_chooses(name)        ? RECORD_LEARNED
	                                                          : RECORD_OURS;
	const char *parameters = format ? strchr(format, ':') : NULL;
	const ek_method *m = tool_method_find(name);
	const char *own = m ? ek_method_format(m) : NULL;
	struct entrant *e = entrant_add(f, kind, stand_in ? format : name,
	                                parameters ? parameters : "", sizeof(struct product));

	((struct product *)e->own)->problem = f->problem;
	e->release = release;
	if (tool_method_on_device(name) && f->c->device)
		e->record.device = f->c->device->name;
	if (tool_method_on_both(name) && f->c->device)
		e->record.device = keep("cpu+%s", f->c->device->name);
	if (format || own)
		e->record.format = keep("%s", format ? format : own);
	if (own && format && strcmp(own, "any") == 0)
		e->record.name = keep("%s on %s", e->record.method, format);
	return e;
}

/* Enters a method or format as refused, with the reason. */
static void refuse(struct field *f, const char *name, const char *format, const char *why)
{
	record_refuse(&enter_method(f, name, format)->record, why);
}

static void place_vectors(struct entrant *e)
{
	struct product *own = e->own;
	const struct problem *p = own->problem;
	const char *method = ek_plan_method(own->plan);
	const bool there = tool_method_on_device(method);
	const bool on_device = there && p->device.side;

	e->calls.run = run_ours;
	e->record.device = tool_method_on_both(method) ? keep("cpu+%s", e->field->c->device->name)
	                   : there                     ? e->field->c->device->name
	                                               : "cpu";
	e->calls.clocked = on_device ? device_clocked : NULL;
	e->after = on_device ? device_call_times : NULL;
	e->move = move_ours;
	own->count = own->columns ? p->peer.width : 1;
	own->x = (on_device ? p->device.side : p->side) + (own->columns ? 2 : 0);
	own->y = own->x + own->count;
}

/* Enters and checks a method or auto, with A in a format or, if that is NULL, in the method's own.
 * It is refused if it cannot multiply this matrix, and not shown if `hidden`. If the operation is
 * EK_SPMV in a measurement of blocks, each column is multiplied as a separate vector. */
static void enter_as(struct field *f, ek_operation operation, const char *name, const char *format,
                     bool hidden)
{
	if (f->code)
		return;
	struct problem *p = f->problem;
	const bool columns = operation != p->peer.operation;
	const double width = columns ? (double)p->peer.width : 1;
	struct entrant *e = enter_method(f, name, format);
	struct product *own = e->own;
	struct record *r = &e->record;
	const char *why = lack(p, name, format);

	own->operation = operation;
	own->method = keep("%s", name);
	own->format = format ? keep("%s", format) : NULL;
	const ek_status status = why ? EK_ENOMEM : make_first(own, r->v);

	if (status == EK_EUNSUPPORTED || status == EK_ELIMIT || status == EK_ENOMEM ||
	    status == EK_EDEVICE) {
		record_refuse(r, why ? why : ek_error_text());
		return;
	}
	f->code = tool_check(status);
	if (f->code)
		return;
	if (columns) {
		r->kind = RECORD_OURS;
		r->method = keep("%s%s", strcmp(name, "auto") == 0 ? "spmv." : "", name);
		r->name = keep("k*%s", r->method);
	}
	own->columns = columns;
	e->hidden = hidden;
	e->prepare = prepare;
	e->drop = drop_plan;
	place_vectors(e);
	r->v[V_BYTES] = (double)ek_plan_bytes(own->plan) * width;
	r->v[V_BYTES_PER_NNZ] = p->peer.nnz > 0 ? r->v[V_BYTES] / (double)p->peer.nnz : NAN;
	r->format = keep("%s", ek_plan_format(own->plan));
	r->parameters = keep("%s", ek_plan_parameters(own->plan));
	if (tool_chooses(name))
		r->chosen = keep("%s", ek_plan_method(own->plan));
	entrant_check(e);
	entrant_check(e); /* again, after a first run */
}

void product_enter(struct field *f, const char *name, const char *format)
{
	enter_as(f, f->bench->op->operation, name, format, false);
}

/* ---- Choosing -------------------------------------------------------------------------------- */

/* Tells whether a method can do the product that the options ask for. */
static bool can(const struct field *f, const ek_method *m)
{
	return m && ek_method_supports(m, f->bench->o.common.op, f->bench->o.common.reproducible);
}

const char *unit_method(bool device)
{
	return device ? "spmv.csr.vector.gpu" : "spmv.csr.rows";
}

void product_methods(struct field *f, const char *names, const char *format)
{
	char name[TOOL_METHOD];

	if (!names && !has_methods(f, format, false))
		product_enter(f, "auto", format);
	for (const ek_method *m = NULL; !names && (m = ek_method_next(m));)
		if (method_here(f, m) && can(f, m) && fit(m, format))
			product_enter(f, ek_method_name(m), format);
	while (names && tool_method_next_of(f->bench->op->operation, &names, name))
		if (fit(tool_method_find(name), format))
			product_enter(f, name, format);
}

/* Enters each format of --format with the methods for it. Enters as refused the formats that no
 * method uses, and the methods that use no format. */
static void enter_formats(struct field *f, const char *names, const char *formats)
{
	const char *why = names ? "none of --method multiplies with it"
	                  : f->bench->o.common.reproducible == EK_REPRO_STRICT
	                          ? "no method of it has reproducible bits"
	                          : "no method of it does this op";
	char format[TOOL_FORMAT], name[TOOL_METHOD];

	for (const char *list = formats; tool_format_next("--format", &list, format);) {
		const int count = f->entrants;

		product_methods(f, names, format);
		snprintf(name, sizeof name, "%.*s", (int)strcspn(format, ":"), format);
		if (f->entrants == count)
			refuse(f, name, format, why);
	}
	while (names && tool_method_next_of(f->bench->op->operation, &names, name)) {
		bool partner = false;

		for (const char *at = formats; tool_format_next("--format", &at, format);)
			partner |= fit(tool_method_find(name), format);
		if (!partner)
			refuse(f, name, NULL, "it multiplies with none of --format");
	}
}

/* Enters both kinds of core together, the device alone, and the processor alone, each with the
 * method that it would choose. */
static void enter_sides(struct field *f)
{
	static const char *const name[] = {"both", "device alone", "processor alone"};

	for (int side = 0; side < 3; side++) {
		const char *method =
			side ? keep("%s.csr.split.gpu:side=%d", f->bench->op->name, side) : "auto";

		product_enter(f, method, NULL);
		f->entrant[f->entrants - 1].record.name = name[side];
	}
}

/* ---- Bounds, and all entrants ---------------------------------------------------------------- */

/* Enters the bound of products that move the bytes of CSR: reads, or copies on a device. For small
 * matrices, also enters the bare loop, from which the overhead of a call is computed. */
static void enter_bounds(struct field *f)
{
	const struct problem *p = f->problem;

	if (p->device.ctx) {
		device_enter_copies(f);
		return;
	}
	if (p->peer.nnz < SMALL_NNZ && p->peer.operation == EK_SPMV && p->op == EK_OP_N &&
	    p->peer.alpha == 1 && p->peer.beta == 0) {
		struct entrant *e =
			entrant_add(f, RECORD_BARE, "", "bare", sizeof(struct bare_loop));

		*(struct bare_loop *)e->own = (struct bare_loop){
			p->peer.type,    p->index,    p->peer.rows, p->peer.row_ptr,
			p->peer.col_idx, p->peer.val, p->x,         p->y};
		e->calls = (struct candidate){.run = bare_loop_run, .state = e->own};
	}
	enter_reads(f, p->csr_bytes, p->peer.threads, true);
}

void spmv_enter(struct field *f)
{
	const struct bench *b = f->bench;
	const char *names = methods_named(b), *formats = b->o.common.format;
	const bool sides = !names && !formats && tool_on_both(&b->o.common);
	const bool all = !names && !formats && !sides;

	/* If the usual unit does not support the options, it is the serial loop. */
	f->unit = unit_method(tool_on_device(b->ctx));
	if (!can(f, ek_method_find(f->unit)))
		f->unit = "spmv.csr.serial";
	f->code = device_make(f, f->problem);
	if (sides)
		enter_sides(f);
	else if (formats)
		enter_formats(f, names, formats);
	else
		product_methods(f, names, NULL);
	/* Formats without methods on any device, such as CSC, with what auto chooses. */
	for (const ek_format *m = NULL; all && (m = ek_format_next(m));)
		if (!has_methods(f, ek_format_name(m), true))
			product_enter(f, "auto", ek_format_name(m));
	if (all)
		product_enter(f, "auto", NULL);
	if (b->op->operation == EK_SPMM)
		enter_as(f, EK_SPMV, f->unit, NULL, !all);
	else if (!entered(f, f->unit))
		enter_as(f, EK_SPMV, f->unit, NULL, true);
	if (b->op->operation == EK_SPMM && all)
		enter_as(f, EK_SPMV, "auto", NULL, false);
	if (f->code)
		return;
	enter_peers(f, &((struct problem *)f->problem)->peer);
	enter_bounds(f);
}
