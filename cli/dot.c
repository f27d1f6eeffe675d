/* SPDX-License-Identifier: BSD-3-Clause
 * ek dot: the dot product of two sparse vectors, or of a sparse and a dense one, from files. */
#include "vector.h"

struct dot_options {
	struct tool_options common; /* must be the first member, see tool_init */
	const char *x, *y, *method;
	bool dense;
};

static const struct argp_option options[] = {
	{"method", VECTOR_METHOD, "NAME", 0, "auto (by predicted time), or a name", 0},
	{"dense", VECTOR_DENSE, NULL, 0, "read Y as a dense vector", 0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct dot_options *o = state->input;

	tool_init(key, state, &o->common);
	switch (key) {
	case VECTOR_METHOD: o->method = arg; break;
	case VECTOR_DENSE: o->dense = true; break;
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
                                 "Computes the dot product of two sparse vectors: matrices of one "
                                 "column, or vector objects.",
                                 tool_common_children,
                                 NULL,
                                 NULL};

/* The number of entries of y, and the product. */
struct dot_result {
	int64_t y_nnz;
	double value;
};

static double number(ek_value value, const void *result)
{
	return value == EK_F32 ? (double)*(const float *)result : *(const double *)result;
}

static int dot_dense(ek_context *ctx, const struct dot_options *o, const struct vector *x,
                     struct dot_result *r)
{
	const ek_array_options how = {.size = sizeof how,
	                              .method = tool_method_of(EK_SPARSE_DOT_DENSE, o->method)};
	const ek_read_options read = tool_read_options(&o->common);
	double room[1] = {0};
	int64_t rows, cols;
	void *data;
	int code = tool_input(ek_dense_read(ctx, o->y, x->v.value, &read, &rows, &cols, &data));

	if (code != TOOL_OK)
		return code;
	code = cols == 1 ? vector_same_length(x, o->y, rows)
	                 : tool_fail(TOOL_INPUT, "%s: has %lld columns; a vector is expected", o->y,
	                             (long long)cols);
	if (code == TOOL_OK) {
		const ek_dense y = ek_vector(x->v.value, rows, data);

		code = tool_check(ek_sparse_dot_dense(ctx, &how, &x->v, &y, room));
	}
	*r = (struct dot_result){rows, number(x->v.value, room)};
	ek_free(ctx, data, (size_t)rows * (size_t)cols * ek_value_size(x->v.value));
	return code;
}

static int dot_sparse(ek_context *ctx, const struct dot_options *o, const struct vector *x,
                      struct dot_result *r)
{
	const ek_array_options how = {.size = sizeof how,
	                              .method = tool_method_of(EK_SPARSE_DOT, o->method)};
	static struct vector y;
	double room[1] = {0};
	int code = vector_read(ctx, &o->common, o->y, &y);

	if (code == TOOL_OK)
		code = vector_same_length(x, o->y, y.v.n);
	if (code == TOOL_OK)
		code = tool_check(ek_sparse_dot(ctx, &how, &x->v, &y.v, room));
	*r = (struct dot_result){y.v.nnz, number(x->v.value, room)};
	vector_free(&y);
	return code;
}

static int report(const struct dot_options *o, const struct vector *x, const struct dot_result *r)
{
	json_t *record = json_object();

	fprintf(tool_people(&o->common), "%.*g\n", x->v.value == EK_F32 ? 9 : 17, r->value);
	json_object_set_new(record, "x", json_string(o->x));
	json_object_set_new(record, "y", json_string(o->y));
	json_object_set_new(record, "n", json_integer(x->v.n));
	json_object_set_new(record, "x_nnz", json_integer(x->v.nnz));
	json_object_set_new(record, "y_nnz", json_integer(r->y_nnz));
	json_object_set_new(record, "value", json_string(ek_value_name(x->v.value)));
	json_object_set_new(record, "method", json_string(o->method ? o->method : "auto"));
	json_object_set_new(record, "dot", json_real(r->value));
	return tool_json_one(&o->common, record);
}

int cmd_dot(int argc, char **argv)
{
	static struct dot_options o;
	static struct vector x;
	struct dot_result r = {0};
	ek_context *ctx;
	int code;

	tool_parse(&argp, argc, argv, &o);
	if (!o.y)
		tool_usage("two vectors are expected");
	tool_method_of(o.dense ? EK_SPARSE_DOT_DENSE : EK_SPARSE_DOT, o.method);
	ctx = tool_context(&o.common, &code);
	if (!ctx)
		return code;
	code = vector_read(ctx, &o.common, o.x, &x);
	if (code == TOOL_OK)
		code = o.dense ? dot_dense(ctx, &o, &x, &r) : dot_sparse(ctx, &o, &x, &r);
	if (code == TOOL_OK)
		code = report(&o, &x, &r);
	vector_free(&x);
	ek_context_destroy(ctx);
	return code;
}
