/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench reduce: the sum of an array (or its maximum, minimum or bitwise or), compared with the
 * bandwidth at which the array can be read. */
#include <math.h>
#include <string.h>

#include "array.h"

static ek_status call(struct job *job, const ek_array_options *options)
{
	return ek_reduce(job->ctx, options, job->type, job->p.op, job->n, job->in, job->p.out);
}

/* Returns the depth of the tree of additions that ek.h promises for a method, else n - 1, the
 * greatest depth that any order has. */
static double depth_of(const char *method, double n)
{
	if (strcmp(method, "reduce.tree") == 0)
		return ceil(log2(n));
	if (strcmp(method, "reduce.tree.gpu") == 0)
		return fmin(12 * fmax(1, ceil(log2(n) / 12)), fmax(1, n - 1));
	return strcmp(method, "reduce.simd") == 0 ? fmin(1040, n - 1) : n - 1;
}

static double error(void *problem, const char *method)
{
	const struct job *job = problem;

	return array_error(job, &job->sum, 0, depth_of(method, (double)job->n));
}

static void size(struct job *job)
{
	job->bytes = (double)job->n * (double)job->size;
	job->need = 2.05 * job->bytes;
	job->line = keep("%s %s", text_size(job->n), ek_value_name(job->type));
	job->variant = array_op_text(job);
}

static void make(struct job *job)
{
	job->p.n = job->n;
	job->p.in = job->in = job_random(job, job->n, 0);
	job->p.out = job_output(job, sizeof(int64_t), NULL);
	for (int64_t i = 0; i < job->n; i++)
		array_add(job, &job->sum, i);
}

const struct operation bench_reduce = {
	ARRAY_OPERATION("reduce", EK_REDUCE, NUMBERS | READS),
	.text = "sums of arrays, with peers and the read bound",
	.help = ARRAY_HELP(
		"sums of arrays",
		"the serial loop, with other libraries and with the read bandwidth of the memory",
		"reduce --n 2^27 --type f32,f64\n"),
	.options = ARRAY_OPTIONS "n op",
	.defaults = "time=1 op=sum type=f32,f64,i32,i64 n=2^16,2^20,2^25,2^27",
	.check = check_op,
	.moves = "bytes of the input",
};
