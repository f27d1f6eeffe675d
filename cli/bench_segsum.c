/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench segsum: sums of segments, given by flags and by offsets, against the bandwidth at which
 * the values and the flags or offsets can be read. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_array.h"

struct array_data {
	void *in, *out;
	int32_t *offset;
	uint8_t *flag;
	int64_t count;
	ek_segments segments;
};

static ek_status call(struct array_job *job, const ek_array_options *options)
{
	struct array_data *d = job->data;

	return ek_segmented_sum(job->ctx, options, job->type, job->n, d->in, &d->segments, d->out);
}

static void spoil(struct array_job *job)
{
	memset(job->data->out, 0xff, (size_t)job->data->count * ek_value_size(job->type));
}

/* ---- Segments -------------------------------------------------------------------------------- */

/* The length of segment s: at least 1, `mean` in the mean. Power: P(length > x) = (mean / 3
 * x)^1.5. */
static int64_t length_of(int shape, int64_t mean, double unit)
{
	if (shape == SHAPE_EVEN || mean == 1)
		return mean;
	if (shape == SHAPE_RANDOM)
		return 1 + (int64_t)(unit * (double)(2 * mean - 1));
	return (int64_t)ceil((double)mean / 3 * pow(1 - unit, -2.0 / 3));
}

/* Cuts n entries into segments: flags first, since only they tell how many offsets there are. */
static bool cut(struct array_data *d, const struct array_options *o, int threads, int64_t n,
                int64_t mean)
{
	int64_t at = 0;

	d->flag = array_alloc(n, threads);
	for (d->count = 0; d->flag && at < n; d->count++) {
		double unit;

		array_random(EK_F64, 1, &unit, o->common.seed + 1 + d->count, 1);
		int64_t length = length_of(o->shape, mean, (unit + 1) / 2);

		d->flag[at] = 1;
		at = length < n - at ? at + length : n;
	}
	d->offset = array_alloc((d->count + 1) * (int64_t)sizeof *d->offset, threads);
	if (!d->flag || !d->offset)
		return false;
	for (int64_t i = 0, s = 0; i < n; i++)
		if (d->flag[i])
			d->offset[s++] = (int32_t)i;
	d->offset[d->count] = (int32_t)n;
	return true;
}

/* ---- Checks ---------------------------------------------------------------------------------- */

static double integer_error(const struct array_job *job)
{
	const struct array_data *d = job->data;

	for (int64_t s = 0; s < d->count; s++) {
		uint64_t sum = 0;

		for (int64_t i = d->offset[s]; i < d->offset[s + 1]; i++)
			sum += (uint64_t)array_integer(job->type, d->in, i);
		int64_t exact = job->type == EK_INT32 ? (int32_t)(uint32_t)sum : (int64_t)sum;

		if (array_integer(job->type, d->out, s) != exact)
			return INFINITY;
	}
	return 0;
}

/* The bound of a segment has its own values, but those of all before it where ek.h says that a
 * method takes differences of one long scan. */
static double segsum_error(struct array_job *job, const char *method)
{
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

static int by(struct array_bench *bench, struct array_job *job, bool flags)
{
	static const char *const shapes[] = {"even", "random", "power"};
	const char *shape = shapes[job->options->shape];
	struct array_data *d = job->data;
	size_t size = ek_value_size(job->type);
	char n[32], length[32];

	d->segments = flags ? ek_segment_flags(d->count, d->flag)
	                    : ek_segment_offsets(d->count, EK_INT32, d->offset);
	job->bytes = (double)job->n * (double)size +
	             (flags ? (double)job->n : (double)(d->count + 1) * sizeof *d->offset);
	snprintf(job->variant, sizeof job->variant, "%s, %s", flags ? "flags" : "offsets", shape);
	snprintf(job->line, sizeof job->line, "%s %s l=%s %s", array_size_text(n, job->n),
	         ek_value_name(job->type), array_size_text(length, job->length),
	         flags ? "flags" : "offsets");
	job->peer = (ek_array_peer_problem){.operation = EK_SEGMENTED_SUM,
	                                    .type = job->type,
	                                    .op = EK_SUM,
	                                    .threads = job->threads,
	                                    .n = job->n,
	                                    .count = d->count,
	                                    .in = d->in,
	                                    .offset = flags ? NULL : d->offset,
	                                    .out = d->out};
	return array_run(bench, job);
}

static int one(struct array_bench *bench, struct array_job *job)
{
	const struct array_options *o = job->options;
	struct array_data d = {0};
	int64_t size = (int64_t)ek_value_size(job->type);
	bool both = o->flags == o->offsets;
	char n[32];
	int code = TOOL_OK;

	snprintf(job->line, sizeof job->line, "%s %s", array_size_text(n, job->n),
	         ek_value_name(job->type));
	if (job->n > INT32_MAX)
		tool_usage(
			"--n: at most 2147483647 entries are expected, since offsets have 32 bits");
	if (!array_fits(job, 4.0 * (double)job->n * (double)size))
		return TOOL_OK;
	job->data = &d;
	d.in = array_alloc(job->n * size, job->threads);
	if (d.in && cut(&d, o, job->threads, job->n, job->length))
		d.out = array_alloc(d.count * size, job->threads);
	if (!d.out) {
		code = tool_fail(TOOL_FAILED, "out of memory for %s", job->line);
	} else {
		array_random(job->type, job->n, d.in, o->common.seed, job->threads);
		if (both || o->offsets)
			code = by(bench, job, false);
		if ((!code || code == TOOL_FAILED) && (both || o->flags)) {
			int second = by(bench, job, true);

			code = second ? second : code;
		}
	}
	free(d.in);
	free(d.out);
	free(d.offset);
	free(d.flag);
	return code;
}

static void defaults(struct array_options *o)
{
	static const int64_t types[] = {EK_F32, EK_F64};
	static const int64_t sizes[] = {1 << 25};
	static const int64_t lengths[] = {8, 64, 1024};

	array_list_set(&o->type, 2, types);
	array_list_set(&o->n, 1, sizes);
	array_list_set(&o->length, 3, lengths);
}

const struct array_operation array_segsum = {
	.name = "segsum",
	.operation = EK_SEGMENTED_SUM,
	.text = "Times sums of segments, method by method, in turn and in rounds of under a "
		"second, "
		"and compares them with the serial loop and with the bandwidth at which values and "
		"flags or offsets are read. Every result is checked first.\v"
		"Example: ek bench segsum --n 2^27 --length 16 --shape power --offsets\n"
		"Without --flags or --offsets both are measured. Exit status 1: a result was "
		"wrong.",
	.bit = OF_SEGSUM,
	.defaults = defaults,
	.one = one,
	.bound = BOUND_READ,
	.call = call,
	.spoil = spoil,
	.error = segsum_error,
};
