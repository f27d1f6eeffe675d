/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench merge: many merges of two short sorted sequences, as in Liu 2015, section 4.5.6 and
 * Figure 4.7: l keys with l keys for l = 2^5 to 2^12, 32-bit keys alone, with 32-bit and with
 * 64-bit values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_array.h"

enum { A, B, OUT, ARRAYS };

struct array_data {
	char *key[ARRAYS], *value[ARRAYS];
};

static ek_status call(struct array_job *job, const ek_array_options *options)
{
	const struct array_data *d = job->data;
	ek_pairs pairs[ARRAYS];

	for (int k = 0; k < ARRAYS; k++)
		pairs[k] = ek_key_value(job->type, job->value_size, job->length, d->key[k],
		                        d->value[k]);
	pairs[OUT].n = 2 * job->length;
	return ek_merge(job->ctx, options, job->batch, &pairs[A], &pairs[B], &pairs[OUT]);
}

static void spoil(struct array_job *job)
{
	const struct array_data *d = job->data;

	memset(d->key[OUT], 0xff, (size_t)job->n * ek_value_size(job->type));
	if (job->value_size)
		memset(d->value[OUT], 0xff, (size_t)job->n * job->value_size);
}

static const void *part(const char *array, int64_t from, size_t size)
{
	return array ? array + (size_t)from * size : NULL;
}

static uint64_t hash(const struct array_job *job, int which, int64_t from, int64_t n)
{
	const struct array_data *d = job->data;

	return array_hash(job->type, job->value_size, n,
	                  part(d->key[which], from, ek_value_size(job->type)),
	                  part(d->value[which], from, job->value_size));
}

/* Each piece of the output ascends and has the pairs of both inputs. */
static double merge_error(struct array_job *job, const char *method)
{
	int64_t l = job->length;

	(void)method;
	for (int64_t k = 0; k < job->batch; k++)
		if (!array_ascending(
			    job->type, 2 * l,
			    part(job->data->key[OUT], 2 * k * l, ek_value_size(job->type))) ||
		    hash(job, OUT, 2 * k * l, 2 * l) !=
		            hash(job, A, k * l, l) + hash(job, B, k * l, l))
			return INFINITY;
	return 0;
}

/* Sorted random keys without sorting: the order statistics of l uniform numbers are distributed
 * like the partial sums of l + 1 exponential ones over their total (Devroye 1986, section V.3). */
static void sorted_list(ek_value type, int64_t l, char *key, int64_t seed)
{
	double sum = 0, total = 0, unit;

	for (int64_t i = 0; i <= l; i++) {
		array_random(EK_F64, 1, &unit, seed + i, 1);
		total -= log(0.5 + 0.5 * unit + 0x1p-54);
	}
	for (int64_t i = 0; i < l; i++) {
		array_random(EK_F64, 1, &unit, seed + i, 1);
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

static void sorted_lists(const struct array_job *job, char *key, int64_t seed)
{
	int64_t l = job->length, step = l * (int64_t)ek_value_size(job->type);

#pragma omp parallel for num_threads(job->threads)
	for (int64_t k = 0; k < job->batch; k++)
		sorted_list(job->type, l, key + k * step, seed + k * (l + 1));
}

static bool make(struct array_job *job, struct array_data *d)
{
	int64_t size = (int64_t)ek_value_size(job->type), value_size = (int64_t)job->value_size;
	int64_t seed = job->options->common.seed;

	for (int which = A; which < ARRAYS; which++) {
		int64_t n = which == OUT ? job->n : job->n / 2;

		d->key[which] = array_alloc(n * size, job->threads);
		d->value[which] = value_size ? array_alloc(n * value_size, job->threads) : NULL;
		if (!d->key[which] || (value_size && !d->value[which]))
			return false;
		if (which == OUT)
			break;
		sorted_lists(job, d->key[which], seed + which * (INT64_C(1) << 40));
		if (value_size)
			array_random(value_size == 4 ? EK_INT32 : EK_INT64, n, d->value[which],
			             seed + which, job->threads);
	}
	return true;
}

/* The options give the keys in all as n; whole lists of them are made. */
static int one(struct array_bench *bench, struct array_job *job)
{
	size_t size = ek_value_size(job->type);
	struct array_data d = {0};
	char length[32];
	int code;

	job->batch = job->n / (2 * job->length);
	job->batch = job->batch ? job->batch : 1;
	job->n = 2 * job->length * job->batch;
	job->bytes = 2 * (double)job->n * (double)(size + job->value_size);
	job->data = &d;
	snprintf(job->line, sizeof job->line, "%s+%d l=%s", ek_value_name(job->type),
	         (int)job->value_size, array_size_text(length, job->length));
	if (!array_fits(job, 1.1 * job->bytes))
		return TOOL_OK;
	if (make(job, &d)) {
		job->peer = (ek_array_peer_problem){.operation = EK_MERGE,
		                                    .type = job->type,
		                                    .threads = job->threads,
		                                    .n = job->length,
		                                    .batch = job->batch,
		                                    .value_size = job->value_size,
		                                    .in = d.key[A],
		                                    .in_b = d.key[B],
		                                    .in_value = d.value[A],
		                                    .in_b_value = d.value[B],
		                                    .key = d.key[OUT],
		                                    .value = d.value[OUT]};
		code = array_run(bench, job);
	} else {
		code = tool_fail(TOOL_FAILED, "out of memory for %s", job->line);
	}
	for (int k = 0; k < ARRAYS; k++) {
		free(d.key[k]);
		free(d.value[k]);
	}
	return code;
}

static void defaults(struct array_options *o)
{
	static const int64_t types[] = {EK_INT32}, total[] = {1 << 24}, value_sizes[] = {0, 4, 8};
	static const int64_t lengths[] = {1 << 5, 1 << 6,  1 << 7,  1 << 8,
	                                  1 << 9, 1 << 10, 1 << 11, 1 << 12};

	array_list_set(&o->type, 1, types);
	array_list_set(&o->n, 1, total);
	array_list_set(&o->value_size, 3, value_sizes);
	array_list_set(&o->length, 8, lengths);
}

const struct array_operation array_merge = {
	.name = "merge",
	.operation = EK_MERGE,
	.text = "Times many merges of two sorted sequences of l keys each, method by method, in "
		"turn "
		"and in rounds of under a second, and compares them with other libraries. Every "
		"result is checked first.\v"
		"Example: ek bench merge --total 2^25 --json merge.json\n"
		"Without options it is the comparison of Liu 2015, Figure 4.7: l = 2^5 ... 2^12, "
		"keys of 32 bits alone (i32+0), with values of 32 (i32+4) and of 64 bits (i32+8); "
		"there the total was 2^25. Exit status 1: a result was wrong.",
	.bit = OF_MERGE,
	.keys = true,
	.defaults = defaults,
	.one = one,
	.call = call,
	.spoil = spoil,
	.error = merge_error,
};
