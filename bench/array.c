/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench scan, sort, merge ...: measures one case after another, each with all methods. The
 * options list the sizes and types of the cases. No method is named here: the plain method, the
 * baseline of vs_serial, is the operation's first, and a method that counts heap operations is
 * measured with every value of --arity. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

/* The arguments of a call to one of our methods, and the heap operations that it counted. */
struct caller {
	ek_array_options options;
	ek_heap_counts counts;
	char parameters[EK_PARAMETERS_TEXT];
};

/* ---- Running --------------------------------------------------------------------------------- */

static void run(void *entrant, int64_t calls)
{
	struct entrant *e = entrant;
	struct caller *c = e->own;
	struct job *job = e->field->problem;
	const struct operation *op = job->b->op;

	if (e->move) {
		array_device_run(e, &c->options, calls);
		return;
	}
	for (; calls > 0; calls--) {
		if (op->next)
			op->next(job);
		if (op->call(job, &c->options) != EK_OK)
			e->record.failed = true;
	}
}

/* ---- Entrants -------------------------------------------------------------------------------- */

static void heap_counts(struct entrant *e, int arity)
{
	const ek_heap_counts *counts = &((struct caller *)e->own)->counts;
	const double lists = e->field->c->v[V_BATCH] > 0 ? e->field->c->v[V_BATCH] : 1;
	double *v = e->record.v;

	if (!counts->update_key && !counts->compare)
		return;
	v[V_ARITY] = arity;
	v[V_UPDATE_KEY] = (double)counts->update_key / lists;
	v[V_FIND_MAXCHILD] = (double)counts->find_maxchild / lists;
	v[V_COMPARE] = (double)counts->compare / lists;
	v[V_SWAP] = (double)counts->swap / lists;
	v[V_UPDATE_KEY_AFTER] = v[V_UPDATE_KEY] - (double)counts->heapify_update_key / lists;
	v[V_FIND_MAXCHILD_AFTER] =
		v[V_FIND_MAXCHILD] - (double)counts->heapify_find_maxchild / lists;
	v[V_COMPARE_AFTER] = v[V_COMPARE] - (double)counts->heapify_compare / lists;
	v[V_SWAP_AFTER] = v[V_SWAP] - (double)counts->heapify_swap / lists;
	e->record.name = keep("%s d=%d", e->record.name, arity);
}

static struct entrant *enter_arity(struct field *f, const char *name, int arity)
{
	const struct job *job = f->problem;
	struct entrant *e = entrant_add(f, RECORD_OURS, "", name, sizeof(struct caller));
	const char *dot = strchr(name, '.');
	struct caller *c = e->own;

	e->calls.run = run;
	if (job->on_device && tool_method_on_device(name))
		array_device_enter(e);
	if (dot)
		e->record.name = keep("%s", dot + 1);
	if (job->o->block)
		e->record.v[V_BLOCK] = (double)job->o->block;
	c->counts.size = sizeof c->counts;
	c->options = (ek_array_options){.size = sizeof c->options,
	                                .method = e->record.method,
	                                .block = job->o->block,
	                                .arity = arity,
	                                .counts = &c->counts,
	                                .parameters = c->parameters};
	entrant_check(e);
	c->options.counts = NULL;
	c->options.parameters = NULL;
	e->record.parameters = keep("%s", c->parameters);
	heap_counts(e, arity);
	return e;
}

/* Enters a method; if it has heaps, once for each value of --arity. Methods of devices are left out
 * unless there is one. */
static void enter_ours(struct field *f, const char *name, bool hidden)
{
	const struct list *arity = &f->bench->o.arity;

	if (tool_method_on_device(name) && !tool_on_device(f->bench->ctx))
		return;
	struct entrant *e = enter_arity(f, name, arity->count ? (int)arity->value[0] : 0);

	e->hidden = hidden;
	for (int k = 1; !isnan(e->record.v[V_ARITY]) && k < arity->count && !hidden; k++)
		enter_arity(f, name, (int)arity->value[k]);
}

void array_enter(struct field *f)
{
	const struct operation *op = f->bench->op;
	const struct job *job = f->problem;

	f->most = job->most;
	enter_methods(f, enter_ours);
	enter_peers(f, &job->p);
	if (job->on_device) {
		array_device_copies(f);
		return;
	}
	if (op->traits & COPIES)
		enter_copies(f, job->in, job->p.out, (int64_t)job->bytes / 2, job->threads);
	if (op->traits & READS)
		enter_reads(f, (int64_t)job->bytes, job->threads, false);
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static double or_none(int64_t number)
{
	return number ? (double)number : NAN;
}

static int measure(struct job *job)
{
	struct bench_case *c = case_add(job->b);

	c->name = job->line;
	c->variant = job->variant;
	c->value = ek_value_name(job->type);
	case_device(job->b, c, &job->device);
	c->bytes = job->bytes;
	c->v[V_N] = (double)job->n;
	c->v[V_VALUE_SIZE] = (double)job->value_size;
	c->v[V_LENGTH] = or_none(job->length);
	c->v[V_BATCH] = or_none(job->batch);
	c->v[V_K] = or_none(job->k);
	c->v[V_BYTES] = job->bytes;
	c->v[V_THREADS] = job->threads;
	return measure_case(job->b, c, job, keep("%s %s", job->b->op->name, c->name));
}

static int one(struct job *job)
{
	const struct operation *op = job->b->op;
	int code;

	job->size = (int64_t)ek_value_size(job->type);
	op->size(job);
	const char *lack = text_lack(job->need, keep("%s needs ", job->line), "");

	if (lack) {
		fprintf(stderr, "%s: left out: %s\n", tool_name, lack);
		return TOOL_OK;
	}
	op->make(job);
	array_device_make(job);
	code = measure(job);
	array_device_free(job);
	for (int k = 0; k < job->holds; k++)
		free(job->held[k]);
	return code;
}

/* Measures one combination of the values of `lists` of ARRAY_OPERATION. */
static int combination(void *bench, const int64_t value[MOST_LISTS])
{
	struct bench *b = bench;
	struct job job = {.b = b,
	                  .o = &b->o,
	                  .ctx = b->ctx,
	                  .threads = ek_context_threads(b->ctx),
	                  .by_flags = value[0] != 0,
	                  .length = value[1],
	                  .n = value[2],
	                  .value_size = value[3],
	                  .type = (ek_value)value[4],
	                  .device.size = sizeof job.device};

	if (ek_context_get_device(b->ctx, &job.device) != EK_OK)
		job.device.size = 0;
	job.p = (ek_peer_problem){.operation = b->op->operation,
	                          .type = job.type,
	                          .threads = job.threads,
	                          .value_size = (size_t)job.value_size,
	                          .op = (ek_monoid)b->o.op,
	                          .kind = (ek_scan_kind)b->o.kind};
	return one(&job);
}

int walk_arrays(struct bench *b)
{
	return walk_lists(b, b, combination);
}
