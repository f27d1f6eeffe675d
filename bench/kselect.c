/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench kselect: the k-th smallest entry of each of many lists, by default as in Liu 2015,
 * section 4.6.3, with lists of l = 2^11 to 2^21 integers and k = l / 10. Methods with a d-heap are
 * measured for several values of d, and their heap operations are counted. */
#include <math.h>
#include <string.h>

#include "adheap.h"

static ek_status call(struct job *job, const ek_array_options *options)
{
	return ek_kselect(job->ctx, options, job->type, job->batch, job->length, job->k, job->in,
	                  job->p.out, job->smallest);
}

/* Tells whether the k-th smallest key of a list is right and, if `filled`, whether the k stored
 * keys are all those below it, and copies of it. */
static bool list_right(const struct job *job, int64_t list, bool filled)
{
	const int64_t size = job->size;
	const char *in = (const char *)job->in + list * job->length * size,
		   *kth = (const char *)job->p.out + list * size;
	int64_t bound = array_order(job->type, kth, 0), below = 0, equal = 0;
	uint64_t sum = 0;

	for (int64_t i = 0; i < job->length; i++) {
		int64_t x = array_order(job->type, in, i);

		if (x < bound && filled)
			sum += array_hash(job, 1, in + i * size, NULL);
		below += x < bound;
		equal += x == bound;
	}
	if (below >= job->k || below + equal < job->k)
		return false;
	sum += (uint64_t)(job->k - below) * array_hash(job, 1, kth, NULL);
	return !filled ||
	       sum == array_hash(job, job->k, (const char *)job->smallest + list * job->k * size,
	                         NULL);
}

static double error(void *problem, const char *method)
{
	const struct job *job = problem;
	const bool filled = job->smallest && strncmp(method, "peer.", 5) != 0;

	for (int64_t list = 0; list < job->batch; list++)
		if (!list_right(job, list, filled))
			return INFINITY;
	return 0;
}

/* Returns k for lists of a length; a value of --k below 1 is a share of the length. */
static int64_t k_of(double k, int64_t length)
{
	double share = k < 1 ? k * (double)length : k;

	if (share > (double)length)
		tool_usage("--k %g: at most the length of the lists, %lld, is expected", k,
		           (long long)length);
	return share < 1 ? 1 : (int64_t)share;
}

/* Sets the lengths of the source, but none above all totals: a list that is longer than the total
 * takes as long as one of that total. */
static void default_lengths(struct bench_options *o)
{
	int64_t total = 0;

	for (int k = 0; k < o->n.count; k++)
		total = o->n.value[k] > total ? o->n.value[k] : total;
	for (int64_t l = 1 << 11; l <= 1 << 21 && (l <= total || !o->length.count); l *= 2)
		o->length.value[o->length.count++] = l;
}

static void check(struct bench_options *o)
{
	static const struct list arities = {.value = {2, 4, 8, 16, 32, 64}, .count = 6};

	if (o->model)
		model_options(o);
	if (!o->arity.count)
		o->arity = arities;
	if (!o->n.count)
		o->n = (struct list){.value = {1 << 24}, .count = 1};
	if (!o->length.count)
		default_lengths(o);
}

static int begin(struct bench *b)
{
	if (b->o.model && !tool_on_device(b->ctx))
		return tool_fail(TOOL_USAGE, "--model needs a device: --device NAME");
	return TOOL_OK;
}

/* Computes the sizes of a case. n, the number of all keys that the options ask for, is rounded to
 * whole lists, one at least. */
static void size(struct job *job)
{
	job->batch = job->n / job->length ? job->n / job->length : 1;
	job->n = job->batch * job->length;
	job->k = k_of(job->o->k, job->length);
	job->bytes = (double)(job->n * job->size);
	job->need = 3.3 * job->bytes;
	if (job->o->model)
		model_need(job);
	job->line = keep("%s l=%s k=%s", ek_value_name(job->type), text_size(job->length),
	                 text_size(job->k));
	job->variant = job->o->smallest ? "the k smallest" : "k-th";
}

static void make(struct job *job)
{
	job->p.n = job->length;
	job->p.batch = job->batch;
	job->p.k = job->k;
	job->p.in = job->in = job_random(job, job->n, 0);
	job->p.out = job_output(job, job->batch * job->size, NULL);
	if (job->o->smallest)
		job->smallest = job_output(job, job->batch * job->k * job->size, NULL);
}

static void enter(struct field *f)
{
	array_enter(f);
	if (f->bench->o.model)
		model_enter(f);
}

static int finish(struct bench *b, struct bench_case *c)
{
	return b->o.model ? model_finish(b, c) : TOOL_OK;
}

static void end(const struct bench *b, FILE *out)
{
	if (b->o.model)
		model_end(b, out);
	else
		array_end(b, out);
}

const struct operation bench_kselect = {
	ARRAY_OPERATION_WITH("kselect", EK_KSELECT, KEYS | READS, enter, end),
	.check = check,
	.begin = begin,
	.finish = finish,
	.text = "the k-th smallest of many lists, heaps of several arities, with peers",
	.help = ARRAY_HELP("selections of the k-th smallest of many lists",
                           "other libraries and with the read bandwidth",
                           "kselect --method heap --counts\nWithout options the lists are those of "
                           "Liu 2015, section 4.6.3: l = 2^11 ... 2^21, up to the total, "
                           "k = l / 10. "),
	.options = ARRAY_OPTIONS "total lists k arity counts smallest model",
	.defaults = "time=1 type=i32 k=0.1",
	.moves = "bytes of the input",
};
