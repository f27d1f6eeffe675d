/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench spmv on a device. Vectors are in the device's memory, unless --vectors host is given,
 * and a batch of products is timed by the device's own clock, between two points in its queue. The
 * bound is timed in the same way. It is a copy whose reads and writes together move as many bytes
 * as the CSR arrays and vectors have, so that both the product and the copy fit in the device's
 * cache or neither does. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spmv.h"

#define LARGE_BYTES (INT64_C(256) << 20) /* bytes that a copy reads, larger than any cache */
#define LARGE_RUNS  5

/* ---- Memory ---------------------------------------------------------------------------------- */

static int64_t bytes_of(const ek_dense *v)
{
	return v->rows * v->cols * (int64_t)ek_value_size(v->value);
}

static ek_status allocate(ek_context *ctx, int64_t bytes, void **data)
{
	return ek_device_alloc(ctx, bytes > 0 ? bytes : 1, data);
}

static ek_status vectors(struct problem *p)
{
	const int64_t count = problem_sides(p);
	struct device_side *d = &p->device;
	ek_status status = EK_OK;

	d->side = need(calloc((size_t)count, sizeof *d->side), "vectors");
	for (int64_t k = 0; k < count && status == EK_OK; k++) {
		const ek_dense *here = &p->side[k];

		d->side[k] = *here;
		d->side[k].where = EK_ON_DEVICE;
		d->side[k].data = NULL;
		status = allocate(d->ctx, bytes_of(here), &d->side[k].data);
		if (status == EK_OK && bytes_of(here))
			status = ek_device_write(d->ctx, d->side[k].data, here->data,
			                         bytes_of(here));
	}
	return status;
}

/* Makes a plan of the unit, which keeps the CSR arrays on the device while others are prepared. */
static void hold(const struct field *f, struct problem *p)
{
	ek_hints hints = {.size = sizeof hints, .method = f->unit, .op = p->op};

	if (ek_plan_create(EK_SPMV, p->A, &hints, &p->device.holder) != EK_OK)
		p->device.holder = NULL;
}

int device_make(const struct field *f, struct problem *p)
{
	struct device_side *d = &p->device;
	ek_status status = EK_OK;

	if (!tool_on_device(f->bench->ctx))
		return TOOL_OK;
	d->ctx = f->bench->ctx;
	if (strcmp(f->c->vectors, "device") == 0)
		status = vectors(p);
	d->bytes = p->csr_bytes / 2 > 0 ? p->csr_bytes / 2 : 1;
	if (status == EK_OK)
		status = allocate(d->ctx, d->bytes, &d->from);
	if (status == EK_OK)
		status = allocate(d->ctx, d->bytes, &d->to);
	if (status == EK_OK)
		hold(f, p);
	return tool_check(status);
}

void device_free(struct problem *p)
{
	struct device_side *d = &p->device;

	if (!d->ctx)
		return;
	ek_plan_destroy(d->holder);
	for (int64_t k = 0; d->side && k < problem_sides(p); k++)
		ek_device_free(d->ctx, d->side[k].data);
	free(d->side);
	ek_device_free(d->ctx, d->from);
	ek_device_free(d->ctx, d->to);
}

bool device_move(const struct problem *p, const ek_dense *there, const ek_dense *here, bool back)
{
	const int64_t bytes = bytes_of(here);
	ek_status status = EK_OK;

	if (bytes && back)
		status = ek_device_read(p->device.ctx, there->data, here->data, bytes);
	else if (bytes)
		status = ek_device_write(p->device.ctx, there->data, here->data, bytes);
	return status == EK_OK;
}

/* ---- Time ------------------------------------------------------------------------------------ */

/* Makes `calls` calls, and returns their seconds on the device's clock, 0 if it gives no time. */
static double device_seconds(ek_context *ctx, void (*run)(void *, int64_t), void *state,
                             int64_t calls, bool *failed)
{
	double seconds = 0;
	ek_status status = ek_device_timer_start(ctx);

	run(state, calls);
	if (status == EK_OK)
		status = ek_device_timer_stop(ctx, &seconds);
	*failed |= status != EK_OK;
	return seconds;
}

double device_clocked(void *entrant, int64_t calls)
{
	struct entrant *e = entrant;

	return device_seconds(e->field->bench->ctx, e->calls.run, e, calls, &e->record.failed);
}

/* Time of a product beyond which that of the call means nothing. */
#define MOST_CALL_MS 1.0

/* Returns the seconds of one of `calls` calls, the least of so many attempts. The device is idle
 * before, and its work is in the time only if `wait`. */
static double least_call(struct entrant *e, int attempts, int64_t calls, bool wait)
{
	ek_context *ctx = e->field->bench->ctx;
	double least = HUGE_VAL;

	for (int k = 0; k < attempts; k++) {
		e->record.failed |= ek_device_wait(ctx) != EK_OK;
		const double start = tool_seconds();

		e->calls.run(e->calls.state, calls);
		if (wait)
			e->record.failed |= ek_device_wait(ctx) != EK_OK;
		least = fmin(least, tool_seconds() - start);
	}
	e->record.failed |= ek_device_wait(ctx) != EK_OK;
	return least / (double)calls;
}

void device_call_times(struct entrant *e)
{
	if (!(e->record.v[V_MS] < MOST_CALL_MS))
		return;
	/* Few calls, so that none has to wait for room in the queue. */
	e->record.v[V_CALL_US] = 1e6 * least_call(e, 20, 8, false);
	e->record.v[V_LATENCY_US] = 1e6 * least_call(e, 50, 1, true);
	if (e->record.failed)
		e->record.why = keep("%s", ek_error_text());
}

static void copy(void *side, int64_t calls)
{
	struct device_side *d = side;

	for (; calls > 0; calls--)
		if (ek_device_copy(d->ctx, d->to, d->from, d->bytes) != EK_OK)
			d->failed = true;
}

static void run_copy(void *entrant, int64_t calls)
{
	copy(&((struct problem *)((struct entrant *)entrant)->field->problem)->device, calls);
}

void device_enter_copies(struct field *f)
{
	struct entrant *e = entrant_add(f, RECORD_BOUND, "copy.", "device", 0);

	e->calls.run = run_copy;
	e->calls.clocked = device_clocked;
	e->moves = 2 * (double)((struct problem *)f->problem)->device.bytes;
	e->hidden = true;
}

double device_copy_gbps(ek_context *ctx, const ek_device_info *info)
{
	struct problem p = {.device = {.ctx = ctx, .bytes = LARGE_BYTES}};
	struct device_side *d = &p.device;
	double best = 0;

	if (d->bytes > info->memory / 16)
		d->bytes = info->memory / 16;
	if (d->bytes > 0 && allocate(ctx, d->bytes, &d->from) == EK_OK &&
	    allocate(ctx, d->bytes, &d->to) == EK_OK)
		for (int k = 0; k <= LARGE_RUNS && !d->failed; k++) {
			const double start = tool_seconds();
			double seconds = device_seconds(ctx, copy, d, 1, &d->failed);

			seconds = seconds > 0 ? seconds : tool_seconds() - start;
			if (k && 2e-9 * (double)d->bytes / seconds > best)
				best = 2e-9 * (double)d->bytes / seconds;
		}
	device_free(&p);
	return d->failed ? 0 : best;
}
