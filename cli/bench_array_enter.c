/* SPDX-License-Identifier: BSD-3-Clause
 * Who takes part in a benchmark on arrays, checked before anything is timed. What the methods are
 * called is not known here: the plain method, the unit of vs_serial, is the first of its operation,
 * and a method that counts what heaps do has heaps, so it is measured with every --arity. */
#include <math.h>
#include <string.h>

#include "bench_array_field.h"

/* ---- Running --------------------------------------------------------------------------------- */

void array_run_ours(void *state, int64_t calls)
{
	struct array_contender *c = state;

	for (; calls > 0; calls--) {
		if (c->job->operation->next)
			c->job->operation->next(c->job);
		if (c->job->operation->call(c->job, &c->options) != EK_OK)
			c->record.failed = true;
	}
}

void array_run_peer(void *state, int64_t calls)
{
	struct array_contender *c = state;

	for (; calls > 0; calls--) {
		if (c->job->operation->next)
			c->job->operation->next(c->job);
		if (c->peer->run(c->state, &c->job->peer) != 0)
			c->record.failed = true;
	}
}

void array_run_copy(void *state, int64_t calls)
{
	copy_probe_run(&((struct array_contender *)state)->copy, calls);
}

void array_run_read(void *state, int64_t calls)
{
	read_probe_run(&((struct array_contender *)state)->read, calls);
}

void array_before(void *state, int64_t calls)
{
	struct array_job *job = ((struct array_contender *)state)->job;

	job->operation->before(job, calls);
}

bool array_check(struct array_contender *c)
{
	struct array_record *r = &c->record;
	struct array_job *job = c->job;

	if (job->operation->before)
		job->operation->before(job, 1);
	job->operation->spoil(job);
	(c->peer ? array_run_peer : array_run_ours)(c, 1);
	double error = r->failed ? INFINITY : job->operation->error(job, r->method);

	if (isnan(r->error) || error > r->error)
		r->error = error;
	if (r->failed)
		snprintf(r->why, sizeof r->why, "%s", c->peer ? "failed" : ek_error_text());
	else if (isinf(error))
		snprintf(r->why, sizeof r->why, "wrong result");
	else if (error > 1)
		snprintf(r->why, sizeof r->why, "wrong result: error %.3g times its bound", error);
	r->failed = r->failed || !(error <= 1);
	return !r->failed;
}

/* ---- Who takes part -------------------------------------------------------------------------- */

static struct array_contender *enter(struct array_field *f, enum array_kind kind,
                                     const char *prefix, const char *name)
{
	struct array_contender *c = &f->contender[f->contenders];
	struct array_record *r = &c->record;

	if (f->contenders == MAX_CONTENDER)
		return NULL;
	f->contenders++;
	c->job = f->job;
	r->kind = kind;
	snprintf(r->method, sizeof r->method, "%s%s", prefix, name);
	r->ms = r->ms_min = r->ms_p10 = r->ms_p90 = r->ms_kbest = r->gbps = r->mkeys = NAN;
	r->of_bound = r->vs_serial = r->vs_peer = r->error = NAN;
	return c;
}

static struct array_contender *enter_arity(struct array_field *f, const char *name, int arity)
{
	struct array_contender *c = enter(f, ARRAY_OURS, "", name);

	if (!c)
		return NULL;
	c->record.version = ek_version();
	c->record.counts.size = sizeof c->record.counts;
	c->options = (ek_array_options){.size = sizeof c->options,
	                                .method = c->record.method,
	                                .block = f->job->options->block,
	                                .arity = arity,
	                                .counts = &c->record.counts};
	array_check(c);
	c->options.counts = NULL;
	if (c->record.counts.update_key || c->record.counts.compare)
		c->record.arity = arity;
	return c;
}

/* A method, once for each arity if it has heaps; one that cannot do this case is left out. */
static void enter_ours(struct array_field *f, const char *name, bool hidden)
{
	const struct array_list *arity = &f->job->options->arity;
	struct array_contender *c = enter_arity(f, name, arity->count ? (int)arity->value[0] : 0);

	if (!c)
		return;
	c->hidden = hidden;
	for (int k = 1; c->record.arity && k < arity->count && !hidden; k++)
		enter_arity(f, name, (int)arity->value[k]);
}

static void enter_named(struct array_field *f, const char *names)
{
	char word[64];

	for (const char *at = names; *at; at += strspn(at, ",")) {
		size_t len = strcspn(at, ",");

		snprintf(word, sizeof word, "%.*s", (int)len, at);
		enter_ours(f, tool_method_of(f->bench->operation->operation, word), false);
		at += len;
	}
}

static void enter_peer(struct array_field *f, const ek_array_peer *peer)
{
	struct array_contender *c;

	if (!peer->supports(&f->job->peer) || !(c = enter(f, ARRAY_PEER, "peer.", peer->name)))
		return;
	c->peer = peer;
	c->record.version = peer->version();
	if (peer->prepare(&f->job->peer, &c->state) != 0) {
		c->record.failed = true;
		c->state = NULL;
		snprintf(c->record.why, sizeof c->record.why, "out of memory");
		return;
	}
	array_check(c);
}

static int enter_bounds(struct array_field *f)
{
	static const char *const copies[] = {"memcpy", "stream"};
	struct array_job *job = f->job;
	struct array_contender *c;

	for (int k = 0; k < 2 && job->operation->bound == BOUND_COPY; k++)
		if ((c = enter(f, ARRAY_BOUND, "copy.", copies[k])))
			c->copy = (struct copy_probe){job->copy_from, job->copy_to, job->copy_bytes,
			                              job->threads, k == 1};
	if (job->operation->bound == BOUND_READ && (c = enter(f, ARRAY_BOUND, "", "read")) &&
	    !read_probe_make(&c->read, (int64_t)job->bytes, job->threads))
		return tool_fail(TOOL_FAILED, "out of memory for the bandwidth probe");
	return TOOL_OK;
}

const char *array_plain(ek_operation operation)
{
	for (const ek_method *m = NULL; (m = ek_method_next(m));)
		if (ek_method_operation(m) == operation)
			return ek_method_name(m);
	return NULL;
}

int array_enter(struct array_field *f)
{
	const char *names = f->job->options->common.method;
	ek_operation operation = f->bench->operation->operation;
	const char *serial = array_plain(operation);
	bool seen = false;

	if (!serial)
		return tool_fail(TOOL_UNSUPPORTED, "the library has no method for this");
	if (names && strcmp(names, "all") != 0)
		enter_named(f, names);
	else
		for (const ek_method *m = NULL; (m = ek_method_next(m));)
			if (ek_method_operation(m) == operation)
				enter_ours(f, ek_method_name(m), false);
	for (int k = 0; k < f->contenders; k++)
		seen |= strcmp(f->contender[k].record.method, serial) == 0;
	if (!seen)
		enter_ours(f, serial, true);
	for (int k = 0; k < f->bench->peers; k++)
		enter_peer(f, f->bench->peer[k]);
	return enter_bounds(f);
}
