/* SPDX-License-Identifier: BSD-3-Clause
 * Segmented sums on a device, in two ways.
 *
 * "segsum.tiles.gpu" does a segmented scan in tiles (segscan_tiles.c), which writes only the last
 * entry of each segment, and then takes the sums from these places. Cost: two reads of n numbers
 * and of n flags, and a few accesses for each segment. If segments have offsets, n flags are
 * written first; if they have flags, offsets are listed.
 *
 * "segsum.offset.gpu" does one inclusive scan and subtracts: the sum of a segment is the scan at
 * its last entry less the scan before its first. It has no flags and no branches, but the
 * difference of two sums of floats has the error of both (ek.h). The published algorithm keeps the
 * distance from the first to the last entry of each segment, at its first entry, and leaves the sum
 * there. Here the offsets give both places, and the sums are stored side by side. Cost: two reads
 * and one write of n numbers, and a few accesses for each segment.
 *
 * Liu 2015, section 4.4.4, Algorithms 11 to 13. */
#include <stdio.h>
#include <string.h>

#include "prim_gpu/arrays.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_segsum, "prim_gpu/segsum.cl");

enum { WG = 256 };

static ek_status use_program(eki_job *job, ek_value type, ek_value offsets)
{
	char defines[EKI_GPU_WORDS];
	size_t used;

	eki_gpu_type(type, defines, sizeof defines);
	used = strlen(defines);
	snprintf(defines + used, sizeof defines - used, "#define PTR %s\n",
	         offsets == EK_INT64 ? "ek_i64" : "int");
	eki_gpu_word(defines, "EK_WG", WG);
	return eki_job_program(job, "segsum", defines, eki_cl_segsum);
}

/* Computes the sums by a scan, segmented or not, of which `kernel` then takes the sums. */
static ek_status sums(const eki_step *step, const eki_run *v, bool segmented, const char *kernel)
{
	const eki_array *a = v->array;
	const int64_t size = (int64_t)ek_value_size(a->type), count = a->segments.count;
	eki_buffer in, out, *scan;
	eki_gpu_segments s;
	eki_gpu_arrays on;
	ek_status status;

	eki_gpu_arrays_begin(step, a, &on);
	EK_TRY(eki_gpu_segments_in(&on, step->ctx,
	                           EKI_GPU_OFFSETS | (segmented ? EKI_GPU_FLAGS : 0), &s));
	EK_TRY(eki_gpu_array_in(&on, a->in, a->n * size, &in));
	EK_TRY(eki_gpu_array_out(&on, a->out, count * size, &out));
	EK_TRY(eki_job_buffer(&on.job, a->n, (size_t)size, &scan));
	if (segmented)
		EK_TRY(eki_gpu_segmented_scan(&on.job, a->type, EK_SUM, EKI_GPU_LAST, a->n, &in,
		                              &s.flag, scan));
	else
		EK_TRY(eki_gpu_scan(&on.job, a->type, EK_SUM, EK_INCLUSIVE, a->n, &in, scan));
	EK_TRY(use_program(&on.job, a->type, s.type));

	const eki_arg args[] = {eki_arg_i64(a->n), eki_arg_i64(count), eki_arg_buffer(&s.offset),
	                        eki_arg_buffer(scan), eki_arg_buffer(&out)};

	status = eki_job_launch(&on.job, kernel, eki_groups(count, WG), WG, args, EKI_COUNT(args));
done:
	return eki_gpu_arrays_end(&on, status);
}

static ek_status run_tiles(const eki_step *step, const eki_run *v)
{
	return sums(step, v, true, "pick_last");
}

static ek_status run_offset(const eki_step *step, const eki_run *v)
{
	return sums(step, v, false, "differences");
}

static double cost_tiles(const eki_features *f)
{
	const eki_array *a = f->array;
	const double size = (double)ek_value_size(a->type);

	return eki_gpu_cost(
		f, (double)a->n * (2 * size + 3) + (double)a->segments.count * (2 * size + 16), 6);
}

/* Predicts a time for integers only: sums of floats by differences lose digits. */
static double cost_offset(const eki_features *f)
{
	const eki_array *a = f->array;
	const double size = (double)ek_value_size(a->type);

	if (a->type == EK_F32 || a->type == EK_F64)
		return 2 * cost_tiles(f);
	return eki_gpu_cost(f,
	                    (double)a->n * (3 * size + (a->segments.flag ? 2 : 0)) +
	                            (double)a->segments.count * (3 * size + 16),
	                    4);
}

const ek_method ek_segsum_gpu_tiles = {
	.name = "segsum.tiles.gpu",
	.text = "a segmented scan in tiles, on a device",
	.source = "Liu 2015, section 4.4.4; Sengupta, Harris, Zhang, Owens 2007",
	.operation = EK_SEGMENTED_SUM,
	.backend = EKI_GPU,
	.cost = cost_tiles,
	.run = run_tiles,
};

const ek_method ek_segsum_gpu_offset = {
	.name = "segsum.offset.gpu",
	.text = "differences of one scan, on a device; for floats less accurate",
	.source = "Liu 2015, Algorithm 13",
	.operation = EK_SEGMENTED_SUM,
	.backend = EKI_GPU,
	.cost = cost_offset,
	.run = run_offset,
};

#endif
