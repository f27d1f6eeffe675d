/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench scan: prefix sums, by default of the sizes of Zhang 2012, Fig. 7 (8 x 2^16 to 96 x 2^16
 * floats and doubles) and of two sizes larger than any cache. The bounds are copies of the same
 * arrays. */
#include <math.h>
#include <string.h>

#include "array.h"

static ek_status call(struct job *job, const ek_array_options *options)
{
	return ek_scan(job->ctx, options, job->type, job->p.op, job->p.kind, job->n, job->p.in,
	               job->p.out);
}

/* Returns the first result of an exclusive scan of integers. */
static int64_t identity(ek_value type, ek_monoid op)
{
	const bool small = type == EK_INT32;

	return op == EK_MAX   ? (small ? INT32_MIN : INT64_MIN)
	       : op == EK_MIN ? (small ? INT32_MAX : INT64_MAX)
	                      : 0;
}

/* Returns the depth of additions that ek.h promises for scans in tiles on a device. */
static double tiles_depth(int64_t n)
{
	return 24 * fmax(1, ceil(log2((double)n) / 11));
}

static double error(void *problem, const char *method)
{
	const struct job *job = problem;
	const double depth = strcmp(method, "scan.blocked") == 0     ? 1040
	                     : strcmp(method, "scan.tiles.gpu") == 0 ? tiles_depth(job->n)
	                                                             : INFINITY;
	const bool late = job->p.kind == EK_EXCLUSIVE;
	struct array_sum sum = {.exact = identity(job->type, job->p.op)};
	double worst = 0;

	if (late && array_is_float(job->type) && !array_rounds(job))
		sum.exact = array_order(job->type, job->p.out, 0); /* an infinity */
	for (int64_t i = 0; i < job->n; i++) {
		if (!late)
			array_add(job, &sum, i);
		worst = fmax(worst,
		             array_error(job, &sum, i, fmin((double)(sum.count - 1), depth)));
		if (late)
			array_add(job, &sum, i);
	}
	return worst;
}

static void size(struct job *job)
{
	job->bytes = 2 * (double)(job->n * job->size);
	job->need = 1.05 * job->bytes;
	job->line = keep("%s %s", text_size(job->n), ek_value_name(job->type));
	job->variant = keep("%s %s%s", job->o->kind == EK_INCLUSIVE ? "inclusive" : "exclusive",
	                    array_op_text(job), job->o->in_place ? ", in place" : "");
}

static void make(struct job *job)
{
	const bool in_place = job->o->in_place;

	job->p.n = job->n;
	job->in = job_random(job, job->n, 0);
	job->p.out = job_output(job, job->n * job->size, in_place ? job->in : NULL);
	job->p.in = in_place ? job->p.out : job->in;
}

/* Returns the ratio R of Zhang 2012, formula 1, of m misses for each line that is read or written,
 * in place. The first step fetches each line of the array once, the last needs those of p - 1 of p
 * segments. With m < 1/2 not even the first step was counted, since the array is in a cache or the
 * counter leaves out what the processor fetches ahead; then nothing is known. */
static double reused_lines(double m, double p)
{
	return m >= 0.5 && p > 1 ? 1 - (2 * m - 1) * p / (p - 1) : NAN;
}

static int finish(struct bench *b, struct bench_case *c)
{
	for (struct record *r = c->record; r < c->record + c->count && b->o.in_place; r++)
		if (strncmp(r->method, "scan.zhang", 10) == 0)
			r->v[V_REUSED] = reused_lines(r->v[V_MISSES], c->v[V_THREADS]);
	return TOOL_OK;
}

const struct operation bench_scan = {
	ARRAY_OPERATION("scan", EK_SCAN, NUMBERS | COPIES),
	.finish = finish,
	.text = "prefix sums, with peers and copies as bounds",
	.help = ARRAY_HELP(
		"prefix sums",
		"the serial loop, with other libraries and with copies of the same arrays",
		"scan --n 2^25,2^27 --type f64 --peers --json scan.json\nWithout --n the sizes are "
		"those of Zhang 2012, 8x2^16 ... 96x2^16, and 2^25, 2^27. "),
	.options = ARRAY_OPTIONS "n op kind in_place block",
	.defaults = "time=1 op=sum kind=inclusive type=f32,f64 n=8x2^16,16x2^16,32x2^16,48x2^16,"
		    "64x2^16,80x2^16,96x2^16,2^25,2^27",
	.check = check_op,
	.moves = "bytes of input and output",
};
