/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench merge: many merges of two short sorted sequences, by default as in Liu 2015, section
 * 4.5.6 and Figure 4.7: l keys with l keys for l = 2^5 to 2^12; 32-bit keys without values, with
 * 32-bit values and with 64-bit values. */
#include <math.h>

#include "array.h"

static ek_status call(struct job *job, const ek_array_options *options)
{
	const ek_peer_problem *p = &job->p;
	const int64_t l = job->length;
	const ek_pairs a = ek_key_value(p->type, p->value_size, l, p->in, p->in_value),
		       b = ek_key_value(p->type, p->value_size, l, p->in_b, p->in_b_value);
	ek_pairs out = ek_key_value(p->type, p->value_size, 2 * l, p->key, p->value);

	return ek_merge(job->ctx, options, job->batch, &a, &b, &out);
}

static uint64_t hash(const struct job *job, const void *key, const void *value, int64_t from,
                     int64_t n)
{
	return array_hash(job, n, (const char *)key + from * job->size,
	                  value ? (const char *)value + from * job->value_size : NULL);
}

/* Returns 0 if each merged sequence ascends and has the pairs of both inputs, else infinity. */
static double error(void *problem, const char *method)
{
	const struct job *job = problem;
	const ek_peer_problem *p = &job->p;
	const int64_t l = job->length;

	(void)method;
	for (int64_t k = 0; k < job->batch; k++)
		if (!array_ascending(job->type, 2 * l,
		                     (const char *)p->key + 2 * k * l * job->size) ||
		    hash(job, p->key, p->value, 2 * k * l, 2 * l) !=
		            hash(job, p->in, p->in_value, k * l, l) +
		                    hash(job, p->in_b, p->in_b_value, k * l, l))
			return INFINITY;
	return 0;
}

/* Makes l sorted random keys without sorting. The order statistics of l uniform numbers are
 * distributed like the partial sums of l + 1 exponential numbers divided by their total (Devroye
 * 1986, section V.3). */
static void sorted_list(ek_value type, int64_t l, char *key, int64_t seed)
{
	double sum = 0, total = 0, unit;

	for (int64_t i = 0; i <= l; i++) {
		data_random(EK_F64, 1, &unit, seed + i, 1);
		total -= log(0.5 + 0.5 * unit + 0x1p-54);
	}
	for (int64_t i = 0; i < l; i++) {
		data_random(EK_F64, 1, &unit, seed + i, 1);
		sum -= log(0.5 + 0.5 * unit + 0x1p-54);
		double u = fmin(sum / total, 1 - 0x1p-52) - 0.5;

		switch (type) {
		case EK_F32: ((float *)(void *)key)[i] = (float)u; break;
		case EK_F64: ((double *)(void *)key)[i] = u; break;
		case EK_INT32: ((int32_t *)(void *)key)[i] = (int32_t)(u * 0x1p32); break;
		default: ((int64_t *)(void *)key)[i] = (int64_t)(u * 0x1p64); break;
		}
	}
}

static void *sorted_lists(struct job *job, int64_t which)
{
	const int64_t l = job->length, seed = job->o->common.seed + which * (INT64_C(1) << 40);
	char *key = job_alloc(job, job->n / 2 * job->size);

#pragma omp parallel for num_threads(job->threads)
	for (int64_t k = 0; k < job->batch; k++)
		sorted_list(job->type, l, key + k * l * job->size, seed + k * (l + 1));
	return key;
}

/* Computes the sizes of a case. n, the number of all keys that the options ask for, is rounded to
 * whole lists. */
static void size(struct job *job)
{
	job->batch = job->n / (2 * job->length);
	job->batch = job->batch ? job->batch : 1;
	job->n = 2 * job->length * job->batch;
	job->bytes = 2 * (double)job->n * (double)(job->size + job->value_size);
	job->need = 1.1 * job->bytes;
	job->line = keep("%s+%d l=%s", ek_value_name(job->type), (int)job->value_size,
	                 text_size(job->length));
}

static void make(struct job *job)
{
	job->p.n = job->length;
	job->p.batch = job->batch;
	job->p.in = sorted_lists(job, 0);
	job->p.in_b = sorted_lists(job, 1);
	job->p.in_value = job_values(job, job->n / 2, 0);
	job->p.in_b_value = job_values(job, job->n / 2, 1);
	job->p.key = job_output(job, job->n * job->size, NULL);
	if (job->value_size)
		job->p.value = job_output(job, job->n * job->value_size, NULL);
}

const struct operation bench_merge = {
	ARRAY_OPERATION("merge", EK_MERGE, KEYS),
	.text = "merging many short sequences, with peers",
	.help = ARRAY_HELP(
		"many merges of two sorted sequences of l keys each", "other libraries",
		"merge --total 2^25 --json merge.json\nWithout options it is the comparison of Liu "
		"2015, Figure 4.7: l = 2^5 ... 2^12, keys of 32 bits alone (i32+0), with values of "
		"32 (i32+4) and of 64 bits (i32+8); there the total was 2^25. "),
	.options = ARRAY_OPTIONS "total value_size inputs sweep",
	.defaults = "time=1 type=i32 total=2^24 value-size=0,4,8 "
		    "length=2^5,2^6,2^7,2^8,2^9,2^10,2^11,2^12",
	.moves = "bytes of keys and values, in and out,",
};
