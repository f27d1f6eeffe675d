/* SPDX-License-Identifier: BSD-3-Clause
 * ek triple: computes Galerkin products C = alpha op(P)^T op(A) op(P), times the plan, the run that
 * makes C, and runs into C with new values, checks C, and writes it. Without P, makes P by smoothed
 * aggregation; each further level has C as its A. */
#include <string.h>

#include "compute.h"

struct triple_options {
	struct compute_options shared; /* must be the first member, see tool_init */
	const char *name[2];           /* of A and P */
	const char *output_p;
	ek_op op_p;
	double strength;
	int64_t levels;
};

enum { KEY_OP_P = COMPUTE_OWN, KEY_LEVELS, KEY_STRENGTH, KEY_OUTPUT_P };

static const struct argp_option options[] = {
	{"op-p", KEY_OP_P, "n|t", 0, "op(P): P, or P transposed (n)", 0},
	{"strength", KEY_STRENGTH, "X", 0,
         "without P: threshold for strong entries, halved on each level (0)", 0},
	{"levels", KEY_LEVELS, "N", 0, "without P: number of products, each of the C before (1)",
         0},
	{"memory", COMPUTE_MEMORY, "SIZE", 0,
         "most bytes beside the matrices and C, such as 500M or 2^33 (no limit)", 0},
	{"repeat", COMPUTE_REPEAT, "N", 0, "later runs, each after new values of A (0)", 0},
	{"check", COMPUTE_CHECK, NULL, 0,
         "compare with triple.csr.serial: the pattern, and values by error/bound", 0},
	{"explain", COMPUTE_EXPLAIN, NULL, 0, "print why the plan is as it is", 0},
	{"output", 'o', "FILE", 0, "where to write the last C; ends in .mtx or .ekm (nowhere)", 0},
	{"output-p", KEY_OUTPUT_P, "FILE", 0, "where to write the last P (nowhere)", 0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct triple_options *o = state->input;

	tool_init(key, state, &o->shared.common);
	switch (key) {
	case KEY_OP_P: o->op_p = tool_op("--op-p", arg); break;
	case KEY_STRENGTH: o->strength = tool_number("--strength", arg); break;
	case KEY_LEVELS: o->levels = tool_integer("--levels", arg, 1, 64); break;
	case KEY_OUTPUT_P: o->output_p = arg; break;
	case ARGP_KEY_ARG:
		if (o->name[1])
			tool_usage("%s: at most two matrices are expected", arg);
		o->name[o->name[0] ? 1 : 0] = arg;
		break;
	default: return compute_parse(key, arg, &o->shared);
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
	struct compute c;
	const struct triple_options *o;
	struct tool_source source[2];
	ek_matrix *A, *P;
	int64_t level;
	double prolongator_seconds;
};

/* Makes P of A. */
static int aggregate(struct triple *p, const ek_matrix *A, ek_matrix **P)
{
	double strength = p->o->strength;

	for (int64_t k = 0; k < p->level; k++)
		strength /= 2;
	const ek_aggregation how = {.size = sizeof how, .strength = strength};
	struct tool_progress *progress = tool_progress_start(&p->c.o->common, "making P");
	const double start = tool_seconds();
	const int code = tool_check(ek_prolongator(A, &how, P));

	p->prolongator_seconds = tool_seconds() - start;
	tool_progress_end(progress);
	return code;
}

static void print(const struct triple *p, FILE *out)
{
	if (p->o->levels > 1)
		fprintf(out, "%slevel %lld\n", p->level ? "\n" : "", (long long)p->level + 1);
	compute_print_matrix(out, "A", p->A);
	compute_print_matrix(out, "P", p->P);
	compute_print_matrix(out, "C", p->c.C);
	if (!p->o->name[1])
		fprintf(out, "P made in %.4g ms\n", 1e3 * p->prolongator_seconds);
	compute_print(&p->c, 0, NULL, out);
	if (p->c.o->check)
		compute_print_error(&p->c, out);
	compute_print_explain(&p->c, out);
}

static void add_info(json_t *record, const char *name, const ek_matrix *M)
{
	const ek_matrix_info info = compute_info(M);

	json_object_set_new(record, name,
	                    json_pack("{s:I, s:I, s:I, s:s}", "rows", (json_int_t)info.rows, "cols",
	                              (json_int_t)info.cols, "nnz", (json_int_t)info.nnz, "index",
	                              ek_index_name(info.index)));
}

static json_t *record_of(const struct triple *p)
{
	const struct multiply_case *m = &p->c.what;
	json_t *record = tool_record(&p->source[0], p->A);

	json_object_set_new(record, "level", json_integer(p->level + 1));
	add_info(record, "p", p->P);
	add_info(record, "c", p->c.C);
	json_object_set_new(record, "op", json_string(m->op == EK_OP_N ? "n" : "t"));
	json_object_set_new(record, "op_p", json_string(m->op_b == EK_OP_N ? "n" : "t"));
	json_object_set_new(record, "alpha", json_real(m->alpha));
	compute_json_method(record, &p->c);
	if (!p->o->name[1])
		json_object_set_new(record, "prolongator_ms",
		                    json_real(1e3 * p->prolongator_seconds));
	compute_json_times(record, &p->c, 0, NULL);
	compute_json_error(record, &p->c);
	return record;
}

/* ---- All levels ------------------------------------------------------------------------------ */

/* Computes and shows one level. Sets *checked to TOOL_FAILED if a value is wrong. */
static int do_level(struct triple *p, FILE *out, int *checked)
{
	const struct compute_options *o = p->c.o;
	int code;

	p->c.what.A = p->A;
	p->c.what.B = p->P;
	code = compute_plan(&p->c);
	if (!code)
		code = compute_runs(&p->c);
	if (!code && o->check)
		code = compute_check(&p->c);
	if (code)
		return code;
	print(p, out);
	if (o->check && compute_verdict(&p->c))
		*checked = TOOL_FAILED;
	return o->common.json ? tool_json(&o->common, record_of(p)) : TOOL_OK;
}

/* Makes P of the C before, which becomes the new A. Sets *more to false if P would have no columns,
 * and says so; C and P then stay those of the last level. */
static int next_level(struct triple *p, bool *more)
{
	ek_matrix *P = NULL;
	const int code = aggregate(p, p->c.C, &P);

	if (code)
		return code;
	if (compute_info(P).cols == 0) {
		*more = false;
		ek_matrix_destroy(P);
		tool_remark(
			&p->c.o->common,
			"P of level %lld has no columns, so the rest of --levels %lld is left out",
			(long long)p->level + 1, (long long)p->o->levels);
		return TOOL_OK;
	}
	ek_plan_destroy(p->c.plan);
	ek_matrix_destroy(p->P);
	ek_matrix_destroy(p->A);
	p->A = p->c.C;
	p->P = P;
	p->c.plan = NULL;
	p->c.C = NULL;
	return TOOL_OK;
}

/* Computes all levels. Sets *checked as do_level does. */
static int do_levels(struct triple *p, FILE *out, int *checked)
{
	bool more = true;
	int code = p->P ? TOOL_OK : aggregate(p, p->A, &p->P);

	while (!code && more) {
		code = do_level(p, out, checked);
		more = ++p->level < p->o->levels;
		if (!code && more)
			code = next_level(p, &more);
	}
	return code;
}

static int run(struct triple *p)
{
	const struct triple_options *o = p->o;
	const struct tool_options *common = &o->shared.common;
	ek_context *ctx = p->c.what.ctx;
	FILE *out = tool_people_beside(common, o->shared.output);
	int checked = TOOL_OK, closed = TOOL_OK;
	int code = tool_matrix(ctx, common, o->name[0], &p->source[0], &p->A);

	if (!code && o->name[1])
		code = tool_matrix(ctx, common, o->name[1], &p->source[1], &p->P);
	if (!code)
		code = do_levels(p, out, &checked);
	if (common->json)
		closed = tool_json_close(common);
	code = code ? code : closed;
	if (!code && o->output_p)
		code = tool_write(common, p->P, o->output_p, NULL);
	if (!code && o->shared.output)
		code = tool_write(common, p->c.C, o->shared.output, NULL);
	return code ? code : checked;
}

static void check_options(struct triple_options *o)
{
	if (!o->name[0])
		tool_usage("a matrix is expected: a file, -, a generator or a twin");
	if (o->shared.common.beta != 0)
		tool_usage("--beta %g: ek triple adds nothing", o->shared.common.beta);
	if (o->name[1] && (o->levels > 1 || o->strength != 0))
		tool_usage("--levels and --strength are for P that is made; P is %s", o->name[1]);
	compute_check_options(EK_TRIPLE, &o->shared);
	if (o->output_p)
		tool_output_form(o->output_p, NULL);
	if (o->output_p && o->shared.output && strcmp(o->output_p, o->shared.output) == 0)
		tool_usage("--output-p %s: C would replace P; name another file", o->output_p);
}

int cmd_triple(int argc, char **argv)
{
	static struct triple_options o = {.op_p = EK_OP_N, .levels = 1};
	static struct triple p;
	const struct tool_options *common = &o.shared.common;
	int code;

	tool_parse(&argp, argc, argv, &o);
	check_options(&o);
	p.o = &o;
	p.c.o = &o.shared;
	p.c.what = (struct multiply_case){.operation = EK_TRIPLE,
	                                  .ctx = tool_context(common, &code),
	                                  .op = common->op,
	                                  .op_b = o.op_p,
	                                  .index = common->index,
	                                  .alpha = common->alpha};
	if (!p.c.what.ctx)
		return code;
	code = run(&p);
	ek_plan_destroy(p.c.plan);
	ek_matrix_destroy(p.c.C);
	ek_matrix_destroy(p.P);
	ek_matrix_destroy(p.A);
	ek_context_destroy(p.c.what.ctx);
	return code;
}
