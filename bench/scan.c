/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench scan: prefix sums, by default of the sizes of Zhang 2012, Fig. 7 (8 x 2^16 to 96 x 2^16
 * floats and doubles) and of two sizes larger than any cache. The bounds are copies of the same
 * arrays. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "array.h"

static int kind = EK_INCLUSIVE;
static bool in_place;

struct array_data {
	void *in, *out;
};

/* Returns the depth of the tree of additions that ek.h promises for a method, else infinity. */
static double depth_of(const char *method)
{
	return strcmp(method, "scan.blocked") == 0 ? 1040 : INFINITY;
}

static const void *input(const struct job *job)
{
	return in_place ? job->data->out : job->data->in;
}

static ek_status call(struct job *job, const ek_array_options *options)
{
	return ek_scan(job->ctx, options, job->type, (ek_monoid)job->o->op, (ek_scan_kind)kind,
	               job->n, input(job), job->data->out);
}

/* Returns the largest error of a prefix sum of floats over its bound. */
static double sum_error(const struct job *job, double depth)
{
	const struct array_data *d = job->data;
	const bool late = kind == EK_EXCLUSIVE;
	struct array_sum sum = {0};
	double worst = 0;

	for (int64_t i = 0; i < job->n; i++) {
		if (!late)
			array_sum_add(&sum, array_number(job->type, d->in, i));
		double additions = (double)(late && i ? i - 1 : i);
		double error = array_sum_error(&sum, job->type, array_number(job->type, d->out, i),
		                               fmin(additions, depth));

		worst = error > worst ? error : worst;
		if (late)
			array_sum_add(&sum, array_number(job->type, d->in, i));
	}
	return worst;
}

static int64_t identity(ek_value type, int op)
{
	const bool small = type == EK_INT32;

	return op == EK_MAX   ? (small ? INT32_MIN : INT64_MIN)
	       : op == EK_MIN ? (small ? INT32_MAX : INT64_MAX)
	                      : 0;
}

/* Returns 0 if all results are exact, else infinity. Integers are compared in their own arithmetic,
 * maxima and minima of floats by array_order. */
static double exact_error(const struct job *job)
{
	const struct array_data *d = job->data;
	const bool late = kind == EK_EXCLUSIVE;
	int64_t (*const number)(ek_value, const void *, int64_t) =
		array_is_float(job->type) ? array_order : array_integer;
	int64_t sum = identity(job->type, job->o->op);

	for (int64_t i = 0; i < job->n; i++) {
		const int64_t x = number(job->type, d->in, i), before = sum;

		sum = i ? array_combine(job->type, (ek_monoid)job->o->op, sum, x) : x;
		if (late && i == 0 &&
		    array_is_float(job->type)) /* the first result is an infinity */
			continue;
		if (number(job->type, d->out, i) != (late ? before : sum))
			return INFINITY;
	}
	return 0;
}

static double error(void *problem, const char *method)
{
	const struct job *job = problem;

	return array_is_float(job->type) && job->o->op == EK_SUM ? sum_error(job, depth_of(method))
	                                                         : exact_error(job);
}

static void size(struct job *job)
{
	job->bytes = 2 * (double)(job->n * job->size);
	job->need = 1.05 * job->bytes;
	job->line = keep("%s %s", text_size(job->n), ek_value_name(job->type));
	job->variant = keep("%s %s%s", kind == EK_INCLUSIVE ? "inclusive" : "exclusive",
	                    array_op_text(job), in_place ? ", in place" : "");
}

static bool make(struct job *job)
{
	struct array_data *d = job->data;

	job->copy_from = d->in = job_random(job, job->type, job->n, job->o->common.seed);
	job->copy_to = d->out = job_alloc(job, job->n * job->size);
	job->peer = (ek_peer_problem){.op = (ek_monoid)job->o->op,
	                              .kind = (ek_scan_kind)kind,
	                              .n = job->n,
	                              .in = input(job),
	                              .out = d->out};
	job_output(job, d->out, job->n * job->size, in_place ? d->in : NULL);
	return d->in && d->out;
}

static void defaults(struct bench_options *o)
{
	o->op = EK_SUM;
	LIST(&o->type, EK_F32, EK_F64);
	LIST(&o->n, 8 << 16, 16 << 16, 32 << 16, 48 << 16, 64 << 16, 80 << 16, 96 << 16, 1 << 25,
	     1 << 27);
}

static const struct tool_choice kinds[] = {
	{"inclusive", EK_INCLUSIVE}, {"exclusive", EK_EXCLUSIVE}, {NULL, 0}};

static const struct bench_option own[] = {
	{"kind", "inclusive|exclusive", "Which scan (inclusive)", set_int, OWN(kind),
         CHOICE(kinds)},
	{"in-place", NULL, "Over the input", set_flag, OWN(in_place), AS_IT_IS},
	{"block", "N", "Entries of a block, for methods with blocks", set_whole, AT(block),
         BY(tool_size)},
	NO_OPTION};

const struct operation bench_scan = {
	ARRAY_OPERATION("scan", EK_SCAN, NUMBERS | COPIES),
	.text = "prefix sums, with peers and copies as bounds",
	.help = ARRAY_HELP(
		"prefix sums",
		"the serial loop, with other libraries and with copies of the same arrays",
		"scan --n 2^25,2^27 --type f64 --peers --json scan.json\nWithout --n the sizes are "
		"those of Zhang 2012, 8x2^16 ... 96x2^16, and 2^25, 2^27. "),
	.options = ARRAY_OPTIONS "n op",
	.own = own,
	.check = check_op,
	.moves = "bytes of input and output",
};
