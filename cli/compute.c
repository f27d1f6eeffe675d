/* SPDX-License-Identifier: BSD-3-Clause
 * What ek multiply, ek add, ek triple and ek transpose do in the same way: options, the plan and
 * its runs, and the lines and JSON members of their results. */
#include "compute.h"

error_t compute_parse(int key, char *arg, struct compute_options *o)
{
	switch (key) {
	case COMPUTE_MEMORY: o->memory = tool_size("--memory", arg); break;
	case COMPUTE_REPEAT: o->repeat = tool_integer("--repeat", arg, 0, INT64_MAX); break;
	case COMPUTE_CHECK: o->check = true; break;
	case COMPUTE_EXPLAIN: o->explain = true; break;
	case 'o': o->output = arg; break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

void compute_check_options(ek_operation operation, struct compute_options *o)
{
	tool_one_output(&o->common, o->output, "C");
	if (o->output)
		tool_output_form(o->output, NULL);
	o->common.method = tool_one_method(operation, o->common.method);
}

/* ---- The computation ------------------------------------------------------------------------- */

static const char *word_of(ek_operation operation)
{
	return operation == EK_SPADD       ? "adding"
	       : operation == EK_TRANSPOSE ? "transposing"
	                                   : "multiplying";
}

int compute_plan(struct compute *c)
{
	const struct tool_options *o = &c->o->common;
	const struct multiply_case *m = &c->what;
	const ek_hints hints = {.size = sizeof hints,
	                        .method = o->method,
	                        .op = m->op,
	                        .op_b = m->op_b,
	                        .calls = c->o->repeat + 1,
	                        .reproducible = o->reproducible,
	                        .format = o->format,
	                        .memory = c->o->memory,
	                        .B = m->B,
	                        .D = m->D,
	                        .index = m->index,
	                        .measure = c->o->measured.on,
	                        .unsorted = m->unsorted};
	/* Plans of some methods for EK_TRIPLE do the first of two products. */
	const bool works = m->operation == EK_TRIPLE || m->operation == EK_TRANSPOSE;
	const char *word = works ? word_of(m->operation) : "preparing";
	struct tool_progress *progress = tool_progress_start(o, word);
	const double start = tool_seconds();
	const ek_status status = ek_plan_create(m->operation, m->A, &hints, &c->plan);

	c->plan_seconds = tool_seconds() - start;
	tool_progress_end(progress);
	return tool_check(status);
}

int compute_runs(struct compute *c)
{
	const struct multiply_case *m = &c->what;
	struct tool_progress *progress = tool_progress_start(&c->o->common, word_of(m->operation));
	double sum = 0;
	int code = TOOL_OK;

	for (int64_t k = 0; k <= c->o->repeat && !code; k++) {
		if (k > 0 && m->operation == EK_TRIPLE)
			code = tool_check(ek_matrix_values_changed(m->A));
		const double start = tool_seconds();

		if (!code)
			code = tool_check(multiply_run(m, c->plan, m->alpha, m->beta, &c->C));
		const double seconds = tool_seconds() - start;

		if (k == 0) {
			c->first_seconds = seconds;
		} else {
			sum += seconds;
			if (k == 1 || seconds < c->best_seconds)
				c->best_seconds = seconds;
		}
		tool_progress_step(progress, k + 1, c->o->repeat + 1);
	}
	if (c->o->repeat)
		c->mean_seconds = sum / (double)c->o->repeat;
	tool_progress_end(progress);
	return code;
}

int compute_check(struct compute *c)
{
	struct tool_progress *progress = tool_progress_start(&c->o->common, "checking");
	const int code = multiply_check(&c->what, c->C, &c->error);

	tool_progress_end(progress);
	return code;
}

int compute_verdict(const struct compute *c)
{
	const struct multiply_error *e = &c->error;

	if (e->worst <= 1)
		return TOOL_OK;
	return tool_fail(
		TOOL_FAILED,
		"%s: at row %lld, column %lld C is %.17g, by %s %.17g, %.3g times the bound",
		ek_plan_method(c->plan), (long long)e->row + 1, (long long)e->col + 1, e->value,
		multiply_reference(&c->what), e->expected, e->worst);
}

/* ---- Text ------------------------------------------------------------------------------------ */

ek_matrix_info compute_info(const ek_matrix *M)
{
	ek_matrix_info info = {.size = sizeof info};

	ek_matrix_get_info(M, &info);
	return info;
}

void compute_print_matrix(FILE *out, const char *name, const ek_matrix *M)
{
	const ek_matrix_info info = compute_info(M);
	char rows[32], cols[32], nnz[32];

	fprintf(out, "%-9s %s x %s, %s entries, %s %s %s\n", name, tool_count(rows, info.rows),
	        tool_count(cols, info.cols), tool_count(nnz, info.nnz), info.format,
	        ek_value_name(info.value), ek_index_name(info.index));
}

static double speed(double work, double seconds)
{
	return seconds > 0 ? work / seconds : 0;
}

static void print_speed(double work, double seconds, const char *unit, FILE *out)
{
	if (unit)
		fprintf(out, ", %.3g %s", speed(work, seconds), unit);
	fputc('\n', out);
}

void compute_print(const struct compute *c, double work, const char *unit, FILE *out)
{
	const ek_operation operation = c->what.operation;
	const bool formats = operation == EK_SPGEMM || operation == EK_TRIPLE;
	char bytes[32];

	fprintf(out, "method    %s%s%s, prepared in %.4g ms, holds %s\n", ek_plan_method(c->plan),
	        formats ? " on " : "", formats ? ek_plan_format(c->plan) : "",
	        1e3 * c->plan_seconds, tool_bytes(bytes, (double)ek_plan_memory(c->plan)));
	fprintf(out, "first run %.4g ms", 1e3 * c->first_seconds);
	print_speed(work, c->first_seconds, unit, out);
	if (!c->o->repeat)
		return;
	fprintf(out, "later     %.4g ms in the mean of %lld", 1e3 * c->mean_seconds,
	        (long long)c->o->repeat);
	if (operation != EK_TRANSPOSE)
		fprintf(out, ", %.4g ms at best", 1e3 * c->best_seconds);
	print_speed(work, operation == EK_TRANSPOSE ? c->mean_seconds : c->best_seconds, unit, out);
}

void compute_print_error(const struct compute *c, FILE *out)
{
	fprintf(out, "check     same pattern, error/bound %.3g\n", c->error.worst);
}

void compute_print_explain(const struct compute *c, FILE *out)
{
	if (c->o->explain)
		tool_explain(out, "\n", c->plan);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

void compute_json_method(json_t *record, const struct compute *c)
{
	const ek_context *ctx = c->what.ctx;

	json_object_set_new(record, "method", json_string(ek_plan_method(c->plan)));
	json_object_set_new(record, "threads", json_integer(ek_context_threads(ctx)));
	json_object_set_new(record, "isa", json_string(ek_isa_name(ek_context_isa(ctx))));
}

void compute_json_times(json_t *record, const struct compute *c, double work, const char *unit)
{
	json_object_set_new(record, "prepare_ms", json_real(1e3 * c->plan_seconds));
	json_object_set_new(record, "first_ms", json_real(1e3 * c->first_seconds));
	if (unit)
		json_object_set_new(record, unit, json_real(speed(work, c->first_seconds)));
	if (c->o->repeat) {
		json_object_set_new(record, "repeat", json_integer(c->o->repeat));
		json_object_set_new(record, "ms", json_real(1e3 * c->mean_seconds));
		if (c->what.operation != EK_TRANSPOSE)
			json_object_set_new(record, "ms_min", json_real(1e3 * c->best_seconds));
	}
	json_object_set_new(record, "memory", json_integer(ek_plan_memory(c->plan)));
}

void compute_json_error(json_t *record, const struct compute *c)
{
	if (!c->o->check)
		return;
	json_object_set_new(record, "error", json_real(c->error.worst));
	json_object_set_new(record, "failed", json_boolean(!(c->error.worst <= 1)));
}
