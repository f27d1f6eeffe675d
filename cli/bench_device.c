/* SPDX-License-Identifier: BSD-3-Clause
 * What ek bench spmv does on a device. Vectors lie there, unless --vectors host is given, and a
 * batch of products is timed by the device's own clock, from one place in its queue to another, as
 * is the bound: copies of as many bytes as the CSR arrays and vectors have, one half being read and
 * one written, so that both are in its cache or neither is. */
#include <stdlib.h>
#include <string.h>

#include "bench_field.h"

#define LARGE_BYTES (INT64_C(256) << 20) /* of each side of a copy, which no cache holds */
#define LARGE_RUNS  5

const char *unit_method(bool device)
{
	return device ? "spmv.csr.vector.gpu" : "spmv.csr.rows";
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static int64_t vector_bytes(const struct problem *p, int64_t n)
{
	return n * (int64_t)ek_value_size(p->value);
}

static ek_status room(ek_context *ctx, int64_t bytes, void **data)
{
	return ek_device_alloc(ctx, bytes > 0 ? bytes : 1, data);
}

static ek_status vectors(struct field *f)
{
	const struct problem *p = f->problem;
	struct device_side *d = &f->device;
	ek_status status = room(d->ctx, vector_bytes(p, p->in), &d->x);

	if (status == EK_OK)
		status = room(d->ctx, vector_bytes(p, p->out), &d->y);
	if (status == EK_OK && p->in)
		status = ek_device_write(d->ctx, d->x, p->x, vector_bytes(p, p->in));
	return status;
}

/* A plan of the unit is kept, so the CSR arrays are on the device as long as anything is made. */
static void hold(struct field *f)
{
	const struct problem *p = f->problem;
	ek_hints hints = {.size = sizeof hints, .method = plain_csr(f), .op = p->op};

	if (ek_plan_create(EK_SPMV, p->A, &hints, &f->device.holder) != EK_OK)
		f->device.holder = NULL;
}

int device_make(struct field *f)
{
	struct device_side *d = &f->device;
	ek_status status = EK_OK;

	if (!tool_on_device(f->run->ctx))
		return TOOL_OK;
	d->ctx = f->run->ctx;
	if (!f->run->options->host_vectors)
		status = vectors(f);
	d->bytes = f->problem->csr_bytes / 2 > 0 ? f->problem->csr_bytes / 2 : 1;
	if (status == EK_OK)
		status = room(d->ctx, d->bytes, &d->from);
	if (status == EK_OK)
		status = room(d->ctx, d->bytes, &d->to);
	if (status == EK_OK)
		hold(f);
	return tool_check(status);
}

void device_free(struct field *f)
{
	struct device_side *d = &f->device;

	if (!d->ctx)
		return;
	ek_plan_destroy(d->holder);
	ek_device_free(d->ctx, d->x);
	ek_device_free(d->ctx, d->y);
	ek_device_free(d->ctx, d->from);
	ek_device_free(d->ctx, d->to);
}

bool device_load(struct field *f)
{
	const struct problem *p = f->problem;

	return !p->out ||
	       ek_device_write(f->device.ctx, f->device.y, p->y, vector_bytes(p, p->out)) == EK_OK;
}

bool device_fetch(struct field *f)
{
	struct problem *p = f->problem;

	return !p->out ||
	       ek_device_read(f->device.ctx, f->device.y, p->y, vector_bytes(p, p->out)) == EK_OK;
}

/* ---- Time ------------------------------------------------------------------------------------ */

/* What a device says, unless it says nothing. */
static double believed(double seconds, double start)
{
	return seconds > 0 ? seconds : tool_seconds() - start;
}

double device_clocked_ours(void *state, int64_t calls)
{
	struct contender *c = state;
	ek_context *ctx = c->field->device.ctx;
	double start = tool_seconds(), seconds = 0;
	ek_status status = ek_device_timer_start(ctx);

	run_ours(c, calls);
	if (status == EK_OK)
		status = ek_device_timer_stop(ctx, &seconds);
	if (status != EK_OK)
		c->record.failed = true;
	return believed(seconds, start);
}

double device_clocked_peer(void *state, int64_t calls)
{
	struct contender *c = state;
	double start = tool_seconds();

	run_peer(c, calls);
	return believed(c->peer->elapsed(c->state), start);
}

void device_run_copy(void *field, int64_t calls)
{
	struct device_side *d = &((struct field *)field)->device;

	for (; calls > 0; calls--)
		if (ek_device_copy(d->ctx, d->to, d->from, d->bytes) != EK_OK)
			d->failed = true;
}

double device_clocked_copy(void *field, int64_t calls)
{
	struct device_side *d = &((struct field *)field)->device;
	double start = tool_seconds(), seconds = 0;
	ek_status status = ek_device_timer_start(d->ctx);

	device_run_copy(field, calls);
	if (status == EK_OK)
		status = ek_device_timer_stop(d->ctx, &seconds);
	if (status != EK_OK)
		d->failed = true;
	return believed(seconds, start);
}

double device_copy_gbps(ek_context *ctx, const ek_device_info *info)
{
	struct field f = {.device = {.ctx = ctx, .bytes = LARGE_BYTES}};
	struct device_side *d = &f.device;
	double best = 0, seconds;

	if (d->bytes > info->memory / 16)
		d->bytes = info->memory / 16;
	if (d->bytes > 0 && room(ctx, d->bytes, &d->from) == EK_OK &&
	    room(ctx, d->bytes, &d->to) == EK_OK)
		for (int k = 0; k <= LARGE_RUNS && !d->failed; k++) {
			seconds = device_clocked_copy(&f, 1);
			if (k && 2e-9 * (double)d->bytes / seconds > best)
				best = 2e-9 * (double)d->bytes / seconds;
		}
	device_free(&f);
	return d->failed ? 0 : best;
}
