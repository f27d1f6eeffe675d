/* SPDX-License-Identifier: BSD-3-Clause
 * Who takes part in a measurement: our methods and the peers, prepared and checked before anything
 * is timed. Preparations that take no time are repeated, and the median counts. */
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

static ek_status make_plan(const struct problem *p, const char *method, const char *format,
                           ek_plan **plan, double *milliseconds)
{
	ek_hints hints = {.size = sizeof hints,
	                  .method = method,
	                  .format = format,
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

/* Copies of the matrix that a conversion has at its height, of about the size of CSR. */
#define MOST_COPIES 4

/* Memory is taken only when it is written to, so what does not fit would end the whole program. */
static bool fits(const struct problem *p, const char *method, const char *format, char *why,
                 size_t size)
{
	const ek_method *m = ek_method_find(method);
	const bool csr =
		format ? strcmp(format, "csr") == 0 : !m || strcmp(ek_method_format(m), "csr") == 0;
	double need = MOST_COPIES * (double)p->csr_bytes, free = tool_memory_free();
	char a[32], b[32];

	if (csr || free < 0 || need < free)
		return true;
	snprintf(why, size, "about %s are needed on the way, and %s are free", tool_bytes(a, need),
	         tool_bytes(b, free));
	return false;
}

/* NULL, which is as the method wants, auto and no method fit all. */
static bool fit(const ek_method *m, const char *format)
{
	size_t len = format ? strcspn(format, ":") : 0;
	const char *of = ek_method_format(m);

	return !m || !format || (strncmp(of, format, len) == 0 && !of[len]);
}

/* CSC has none: those of CSR multiply with it, and the one that auto takes stands for it. */
static bool has_methods(const char *format)
{
	for (const ek_method *m = NULL; (m = ek_method_next(m));)
		if (ek_method_operation(m) == EK_SPMV && fit(m, format))
			return true;
	return false;
}

/* A method with its plan ready, or, without one, refused. */
static struct contender *enter_method(struct field *f, const char *name, const char *format)
{
	const bool stands = strcmp(name, "auto") == 0 && !has_methods(format);
	const bool automatic = strcmp(name, "auto") == 0 && !stands;
	const char *parameters = format ? strchr(format, ':') : NULL;
	const ek_method *m = ek_method_find(name);
	struct contender *c = enter(f, automatic ? RECORD_AUTO : RECORD_OURS,
	                            stands ? format : name, parameters ? parameters : "");

	if (c) {
		c->record.version = ek_version();
		snprintf(c->record.format, sizeof c->record.format, "%s",
		         format ? format
		         : m    ? ek_method_format(m)
		                : "");
	}
	return c;
}

static int refuse(struct field *f, const char *name, const char *format, const char *why)
{
	struct contender *c = enter_method(f, name, format);

	if (c) {
		c->record.refused = true;
		snprintf(c->record.why, sizeof c->record.why, "%s", why);
	}
	return TOOL_OK;
}

/* A method, or auto, with A in a format (NULL: as the method wants). Returns an exit code; one that
 * cannot do this matrix is refused. */
static int enter_ours(struct field *f, const char *name, const char *format, bool hidden)
{
	struct problem *p = f->problem;
	ek_plan *plan = NULL;
	double milliseconds = 0;
	char why[256];

	if (!fits(p, name, format, why, sizeof why))
		return refuse(f, name, format, why);

	ek_status status = make_plan(p, name, format, &plan, &milliseconds);

	if (status == EK_EUNSUPPORTED || status == EK_ELIMIT || status == EK_ENOMEM)
		return refuse(f, name, format, ek_error_text());
	if (status != EK_OK)
		return tool_check(status);

	struct contender *c = enter_method(f, name, format);

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
	snprintf(c->record.format, sizeof c->record.format, "%s", ek_plan_format(plan));
	if (strcmp(name, "auto") == 0)
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

/* The next name of a list, completed; false at its end. */
static bool next_method(const char **list, char name[128])
{
	size_t len = strcspn(*list, ",");
	char word[128];

	if (!len)
		return false;
	snprintf(word, sizeof word, "%.*s", (int)len, *list);
	snprintf(name, 128, "%s", tool_method(word));
	*list += len + strspn(*list + len, ",");
	return true;
}

/* The methods that were named, as far as they fit. */
static int enter_named(struct field *f, const char *names, const char *format)
{
	char name[128];
	int code = TOOL_OK;

	while (!code && next_method(&names, name))
		if (fit(ek_method_find(name), format))
			code = enter_ours(f, name, format, false);
	return code;
}

/* All methods, or those for one format; what has none by auto. */
static int enter_methods(struct field *f, const char *format)
{
	int code = TOOL_OK;

	if (!has_methods(format))
		return enter_ours(f, "auto", format, false);

	for (const ek_method *m = NULL; !code && (m = ek_method_next(m));)
		if (can(f->problem, m) && fit(m, format))
			code = enter_ours(f, ek_method_name(m), format, false);
	return code;
}

static const char *no_method(const struct problem *p, const char *names)
{
	return names                                ? "none of --method multiplies with it"
	       : p->reproducible == EK_REPRO_STRICT ? "no method of it has reproducible bits"
	                                            : "no method of it does this op";
}

/* Each format of --format with its methods; what has no partner is refused. */
static int enter_formats(struct field *f, const char *names, const char *formats)
{
	char format[TOOL_FORMAT], name[128];
	int code = TOOL_OK;

	for (const char *list = formats; !code && tool_format_next("--format", &list, format);) {
		int count = f->contenders;

		code = names ? enter_named(f, names, format) : enter_methods(f, format);
		snprintf(name, sizeof name, "%.*s", (int)strcspn(format, ":"), format);
		if (!code && f->contenders == count)
			code = refuse(f, name, format, no_method(f->problem, names));
	}
	for (const char *list = names; !code && list && next_method(&list, name);) {
		const ek_method *m = ek_method_find(name);
		bool partner = false;

		for (const char *at = formats; tool_format_next("--format", &at, format);)
			partner |= fit(m, format);
		if (!partner)
			code = refuse(f, name, NULL, "it multiplies with none of --format");
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

static int enter_everything(struct field *f)
{
	int code = enter_methods(f, NULL);

	for (const ek_format *format = NULL; !code && (format = ek_format_next(format));)
		if (!has_methods(ek_format_name(format)))
			code = enter_methods(f, ek_format_name(format));
	return code ? code : enter_ours(f, "auto", NULL, false);
}

int enter_all(struct field *f)
{
	const struct tool_options *o = &f->run->options->common;
	const char *names = o->method && strcmp(o->method, "all") != 0 ? o->method : NULL;
	const char *csr = plain_csr(f->problem);
	int code;

	if (o->format)
		code = enter_formats(f, names, o->format);
	else if (names)
		code = enter_named(f, names, NULL);
	else
		code = enter_everything(f);
	if (!code && !entered(f, csr))
		code = enter_ours(f, csr, NULL, true);
	for (int k = 0; !code && k < f->run->peers->count; k++)
		enter_peer(f, f->run->peers->peer[k]);
	return code;
}
