/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench kselect: the k-th smallest of each of many lists, as in Liu 2015, section 4.6.3: lists
 * of l = 2^11 to 2^21 integers, k = l / 10. Methods with a d-heap are measured for several d, with
 * what their heaps did. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_array.h"

struct array_data {
	char *in, *kth, *smallest; /* smallest: NULL unless --smallest */
	bool with_smallest;        /* the last call filled it */
};

static ek_status call(struct array_job *job, const ek_array_options *options)
{
	struct array_data *d = job->data;

	d->with_smallest = d->smallest != NULL;
	return ek_kselect(job->ctx, options, job->type, job->batch, job->length, job->k, d->in,
	                  d->kth, d->smallest);
}

static void spoil(struct array_job *job)
{
	struct array_data *d = job->data;
	size_t size = ek_value_size(job->type);

	d->with_smallest = false;
	memset(d->kth, 0xff, (size_t)job->batch * size);
	if (d->smallest)
		memset(d->smallest, 0xff, (size_t)(job->batch * job->k) * size);
}

/* The k smallest of a list are those below the k-th, and enough copies of it. */
static bool list_right(const struct array_job *job, int64_t list)
{
	const struct array_data *d = job->data;
	size_t size = ek_value_size(job->type);
	const char *in = d->in + (size_t)(list * job->length) * size,
		   *kth = d->kth + (size_t)list * size;
	int64_t bound = array_order(job->type, kth, 0), below = 0, equal = 0;
	uint64_t sum = 0;

	for (int64_t i = 0; i < job->length; i++) {
		int64_t x = array_order(job->type, in, i);

		if (x < bound && d->with_smallest)
			sum += array_hash(job->type, 0, 1, in + (size_t)i * size, NULL);
		below += x < bound;
		equal += x == bound;
	}
	if (below >= job->k || below + equal < job->k)
		return false;
	sum += (uint64_t)(job->k - below) * array_hash(job->type, 0, 1, kth, NULL);
	return !d->with_smallest ||
	       sum == array_hash(job->type, 0, job->k, d->smallest + (size_t)(list * job->k) * size,
	                         NULL);
}

static double kselect_error(struct array_job *job, const char *method)
{
	(void)method;
	for (int64_t list = 0; list < job->batch; list++)
		if (!list_right(job, list))
			return INFINITY;
	return 0;
}

/* k as --k says: a number, or a share of the length. */
static int64_t k_of(double k, int64_t length)
{
	double share = k < 1 ? k * (double)length : k;

	if (share > (double)length)
		tool_usage("--k %g: at most the length of the lists, %lld, is expected", k,
		           (long long)length);
	return share < 1 ? 1 : (int64_t)share;
}

/* The options give the keys in all as n; whole lists of them are made. */
static int one(struct array_bench *bench, struct array_job *job)
{
	const struct array_options *o = job->options;
	int64_t size = (int64_t)ek_value_size(job->type);
	struct array_data d = {0};
	char length[32], k[32];
	int code;

	job->batch = job->n / job->length ? job->n / job->length : 1;
	job->n = job->batch * job->length;
	job->k = k_of(o->k, job->length);
	job->bytes = (double)(job->n * size);
	job->data = &d;
	snprintf(job->line, sizeof job->line, "%s l=%s k=%s", ek_value_name(job->type),
	         array_size_text(length, job->length), array_size_text(k, job->k));
	snprintf(job->variant, sizeof job->variant, "%s", o->smallest ? "the k smallest" : "k-th");
	if (!array_fits(job, 3.3 * job->bytes))
		return TOOL_OK;
	d.in = array_alloc(job->n * size, job->threads);
	d.kth = array_alloc(job->batch * size, job->threads);
	if (o->smallest)
		d.smallest = array_alloc(job->batch * job->k * size, job->threads);
	if (d.in && d.kth && (d.smallest || !o->smallest)) {
		array_random(job->type, job->n, d.in, o->common.seed, job->threads);
		job->peer = (ek_array_peer_problem){.operation = EK_KSELECT,
		                                    .type = job->type,
		                                    .threads = job->threads,
		                                    .n = job->length,
		                                    .batch = job->batch,
		                                    .k = job->k,
		                                    .in = d.in,
		                                    .out = d.kth};
		code = array_run(bench, job);
	} else {
		code = tool_fail(TOOL_FAILED, "out of memory for %s", job->line);
	}
	free(d.in);
	free(d.kth);
	free(d.smallest);
	return code;
}

static void defaults(struct array_options *o)
{
	static const int64_t types[] = {EK_INT32}, total[] = {1 << 24};
	static const int64_t arities[] = {2, 4, 8, 16, 32, 64};

	array_list_set(&o->type, 1, types);
	array_list_set(&o->n, 1, total);
	array_list_set(&o->arity, 6, arities);
	o->length.count = 0;
	for (int power = 11; power <= 21; power++)
		o->length.value[o->length.count++] = INT64_C(1) << power;
}

const struct array_operation array_kselect = {
	.name = "kselect",
	.operation = EK_KSELECT,
	.text = "Times the selection of the k-th smallest of many lists, method by method, in turn "
		"and in rounds of under a second, and compares it with other libraries and with "
		"the "
		"read bandwidth. Every result is checked first.\v"
		"Example: ek bench kselect --method heap --counts\n"
		"Without options the lists are those of Liu 2015, section 4.6.3: l = 2^11 ... "
		"2^21, "
		"k = l / 10. Exit status 1: a result was wrong.",
	.bit = OF_KSELECT,
	.keys = true,
	.defaults = defaults,
	.one = one,
	.bound = BOUND_READ,
	.call = call,
	.spoil = spoil,
	.error = kselect_error,
};
