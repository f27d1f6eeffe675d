/* SPDX-License-Identifier: BSD-3-Clause
 * Measures what ek bench regret shows. For each number of calls the two choices, auto and learned,
 * make a plan, and every other candidate one by name, which serves all numbers. Each plan takes
 * part in the rounds twice: its run, and its preparation, which makes the same plan again and frees
 * it, untimed. In a round the time of one of n calls is then
 *     T_prepare / n + T_run,
 * which the model predicts as well. The best in hindsight is the candidate with the least median of
 * these times. The regret is the median over the rounds of the time divided by that of the best.
 *
 * Candidates that cannot be the best are not timed in rounds, which would take longer for them than
 * for all others: those whose first preparations and runs take more than HOPELESS times as long as
 * the least, at every number of calls. The rule is one of measured times, not of predictions, so a
 * wrong prediction cannot hide the best candidate.
 *
 * With --peers other libraries take part in the same way, each with one preparation that serves all
 * numbers. They are no candidates: the best in hindsight is one of ours. */
#include <math.h>
#include <stdlib.h>

#include "regret.h"

#define HOPELESS 20.

/* ---- Entries --------------------------------------------------------------------------------- */

/* A plan in the contest. */
struct entry {
	struct entrant *run, *making; /* `making` is NULL unless it is timed */
	int calls; /* number of the item of --calls that the plan is for, or -1 if it is for all */
	ek_prediction predicted[MOST_CALLS]; /* of size 0 if there is none */
};

struct contest {
	struct field f;
	struct problem p;
	const struct list *calls;
	struct entry *entry;
	int entries;
};

/* Whose preparation is made again and again, for how many calls. */
struct maker {
	struct entrant *run;
	struct problem *p;
	int64_t calls; /* 0 if it serves all numbers */
};

/* Makes preparations, frees them, and returns the seconds of making. */
static double make(void *entrant, int64_t calls)
{
	struct entrant *e = entrant;
	const struct maker *m = e->own;
	double seconds = 0;

	m->p->calls = m->calls;
	for (; calls > 0; calls--) {
		const double start = tool_seconds();
		void *made = NULL;

		e->record.failed |= !m->run->prepare(m->run, &made);
		seconds += tool_seconds() - start;
		if (made)
			m->run->drop(m->run, made);
	}
	return seconds;
}

static bool for_calls(const struct entry *at, int k)
{
	return at->calls < 0 || at->calls == k;
}

static bool timed(const struct entrant *e)
{
	return !e->record.refused && !e->record.failed;
}

/* Adds the entrants from number `first` on, which have plans for item `calls` of --calls. */
static void add(struct contest *t, int first, int calls)
{
	for (int k = first; k < t->f.entrants; k++) {
		struct entry *at = &t->entry[t->entries++];
		struct entrant *run = &t->f.entrant[k];
		const ek_plan *plan =
			run->record.kind == RECORD_PEER ? NULL : ((struct product *)run->own)->plan;

		*at = (struct entry){.run = run, .calls = calls};
		for (int n = 0; plan && n < t->calls->count; n++) {
			ek_prediction all = {.size = sizeof all};

			if (ek_plan_predict(plan, t->calls->value[n], &all) == EK_OK)
				at->predicted[n] = all;
		}
	}
}

/* ---- Who is timed ---------------------------------------------------------------------------- */

/* Returns the milliseconds of one of n calls, by the preparations and runs before the rounds. */
static double early(const struct entry *at, int64_t n)
{
	const double *v = at->run->record.v;

	return timed(at->run) ? v[V_PREPARE_MS] / (double)n + v[V_RUN_MS] : NAN;
}

/* Returns how many times as long as the least time of ours the entry takes where it compares
 * best. */
static double nearest(const struct contest *t, const struct entry *at)
{
	double nearest = INFINITY;

	for (int k = 0; k < t->calls->count; k++) {
		double least = INFINITY;

		for (int e = 0; e < t->entries; e++)
			if (for_calls(&t->entry[e], k) &&
			    t->entry[e].run->record.kind != RECORD_PEER)
				least = fmin(least, early(&t->entry[e], t->calls->value[k]));
		nearest = fmin(nearest, early(at, t->calls->value[k]) / least);
	}
	return nearest;
}

/* Returns the milliseconds of the shortest of a few runs. */
static double first_run(struct entrant *e)
{
	double shortest = INFINITY;

	for (int k = 0; k < 3; k++) {
		const double start = tool_seconds();

		e->calls.run(e->calls.state, 1);
		shortest = fmin(shortest, 1e3 * (tool_seconds() - start));
	}
	return shortest;
}

static void leave_out(struct contest *t)
{
	double *times = need(calloc((size_t)t->entries + 1, sizeof *times), "the times");

	for (int k = 0; k < t->entries; k++)
		if (timed(t->entry[k].run))
			t->entry[k].run->record.v[V_RUN_MS] = first_run(t->entry[k].run);
	for (int k = 0; k < t->entries; k++)
		times[k] = nearest(t, &t->entry[k]);
	for (int k = 0; k < t->entries; k++) {
		struct entrant *e = t->entry[k].run;

		e->record.v[V_RUN_MS] = NAN;
		if (!timed(e) || 1u << e->record.kind & KINDS_CHOICES || !(times[k] > HOPELESS))
			continue;
		record_refuse(&e->record,
		              keep("its first calls took at least %.0f times as long as those of "
		                   "the best",
		                   times[k]));
		e->release(e->own);
		e->release = NULL;
	}
	free(times);
}

/* Enters the making of the plans that are timed. */
static void enter_makings(struct contest *t)
{
	for (int k = 0; k < t->entries; k++) {
		struct entry *at = &t->entry[k];

		if (!timed(at->run))
			continue;
		at->making = entrant_add(&t->f, RECORD_BARE, "", at->run->record.method,
		                         sizeof(struct maker));
		at->making->calls.clocked = make;
		*(struct maker *)at->making->own = (struct maker){
			at->run, &t->p, at->calls < 0 ? 0 : t->calls->value[at->calls]};
	}
}

static void enter(struct contest *t)
{
	int first = 0;

	product_methods(&t->f, methods_named(t->f.bench), NULL);
	add(t, first, -1);
	for (int k = 0; k < t->calls->count && !t->f.code; k++) {
		first = t->f.entrants;
		t->p.calls = t->calls->value[k];
		product_enter(&t->f, "auto", NULL);
		if (t->p.reproducible != EK_REPRO_STRICT)
			product_enter(&t->f, "learned", NULL);
		add(t, first, k);
	}
	first = t->f.entrants;
	if (!t->f.code)
		enter_peers(&t->f, &t->p.peer);
	add(t, first, -1);
	if (t->f.code)
		return;
	leave_out(t);
	enter_makings(t);
}

/* ---- Figures --------------------------------------------------------------------------------- */

/* Stores the seconds of one of n calls in each round. */
static void totals(const struct contest *t, const struct entry *at, int64_t n, double *total)
{
	for (int r = 0; r < t->f.rounds; r++)
		total[r] = at->making->calls.sample[r] / (double)n + at->run->calls.sample[r];
}

static void fill(const struct contest *t, const struct entry *at, int k, double *total,
                 struct bench_case *c)
{
	double *v = record_add(c, &at->run->record)->v;
	const ek_prediction *predicted = &at->predicted[k];
	const int rounds = t->f.rounds;

	v[V_PRODUCTS_EXPECTED] = (double)t->calls->value[k];
	if (predicted->size) {
		v[V_PREDICTED_MS] = 1e3 * (predicted->run + predicted->convert);
		v[V_PREDICTED_CONVERT] = 1e3 * predicted->convert;
	}
	if (!timed(at->run)) {
		v[V_PREPARE_MS] = NAN;
		return;
	}
	totals(t, at, t->calls->value[k], total);
	v[V_RUNS] = (double)at->run->calls.runs;
	v[V_DISTURBED] = fmax(entrant_disturbed(at->run), entrant_disturbed(at->making));
	spread_ms(v, V_RUN_MS, at->run);
	v[V_PREPARE_MS] = entrant_ms(at->making);
	v[V_MS] = 1e3 * measure_quantile(total, rounds, 0.5);
	v[V_MS_MIN] = 1e3 * measure_quantile(total, rounds, 0);
	v[V_MS_P10] = 1e3 * measure_quantile(total, rounds, 0.1);
	v[V_MS_P90] = 1e3 * measure_quantile(total, rounds, 0.9);
}

/* Returns the median over the rounds of the quotients of two times. */
static double quotient(const double *a, const double *b, int rounds)
{
	double *ratio = need(malloc(((size_t)rounds + 1) * sizeof *ratio), "the times");

	for (int k = 0; k < rounds; k++)
		ratio[k] = a[k] / b[k];
	const double median = measure_quantile(ratio, rounds, 0.5);

	free(ratio);
	return median;
}

/* Stores what a method of ours loses to the best one; `total` and `best_total` are their times in
 * each round. If the intervals of the two overlap, or it is the faster one, it loses nothing. */
static void compare(struct record *r, const struct record *best, const double *total,
                    const double *best_total, int rounds)
{
	double *v = r->v;

	if (r->kind == RECORD_PEER)
		return;
	v[V_REGRET] = quotient(total, best_total, rounds);
	v[V_TIE] =
		r != best && v[V_MS_P10] <= best->v[V_MS_P90] && best->v[V_MS_P10] <= v[V_MS_P90];
	if (v[V_TIE] || v[V_REGRET] < 1)
		v[V_REGRET] = 1;
}

/* Returns the place of a record's kind: the choices come first. */
static int rank(const struct record *r)
{
	return r->kind == RECORD_AUTO ? 0 : r->kind == RECORD_LEARNED ? 1 : 2;
}

/* Orders records: auto, learned, then by time, then those without a time. */
static int in_order(const void *a, const void *b)
{
	const struct record *x = a, *y = b;
	const double p = isnan(x->v[V_MS]) ? HUGE_VAL : x->v[V_MS];
	const double q = isnan(y->v[V_MS]) ? HUGE_VAL : y->v[V_MS];

	if (rank(x) != rank(y))
		return rank(x) - rank(y);
	return (p > q) - (p < q);
}

/* Adds the records for item k of --calls to the case. */
static void judge(const struct contest *t, int k, struct bench_case *c)
{
	const size_t row = (size_t)t->f.rounds + 1;
	double *total = need(calloc((size_t)t->entries * row, sizeof *total), "the times");
	const double *best_total = NULL, *peer_total = NULL;
	const struct record *best, *peer;

	for (int e = 0; e < t->entries; e++)
		if (for_calls(&t->entry[e], k))
			fill(t, &t->entry[e], k, total + (size_t)c->count * row, c);
	best = case_best(c, 1u << RECORD_OURS);
	if (best) {
		c->best = best->method;
		c->v[V_BEST_MS] = best->v[V_MS];
		c->v[V_BEST_PREDICTED] = best->v[V_PREDICTED_MS];
		best_total = total + (size_t)(best - c->record) * row;
	}
	if ((peer = case_best(c, KINDS_PEERS)))
		peer_total = total + (size_t)(peer - c->record) * row;
	for (struct record *r = c->record; r < c->record + c->count; r++) {
		const double *own = total + (size_t)(r - c->record) * row;

		if (best && !isnan(r->v[V_MS]))
			compare(r, best, own, best_total, t->f.rounds);
		if (peer && !isnan(r->v[V_MS]))
			r->v[V_VS_PEER] = quotient(peer_total, own, t->f.rounds);
	}
	free(total);
	qsort(c->record, (size_t)c->count, sizeof *c->record, in_order);
}

/* ---- The measurement ------------------------------------------------------------------------- */

/* Checks the results once more, and makes the cases. Returns an exit code. */
static int collect(struct contest *t, const struct matrix_at *at)
{
	int code = TOOL_OK;

	for (int k = 0; k < t->entries; k++) {
		struct entry *e = &t->entry[k];
		struct record *r = &e->run->record;

		if (timed(e->run))
			entrant_check(e->run);
		if (e->making && e->making->record.failed && !r->failed) {
			r->failed = true;
			r->why = "it could not be prepared again";
		}
		if (r->failed) {
			tool_fail(TOOL_FAILED, "%s: %s: %s", t->f.c->name, r->method, r->why);
			code = r->kind == RECORD_PEER ? code : TOOL_FAILED;
		}
	}
	for (int k = 0; k < t->calls->count && (!code || code == TOOL_FAILED); k++) {
		struct bench_case *c;
		int this = TOOL_OK;

		if (!(c = case_of_matrix(at->b, at->source, at->A, &this)))
			return this;
		c->op = t->f.c->op;
		c->bytes = t->f.c->bytes;
		c->variant = text_many((double)t->calls->value[k], "call");
		c->name = keep("%s, %s", c->matrix, c->variant);
		c->v[V_ROUNDS] = t->f.rounds;
		c->v[V_DISTURBED] = field_disturbed(&t->f);
		judge(t, k, c);
		this = case_done(at->b, c, TOOL_OK);
		code = this ? this : code;
	}
	return code;
}

static int measure(struct contest *t, const struct matrix_at *at)
{
	const struct bench_options *o = &at->b->o;

	t->f.preparing = t->f.c->name;
	t->f.progress = tool_progress_start(&o->common, t->f.preparing);
	enter(t);
	tool_progress_end(t->f.progress);
	if (t->f.code)
		return t->f.code;
	t->f.progress = tool_progress_start(&o->common, t->f.c->name);
	field_rounds(&t->f, o->seconds);
	tool_progress_end(t->f.progress);
	return collect(t, at);
}

int regret_measure(struct bench *b, const struct tool_source *source, ek_matrix *A)
{
	const struct matrix_at at = {.b = b, .source = source, .A = A};
	struct contest t = {.calls = &b->o.calls};
	struct bench_case c = {.name = source->name, .op = b->o.common.op == EK_OP_T ? "t" : "n"};
	int code = problem_make(&t.p, b, 1, EK_COL_MAJOR, EK_COL_MAJOR, A);

	if (!code) {
		t.f = (struct field){.bench = b, .c = &c, .problem = &t.p};
		t.entry = need(calloc(MOST_ENTRANTS, sizeof *t.entry), "those who are measured");
		c.bytes = (double)t.p.csr_bytes;
		code = measure(&t, &at);
		field_end(&t.f);
		free(t.entry);
	} else {
		tool_fail(TOOL_FAILED, "%s: not measured", source->name);
	}
	problem_free(&t.p);
	return code;
}
