/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench sort: sorting keys, with and without values. Sorting overwrites its input, and sorted
 * keys are a different problem from random ones. So before every batch a pool of unsorted arrays is
 * refilled, untimed, and each call sorts the next of them. The arrays differ, since branch
 * predictors would learn an array that is sorted again and again. */
#include <math.h>
#include <string.h>

#include "array.h"

#define POOL (INT64_C(1) << 21) /* about the number of pairs in the pool, if arrays are shorter */

struct array_data {
	int64_t copy;
	char *source_key, *source_value, *key, *value;
};

static void before(struct job *job, int64_t calls)
{
	struct array_data *d = job->data;

	memcpy(d->key, d->source_key, (size_t)(calls * job->n * job->size));
	if (job->value_size)
		memcpy(d->value, d->source_value, (size_t)(calls * job->n * job->value_size));
	d->copy = -1;
}

static void *at(const struct job *job, char *array, int64_t size)
{
	return array ? array + job->data->copy * job->n * size : NULL;
}

static void next(struct job *job)
{
	struct array_data *d = job->data;

	d->copy++;
	job->peer.key = at(job, d->key, job->size);
	job->peer.value = at(job, d->value, job->value_size);
}

static ek_status call(struct job *job, const ek_array_options *options)
{
	ek_pairs pairs = ek_key_value(job->type, (size_t)job->value_size, job->n, job->peer.key,
	                              job->peer.value);

	return ek_sort(job->ctx, options, &pairs);
}

static double error(void *problem, const char *method)
{
	const struct job *job = problem;
	const struct array_data *d = job->data;
	const bool same = array_hash(job, job->n, job->peer.key, job->peer.value) ==
	                  array_hash(job, job->n, at(job, d->source_key, job->size),
	                             at(job, d->source_value, job->value_size));

	(void)method;
	return same && array_ascending(job->type, job->n, job->peer.key) ? 0 : INFINITY;
}

static int64_t pairs_of(const struct job *job)
{
	return job->most * job->n;
}

static void size(struct job *job)
{
	job->most = job->n < POOL ? POOL / job->n : 1;
	job->bytes = 2 * (double)job->n * (double)(job->size + job->value_size);
	job->need = 3.2 * (double)pairs_of(job) * (double)(job->size + job->value_size);
	job->line =
		keep("%s %s+%d", text_size(job->n), ek_value_name(job->type), (int)job->value_size);
}

static bool make(struct job *job)
{
	struct array_data *d = job->data;
	const int64_t pairs = pairs_of(job), seed = job->o->common.seed;

	d->source_key = job_random(job, job->type, pairs, seed);
	d->source_value = job_values(job, pairs, seed + 1);
	d->key = job_alloc(job, pairs * job->size);
	if (job->value_size)
		d->value = job_alloc(job, pairs * job->value_size);
	job->peer = (ek_peer_problem){.n = job->n};
	return d->source_key && d->key && (!job->value_size || (d->source_value && d->value));
}

static void defaults(struct bench_options *o)
{
	LIST(&o->type, EK_INT32);
	LIST(&o->n, 1 << 4, 1 << 8, 1 << 12, 1 << 16, 1 << 20, 1 << 24);
	LIST(&o->value_size, 0, 4);
}

const struct operation bench_sort = {
	ARRAY_OPERATION("sort", EK_SORT, KEYS),
	.text = "sorting keys with and without values, with peers",
	.help = ARRAY_HELP("sorts of random keys", "other libraries",
                           "sort --n 2^10,2^20 --type i64 --value-size 0,8 --peers\ni32+4 are keys "
                           "of type i32 with values of 4 bytes. "),
	.options = ARRAY_OPTIONS "n value-size",
	.moves = "bytes of keys and values, in and out,",
	.before = before,
	.next = next,
};
