/* SPDX-License-Identifier: BSD-3-Clause
 * ek tune --tiles: finds good tile heights of CSR5 by measurement (Liu 2015, section 6.3.2), once
 * for a machine. Several rounds time all heights in turn on matrices with rows of 1 to 512
 * entries. A rule with the numbers r, s, t and u gives a height for each row length. The rule is
 * chosen whose time, divided by the best, has the least geometric mean over the matrices. On a
 * device, spmv.csr5.gpu is measured, by the device's clock, with vectors in its memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../bench/measure.h"
#include "tune.h"

enum { SIGMAS = 10, LENGTHS = 10, COLS = 65536 };
static const int sigmas[SIGMAS] = {4, 8, 12, 16, 20, 24, 28, 32, 40, 48};
static const int lengths[LENGTHS] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};

/* Seconds that one product takes. The first index is that of the row length in `lengths`, the
 * second that of the tile height in `sigmas`. */
typedef double times[LENGTHS][SIGMAS];

/* Number of measured matrices, and of those whose measurement other processes disturbed. */
struct tally {
	int matrices, disturbed;
	double share; /* share of disturbed samples, summed over the matrices */
};

struct rule {
	int r, s, t, u;
	double loss; /* geometric mean, over the row lengths, of time / best time */
};

/* ---- Measuring ------------------------------------------------------------------------------- */

struct product {
	ek_context *ctx;
	ek_plan *plan;
	ek_dense x, y;
	int64_t failed;
};

static void multiply(void *state, int64_t calls)
{
	struct product *p = state;

	for (; calls > 0; calls--)
		p->failed += ek_spmv(p->plan, 1, &p->x, 0, &p->y) != EK_OK;
}

/* Makes `calls` products on the device, and returns their seconds on its clock, 0 if it gives no
 * time. */
static double multiply_clocked(void *state, int64_t calls)
{
	struct product *p = state;
	double seconds = 0;
	const bool timed = ek_device_timer_start(p->ctx) == EK_OK;

	multiply(state, calls);
	if (!timed || ek_device_timer_stop(p->ctx, &seconds) != EK_OK)
		p->failed++;
	return seconds;
}

/* Makes a matrix with rows of `length` random entries. */
static int make_matrix(const struct tune_options *o, ek_context *ctx, int length, ek_value value,
                       ek_matrix **A)
{
	const int64_t rows = o->nnz / length > 0 ? o->nnz / length : 1;
	char spec[128];

	snprintf(spec, sizeof spec, "uniform:rows=%lld,cols=%d,k=%d", (long long)rows, COLS,
	         length);
	return tool_check(ek_matrix_generate(ctx, spec, value, EK_I32, A));
}

/* Makes a vector of n zeros where products are measured: on the device if there is one. */
static int make_vector(ek_context *ctx, ek_value value, int64_t n, ek_dense *v)
{
	const int64_t bytes = n * (int64_t)ek_value_size(value);
	void *zeros = calloc((size_t)n, ek_value_size(value));
	int code = zeros ? TOOL_OK : tool_fail(TOOL_FAILED, "out of memory");

	*v = ek_vector(value, n, zeros);
	if (code || !tool_on_device(ctx))
		return code;
	v->data = NULL;
	v->where = EK_ON_DEVICE;
	code = tool_check(ek_device_alloc(ctx, bytes, &v->data));
	if (!code)
		code = tool_check(ek_device_write(ctx, v->data, zeros, bytes));
	free(zeros);
	return code;
}

static void free_vector(ek_context *ctx, ek_dense *v)
{
	if (v->where == EK_ON_DEVICE)
		ek_device_free(ctx, v->data);
	else
		free(v->data);
}

static int make_products(ek_context *ctx, const ek_matrix *A, const ek_dense *x, const ek_dense *y,
                         struct product *p)
{
	for (int k = 0; k < SIGMAS; k++) {
		ek_hints hints = {.size = sizeof hints,
		                  .method = tool_on_device(ctx) ? "spmv.csr5.gpu" : "spmv.csr5"};
		char format[32];
		int code;

		snprintf(format, sizeof format, "csr5:sigma=%d", sigmas[k]);
		hints.format = format;
		code = tool_check(ek_plan_create(EK_SPMV, A, &hints, &p[k].plan));
		if (code)
			return code;
		p[k].ctx = ctx;
		p[k].x = *x;
		p[k].y = *y;
	}
	return TOOL_OK;
}

/* Times the products, and sets time[k] to the median of product k. */
static int time_products(const struct tune_options *o, ek_context *ctx, struct product *product,
                         double *time, struct tally *tally)
{
	struct candidate candidate[SIGMAS] = {0}, *all[SIGMAS];
	int64_t failed = 0;
	double share = 0;
	int rounds;

	for (int k = 0; k < SIGMAS; k++) {
		candidate[k] = (struct candidate){.run = multiply, .state = &product[k]};
		if (tool_on_device(ctx))
			candidate[k].clocked = multiply_clocked;
		all[k] = &candidate[k];
	}
	rounds = measure_rounds(all, SIGMAS, o->seconds, 0, NULL);
	for (int k = 0; k < SIGMAS; k++) {
		time[k] = measure_quantile(candidate[k].sample, rounds, 0.5);
		share += (double)candidate[k].disturbed / rounds / SIGMAS;
		failed += product[k].failed;
		free(candidate[k].sample);
	}
	tally->matrices++;
	tally->share += share;
	tally->disturbed += disturbed_much(share);
	return failed ? tool_fail(TOOL_FAILED, "a product failed: %s", ek_error_text()) : TOOL_OK;
}

static int measure_matrix(const struct tune_options *o, ek_context *ctx, int length, ek_value value,
                          double *time, struct tally *tally)
{
	const int64_t rows = o->nnz / length > 0 ? o->nnz / length : 1;
	struct product product[SIGMAS] = {0};
	ek_dense x = {0}, y = {0};
	ek_matrix *A = NULL;
	int code = make_matrix(o, ctx, length, value, &A);

	if (!code)
		code = make_vector(ctx, value, COLS, &x);
	if (!code)
		code = make_vector(ctx, value, rows, &y);
	if (!code)
		code = make_products(ctx, A, &x, &y, product);
	if (!code)
		code = time_products(o, ctx, product, time, tally);
	for (int k = 0; k < SIGMAS; k++)
		ek_plan_destroy(product[k].plan);
	ek_matrix_destroy(A);
	free_vector(ctx, &x);
	free_vector(ctx, &y);
	return code;
}

/* ---- The rule -------------------------------------------------------------------------------- */

/* Returns the tile height that a rule gives for rows of `length` entries. */
static int height(const struct rule *rule, int length)
{
	return length <= rule->r   ? rule->r
	       : length <= rule->s ? length
	       : length <= rule->t ? rule->s
	                           : rule->u;
}

static double best_of(const double *time)
{
	double best = time[0];

	for (int k = 1; k < SIGMAS; k++)
		best = time[k] < best ? time[k] : best;
	return best;
}

static double loss_of(const struct rule *rule, times time)
{
	double sum = 0;

	for (int i = 0; i < LENGTHS; i++) {
		const int sigma = height(rule, lengths[i]);
		int k = 0;

		while (k + 1 < SIGMAS && sigmas[k] < sigma)
			k++;
		sum += log(time[i][k] / best_of(time[i]));
	}
	return exp(sum / LENGTHS);
}

static struct rule best_rule(times time)
{
	struct rule best = {.loss = INFINITY};

	for (int r = 0; r < SIGMAS; r++)
		for (int s = r; s < SIGMAS; s++)
			for (int t = 0; t < LENGTHS; t++)
				for (int u = 0; u < SIGMAS; u++) {
					struct rule rule = {sigmas[r], sigmas[s], lengths[t],
					                    sigmas[u], 0};

					rule.loss = loss_of(&rule, time);
					if (rule.loss < best.loss)
						best = rule;
				}
	return best;
}

static void show(ek_value value, times time, const struct rule *rule, FILE *out)
{
	struct tool_table table;

	tool_table_start(&table, "rrrrrrrrrrr");
	tool_table_add(&table, "%s, entries of a row", ek_value_name(value));
	for (int k = 0; k < SIGMAS; k++)
		tool_table_add(&table, "sigma %d", sigmas[k]);
	for (int i = 0; i < LENGTHS; i++) {
		tool_table_add(&table, "%d", lengths[i]);
		for (int k = 0; k < SIGMAS; k++)
			tool_table_add(&table, "%.2f", time[i][k] / best_of(time[i]));
	}
	tool_table_print(&table, TOOL_TEXT, out);
	tool_table_free(&table);
	fprintf(out,
	        "rule: r = %d, s = %d, t = %d, u = %d, %.1f %% behind the best of each row\n\n",
	        rule->r, rule->s, rule->t, rule->u, 100 * (rule->loss - 1));
}

static int tune_value(const struct tune_options *o, ek_context *ctx, ek_value value,
                      struct tool_progress *progress, struct rule *rule, struct tally *tally)
{
	static const int already[] = {[EK_F64] = 0, [EK_F32] = LENGTHS};
	times time;

	for (int i = 0; i < LENGTHS; i++) {
		int code = measure_matrix(o, ctx, lengths[i], value, time[i], tally);

		if (code)
			return code;
		tool_progress_step(progress, already[value] + i + 1, (int64_t)2 * LENGTHS);
	}
	*rule = best_rule(time);
	show(value, time, rule, tool_people(&o->common));
	return tool_json(&o->common,
	                 json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:f, s:f}", "op", "tune",
	                           "value", ek_value_name(value), "r", rule->r, "s", rule->s, "t",
	                           rule->t, "u", rule->u, "loss", rule->loss, "disturbed",
	                           tally->share / tally->matrices));
}

int tune_tiles(const struct tune_options *o, ek_context *ctx)
{
	struct tool_progress *progress = tool_progress_start(&o->common, "measuring");
	struct rule f64, f32;
	struct tally tally = {0};
	int code = tune_value(o, ctx, EK_F64, progress, &f64, &tally);

	if (!code)
		code = tune_value(o, ctx, EK_F32, progress, &f32, &tally);
	tool_progress_end(progress);
	if (!code)
		disturbed_warn(tally.disturbed, tally.matrices, "matrices",
		               tool_people(&o->common));
	if (!code && !tally.disturbed)
		fprintf(tool_people(&o->common), "export EK_CSR5_SIGMA=%d,%d,%d,%d,%d,%d,%d,%d\n",
		        f64.r, f64.s, f64.t, f64.u, f32.r, f32.s, f32.t, f32.u);
	return code;
}
