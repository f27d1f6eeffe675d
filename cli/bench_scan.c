/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench scan: prefix sums, by default of the sizes of Zhang 2012, Fig. 7 (8 x 2^16 to 96 x 2^16
 * floats and doubles), and of two that no cache holds. Bounds are copies of the same arrays. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_array.h"

struct array_data {
	ek_monoid op;
	ek_scan_kind kind;
	bool in_place;
	void *in, *out;
};

/* Depths of the trees of additions that ek.h promises; otherwise what any order keeps. */
static const struct {
	const char *method;
	double depth;
} depths[] = {{"scan.blocked", 1040}};

static double depth_of(const char *method)
{
	for (size_t k = 0; k < sizeof depths / sizeof *depths; k++)
		if (strcmp(depths[k].method, method) == 0)
			return depths[k].depth;
	return INFINITY;
}

static ek_status call(struct array_job *job, const ek_array_options *options)
{
	struct array_data *d = job->data;

	return ek_scan(job->ctx, options, job->type, d->op, d->kind, job->n,
	               d->in_place ? d->out : d->in, d->out);
}

static void spoil(struct array_job *job)
{
	struct array_data *d = job->data;
	size_t bytes = (size_t)job->n * ek_value_size(job->type);

	if (d->in_place)
		memcpy(d->out, d->in, bytes);
	else
		memset(d->out, 0xff, bytes);
}

/* The worst of a sum's errors over their bounds. */
static double sum_error(const struct array_job *job, double depth)
{
	const struct array_data *d = job->data;
	struct array_sum sum = {0};
	bool late = d->kind == EK_EXCLUSIVE;
	double worst = 0;

	for (int64_t i = 0; i < job->n; i++) {
		if (!late)
			array_sum_add(&sum, array_number(job->type, d->in, i));
		double additions = (double)(late && i ? i - 1 : i);
		double error = array_sum_error(&sum, job->type, array_number(job->type, d->out, i),
		                               fmin(additions, depth));

		worst = error > worst ? error : worst;
		if (late)
			array_sum_add(&sum, array_number(job->type, d->in, i));
	}
	return worst;
}

/* Maxima and minima of floats, exact: by their order as integers. */
static double order_error(const struct array_job *job)
{
	const struct array_data *d = job->data;
	bool late = d->kind == EK_EXCLUSIVE;
	int64_t best = 0;

	for (int64_t i = 0; i < job->n; i++) {
		int64_t x = array_order(job->type, d->in, i), old = best;

		best = i == 0 || (d->op == EK_MAX ? x > best : x < best) ? x : best;
		if (late && i == 0)
			continue; /* the identity, an infinity */
		if (array_order(job->type, d->out, i) != (late ? old : best))
			return INFINITY;
	}
	return 0;
}

static int64_t combine(ek_monoid op, int64_t a, int64_t b)
{
	switch (op) {
	case EK_SUM: return (int64_t)((uint64_t)a + (uint64_t)b);
	case EK_MAX: return a > b ? a : b;
	case EK_MIN: return a < b ? a : b;
	default: return a | b;
	}
}

static double integer_error(const struct array_job *job)
{
	const struct array_data *d = job->data;
	bool small = job->type == EK_INT32, late = d->kind == EK_EXCLUSIVE;
	int64_t least = small ? INT32_MIN : INT64_MIN, most = small ? INT32_MAX : INT64_MAX;
	int64_t sum = d->op == EK_MAX ? least : d->op == EK_MIN ? most : 0;

	for (int64_t i = 0; i < job->n; i++) {
		int64_t before = sum;

		sum = combine(d->op, sum, array_integer(job->type, d->in, i));
		if (small)
			sum = (int32_t)(uint32_t)(uint64_t)sum;
		if (array_integer(job->type, d->out, i) != (late ? before : sum))
			return INFINITY;
	}
	return 0;
}

static double scan_error(struct array_job *job, const char *method)
{
	if (!array_is_float(job->type))
		return integer_error(job);
	return job->data->op == EK_SUM ? sum_error(job, depth_of(method)) : order_error(job);
}

static int one(struct array_bench *bench, struct array_job *job)
{
	static const char *const ops[] = {"", "sum", "max", "min", "or"};
	const struct array_options *o = job->options;
	struct array_data d = {(ek_monoid)o->op, (ek_scan_kind)o->kind, o->in_place, NULL, NULL};
	int64_t bytes = job->n * (int64_t)ek_value_size(job->type);
	char size[32];
	int code;

	job->data = &d;
	job->bytes = 2 * (double)bytes;
	snprintf(job->line, sizeof job->line, "%s %s", array_size_text(size, job->n),
	         ek_value_name(job->type));
	snprintf(job->variant, sizeof job->variant, "%s %s%s",
	         o->kind == EK_INCLUSIVE ? "inclusive" : "exclusive", ops[o->op],
	         o->in_place ? ", in place" : "");
	if (!array_fits(job, 1.05 * job->bytes))
		return TOOL_OK;
	d.in = array_alloc(bytes, job->threads);
	d.out = array_alloc(bytes, job->threads);
	if (d.in && d.out) {
		array_random(job->type, job->n, d.in, o->common.seed, job->threads);
		job->copy_from = d.in;
		job->copy_to = d.out;
		job->copy_bytes = bytes;
		job->peer = (ek_array_peer_problem){.operation = EK_SCAN,
		                                    .type = job->type,
		                                    .op = d.op,
		                                    .kind = d.kind,
		                                    .threads = job->threads,
		                                    .n = job->n,
		                                    .in = d.in_place ? d.out : d.in,
		                                    .out = d.out};
		code = array_run(bench, job);
	} else {
		code = tool_fail(TOOL_FAILED, "out of memory for %s", job->line);
	}
	free(d.in);
	free(d.out);
	return code;
}

static void defaults(struct array_options *o)
{
	static const int64_t types[] = {EK_F32, EK_F64};
	static const int64_t sizes[] = {8, 16, 32, 48, 64, 80, 96, 1 << 9, 1 << 11};

	array_list_set(&o->type, 2, types);
	array_list_set(&o->n, 9, sizes);
	for (int k = 0; k < o->n.count; k++)
		o->n.value[k] <<= 16;
}

const struct array_operation array_scan = {
	.name = "scan",
	.operation = EK_SCAN,
	.text = "Times prefix sums, method by method, in turn and in rounds of under a second, and "
		"compares them with the serial loop, with other libraries and with copies of the "
		"same arrays. Every result is checked first.\v"
		"Example: ek bench scan --n 2^25,2^27 --type f64 --peers --json scan.json\n"
		"Without --n the sizes are those of Zhang 2012, 8x2^16 ... 96x2^16, and 2^25, "
		"2^27. "
		"Exit status 1: a result was wrong.",
	.bit = OF_SCAN,
	.defaults = defaults,
	.one = one,
	.bound = BOUND_COPY,
	.call = call,
	.spoil = spoil,
	.error = scan_error,
};
