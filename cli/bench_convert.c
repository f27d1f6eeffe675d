/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench convert: what it costs to make each format, from coordinates and from CSR, in products
 * and in bytes, and what the methods of plain CSR prepare beside it. Everything that is made must
 * go back to CSR without a lost bit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_convert.h"

enum { KEY_FORMAT = 1200, KEY_METHOD, KEY_MAX_BYTES };

static const struct argp_option options[] = {
	{"format", KEY_FORMAT, "LIST", 0, "Formats, with parameters or without (all)", 1},
	{"method", KEY_METHOD, "LIST", 0, "Methods of plain CSR that prepare (all)", 1},
	{"max-bytes", KEY_MAX_BYTES, "SIZE|none", 0,
         "Most bytes of a format (8 times those of CSR, and 1M)", 1},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct bench_options *o = state->input;

	tool_init(key, state, &o->common);
	switch (key) {
	case KEY_FORMAT: o->common.format = arg; break;
	case KEY_METHOD: o->common.method = arg; break;
	case KEY_MAX_BYTES:
		o->max_bytes = strcmp(arg, "none") == 0 ? -1 : tool_size("--max-bytes", arg);
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_child children[] = {{&bench_suite_argp, 0, NULL, 1},
                                             {&tool_common_argp, 0, "Common options:", 2},
                                             {&tool_device_argp, 0, NULL, 2},
                                             {0}};

static char *end_of_help(int key, const char *text, void *input)
{
	(void)input;
	return key == ARGP_KEY_HELP_EXTRA ? convert_legend() : (char *)text;
}

static const struct argp argp = {
	options,
	parse,
	"[MATRIX...]",
	"Times the making of formats from COO and from CSR, and what methods of plain CSR prepare, "
	"in rounds with the way from COO to CSR and with products. What was made must go back to "
	"CSR "
	"without a lost bit.\v"
	"With --format alone no methods are measured, with --method alone no formats. Exit status "
	"1: something did not go back.",
	children,
	end_of_help,
	NULL};

/* ---- What is made ---------------------------------------------------------------------------- */

static int add(struct convert_case *c, const char *name, bool beside)
{
	struct conversion *more = realloc(c->made, (size_t)(c->count + 1) * sizeof *more);

	if (!more)
		return tool_fail(TOOL_FAILED, "out of memory for records");
	c->made = more;
	more[c->count] = (struct conversion){.beside = beside};
	snprintf(more[c->count++].name, sizeof more->name, "%s", name);
	return TOOL_OK;
}

static int add_formats(struct convert_case *c, const struct tool_options *o)
{
	const char *list = o->format;
	char word[TOOL_FORMAT];
	int code = TOOL_OK;

	while (list && !code && tool_format_next("--format", &list, word))
		code = add(c, word, false);
	if (!list && !o->method)
		for (const ek_format *f = NULL; !code && (f = ek_format_next(f));)
			code = add(c, ek_format_name(f), false);
	return code;
}

static bool beside_csr(const ek_method *m)
{
	return m && ek_method_operation(m) == EK_SPMV && strcmp(ek_method_format(m), "csr") == 0 &&
	       ek_method_supports(m, EK_OP_N, EK_REPRO_RUN);
}

static int add_methods(struct convert_case *c, const struct tool_options *o, const ek_context *ctx)
{
	const char *device = tool_on_device(ctx) ? "gpu" : "cpu";
	char name[TOOL_METHOD];
	int code = TOOL_OK;

	for (const char *list = o->method; list && !code && tool_method_next(&list, name);) {
		if (!beside_csr(tool_method_find(name)))
			tool_usage("--method %s: a method of plain CSR is expected; formats are "
			           "given by --format",
			           name);
		code = add(c, name, true);
	}
	if (!o->method && !o->format)
		for (const ek_method *m = NULL; !code && (m = ek_method_next(m));)
			if (beside_csr(m) && strcmp(ek_method_device(m), device) == 0)
				code = add(c, ek_method_name(m), true);
	return code;
}

/* ---- A matrix -------------------------------------------------------------------------------- */

static int json(const struct convert_bench *bench, const struct convert_case *c,
                const struct conversion *m)
{
	json_t *o = json_object();

	record_text(o, "op", "convert");
	record_text(o, "method", m->name);
	tool_json_format(o, m->beside ? "csr" : *m->format ? m->format : m->name);
	record_text(o, "matrix", c->matrix);
	record_text(o, "source", c->kind);
	record_text(o, "group", group_name[c->group]);
	record_integer(o, "rows", c->rows);
	record_integer(o, "cols", c->cols);
	record_integer(o, "nnz", c->nnz);
	record_text(o, "value", ek_value_name(c->value));
	record_text(o, "index", ek_index_name(c->index));
	record_integer(o, "threads", ek_context_threads(bench->ctx));
	record_text(o, "isa", ek_isa_name(ek_context_isa(bench->ctx)));
	record_integer(o, "rounds", m->rounds);
	record_number(o, "disturbed", m->disturbed);
	record_number(o, "coo_ms", m->coo_ms);
	record_number(o, "csr_ms", m->csr_ms);
	record_number(o, "coo_cost", m->coo_cost);
	record_number(o, "csr_cost", m->csr_cost);
	record_number(o, "calls", m->calls);
	record_number(o, "own_calls", m->own_calls);
	record_number(o, "ms", m->ms);
	record_integer(o, "bytes", m->bytes);
	record_integer(o, "csr_bytes", c->csr_bytes);
	record_number(o, "size", m->size);
	if (m->refused || m->failed) {
		json_object_set_new(o, m->failed ? "failed" : "refused", json_true());
		record_text(o, "why", m->why);
	}
	record_text(o, "commit", report_commit());
	record_text(o, "machine", bench->report.machine);
	record_text(o, "date", bench->report.date);
	return tool_json(&bench->options->common, o);
}

static int describe(struct convert_case *c, const ek_matrix *A, const struct tool_source *source)
{
	ek_matrix_info info = {.size = sizeof info};
	ek_stats stats = {.size = sizeof stats};
	int code = tool_check(ek_matrix_get_info(A, &info));

	if (!code)
		code = tool_check(ek_matrix_stats(A, &stats));
	snprintf(c->matrix, sizeof c->matrix, "%s", source->name);
	c->kind = source->kind;
	c->rows = info.rows;
	c->cols = info.cols;
	c->nnz = info.nnz;
	c->csr_bytes = info.bytes;
	c->value = info.value;
	c->index = info.index;
	c->row_max = stats.row_max;
	c->row_mean = stats.row_mean;
	c->group = group_of(stats.row_max, stats.row_mean);
	return code;
}

static int make_all(const struct convert_bench *bench, struct convert_case *c, const ek_matrix *A)
{
	const struct bench_options *o = bench->options;
	struct tool_progress *progress = tool_progress_start(&o->common, c->matrix);
	int code = TOOL_OK, worst = TOOL_OK;

	for (int k = 0; k < c->count && !code; k++) {
		struct conversion *m = &c->made[k];

		code = convert_measure(bench, A, c->csr_bytes, o->seconds / c->count, m);
		if (m->failed)
			worst = tool_fail(TOOL_FAILED, "%s: %s: %s", c->matrix, m->name, m->why);
		if (!code)
			code = json(bench, c, m);
		tool_progress_step(progress, k + 1, c->count);
	}
	tool_progress_end(progress);
	return code ? code : worst;
}

static int one_matrix(void *user, const struct tool_source *source, ek_matrix *A)
{
	struct convert_bench *bench = user;
	const struct tool_options *common = &bench->options->common;
	struct convert_case *more =
		realloc(bench->cases, (size_t)(bench->count + 1) * sizeof *more);
	struct convert_case *c;
	int code;

	if (!more)
		return tool_fail(TOOL_FAILED, "out of memory for records");
	bench->cases = more;
	c = &more[bench->count];
	*c = (struct convert_case){0};
	code = describe(c, A, source);
	if (!code)
		code = add_formats(c, common);
	if (!code)
		code = add_methods(c, common, bench->ctx);
	if (!code)
		code = make_all(bench, c, A);
	if (code == TOOL_OK || code == TOOL_FAILED) {
		convert_table(c, tool_people(common));
		bench->count++;
	} else {
		free(c->made);
	}
	return code;
}

int bench_convert(int argc, char **argv)
{
	struct bench_options o = {0};
	struct convert_bench bench = {.options = &o};
	int code, closed, page = TOOL_OK;

	tool_parse(&argp, argc, argv, &o);
	report_start(&bench.report, "convert");
	bench.ctx = tool_context(&o.common, &code);
	if (code)
		return code;
	code = bench_matrices(&o, bench.ctx, one_matrix, &bench, &bench.report);
	closed = tool_json_close(&o.common);
	if (bench.count > 1)
		convert_summary(&bench, tool_people(&o.common));
	if (o.html && bench.count)
		page = convert_html(&bench, o.html);
	if (o.html && bench.count && !page)
		tool_remark(&o.common, "the page is %s", o.html);
	for (int k = 0; k < bench.count; k++)
		free(bench.cases[k].made);
	free(bench.cases);
	ek_context_destroy(bench.ctx);
	return code ? code : closed ? closed : page;
}
