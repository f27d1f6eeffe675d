/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench spgemm, spadd ...: operations with a sparse result. Each call of a method, or of a peer,
 * makes a plan and C in new memory, as a program that computes once; "NAME again" replaces the
 * values of an existing C. The first method is the reference, op->unit the unit of the ratios. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sparse.h"

/* One of our methods. */
struct ours {
	const char *method;
	bool again, on_device;
	ek_plan *plan;
	ek_matrix *C;
	double *seconds; /* of all calls, by the device's clock */
	int calls, room;
};

const struct argp_child sparse_children[] = {
	{&tool_common_argp, 0, "Common options:", 3}, {&tool_device_argp, 0, NULL, 3}, {0}};

int sparse_begin(struct bench *b)
{
	ek_device_info info = {.size = sizeof info};

	if (tool_on_device(b->ctx) && ek_context_get_device(b->ctx, &info) == EK_OK)
		b->device = info;
	return TOOL_OK;
}

/* ---- Our methods ----------------------------------------------------------------------------- */

static ek_status make_plan(const struct sparse *p, const ek_matrix *A, const ek_matrix *B,
                           const char *method, int64_t calls, ek_plan **plan)
{
	const ek_hints hints = {.size = sizeof hints,
	                        .method = method,
	                        .B = B,
	                        .op_b = p->op_b,
	                        .calls = calls,
	                        .unsorted = p->unsorted};

	return ek_plan_create(p->op->operation, A, &hints, plan);
}

/* Returns the number of calls that a plan is made for. */
static int64_t calls_of(bool again)
{
	return again ? 1000 : 1;
}

static void drop(void *own)
{
	struct ours *o = own;

	ek_matrix_destroy(o->C);
	ek_plan_destroy(o->plan);
	o->C = NULL;
	o->plan = NULL;
}

static void free_ours(void *own)
{
	drop(own);
	free(((struct ours *)own)->seconds);
}

/* Computes C. For a method on a device, keeps the time between two points in its queue: before the
 * first command of the call and after the last. */
static ek_status timed(const struct sparse *p, struct ours *o)
{
	double seconds = 0;

	if (!o->on_device)
		return p->op->compute(o->plan, &o->C);
	ek_status status = ek_device_timer_start(p->ctx);

	if (status == EK_OK)
		status = p->op->compute(o->plan, &o->C);
	const ek_status stopped = ek_device_timer_stop(p->ctx, &seconds);

	if (status == EK_OK && stopped == EK_OK && o->calls == o->room) {
		o->room = 2 * o->room + 64;
		o->seconds = need(realloc(o->seconds, (size_t)o->room * sizeof(double)), "times");
	}
	if (status == EK_OK && stopped == EK_OK)
		o->seconds[o->calls++] = seconds;
	return status == EK_OK ? stopped : status;
}

static void run(void *entrant, int64_t calls)
{
	struct entrant *e = entrant;
	const struct sparse *p = e->field->problem;
	struct ours *o = e->own;

	for (; calls > 0 && !e->record.failed; calls--) {
		ek_status status = EK_OK;

		if (!o->again)
			drop(o);
		else if (o->plan && p->new_values)
			status = ek_matrix_values_changed(p->A);
		if (!o->plan)
			status = make_plan(p, p->A, p->B, o->method, calls_of(o->again), &o->plan);
		if (status == EK_OK)
			status = timed(p, o);
		e->record.failed = status != EK_OK;
	}
}

/* Sets a value of the record to the number that follows `before` in a text, if it is there. */
static void take_number(const char *text, const char *before, double *value)
{
	const char *at = strstr(text, before);

	if (at)
		*value = (double)strtoll(at + strlen(before), NULL, 10);
}

/* Records what only the plan knows: times of the device, and bytes of temporary rows. */
static void look(struct entrant *e)
{
	const struct ours *o = e->own;
	double *v = e->record.v;
	char text[8192];

	if (o->calls > 0) {
		spread_values(v, V_DEVICE_MS, o->seconds, o->calls, 1e3);
		v[V_DEVICE_GFLOPS] =
			e->field->c->flops > 0 ? 1e-6 * e->field->c->flops / v[V_DEVICE_MS] : NAN;
	}
	if (!o->plan || ek_plan_explain(o->plan, text, sizeof text) != EK_OK)
		return;
	take_number(text, "last new C: ", &v[V_TEMPORARY]);
	take_number(text, "temporary bytes (", &v[V_TEMPORARY_UNCAPPED]);
	take_number(text, ", upper bound ", &v[V_TEMPORARY_BOUND]);
	take_number(text, ", precise ", &v[V_TEMPORARY_PRECISE]);
}

/* Fills an existing C with NaN or, if `back`, makes C the result to check. */
static bool move(struct entrant *e, bool back)
{
	struct sparse *p = e->field->problem;
	struct ours *o = e->own;

	if (back) {
		p->result = o->C;
		look(e);
	} else if (o->C) {
		const ek_view val = sparse_view(o->C, "val");
		void *bad = malloc((size_t)val.len * val.elem_size + 1);

		if (bad) {
			memset(bad, 0xff, (size_t)val.len * val.elem_size); /* NaN */
			ek_matrix_set_values(o->C, val.len, bad);
		}
		free(bad);
	}
	return true;
}

static void enter_ours(struct field *f, const char *method, bool again)
{
	struct entrant *e =
		entrant_add(f, RECORD_OURS, method, again ? " again" : "", sizeof(struct ours));
	const struct sparse *p = f->problem;
	const bool both = tool_method_on_both(method);
	ek_plan *plan;

	*(struct ours *)e->own = (struct ours){.method = keep("%s", method),
	                                       .again = again,
	                                       .on_device = tool_method_on_device(method)};
	if (both || tool_method_on_device(method))
		e->record.device = keep("%s%s", both ? "cpu+" : "", f->bench->device.name);
	e->again = again;
	e->calls.run = run;
	e->move = move;
	e->release = free_ours;
	const double start = tool_seconds();

	if (make_plan(p, p->A, p->B, method, calls_of(again), &plan) == EK_OK) {
		e->record.v[V_PREPARE_MS] = 1e3 * (tool_seconds() - start);
		entrant_chose(e, method, plan);
		e->record.v[V_BYTES] = (double)ek_plan_memory(plan);
		ek_plan_destroy(plan);
	}
	entrant_check(e);
	if (again && !e->record.failed)
		entrant_check(e); /* again, into the C of the first run */
}

static void enter_both(struct field *f, const char *method, bool unit)
{
	enter_ours(f, method, false);
	if (!unit)
		enter_ours(f, method, true);
}

/* Enters both kinds of core together, the device alone, and the processor alone. */
static void enter_sides(struct field *f)
{
	static const char *const name[] = {"both", "device alone", "processor alone"};
	const char *split = keep("%s.csr.split.gpu", f->bench->op->name);

	if (methods_named(f->bench) || !tool_on_both(&f->bench->o.common) || !ek_method_find(split))
		return;
	for (int side = 0; side < 3; side++)
		for (int again = 0; again < 2; again++) {
			enter_ours(f, side ? keep("%s:side=%d", split, side) : split, again);
			struct record *r = &f->entrant[f->entrants - 1].record;

			r->name = keep("%s%s", name[side], again ? " again" : "");
			r->device = keep("cpu+%s", f->bench->device.name);
		}
}

void sparse_enter(struct field *f)
{
	enter_sides(f);
	enter_methods(f, enter_both);
	enter_peers(f, &((struct sparse *)f->problem)->peer);
}

/* ---- The problem ----------------------------------------------------------------------------- */

/* Sets *M to |A|. */
static ek_status absolute(const struct sparse *p, const ek_matrix *A, ek_matrix **M)
{
	const ek_view val = sparse_view(A, "val");
	void *copy = need(malloc((size_t)val.len * val.elem_size + 1), "|A|");
	ek_matrix_info info = {.size = sizeof info};
	ek_status status = ek_matrix_get_info(A, &info);

	for (int64_t k = 0; k < val.len; k++)
		if (val.type == EK_F32)
			((float *)copy)[k] = fabsf(((const float *)val.data)[k]);
		else
			((double *)copy)[k] = fabs(((const double *)val.data)[k]);
	if (status == EK_OK)
		status = ek_matrix_from_csr(p->ctx, info.value, info.index, info.rows, info.cols,
		                            sparse_view(A, "row_ptr").data,
		                            sparse_view(A, "col_idx").data, copy,
		                            EK_COPY | EK_TRUSTED, M);
	free(copy);
	return status;
}

static ek_status result_of(const struct sparse *p, const ek_matrix *A, const ek_matrix *B,
                           ek_matrix **C)
{
	ek_plan *plan = NULL;
	ek_status status =
		make_plan(p, A, B, ek_method_name(method_first(p->op->operation)), 1, &plan);

	if (status == EK_OK)
		status = p->op->compute(plan, C);
	ek_plan_destroy(plan);
	return status;
}

/* Computes the reference, p->C, and p->size: for each entry of C, the sum of the magnitudes of its
 * terms. */
static int references(struct sparse *p)
{
	ek_matrix *A = NULL, *B = NULL;
	ek_status status = result_of(p, p->A, p->B, &p->C);

	if (status == EK_OK)
		status = absolute(p, p->A, &A);
	if (status == EK_OK && p->B && p->B != p->A)
		status = absolute(p, p->B, &B);
	if (status == EK_OK)
		status = result_of(p, A, p->B == p->A ? A : B, &p->size);
	ek_matrix_destroy(A);
	ek_matrix_destroy(B);
	return status == EK_OK ? TOOL_OK : tool_fail(TOOL_FAILED, "reference: %s", ek_error_text());
}

static int set_peer(struct bench *b, struct sparse *p)
{
	const ek_matrix *B = p->B ? p->B : p->A;
	ek_matrix_info info = {.size = sizeof info};

	if (ek_matrix_get_info(B, &info) != EK_OK)
		return tool_fail(TOOL_FAILED, "%s", ek_error_text());
	p->peer = peer_problem(b, p->A, p->op_b == EK_OP_T);
	p->peer.b_row_ptr = sparse_view(B, "row_ptr").data;
	p->peer.b_col_idx = sparse_view(B, "col_idx").data;
	p->peer.b_val = sparse_view(B, "val").data;
	p->peer.b_cols = info.cols;
	p->peer.b_nnz = info.nnz;
	p->peer.result = &p->from_peer;
	return TOOL_OK;
}

static int measure(struct bench *b, const struct tool_source *source, struct sparse *p)
{
	ek_matrix_info info = {.size = sizeof info};
	int code = references(p);

	if (!code)
		code = set_peer(b, p);
	struct bench_case *c = code ? NULL : case_of_matrix(b, source, p->A, &code);

	if (!c || ek_matrix_get_info(p->C, &info) != EK_OK)
		return code;
	c->op = p->op_b == EK_OP_T ? "t" : "n";
	c->what = p->what;
	case_device(b, c, &b->device);
	c->variant = p->variant;
	if (p->variant)
		c->name = keep("%s, %s", c->matrix, p->variant);
	c->flops = p->flops;
	c->v[V_PRODUCTS] = p->products;
	c->v[V_RESULT_NNZ] = (double)info.nnz;
	c->v[V_COMPRESSION] = p->products / fmax(1, (double)info.nnz);
	c->bytes = c->v[V_CSR_BYTES] + (double)info.bytes;
	return measure_case(b, c, p, NULL);
}

/* Measures the problems that the operation makes from a matrix, one after another. Goes on after a
 * wrong result, but not after any other failure. */
int sparse_matrix(struct bench *b, const struct tool_source *source, ek_matrix *A)
{
	int code = TOOL_OK, this = TOOL_OK;
	bool more = true;

	for (int k = 0; more && (!this || this == TOOL_FAILED); k++) {
		struct sparse p = {.A = A,
		                   .ctx = b->ctx,
		                   .op = b->op,
		                   .info = {.size = sizeof p.info},
		                   .unsorted = b->o.unsorted,
		                   .variant = b->o.unsorted ? "unsorted" : NULL,
		                   .products = NAN};

		if (ek_matrix_get_info(A, &p.info) != EK_OK)
			return tool_fail(TOOL_FAILED, "%s", ek_error_text());
		more = b->op->set(&p, k);
		if (more)
			this = measure(b, source, &p);
		else if (p.why)
			this = tool_fail(TOOL_INPUT, "%s: %s", source->name, p.why);
		code = this ? this : code;
		ek_matrix_destroy(p.C);
		ek_matrix_destroy(p.size);
		ek_matrix_destroy(p.owned);
		ek_matrix_destroy(p.owned_a);
	}
	return code;
}
