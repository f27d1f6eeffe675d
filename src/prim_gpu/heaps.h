/* SPDX-License-Identifier: BSD-3-Clause
 * What the heaps on a device share (kselect_heap.c). */
#ifndef EK_PRIM_GPU_HEAPS_H
#define EK_PRIM_GPU_HEAPS_H

#include "prim_gpu/arrays.h"

enum { EKI_GPU_HEAP_GROUP = 32 }; /* work-items of a group, which has one heap */

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

/* Return how many transactions of w words with global memory an update of the root makes that goes
 * through all h levels: those of an ad-heap and those of a d-heap (Liu 2015, section 4.6.2). */
static inline int64_t eki_adheap_transactions(int64_t h, int64_t d, int64_t w)
{
	return h * eki_groups(d, w) + eki_groups(2 * h + 1, w);
}
static inline int64_t eki_dheap_transactions(int64_t h, int64_t d, int64_t w)
{
	return h * (eki_groups(d, w) + 1);
}

#endif
