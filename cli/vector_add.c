/* SPDX-License-Identifier: BSD-3-Clause
 * ek vector-add: computes the sum of multiples of two sparse vectors, from and to files. */
#include <stdlib.h>
#include <string.h>

#include "vector.h"

struct add_options {
	struct tool_options common; /* must be the first member, see tool_init */
	const char *x, *y, *method, *output;
};

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0, "where to write Z (-, standard output)", 0},
	{"method", VECTOR_METHOD, "NAME", 0, "auto (by predicted time), or a name", 0},
	{"alpha", VECTOR_ALPHA, "NUMBER", 0, "factor of X (1)", 0},
	{"beta", VECTOR_BETA, "NUMBER", 0, "factor of Y (1)", 0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct add_options *o = state->input;

	tool_init(key, state, &o->common);
	switch (key) {
	case ARGP_KEY_INIT: o->common.beta = 1; break;
	case 'o': o->output = arg; break;
	case VECTOR_METHOD: o->method = arg; break;
	case VECTOR_ALPHA: o->common.alpha = tool_number("--alpha", arg); break;
	case VECTOR_BETA: o->common.beta = tool_number("--beta", arg); break;
	case ARGP_KEY_ARG:
		if (o->y)
			tool_usage("%s: two vectors are expected", arg);
		*(o->x ? &o->y : &o->x) = arg;
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {options,
                                 parse,
                                 "X Y",
                                 "Computes Z = alpha X + beta Y for sparse vectors: matrices of "
                                 "one column, or vector objects. "
                                 "Z has an entry wherever X or Y has one.",
                                 tool_common_children,
                                 NULL,
                                 NULL};

static int add(ek_context *ctx, const struct add_options *o, const struct vector *x,
               const struct vector *y, int64_t *count, ek_matrix **Z)
{
	const ek_array_options how = {.size = sizeof how,
	                              .method = tool_method_of(EK_SPARSE_ADD, o->method)};
	const int64_t room = x->v.nnz + y->v.nnz;
	void *idx = calloc((size_t)room + 1, 8), *val = calloc((size_t)room + 1, 8);
	const ek_sparse z = ek_sparse_vector(x->v.value, x->v.index, x->v.n, room, idx, val);
	int code = idx && val ? TOOL_OK : tool_fail(TOOL_FAILED, "out of memory");

	if (code == TOOL_OK)
		code = tool_check(ek_sparse_add(ctx, &how, o->common.alpha, &x->v, o->common.beta,
		                                &y->v, count, &z));
	if (code == TOOL_OK)
		code = vector_matrix(ctx, &z, *count, Z);
	free(idx);
	free(val);
	return code;
}

static int report(const struct add_options *o, const struct vector *x, const struct vector *y,
                  int64_t count)
{
	json_t *record = json_object();

	json_object_set_new(record, "x", json_string(o->x));
	json_object_set_new(record, "y", json_string(o->y));
	json_object_set_new(record, "output", json_string(o->output));
	json_object_set_new(record, "n", json_integer(x->v.n));
	json_object_set_new(record, "x_nnz", json_integer(x->v.nnz));
	json_object_set_new(record, "y_nnz", json_integer(y->v.nnz));
	json_object_set_new(record, "nnz", json_integer(count));
	json_object_set_new(record, "value", json_string(ek_value_name(x->v.value)));
	json_object_set_new(record, "alpha", json_real(o->common.alpha));
	json_object_set_new(record, "beta", json_real(o->common.beta));
	json_object_set_new(record, "method", json_string(o->method ? o->method : "auto"));
	return tool_json_one(&o->common, record);
}

int cmd_vector_add(int argc, char **argv)
{
	static struct add_options o;
	static struct vector x, y;
	ek_matrix *Z = NULL;
	int64_t count = 0;
	ek_context *ctx;
	int code;

	tool_parse(&argp, argc, argv, &o);
	if (!o.y)
		tool_usage("two vectors are expected");
	o.output = tool_output_or_standard(o.output);
	tool_output_vector(o.output);
	tool_method_of(EK_SPARSE_ADD, o.method);
	tool_one_output(&o.common, o.output, "the vector");
	ctx = tool_context(&o.common, &code);
	if (!ctx)
		return code;
	code = vector_read(ctx, &o.common, o.x, &x);
	if (code == TOOL_OK)
		code = vector_read(ctx, &o.common, o.y, &y);
	if (code == TOOL_OK)
		code = vector_same_length(&x, o.y, y.v.n);
	if (code == TOOL_OK)
		code = add(ctx, &o, &x, &y, &count, &Z);
	if (code == TOOL_OK)
		code = tool_refuse_flood(o.output, count);
	if (code == TOOL_OK)
		code = tool_write(&o.common, Z, o.output, "mtx");
	if (code == TOOL_OK)
		code = report(&o, &x, &y, count);
	ek_matrix_destroy(Z);
	vector_free(&x);
	vector_free(&y);
	ek_context_destroy(ctx);
	return code;
}
