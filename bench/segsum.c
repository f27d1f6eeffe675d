/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench segsum: sums of segments, given by flags and by offsets, compared with the bandwidth at
 * which the values and the flags or offsets can be read. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "array.h"

enum { EVEN, RANDOM, POWER };
static int shape = RANDOM;
static bool by_flags, by_offsets;

struct array_data {
	void *in, *out;
	int32_t *offset;
	uint8_t *flag;
	int64_t count;
	ek_segments segments;
};

static ek_status call(struct job *job, const ek_array_options *options)
{
	struct array_data *d = job->data;

	return ek_segmented_sum(job->ctx, options, job->type, job->n, d->in, &d->segments, d->out);
}

/* ---- Segments -------------------------------------------------------------------------------- */

/* Returns the length of a segment for a uniform random number from 0 to 1. It is at least 1, and
 * `mean` on average. For the shape POWER, P(length > x) = (mean / (3 x))^1.5. */
static int64_t length_of(int64_t mean, double unit)
{
	if (shape == EVEN || mean == 1)
		return mean;
	if (shape == RANDOM)
		return 1 + (int64_t)(unit * (double)(2 * mean - 1));
	return (int64_t)ceil((double)mean / 3 * pow(1 - unit, -2.0 / 3));
}

/* Cuts the entries into segments. Flags are made first, since they give the number of the offsets.
 * Returns false if there is no memory. */
static bool cut(struct job *job)
{
	struct array_data *d = job->data;

	d->flag = job_alloc(job, job->n);
	for (int64_t at = 0; d->flag && at < job->n; d->count++) {
		double unit;

		data_random(EK_F64, 1, &unit, job->o->common.seed + 1 + d->count, 1);
		int64_t length = length_of(job->length, (unit + 1) / 2);

		d->flag[at] = 1;
		at = length < job->n - at ? at + length : job->n;
	}
	d->offset = job_alloc(job, (d->count + 1) * (int64_t)sizeof *d->offset);
	if (!d->flag || !d->offset)
		return false;
	for (int64_t i = 0, s = 0; i < job->n; i++)
		if (d->flag[i])
			d->offset[s++] = (int32_t)i;
	d->offset[d->count] = (int32_t)job->n;
	return true;
}

/* ---- Checks ---------------------------------------------------------------------------------- */

static double integer_error(const struct job *job)
{
	const struct array_data *d = job->data;

	for (int64_t s = 0; s < d->count; s++) {
		int64_t sum = 0;

		for (int64_t i = d->offset[s]; i < d->offset[s + 1]; i++)
			sum = array_combine(job->type, EK_SUM, sum,
			                    array_integer(job->type, d->in, i));
		if (array_integer(job->type, d->out, s) != sum)
			return INFINITY;
	}
	return 0;
}

/* Returns the largest error of a sum over its bound. The bound of a segment depends on its own
 * values. For methods that take differences of one long scan, as ek.h says, it also depends on all
 * values before the segment. */
static double error(void *problem, const char *method)
{
	const struct job *job = problem;
	const struct array_data *d = job->data;
	bool differences = strcmp(method, "segsum.offset") == 0;
	double worst = 0, before = 0;

	if (!array_is_float(job->type))
		return integer_error(job);
	for (int64_t s = 0; s < d->count; s++) {
		int64_t begin = d->offset[s], end = d->offset[s + 1];
		double depth = (double)(end - begin);
		struct array_sum sum = {0};

		for (int64_t i = begin; i < end; i++)
			array_sum_add(&sum, array_number(job->type, d->in, i));
		if (differences) {
			before += sum.absolute;
			sum.absolute = before;
			depth = (double)(begin + end + 1);
		}
		worst = fmax(worst, array_sum_error(&sum, job->type,
		                                    array_number(job->type, d->out, s), depth));
	}
	return worst;
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static const struct tool_choice shapes[] = {
	{"even", EVEN}, {"random", RANDOM}, {"power", POWER}, {NULL, 0}};

static void size(struct job *job)
{
	const char *given = job->by_flags ? "flags" : "offsets";

	job->need = 4.0 * (double)(job->n * job->size);
	job->variant = keep("%s, %s", given, shapes[shape].name);
	job->line = keep("%s %s l=%s %s", text_size(job->n), ek_value_name(job->type),
	                 text_size(job->length), given);
}

static bool make(struct job *job)
{
	struct array_data *d = job->data;

	d->in = job_random(job, job->type, job->n, job->o->common.seed);
	if (!d->in || !cut(job))
		return false;
	d->out = job_alloc(job, d->count * job->size);
	d->segments = job->by_flags ? ek_segment_flags(d->count, d->flag)
	                            : ek_segment_offsets(d->count, EK_INT32, d->offset);
	job->bytes = (double)(job->n * job->size) +
	             (job->by_flags ? (double)job->n : (double)(d->count + 1) * sizeof *d->offset);
	job->peer = (ek_peer_problem){.op = EK_SUM,
	                              .n = job->n,
	                              .count = d->count,
	                              .in = d->in,
	                              .offset = job->by_flags ? NULL : d->offset,
	                              .out = d->out};
	job_output(job, d->out, d->count * job->size, NULL);
	return d->out;
}

static void defaults(struct bench_options *o)
{
	LIST(&o->type, EK_F32, EK_F64);
	LIST(&o->n, 1 << 25);
	LIST(&o->length, 8, 64, 1024);
}

static void check(struct bench_options *o)
{
	for (int k = 0; k < o->n.count; k++)
		if (o->n.value[k] > INT32_MAX)
			tool_usage("--n: at most 2147483647 entries are expected, since offsets "
			           "have 32 bits");
	LIST(&o->by, 0, 1);
	if (by_flags != by_offsets)
		LIST(&o->by, by_flags);
}

static const struct bench_option own[] = {
	{"length", "LIST", "Mean lengths of segments (8,64,1024)", set_list, AT(length),
         BY(tool_size)},
	{"shape", "even|random|power", "How lengths vary (random)", set_int, OWN(shape),
         CHOICE(shapes)},
	{"flags", NULL, "Segments by flags only", set_flag, OWN(by_flags), AS_IT_IS},
	{"offsets", NULL, "Segments by offsets only", set_flag, OWN(by_offsets), AS_IT_IS},
	NO_OPTION};

const struct operation bench_segsum = {
	ARRAY_OPERATION("segsum", EK_SEGMENTED_SUM, NUMBERS | READS),
	.text = "sums of segments by flags and offsets, with the read bound",
	.help = ARRAY_HELP("sums of segments",
                           "the serial loop and with the bandwidth at which values and flags or "
                           "offsets are read",
                           "segsum --n 2^27 --length 16 --shape power --offsets\nWithout --flags "
                           "or --offsets both are measured. "),
	.options = ARRAY_OPTIONS "n",
	.own = own,
	.check = check,
	.moves = "bytes of values and flags or offsets",
};
