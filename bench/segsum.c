/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench segsum: sums of segments, given by flags and by offsets, compared with the bandwidth at
 * which the values and the flags or offsets can be read. */
#include <math.h>
#include <string.h>

#include "array.h"

static ek_status call(struct job *job, const ek_array_options *options)
{
	return ek_segmented_sum(job->ctx, options, job->type, job->n, job->in, &job->segments,
	                        job->p.out);
}

/* ---- Segments -------------------------------------------------------------------------------- */

/* Returns the length of a segment for a uniform random number from 0 to 1. It is at least 1, and
 * `mean` on average. For the shape POWER, P(length > x) = (mean / (3 x))^1.5. */
static int64_t length_of(int shape, int64_t mean, double unit)
{
	if (shape == EVEN || mean == 1)
		return mean;
	if (shape == RANDOM)
		return 1 + (int64_t)(unit * (double)(2 * mean - 1));
	return (int64_t)ceil((double)mean / 3 * pow(1 - unit, -2.0 / 3));
}

/* Cuts the entries into segments. Flags are made first, since they give the number of offsets. */
static void cut(struct job *job)
{
	uint8_t *flag = job_alloc(job, job->n);
	int64_t count = 0;
	int32_t *offset;

	for (int64_t at = 0; at < job->n; count++) {
		double unit;

		data_random(EK_F64, 1, &unit, job->o->common.seed + 1 + count, 1);
		int64_t length = length_of(job->o->shape, job->length, (unit + 1) / 2);

		flag[at] = 1;
		at = length < job->n - at ? at + length : job->n;
	}
	job->p.offset = offset = job_alloc(job, (count + 1) * (int64_t)sizeof *offset);
	for (int64_t i = 0, s = 0; i < job->n; i++)
		if (flag[i])
			offset[s++] = (int32_t)i;
	offset[count] = (int32_t)job->n;
	job->p.count = count;
	job->segments = job->by_flags ? ek_segment_flags(count, flag)
	                              : ek_segment_offsets(count, EK_INT32, offset);
	job->bytes = (double)(job->n * job->size) +
	             (job->by_flags ? (double)job->n : (double)(count + 1) * sizeof *offset);
}

/* ---- Checks ---------------------------------------------------------------------------------- */

/* Returns the largest error of a sum over its bound. The bound of a segment depends on its own
 * values. For methods that take differences of one long scan, as ek.h says, it also depends on all
 * values before the segment. */
static double error(void *problem, const char *method)
{
	const struct job *job = problem;
	bool differences = strncmp(method, "segsum.offset", 13) == 0;
	double worst = 0, before = 0;

	for (int64_t s = 0; s < job->p.count; s++) {
		const int64_t begin = job->p.offset[s], end = job->p.offset[s + 1];
		double depth = (double)(end - begin);
		struct array_sum sum = {0};

		for (int64_t i = begin; i < end; i++)
			array_add(job, &sum, i);
		if (differences) {
			before += sum.absolute;
			sum.absolute = before;
			depth = (double)(begin + end + 1);
		}
		worst = fmax(worst, array_error(job, &sum, s, depth));
	}
	return worst;
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static void size(struct job *job)
{
	const char *given = job->by_flags ? "flags" : "offsets";

	job->need = 4.0 * (double)(job->n * job->size);
	job->variant = keep("%s, %s", given, option_shapes[job->o->shape].name);
	job->line = keep("%s %s l=%s %s", text_size(job->n), ek_value_name(job->type),
	                 text_size(job->length), given);
}

static void make(struct job *job)
{
	job->p.op = EK_SUM;
	job->p.n = job->n;
	job->p.in = job->in = job_random(job, job->n, 0);
	cut(job);
	job->p.out = job_output(job, job->p.count * job->size, NULL);
}

static void check(struct bench_options *o)
{
	for (int k = 0; k < o->n.count; k++)
		if (o->n.value[k] > INT32_MAX)
			tool_usage("--n: at most 2147483647 entries are expected, since offsets "
			           "have 32 bits");
	o->by = o->flags == o->offsets ? (struct list){{0, 1}, 2} : (struct list){{o->flags}, 1};
}

const struct operation bench_segsum = {
	ARRAY_OPERATION("segsum", EK_SEGMENTED_SUM, NUMBERS | READS),
	.text = "sums of segments by flags and offsets, with the read bound",
	.help = ARRAY_HELP("sums of segments",
                           "the serial loop and with the bandwidth at which values and flags or "
                           "offsets are read",
                           "segsum --n 2^27 --length 16 --shape power --offsets\nWithout --flags "
                           "or --offsets both are measured. "),
	.options = ARRAY_OPTIONS "n segments shape flags offsets",
	.defaults = "time=1 shape=random type=f32,f64 n=2^25 length=8,64,1024",
	.check = check,
	.moves = "bytes of values and flags or offsets",
};
