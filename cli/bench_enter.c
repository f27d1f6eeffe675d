/* SPDX-License-Identifier: BSD-3-Clause
 * Those who take part in a measurement, our methods and the peers, are prepared and checked before
 * anything is timed. Preparations that take no time are repeated, and the median counts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_field.h"

/* ---- Running --------------------------------------------------------------------------------- */

void run_ours(void *state, int64_t calls)
{
	struct contender *c = state;

	for (; calls > 0; calls--)
		if (ek_spmv(c->plan, c->problem->alpha, &c->x, c->problem->beta, &c->y) != EK_OK)
			c->record.failed = true;
}

void run_peer(void *state, int64_t calls)
{
	struct contender *c = state;

	if (c->peer->run(c->state, calls) != 0)
		c->record.failed = true;
}

static void run_contender(struct contender *c, int64_t calls)
{
	(c->peer ? run_peer : run_ours)(c, calls);
}

/* y of the problem to where the contender has its own, and back. */
static bool load(struct contender *c)
{
	if (c->peer)
		return !c->peer->load || c->peer->load(c->state) == 0;
	return !c->on_device || device_load(c->field);
}

static bool fetch(struct contender *c)
{
	if (c->peer)
		return !c->peer->fetch || c->peer->fetch(c->state) == 0;
	return !c->on_device || device_fetch(c->field);
}

bool contender_check(struct contender *c)
{
	struct record *r = &c->record;

	problem_reset(c->problem);
	if (!load(c))
		r->failed = true;
	run_contender(c, 1);
	if (!fetch(c))
		r->failed = true;
	double error = r->failed ? INFINITY : check_error(c->problem);

	if (isnan(r->error) || error > r->error)
		r->error = error;
	if (r->failed)
		snprintf(r->why, sizeof r->why, "%s", c->peer ? c->peer->error() : ek_error_text());
	else if (error > 1)
		snprintf(r->why, sizeof r->why, "wrong result: error %.3g times its bound", error);
	r->failed = r->failed || !(error <= 1);
	return !r->failed;
}

/* ---- Preparing ------------------------------------------------------------------------------- */

static struct contender *enter(struct field *f, enum record_kind kind, const char *prefix,
                               const char *name)
{
	struct contender *c = &f->contender[f->contenders];
	struct record *r = &c->record;

	if (f->contenders == MAX_CONTENDER)
		return NULL;
	f->contenders++;
	c->field = f;
	c->problem = f->problem;
	r->kind = kind;
	r->device = "cpu";
	snprintf(r->method, sizeof r->method, "%s%s", prefix, name);
	r->ms = r->ms_kbest = r->ms_min = r->ms_p10 = r->ms_p90 = r->prepare_ms = r->prepare_calls =
		NAN;
	r->gflops = r->gbps = r->csr_gbps = r->of_bound = NAN;
	r->vs_csr = r->vs_best_peer = r->error = r->overhead_ns = NAN;
	r->bytes = f->problem->csr_bytes;
	return c;
}

/* Preparations of less than this are repeated, and the median is taken. */
#define SHORT_SECONDS 20e-3

/* A plan for a device is made once untimed: what the compiler takes belongs to the installation. It
 * is there when the device is done with it. */
static ek_status make_plan(const struct field *f, const char *method, const char *format,
                           ek_plan **plan, double *milliseconds)
{
	const struct problem *p = f->problem;
	ek_hints hints = {.size = sizeof hints,
	                  .method = method,
	                  .format = format,
	                  .op = p->op,
	                  .calls = p->calls,
	                  .reproducible = p->reproducible};
	const int untimed = f->device.ctx ? 1 : 0;
	double sample[5] = {0};
	int k = -untimed;

	do {
		double start = tool_seconds();
		ek_plan *made = NULL;
		ek_status status = ek_plan_create(EK_SPMV, p->A, &hints, &made);

		if (status == EK_OK && f->device.ctx)
			status = ek_device_wait(f->device.ctx);
		if (status != EK_OK) {
			ek_plan_destroy(made);
			if (k > -untimed)
				ek_plan_destroy(*plan);
			return status;
		}
		if (k >= 0)
			sample[k] = tool_seconds() - start;
		if (k++ > -untimed)
			ek_plan_destroy(*plan);
		*plan = made;
	} while (k < 1 || (k < 5 && sample[k - 1] < SHORT_SECONDS));
	*milliseconds = 1e3 * measure_quantile(sample, k, 0.5);
	return EK_OK;
}

/* Copies of the matrix that a conversion has at its height, of about the size of CSR. */
#define MOST_COPIES 4

/* Memory is taken only when it is written to, so what does not fit would end the whole program. */
static bool fits(const struct problem *p, const char *method, const char *format, char *why,
                 size_t size)
{
	const ek_method *m = tool_method_find(method);
	const bool csr =
		format ? strcmp(format, "csr") == 0 : !m || strcmp(ek_method_format(m), "csr") == 0;
	double need = MOST_COPIES * (double)p->csr_bytes, free = tool_memory_free();
	char a[32], b[32];

	if (csr || free < 0 || need < free)
		return true;
	snprintf(why, size, "about %s are needed on the way, and %s are free", tool_bytes(a, need),
	         tool_bytes(b, free));
	return false;
}

/* A method with its plan ready, or, without one, refused. */
static struct contender *enter_method(struct field *f, const char *name, const char *format)
{
	const bool stands = strcmp(name, "auto") == 0 && !has_methods(f, format);
	const bool automatic = strcmp(name, "auto") == 0 && !stands;
	const char *parameters = format ? strchr(format, ':') : NULL;
	const ek_method *m = tool_method_find(name);
	struct contender *c = enter(f, automatic ? RECORD_AUTO : RECORD_OURS,
	                            stands ? format : name, parameters ? parameters : "");

	if (c) {
		c->record.version = ek_version();
		if (tool_method_on_device(name) && f->device.ctx)
			c->record.device = f->run->report->device.name;
		snprintf(c->record.format, sizeof c->record.format, "%s",
		         format ? format
		         : m    ? ek_method_format(m)
		                : "");
	}
	return c;
}

int refuse(struct field *f, const char *name, const char *format, const char *why)
{
	struct contender *c = enter_method(f, name, format);

	if (c) {
		c->record.refused = true;
		snprintf(c->record.why, sizeof c->record.why, "%s", why);
	}
	return TOOL_OK;
}

static void place_vectors(struct contender *c)
{
	const struct problem *p = c->problem;
	const struct device_side *d = &c->field->device;
	const bool there = tool_method_on_device(ek_plan_method(c->plan));

	c->on_device = there && d->x;
	c->record.device = there ? c->field->run->report->device.name : "cpu";
	c->x = c->on_device ? ek_device_vector(p->value, p->in, d->x)
	                    : ek_vector(p->value, p->in, p->x);
	c->y = c->on_device ? ek_device_vector(p->value, p->out, d->y)
	                    : ek_vector(p->value, p->out, p->y);
}

int enter_ours(struct field *f, const char *name, const char *format, bool hidden)
{
	struct problem *p = f->problem;
	ek_plan *plan = NULL;
	double milliseconds = 0;
	char why[256];

	if (!fits(p, name, format, why, sizeof why))
		return refuse(f, name, format, why);

	ek_status status = make_plan(f, name, format, &plan, &milliseconds);

	if (status == EK_EUNSUPPORTED || status == EK_ELIMIT || status == EK_ENOMEM ||
	    status == EK_EDEVICE)
		return refuse(f, name, format, ek_error_text());
	if (status != EK_OK)
		return tool_check(status);

	struct contender *c = enter_method(f, name, format);

	if (!c) {
		ek_plan_destroy(plan);
		return TOOL_OK;
	}
	c->plan = plan;
	c->hidden = hidden;
	place_vectors(c);
	c->record.prepare_ms = milliseconds;
	c->record.bytes = ek_plan_bytes(plan);
	snprintf(c->record.format, sizeof c->record.format, "%s", ek_plan_format(plan));
	if (strcmp(name, "auto") == 0)
		snprintf(c->record.chosen, sizeof c->record.chosen, "%s", ek_plan_method(plan));
	contender_check(c);
	contender_check(c);
	return TOOL_OK;
}

/* The number of a CUDA device, -1 for none. */
static int peer_device(const struct field *f)
{
	const char *name = f->device.ctx ? f->run->report->device.name : "";

	return strncmp(name, "cuda:", 5) == 0 ? atoi(name + 5) : -1;
}

void enter_peer(struct field *f, const ek_peer *peer)
{
	struct problem *p = f->problem;
	ek_peer_problem q = {.rows = p->rows,
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
	struct contender *c;
	double start;

	if (!peer->supports(&q) || !(c = enter(f, RECORD_PEER, "peer.", peer->name)))
		return;
	c->peer = peer;
	if (peer->device)
		c->record.device = f->run->report->device.name;
	c->record.version = peer->version();
	c->peer_problem = q;
	start = tool_seconds();
	if (peer->prepare(&c->peer_problem, &c->state) != 0) {
		c->record.failed = true;
		snprintf(c->record.why, sizeof c->record.why, "%s", peer->error());
		c->state = NULL;
		return;
	}
	c->record.prepare_ms = 1e3 * (tool_seconds() - start);
	contender_check(c);
	contender_check(c);
}
