/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench scan, sort ... --device NAME: methods of a device, with the arrays in its memory. Each
 * array that the job allocated has a copy there; calls get the job with the addresses of these
 * copies. A batch of calls is timed by the device's own clock, and the bound is a copy on the
 * device, timed in the same way.
 *
 * A sort on a device sorts the same array again in each call of a batch, so all calls but the
 * first get sorted keys. Networks and merges do the same work on them. */
#include <stdlib.h>
#include <string.h>

#include "array.h"

void *array_there(const struct job *job, const void *here)
{
	for (int k = 0; here && k < job->holds; k++)
		if (job->held[k] == here)
			return job->there[k];
	return (void *)(uintptr_t)here;
}

/* Tells whether an array is a single result, which stays on the host: that of a reduction, or the
 * number of entries of a sparse sum. */
static bool stays(const struct job *job, const void *array)
{
	return array == job->result || (job->p.operation == EK_REDUCE && array == job->p.out);
}

/* Returns the job with addresses on the device. */
static struct job placed(const struct job *job)
{
	struct job on = *job;
	ek_peer_problem *p = &on.p;

	on.in = array_there(job, on.in);
	on.smallest = array_there(job, on.smallest);
	on.segments.flag = array_there(job, on.segments.flag);
	on.segments.offset = array_there(job, on.segments.offset);
	p->in = array_there(job, p->in);
	p->in_b = array_there(job, p->in_b);
	p->in_value = array_there(job, p->in_value);
	p->in_b_value = array_there(job, p->in_b_value);
	p->key = array_there(job, p->key);
	p->value = array_there(job, p->value);
	if (!stays(job, p->out))
		p->out = array_there(job, p->out);
	for (int k = 0; k < 3; k++) {
		ek_sparse *v = k == 0 ? &on.x : k == 1 ? &on.y : &on.z;

		v->idx = array_there(job, v->idx);
		v->val = array_there(job, v->val);
	}
	return on;
}

void array_device_make(struct job *job)
{
	const struct operation *op = job->b->op;

	bool any = false;

	for (const ek_method *m = NULL; (m = ek_method_next(m));)
		any |= ek_method_operation(m) == op->operation && *ek_method_device(m) == 'g';
	if (!any || !job->device.size)
		return;
	job->on_device = true;
	for (int k = 0; k < job->holds; k++)
		if (ek_device_alloc(job->ctx, job->bytes_held[k], &job->there[k]) != EK_OK)
			job->device_lacks = true;
}

void array_device_free(struct job *job)
{
	for (int k = 0; k < job->holds; k++)
		ek_device_free(job->ctx, job->there[k]);
}

/* Copies all arrays to the device, or back. */
static bool move(struct entrant *e, bool back)
{
	struct job *job = e->field->problem;
	ek_status status = EK_OK;

	for (int k = 0; k < job->holds && status == EK_OK; k++)
		if (!job->bytes_held[k])
			continue;
		else if (back && !stays(job, job->held[k]))
			status = ek_device_read(job->ctx, job->there[k], job->held[k],
			                        job->bytes_held[k]);
		else if (!back)
			status = ek_device_write(job->ctx, job->there[k], job->held[k],
			                         job->bytes_held[k]);
	return status == EK_OK;
}

/* Prepares the one input of a batch of calls that work in place. */
static void before(void *entrant, int64_t calls)
{
	struct entrant *e = entrant;
	struct job *job = e->field->problem;

	(void)calls;
	job->b->op->before(job, 1);
	job->b->op->next(job);
	if (!move(e, false))
		e->record.failed = true;
}

void array_device_enter(struct entrant *e)
{
	const struct job *job = e->field->problem;

	e->move = move;
	e->calls.clocked = device_clocked;
	if (e->calls.before) {
		e->calls.before = before;
		e->calls.most = 0;
	}
	e->record.device = job->device.name;
}

void array_device_run(struct entrant *e, const ek_array_options *given, int64_t calls)
{
	const struct job *job = e->field->problem;
	struct job on = placed(job);
	ek_array_options o = *given;

	o.where = EK_ON_DEVICE;
	for (; calls > 0; calls--)
		if (job->device_lacks || job->b->op->call(&on, &o) != EK_OK)
			e->record.failed = true;
	if (ek_device_wait(job->ctx) != EK_OK)
		e->record.failed = true;
}

/* ---- The bound ------------------------------------------------------------------------------- */

/* Two arrays on the device that are copied, each of half of the bytes that a call moves. */
struct copies {
	ek_context *ctx;
	void *from, *to;
	int64_t bytes;
};

static void run_copies(void *entrant, int64_t calls)
{
	struct entrant *e = entrant;
	struct copies *c = e->own;

	for (; calls > 0; calls--)
		if (ek_device_copy(c->ctx, c->to, c->from, c->bytes) != EK_OK)
			e->record.failed = true;
}

static void free_copies(void *own)
{
	struct copies *c = own;

	ek_device_free(c->ctx, c->from);
	ek_device_free(c->ctx, c->to);
}

void array_device_copies(struct field *f)
{
	const struct job *job = f->problem;
	struct entrant *e = entrant_add(f, RECORD_BOUND, "copy.", "device", sizeof(struct copies));
	struct copies *c = e->own;

	*c = (struct copies){.ctx = job->ctx, .bytes = (int64_t)job->bytes / 2 + 1};
	if (ek_device_alloc(c->ctx, c->bytes, &c->from) != EK_OK ||
	    ek_device_alloc(c->ctx, c->bytes, &c->to) != EK_OK)
		e->record.failed = true;
	e->calls.run = run_copies;
	e->calls.clocked = device_clocked;
	e->release = free_copies;
	e->moves = 2 * (double)c->bytes;
}
