/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench compact: keeping the pairs whose flags are set, half of all at random, compared with the
 * bandwidth at which as many bytes can be read. */
#include <math.h>
#include <string.h>

#include "array.h"

static ek_pairs all_pairs(const struct job *job)
{
	return ek_key_value(job->type, (size_t)job->value_size, job->n, job->in, job->p.in_value);
}

static ek_status call(struct job *job, const ek_array_options *options)
{
	const ek_pairs in = all_pairs(job), out = ek_key_value(job->type, (size_t)job->value_size,
	                                                       job->n, job->p.key, job->p.value);

	return ek_compact(job->ctx, options, &in, job->segments.flag, job->result, &out);
}

/* Returns 0 if the result has exactly the pairs whose flags are set, in order, else infinity. */
static double error(void *problem, const char *method)
{
	const struct job *job = problem;
	const ek_pairs in = all_pairs(job);
	const size_t key = (size_t)job->size, value = (size_t)job->value_size;
	size_t k = 0;

	(void)method;
	for (size_t i = 0; i < (size_t)job->n; i++) {
		if (!job->segments.flag[i])
			continue;
		if (memcmp((const char *)job->p.key + k * key, (const char *)in.key + i * key,
		           key) != 0 ||
		    (value && memcmp((const char *)job->p.value + k * value,
		                     (const char *)in.value + i * value, value) != 0))
			return INFINITY;
		k++;
	}
	return (int64_t)k == *job->result ? 0 : INFINITY;
}

static void size(struct job *job)
{
	const double pair = (double)(job->size + job->value_size);

	job->bytes = (double)job->n * (1 + 1.5 * pair);
	job->need = 2.05 * (double)job->n * (1 + 2 * pair);
	job->line =
		keep("%s %s+%d", text_size(job->n), ek_value_name(job->type), (int)job->value_size);
}

static void make(struct job *job)
{
	uint8_t *flag = job_alloc(job, job->n);
	uint32_t *bits = job_alloc(job, job->n * (int64_t)sizeof *bits);

	data_random(EK_INT32, job->n, bits, job->o->common.seed + 2, job->threads);
	for (int64_t i = 0; i < job->n; i++)
		flag[i] = bits[i] >> 31;
	job->segments.flag = flag;
	job->p.n = job->n;
	job->p.in = job->in = job_random(job, job->n, 0);
	job->p.in_value = job_values(job, job->n, 1);
	job->p.key = job_output(job, job->n * job->size, NULL);
	if (job->value_size)
		job->p.value = job_output(job, job->n * job->value_size, NULL);
	job->result = job_output(job, sizeof *job->result, NULL);
}

const struct operation bench_compact = {
	ARRAY_OPERATION("compact", EK_COMPACT, KEYS | READS),
	.text = "pairs whose flags are set, with the read bound",
	.help = ARRAY_HELP("the elimination of half of all pairs, at random",
                           "the serial loop and with the read bandwidth of the memory",
                           "compact --n 2^20,2^25 --type i32 --value-size 0,8\ni32+8 are keys of "
                           "type i32 with values of 8 bytes. "),
	.options = ARRAY_OPTIONS "n value_size",
	.defaults = "time=1 type=i32 n=2^16,2^20,2^24 value-size=0,8",
	.moves = "bytes of flags and pairs, in and out,",
};
