/* SPDX-License-Identifier: BSD-3-Clause
 * The kernels of a max-heap of integers in which each node has d children. Included in each pass of
 * heap.c and kselect_heap.c.
 *
 * Node i is entry i of `key`, which begins d - 1 entries after an aligned address. So the children
 * of node i, d i + 1 to d i + d, begin at a multiple of d entries from that address. If d is a
 * power of two, they never straddle more cache lines than necessary. The largest child is found a
 * vector at a time; of equal children it is the first, as in Algorithm 20. Values move along with
 * their keys.
 *
 * LaMarca and Ladner 1996; Liu 2015, section 4.6, Algorithms 19 and 20. */
#include "prim_body/order.h"

#ifndef EK_HEAP_H
#define EK_HEAP_H
typedef struct eki_heap {
	void *key;   /* key of node 0 */
	char *value; /* value of node 0; not used if value_size is 0 */
	size_t value_size;
	int64_t n;
	int d;
	ek_heap_counts counts;
} eki_heap;

static inline char *eki_heap_value(const eki_heap *h, int64_t node)
{
	return h->value_size ? h->value + (size_t)node * h->value_size : NULL;
}
#endif

static inline void FN(heap_put)(eki_heap *h, int64_t to, VAL key, const void *value)
{
	((VAL *)h->key)[to] = key;
	if (h->value_size)
		memcpy(eki_heap_value(h, to), value, h->value_size);
}

static inline void FN(heap_move)(eki_heap *h, int64_t from, int64_t to)
{
	FN(heap_put)(h, to, ((VAL *)h->key)[from], eki_heap_value(h, from));
	h->counts.swap++;
}

static inline vec FN(heap_lanes)(const VAL *key, int64_t i, int64_t count, vec fill)
{
	return count - i >= W ? vload(key + i) : vload_n(key + i, count - i, fill);
}

/* Returns the position of the largest of `count` keys; if several are equal, that of the first.
 * `count` is at least 1. Lanes after the last key are filled with the first key, which does not
 * change the result. */
static inline int64_t FN(heap_largest)(const VAL *key, int64_t count)
{
	const vec first = vset1(key[0]);
	vec largest = first;

	if (count <= W) {
		largest = count == W ? vload(key) : vload_n(key, count, first);
		return __builtin_ctz(veq(largest, vlast(vscan(EK_MAX, largest))));
	}
	for (int64_t i = 0; i < count; i += W)
		largest = vop(EK_MAX, largest, FN(heap_lanes)(key, i, count, first));
	largest = vlast(vscan(EK_MAX, largest));
	for (int64_t i = 0;; i += W) {
		const unsigned at = veq(FN(heap_lanes)(key, i, count, first), largest);

		if (at)
			return i + __builtin_ctz(at);
	}
}

/* Puts a pair at the empty node i or below it, and moves greater children up (Liu 2015, Algorithm
 * 19). */
static inline void FN(heap_down)(eki_heap *h, int64_t i, VAL key, const void *value)
{
	const VAL *keys = h->key;

	h->counts.update_key++;
	for (int64_t first; (first = h->d * i + 1) < h->n;) {
		const int64_t count = h->n - first < h->d ? h->n - first : h->d;
		const int64_t child = first + FN(heap_largest)(keys + first, count);

		h->counts.find_maxchild++;
		h->counts.compare++;
		if (keys[child] <= key)
			break;
		FN(heap_move)(h, child, i);
		i = child;
	}
	FN(heap_put)(h, i, key, value);
}

/* Puts a pair at the empty node i or above it, and moves lesser parents down. */
static inline void FN(heap_up)(eki_heap *h, int64_t i, VAL key, const void *value)
{
	const VAL *keys = h->key;

	h->counts.update_key++;
	for (int64_t parent; i > 0; i = parent) {
		parent = (i - 1) / h->d;
		h->counts.compare++;
		if (keys[parent] >= key)
			break;
		FN(heap_move)(h, parent, i);
	}
	FN(heap_put)(h, i, key, value);
}

/* Makes a heap of the h->n pairs, which may be in any order: sinks each node, from the last that
 * has a child back to the root. */
static inline void FN(heapify)(eki_heap *h)
{
	const ek_heap_counts before = h->counts;
	ek_heap_counts *const counts = &h->counts;
	char value[8];

	if (h->n < 2)
		return;
	for (int64_t i = (h->n - 2) / h->d; i >= 0; i--) {
		if (h->value_size)
			memcpy(value, eki_heap_value(h, i), h->value_size);
		FN(heap_down)(h, i, ((VAL *)h->key)[i], value);
	}
	counts->heapify_update_key += counts->update_key - before.update_key;
	counts->heapify_find_maxchild += counts->find_maxchild - before.find_maxchild;
	counts->heapify_compare += counts->compare - before.compare;
	counts->heapify_swap += counts->swap - before.swap;
}
