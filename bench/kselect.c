/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench kselect: the k-th smallest entry of each of many lists, by default as in Liu 2015,
 * section 4.6.3, with lists of l = 2^11 to 2^21 integers and k = l / 10. Methods with a d-heap are
 * measured for several values of d, and their heap operations are counted. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "array.h"

static double k_given = 0.1; /* value of --k: k, or if below 1 the share of the length that k is */
static bool smallest;

struct array_data {
	char *in, *kth, *smallest; /* `smallest` is NULL without --smallest */
};

static ek_status call(struct job *job, const ek_array_options *options)
{
	struct array_data *d = job->data;

	return ek_kselect(job->ctx, options, job->type, job->batch, job->length, job->k, d->in,
	                  d->kth, d->smallest);
}

/* Tells whether the k-th smallest key of a list is right and, if `filled`, whether the k keys that
 * were stored are those below it and as many copies of it as are missing. */
static bool list_right(const struct job *job, int64_t list, bool filled)
{
	const struct array_data *d = job->data;
	const size_t size = (size_t)job->size;
	const char *in = d->in + (size_t)(list * job->length) * size,
		   *kth = d->kth + (size_t)list * size;
	int64_t bound = array_order(job->type, kth, 0), below = 0, equal = 0;
	uint64_t sum = 0;

	for (int64_t i = 0; i < job->length; i++) {
		int64_t x = array_order(job->type, in, i);

		if (x < bound && filled)
			sum += array_hash(job, 1, in + (size_t)i * size, NULL);
		below += x < bound;
		equal += x == bound;
	}
	if (below >= job->k || below + equal < job->k)
		return false;
	sum += (uint64_t)(job->k - below) * array_hash(job, 1, kth, NULL);
	return !filled ||
	       sum == array_hash(job, job->k, d->smallest + (size_t)(list * job->k) * size, NULL);
}

static double error(void *problem, const char *method)
{
	const struct job *job = problem;
	const bool filled = smallest && strncmp(method, "peer.", 5) != 0;

	for (int64_t list = 0; list < job->batch; list++)
		if (!list_right(job, list, filled))
			return INFINITY;
	return 0;
}

/* Returns k for lists of that length; a value of --k below 1 is a share of the length. */
static int64_t k_of(double k, int64_t length)
{
	double share = k < 1 ? k * (double)length : k;

	if (share > (double)length)
		tool_usage("--k %g: at most the length of the lists, %lld, is expected", k,
		           (long long)length);
	return share < 1 ? 1 : (int64_t)share;
}

/* Computes the sizes of a case. n, the number of all keys that the options ask for, is rounded to
 * whole lists. */
static void size(struct job *job)
{
	job->batch = job->n / job->length ? job->n / job->length : 1;
	job->n = job->batch * job->length;
	job->k = k_of(k_given, job->length);
	job->bytes = (double)(job->n * job->size);
	job->need = 3.3 * job->bytes;
	job->line = keep("%s l=%s k=%s", ek_value_name(job->type), text_size(job->length),
	                 text_size(job->k));
	job->variant = smallest ? "the k smallest" : "k-th";
}

static bool make(struct job *job)
{
	struct array_data *d = job->data;

	d->in = job_random(job, job->type, job->n, job->o->common.seed);
	d->kth = job_alloc(job, job->batch * job->size);
	if (smallest)
		d->smallest = job_alloc(job, job->batch * job->k * job->size);
	job->peer = (ek_peer_problem){
		.n = job->length, .batch = job->batch, .k = job->k, .in = d->in, .out = d->kth};
	job_output(job, d->kth, job->batch * job->size, NULL);
	if (d->smallest)
		job_output(job, d->smallest, job->batch * job->k * job->size, NULL);
	return d->in && d->kth && (d->smallest || !smallest);
}

static void defaults(struct bench_options *o)
{
	LIST(&o->type, EK_INT32);
	LIST(&o->n, 1 << 24);
	LIST(&o->arity, 2, 4, 8, 16, 32, 64);
	LIST(&o->length, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18,
	     1 << 19, 1 << 20, 1 << 21);
}

static void set_k(const struct bench_option *option, const char *arg, void *to)
{
	(void)option;
	*(double *)to = tool_number("--k", arg);
	if (!(*(double *)to > 0))
		tool_usage("--k %s: a number above 0 is expected", arg);
}

static const struct bench_option own[] = {
	{"length", "LIST", "Keys of a list (2^11 ... 2^21)", set_list, AT(length), BY(tool_size)},
	{"k", "K", "A number, or below 1 a share of the length (0.1)", set_k, OWN(k_given),
         AS_IT_IS},
	{"arity", "LIST", "d of methods with a d-heap (2,4,8,16,32,64)", set_list, AT(arity),
         RANGE(2, 1024)},
	{"counts", NULL, "Show what heaps did", set_flag, AT(counts), AS_IT_IS},
	{"smallest", NULL, "The k smallest of ours, not only the k-th", set_flag, OWN(smallest),
         AS_IT_IS},
	NO_OPTION};

const struct operation bench_kselect = {
	ARRAY_OPERATION("kselect", EK_KSELECT, KEYS | READS),
	.text = "the k-th smallest of many lists, heaps of several arities, with peers",
	.help = ARRAY_HELP("selections of the k-th smallest of many lists",
                           "other libraries and with the read bandwidth",
                           "kselect --method heap --counts\nWithout options the lists are those of "
                           "Liu 2015, section 4.6.3: l = 2^11 ... 2^21, k = l / 10. "),
	.options = ARRAY_OPTIONS "total",
	.own = own,
	.moves = "bytes of the input",
};
