/* SPDX-License-Identifier: BSD-3-Clause
 * The device's part of the ad-heap (kselect_adheap.c). Compile-time parameters: those of
 * prim_body/pairs.cl; EK_WG, work-items of a group; LEVELS, at least the levels of a heap. A group
 * has one heap. A heap has `room` places: the head, of `head` places, and k nodes. The head begins
 * with the bridge: the number of its pairs, then pairs of a node and its new key. */
#include "prim_body/pairs.cl"
#include "prim_body/heap.cl"

enum { IDLE, ASKED, DONE }; /* what the host wants of a heap */

/* Makes a heap of the first k entries of each list, without a bridge, and writes its root. counts:
 * eight numbers for each list, as for heap_select. */
EK_KERNEL(adheap_make, EK_WG)
(ek_i64 n, ek_i64 k, int d, ek_i64 head, ek_i64 room, const EK_GLOBAL KEY *EK_RESTRICT in,
 EK_GLOBAL KEY *heaps, EK_GLOBAL KEY *EK_RESTRICT root, EK_GLOBAL ek_i64 *EK_RESTRICT counts)
{
	EK_LOCAL ek_i64 scratch[4 * EK_WG];
	const ek_i64 list = EK_GROUP();
	volatile EK_GLOBAL KEY *heap = heaps + list * room + head;
	ek_heap_ops made;

	made.update_key = made.find_maxchild = made.compare = made.swap = 0;
	for (ek_i64 i = EK_LID(); i < k; i += EK_WG)
		heap[i] = ek_order(in[list * n + i]);
	EK_BARRIER_GLOBAL();
	if (k > 1) /* the same for all work-items */
		ek_heapify(heap, k, d, &made);
	ek_heap_ops_sum(made, counts + 8 * list, scratch);
	if (EK_LID() == 0) {
		heaps[list * room] = 0;
		root[list] = heap[0];
		for (int c = 4; c < 8; c++)
			counts[8 * list + c] = 0;
	}
}

/* Finds what changes in a heap if its root is replaced by v, and writes that to the bridge in local
 * memory: Algorithm 21. The heap is not changed. */
EK_FN void find_path(const volatile EK_GLOBAL KEY *heap, ek_i64 n, int d, KEY v, ek_heap_ops *ops,
                     EK_LOCAL_PTR KEY *bridge, EK_LOCAL_PTR KEY *key, EK_LOCAL_PTR int *place)
{
	int pairs = 0;
	ek_i64 i = 0;

	ops->update_key++;
	for (ek_i64 first; (first = d * i + 1) < n; pairs++) {
		ek_find_maxchild(heap + first, n - first < d ? (int)(n - first) : d, key, place);
		ops->find_maxchild++;
		ops->compare++;
		if (key[0] <= v)
			break;
		if (EK_LID() == 0) {
			bridge[2 * pairs + 1] = (KEY)i;
			bridge[2 * pairs + 2] = key[0];
		}
		i = first + place[0];
		ops->swap++;
	}
	if (EK_LID() == 0) {
		bridge[2 * pairs + 1] = (KEY)i;
		bridge[2 * pairs + 2] = v;
		bridge[0] = pairs + 1;
	}
	EK_BARRIER();
}

/* Writes the pairs of the bridge to the nodes, and empties it: Algorithm 22, if the host cannot do
 * it. Has a barrier. */
EK_FN void cross_bridge(volatile EK_GLOBAL KEY *base, ek_i64 head)
{
	const int pairs = (int)base[0];

	for (int p = EK_LID(); p < pairs; p += EK_WG)
		base[head + (ek_i64)base[2 * p + 1]] = base[2 * p + 2];
	EK_BARRIER_GLOBAL();
	if (EK_LID() == 0)
		base[0] = 0;
}

/* Serves the host. state[list] is ASKED if key[list] shall replace the root; the answer is the
 * bridge, and state IDLE. A group looks `looks` times for the next request, and then ends; the host
 * launches it again if need be. With `alone`, the device crosses the bridges itself. */
EK_KERNEL(adheap_serve, EK_WG)
(ek_i64 k, int d, int levels, ek_i64 head, ek_i64 room, int looks, int alone, EK_GLOBAL KEY *heaps,
 EK_GLOBAL int *state, const volatile EK_GLOBAL KEY *key, EK_GLOBAL KEY *root,
 EK_GLOBAL ek_i64 *EK_RESTRICT counts)
{
	EK_LOCAL KEY best[EK_WG], bridge[2 * LEVELS + 1];
	EK_LOCAL int place[EK_WG], turn;
	const ek_i64 list = EK_GROUP();
	volatile EK_GLOBAL KEY *base = heaps + list * room;
	ek_heap_ops ops;

	ops.update_key = ops.find_maxchild = ops.compare = ops.swap = 0;
	for (int b = EK_LID(); b < 2 * levels + 1; b += EK_WG)
		bridge[b] = 0;
	for (int more = 1; more;) {
		if (EK_LID() == 0) {
			turn = EK_SYSTEM_READ(&state[list]);
			for (int look = 1; look < looks && turn == IDLE; look++)
				turn = EK_SYSTEM_READ(&state[list]);
			EK_FENCE_SYSTEM();
		}
		EK_BARRIER_GLOBAL();
		more = turn == ASKED;
		if (alone && turn != IDLE)
			cross_bridge(base, head);
		if (more) { /* the same for all work-items */
			find_path(base + head, k, d, key[list], &ops, bridge, best, place);
			for (int b = EK_LID(); b < 2 * levels + 1; b += EK_WG)
				base[b] = bridge[b];
			EK_FENCE_SYSTEM();
			EK_BARRIER_GLOBAL();
			if (EK_LID() == 0) {
				root[list] = bridge[2];
				EK_FENCE_SYSTEM();
				EK_SYSTEM_SET(&state[list], IDLE);
			}
		}
		EK_BARRIER(); /* before `turn` is written again */
	}
	if (EK_LID() == 0) {
		counts[8 * list + 4] += ops.update_key;
		counts[8 * list + 5] += ops.find_maxchild;
		counts[8 * list + 6] += ops.compare;
		counts[8 * list + 7] += ops.swap;
	}
}

/* Goes down a path that is given, as find_path does: finds and compares the largest child of each
 * node, and writes the bridge to local memory. Each node passes on `bits` bits of the path. */
EK_FN void follow_path(const volatile EK_GLOBAL KEY *heap, ek_i64 n, int d, int bits, ek_i64 path,
                       ek_heap_ops *ops, EK_LOCAL_PTR KEY *bridge, EK_LOCAL_PTR KEY *key,
                       EK_LOCAL_PTR int *place)
{
	const int sinks = (int)(path & 63), mask = (1 << bits) - 1;
	int pairs = 0;
	ek_i64 i = 0, way = path >> 6;
	KEY v = heap[0];

	ops->update_key++;
	for (ek_i64 first; (first = d * i + 1) < n; pairs++) {
		const int count = n - first < d ? (int)(n - first) : d;
		const int child = (int)(way & mask);

		ek_find_maxchild(heap + first, count, key, place);
		ops->find_maxchild++;
		ops->compare++;
		if (key[0] < v)
			v = key[0];
		if (pairs == sinks)
			break;
		if (EK_LID() == 0) {
			bridge[2 * pairs + 1] = (KEY)i;
			bridge[2 * pairs + 2] = v;
		}
		i = first + (child < count ? child : count - 1);
		way >>= bits;
		ops->swap++;
	}
	if (EK_LID() == 0) {
		bridge[2 * pairs + 1] = (KEY)i;
		bridge[2 * pairs + 2] = v;
		bridge[0] = pairs + 1;
	}
	EK_BARRIER();
}

/* Does updates again, those of list j from first[j] on, without the host: follows the path of each
 * and dumps its bridge. `updates` is the number of all paths. */
EK_KERNEL(adheap_replay, EK_WG)
(ek_i64 k, int d, int bits, int levels, ek_i64 head, ek_i64 room, ek_i64 updates,
 EK_GLOBAL KEY *heaps, const EK_GLOBAL ek_i64 *EK_RESTRICT first,
 const EK_GLOBAL ek_i64 *EK_RESTRICT path, EK_GLOBAL ek_i64 *EK_RESTRICT counts)
{
	EK_LOCAL KEY best[EK_WG], bridge[2 * LEVELS + 1];
	EK_LOCAL int place[EK_WG];
	const ek_i64 list = EK_GROUP();
	const ek_i64 begin = first[list] < 0 ? 0 : first[list];
	const ek_i64 end = first[list + 1] < updates ? first[list + 1] : updates;
	volatile EK_GLOBAL KEY *base = heaps + list * room;
	ek_heap_ops ops;

	ops.update_key = ops.find_maxchild = ops.compare = ops.swap = 0;
	for (int b = EK_LID(); b < 2 * levels + 1; b += EK_WG)
		bridge[b] = 0;
	EK_BARRIER();
	for (ek_i64 u = begin; u < end; u++) {
		follow_path(base + head, k, d, bits, path[u], &ops, bridge, best, place);
		for (int b = EK_LID(); b < 2 * levels + 1; b += EK_WG)
			base[b] = bridge[b];
		EK_BARRIER(); /* before the bridge is written again */
	}
	if (EK_LID() == 0) {
		counts[8 * list + 4] = ops.update_key;
		counts[8 * list + 5] = ops.find_maxchild;
		counts[8 * list + 6] = ops.compare;
		counts[8 * list + 7] = ops.swap;
	}
}

/* Writes the root of each heap. */
EK_KERNEL(adheap_roots, EK_WG)
(ek_i64 lists, ek_i64 head, ek_i64 room, const EK_GLOBAL KEY *EK_RESTRICT heaps,
 EK_GLOBAL KEY *EK_RESTRICT kth)
{
	const ek_i64 list = EK_GROUP() * EK_WG + EK_LID();

	if (list < lists)
		kth[list] = ek_order(heaps[list * room + head]);
}
