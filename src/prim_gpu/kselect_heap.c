/* SPDX-License-Identifier: BSD-3-Clause
 * Batch k-selection by d-heaps on a device, one group of 32 or 64 work-items for each list: it
 * makes a max-heap of the first k entries, and compares 256 entries at a time with the root. Each
 * that is less replaces the root. The group finds the largest child together; one work-item writes.
 *
 * Cost: O(length log_d k) steps for each list, of which comparisons with the root and searches for
 * the largest child are done by all work-items of a group at a time. For comparison with the
 * ad-heap. Liu 2015, section 4.6.3. */
#include "prim_gpu/heaps.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_kselect_heap, "prim_gpu/kselect_heap.cl");

ek_status eki_gpu_heaps_use(eki_job *job, ek_value type)
{
	char defines[EKI_GPU_WORDS];

	eki_gpu_pairs(type, 0, defines, sizeof defines);
	eki_gpu_word(defines, "EK_WG", eki_gpu_heap_group(job->device));
	return eki_job_program(job, "kselect_heap", defines, eki_cl_kselect_heap);
}

ek_status eki_gpu_heaps_nodes(eki_job *job, const eki_array *a, int64_t head, int64_t room,
                              const eki_buffer *heaps, const eki_buffer *smallest)
{
	const int group = eki_gpu_heap_group(job->device);
	const int64_t per = eki_groups(a->k, group);
	const eki_arg args[] = {eki_arg_i64(a->k), eki_arg_i64(head),     eki_arg_i64(room),
	                        eki_arg_i64(per),  eki_arg_buffer(heaps), eki_arg_buffer(smallest)};

	EK_RETURN_IF(eki_gpu_heaps_use(job, a->type));
	return eki_job_launch(job, "heap_nodes", eki_times(per, a->lists), group, args,
	                      EKI_COUNT(args));
}

ek_status eki_gpu_heaps_count(const eki_gpu_arrays *on, const eki_buffer *counts)
{
	const eki_array *a = on->array;
	const int64_t n = 8 * a->lists;
	ek_heap_counts sum = {0};
	int64_t *of;
	void *block;
	ek_status status;

	if (!a->counts)
		return EK_OK;
	EK_RETURN_IF(eki_alloc(on->job.device->ctx, n, sizeof *of, &block));
	of = block;
	EK_TRY(eki_buffer_read(on->job.device, counts, of, n * (int64_t)sizeof *of));
	for (int64_t j = 0; j < n; j += 8) {
		sum.heapify_update_key += of[j];
		sum.heapify_find_maxchild += of[j + 1];
		sum.heapify_compare += of[j + 2];
		sum.heapify_swap += of[j + 3];
		sum.update_key += of[j] + of[j + 4];
		sum.find_maxchild += of[j + 1] + of[j + 5];
		sum.compare += of[j + 2] + of[j + 6];
		sum.swap += of[j + 3] + of[j + 7];
	}
	EKI_STRUCT_OUT(ek_heap_counts, &sum, a->counts);
done:
	eki_free(on->job.device->ctx, block, n, sizeof *of);
	return status;
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	const int64_t size = (int64_t)ek_value_size(a->type), room = a->k + a->arity - 1;
	eki_buffer in, kth, smallest, *heaps, *counts;
	eki_gpu_arrays on;
	ek_status status;

	eki_gpu_arrays_begin(step, a, &on);
	EK_TRY(eki_gpu_heaps_use(&on.job, a->type));
	EK_TRY(eki_gpu_array_in(&on, a->in, a->lists * a->n * size, &in));
	EK_TRY(eki_gpu_array_out(&on, a->out, a->lists * size, &kth));
	if (a->smallest)
		EK_TRY(eki_gpu_array_out(&on, a->smallest, a->lists * a->k * size, &smallest));
	EK_TRY(eki_job_buffer(&on.job, eki_times(a->lists, room), (size_t)size, &heaps));
	EK_TRY(eki_job_buffer(&on.job, 8 * a->lists, sizeof(int64_t), &counts));
	const eki_arg args[] = {eki_arg_i64(a->n),    eki_arg_i64(a->k),     eki_arg_i32(a->arity),
	                        eki_arg_i64(room),    eki_arg_buffer(&in),   eki_arg_buffer(heaps),
	                        eki_arg_buffer(&kth), eki_arg_buffer(counts)};

	EK_TRY(eki_job_launch(&on.job, "heap_select", a->lists, eki_gpu_heap_group(on.job.device),
	                      args, EKI_COUNT(args)));
	if (a->smallest)
		EK_TRY(eki_gpu_heaps_nodes(&on.job, a, a->arity - 1, room, heaps, &smallest));
	status = eki_gpu_heaps_count(&on, counts);
done:
	return eki_gpu_arrays_end(&on, status);
}

const ek_method ek_kselect_gpu_heap = {
	.name = "kselect.heap.gpu",
	.text = "a d-heap of the k smallest so far for each list, on a device",
	.source = "LaMarca, Ladner 1996; Liu 2015, section 4.6.3",
	.operation = EK_KSELECT,
	.backend = EKI_GPU,
	.run = run,
};

#endif
