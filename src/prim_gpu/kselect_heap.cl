/* SPDX-License-Identifier: BSD-3-Clause
 * Batch k-selection by d-heaps (kselect_heap.c). Compile-time parameters: those of
 * prim_body/pairs.cl; EK_WG, work-items of a group. A group has one list at a time. */
#include "prim_body/pairs.cl"
#include "prim_body/heap.cl"

enum { EACH = 8 }; /* entries of a work-item that are compared with the root at a time */

/* Returns operations of which a work-item has done none. */
EK_FN ek_heap_ops no_ops(void)
{
	ek_heap_ops ops;

	ops.update_key = ops.find_maxchild = ops.compare = ops.swap = 0;
	return ops;
}

/* Makes a heap of the first k entries of each list, and lets each further entry that is less than
 * the root replace it. heap: a head of d - 1 places and k nodes for each list, `room` places in
 * all. counts: eight numbers for each list, those of heapify and those of updates. */
EK_KERNEL(heap_select, EK_WG)
(ek_i64 n, ek_i64 k, int d, ek_i64 room, const EK_GLOBAL KEY *EK_RESTRICT in, EK_GLOBAL KEY *heaps,
 EK_GLOBAL KEY *EK_RESTRICT kth, EK_GLOBAL ek_i64 *EK_RESTRICT counts)
{
	EK_LOCAL KEY key[EK_WG], chunk[EK_WG * EACH];
	EK_LOCAL int place[EK_WG], any;
	EK_LOCAL ek_i64 scratch[4 * EK_WG];
	const ek_i64 list = EK_GROUP();
	const EK_GLOBAL KEY *from = in + list * n;
	volatile EK_GLOBAL KEY *heap = heaps + list * room + d - 1;
	ek_heap_ops made = no_ops(), ops = no_ops();

	for (ek_i64 i = EK_LID(); i < k; i += EK_WG)
		heap[i] = ek_order(from[i]);
	EK_BARRIER_GLOBAL();
	if (k > 1) /* the same for all work-items */
		ek_heapify(heap, k, d, &made);
	for (ek_i64 i = k; i < n; i += EK_WG * EACH) {
		const KEY root = heap[0];
		int less = 0;

		if (EK_LID() == 0)
			any = 0;
		EK_BARRIER();
		for (int e = EK_LID(); e < EK_WG * EACH; e += EK_WG) {
			chunk[e] = i + e < n ? ek_order(from[i + e]) : KEY_MOST;
			less |= chunk[e] < root;
		}
		if (less)
			any = 1;
		EK_BARRIER();
		for (int e = 0; any && e < EK_WG * EACH; e++)
			if (chunk[e] < heap[0])
				ek_heap_update(heap, k, d, chunk[e], &ops, key, place);
		EK_BARRIER();
	}
	if (EK_LID() == 0)
		kth[list] = ek_order(heap[0]);
	ek_heap_ops_sum(made, counts + 8 * list, scratch);
	if (EK_LID() == 0) { /* all work-items counted the same updates */
		counts[8 * list + 4] = ops.update_key;
		counts[8 * list + 5] = ops.find_maxchild;
		counts[8 * list + 6] = ops.compare;
		counts[8 * list + 7] = ops.swap;
	}
}

/* Copies the k nodes of each heap. */
EK_KERNEL(heap_nodes, EK_WG)
(ek_i64 k, ek_i64 head, ek_i64 room, ek_i64 per, const EK_GLOBAL KEY *EK_RESTRICT heaps,
 EK_GLOBAL KEY *EK_RESTRICT smallest)
{
	const ek_i64 list = EK_GROUP() / per, i = EK_GROUP() % per * EK_WG + EK_LID();

	if (i < k)
		smallest[list * k + i] = ek_order(heaps[list * room + head + i]);
}
