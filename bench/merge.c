/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench merge: many merges of two short sorted sequences, by default as in Liu 2015, section
 * 4.5.6 and Figure 4.7: l keys with l keys for l = 2^5 to 2^12; 32-bit keys without values, with
 * 32-bit values and with 64-bit values. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "array.h"

enum { A, B, OUT, ARRAYS };

struct array_data {
	char *key[ARRAYS], *value[ARRAYS];
};

static ek_status call(struct job *job, const ek_array_options *options)
{
	const struct array_data *d = job->data;
	ek_pairs pairs[ARRAYS];

	for (int k = 0; k < ARRAYS; k++)
		pairs[k] = ek_key_value(job->type, (size_t)job->value_size, job->length, d->key[k],
		                        d->value[k]);
	pairs[OUT].n = 2 * job->length;
	return ek_merge(job->ctx, options, job->batch, &pairs[A], &pairs[B], &pairs[OUT]);
}

static uint64_t hash(const struct job *job, int which, int64_t from, int64_t n)
{
	const char *key = job->data->key[which], *value = job->data->value[which];

	return array_hash(job, n, key + from * job->size,
	                  value ? value + from * job->value_size : NULL);
}

/* Returns 0 if each merged sequence ascends and has the pairs of both inputs, else infinity. */
static double error(void *problem, const char *method)
{
	const struct job *job = problem;
	const int64_t l = job->length;

	(void)method;
	for (int64_t k = 0; k < job->batch; k++)
		if (!array_ascending(job->type, 2 * l,
		                     job->data->key[OUT] + 2 * k * l * job->size) ||
		    hash(job, OUT, 2 * k * l, 2 * l) !=
		            hash(job, A, k * l, l) + hash(job, B, k * l, l))
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

static void sorted_lists(const struct job *job, char *key, int64_t seed)
{
	int64_t l = job->length, step = l * job->size;

#pragma omp parallel for num_threads(job->threads)
	for (int64_t k = 0; k < job->batch; k++)
		sorted_list(job->type, l, key + k * step, seed + k * (l + 1));
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

static bool make(struct job *job)
{
	struct array_data *d = job->data;
	const int64_t seed = job->o->common.seed;

	for (int which = A; which < ARRAYS; which++) {
		const int64_t n = which == OUT ? job->n : job->n / 2;

		d->key[which] = job_alloc(job, n * job->size);
		d->value[which] = job_values(job, n, seed + which);
		if (!d->key[which] || (job->value_size && !d->value[which]))
			return false;
		if (which != OUT)
			sorted_lists(job, d->key[which], seed + which * (INT64_C(1) << 40));
	}
	job->peer = (ek_peer_problem){.n = job->length,
	                              .batch = job->batch,
	                              .in = d->key[A],
	                              .in_b = d->key[B],
	                              .in_value = d->value[A],
	                              .in_b_value = d->value[B],
	                              .key = d->key[OUT],
	                              .value = d->value[OUT]};
	job_output(job, d->key[OUT], job->n * job->size, NULL);
	if (job->value_size)
		job_output(job, d->value[OUT], job->n * job->value_size, NULL);
	return true;
}

static void defaults(struct bench_options *o)
{
	LIST(&o->type, EK_INT32);
	LIST(&o->n, 1 << 24);
	LIST(&o->value_size, 0, 4, 8);
	LIST(&o->length, 1 << 5, 1 << 6, 1 << 7, 1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12);
}

static const struct bench_option own[] = {{"length", "LIST", "Keys of each input (2^5 ... 2^12)",
                                           set_list, AT(length), BY(tool_size)},
                                          NO_OPTION};

const struct operation bench_merge = {
	ARRAY_OPERATION("merge", EK_MERGE, KEYS),
	.text = "merging many short sequences, with peers",
	.help = ARRAY_HELP(
		"many merges of two sorted sequences of l keys each", "other libraries",
		"merge --total 2^25 --json merge.json\nWithout options it is the comparison of Liu "
		"2015, Figure 4.7: l = 2^5 ... 2^12, keys of 32 bits alone (i32+0), with values of "
		"32 (i32+4) and of 64 bits (i32+8); there the total was 2^25. "),
	.options = ARRAY_OPTIONS "total value-size",
	.own = own,
	.moves = "bytes of keys and values, in and out,",
};
