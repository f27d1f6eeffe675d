/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench sort: sorting keys, with and without values. Sorting overwrites its input, and sorted
 * keys are a different problem from random ones. So before every batch a pool of unsorted arrays is
 * refilled, untimed, and each call sorts the next of them. The arrays differ, since branch
 * predictors would learn an array that is sorted again and again. */
#include <math.h>
#include <string.h>

#include "array.h"

#define POOL (INT64_C(1) << 21) /* pairs in the pool, unless one array has more */

/* The arrays of the job: unsorted keys and values, and the pool. */
enum { KEY, VALUE };

static int64_t bytes_of(const struct job *job, int which)
{
	return which == KEY ? job->size : job->value_size;
}

static void before(struct job *job, int64_t calls)
{
	for (int k = KEY; k <= VALUE; k++)
		if (bytes_of(job, k))
			memcpy(job->pool[k], job->fresh[k],
			       (size_t)(calls * job->n * bytes_of(job, k)));
	job->copy = -1;
}

static void *at(const struct job *job, char *const array[2], int which)
{
	return array[which] ? array[which] + job->copy * job->n * bytes_of(job, which) : NULL;
}

static void next(struct job *job)
{
	job->copy++;
	job->p.key = at(job, job->pool, KEY);
	job->p.value = at(job, job->pool, VALUE);
}

static ek_status call(struct job *job, const ek_array_options *options)
{
	ek_pairs pairs =
		ek_key_value(job->type, job->p.value_size, job->n, job->p.key, job->p.value);

	return ek_sort(job->ctx, options, &pairs);
}

static double error(void *problem, const char *method)
{
	const struct job *job = problem;
	const bool same =
		array_hash(job, job->n, job->p.key, job->p.value) ==
		array_hash(job, job->n, at(job, job->fresh, KEY), at(job, job->fresh, VALUE));

	(void)method;
	return same && array_ascending(job->type, job->n, job->p.key) ? 0 : INFINITY;
}

static void size(struct job *job)
{
	const double pair = (double)(job->size + job->value_size);

	job->most = job->n < POOL ? POOL / job->n : 1;
	job->bytes = 2 * (double)job->n * pair;
	job->need = 3.2 * (double)(job->most * job->n) * pair;
	job->line =
		keep("%s %s+%d", text_size(job->n), ek_value_name(job->type), (int)job->value_size);
}

static void make(struct job *job)
{
	const int64_t pairs = job->most * job->n;

	job->p.n = job->n;
	job->fresh[KEY] = job_random(job, pairs, 0);
	job->fresh[VALUE] = job_values(job, pairs, 1);
	job->pool[KEY] = job_alloc(job, pairs * job->size);
	job->pool[VALUE] = job->value_size ? job_alloc(job, pairs * job->value_size) : NULL;
}

const struct operation bench_sort = {
	ARRAY_OPERATION("sort", EK_SORT, KEYS),
	.text = "sorting keys with and without values, with peers",
	.help = ARRAY_HELP("sorts of random keys", "other libraries",
                           "sort --n 2^10,2^20 --type i64 --value-size 0,8 --peers\ni32+4 are keys "
                           "of type i32 with values of 4 bytes. "),
	.options = ARRAY_OPTIONS "n value_size",
	.defaults = "time=1 type=i32 n=2^4,2^8,2^12,2^16,2^20,2^24 value-size=0,4",
	.moves = "bytes of keys and values, in and out,",
	.before = before,
	.next = next,
};
