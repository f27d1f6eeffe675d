/* SPDX-License-Identifier: BSD-3-Clause
 * ek transpose: makes the transpose C of a sparse matrix from a file or a generator, times the
 * plan, the run that makes C, and later runs into it, checks C, and writes it. */
#include <string.h>

#include "ek.h"

struct transpose_options {
	struct tool_options common; /* must be the first member, see tool_init */
	const char *name, *output;
	int64_t memory, repeat;
	bool check, explain;
};

enum { KEY_MEMORY = 512, KEY_REPEAT, KEY_CHECK, KEY_EXPLAIN, KEY_METHOD };

static const struct argp_option options[] = {
	{"method", KEY_METHOD, "NAME", 0, "a method of transpose, or auto (auto)", 0},
	{"memory", KEY_MEMORY, "SIZE", 0,
         "most bytes beside the matrix and its transpose, such as 500M or 2^33 (no limit)", 0},
	{"repeat", KEY_REPEAT, "N", 0, "later runs, which move the values again (0)", 0},
	{"check", KEY_CHECK, NULL, 0, "compare all bits with transpose.csr.serial", 0},
	{"explain", KEY_EXPLAIN, NULL, 0, "print why the plan is as it is", 0},
	{"output", 'o', "FILE", 0,
         "where to write the transpose; the name ends in .mtx or .ekm (nowhere)", 0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct transpose_options *o = state->input;

	tool_init(key, state, &o->common);
	switch (key) {
	case KEY_METHOD: o->common.method = arg; break;
	case KEY_MEMORY: o->memory = tool_size("--memory", arg); break;
	case KEY_REPEAT: o->repeat = tool_integer("--repeat", arg, 0, INT64_MAX); break;
	case KEY_CHECK: o->check = true; break;
	case KEY_EXPLAIN: o->explain = true; break;
	case 'o': o->output = arg; break;
	case ARGP_KEY_ARG:
		if (o->name)
			tool_usage("%s: one matrix is expected", arg);
		o->name = arg;
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_child children[] = {{&tool_common_argp, 0, "Common options:", 1}, {0}};
static const struct argp argp = {options, parse, "A", "C = A^T, all sparse.", children, NULL, NULL};

struct transpose {
	const struct transpose_options *o;
	struct tool_source source;
	ek_context *ctx;
	ek_matrix *A, *C;
	ek_plan *plan;
	double plan_seconds, first_seconds, mean_seconds;
};

static int prepare(struct transpose *p)
{
	const ek_hints hints = {.size = sizeof hints,
	                        .method = p->o->common.method,
	                        .calls = p->o->repeat + 1,
	                        .memory = p->o->memory};
	const double start = tool_seconds();
	const int code = tool_check(ek_plan_create(EK_TRANSPOSE, p->A, &hints, &p->plan));

	p->plan_seconds = tool_seconds() - start;
	return code;
}

static int run_all(struct transpose *p, struct tool_progress *progress)
{
	const int64_t repeat = p->o->repeat;
	double start = tool_seconds();
	int code = tool_check(ek_transpose(p->plan, &p->C));

	p->first_seconds = tool_seconds() - start;
	tool_progress_step(progress, 1, repeat + 1);
	start = tool_seconds();
	for (int64_t k = 0; k < repeat && !code; k++) {
		code = tool_check(ek_transpose(p->plan, &p->C));
		tool_progress_step(progress, k + 2, repeat + 1);
	}
	if (repeat)
		p->mean_seconds = (tool_seconds() - start) / (double)repeat;
	return code;
}

/* Makes the plan and does all runs, with one progress bar. */
static int compute(struct transpose *p)
{
	struct tool_progress *progress = tool_progress_start(&p->o->common, "transposing");
	int code = prepare(p);

	if (!code)
		code = run_all(p, progress);
	tool_progress_end(progress);
	return code;
}

/* Compares the array `name` of C with that of D bit for bit. */
static int compare(const ek_matrix *C, const ek_matrix *D, const char *name)
{
	ek_view c = {.size = sizeof c}, d = {.size = sizeof d};

	if (ek_matrix_array(C, name, &c) != EK_OK || ek_matrix_array(D, name, &d) != EK_OK)
		return tool_check(EK_EINVAL);
	if (c.len == d.len && memcmp(c.data, d.data, (size_t)c.len * c.elem_size) == 0)
		return TOOL_OK;
	return tool_fail(TOOL_FAILED, "%s differs from that by transpose.csr.serial", name);
}

static int check(const struct transpose *p, FILE *out)
{
	static const char *const name[2][3] = {{"row_ptr", "col_idx", "val"},
	                                       {"col_ptr", "row_idx", "val"}};
	const ek_hints hints = {.size = sizeof hints, .method = "transpose.csr.serial"};
	ek_matrix_info info = {.size = sizeof info};
	struct tool_progress *progress = tool_progress_start(&p->o->common, "checking");
	ek_matrix *D = NULL;
	ek_plan *plan = NULL;
	int code = tool_check(ek_plan_create(EK_TRANSPOSE, p->A, &hints, &plan));

	if (!code)
		code = tool_check(ek_transpose(plan, &D));
	if (!code)
		code = tool_check(ek_matrix_get_info(p->C, &info));
	for (int k = 0; k < 3 && !code; k++)
		code = compare(p->C, D, name[strcmp(info.format, "csc") == 0][k]);
	tool_progress_end(progress);
	if (!code)
		fprintf(out, "check     same bits as by transpose.csr.serial\n");
	ek_plan_destroy(plan);
	ek_matrix_destroy(D);
	return code;
}

/* ---- Results --------------------------------------------------------------------------------- */

static ek_matrix_info info_of(const ek_matrix *M)
{
	ek_matrix_info info = {.size = sizeof info};

	ek_matrix_get_info(M, &info);
	return info;
}

static void print_matrix(FILE *out, const char *name, const ek_matrix *M)
{
	const ek_matrix_info info = info_of(M);
	char rows[32], cols[32], nnz[32];

	fprintf(out, "%-9s %s x %s, %s entries, %s %s %s\n", name, tool_count(rows, info.rows),
	        tool_count(cols, info.cols), tool_count(nnz, info.nnz), info.format,
	        ek_value_name(info.value), ek_index_name(info.index));
}

/* Returns the GB/s at which A is read and C is written. */
static double speed(const struct transpose *p, double seconds)
{
	const int64_t bytes = info_of(p->A).bytes + info_of(p->C).bytes;

	return seconds > 0 ? 1e-9 * (double)bytes / seconds : 0;
}

static void print(const struct transpose *p, FILE *out)
{
	char bytes[32], text[4096];

	print_matrix(out, "A", p->A);
	print_matrix(out, "C", p->C);
	fprintf(out, "method    %s, prepared in %.4g ms, holds %s\n", ek_plan_method(p->plan),
	        1e3 * p->plan_seconds, tool_bytes(bytes, (double)ek_plan_memory(p->plan)));
	fprintf(out, "first run %.4g ms, %.3g GB/s\n", 1e3 * p->first_seconds,
	        speed(p, p->first_seconds));
	if (p->o->repeat)
		fprintf(out, "later     %.4g ms in the mean of %lld, %.3g GB/s\n",
		        1e3 * p->mean_seconds, (long long)p->o->repeat, speed(p, p->mean_seconds));
	if (p->o->explain && ek_plan_explain(p->plan, text, sizeof text) == EK_OK)
		fprintf(out, "\n%s%s", text, text[strlen(text) - 1] == '\n' ? "" : "\n");
}

static json_t *record_of(const struct transpose *p, int checked)
{
	json_t *record = tool_record(&p->source, p->A);

	json_object_set_new(record, "method", json_string(ek_plan_method(p->plan)));
	json_object_set_new(record, "threads", json_integer(ek_context_threads(p->ctx)));
	json_object_set_new(record, "isa", json_string(ek_isa_name(ek_context_isa(p->ctx))));
	json_object_set_new(record, "prepare_ms", json_real(1e3 * p->plan_seconds));
	json_object_set_new(record, "first_ms", json_real(1e3 * p->first_seconds));
	json_object_set_new(record, "gbps", json_real(speed(p, p->first_seconds)));
	if (p->o->repeat) {
		json_object_set_new(record, "repeat", json_integer(p->o->repeat));
		json_object_set_new(record, "ms", json_real(1e3 * p->mean_seconds));
	}
	json_object_set_new(record, "memory", json_integer(ek_plan_memory(p->plan)));
	if (p->o->check)
		json_object_set_new(record, "failed", json_boolean(checked != TOOL_OK));
	return record;
}

static int run(struct transpose *p)
{
	const struct transpose_options *o = p->o;
	FILE *out = o->output && strcmp(o->output, "-") == 0 ? stderr : tool_people(&o->common);
	int code = tool_matrix(p->ctx, &o->common, o->name, &p->source, &p->A), checked = TOOL_OK;

	if (!code)
		code = compute(p);
	if (code)
		return code;
	print(p, out);
	if (o->check)
		checked = check(p, out);
	if (o->output)
		code = tool_write(&o->common, p->C, o->output, NULL);
	if (!code && o->common.json)
		code = tool_json_one(&o->common, record_of(p, checked));
	return checked ? checked : code;
}

/* Ends the program if options are missing or conflict. */
static void check_options(const struct transpose_options *o)
{
	const struct tool_options *common = &o->common;

	if (!o->name)
		tool_usage("a matrix is expected: a file, -, a generator or a twin");
	if (common->method && strcmp(common->method, "all") == 0)
		tool_usage("--method all: one method or auto is expected; ek list methods has all");
	if (common->json && o->output && strcmp(common->json, "-") == 0 &&
	    strcmp(o->output, "-") == 0)
		tool_usage("--json -: standard output takes C; name a file for one of them");
	if (o->output)
		tool_output_form(o->output, NULL);
}

int cmd_transpose(int argc, char **argv)
{
	static struct transpose_options o;
	struct transpose p = {.o = &o};
	int code = TOOL_OK;

	tool_parse(&argp, argc, argv, &o);
	check_options(&o);
	o.common.method = tool_method_of(EK_TRANSPOSE, o.common.method);
	p.ctx = tool_context(&o.common, &code);
	if (!p.ctx)
		return code;
	code = run(&p);
	ek_plan_destroy(p.plan);
	ek_matrix_destroy(p.C);
	ek_matrix_destroy(p.A);
	ek_context_destroy(p.ctx);
	return code;
}
