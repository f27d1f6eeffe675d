/* SPDX-License-Identifier: BSD-3-Clause
 * One matrix, all contenders: our methods, the peers, the bare loop and the read probe are prepared,
 * checked, and timed in the same rounds; then each gets its record.
 *
 * Ratios are medians of the ratios of single rounds: a machine whose speed drifts changes both sides
 * alike. Plain CSR, the unit of prepare_calls and vs_csr, is the row loop over threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define SMALL_NNZ     20000 /* below it, the overhead over the bare loop is what counts */
#define MAX_CONTENDER 300
#define CACHE_FACTOR  1.3 /* reads this much faster than memory come from a cache */

struct contender {
	struct record record;
	struct problem *problem;
	ek_plan *plan; /* ours */
	ek_dense x, y;
	const ek_peer *peer;
	void *state; /* of the peer */
	ek_peer_problem peer_problem;
	bool hidden; /* runs only as the unit of the others */
};

struct field {
	const struct bench_run *run;
	struct problem *problem;
	struct contender *contender; /* MAX_CONTENDER of them */
	struct candidate *candidate; /* contenders that passed, then bare loop and probe */
	struct contender **of;       /* of[k] is behind candidate[k] */
	int contenders, candidates;
	int csr, bare, probe; /* candidates; -1: none */
	struct read_probe read;
	struct bare_loop loop;
	double *overhead;
};

/* ---- Running --------------------------------------------------------------------------------- */

static void run_ours(void *state, int64_t calls)
{
	struct contender *c = state;

	for (; calls > 0; calls--)
		if (ek_spmv(c->plan, c->problem->alpha, &c->x, c->problem->beta, &c->y) != EK_OK)
			c->record.failed = true;
}

static void run_peer(void *state, int64_t calls)
{
	struct contender *c = state;

	if (c->peer->run(c->state, calls) != 0)
		c->record.failed = true;
}

static void run_contender(struct contender *c, int64_t calls)
{
	(c->peer ? run_peer : run_ours)(c, calls);
}

/* One run on a fresh y, compared with the reference; keeps the largest error. */
static bool check(struct contender *c)
{
	struct record *r = &c->record;

	problem_reset(c->problem);
	if (c->peer && c->peer->load && c->peer->load(c->state) != 0)
		r->failed = true;
	run_contender(c, 1);
	if (c->peer && c->peer->fetch && c->peer->fetch(c->state) != 0)
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
	c->problem = f->problem;
	r->kind = kind;
	r->device = "cpu";
	snprintf(r->method, sizeof r->method, "%s%s", prefix, name);
	r->ms = r->ms_min = r->ms_p10 = r->ms_p90 = r->prepare_ms = r->prepare_calls = NAN;
	r->gflops = r->gbps = r->csr_gbps = r->of_bound = NAN;
	r->vs_csr = r->vs_best_peer = r->error = r->overhead_ns = NAN;
	r->bytes = f->problem->csr_bytes;
	return c;
}

/* Preparations of less than this are repeated, and the median is taken. */
#define SHORT_SECONDS 20e-3

static ek_status make_plan(const struct problem *p, const char *method, ek_plan **plan,
                           double *milliseconds)
{
	ek_hints hints = {.size = sizeof hints,
	                  .method = method,
	                  .op = p->op,
	                  .calls = p->calls,
	                  .reproducible = p->reproducible};
	double sample[5];
	int k = 0;

	do {
		double start = tool_seconds();
		ek_plan *made;
		ek_status status = ek_plan_create(EK_SPMV, p->A, &hints, &made);

		if (status != EK_OK)
			return status;
		sample[k++] = tool_seconds() - start;
		if (k > 1)
			ek_plan_destroy(*plan);
		*plan = made;
	} while (k < 5 && sample[k - 1] < SHORT_SECONDS);
	*milliseconds = 1e3 * measure_quantile(sample, k, 0.5);
	return EK_OK;
}

/* A method, or auto. Returns an exit code; a method that cannot do this matrix is left out. */
static int enter_ours(struct field *f, const char *name, bool hidden)
{
	struct problem *p = f->problem;
	bool automatic = strcmp(name, "auto") == 0;
	ek_plan *plan = NULL;
	double milliseconds = 0;
	ek_status status = make_plan(p, name, &plan, &milliseconds);
	struct contender *c;

	if (status == EK_EUNSUPPORTED)
		return TOOL_OK;
	if (status != EK_OK)
		return tool_check(status);
	c = enter(f, automatic ? RECORD_AUTO : RECORD_OURS, "", name);
	if (!c) {
		ek_plan_destroy(plan);
		return TOOL_OK;
	}
	c->plan = plan;
	c->hidden = hidden;
	c->x = ek_vector(p->value, p->in, p->x);
	c->y = ek_vector(p->value, p->out, p->y);
	c->record.prepare_ms = milliseconds;
	c->record.bytes = ek_plan_bytes(plan);
	c->record.format = ek_method_format(ek_method_find(ek_plan_method(plan)));
	c->record.version = ek_version();
	if (automatic)
		snprintf(c->record.chosen, sizeof c->record.chosen, "%s", ek_plan_method(plan));
	check(c);
	check(c);
	return TOOL_OK;
}

static void enter_peer(struct field *f, const ek_peer *peer)
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
	                     .alpha = p->alpha,
	                     .beta = p->beta,
	                     .x = p->x,
	                     .y = p->y};
	struct contender *c;
	double start;

	if (!peer->supports(&q) || !(c = enter(f, RECORD_PEER, "peer.", peer->name)))
		return;
	c->peer = peer;
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
	check(c);
	check(c);
}

/* ---- Who takes part -------------------------------------------------------------------------- */

static bool can(const struct problem *p, const ek_method *m)
{
	return ek_method_operation(m) == EK_SPMV && ek_method_supports(m, p->op, p->reproducible);
}

/* The plain loop over rows that is the unit of the ratios. */
static const char *plain_csr(const struct problem *p)
{
	const ek_method *rows = ek_method_find("spmv.csr.rows");

	return rows && can(p, rows) ? "spmv.csr.rows" : "spmv.csr.serial";
}

static int enter_named(struct field *f, const char *names)
{
	char word[64], full[80];
	int code = TOOL_OK;

	for (const char *at = names; *at && !code; at += strspn(at, ",")) {
		size_t len = strcspn(at, ",");

		snprintf(word, sizeof word, "%.*s", (int)len, at);
		snprintf(full, sizeof full, "spmv.%s", word);
		code = enter_ours(f, !ek_method_find(word) && ek_method_find(full) ? full : word,
		                  false);
		at += len;
	}
	return code;
}

static bool entered(const struct field *f, const char *method)
{
	for (int k = 0; k < f->contenders; k++)
		if (strcmp(f->contender[k].record.method, method) == 0)
			return true;
	return false;
}

static int enter_all(struct field *f)
{
	const char *names = f->run->options->common.method;
	const char *csr = plain_csr(f->problem);
	int code = TOOL_OK;

	if (names && strcmp(names, "all") != 0) {
		code = enter_named(f, names);
	} else {
		for (const ek_method *m = NULL; !code && (m = ek_method_next(m));)
			if (can(f->problem, m))
				code = enter_ours(f, ek_method_name(m), false);
		if (!code)
			code = enter_ours(f, "auto", false);
	}
	if (!code && !entered(f, csr))
		code = enter_ours(f, csr, true);
	for (int k = 0; !code && k < f->run->peers->count; k++)
		enter_peer(f, f->run->peers->peer[k]);
	return code;
}

static int candidate(struct field *f, void (*run)(void *, int64_t), void *state,
                     struct contender *c)
{
	f->candidate[f->candidates] = (struct candidate){.run = run, .state = state};
	f->of[f->candidates] = c;
	return f->candidates++;
}

/* Those whose results were right, and what they are measured with. */
static int line_up(struct field *f)
{
	struct problem *p = f->problem;
	const char *csr = plain_csr(p);

	f->csr = f->bare = -1;
	for (int k = 0; k < f->contenders; k++) {
		struct contender *c = &f->contender[k];

		if (c->record.failed)
			continue;
		int at = candidate(f, c->peer ? run_peer : run_ours, c, c);

		if (c->plan && strcmp(c->record.method, csr) == 0)
			f->csr = at;
	}
	if (p->nnz < SMALL_NNZ && p->op == EK_OP_N && p->alpha == 1 && p->beta == 0) {
		f->loop = (struct bare_loop){p->value,   p->index, p->rows, p->row_ptr,
		                             p->col_idx, p->val,   p->x,    p->y};
		f->bare = candidate(f, bare_loop_run, &f->loop, NULL);
	}
	if (!read_probe_make(&f->read, p->csr_bytes, p->threads))
		return tool_fail(TOOL_FAILED, "out of memory for the bandwidth probe");
	f->probe = candidate(f, read_probe_run, &f->read, NULL);
	return TOOL_OK;
}

/* ---- Records --------------------------------------------------------------------------------- */

static double median_ms(const struct candidate *c, int rounds)
{
	return 1e3 * measure_quantile(c->sample, rounds, 0.5);
}

static const struct candidate *best_peer(const struct field *f, int rounds)
{
	const struct candidate *best = NULL;

	for (int k = 0; k < f->candidates; k++)
		if (f->of[k] && f->of[k]->peer &&
		    (!best || median_ms(&f->candidate[k], rounds) < median_ms(best, rounds)))
			best = &f->candidate[k];
	return best;
}

/* The median over the rounds of how much longer `c` took than the bare loop. */
static double overhead_ns(const struct field *f, const struct candidate *c, int rounds)
{
	for (int r = 0; r < rounds; r++)
		f->overhead[r] = 1e9 * (c->sample[r] - f->candidate[f->bare].sample[r]);
	return measure_quantile(f->overhead, rounds, 0.5);
}

static void fill(const struct field *f, int k, int rounds, const struct candidate *peer)
{
	const struct candidate *c = &f->candidate[k], *probe = &f->candidate[f->probe];
	struct record *r = &f->of[k]->record;
	double bytes = (double)f->problem->csr_bytes;

	r->runs = c->runs;
	r->ms = median_ms(c, rounds);
	r->ms_min = 1e3 * measure_quantile(c->sample, rounds, 0);
	r->ms_p10 = 1e3 * measure_quantile(c->sample, rounds, 0.1);
	r->ms_p90 = 1e3 * measure_quantile(c->sample, rounds, 0.9);
	r->gflops = 2e-6 * (double)f->problem->nnz / r->ms;
	r->gbps = 1e-6 * (double)r->bytes / r->ms;
	r->csr_gbps = 1e-6 * bytes / r->ms;
	r->of_bound = bytes / (double)f->read.bytes * measure_ratio(probe, c, rounds);
	if (f->csr >= 0) {
		r->vs_csr = measure_ratio(&f->candidate[f->csr], c, rounds);
		r->prepare_calls = r->prepare_ms / median_ms(&f->candidate[f->csr], rounds);
	}
	if (peer)
		r->vs_best_peer = measure_ratio(peer, c, rounds);
	if (f->bare >= 0)
		r->overhead_ns = overhead_ns(f, c, rounds);
}

static int collect(struct field *f, struct bench_case *c, int rounds)
{
	const struct candidate *peer = best_peer(f, rounds);
	int code = TOOL_OK;

	f->overhead = malloc((size_t)rounds * sizeof *f->overhead);
	c->record = calloc((size_t)f->contenders + 1, sizeof *c->record);
	if (!f->overhead || !c->record)
		return tool_fail(TOOL_FAILED, "out of memory for records");
	for (int k = 0; k < f->candidates; k++)
		if (f->of[k] && check(f->of[k]))
			fill(f, k, rounds, peer);
	for (int k = 0; k < f->contenders; k++) {
		const struct record *r = &f->contender[k].record;

		if (r->failed) {
			tool_fail(TOOL_FAILED, "%s: %s: %s", c->matrix, r->method, r->why);
			code = r->kind == RECORD_PEER ? code : TOOL_FAILED;
		}
		if (!f->contender[k].hidden)
			c->record[c->count++] = *r;
	}
	for (int k = 0; k < f->candidates; k++)
		c->disturbed += (double)f->candidate[k].disturbed / rounds / f->candidates;
	c->rounds = rounds;
	c->csr_bytes = f->problem->csr_bytes;
	c->csr_ms = f->csr >= 0 ? median_ms(&f->candidate[f->csr], rounds) : NAN;
	c->bound_gbps = 1e-6 * (double)f->read.bytes / median_ms(&f->candidate[f->probe], rounds);
	c->in_cache = c->bound_gbps > CACHE_FACTOR * f->run->report->memory_gbps;
	return code;
}

static void release(struct field *f)
{
	for (int k = 0; k < f->contenders; k++) {
		struct contender *c = &f->contender[k];

		ek_plan_destroy(c->plan);
		if (c->peer && c->state)
			c->peer->release(c->state);
	}
	measure_free(f->candidate, f->candidates);
	read_probe_free(&f->read);
	free(f->contender);
	free(f->candidate);
	free(f->of);
	free(f->overhead);
}

int run_case(const struct bench_run *run, struct problem *p, struct bench_case *c)
{
	struct field f = {.run = run, .problem = p};
	struct measure_limits limits = {run->options->seconds, run->options->rounds};
	struct tool_progress *progress = tool_progress_start(&run->options->common, c->matrix);
	int rounds, code;

	f.contender = calloc(MAX_CONTENDER, sizeof *f.contender);
	f.candidate = calloc(MAX_CONTENDER + 2, sizeof *f.candidate);
	f.of = calloc(MAX_CONTENDER + 2, sizeof *f.of);
	code = f.contender && f.candidate && f.of ? enter_all(&f)
	                                          : tool_fail(TOOL_FAILED, "out of memory");
	if (!code)
		code = line_up(&f);
	if (!code) {
		rounds = measure_rounds(f.candidate, f.candidates, &limits, progress);
		tool_progress_end(progress);
		progress = NULL;
		code = rounds ? collect(&f, c, rounds)
		              : tool_fail(TOOL_FAILED, "out of memory for the times");
	}
	tool_progress_end(progress);
	release(&f);
	return code;
}
