/* SPDX-License-Identifier: BSD-3-Clause
 * The addition of two sparse vectors on a device by heaps. The thesis gives each work-item the heap
 * of a short sum, and here the work-items share a long one: both vectors are cut along their merge
 * path in pieces of about 16 entries. Each work-item collects the entries of a piece in a max-heap
 * of the upper-bound size in local memory, and then removes its roots; a root with the index of the
 * first entry of the result is added to that entry. No index is in two pieces. A group leaves its
 * entries in temporary memory, side by side. A scan over the groups gives them their places in z,
 * to which they are copied.
 *
 * Cost: for each entry a search for the largest of four children on about two levels, and two reads
 * and two writes. Liu 2015, section 7.4.1, Figure 7.1; Green, McColl and Bader 2012, for the
 * cuts. */
#include "vec_gpu/add.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_add_heap, "vec_gpu/add_heap.cl");

/* Entries of 16 bytes need 17 KiB of local memory with these sizes. */
enum { WG = 64, EACH = 16, TILE = WG * EACH - 1 };

static ek_status use_program(eki_gpu_add *s)
{
	return eki_gpu_add_program(s, WG, EACH, "add_heap", eki_cl_add_heap);
}

static ek_status add(eki_gpu_add *s, int64_t *count)
{
	const int64_t xn = s->a->x.nnz, yn = s->a->y.nnz, tiles = eki_groups(xn + yn, TILE);
	eki_job *job = &s->on.job;
	eki_buffer *start, *place;
	eki_gpu_pair sum;

	EK_RETURN_IF(eki_gpu_add_room(s, xn + yn, &sum));
	EK_RETURN_IF(eki_job_buffer(job, tiles, sizeof(int64_t), &start));
	EK_RETURN_IF(eki_job_buffer(job, tiles + 1, ek_value_size(s->a->x.index), &place));
	const eki_arg add[] = {eki_arg_i64(xn),
	                       eki_arg_i64(yn),
	                       eki_arg_buffer(&s->x.key),
	                       eki_arg_buffer(&s->x.value),
	                       eki_gpu_add_factor(s, 0),
	                       eki_arg_buffer(&s->y.key),
	                       eki_arg_buffer(&s->y.value),
	                       eki_gpu_add_factor(s, 1),
	                       eki_arg_buffer(start),
	                       eki_arg_buffer(place),
	                       eki_arg_buffer(&sum.key),
	                       eki_arg_buffer(&sum.value)};
	const eki_arg copy[] = {eki_arg_buffer(start),     eki_arg_buffer(place),
	                        eki_arg_buffer(&sum.key),  eki_arg_buffer(&sum.value),
	                        eki_arg_buffer(&s->z.key), eki_arg_buffer(&s->z.value)};

	EK_RETURN_IF(use_program(s));
	EK_RETURN_IF(eki_job_launch(job, "add_tiles", tiles, WG, add, EKI_COUNT(add)));
	EK_RETURN_IF(eki_gpu_places(&s->on.job, s->a->x.index, tiles, xn + yn, place, count));
	EK_RETURN_IF(use_program(s));
	return eki_job_launch(job, "copy_tiles", tiles, WG, copy, EKI_COUNT(copy));
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	return eki_gpu_add_run(step, v, add);
}

const ek_method ek_add_gpu_heap = {
	.name = "add.heap.gpu",
	.text = "a heap of a few entries for each work-item, on a device",
	.source = "Liu 2015, section 7.4.1",
	.operation = EK_SPARSE_ADD,
	.backend = EKI_GPU,
	.run = run,
};

#endif
