/* SPDX-License-Identifier: BSD-3-Clause
 * The measurement of one problem. All entrants (our methods, the peers, the bounds and, for small
 * products, a bare loop) are prepared, checked, and timed in the same rounds; then each gets its
 * record.
 *
 * Ratios are medians of the ratios of single rounds, in which a drift of the machine's speed
 * affects both sides alike. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

#define SMALL_BYTES  1000000 /* moving fewer bytes takes less time than waking the threads */
#define CACHE_FACTOR 1.3     /* reads faster than memory by this factor come from a cache */

/* ---- Entrants -------------------------------------------------------------------------------- */

static void before(void *entrant, int64_t calls)
{
	const struct field *f = ((struct entrant *)entrant)->field;

	f->bench->op->before(f->problem, calls);
}

struct entrant *entrant_add(struct field *f, enum record_kind kind, const char *prefix,
                            const char *name, size_t own)
{
	if (!f->entrant)
		f->entrant =
			need(calloc(MOST_ENTRANTS, sizeof *f->entrant), "those who are measured");
	if (f->entrants == MOST_ENTRANTS)
		tool_usage("more than %d candidates; name fewer by --method or --format",
		           MOST_ENTRANTS);
	struct entrant *e = &f->entrant[f->entrants++];

	*e = (struct entrant){.record = record_start(kind, prefix, name),
	                      .field = f,
	                      .moves = f->c->bytes,
	                      .own = own ? need(calloc(1, own), "those who are measured") : NULL,
	                      .calls.state = e};
	tool_progress_name(f->progress, f->preparing, e->record.method);
	if (kind < RECORD_BOUND && f->bench->op->before) {
		e->calls.before = before;
		e->calls.most = f->most;
	}
	if (kind <= RECORD_LEARNED) {
		e->record.version = ek_version();
		e->record.isa = ek_isa_name(ek_context_isa(f->bench->ctx));
	}
	return e;
}

void entrant_shorten(struct entrant *e)
{
	const char *dot = strchr(e->record.method, '.');

	e->record.name = dot ? keep("%s", dot + 1) : e->record.method;
}

void entrant_chose(struct entrant *e, const char *method, const ek_plan *plan)
{
	e->record.parameters = keep("%s", ek_plan_parameters(plan));
	if (strcmp(method, "auto") != 0)
		return;
	e->record.kind = RECORD_AUTO;
	e->record.chosen = keep("%s", ek_plan_method(plan));
}

bool entered(const struct field *f, const char *method)
{
	for (int k = 0; k < f->entrants; k++)
		if (strcmp(f->entrant[k].record.method, method) == 0)
			return true;
	return false;
}

const ek_method *method_first(ek_operation operation)
{
	const ek_method *m = NULL;

	while ((m = ek_method_next(m)) && ek_method_operation(m) != operation)
		;
	return m;
}

bool method_here(const struct field *f, const ek_method *m)
{
	return ek_method_operation(m) == f->bench->op->operation &&
	       strcmp(ek_method_device(m), tool_on_device(f->bench->ctx) ? "gpu" : "cpu") == 0;
}

void enter_methods(struct field *f, void (*enter)(struct field *f, const char *name, bool unit))
{
	const struct operation *op = f->bench->op;
	const char *names = methods_named(f->bench);
	char name[TOOL_METHOD];

	f->unit = op->unit ? op->unit : ek_method_name(method_first(op->operation));
	for (const ek_method *m = NULL; !names && (m = ek_method_next(m));)
		if (method_here(f, m))
			enter(f, ek_method_name(m), false);
	while (names && tool_method_next_of(op->operation, &names, name))
		enter(f, name, false);
	if (!entered(f, f->unit))
		enter(f, f->unit, true);
}

static void run_calls(void *entrant, int64_t calls)
{
	struct entrant *e = entrant;
	ek_plan **plan = e->own;

	for (; calls > 0; calls--)
		e->record.failed |= e->field->bench->op->run(e->field->problem, *plan) != EK_OK;
}

static void release_plan(void *own)
{
	ek_plan_destroy(*(ek_plan **)own);
}

static bool prepare_plan(struct entrant *e, void **spare)
{
	ek_plan *plan = NULL;
	const bool good =
		e->field->bench->op->plan(e->field->problem, e->record.method, &plan) == EK_OK;

	*spare = plan;
	return good;
}

void drop_plan(struct entrant *e, void *spare)
{
	(void)e;
	ek_plan_destroy(spare);
}

static void enter_plan(struct field *f, const char *name, bool hidden)
{
	struct entrant *e = entrant_add(f, RECORD_OURS, "", name, sizeof(ek_plan *));
	ek_plan **plan = e->own;
	const double start = tool_seconds();

	entrant_shorten(e);
	e->calls.run = run_calls;
	e->release = release_plan;
	e->hidden = hidden;
	if (f->bench->op->plan(f->problem, e->record.method, plan) != EK_OK) {
		e->record.failed = true;
		e->record.why = keep("%s", ek_error_text());
		return;
	}
	e->record.v[V_PREPARE_MS] = e->record.v[V_FIRST_MS] = 1e3 * (tool_seconds() - start);
	e->prepare = prepare_plan;
	e->drop = drop_plan;
	entrant_chose(e, name, *plan);
	e->record.v[V_SIZE] = 1 + (double)ek_plan_memory(*plan) / f->c->v[V_CSR_BYTES];
	entrant_check(e);
}

void enter_plans(struct field *f)
{
	enter_methods(f, enter_plan);
}

bool entrant_check(struct entrant *e)
{
	const struct operation *op = e->field->bench->op;
	void *problem = e->field->problem;
	struct record *r = &e->record;

	if (e->calls.before)
		e->calls.before(e->calls.state, 1);
	op->spoil(problem);
	r->failed |= e->move && !e->move(e, false);
	e->calls.run(e->calls.state, 1);
	r->failed |= e->move && !e->move(e, true);
	const double error = r->failed ? INFINITY : op->error(problem, r->method);

	if (isnan(r->v[V_ERROR]) || error > r->v[V_ERROR])
		r->v[V_ERROR] = error;
	if (r->failed)
		r->why = keep("%s", e->why ? e->why() : ek_error_text());
	else if (isinf(error))
		r->why = "wrong result";
	else if (!(error <= 1))
		r->why = keep("wrong result: error %.3g times its bound", error);
	r->failed = r->failed || !(error <= 1);
	return !r->failed;
}

void enter_reads(struct field *f, int64_t bytes, int threads, bool hidden)
{
	struct entrant *e = entrant_add(f, RECORD_BOUND, "", "read", sizeof(struct read_probe));

	if (!read_probe_make(e->own, bytes, threads))
		f->code = tool_fail(TOOL_FAILED, "out of memory for the bandwidth probe");
	e->calls = (struct candidate){.run = read_probe_run, .state = e->own};
	e->release = read_probe_free;
	e->moves = (double)((struct read_probe *)e->own)->bytes;
	e->hidden = hidden;
}

void enter_copies(struct field *f, const void *from, void *to, int64_t bytes, int threads)
{
	static const char *const names[] = {"memcpy", "stream"};

	for (int k = 0; k < 2; k++) {
		struct entrant *e =
			entrant_add(f, RECORD_BOUND, "copy.", names[k], sizeof(struct copy_probe));

		*(struct copy_probe *)e->own = (struct copy_probe){from, to, bytes, threads, k};
		e->calls = (struct candidate){.run = copy_probe_run, .state = e->own};
		e->moves = 2 * (double)bytes;
	}
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

void field_rounds(struct field *f, double seconds)
{
	for (struct entrant *e = f->entrant; e < f->entrant + f->entrants; e++)
		if (!e->record.failed && !e->record.refused)
			f->timed[f->candidates++] = &e->calls;
	f->rounds =
		measure_rounds(f->timed, f->candidates, seconds, f->bench->o.rounds, f->progress);
}

void field_end(struct field *f)
{
	for (struct entrant *e = f->entrant; e < f->entrant + f->entrants; e++) {
		if (e->release)
			e->release(e->own);
		free(e->own);
		free(e->calls.sample);
	}
	free(f->entrant);
}

/* ---- Records --------------------------------------------------------------------------------- */

/* Returns the fastest timed entrant of a kind, or NULL; with `again`, one that has it, if any. */
static const struct entrant *fastest(const struct field *f, enum record_kind kind, bool again)
{
	const struct entrant *best = NULL;

	for (const struct entrant *e = f->entrant; e < f->entrant + f->entrants; e++)
		if (entrant_timed(e) && e->record.kind == kind && e->again == again &&
		    (!best || entrant_ms(e) < entrant_ms(best)))
			best = e;
	return best || !again ? best : fastest(f, kind, false);
}

/* The entrants that others are compared with; NULL for those not timed. */
struct yardstick {
	const struct entrant *unit, *bare, *bound, *peer[2]; /* peer[1] for those with `again` */
};

const struct entrant *field_unit(const struct field *f)
{
	for (const struct entrant *e = f->entrant; e < f->entrant + f->entrants; e++)
		if (entrant_timed(e) && e->record.kind == RECORD_OURS &&
		    strcmp(e->record.method, f->unit) == 0)
			return e;
	return NULL;
}

static struct yardstick yardstick_of(const struct field *f)
{
	return (struct yardstick){
		.unit = field_unit(f),
		.bare = fastest(f, RECORD_BARE, false),
		.bound = fastest(f, RECORD_BOUND, false),
		.peer = {fastest(f, RECORD_PEER, false), fastest(f, RECORD_PEER, true)}};
}

static void fill(struct entrant *e, const struct yardstick *y)
{
	const int rounds = e->field->rounds;
	const struct candidate *at = &e->calls;
	const struct bench_case *c = e->field->c;
	double *v = e->record.v;

	v[V_RUNS] = (double)at->runs;
	v[V_DISTURBED] = entrant_disturbed(e);
	v[V_MS] = entrant_ms(e);
	v[V_MS_MIN] = 1e3 * measure_quantile(at->sample, rounds, 0);
	v[V_MS_P10] = 1e3 * measure_quantile(at->sample, rounds, 0.1);
	v[V_MS_P90] = 1e3 * measure_quantile(at->sample, rounds, 0.9);
	v[V_RATE] = 1e-6 * e->moves / v[V_MS];
	v[V_GATHERED_RATE] = c->gathered > 0 ? 1e-6 * c->gathered / v[V_MS] : NAN;
	v[V_GBPS] = isnan(v[V_BYTES]) ? v[V_RATE] : 1e-6 * v[V_BYTES] / v[V_MS];
	v[V_GFLOPS] = c->flops > 0 ? 1e-6 * c->flops / v[V_MS] : NAN;
	/* For a bound, keys are counted by the bytes that it moves. */
	v[V_MKEYS] = 1e3 * v[V_RATE] * c->v[V_N] / c->bytes;
	if (y->bound && c->bytes >= SMALL_BYTES)
		v[V_OF_BOUND] = e->moves / y->bound->moves * entrant_ratio(y->bound, e);
	if (e->record.kind >= RECORD_BOUND)
		return;
	if (e->after)
		e->after(e);
	spread_ratio(v, V_VS_CSR, y->unit, e);
	v[V_VS_SERIAL] = v[V_VS_CSR];
	v[V_VS_PEER] = entrant_ratio(y->peer[e->again], e);
	if (y->unit && isnan(v[V_PREPARE_CALLS]))
		v[V_PREPARE_CALLS] = v[V_PREPARE_MS] / entrant_ms(y->unit);
	if (y->bare)
		v[V_OVERHEAD_NS] = 1e9 * measure_excess(at, &y->bare->calls, rounds);
}

static void fill_case(const struct field *f, const struct yardstick *y)
{
	struct bench_case *c = f->c;

	c->v[V_ROUNDS] = f->rounds;
	c->v[V_DISTURBED] = field_disturbed(f);
	c->unit = f->unit;
	if (y->bound) {
		c->bound = y->bound->record.method;
		c->v[V_BOUND_GBPS] = 1e-6 * y->bound->moves / entrant_ms(y->bound);
	}
	c->v[V_IN_CACHE] = c->bytes < SMALL_BYTES ||
	                   c->v[V_BOUND_GBPS] > CACHE_FACTOR * bench_memory_gbps(f->bench);
}

static int collect(struct field *f)
{
	const struct yardstick y = yardstick_of(f);
	int code = TOOL_OK;

	for (struct entrant *e = f->entrant; e < f->entrant + f->entrants; e++) {
		const struct record *r = &e->record;

		if (r->kind == RECORD_BARE)
			continue;
		if (entrant_timed(e) && !r->failed && (r->kind >= RECORD_BOUND || entrant_check(e)))
			fill(e, &y);
		if (r->failed) {
			tool_fail(TOOL_FAILED, "%s: %s: %s", f->c->name, r->method, r->why);
			code = r->kind == RECORD_PEER ? code : TOOL_FAILED;
		}
		if (!e->hidden)
			record_add(f->c, r);
	}
	fill_case(f, &y);
	return code;
}

/* Takes the K-best times of an entrant, which runs alone, as the scheme requires. */
static void take_kbest(struct entrant *e)
{
	double seconds[KBEST_TIMES];

	measure_kbest(&e->calls, seconds);
	spread_values(e->record.v, V_MS_KBEST, seconds, KBEST_TIMES, 1e3);
	e->record.v[V_KBEST_ROUNDS] = KBEST_TIMES;
}

static int measure(struct field *f, const char *preparing)
{
	const struct bench_options *o = &f->bench->o;

	f->preparing = preparing ? preparing : f->c->name;
	f->progress = tool_progress_start(&o->common, f->preparing);
	f->bench->op->enter(f);
	tool_progress_end(f->progress);
	if (f->code)
		return f->code;
	f->progress = tool_progress_start(&o->common, f->c->name);
	field_rounds(f, o->seconds);
	field_prepare(f, o->seconds);
	for (struct entrant *e = f->entrant; o->k_best && e < f->entrant + f->entrants; e++)
		if (entrant_timed(e))
			take_kbest(e);
	if (o->misses)
		field_misses(f);
	tool_progress_end(f->progress);
	return collect(f);
}

int measure_case(struct bench *b, struct bench_case *c, void *problem, const char *preparing)
{
	struct field f = {.bench = b, .c = c, .problem = problem};
	const int code = measure(&f, preparing);

	field_end(&f);
	return case_done(b, c, code);
}
