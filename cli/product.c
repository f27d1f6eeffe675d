/* SPDX-License-Identifier: BSD-3-Clause
 * Computes y = alpha op(A) x + beta y0 for vectors or blocks, read from and written to files. With
 * --calls the product is repeated and timed; with --check the result is compared with a plain loop
 * in extended precision (oracle.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "product.h"
#include "product_device.h"

error_t product_parse(int key, char *arg, struct argp_state *state)
{
	struct product_options *o = state->input;

	tool_init(key, state, &o->common);
	switch (key) {
	case 'o': o->output = arg; break;
	case PRODUCT_Y0: o->y0 = arg; break;
	case PRODUCT_CHECK: o->check = true; break;
	case PRODUCT_WISDOM: o->measured.wisdom = arg; o->measured.on = true; break;
	case PRODUCT_MEASURE: o->measured.on = true; break;
	case ARGP_KEY_ARG:
		if (o->x)
			tool_usage("%s: a matrix and at most one vector or block are expected",
			           arg);
		*(o->matrix ? &o->x : &o->matrix) = arg;
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* ---- The product ----------------------------------------------------------------------------- */

struct product {
	ek_context *ctx;
	const struct product_kind *kind;
	const struct product_options *o;
	struct tool_source source;
	ek_matrix *A;
	ek_plan *plan;
	ek_dense x, y0, y;
	struct product_device device;
	double prepare_seconds, first_seconds, best_seconds, mean_seconds, error;
	int64_t calls;
};

/* Makes x, y0 and y for a matrix with the sizes and types in `info`. */
static int make_blocks(struct product *p, const ek_matrix_info *info)
{
	const struct tool_options *o = &p->o->common;
	const int64_t nx = o->op == EK_OP_N ? info->cols : info->rows;
	const int64_t ny = o->op == EK_OP_N ? info->rows : info->cols;
	const int order = p->o->order;
	int code;

	if (p->o->x) {
		code = block_read(p->ctx, o, p->o->x, info->value, nx, p->o->columns, order, &p->x);
	} else if ((code = block_make(info->value, nx, p->o->columns, order, &p->x)) == TOOL_OK) {
		for (int64_t i = 0; i < nx; i++)
			for (int64_t j = 0; j < p->x.cols; j++)
				block_set(&p->x, i, j, 1 + (double)((i + j) % 7) / 8);
	}
	if (code == TOOL_OK && p->o->y0)
		code = block_read(p->ctx, o, p->o->y0, info->value, ny, p->x.cols, order, &p->y0);
	else if (code == TOOL_OK)
		code = block_make(info->value, ny, p->x.cols, order, &p->y0);
	if (code == TOOL_OK)
		code = block_make(info->value, ny, p->x.cols, order, &p->y);
	return code;
}

static int prepare(struct product *p)
{
	const struct tool_options *o = &p->o->common;
	ek_hints hints = {.size = sizeof hints,
	                  .method = o->method,
	                  .op = o->op,
	                  .calls = o->calls,
	                  .reproducible = o->reproducible,
	                  .format = o->format,
	                  .measure = p->o->measured.on};
	ek_matrix_info info = {.size = sizeof info};
	const int64_t copied = product_device_copied(p->ctx);
	struct tool_progress *progress;
	double start;
	ek_status status;
	int code;

	ek_matrix_get_info(p->A, &info);
	code = make_blocks(p, &info);
	if (code == TOOL_OK)
		code = tool_refuse_flood(p->o->output, p->y.rows * p->y.cols);
	if (code != TOOL_OK)
		return code;
	hints.width = p->x.cols;
	progress = tool_progress_start(o, tool_preparing(p->ctx));
	start = tool_seconds();
	status = ek_plan_create(p->kind->operation, p->A, &hints, &p->plan);
	p->prepare_seconds = tool_seconds() - start;
	tool_progress_end(progress);
	code = tool_limited(status, "ek convert --max-bytes raises it");
	if (code == TOOL_OK)
		code = product_device_start(&p->device, p->ctx, ek_plan_method(p->plan), copied,
		                            &p->x, (int64_t)block_bytes(&p->y));
	return code;
}

/* Multiplies once, starting from y0. The time of copying y0 to y does not count. */
static int multiply_once(struct product *p, double *seconds)
{
	const struct tool_options *o = &p->o->common;
	double start;
	int code;

	if (p->device.ctx)
		return product_device_run(&p->device, p->kind->multiply, p->plan, o->alpha, &p->x,
		                          o->beta, &p->y0, seconds);
	memcpy(p->y.data, p->y0.data, block_bytes(&p->y));
	start = tool_seconds();
	code = tool_check(p->kind->multiply(p->plan, o->alpha, &p->x, o->beta, &p->y));
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
	return code ? code : product_device_finish(&p->device, &p->y);
}

/* Writes a text such as ", column 3" if the operands are blocks, else "". */
static const char *column_text(const struct product *p, int64_t col, char text[40])
{
	*text = 0;
	if (p->kind->operation != EK_SPMV)
		snprintf(text, 40, ", column %lld", (long long)col + 1);
	return text;
}

/* Checks column j of the result of a product with A, and finds the entry whose quotient error /
 * bound is largest. */
static int check_column(const struct product *p, const ek_matrix *A, int64_t j,
                        struct oracle_result *worst)
{
	const struct tool_options *o = &p->o->common;
	ek_dense x = {0}, y0 = {0}, y = {0};
	struct oracle *oracle = NULL;
	int code = block_column(&p->x, j, &x);

	if (!code)
		code = block_column(&p->y0, j, &y0);
	if (!code)
		code = block_column(&p->y, j, &y);
	if (!code)
		code = oracle_make(A, o->op, o->alpha, &x, o->beta, &y0, ek_context_threads(p->ctx),
		                   &oracle);
	if (!code)
		*worst = oracle_check(oracle, y.data);
	oracle_free(oracle);
	free(x.data);
	free(y0.data);
	free(y.data);
	return code;
}

/* Rounds a ratio near 1 away from 1, so that only 1 itself is printed as 1. */
static double away_from_one(double ratio)
{
	if (ratio > 0.99 && ratio < 1)
		return floor(1e6 * ratio) / 1e6;
	return ratio > 1 && ratio < 1.01 ? ceil(1e6 * ratio) / 1e6 : ratio;
}

static int check(struct product *p, FILE *out)
{
	char column[40];
	const struct tool_options *o = &p->o->common;
	struct tool_progress *progress = tool_progress_start(o, "checking");
	struct oracle_result r = {0}, one;
	ek_matrix_info info = {.size = sizeof info};
	ek_matrix *csr = NULL;
	int64_t col = 0;
	int code = tool_check(ek_matrix_get_info(p->A, &info));

	if (!code && strcmp(info.format, "csr") != 0) /* converts once, not for each column */
		code = tool_check(ek_matrix_convert(p->A, "csr", NULL, &csr));
	for (int64_t j = 0; j < p->y.cols && !code; j++) {
		code = check_column(p, csr ? csr : p->A, j, &one);
		if (!code && (one.worst > r.worst || isnan(one.worst))) {
			r = one;
			col = j;
		}
		tool_progress_step(progress, j + 1, p->y.cols);
	}
	ek_matrix_destroy(csr);
	tool_progress_end(progress);
	if (code != TOOL_OK)
		return code;
	p->error = r.worst;
	fprintf(out, "check     error/bound %.*g", r.worst > 0.99 ? 7 : 3, away_from_one(r.worst));
	if (r.worst > 0)
		fprintf(out,
		        " (largest, at row %lld%s: %s is %.17g, extended precision gives %.17g)",
		        (long long)r.row + 1, column_text(p, col, column), p->kind->y,
		        block_get(&p->y, r.row, col), r.expected);
	fprintf(out, "\n");
	if (!(r.worst <= 1))
		return tool_fail(
			TOOL_FAILED,
			"%s: the error at row %lld%s is %.7g times its bound; at most 1 is "
			"accepted",
			ek_plan_method(p->plan), (long long)r.row + 1, column_text(p, col, column),
			away_from_one(r.worst));
	return TOOL_OK;
}

static void print_times(const struct product *p, FILE *out)
{
	ek_matrix_info info = {.size = sizeof info};

	ek_matrix_get_info(p->A, &info);
	fprintf(out, "method    %s on %s, prepared in %.3g %s\n", ek_plan_method(p->plan),
	        ek_plan_format(p->plan), p->prepare_seconds * (p->prepare_seconds < 1 ? 1e3 : 1),
	        p->prepare_seconds < 1 ? "ms" : "s");
	if (p->kind->operation != EK_SPMV)
		fprintf(out, "blocks    %lld column%s, %s-major\n", (long long)p->x.cols,
		        p->x.cols == 1 ? "" : "s", p->o->order == EK_ROW_MAJOR ? "row" : "column");
	fprintf(out,
	        "product   %.4g ms in the mean of %lld, %.4g ms at best, %.4g ms the first time\n",
	        1e3 * p->mean_seconds, (long long)p->calls, 1e3 * p->best_seconds,
	        1e3 * p->first_seconds);
	product_device_print(&p->device, out);
	fprintf(out, "speed     %.3g Gflop/s, %.3g GB/s at best\n",
	        2e-9 * (double)info.nnz * (double)p->x.cols / p->best_seconds,
	        1e-9 * (double)ek_plan_bytes(p->plan) / p->best_seconds);
}

static json_t *record_of(const struct product *p)
{
	const struct tool_options *o = &p->o->common;
	json_t *record = tool_record(&p->source, p->A);

	json_object_set_new(record, "op", json_string(o->op == EK_OP_N ? "n" : "t"));
	json_object_set_new(record, "method", json_string(ek_plan_method(p->plan)));
	tool_json_format(record, ek_plan_format(p->plan));
	if (p->kind->operation != EK_SPMV) {
		json_object_set_new(record, "columns", json_integer(p->x.cols));
		json_object_set_new(record, "order",
		                    json_string(p->o->order == EK_ROW_MAJOR ? "row" : "col"));
	}
	json_object_set_new(record, "alpha", json_real(o->alpha));
	json_object_set_new(record, "beta", json_real(o->beta));
	json_object_set_new(record, "threads", json_integer(ek_context_threads(p->ctx)));
	json_object_set_new(record, "isa", json_string(ek_isa_name(ek_context_isa(p->ctx))));
	product_device_json(&p->device, record);
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
	int code = block_write(p->ctx, path, &p->y);

	tool_will_write("-");
	return code;
}

static int run(struct product *p)
{
	const struct product_options *o = p->o;
	FILE *out = tool_people_beside(&o->common, o->output);
	int code = tool_matrix(p->ctx, &o->common, o->matrix, &p->source, &p->A);

	if (code == TOOL_OK)
		code = measured_load(p->ctx, &o->measured);
	if (code == TOOL_OK)
		code = prepare(p);
	if (code == TOOL_OK)
		code = multiply(p);
	if (code != TOOL_OK)
		return code;
	if (o->common.calls)
		print_times(p, out);
	measured_print(&o->measured, p->plan, out);
	int checked = o->check ? check(p, out) : TOOL_OK;

	code = write_y(p);
	if (code == TOOL_OK && o->common.json)
		code = tool_json_one(&o->common, record_of(p));

	int saved = measured_save(p->ctx, &o->measured);

	return checked ? checked : code ? code : saved;
}

int product_command(const struct product_kind *kind, struct product_options *o)
{
	static struct product p;
	int code;

	p.kind = kind;
	p.o = o;
	if (!o->matrix)
		tool_usage("a matrix is expected: a file, -, a generator or a twin");
	if (o->common.beta != 0 && !o->y0)
		tool_usage("--beta %g needs the old %s: --y0 FILE", o->common.beta, kind->y);
	if (o->y0 && o->common.beta == 0)
		tool_usage("--y0 %s: without --beta, or with --beta 0, the old %s is not read",
		           o->y0, kind->y);
	measured_check(&o->measured, &o->common, o->common.calls ? NULL : "--calls");
	o->common.method = tool_one_method(kind->operation, o->common.method);
	if (o->common.format)
		tool_format("--format", o->common.format);
	if (!o->output && !o->common.calls && !o->check &&
	    !(o->common.json && strcmp(o->common.json, "-") == 0))
		o->output = tool_output_or_standard(NULL);
	tool_one_output(&o->common, o->output, kind->y);
	if (o->output)
		tool_output_vector(o->output);
	p.ctx = tool_context(&o->common, &code);
	if (!p.ctx)
		return code;
	code = run(&p);
	free(p.x.data);
	free(p.y0.data);
	free(p.y.data);
	product_device_free(&p.device);
	ek_plan_destroy(p.plan);
	ek_matrix_destroy(p.A);
	ek_context_destroy(p.ctx);
	return code;
}
