/* SPDX-License-Identifier: BSD-3-Clause
 * ek triple: computes Galerkin products C = alpha op(P)^T op(A) op(P), times the plan, the run that
 * makes C, and runs into C with new values, checks C, and writes it. Without P, makes P by smoothed
 * aggregation; each further level has C as its A. */
#include <string.h>

#include "multiply.h"

struct triple_options {
	struct tool_options common; /* must be the first member, see tool_init */
	const char *name[2];        /* of A and P */
	const char *output, *output_p;
	ek_op op_p;
	double strength;
	int64_t memory, repeat, levels;
	bool check, explain;
};

enum {
	KEY_OP_P = 512,
	KEY_LEVELS,
	KEY_STRENGTH,
	KEY_MEMORY,
	KEY_REPEAT,
	KEY_CHECK,
	KEY_EXPLAIN,
	KEY_OUTPUT_P
};

static const struct argp_option options[] = {
	{"op-p", KEY_OP_P, "n|t", 0, "op(P): P, or P transposed (n)", 0},
	{"strength", KEY_STRENGTH, "X", 0,
         "without P: threshold for strong entries, halved on each level (0)", 0},
	{"levels", KEY_LEVELS, "N", 0, "without P: number of products, each of the C before (1)",
         0},
	{"memory", KEY_MEMORY, "SIZE", 0,
         "most bytes beside the matrices and C, such as 500M or 2^33 (no limit)", 0},
	{"repeat", KEY_REPEAT, "N", 0, "later runs, each after new values of A (0)", 0},
	{"check", KEY_CHECK, NULL, 0,
         "compare with triple.csr.serial: the pattern, and values by error/bound", 0},
	{"explain", KEY_EXPLAIN, NULL, 0, "print why the plan is as it is", 0},
	{"output", 'o', "FILE", 0, "where to write the last C; ends in .mtx or .ekm (nowhere)", 0},
	{"output-p", KEY_OUTPUT_P, "FILE", 0, "where to write the last P (nowhere)", 0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const struct tool_choice ops[] = {
		{"n", EK_OP_N}, {"t", EK_OP_T}, {"N", EK_OP_N}, {"T", EK_OP_T}, {0}};
	struct triple_options *o = state->input;

	tool_init(key, state, &o->common);
	switch (key) {
	case KEY_OP_P: o->op_p = (ek_op)tool_choose("--op-p", arg, ops); break;
	case KEY_STRENGTH: o->strength = tool_number("--strength", arg); break;
	case KEY_LEVELS: o->levels = tool_integer("--levels", arg, 1, 64); break;
	case KEY_MEMORY: o->memory = tool_size("--memory", arg); break;
	case KEY_REPEAT: o->repeat = tool_integer("--repeat", arg, 0, INT64_MAX); break;
	case KEY_CHECK: o->check = true; break;
	case KEY_EXPLAIN: o->explain = true; break;
	case KEY_OUTPUT_P: o->output_p = arg; break;
	case 'o': o->output = arg; break;
	case ARGP_KEY_ARG:
		if (o->name[1])
			tool_usage("%s: at most two matrices are expected", arg);
		o->name[o->name[0] ? 1 : 0] = arg;
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_child children[] = {{&tool_common_argp, 0, "Common options:", 2},
                                             {&tool_product_argp, 0, "The product:", 1},
                                             {0}};
static const struct argp argp = {options,
                                 parse,
                                 "A [P]",
                                 "C = alpha op(P)^T op(A) op(P), all sparse. Without P, P is made "
                                 "by smoothed aggregation of A.",
                                 children,
                                 NULL,
                                 NULL};

/* ---- One product ----------------------------------------------------------------------------- */

struct triple {
	const struct triple_options *o;
	struct tool_source source[2];
	ek_matrix *A, *P, *C;
	ek_plan *plan;
	struct multiply_case what;
	int64_t level;
	double prolongator_seconds, plan_seconds, first_seconds, best_seconds, mean_seconds;
	struct multiply_error error;
};

static int aggregate(struct triple *p)
{
	double strength = p->o->strength;

	for (int64_t k = 0; k < p->level; k++)
		strength /= 2;
	const ek_aggregation how = {.size = sizeof how, .strength = strength};
	struct tool_progress *progress = tool_progress_start(&p->o->common, "making P");
	const double start = tool_seconds();
	const int code = tool_check(ek_prolongator(p->A, &how, &p->P));

	p->prolongator_seconds = tool_seconds() - start;
	tool_progress_end(progress);
	return code;
}

static int prepare(struct triple *p)
{
	const struct tool_options *o = &p->o->common;
	const ek_hints hints = {.size = sizeof hints,
	                        .method = o->method,
	                        .op = o->op,
	                        .op_b = p->what.op_b,
	                        .calls = p->o->repeat + 1,
	                        .reproducible = o->reproducible,
	                        .format = o->format,
	                        .memory = p->o->memory,
	                        .B = p->P,
	                        .index = o->index};
	const double start = tool_seconds();
	const ek_status status = ek_plan_create(EK_TRIPLE, p->A, &hints, &p->plan);

	p->plan_seconds = tool_seconds() - start;
	return tool_check(status);
}

static int run_all(struct triple *p, struct tool_progress *progress)
{
	double sum = 0;
	int code = TOOL_OK;

	for (int64_t k = 0; k <= p->o->repeat && !code; k++) {
		if (k > 0)
			code = tool_check(ek_matrix_values_changed(p->A));
		const double start = tool_seconds();

		if (!code)
			code = tool_check(ek_triple(p->plan, p->o->common.alpha, &p->C));
		const double seconds = tool_seconds() - start;

		if (k == 0)
			p->first_seconds = seconds;
		else
			sum += seconds;
		if (k == 1 || seconds < p->best_seconds)
			p->best_seconds = seconds;
		tool_progress_step(progress, k + 1, p->o->repeat + 1);
	}
	if (p->o->repeat)
		p->mean_seconds = sum / (double)p->o->repeat;
	return code;
}

/* Makes the plan and does all runs. They share a progress bar, since plans of some methods do the
 * first of two products. */
static int multiply(struct triple *p)
{
	struct tool_progress *progress = tool_progress_start(&p->o->common, "multiplying");
	int code = prepare(p);

	if (!code)
		code = run_all(p, progress);
	tool_progress_end(progress);
	return code;
}

static void print_matrix(FILE *out, const char *name, const ek_matrix *M)
{
	ek_matrix_info info = {.size = sizeof info};
	char rows[32], cols[32], nnz[32];

	ek_matrix_get_info(M, &info);
	fprintf(out, "%-9s %s x %s, %s entries, %s %s %s\n", name, tool_count(rows, info.rows),
	        tool_count(cols, info.cols), tool_count(nnz, info.nnz), info.format,
	        ek_value_name(info.value), ek_index_name(info.index));
}

static void print(const struct triple *p, FILE *out)
{
	char bytes[32], text[4096];

	if (p->o->levels > 1)
		fprintf(out, "%slevel %lld\n", p->level ? "\n" : "", (long long)p->level + 1);
	print_matrix(out, "A", p->A);
	print_matrix(out, "P", p->P);
	print_matrix(out, "C", p->C);
	if (!p->o->name[1])
		fprintf(out, "P made in %.4g ms\n", 1e3 * p->prolongator_seconds);
	fprintf(out, "method    %s on %s, prepared in %.4g ms, holds %s\n", ek_plan_method(p->plan),
	        ek_plan_format(p->plan), 1e3 * p->plan_seconds,
	        tool_bytes(bytes, (double)ek_plan_memory(p->plan)));
	fprintf(out, "first run %.4g ms\n", 1e3 * p->first_seconds);
	if (p->o->repeat)
		fprintf(out, "later     %.4g ms in the mean of %lld, %.4g ms at best\n",
		        1e3 * p->mean_seconds, (long long)p->o->repeat, 1e3 * p->best_seconds);
	if (p->o->check)
		fprintf(out, "check     same pattern, error/bound %.3g\n", p->error.worst);
	if (p->o->explain && ek_plan_explain(p->plan, text, sizeof text) == EK_OK)
		fprintf(out, "\n%s%s", text, text[strlen(text) - 1] == '\n' ? "" : "\n");
}

static void add_info(json_t *record, const char *name, const ek_matrix *M)
{
	ek_matrix_info info = {.size = sizeof info};

	ek_matrix_get_info(M, &info);
	json_object_set_new(record, name,
	                    json_pack("{s:I, s:I, s:I, s:s}", "rows", (json_int_t)info.rows, "cols",
	                              (json_int_t)info.cols, "nnz", (json_int_t)info.nnz, "index",
	                              ek_index_name(info.index)));
}

static json_t *record_of(const struct triple *p)
{
	const struct triple_options *o = p->o;
	json_t *record = tool_record(&p->source[0], p->A);

	json_object_set_new(record, "level", json_integer(p->level + 1));
	add_info(record, "p", p->P);
	add_info(record, "c", p->C);
	json_object_set_new(record, "op", json_string(o->common.op == EK_OP_N ? "n" : "t"));
	json_object_set_new(record, "op_p", json_string(o->op_p == EK_OP_N ? "n" : "t"));
	json_object_set_new(record, "alpha", json_real(o->common.alpha));
	json_object_set_new(record, "method", json_string(ek_plan_method(p->plan)));
	json_object_set_new(record, "threads", json_integer(ek_context_threads(p->what.ctx)));
	json_object_set_new(record, "isa", json_string(ek_isa_name(ek_context_isa(p->what.ctx))));
	if (!o->name[1])
		json_object_set_new(record, "prolongator_ms",
		                    json_real(1e3 * p->prolongator_seconds));
	json_object_set_new(record, "prepare_ms", json_real(1e3 * p->plan_seconds));
	json_object_set_new(record, "first_ms", json_real(1e3 * p->first_seconds));
	if (o->repeat) {
		json_object_set_new(record, "repeat", json_integer(o->repeat));
		json_object_set_new(record, "ms", json_real(1e3 * p->mean_seconds));
		json_object_set_new(record, "ms_min", json_real(1e3 * p->best_seconds));
	}
	json_object_set_new(record, "memory", json_integer(ek_plan_memory(p->plan)));
	if (o->check) {
		json_object_set_new(record, "error", json_real(p->error.worst));
		json_object_set_new(record, "failed", json_boolean(!(p->error.worst <= 1)));
	}
	return record;
}

/* ---- All levels ------------------------------------------------------------------------------ */

static int check(struct triple *p)
{
	struct tool_progress *progress = tool_progress_start(&p->o->common, "checking");
	int code;

	p->what.A = p->A;
	p->what.B = p->P;
	code = multiply_check(&p->what, p->C, &p->error);
	tool_progress_end(progress);
	return code;
}

/* Computes and shows one level. Sets *checked to TOOL_FAILED if a value is wrong. */
static int do_level(struct triple *p, FILE *out, int *checked)
{
	int code = p->P ? TOOL_OK : aggregate(p);

	if (!code)
		code = multiply(p);
	if (!code && p->o->check)
		code = check(p);
	if (code)
		return code;
	print(p, out);
	if (p->o->check && !(p->error.worst <= 1))
		*checked = tool_fail(
			TOOL_FAILED,
			"at row %lld, column %lld C is %.17g, by triple.csr.serial %.17g, %.3g "
			"times the bound",
			(long long)p->error.row + 1, (long long)p->error.col + 1, p->error.value,
			p->error.expected, p->error.worst);
	return p->o->common.json ? tool_json_one(&p->o->common, record_of(p)) : TOOL_OK;
}

/* Frees A, P and the plan, and makes C the new A. */
static void next_level(struct triple *p)
{
	ek_plan_destroy(p->plan);
	ek_matrix_destroy(p->P);
	ek_matrix_destroy(p->A);
	p->A = p->C;
	p->plan = NULL;
	p->P = p->C = NULL;
}

/* Tells whether a level is left for which the C before has rows. Says so if it has none. */
static bool more_levels(const struct triple *p)
{
	ek_matrix_info info = {.size = sizeof info};

	if (p->level == p->o->levels)
		return false;
	if (p->level == 0 || ek_matrix_get_info(p->C, &info) != EK_OK || info.rows > 0)
		return true;
	tool_remark(&p->o->common,
	            "C of level %lld has no rows, so the rest of --levels %lld is left out",
	            (long long)p->level, (long long)p->o->levels);
	return false;
}

static int run(struct triple *p)
{
	const struct triple_options *o = p->o;
	const bool piped = o->output && strcmp(o->output, "-") == 0;
	FILE *out = piped ? stderr : tool_people(&o->common);
	int checked = TOOL_OK;
	int code = tool_matrix(p->what.ctx, &o->common, o->name[0], &p->source[0], &p->A);

	if (!code && o->name[1])
		code = tool_matrix(p->what.ctx, &o->common, o->name[1], &p->source[1], &p->P);
	for (; !code && more_levels(p); p->level++) {
		if (p->level > 0)
			next_level(p);
		code = do_level(p, out, &checked);
	}
	if (!code && o->output_p)
		code = tool_write(&o->common, p->P, o->output_p, NULL);
	if (!code && o->output)
		code = tool_write(&o->common, p->C, o->output, NULL);
	return code ? code : checked;
}

static void check_options(const struct triple_options *o)
{
	if (!o->name[0])
		tool_usage("a matrix is expected: a file, -, a generator or a twin");
	if (o->common.beta != 0)
		tool_usage("--beta %g: ek triple adds nothing", o->common.beta);
	if (o->name[1] && (o->levels > 1 || o->strength != 0))
		tool_usage("--levels and --strength are for P that is made; P is %s", o->name[1]);
	if (o->common.method && strcmp(o->common.method, "all") == 0)
		tool_usage("--method all: one method or auto is expected; ek list methods has all");
	if (o->common.json && o->output && strcmp(o->common.json, "-") == 0 &&
	    strcmp(o->output, "-") == 0)
		tool_usage("--json -: standard output takes C; name a file for one of them");
	if (o->output)
		tool_output_form(o->output, NULL);
	if (o->output_p)
		tool_output_form(o->output_p, NULL);
}

int cmd_triple(int argc, char **argv)
{
	static struct triple_options o = {.op_p = EK_OP_N, .levels = 1};
	static struct triple p;
	int code;

	tool_parse(&argp, argc, argv, &o);
	check_options(&o);
	o.common.method = tool_method_of(EK_TRIPLE, o.common.method);
	p.o = &o;
	p.what = (struct multiply_case){.operation = EK_TRIPLE,
	                                .ctx = tool_context(&o.common, &code),
	                                .op = o.common.op,
	                                .op_b = o.op_p,
	                                .index = o.common.index,
	                                .alpha = o.common.alpha};
	if (!p.what.ctx)
		return code;
	code = run(&p);
	ek_plan_destroy(p.plan);
	ek_matrix_destroy(p.C);
	ek_matrix_destroy(p.P);
	ek_matrix_destroy(p.A);
	ek_context_destroy(p.what.ctx);
	return code;
}
