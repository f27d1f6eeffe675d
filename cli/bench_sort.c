/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench sort: sorting keys, with and without values. Sorting destroys its input, and sorted keys
 * are another problem than random ones, so before every batch, untimed, a pool of copies is filled
 * anew, of which each call takes the next; other keys each time, or branch predictors would learn
 * them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_array.h"

#define POOL (INT64_C(1) << 21) /* pairs at least */

struct array_data {
	int64_t copies, turn;
	char *source_key, *source_value, *key, *value;
	void *now_key, *now_value;
};

static void before(void *state, int64_t calls)
{
	struct array_job *job = state;
	struct array_data *d = job->data;
	size_t pairs = (size_t)(calls * job->n);

	memcpy(d->key, d->source_key, pairs * ek_value_size(job->type));
	if (job->value_size)
		memcpy(d->value, d->source_value, pairs * job->value_size);
	d->turn = -1;
}

static size_t at(const struct array_job *job, size_t size)
{
	return (size_t)(job->data->turn * job->n) * size;
}

static void next(struct array_job *job)
{
	struct array_data *d = job->data;

	d->turn++;
	d->now_key = d->key + at(job, ek_value_size(job->type));
	d->now_value = job->value_size ? d->value + at(job, job->value_size) : NULL;
	job->peer.key = d->now_key;
	job->peer.value = d->now_value;
}

static ek_status call(struct array_job *job, const ek_array_options *options)
{
	ek_pairs pairs = ek_key_value(job->type, job->value_size, job->n, job->data->now_key,
	                              job->data->now_value);

	return ek_sort(job->ctx, options, &pairs);
}

/* The input is the output: fresh copies are all that a check needs. */
static void spoil(struct array_job *job)
{
	(void)job;
}

static double sort_error(struct array_job *job, const char *method)
{
	const struct array_data *d = job->data;
	const char *key = d->source_key + at(job, ek_value_size(job->type));
	const char *value = d->source_value ? d->source_value + at(job, job->value_size) : NULL;

	(void)method;
	return array_ascending(job->type, job->n, d->now_key) &&
	                       array_hash(job->type, job->value_size, job->n, d->now_key,
	                                  d->now_value) ==
	                               array_hash(job->type, job->value_size, job->n, key, value)
	               ? 0
	               : INFINITY;
}

static int one(struct array_bench *bench, struct array_job *job)
{
	struct array_data d = {.copies = job->n < POOL ? POOL / job->n : 1};
	int64_t pairs = d.copies * job->n, seed = job->options->common.seed;
	int64_t size = (int64_t)ek_value_size(job->type), value_size = (int64_t)job->value_size;
	char n[32];
	int code;

	job->data = &d;
	job->most = d.copies;
	job->bytes = 2 * (double)job->n * (double)(size + value_size);
	snprintf(job->line, sizeof job->line, "%s %s+%d", array_size_text(n, job->n),
	         ek_value_name(job->type), (int)value_size);
	if (!array_fits(job, 3.2 * (double)pairs * (double)(size + value_size)))
		return TOOL_OK;
	d.source_key = array_alloc(pairs * size, job->threads);
	d.key = array_alloc(pairs * size, job->threads);
	if (value_size) {
		d.source_value = array_alloc(pairs * value_size, job->threads);
		d.value = array_alloc(pairs * value_size, job->threads);
	}
	if (d.source_key && d.key && (!value_size || (d.source_value && d.value))) {
		array_random(job->type, pairs, d.source_key, seed, job->threads);
		if (value_size)
			array_random(value_size == 4 ? EK_INT32 : EK_INT64, pairs, d.source_value,
			             seed + 1, job->threads);
		job->peer = (ek_array_peer_problem){.operation = EK_SORT,
		                                    .type = job->type,
		                                    .threads = job->threads,
		                                    .n = job->n,
		                                    .value_size = job->value_size};
		code = array_run(bench, job);
	} else {
		code = tool_fail(TOOL_FAILED, "out of memory for %s", job->line);
	}
	free(d.source_key);
	free(d.key);
	free(d.source_value);
	free(d.value);
	return code;
}

static void defaults(struct array_options *o)
{
	static const int64_t types[] = {EK_INT32};
	static const int64_t sizes[] = {1 << 4, 1 << 8, 1 << 12, 1 << 16, 1 << 20, 1 << 24};
	static const int64_t value_sizes[] = {0, 4};

	array_list_set(&o->type, 1, types);
	array_list_set(&o->n, 6, sizes);
	array_list_set(&o->value_size, 2, value_sizes);
}

const struct array_operation array_sort = {
	.name = "sort",
	.operation = EK_SORT,
	.text = "Times sorting of random keys, method by method, in turn and in rounds of under a "
		"second, and compares it with other libraries. Every result is checked first.\v"
		"Example: ek bench sort --n 2^10,2^20 --type i64 --value-size 0,8 --peers\n"
		"i32+4 are keys of type i32 with values of 4 bytes. Exit status 1: a result was "
		"wrong.",
	.bit = OF_SORT,
	.keys = true,
	.defaults = defaults,
	.one = one,
	.call = call,
	.spoil = spoil,
	.error = sort_error,
	.before = before,
	.next = next,
};
