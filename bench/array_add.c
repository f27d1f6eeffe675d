/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench array_add: the sum of two dense vectors, compared with the bandwidth at which as many
 * bytes can be read. */
#include <math.h>

#include "array.h"

static ek_status call(struct job *job, const ek_array_options *options)
{
	return ek_array_add(job->ctx, options, job->type, job->n, job->in, job->p.in_b, job->p.out);
}

/* Tells whether entry i of the output is the sum, in the arithmetic of the type. */
static bool is_sum(const struct job *job, int64_t i)
{
	const void *a = job->in, *b = job->p.in_b, *out = job->p.out;

	if (job->type == EK_F32)
		return ((const float *)out)[i] == ((const float *)a)[i] + ((const float *)b)[i];
	if (job->type == EK_F64)
		return ((const double *)out)[i] == ((const double *)a)[i] + ((const double *)b)[i];
	if (job->type == EK_INT32)
		return ((const uint32_t *)out)[i] ==
		       ((const uint32_t *)a)[i] + ((const uint32_t *)b)[i];
	return ((const uint64_t *)out)[i] == ((const uint64_t *)a)[i] + ((const uint64_t *)b)[i];
}

static double error(void *problem, const char *method)
{
	const struct job *job = problem;

	(void)method;
	for (int64_t i = 0; i < job->n; i++)
		if (!is_sum(job, i))
			return INFINITY;
	return 0;
}

static void size(struct job *job)
{
	job->bytes = 3 * (double)job->n * (double)job->size;
	job->need = 2.05 * job->bytes;
	job->line = keep("%s %s", text_size(job->n), ek_value_name(job->type));
}

static void make(struct job *job)
{
	job->p.n = job->n;
	job->p.in = job->in = job_random(job, job->n, 0);
	job->p.in_b = job_random(job, job->n, 1);
	job->p.out = job_output(job, job->n * job->size, NULL);
}

const struct operation bench_array_add = {
	ARRAY_OPERATION("array_add", EK_ARRAY_ADD, NUMBERS | READS),
	.text = "sums of two dense vectors, with the read bound",
	.help = ARRAY_HELP("sums of two dense vectors",
                           "the serial loop and with the read bandwidth of the memory",
                           "array_add --n 2^27 --type f32,f64\n"),
	.options = ARRAY_OPTIONS "n",
	.defaults = "time=1 type=f32,f64,i32,i64 n=2^16,2^20,2^25",
	.moves = "bytes of both inputs and the output",
};
