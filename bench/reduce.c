/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench reduce: the sum of an array (or its maximum, minimum or bitwise or), compared with the
 * bandwidth at which the array can be read. */
#include <math.h>
#include <string.h>

#include "array.h"

struct array_data {
	void *in;
	int64_t result;       /* result of a call, with room for any type */
	struct array_sum sum; /* reference for sums of floats, in twice double precision */
	int64_t exact;        /* reference for all other cases; for floats, from array_order */
};

static ek_status call(struct job *job, const ek_array_options *options)
{
	struct array_data *d = job->data;

	return ek_reduce(job->ctx, options, job->type, (ek_monoid)job->o->op, job->n, d->in,
	                 &d->result);
}

/* Returns the depth of the tree of additions that ek.h promises for a method, else n - 1, which is
 * the greatest depth of all orders. */
static double depth_of(const char *method, double n)
{
	if (strcmp(method, "reduce.tree") == 0)
		return ceil(log2(n));
	return strcmp(method, "reduce.simd") == 0 ? fmin(1040, n - 1) : n - 1;
}

static double error(void *problem, const char *method)
{
	const struct job *job = problem;
	const struct array_data *d = job->data;

	if (!array_is_float(job->type))
		return array_integer(job->type, &d->result, 0) == d->exact ? 0 : INFINITY;
	if (job->o->op != EK_SUM)
		return array_order(job->type, &d->result, 0) == d->exact ? 0 : INFINITY;
	return array_sum_error(&d->sum, job->type, array_number(job->type, &d->result, 0),
	                       depth_of(method, (double)job->n));
}

static void reference(const struct job *job, struct array_data *d)
{
	const bool floats = array_is_float(job->type), sums = floats && job->o->op == EK_SUM;

	for (int64_t i = 0; i < job->n; i++) {
		const int64_t x = floats ? array_order(job->type, d->in, i)
		                         : array_integer(job->type, d->in, i);

		if (sums)
			array_sum_add(&d->sum, array_number(job->type, d->in, i));
		else
			d->exact = i ? array_combine(job->type, (ek_monoid)job->o->op, d->exact, x)
			             : x;
	}
}

static void size(struct job *job)
{
	job->bytes = (double)job->n * (double)job->size;
	job->need = 2.05 * job->bytes;
	job->line = keep("%s %s", text_size(job->n), ek_value_name(job->type));
	job->variant = array_op_text(job);
}

static bool make(struct job *job)
{
	struct array_data *d = job->data;

	d->in = job_random(job, job->type, job->n, job->o->common.seed);
	if (!d->in)
		return false;
	reference(job, d);
	job_output(job, &d->result, sizeof d->result, NULL);
	job->peer = (ek_peer_problem){
		.op = (ek_monoid)job->o->op, .n = job->n, .in = d->in, .out = &d->result};
	return true;
}

static void defaults(struct bench_options *o)
{
	o->op = EK_SUM;
	LIST(&o->type, EK_F32, EK_F64, EK_INT32, EK_INT64);
	LIST(&o->n, 1 << 16, 1 << 20, 1 << 25, 1 << 27);
}

const struct operation bench_reduce = {
	ARRAY_OPERATION("reduce", EK_REDUCE, NUMBERS | READS),
	.text = "sums of arrays, with peers and the read bound",
	.help = ARRAY_HELP(
		"sums of arrays",
		"the serial loop, with other libraries and with the read bandwidth of the memory",
		"reduce --n 2^27 --type f32,f64\n"),
	.options = ARRAY_OPTIONS "n op",
	.check = check_op,
	.moves = "bytes of the input",
};
