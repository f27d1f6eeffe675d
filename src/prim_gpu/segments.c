/* SPDX-License-Identifier: BSD-3-Clause
 * Segments on a device, in the form that a method needs. Offsets become flags by writing a byte for
 * each segment that has entries. Flags become offsets as unused entries are eliminated: the flags
 * of each tile are counted, the counts are scanned, and each tile lists its flags.
 *
 * Liu 2015, section 4.4.1 and Algorithm 5. */
#include <stdio.h>
#include <string.h>

#include "prim/segmented.h"
#include "prim_gpu/arrays.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_segments, "prim_gpu/segments.cl");

enum { WG = 256, ITEMS = 8, TILE = WG * ITEMS, CLEARED = 16 };

static ek_status use_program(eki_job *job, ek_value type)
{
	char defines[EKI_GPU_WORDS] =
		"#define VAL ek_i64\n#define IDENTITY ((VAL)0)\n#define OP(a, b) ((a) + (b))\n";
	const size_t used = strlen(defines);

	snprintf(defines + used, sizeof defines - used, "#define PTR %s\n",
	         type == EK_INT64 ? "ek_i64" : "int");
	eki_gpu_word(defines, "EK_WG", WG);
	eki_gpu_word(defines, "ITEMS", ITEMS);
	return eki_job_program(job, "segments", defines, eki_cl_segments);
}

/* Makes flags of the offsets. */
static ek_status make_flags(eki_job *job, int64_t n, eki_gpu_segments *s)
{
	eki_buffer *flag;

	/* The driver clears whole pieces of 16 bytes faster than single ones. */
	EK_RETURN_IF(eki_job_buffer(job, eki_groups(n + 1, CLEARED), CLEARED, &flag));
	EK_RETURN_IF(job->device->driver->clear(job->device, flag));
	s->flag = *flag;

	const eki_arg args[] = {eki_arg_i64(n), eki_arg_i64(s->count), eki_arg_buffer(&s->offset),
	                        eki_arg_buffer(&s->flag)};

	EK_RETURN_IF(use_program(job, s->type));
	return eki_job_launch(job, "mark_begins", eki_groups(s->count, WG), WG, args,
	                      EKI_COUNT(args));
}

/* Makes offsets of the flags. */
static ek_status make_offsets(eki_job *job, int64_t n, eki_gpu_segments *s)
{
	const int64_t tiles = eki_groups(n, TILE);
	eki_buffer *before, *offset;

	EK_RETURN_IF(eki_job_buffer(job, tiles, sizeof(int64_t), &before));
	EK_RETURN_IF(eki_job_buffer(job, s->count + 1, sizeof(int64_t), &offset));
	s->offset = *offset;
	s->type = EK_INT64;

	const eki_arg count[] = {eki_arg_i64(n), eki_arg_buffer(&s->flag), eki_arg_buffer(before)};
	const eki_arg list[] = {eki_arg_i64(n), eki_arg_i64(s->count), eki_arg_buffer(before),
	                        eki_arg_buffer(&s->flag), eki_arg_buffer(&s->offset)};

	EK_RETURN_IF(use_program(job, s->type));
	EK_RETURN_IF(eki_job_launch(job, "count_begins", tiles, WG, count, EKI_COUNT(count)));
	EK_RETURN_IF(eki_gpu_scan(job, EK_INT64, EK_SUM, EK_EXCLUSIVE, tiles, before, before));
	EK_RETURN_IF(use_program(job, s->type));
	return eki_job_launch(job, "list_begins", tiles, WG, list, EKI_COUNT(list));
}

ek_status eki_gpu_segments_in(eki_gpu_arrays *on, const ek_context *ctx, unsigned need,
                              eki_gpu_segments *s)
{
	const eki_array *a = on->array;
	const ek_segments *given = &a->segments;
	const size_t size = given->flag ? 0 : ek_value_size(given->offset_type);

	*s = (eki_gpu_segments){.count = given->count, .type = given->offset_type};
	if (!a->where)
		EK_RETURN_IF(eki_segments_check(ctx, a, NULL, NULL));
	if (given->flag) {
		EK_RETURN_IF(eki_gpu_array_in(on, given->flag, a->n, &s->flag));
		return need & EKI_GPU_OFFSETS ? make_offsets(&on->job, a->n, s) : EK_OK;
	}
	EK_RETURN_IF(eki_gpu_array_in(
		on, given->offset, given->offset ? (s->count + 1) * (int64_t)size : 0, &s->offset));
	return need & EKI_GPU_FLAGS ? make_flags(&on->job, a->n, s) : EK_OK;
}

#endif
