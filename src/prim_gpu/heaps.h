/* SPDX-License-Identifier: BSD-3-Clause
 * What the heaps on a device share (kselect_heap.c), and what ad-heaps share (kselect_adheap.c). */
#ifndef EK_PRIM_GPU_HEAPS_H
#define EK_PRIM_GPU_HEAPS_H

#include "prim_gpu/arrays.h"

/* Returns the work-items of a group, which has one heap: as many as the device runs in step, but at
 * least 32 and at most 64. */
static inline int eki_gpu_heap_group(const eki_device *dev)
{
	return dev->info.lanes > 32 ? 64 : 32;
}

/* Makes the kernels of kselect_heap.cl those of the next launches. */
ek_status eki_gpu_heaps_use(eki_job *job, ek_value type);
/* Copies the k nodes of each heap to `smallest`. Each heap has `room` places, of which the first
 * `head` are no nodes. */
ek_status eki_gpu_heaps_nodes(eki_job *job, const eki_array *a, int64_t head, int64_t room,
                              const eki_buffer *heaps, const eki_buffer *smallest);
/* Gives the caller who wants them the sums of the counts of all lists, eight for each: those of
 * heapify, then those of updates. Waits for the device. */
ek_status eki_gpu_heaps_count(const eki_gpu_arrays *on, const eki_buffer *counts);

/* The shape of an ad-heap of n nodes with d children each: its levels, the places of its head,
 * which holds the bridge, and those of head and nodes. */
typedef struct eki_adheap_shape {
	int64_t levels, head, room;
} eki_adheap_shape;

static inline eki_adheap_shape eki_adheap_shape_of(int64_t n, int64_t d)
{
	eki_adheap_shape s = {.levels = 1};

	for (int64_t nodes = 1; nodes < n; s.levels++)
		nodes = nodes * d + 1;

	const int64_t m = eki_groups(2 * (s.levels + 1), d) - 1;

	s.head = m * d + d - 1;
	s.room = s.head + n;
	return s;
}

/* Tells whether host and device update the heaps at once, in memory of kind EKI_MEMORY_ATOMIC. */
bool eki_gpu_adheaps_at_once(const eki_device *dev);
/* Makes the kernels of kselect_adheap.cl those of the next launches. */
ek_status eki_gpu_adheaps_use(eki_job *job, ek_value type);
/* Makes a heap of the first k numbers of each list, and copies its root to `root`. */
ek_status eki_gpu_adheaps_make(eki_job *job, const eki_array *a, const eki_adheap_shape *shape,
                               const eki_buffer *in, const eki_buffer *heaps,
                               const eki_buffer *root, const eki_buffer *counts);
/* Does the updates of ek_adheap_replay again (adheap_replay.c). */
ek_status eki_gpu_adheaps_replay(const eki_step *step, const eki_array *a);

#endif
