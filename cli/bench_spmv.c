/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench spmv: goes through the matrices and shows what was measured, as it comes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static int describe(struct bench_case *c, const struct problem *p, const struct tool_source *source,
                    const ek_context *ctx)
{
	ek_stats stats = {.size = sizeof stats};
	int code = tool_check(ek_matrix_stats(p->A, &stats));

	snprintf(c->matrix, sizeof c->matrix, "%s", source->name);
	c->kind = source->kind;
	c->rows = p->rows;
	c->cols = p->cols;
	c->nnz = p->nnz;
	c->row_max = stats.row_max;
	c->row_mean = stats.row_mean;
	c->row_stddev = stats.row_stddev;
	c->value = ek_value_name(p->value);
	c->index = ek_index_name(p->index);
	c->isa = ek_isa_name(ek_context_isa(ctx));
	c->op = p->op == EK_OP_T ? "t" : "n";
	c->threads = p->threads;
	return code;
}

static bool one_method(const struct bench_options *o)
{
	const char *m = o->common.method;

	return m && strcmp(m, "all") != 0 && !strchr(m, ',') && !o->peers && !o->common.format;
}

/* What a matrix is measured for. */
struct measure {
	struct bench_run run;
	bench_done_fn *done;
	void *user;
};

static int one_matrix(void *user, const struct tool_source *source, ek_matrix *A)
{
	const struct measure *m = user;
	const struct bench_run *run = &m->run;
	struct report *report = run->report;
	struct problem p = {0};
	struct bench_case *c;
	int code = problem_make(&p, &run->options->common, run->ctx, A), done = TOOL_OK;

	c = code ? NULL : report_add(report);
	if (code || !c)
		tool_fail(TOOL_FAILED, "%s: not measured", source->name);
	if (c) {
		code = describe(c, &p, source, run->ctx);
		c->device = report->device.size ? &report->device : NULL;
		c->vectors = c->device && !run->options->host_vectors ? "device" : "host";
		if (!code)
			code = run_case(run, &p, c);
		if (c->count)
			done = m->done(m->user, report, c);
		else
			report->count--; /* no table has a place for nothing */
	}
	problem_free(&p);
	return code ? code : c ? done : TOOL_FAILED;
}

/* The bandwidth beyond the caches, of the device or of the processor. */
static void start_bound(struct report *report, ek_context *ctx)
{
	ek_device_info info = {.size = sizeof info};

	if (ek_context_get_device(ctx, &info) == EK_OK) {
		report->device = info;
		report->memory_gbps = device_copy_gbps(ctx, &info);
	} else {
		report->memory_gbps = read_probe_memory(ek_context_threads(ctx));
	}
}

static void load_peers(const struct bench_options *o, const ek_context *ctx, struct peers *peers)
{
	const bool device = tool_on_device(ctx);
	int here = 0;

	peers_load(peers, o->peer_folder, o->common.quiet);
	for (int k = 0; k < peers->count; k++)
		here += !peers->peer[k]->device == !device;
	if (peers->count && !here)
		tool_remark(&o->common, "no peers: those that are built run on %s",
		            device ? "the processor" : "devices (--device)");
}

int bench_measure(const struct bench_options *o, struct report *report, bench_done_fn *done,
                  void *user)
{
	struct peers peers = {0};
	struct measure m = {{.options = o, .peers = &peers, .report = report}, done, user};
	int code;

	report_start(report, "spmv");
	m.run.ctx = tool_context(&o->common, &code);
	if (code)
		return code;
	if (o->vectors_given && !tool_on_device(m.run.ctx))
		tool_usage("--vectors is for a device; --device names one (ek list devices)");
	if (o->peers)
		load_peers(o, m.run.ctx, &peers);
	start_bound(report, m.run.ctx);
	code = bench_matrices(o, m.run.ctx, one_matrix, &m, report);
	ek_context_destroy(m.run.ctx);
	return code;
}

/* Shows what was measured as it comes. */
static int show_case(void *user, const struct report *report, const struct bench_case *c)
{
	const struct bench_options *o = user;
	int code = report_json(report, c, &o->common);

	if (!one_method(o))
		table_case(c, tool_people(&o->common));
	return code;
}

static int results(const struct bench_options *o, const struct report *report)
{
	FILE *out = tool_people(&o->common);
	int code = tool_json_close(&o->common);

	if (!report->count)
		return code;
	if (one_method(o))
		table_lines(report, out);
	if (report->count > 1)
		table_summary(report, out);
	table_warning(report, out);
	if (o->html) {
		int page = html_write(report, o->html);

		code = code ? code : page;
		if (!page)
			tool_remark(&o->common, "the page is %s", o->html);
	}
	return code;
}

int bench_spmv(int argc, char **argv)
{
	struct bench_options o = {0};
	struct report report;
	int code, shown;

	tool_parse(&bench_argp, argc, argv, &o);
	sweep_apply(&o);
	code = bench_measure(&o, &report, show_case, &o);
	shown = results(&o, &report);
	report_free(&report);
	return code ? code : shown;
}
