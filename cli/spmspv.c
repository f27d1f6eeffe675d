/* SPDX-License-Identifier: BSD-3-Clause
 * ek spmspv: computes the product of a sparse matrix and a sparse vector, from and to files. */
#include <stdlib.h>
#include <string.h>

#include "vector.h"

struct spmspv_options {
	struct tool_options common; /* must be the first member, see tool_init */
	const char *A, *x, *output;
	bool check, explain;
};

enum { KEY_CHECK = 512, KEY_EXPLAIN };

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0,
         "where to write y (-, standard output; nowhere with --check or --explain)", 0},
	{"check", KEY_CHECK, NULL, 0, "compare with spmspv.csr.serial, bit by bit", 0},
	{"explain", KEY_EXPLAIN, NULL, 0, "print why the plan is as it is", 0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct spmspv_options *o = state->input;

	tool_init(key, state, &o->common);
	switch (key) {
	case 'o': o->output = arg; break;
	case KEY_CHECK: o->check = true; break;
	case KEY_EXPLAIN: o->explain = true; break;
	case ARGP_KEY_ARG:
		if (o->x)
			tool_usage("%s: a matrix and a vector are expected", arg);
		*(o->A ? &o->x : &o->A) = arg;
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
                                 "A X",
                                 "y = alpha op(A) x with sparse vectors: matrices of one column, "
                                 "or vector objects.",
                                 children,
                                 NULL,
                                 NULL};

/* The product, with space for the result. */
struct spmspv {
	const struct spmspv_options *o;
	ek_context *ctx;
	struct tool_source source;
	ek_matrix *A;
	struct vector x;
	ek_plan *plan;
	ek_sparse y;
	int64_t count;
};

static int make_plan(const struct spmspv *p, const char *method, ek_plan **plan)
{
	const struct tool_options *o = &p->o->common;
	const ek_hints hints = {.size = sizeof hints,
	                        .method = method,
	                        .op = o->op,
	                        .calls = o->calls,
	                        .reproducible = o->reproducible,
	                        .format = o->format};

	return tool_check(ek_plan_create(EK_SPMSPV, p->A, &hints, plan));
}

static void result_free(const ek_sparse *y)
{
	free(y->idx);
	free(y->val);
}

/* Runs a plan into new memory for as many entries as the result can have. */
static int run_plan(const struct spmspv *p, ek_plan *plan, ek_sparse *y, int64_t *count)
{
	ek_matrix_info info = {.size = sizeof info};
	int64_t most = 0;
	int code = tool_check(ek_matrix_get_info(p->A, &info));

	if (code == TOOL_OK)
		code = tool_check(ek_spmspv_size(plan, &p->x.v, &most, NULL));
	if (code != TOOL_OK)
		return code;
	*y = ek_sparse_vector(p->x.v.value, p->x.v.index,
	                      p->o->common.op == EK_OP_T ? info.cols : info.rows, most,
	                      calloc((size_t)most + 1, 8), calloc((size_t)most + 1, 8));
	if (!y->idx || !y->val)
		return tool_fail(TOOL_FAILED, "out of memory");
	return tool_check(ek_spmspv(plan, p->o->common.alpha, &p->x.v, count, y));
}

/* Compares the result with that of the reference. */
static int check(const struct spmspv *p)
{
	ek_plan *plan = NULL;
	ek_sparse y = {0};
	int64_t count = 0;
	int code = make_plan(p, "spmspv.csr.serial", &plan);

	if (code == TOOL_OK)
		code = run_plan(p, plan, &y, &count);
	if (code == TOOL_OK &&
	    (count != p->count ||
	     memcmp(y.idx, p->y.idx, (size_t)count * ek_value_size(y.index)) != 0 ||
	     memcmp(y.val, p->y.val, (size_t)count * ek_value_size(y.value)) != 0))
		code = tool_fail(TOOL_FAILED,
		                 "%s: %lld entries, which are not those of spmspv.csr.serial, "
		                 "%lld entries",
		                 ek_plan_method(p->plan), (long long)p->count, (long long)count);
	if (code == TOOL_OK)
		fprintf(tool_people(&p->o->common), "check     same %lld entries, same bits\n",
		        (long long)count);
	ek_plan_destroy(plan);
	result_free(&y);
	return code;
}

static int write_result(const struct spmspv *p)
{
	ek_matrix *Y = NULL;
	int code = tool_refuse_flood(p->o->output, p->count);

	if (code == TOOL_OK)
		code = vector_matrix(p->ctx, &p->y, p->count, &Y);
	if (code == TOOL_OK)
		code = tool_write(&p->o->common, Y, p->o->output, "mtx");
	ek_matrix_destroy(Y);
	return code;
}

static int report(const struct spmspv *p)
{
	json_t *record = tool_record(&p->source, p->A);

	json_object_set_new(record, "x", json_string(p->o->x));
	json_object_set_new(record, "x_nnz", json_integer(p->x.v.nnz));
	json_object_set_new(record, "y_nnz", json_integer(p->count));
	json_object_set_new(record, "op", json_string(p->o->common.op == EK_OP_T ? "t" : "n"));
	json_object_set_new(record, "alpha", json_real(p->o->common.alpha));
	json_object_set_new(record, "method", json_string(ek_plan_method(p->plan)));
	return tool_json_one(&p->o->common, record);
}

/* Checks that the length of x is the number of columns of op(A). */
static int check_length(const struct spmspv *p)
{
	ek_matrix_info info = {.size = sizeof info};
	const int code = tool_check(ek_matrix_get_info(p->A, &info));
	const int64_t cols = p->o->common.op == EK_OP_T ? info.rows : info.cols;

	if (code != TOOL_OK || p->x.v.n == cols)
		return code;
	return tool_fail(TOOL_INPUT, "%s: has %lld rows, and op(A) has %lld columns", p->o->x,
	                 (long long)p->x.v.n, (long long)cols);
}

static int run(struct spmspv *p)
{
	const struct spmspv_options *o = p->o;
	int code = tool_matrix(p->ctx, &o->common, o->A, &p->source, &p->A);

	if (code == TOOL_OK)
		code = vector_read(p->ctx, &o->common, o->x, &p->x);
	if (code == TOOL_OK)
		code = check_length(p);
	if (code == TOOL_OK)
		code = make_plan(p, o->common.method, &p->plan);
	if (code == TOOL_OK)
		code = run_plan(p, p->plan, &p->y, &p->count);
	if (code == TOOL_OK && o->explain)
		tool_explain(tool_people(&o->common), "", p->plan);
	if (code == TOOL_OK && o->check)
		code = check(p);
	if (code == TOOL_OK && o->output)
		code = write_result(p);
	return code == TOOL_OK ? report(p) : code;
}

int cmd_spmspv(int argc, char **argv)
{
	static struct spmspv_options o;
	static struct spmspv p;
	int code;

	tool_parse(&argp, argc, argv, &o);
	if (!o.x)
		tool_usage("a matrix and a vector are expected");
	if (o.common.beta != 0)
		tool_usage("--beta %g: ek spmspv has no beta", o.common.beta);
	if (!o.output && !o.check && !o.explain)
		o.output = tool_output_or_standard(NULL);
	if (o.output)
		tool_output_vector(o.output);
	tool_one_output(&o.common, o.output, "the vector");
	o.common.method = tool_method_of(EK_SPMSPV, o.common.method);
	p.o = &o;
	p.ctx = tool_context(&o.common, &code);
	if (!p.ctx)
		return code;
	code = run(&p);
	result_free(&p.y);
	ek_plan_destroy(p.plan);
	vector_free(&p.x);
	ek_matrix_destroy(p.A);
	ek_context_destroy(p.ctx);
	return code;
}
