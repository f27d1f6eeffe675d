/* SPDX-License-Identifier: BSD-3-Clause
 * ek multiply: computes C = alpha op(A) op(B) + beta D with sparse matrices from files and
 * generators, times the plan, the run that makes C, and later runs into it, checks C, and writes
 * it. ek add does this for C = alpha op(A) + beta op(B). */
#include <string.h>

#include "multiply.h"

struct multiply_options {
	struct tool_options common; /* must be the first member, see tool_init */
	const char *name[3];        /* of A, B and D; NULL for B means A */
	const char *output;
	ek_op op_b;
	int64_t memory, repeat;
	bool check, explain;
	ek_operation operation; /* EK_SPGEMM, or EK_SPADD for ek add */
};

enum { KEY_OP_B = 512, KEY_ADD, KEY_MEMORY, KEY_REPEAT, KEY_CHECK, KEY_EXPLAIN };

static const struct argp_option options[] = {
	/* ek add has no --add. */
	{"add", KEY_ADD, "D", 0, "a matrix that is added, times --beta, which is 1 by default", 0},
	{"op-b", KEY_OP_B, "n|t", 0, "op(B): B, or B transposed (n)", 0},
	{"memory", KEY_MEMORY, "SIZE", 0,
         "most bytes beside the matrices and C, such as 500M or 2^33 (no limit)", 0},
	{"repeat", KEY_REPEAT, "N", 0, "later runs, which compute the values of C again (0)", 0},
	{"check", KEY_CHECK, NULL, 0,
         "compare with the serial method: the pattern, and values by error/bound", 0},
	{"explain", KEY_EXPLAIN, NULL, 0, "print why the plan is as it is", 0},
	{"output", 'o', "FILE", 0, "where to write C; the name ends in .mtx or .ekm (nowhere)", 0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const struct tool_choice ops[] = {
		{"n", EK_OP_N}, {"t", EK_OP_T}, {"N", EK_OP_N}, {"T", EK_OP_T}, {0}};
	struct multiply_options *o = state->input;

	tool_init(key, state, &o->common);
	switch (key) {
	case ARGP_KEY_INIT: o->common.beta = 1; break;
	case KEY_OP_B: o->op_b = (ek_op)tool_choose("--op-b", arg, ops); break;
	case KEY_ADD: o->name[2] = arg; break;
	case KEY_MEMORY: o->memory = tool_size("--memory", arg); break;
	case KEY_REPEAT: o->repeat = tool_integer("--repeat", arg, 0, INT64_MAX); break;
	case KEY_CHECK: o->check = true; break;
	case KEY_EXPLAIN: o->explain = true; break;
	case 'o': o->output = arg; break;
	case ARGP_KEY_ARG:
		if (o->name[1])
			tool_usage("%s: at most two matrices are expected%s", arg,
			           o->operation == EK_SPADD ? "" : "; --add takes a third");
		o->name[o->name[0] ? 1 : 0] = arg;
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_child children[] = {{&tool_common_argp, 0, "Common options:", 2},
                                             {&tool_product_argp, 0, "The computation:", 1},
                                             {0}};
static const struct argp multiply_argp = {
	options,  parse, "A [B]", "C = alpha op(A) op(B) + beta D, all sparse. Without B, B is A.",
	children, NULL,  NULL};
static const struct argp add_argp = {
	options + 1, parse,
	"A B",       "C = alpha op(A) + beta op(B), all sparse; beta is 1 by default.",
	children,    NULL,
	NULL};

/* ---- The computation ------------------------------------------------------------------------- */

struct multiply {
	const struct multiply_options *o;
	struct tool_source source[3];
	ek_matrix *M[3], *C;
	ek_plan *plan;
	struct multiply_case what;
	double plan_seconds, first_seconds, best_seconds, mean_seconds, products;
	struct multiply_error error;
};

static int read_matrices(struct multiply *p)
{
	int code = TOOL_OK;

	for (int k = 0; k < 3 && !code; k++)
		if (p->o->name[k])
			code = tool_matrix(p->what.ctx, &p->o->common, p->o->name[k], &p->source[k],
			                   &p->M[k]);
	p->what.A = p->M[0];
	p->what.B = p->M[1] ? p->M[1] : p->M[0];
	p->what.D = p->M[2];
	return code;
}

static int prepare(struct multiply *p)
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
	                        .B = p->what.B,
	                        .D = p->what.D,
	                        .index = o->index};
	struct tool_progress *progress = tool_progress_start(o, "preparing");
	const double start = tool_seconds();
	const ek_status status = ek_plan_create(p->what.operation, p->what.A, &hints, &p->plan);

	p->plan_seconds = tool_seconds() - start;
	tool_progress_end(progress);
	return tool_check(status);
}

static int multiply(struct multiply *p)
{
	const struct multiply_case *m = &p->what;
	struct tool_progress *progress = tool_progress_start(
		&p->o->common, m->operation == EK_SPADD ? "adding" : "multiplying");
	double sum = 0;
	int code = TOOL_OK;

	for (int64_t k = 0; k <= p->o->repeat && !code; k++) {
		const double start = tool_seconds();

		code = tool_check(multiply_run(m, p->plan, m->alpha, m->beta, &p->C));
		const double seconds = tool_seconds() - start;

		if (k == 0) {
			p->first_seconds = seconds;
		} else {
			sum += seconds;
			if (k == 1 || seconds < p->best_seconds)
				p->best_seconds = seconds;
		}
		tool_progress_step(progress, k + 1, p->o->repeat + 1);
	}
	if (p->o->repeat)
		p->mean_seconds = sum / (double)p->o->repeat;
	tool_progress_end(progress);
	return code;
}

static int check(struct multiply *p, FILE *out)
{
	struct tool_progress *progress = tool_progress_start(&p->o->common, "checking");
	const int code = multiply_check(&p->what, p->C, &p->error);

	tool_progress_end(progress);
	if (code)
		return code;
	fprintf(out, "check     same pattern, error/bound %.3g\n", p->error.worst);
	if (p->error.worst <= 1)
		return TOOL_OK;
	return tool_fail(
		TOOL_FAILED,
		"%s: at row %lld, column %lld C is %.17g, by %s %.17g, %.3g times the bound",
		ek_plan_method(p->plan), (long long)p->error.row + 1, (long long)p->error.col + 1,
		p->error.value, multiply_reference(&p->what), p->error.expected, p->error.worst);
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

/* Returns the Gflop/s of a run; for a sum, the GB/s at which A and B are read and C is written. */
static double speed(const struct multiply *p, double seconds)
{
	const int64_t bytes =
		info_of(p->what.A).bytes + info_of(p->what.B).bytes + info_of(p->C).bytes;

	return seconds <= 0                    ? 0
	       : p->what.operation == EK_SPADD ? 1e-9 * (double)bytes / seconds
	                                       : 2e-9 * p->products / seconds;
}

/* Returns the number of products for each entry of C, or 0 if C has none. */
static double compression(const struct multiply *p)
{
	const int64_t nnz = info_of(p->C).nnz;

	return nnz ? p->products / (double)nnz : 0;
}

static void print(const struct multiply *p, FILE *out)
{
	const bool adds = p->what.operation == EK_SPADD;
	const char *unit = adds ? "GB/s" : "Gflop/s";
	char bytes[32], text[4096];

	print_matrix(out, "A", p->what.A);
	if (p->M[1])
		print_matrix(out, "B", p->what.B);
	if (p->what.D)
		print_matrix(out, "D", p->what.D);
	print_matrix(out, "C", p->C);
	if (!adds)
		fprintf(out, "products  %.0f, %.3g for each entry of C\n", p->products,
		        compression(p));
	fprintf(out, "method    %s%s%s, prepared in %.4g ms, holds %s\n", ek_plan_method(p->plan),
	        adds ? "" : " on ", adds ? "" : ek_plan_format(p->plan), 1e3 * p->plan_seconds,
	        tool_bytes(bytes, (double)ek_plan_memory(p->plan)));
	fprintf(out, "first run %.4g ms, %.3g %s\n", 1e3 * p->first_seconds,
	        speed(p, p->first_seconds), unit);
	if (p->o->repeat)
		fprintf(out, "later     %.4g ms in the mean of %lld, %.4g ms at best, %.3g %s\n",
		        1e3 * p->mean_seconds, (long long)p->o->repeat, 1e3 * p->best_seconds,
		        speed(p, p->best_seconds), unit);
	if (p->o->explain && ek_plan_explain(p->plan, text, sizeof text) == EK_OK)
		fprintf(out, "\n%s%s", text, text[strlen(text) - 1] == '\n' ? "" : "\n");
}

static json_t *record_of(const struct multiply *p)
{
	const struct tool_options *o = &p->o->common;
	const bool adds = p->what.operation == EK_SPADD;
	const ek_matrix_info C = info_of(p->C);
	json_t *record = tool_record(&p->source[0], p->what.A);

	json_object_set_new(record, "b",
	                    p->M[1] ? tool_record(&p->source[1], p->M[1]) : json_null());
	if (!adds)
		json_object_set_new(record, "d",
		                    p->M[2] ? tool_record(&p->source[2], p->M[2]) : json_null());
	json_object_set_new(record, "op", json_string(o->op == EK_OP_N ? "n" : "t"));
	json_object_set_new(record, "op_b", json_string(p->what.op_b == EK_OP_N ? "n" : "t"));
	json_object_set_new(record, "alpha", json_real(o->alpha));
	json_object_set_new(record, "beta", json_real(p->what.beta));
	json_object_set_new(record, "method", json_string(ek_plan_method(p->plan)));
	json_object_set_new(record, "threads", json_integer(ek_context_threads(p->what.ctx)));
	json_object_set_new(record, "isa", json_string(ek_isa_name(ek_context_isa(p->what.ctx))));
	json_object_set_new(record, "c_rows", json_integer(C.rows));
	json_object_set_new(record, "c_cols", json_integer(C.cols));
	json_object_set_new(record, "c_nnz", json_integer(C.nnz));
	json_object_set_new(record, "c_index", json_string(ek_index_name(C.index)));
	if (!adds) {
		json_object_set_new(record, "products", json_real(p->products));
		json_object_set_new(record, "compression", json_real(compression(p)));
	}
	json_object_set_new(record, "prepare_ms", json_real(1e3 * p->plan_seconds));
	json_object_set_new(record, "first_ms", json_real(1e3 * p->first_seconds));
	json_object_set_new(record, adds ? "gbps" : "gflops",
	                    json_real(speed(p, p->first_seconds)));
	if (p->o->repeat) {
		json_object_set_new(record, "repeat", json_integer(p->o->repeat));
		json_object_set_new(record, "ms", json_real(1e3 * p->mean_seconds));
		json_object_set_new(record, "ms_min", json_real(1e3 * p->best_seconds));
	}
	json_object_set_new(record, "memory", json_integer(ek_plan_memory(p->plan)));
	if (p->o->check) {
		json_object_set_new(record, "error", json_real(p->error.worst));
		json_object_set_new(record, "failed", json_boolean(!(p->error.worst <= 1)));
	}
	return record;
}

static int run(struct multiply *p)
{
	const struct multiply_options *o = p->o;
	FILE *out = o->output && strcmp(o->output, "-") == 0 ? stderr : tool_people(&o->common);
	int code = read_matrices(p), checked = TOOL_OK;

	if (!code)
		code = prepare(p);
	if (!code && o->operation == EK_SPGEMM)
		code = multiply_products(&p->what, &p->products);
	if (!code)
		code = multiply(p);
	if (code)
		return code;
	print(p, out);
	if (o->check)
		checked = check(p, out);
	if (o->output)
		code = tool_write(&o->common, p->C, o->output, NULL);
	if (!code && o->common.json)
		code = tool_json_one(&o->common, record_of(p));
	return checked ? checked : code;
}

/* Ends the program if options are missing or conflict. */
static void check_options(const struct multiply_options *o)
{
	const struct tool_options *common = &o->common;

	if (o->operation == EK_SPADD && !o->name[1])
		tool_usage("two matrices are expected: files, -, generators or twins");
	if (!o->name[0])
		tool_usage("a matrix is expected: a file, -, a generator or a twin");
	if (o->operation == EK_SPGEMM && common->beta != 1 && !o->name[2])
		tool_usage("--beta %g needs a matrix: --add D", common->beta);
	if (common->method && strcmp(common->method, "all") == 0)
		tool_usage("--method all: one method or auto is expected; ek list methods has all");
	if (common->json && o->output && strcmp(common->json, "-") == 0 &&
	    strcmp(o->output, "-") == 0)
		tool_usage("--json -: standard output takes C; name a file for one of them");
	if (o->output)
		tool_output_form(o->output, NULL);
}

static int compute(int argc, char **argv, ek_operation operation)
{
	static struct multiply_options o = {.op_b = EK_OP_N};
	static struct multiply p;
	int code;

	o.operation = operation;
	tool_parse(operation == EK_SPADD ? &add_argp : &multiply_argp, argc, argv, &o);
	check_options(&o);
	o.common.method = tool_method_of(operation, o.common.method);
	p.o = &o;
	p.what = (struct multiply_case){.operation = operation,
	                                .ctx = tool_context(&o.common, &code),
	                                .op = o.common.op,
	                                .op_b = o.op_b,
	                                .index = o.common.index,
	                                .alpha = o.common.alpha,
	                                .beta = operation == EK_SPADD || o.name[2] ? o.common.beta
	                                                                           : 0};
	if (!p.what.ctx)
		return code;
	code = run(&p);
	ek_plan_destroy(p.plan);
	ek_matrix_destroy(p.C);
	for (int k = 0; k < 3; k++)
		ek_matrix_destroy(p.M[k]);
	ek_context_destroy(p.what.ctx);
	return code;
}

int cmd_multiply(int argc, char **argv)
{
	return compute(argc, argv, EK_SPGEMM);
}

int cmd_add(int argc, char **argv)
{
	return compute(argc, argv, EK_SPADD);
}
