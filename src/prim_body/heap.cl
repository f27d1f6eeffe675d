/* SPDX-License-Identifier: BSD-3-Clause
 * A max-heap in which each node has d children, and which a group of work-items updates together:
 * functions for kernels, which include prim_body/pairs.cl before and define EK_WG, a power of two.
 * A line #include "prim_body/heap.cl" in a kernel is replaced by this text (gpu/prelude.c). The
 * same heap as in prim_body/heap.h, with the same operations and counts. Keys are kept as the
 * integers by which they are compared.
 *
 * The largest child is found by a streaming reduction: work-items read the children side by
 * side, each keeps the largest that it has seen, and a tree in local memory finds the largest of
 * these. Of equal children it is the first. LaMarca and Ladner 1996; Liu 2015, section 4.6.2,
 * Algorithms 19 and 20. */
#ifndef EK_HEAP_CL
#define EK_HEAP_CL

/* Numbers of operations, as in ek_heap_counts. */
typedef struct ek_heap_ops {
	ek_i64 update_key, find_maxchild, compare, swap;
} ek_heap_ops;

/* Finds the largest of `count` keys. Leaves it in key[0] and its place in place[0]; these arrays
 * have EK_WG entries. Has barriers. */
EK_FN void ek_find_maxchild(const volatile EK_GLOBAL KEY *child, int count, EK_LOCAL_PTR KEY *key,
                            EK_LOCAL_PTR int *place)
{
	const int lid = EK_LID();
	KEY own = child[lid < count ? lid : 0];
	int at = lid < count ? lid : 0;

	for (int k = lid + EK_WG; k < count; k += EK_WG) {
		const KEY x = child[k];

		if (x > own) {
			own = x;
			at = k;
		}
	}
	/* Others may still read the results of the last call, and children that are written
	 * next. */
	EK_BARRIER_GLOBAL();
	key[lid] = own;
	place[lid] = at;
	for (int d = EK_WG / 2; d > 0; d /= 2) {
		EK_BARRIER();
		if (lid < d && (key[lid + d] > key[lid] ||
		                (key[lid + d] == key[lid] && place[lid + d] < place[lid]))) {
			key[lid] = key[lid + d];
			place[lid] = place[lid + d];
		}
	}
	EK_BARRIER();
}

/* Replaces the root of a heap of n nodes by a key, and moves greater children up. All work-items
 * call it; the first one writes. Ends with a barrier. */
EK_FN void ek_heap_update(volatile EK_GLOBAL KEY *heap, ek_i64 n, int d, KEY v, ek_heap_ops *ops,
                          EK_LOCAL_PTR KEY *key, EK_LOCAL_PTR int *place)
{
	ek_i64 i = 0;

	EK_BARRIER_GLOBAL(); /* others may still read the root */
	ops->update_key++;
	for (ek_i64 first; (first = d * i + 1) < n;) {
		ek_find_maxchild(heap + first, n - first < d ? (int)(n - first) : d, key, place);
		ops->find_maxchild++;
		ops->compare++;
		if (key[0] <= v)
			break;
		if (EK_LID() == 0)
			heap[i] = key[0];
		i = first + place[0];
		ops->swap++;
	}
	if (EK_LID() == 0)
		heap[i] = v;
	EK_BARRIER_GLOBAL();
}

/* Sinks the key of node i. One work-item alone. */
EK_FN void ek_heap_sink(volatile EK_GLOBAL KEY *heap, ek_i64 n, int d, ek_i64 i, ek_heap_ops *ops)
{
	const KEY v = heap[i];

	ops->update_key++;
	for (ek_i64 first; (first = d * i + 1) < n;) {
		ek_i64 at = first;
		KEY most = heap[first];

		for (ek_i64 k = first + 1; k < n && k < first + d; k++) {
			const KEY x = heap[k];

			if (x > most) {
				most = x;
				at = k;
			}
		}
		ops->find_maxchild++;
		ops->compare++;
		if (most <= v)
			break;
		heap[i] = most;
		i = at;
		ops->swap++;
	}
	heap[i] = v;
}

/* Makes a heap of n keys in any order. Nodes of one level are roots of separate heaps, so
 * work-items sink them side by side, level after level from the last one that has children. The
 * result is that of sinking node after node. Each work-item counts its own operations. Ends with
 * a barrier. */
EK_FN void ek_heapify(volatile EK_GLOBAL KEY *heap, ek_i64 n, int d, ek_heap_ops *ops)
{
	ek_i64 begin = 0, end = 1; /* a level */

	while (d * begin + 1 < n && d * end + 1 < n) {
		begin = d * begin + 1;
		end = d * end + 1;
	}
	for (;;) {
		for (ek_i64 i = begin + EK_LID(); i < end && d * i + 1 < n; i += EK_WG)
			ek_heap_sink(heap, n, d, i, ops);
		EK_BARRIER_GLOBAL();
		if (begin == 0)
			break;
		end = begin;
		begin = (begin - 1) / d;
	}
}

/* Adds up operations over the group. Four work-items write the sums to to[0] ... to[3].
 * `scratch` has 4 EK_WG entries. Has a barrier. */
EK_FN void ek_heap_ops_sum(ek_heap_ops ops, EK_GLOBAL ek_i64 *to, EK_LOCAL_PTR ek_i64 *scratch)
{
	const int lid = EK_LID();

	scratch[4 * lid] = ops.update_key;
	scratch[4 * lid + 1] = ops.find_maxchild;
	scratch[4 * lid + 2] = ops.compare;
	scratch[4 * lid + 3] = ops.swap;
	EK_BARRIER();
	if (lid < 4) {
		ek_i64 sum = 0;

		for (int k = 0; k < EK_WG; k++)
			sum += scratch[4 * k + lid];
		to[lid] = sum;
	}
}

#endif
