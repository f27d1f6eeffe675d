/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench scan, sort, merge ...: what they have in common. For each case all methods of the table,
 * the peers and the bounds are checked and then timed in the same rounds, as products are
 * (bench_run.c), and each gets its record. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_array_field.h"

#define SMALL_BYTES 1000000 /* below it, waking the threads takes longer than moving */

static void line_up(struct array_field *f)
{
	const char *serial = array_plain(f->bench->operation->operation);

	f->serial = f->bound = -1;
	for (int k = 0; k < f->contenders; k++) {
		struct array_contender *c = &f->contender[k];

		if (c->record.failed)
			continue;
		bool moves = c->record.kind == ARRAY_BOUND;
		bool fresh = f->job->operation->before && !moves;

		if (strcmp(c->record.method, serial) == 0)
			f->serial = f->candidates;
		f->candidate[f->candidates] = (struct candidate){
			.run = !moves         ? (c->peer ? array_run_peer : array_run_ours)
		               : c->read.data ? array_run_read
		                              : array_run_copy,
			.state = c,
			.before = fresh ? array_before : NULL,
			.most = fresh ? f->job->most : 0};
		f->of[f->candidates++] = c;
	}
}

/* ---- Records --------------------------------------------------------------------------------- */

static double median_ms(const struct candidate *c, int rounds)
{
	return 1e3 * measure_quantile(c->sample, rounds, 0.5);
}

/* The fastest candidate of a kind, or -1. */
static int fastest(const struct array_field *f, enum array_kind kind, int rounds)
{
	int best = -1;

	for (int k = 0; k < f->candidates; k++)
		if (f->of[k]->record.kind == kind &&
		    (best < 0 ||
		     median_ms(&f->candidate[k], rounds) < median_ms(&f->candidate[best], rounds)))
			best = k;
	return best;
}

/* What one run of a candidate moves. */
static double moved(const struct array_contender *c)
{
	return c->record.kind != ARRAY_BOUND ? c->job->bytes
	       : c->read.data                ? (double)c->read.bytes
	                                     : 2 * (double)c->copy.bytes;
}

static void fill(struct array_field *f, int k, int rounds, int peer)
{
	struct candidate *c = &f->candidate[k];
	struct array_record *r = &f->of[k]->record;
	const struct array_job *job = f->job;

	r->runs = c->runs;
	r->ms = median_ms(c, rounds);
	r->ms_min = 1e3 * measure_quantile(c->sample, rounds, 0);
	r->ms_p10 = 1e3 * measure_quantile(c->sample, rounds, 0.1);
	r->ms_p90 = 1e3 * measure_quantile(c->sample, rounds, 0.9);
	r->gbps = 1e-6 * moved(f->of[k]) / r->ms;
	if (f->bound >= 0 && job->bytes >= SMALL_BYTES)
		r->of_bound = moved(f->of[k]) / moved(f->of[f->bound]) *
		              measure_ratio(&f->candidate[f->bound], c, rounds);
	/* Of a bound: as many keys as it moves the bytes of. */
	r->mkeys = 1e3 * r->gbps * (double)job->n / job->bytes;
	if (r->kind == ARRAY_BOUND)
		return;
	if (f->serial >= 0)
		r->vs_serial = measure_ratio(&f->candidate[f->serial], c, rounds);
	if (peer >= 0)
		r->vs_peer = measure_ratio(&f->candidate[peer], c, rounds);
}

static struct array_case *add_case(struct array_bench *bench, const struct array_field *f)
{
	const struct array_job *job = f->job;
	struct array_case *more = realloc(bench->cases, (size_t)(bench->count + 1) * sizeof *more),
			  *c;

	if (!more)
		return NULL;
	bench->cases = more;
	c = &more[bench->count];
	*c = (struct array_case){.type = job->type,
	                         .n = job->n,
	                         .length = job->length,
	                         .batch = job->batch,
	                         .k = job->k,
	                         .value_size = job->value_size,
	                         .bytes = job->bytes,
	                         .bound_gbps = NAN,
	                         .threads = job->threads};
	memcpy(c->line, job->line, sizeof c->line);
	memcpy(c->variant, job->variant, sizeof c->variant);
	c->record = calloc((size_t)f->contenders, sizeof *c->record);
	bench->count += c->record != NULL;
	return c->record ? c : NULL;
}

static int collect(struct array_field *f, int rounds)
{
	struct array_case *c = add_case(f->bench, f);
	int peer = fastest(f, ARRAY_PEER, rounds), code = TOOL_OK;

	if (!c)
		return tool_fail(TOOL_FAILED, "out of memory for records");
	f->bound = fastest(f, ARRAY_BOUND, rounds);
	for (int k = 0; k < f->candidates; k++)
		if (f->of[k]->record.kind == ARRAY_BOUND || array_check(f->of[k]))
			fill(f, k, rounds, peer);
	for (int k = 0; k < f->contenders; k++) {
		const struct array_record *r = &f->contender[k].record;

		if (r->failed) {
			tool_fail(TOOL_FAILED, "%s: %s: %s", c->line, r->method, r->why);
			code = r->kind == ARRAY_PEER ? code : TOOL_FAILED;
		}
		if (!f->contender[k].hidden)
			c->record[c->count++] = *r;
	}
	for (int k = 0; k < f->candidates; k++)
		c->disturbed += (double)f->candidate[k].disturbed / rounds / f->candidates;
	c->rounds = rounds;
	if (f->bound >= 0) {
		snprintf(c->bound, sizeof c->bound, "%.15s", f->of[f->bound]->record.method);
		c->bound_gbps = f->of[f->bound]->record.gbps;
	}
	return code;
}

static void k_best(struct array_field *f)
{
	int runs;

	for (int k = 0; k < f->candidates; k++)
		f->of[k]->record.ms_kbest = 1e3 * measure_kbest(&f->candidate[k], &runs);
}

static int measure(struct array_field *f)
{
	const struct array_options *o = f->job->options;
	struct measure_limits limits = {o->seconds, o->rounds};
	char what[128];
	struct tool_progress *progress;
	int rounds, code;

	snprintf(what, sizeof what, "%s %s", f->bench->operation->name, f->job->line);
	progress = tool_progress_start(&o->common, what);
	code = array_enter(f);
	if (!code) {
		line_up(f);
		rounds = measure_rounds(f->candidate, f->candidates, &limits, progress);
		if (rounds && o->k_best)
			k_best(f);
		tool_progress_end(progress);
		progress = NULL;
		code = rounds ? collect(f, rounds)
		              : tool_fail(TOOL_FAILED, "out of memory for the times");
	}
	tool_progress_end(progress);
	return code;
}

int array_run(struct array_bench *bench, struct array_job *job)
{
	struct array_field *f = calloc(1, sizeof *f);
	int code, before_count = bench->count, written = TOOL_OK;

	if (!f)
		return tool_fail(TOOL_FAILED, "out of memory");
	f->bench = bench;
	f->job = job;
	code = measure(f);
	for (int k = 0; k < f->contenders; k++) {
		struct array_contender *c = &f->contender[k];

		if (c->peer && c->state)
			c->peer->release(c->state);
		if (c->read.data)
			read_probe_free(&c->read);
	}
	measure_free(f->candidate, f->candidates);
	free(f);
	if (bench->count > before_count) {
		const struct array_case *c = &bench->cases[before_count];

		written = array_json(bench, c);
		if (!bench->operation->keys)
			array_table_case(bench, c, tool_people(&job->options->common));
	}
	return code ? code : written;
}
