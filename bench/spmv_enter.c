/* SPDX-License-Identifier: BSD-3-Clause
 * Prepares and checks the entrants in a measurement of products (our methods, the peers, and what
 * they are compared with) before products are timed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spmv.h"

#define SMALL_NNZ 20000 /* for fewer nonzeros the overhead over the bare loop is measured */

/* ---- Running --------------------------------------------------------------------------------- */

void run_ours(void *entrant, int64_t calls)
{
	struct entrant *e = entrant;
	const struct product *p = e->own;
	const double alpha = p->problem->alpha, beta = p->problem->beta;
	ek_status (*multiply)(ek_plan *, double, const ek_dense *, double, const ek_dense *) =
		p->columns || p->problem->operation == EK_SPMV ? ek_spmv : ek_spmm;

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
	const ek_dense *here = p->side + (own->columns ? 2 + p->shape.width : 1);
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

/* Preparations shorter than this are repeated, and the median of their times is taken. */
#define SHORT_SECONDS 20e-3

/* Makes a plan and stores the time that it took in *milliseconds. For a device a first plan is made
 * untimed, since kernels are compiled only once in an installation. The time ends when the device
 * has finished its part of the work. */
static ek_status make_plan(const struct problem *p, ek_operation operation, const char *method,
                           const char *format, ek_plan **plan, double *milliseconds)
{
	const bool blocks = operation == EK_SPMM;
	const ek_hints hints = {.size = sizeof hints,
	                        .method = method,
	                        .format = format,
	                        .op = p->op,
	                        .calls = blocks ? p->calls : p->calls * p->shape.width,
	                        .width = blocks ? p->shape.width : 0,
	                        .reproducible = p->reproducible};
	double sample[5] = {0};

	for (int k = p->device.ctx ? -1 : 0; k < 1 || (k < 5 && sample[k - 1] < SHORT_SECONDS);
	     k++) {
		const double start = tool_seconds();

		ek_plan_destroy(*plan);
		*plan = NULL;
		ek_status status = ek_plan_create(operation, p->A, &hints, plan);

		if (status == EK_OK && p->device.ctx)
			status = ek_device_wait(p->device.ctx);
		if (status != EK_OK)
			return status;
		if (k >= 0) {
			sample[k] = tool_seconds() - start;
			*milliseconds = 1e3 * measure_quantile(sample, k + 1, 0.5);
		}
	}
	return EK_OK;
}

/* Most copies of the matrix that exist during a conversion, each about as large as CSR. */
#define MOST_COPIES 4

/* Returns why there is not enough memory for a plan, or NULL if there is. The check is needed since
 * the system provides memory only when it is written to: a plan that does not fit would end the
 * whole program. */
static const char *lack(const struct problem *p, const char *method, const char *format)
{
	const ek_method *m = tool_method_find(method);
	const bool csr =
		format ? strcmp(format, "csr") == 0 : !m || strcmp(ek_method_format(m), "csr") == 0;

	return csr ? NULL
	           : text_lack(MOST_COPIES * (double)p->csr_bytes, "about ",
	                       " are needed on the way");
}

/* Adds an entrant for a method, whose plan the caller adds, or which the caller refuses. */
static struct entrant *enter_method(struct field *f, const char *name, const char *format)
{
	const bool stand_in = strcmp(name, "auto") == 0 && !has_methods(f, format, false);
	const bool automatic = strcmp(name, "auto") == 0 && !stand_in;
	const char *parameters = format ? strchr(format, ':') : NULL;
	const ek_method *m = tool_method_find(name);
	const char *own = m ? ek_method_format(m) : NULL;
	struct entrant *e =
		entrant_add(f, automatic ? RECORD_AUTO : RECORD_OURS, stand_in ? format : name,
	                    parameters ? parameters : "", sizeof(struct product));

	((struct product *)e->own)->problem = f->problem;
	e->release = release;
	if (tool_method_on_device(name) && f->c->device)
		e->record.device = f->c->device->name;
	if (format || own)
		e->record.format = keep("%s", format ? format : own);
	if (own && format && strcmp(own, "any") == 0)
		e->record.name = keep("%s on %s", e->record.method, format);
	return e;
}

void refuse(struct field *f, const char *name, const char *format, const char *why)
{
	record_refuse(&enter_method(f, name, format)->record, why);
}

static void place_vectors(struct entrant *e)
{
	struct product *own = e->own;
	const struct problem *p = own->problem;
	const bool there = tool_method_on_device(ek_plan_method(own->plan));
	const bool on_device = there && p->device.side;

	e->calls.run = run_ours;
	e->record.device = there ? e->field->c->device->name : "cpu";
	e->calls.clocked = on_device ? device_clocked : NULL;
	e->move = move_ours;
	own->count = own->columns ? p->shape.width : 1;
	own->x = (on_device ? p->device.side : p->side) + (own->columns ? 2 : 0);
	own->y = own->x + own->count;
}

int enter_ours(struct field *f, ek_operation operation, const char *name, const char *format,
               bool hidden)
{
	struct problem *p = f->problem;
	const bool columns = operation != p->operation;
	const double width = columns ? (double)p->shape.width : 1;
	struct entrant *e = enter_method(f, name, format);
	struct product *own = e->own;
	struct record *r = &e->record;
	const char *why = lack(p, name, format);
	const ek_status status =
		why ? EK_ENOMEM
		    : make_plan(p, operation, name, format, &own->plan, &r->v[V_PREPARE_MS]);

	if (status == EK_EUNSUPPORTED || status == EK_ELIMIT || status == EK_ENOMEM ||
	    status == EK_EDEVICE) {
		record_refuse(r, why ? why : ek_error_text());
		return TOOL_OK;
	}
	if (status != EK_OK)
		return tool_check(status);
	if (columns) {
		r->kind = RECORD_OURS;
		r->method = keep("%s%s", strcmp(name, "auto") == 0 ? "spmv." : "", name);
		r->name = keep("k*%s", r->method);
	}
	own->columns = columns;
	e->hidden = hidden;
	place_vectors(e);
	r->v[V_BYTES] = (double)ek_plan_bytes(own->plan) * width;
	r->v[V_BYTES_PER_NNZ] = p->nnz > 0 ? r->v[V_BYTES] / (double)p->nnz : NAN;
	r->format = keep("%s", ek_plan_format(own->plan));
	if (strcmp(name, "auto") == 0)
		r->chosen = keep("%s", ek_plan_method(own->plan));
	entrant_check(e);
	entrant_check(e); /* from the state that the first run left */
	return TOOL_OK;
}

/* Returns the number of the CUDA device that is measured, or -1. */
static int peer_device(const struct field *f)
{
	const char *name = f->c->device ? f->c->device->name : "";

	return strncmp(name, "cuda:", 5) == 0 ? atoi(name + 5) : -1;
}

void enter_libraries(struct field *f)
{
	struct problem *p = f->problem;

	p->peer = (ek_peer_problem){.operation = p->operation,
	                            .type = p->value,
	                            .width = p->shape.width,
	                            .x_order = p->shape.x_order,
	                            .y_order = p->shape.y_order,
	                            .rows = p->rows,
	                            .cols = p->cols,
	                            .nnz = p->nnz,
	                            .row_ptr = p->row_ptr,
	                            .col_idx = p->col_idx,
	                            .val = p->val,
	                            .value_bytes = (int)ek_value_size(p->value),
	                            .ptr_bytes = p->index == EK_I32 ? 4 : 8,
	                            .idx_bytes = p->index == EK_I64 ? 8 : 4,
	                            .transposed = p->op == EK_OP_T,
	                            .threads = p->threads,
	                            .calls = p->calls ? p->calls : 1000,
	                            .device = peer_device(f),
	                            .alpha = p->alpha,
	                            .beta = p->beta,
	                            .x = p->x,
	                            .y = p->y};
	enter_peers(f, &p->peer);
}

int enter_bounds(struct field *f)
{
	const struct problem *p = f->problem;

	if (p->device.ctx) {
		device_enter_copies(f);
		return TOOL_OK;
	}
	if (p->nnz < SMALL_NNZ && p->operation == EK_SPMV && p->op == EK_OP_N && p->alpha == 1 &&
	    p->beta == 0) {
		struct entrant *e =
			entrant_add(f, RECORD_BOUND, "", "bare", sizeof(struct bare_loop));

		*(struct bare_loop *)e->own = (struct bare_loop){
			p->value, p->index, p->rows, p->row_ptr, p->col_idx, p->val, p->x, p->y};
		e->calls = (struct candidate){.run = bare_loop_run, .state = e->own};
		e->bare = true;
	}
	return enter_reads(f, p->csr_bytes, p->threads, true);
}
