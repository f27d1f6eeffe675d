/* SPDX-License-Identifier: BSD-3-Clause
 * ek spmv: y = alpha op(A) x + beta y0, one product from and to files. With --calls the product is
 * repeated and timed; with --check it is compared with a plain loop in extended precision
 * (oracle.c).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ek.h"
#include "oracle.h"
#include "spmv_device.h"

struct spmv_options {
	struct tool_options common; /* first */
	const char *matrix, *x, *y0, *output;
	bool check;
};

enum { KEY_Y0 = 512, KEY_CHECK };

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0,
         "where to write y (-, standard output; nowhere with --calls or --check)", 0},
	{"y0", KEY_Y0, "FILE", 0, "the old y, for --beta", 0},
	{"check", KEY_CHECK, NULL, 0,
         "compare with a plain loop in extended precision; prints error/bound", 0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct spmv_options *o = state->input;

	tool_init(key, state, &o->common);
	switch (key) {
	case 'o': o->output = arg; break;
	case KEY_Y0: o->y0 = arg; break;
	case KEY_CHECK: o->check = true; break;
	case ARGP_KEY_ARG:
		if (o->x)
			tool_usage("%s: a matrix and at most one vector are expected", arg);
		*(o->matrix ? &o->x : &o->matrix) = arg;
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	options,
	parse,
	"A [X]",
	"y = alpha op(A) x + beta y. Without X, x_j = 1 + (j mod 7) / 8. "
	"Vectors are Matrix Market files: arrays with one column, or vector objects.",
	tool_product_children,
	NULL,
	NULL};

/* ---- Vectors --------------------------------------------------------------------------------- */

static size_t bytes_of(const ek_dense *v)
{
	return (size_t)v->rows * ek_value_size(v->value);
}

static double get(const ek_dense *v, int64_t k)
{
	return v->value == EK_F32 ? (double)((const float *)v->data)[k]
	                          : ((const double *)v->data)[k];
}

static void set(const ek_dense *v, int64_t k, double number)
{
	if (v->value == EK_F32)
		((float *)v->data)[k] = (float)number;
	else
		((double *)v->data)[k] = number;
}

/* calloc asks for one byte more, so that NULL always means failure. */
static int make(ek_value value, int64_t n, ek_dense *v)
{
	void *data = calloc((size_t)n * ek_value_size(value) + 1, 1);

	*v = ek_vector(value, n, data);
	return data ? TOOL_OK
	            : tool_fail(TOOL_FAILED, "out of memory for a vector of %lld entries",
	                        (long long)n);
}

static int read_vector(ek_context *ctx, const struct tool_options *common, const char *path,
                       ek_value value, int64_t n, ek_dense *v)
{
	const ek_read_options o = tool_read_options(common);
	int64_t rows, cols;
	void *data;
	int code = tool_input(ek_dense_read(ctx, path, value, &o, &rows, &cols, &data));

	if (code != TOOL_OK)
		return code;
	if (rows != n || cols != 1)
		code = tool_fail(
			TOOL_INPUT,
			"%s: has %lld row%s and %lld column%s; a vector with %lld row%s and "
			"1 column is expected",
			path, (long long)rows, rows == 1 ? "" : "s", (long long)cols,
			cols == 1 ? "" : "s", (long long)n, n == 1 ? "" : "s");
	if (code == TOOL_OK)
		code = make(value, n, v);
	if (code == TOOL_OK && n > 0)
		memcpy(v->data, data, bytes_of(v));
	ek_free(ctx, data, (size_t)(rows * cols) * ek_value_size(value));
	return code;
}

/* ---- The product ----------------------------------------------------------------------------- */

struct product {
	ek_context *ctx;
	const struct spmv_options *o;
	struct tool_source source;
	ek_matrix *A;
	ek_plan *plan;
	ek_dense x, y0, y;
	struct spmv_device device;
	double prepare_seconds, first_seconds, best_seconds, mean_seconds, error;
	int64_t calls;
};

static int prepare(struct product *p)
{
	const struct tool_options *o = &p->o->common;
	ek_hints hints = {.size = sizeof hints,
	                  .method = o->method,
	                  .op = o->op,
	                  .calls = o->calls,
	                  .reproducible = o->reproducible,
	                  .format = o->format};
	ek_matrix_info info = {.size = sizeof info};
	const int64_t copied = spmv_device_copied(p->ctx);
	struct tool_progress *progress = tool_progress_start(o, tool_preparing(p->ctx));
	double start = tool_seconds();
	ek_status status = ek_plan_create(EK_SPMV, p->A, &hints, &p->plan);
	int code;

	p->prepare_seconds = tool_seconds() - start;
	tool_progress_end(progress);
	code = tool_limited(status, "ek convert --max-bytes raises it");
	if (code != TOOL_OK)
		return code;
	ek_matrix_get_info(p->A, &info);
	int64_t nx = o->op == EK_OP_N ? info.cols : info.rows;
	int64_t ny = o->op == EK_OP_N ? info.rows : info.cols;

	if (p->o->x) {
		code = read_vector(p->ctx, o, p->o->x, info.value, nx, &p->x);
	} else if ((code = make(info.value, nx, &p->x)) == TOOL_OK) {
		for (int64_t j = 0; j < nx; j++)
			set(&p->x, j, 1 + (double)(j % 7) / 8);
	}
	if (code == TOOL_OK && p->o->y0)
		code = read_vector(p->ctx, o, p->o->y0, info.value, ny, &p->y0);
	else if (code == TOOL_OK)
		code = make(info.value, ny, &p->y0);
	if (code == TOOL_OK)
		code = make(info.value, ny, &p->y);
	if (code == TOOL_OK)
		code = spmv_device_start(&p->device, p->ctx, ek_plan_method(p->plan), copied, &p->x,
		                         (int64_t)bytes_of(&p->y));
	return code;
}

/* One product from y0; the time to restore it is not counted. */
static int multiply_once(struct product *p, double *seconds)
{
	const struct tool_options *o = &p->o->common;
	double start;
	int code;

	if (p->device.ctx)
		return spmv_device_run(&p->device, p->plan, o->alpha, &p->x, o->beta, &p->y0,
		                       seconds);
	memcpy(p->y.data, p->y0.data, bytes_of(&p->y));
	start = tool_seconds();
	code = tool_check(ek_spmv(p->plan, o->alpha, &p->x, o->beta, &p->y));
	*seconds = tool_seconds() - start;
	return code;
}

static int multiply(struct product *p)
{
	const struct tool_options *o = &p->o->common;
	struct tool_progress *progress = tool_progress_start(o, "multiplying");
	double sum = 0;
	int code = TOOL_OK;

	p->calls = o->calls ? o->calls : 1;
	for (int64_t k = 0; k < p->calls && code == TOOL_OK; k++) {
		double seconds;

		code = multiply_once(p, &seconds);
		sum += seconds;
		if (k == 0)
			p->first_seconds = p->best_seconds = seconds;
		p->best_seconds = seconds < p->best_seconds ? seconds : p->best_seconds;
		tool_progress_step(progress, k + 1, p->calls);
	}
	p->mean_seconds = sum / (double)p->calls;
	tool_progress_end(progress);
	return code ? code : spmv_device_finish(&p->device, &p->y);
}

static int check(struct product *p, FILE *out)
{
	const struct tool_options *o = &p->o->common;
	struct tool_progress *progress = tool_progress_start(o, "checking");
	struct oracle_result r;
	int code = oracle_check(p->A, o->op, o->alpha, &p->x, o->beta, &p->y0, &p->y, &r);

	tool_progress_end(progress);
	if (code != TOOL_OK)
		return code;
	p->error = r.worst;
	fprintf(out, "check     error/bound %.3g", r.worst);
	if (r.worst > 0)
		fprintf(out, " (largest, at row %lld: y is %.17g, extended precision gives %.17g)",
		        (long long)r.row + 1, get(&p->y, r.row), r.expected);
	fprintf(out, "\n");
	if (!(r.worst <= 1))
		return tool_fail(TOOL_FAILED,
		                 "%s: the error at row %lld is %.3g times its bound; at most 1 is "
		                 "accepted",
		                 ek_plan_method(p->plan), (long long)r.row + 1, r.worst);
	return TOOL_OK;
}

static void print_times(const struct product *p, FILE *out)
{
	ek_matrix_info info = {.size = sizeof info};

	ek_matrix_get_info(p->A, &info);
	fprintf(out, "method    %s on %s, prepared in %.3g %s\n", ek_plan_method(p->plan),
	        ek_plan_format(p->plan), p->prepare_seconds * (p->prepare_seconds < 1 ? 1e3 : 1),
	        p->prepare_seconds < 1 ? "ms" : "s");
	fprintf(out,
	        "product   %.4g ms in the mean of %lld, %.4g ms at best, %.4g ms the first time\n",
	        1e3 * p->mean_seconds, (long long)p->calls, 1e3 * p->best_seconds,
	        1e3 * p->first_seconds);
	spmv_device_print(&p->device, out);
	fprintf(out, "speed     %.3g Gflop/s, %.3g GB/s at best\n",
	        2e-9 * (double)info.nnz / p->best_seconds,
	        1e-9 * (double)ek_plan_bytes(p->plan) / p->best_seconds);
}

static json_t *record_of(const struct product *p)
{
	const struct tool_options *o = &p->o->common;
	json_t *record = tool_record(&p->source, p->A);

	json_object_set_new(record, "op", json_string(o->op == EK_OP_N ? "n" : "t"));
	json_object_set_new(record, "method", json_string(ek_plan_method(p->plan)));
	tool_json_format(record, ek_plan_format(p->plan));
	json_object_set_new(record, "alpha", json_real(o->alpha));
	json_object_set_new(record, "beta", json_real(o->beta));
	json_object_set_new(record, "threads", json_integer(ek_context_threads(p->ctx)));
	json_object_set_new(record, "isa", json_string(ek_isa_name(ek_context_isa(p->ctx))));
	spmv_device_json(&p->device, record);
	json_object_set_new(record, "calls", json_integer(p->calls));
	json_object_set_new(record, "prepare_ms", json_real(1e3 * p->prepare_seconds));
	json_object_set_new(record, "ms", json_real(1e3 * p->mean_seconds));
	json_object_set_new(record, "ms_min", json_real(1e3 * p->best_seconds));
	json_object_set_new(record, "bytes", json_integer(ek_plan_bytes(p->plan)));
	if (p->o->check) {
		json_object_set_new(record, "error", json_real(p->error));
		json_object_set_new(record, "failed", json_boolean(!(p->error <= 1)));
	}
	return record;
}

static int write_y(const struct product *p)
{
	const char *path = p->o->output;

	if (!path)
		return TOOL_OK;
	tool_will_write(path);
	int code = tool_check(ek_dense_write(p->ctx, path, p->y.value, p->y.rows, 1, p->y.data));

	tool_will_write("-");
	return code;
}

static int run(struct product *p)
{
	const struct spmv_options *o = p->o;
	FILE *out = o->output && strcmp(o->output, "-") == 0 ? stderr : tool_people(&o->common);
	int code = tool_matrix(p->ctx, &o->common, o->matrix, &p->source, &p->A);

	if (code == TOOL_OK)
		code = prepare(p);
	if (code == TOOL_OK)
		code = multiply(p);
	if (code != TOOL_OK)
		return code;
	if (o->common.calls)
		print_times(p, out);
	int checked = o->check ? check(p, out) : TOOL_OK;

	code = write_y(p);
	if (code == TOOL_OK && o->common.json)
		code = tool_json_one(&o->common, record_of(p));
	return checked ? checked : code;
}

int cmd_spmv(int argc, char **argv)
{
	static struct spmv_options o;
	static struct product p = {.o = &o};
	int code;

	tool_parse(&argp, argc, argv, &o);
	if (!o.matrix)
		tool_usage("a matrix is expected: a file, -, a generator or a twin");
	if (o.common.beta != 0 && !o.y0)
		tool_usage("--beta %g needs the old y: --y0 FILE", o.common.beta);
	if (o.common.method && strcmp(o.common.method, "all") == 0)
		tool_usage("--method all: one method or auto is expected; ek bench spmv runs all");
	o.common.method = tool_method(o.common.method);
	if (o.common.format)
		tool_format("--format", o.common.format);
	if (!o.output && !o.common.calls && !o.check &&
	    !(o.common.json && strcmp(o.common.json, "-") == 0))
		o.output = "-";
	if (o.common.json && o.output && strcmp(o.common.json, "-") == 0 &&
	    strcmp(o.output, "-") == 0)
		tool_usage("--json -: standard output takes y; name a file for one of them");
	if (o.output)
		tool_output_vector(o.output);
	p.ctx = tool_context(&o.common, &code);
	if (!p.ctx)
		return code;
	code = run(&p);
	free(p.x.data);
	free(p.y0.data);
	free(p.y.data);
	spmv_device_free(&p.device);
	ek_plan_destroy(p.plan);
	ek_matrix_destroy(p.A);
	ek_context_destroy(p.ctx);
	return code;
}
