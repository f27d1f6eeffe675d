/* SPDX-License-Identifier: BSD-3-Clause
 * ek_adheap_replay: the device's half of ad-heaps, alone. The heaps are made as for selections, but
 * no processor asks for updates and none crosses the bridges: where the path of each update went is
 * known from an earlier selection. So a launch does as many searches and comparisons in the same
 * nodes, and dumps as many bridges, as the selection did, and takes the time T_gc of the simulator
 * in Liu 2015, section 4.6.2. Searches see the keys that the heaps were made of, on which their
 * time does not depend.
 *
 * Cost: O(d / 32 + log 32) steps for each search, by a group for each list. */
#include "prim_gpu/heaps.h"

#ifndef EK_NO_GPU

/* Returns how many bits of a path say which of d children is next. */
static int bits_of(int d)
{
	int bits = 0;

	while (1 << bits < d)
		bits++;
	return bits;
}

static ek_status replay(eki_gpu_arrays *on, const eki_adheap_shape *shape, const eki_buffer *heaps,
                        const eki_buffer *counts)
{
	const eki_array *a = on->array;
	eki_buffer first, path;

	if (!a->updates)
		return EK_OK;
	EK_RETURN_IF(
		eki_gpu_array_in(on, a->first, (a->lists + 1) * (int64_t)sizeof *a->first, &first));
	EK_RETURN_IF(eki_gpu_array_in(on, a->path, a->updates * (int64_t)sizeof *a->path, &path));
	const eki_arg args[] = {eki_arg_i64(a->k),
	                        eki_arg_i32(a->arity),
	                        eki_arg_i32(bits_of(a->arity)),
	                        eki_arg_i32((int32_t)shape->levels),
	                        eki_arg_i64(shape->head),
	                        eki_arg_i64(shape->room),
	                        eki_arg_i64(a->updates),
	                        eki_arg_buffer(heaps),
	                        eki_arg_buffer(&first),
	                        eki_arg_buffer(&path),
	                        eki_arg_buffer(counts)};

	return eki_job_launch(&on->job, "adheap_replay", a->lists,
	                      eki_gpu_heap_group(on->job.device), args, EKI_COUNT(args));
}

ek_status eki_gpu_adheaps_replay(const eki_step *step, const eki_array *a)
{
	const int64_t size = (int64_t)ek_value_size(a->type);
	const eki_adheap_shape shape = eki_adheap_shape_of(a->k, a->arity);
	eki_buffer in, *heaps, *root, *counts;
	eki_gpu_arrays on;
	ek_status status;

	eki_gpu_arrays_begin(step, a, &on);
	EK_TRY(eki_gpu_adheaps_use(&on.job, a->type));
	EK_TRY(eki_gpu_array_in(&on, a->in, a->lists * a->n * size, &in));
	EK_TRY(eki_job_buffer(&on.job, eki_times(a->lists, shape.room), (size_t)size, &heaps));
	EK_TRY(eki_job_buffer(&on.job, a->lists, (size_t)size, &root));
	EK_TRY(eki_job_buffer(&on.job, 8 * a->lists, sizeof(int64_t), &counts));
	EK_TRY(eki_gpu_adheaps_make(&on.job, a, &shape, &in, heaps, root, counts));
	EK_TRY(replay(&on, &shape, heaps, counts));
	status = eki_gpu_heaps_count(&on, counts);
done:
	return eki_gpu_arrays_end(&on, status);
}

#endif
