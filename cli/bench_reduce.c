/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench reduce: the sum (maximum, minimum, or) of an array, against the bandwidth at which it
 * can be read. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_array.h"

struct array_data {
	ek_monoid op;
	void *in;
	int64_t result;       /* room for any type */
	struct array_sum sum; /* of floats, exact enough */
	int64_t exact;        /* of integers; of floats' maximum and minimum, their order */
};

static ek_status call(struct array_job *job, const ek_array_options *options)
{
	struct array_data *d = job->data;

	return ek_reduce(job->ctx, options, job->type, d->op, job->n, d->in, &d->result);
}

static void spoil(struct array_job *job)
{
	job->data->result = -1;
}

/* Depths of the trees of additions that ek.h promises; otherwise what any order keeps. */
static double depth_of(const char *method, double n)
{
	if (strcmp(method, "reduce.tree") == 0)
		return ceil(log2(n));
	return strcmp(method, "reduce.simd") == 0 ? fmin(1040, n - 1) : n - 1;
}

static double reduce_error(struct array_job *job, const char *method)
{
	const struct array_data *d = job->data;

	if (!array_is_float(job->type))
		return array_integer(job->type, &d->result, 0) == d->exact ? 0 : INFINITY;
	if (d->op != EK_SUM)
		return array_order(job->type, &d->result, 0) == d->exact ? 0 : INFINITY;
	return array_sum_error(&d->sum, job->type, array_number(job->type, &d->result, 0),
	                       depth_of(method, (double)job->n));
}

static void reference(const struct array_job *job, struct array_data *d)
{
	bool sums = d->op == EK_SUM, floats = array_is_float(job->type);

	for (int64_t i = 0; i < job->n; i++) {
		int64_t x = floats ? array_order(job->type, d->in, i)
		                   : array_integer(job->type, d->in, i);

		if (floats && sums)
			array_sum_add(&d->sum, array_number(job->type, d->in, i));
		if (i == 0)
			d->exact = x;
		else if (sums)
			d->exact = (int64_t)((uint64_t)d->exact + (uint64_t)x);
		else if (d->op == EK_OR)
			d->exact |= x;
		else if (d->op == EK_MAX ? x > d->exact : x < d->exact)
			d->exact = x;
	}
	if (job->type == EK_INT32)
		d->exact = (int32_t)(uint32_t)(uint64_t)d->exact;
}

static int one(struct array_bench *bench, struct array_job *job)
{
	static const char *const ops[] = {"", "sum", "max", "min", "or"};
	const struct array_options *o = job->options;
	struct array_data d = {.op = (ek_monoid)o->op};
	char size[32];
	int code;

	job->data = &d;
	job->bytes = (double)job->n * (double)ek_value_size(job->type);
	snprintf(job->line, sizeof job->line, "%s %s", array_size_text(size, job->n),
	         ek_value_name(job->type));
	snprintf(job->variant, sizeof job->variant, "%s", ops[o->op]);
	if (!array_fits(job, 2.05 * job->bytes))
		return TOOL_OK;
	d.in = array_alloc((int64_t)job->bytes, job->threads);
	if (!d.in)
		return tool_fail(TOOL_FAILED, "out of memory for %s", job->line);
	array_random(job->type, job->n, d.in, o->common.seed, job->threads);
	reference(job, &d);
	job->peer = (ek_array_peer_problem){.operation = EK_REDUCE,
	                                    .type = job->type,
	                                    .op = d.op,
	                                    .threads = job->threads,
	                                    .n = job->n,
	                                    .in = d.in,
	                                    .out = &d.result};
	code = array_run(bench, job);
	free(d.in);
	return code;
}

static void defaults(struct array_options *o)
{
	static const int64_t types[] = {EK_F32, EK_F64, EK_INT32, EK_INT64};
	static const int64_t sizes[] = {1 << 16, 1 << 20, 1 << 25, 1 << 27};

	array_list_set(&o->type, 4, types);
	array_list_set(&o->n, 4, sizes);
}

const struct array_operation array_reduce = {
	.name = "reduce",
	.operation = EK_REDUCE,
	.text = "Times sums of arrays, method by method, in turn and in rounds of under a second, "
		"and "
		"compares them with the serial loop, with other libraries and with the read "
		"bandwidth of the memory. Every result is checked first.\v"
		"Example: ek bench reduce --n 2^27 --type f32,f64\n"
		"Exit status 1: a result was wrong.",
	.bit = OF_REDUCE,
	.defaults = defaults,
	.one = one,
	.bound = BOUND_READ,
	.call = call,
	.spoil = spoil,
	.error = reduce_error,
};
