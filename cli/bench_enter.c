/* SPDX-License-Identifier: BSD-3-Clause
 * Who takes part in a measurement: our methods and the peers, prepared and checked before anything is
 * timed. Preparations that take no time are repeated, and the median counts. */
#include <math.h>
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

/* One run on a fresh y, compared with the reference; keeps the largest error. */
bool contender_check(struct contender *c)
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
	r->ms = r->ms_kbest = r->ms_min = r->ms_p10 = r->ms_p90 = r->prepare_ms = r->prepare_calls =
		NAN;
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
	contender_check(c);
	contender_check(c);
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
	contender_check(c);
	contender_check(c);
}

/* ---- Who takes part -------------------------------------------------------------------------- */

static bool can(const struct problem *p, const ek_method *m)
{
	return ek_method_operation(m) == EK_SPMV && ek_method_supports(m, p->op, p->reproducible);
}

/* The plain loop over rows that is the unit of the ratios. */
const char *plain_csr(const struct problem *p)
{
	const ek_method *rows = ek_method_find("spmv.csr.rows");

	return rows && can(p, rows) ? "spmv.csr.rows" : "spmv.csr.serial";
}

static int enter_named(struct field *f, const char *names)
{
	char word[64];
	int code = TOOL_OK;

	for (const char *at = names; *at && !code; at += strspn(at, ",")) {
		size_t len = strcspn(at, ",");

		snprintf(word, sizeof word, "%.*s", (int)len, at);
		code = enter_ours(f, tool_method(word), false);
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

int enter_all(struct field *f)
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
