/* SPDX-License-Identifier: BSD-3-Clause
 * A heap that a single work-item has in local memory, to add up pairs with equal keys: functions
 * for kernels, which define KEY, VAL, KEY_BITS and EK_WG. A line #include "prim_body/heap_fuse.cl"
 * in a kernel is replaced by this text (gpu/prelude.c).
 *
 * Each of the EK_WG work-items of a group has its own heap. Places of one heap are EK_WG apart, so
 * neighbouring work-items use different banks wherever in their heaps they are. No work-item reads
 * the places of another one, and no function has a barrier.
 *
 * The root has the greatest key. It is removed until the heap is empty. If it has the key of the
 * first pair of the resulting sequence, but for the lowest KEY_BITS bits, it is fused with that
 * pair; otherwise it becomes a new first pair. The sequence grows from the end of the array, where
 * the heap leaves room. Liu 2015, section 7.4.1. */
#ifndef EK_HEAP_FUSE_CL
#define EK_HEAP_FUSE_CL

#define EK_OWN_ARITY    4 /* children of a node */
#define EK_OWN_PLACE(k) ((k)*EK_WG)

/* Puts a pair into the hole at node `at` of a heap of n nodes, or below it. */
EK_FN void ek_own_heap_down(EK_LOCAL_PTR KEY *key, EK_LOCAL_PTR VAL *value, int n, int at, KEY k,
                            VAL v)
{
	for (int child = EK_OWN_ARITY * at + 1; child < n; child = EK_OWN_ARITY * at + 1) {
		int best = child;

		for (int c = child + 1; c < child + EK_OWN_ARITY && c < n; c++)
			if (key[EK_OWN_PLACE(c)] > key[EK_OWN_PLACE(best)])
				best = c;
		if (key[EK_OWN_PLACE(best)] < k)
			break;
		key[EK_OWN_PLACE(at)] = key[EK_OWN_PLACE(best)];
		value[EK_OWN_PLACE(at)] = value[EK_OWN_PLACE(best)];
		at = best;
	}
	key[EK_OWN_PLACE(at)] = k;
	value[EK_OWN_PLACE(at)] = v;
}

/* Makes a heap of n pairs in any order. */
EK_FN void ek_own_heap_make(EK_LOCAL_PTR KEY *key, EK_LOCAL_PTR VAL *value, int n)
{
	for (int node = (n + EK_OWN_ARITY - 2) / EK_OWN_ARITY - 1; node >= 0; node--)
		ek_own_heap_down(key, value, n, node, key[EK_OWN_PLACE(node)],
		                 value[EK_OWN_PLACE(node)]);
}

/* Removes the roots of a heap of n pairs, and fuses them. Returns the place where the sequence
 * begins, which ends at place n. */
EK_FN int ek_own_heap_fuse(EK_LOCAL_PTR KEY *key, EK_LOCAL_PTR VAL *value, int n)
{
	int head = n;

	for (int last = n - 1; last >= 0; last--) {
		const KEY root = key[0];
		const VAL v = value[0];

		if (last > 0)
			ek_own_heap_down(key, value, last, 0, key[EK_OWN_PLACE(last)],
			                 value[EK_OWN_PLACE(last)]);
		if (head < n && key[EK_OWN_PLACE(head)] >> KEY_BITS == root >> KEY_BITS) {
			value[EK_OWN_PLACE(head)] += v;
		} else {
			head--;
			key[EK_OWN_PLACE(head)] = root;
			value[EK_OWN_PLACE(head)] = v;
		}
	}
	return head;
}

#endif
