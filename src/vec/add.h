/* SPDX-License-Identifier: BSD-3-Clause
 * The published methods for adding two sparse vectors, step by step, so that tests can check what
 * the figures of the thesis show (Liu 2015, Figures 7.1 to 7.3). Each method keeps its state in a
 * struct, whose arrays its `run` allocates. In all of them, places 0, 1, 2 ... hold an index and a
 * value that is already multiplied by its factor. */
#ifndef EK_ADD_H
#define EK_ADD_H

#include "vec/vec.h"

extern const ek_method ek_add_heap, ek_add_esc, ek_add_merge;

/* ---- expand.c -------------------------------------------------------------------------------- */

/* Copies the entries of v to idx and val, with values multiplied by `factor`, on a->threads
 * threads. */
void eki_scaled_copy(const eki_array *a, eki_scalar factor, const ek_sparse *v, void *idx,
                     void *val);
/* Copies the entries of x, then those of y, to idx and val. */
void eki_expand(const eki_array *a, void *idx, void *val);

/* ---- add_heap.c ------------------------------------------------------------------------------ */

/* A max-heap in the first `nodes` places, and the ascending result in places first .. all - 1. */
typedef struct eki_add_heap {
	const eki_array *a;
	void *idx, *val; /* of place 0; idx begins a->arity - 1 entries after an aligned address */
	int64_t nodes, first, all;
	ek_heap_counts counts;
} eki_add_heap;

/* Collects all entries and makes a heap of them. */
void eki_add_heap_make(eki_add_heap *h);
/* Removes the root. Adds its value to the first entry of the result if that has the same index;
 * else puts the root before that entry. */
void eki_add_heap_step(eki_add_heap *h);

/* ---- add_esc.c ------------------------------------------------------------------------------- */

/* n entries, and for each of them whether it begins a segment of equal indices, and the number of
 * segments that begin up to it. */
typedef struct eki_add_esc {
	const eki_array *a;
	int64_t n;
	void *idx, *val;
	uint8_t *head;
	int64_t *segment;
} eki_add_esc;

/* The steps: expand; sort; mark the heads and scan them; compress, which adds up each segment into
 * z. */
void eki_add_esc_expand(eki_add_esc *e);
void eki_add_esc_sort(eki_add_esc *e);
void eki_add_esc_scan(eki_add_esc *e);
void eki_add_esc_compress(eki_add_esc *e);

/* ---- add_merge.c ----------------------------------------------------------------------------- */

/* The resulting sequence: the entries of x, then those entries of y whose index is not in x.
 * mask[k] is 1 if entry k of y is one of the latter, and place[k] is the number of such entries
 * before it. */
typedef struct eki_add_merge {
	const eki_array *a;
	void *idx, *val;
	uint8_t *mask;
	int64_t *place;
	int64_t more; /* number of entries after those of x */
} eki_add_merge;

/* The steps: look for each index of y in x, and add its value there or set its mask; scan the
 * masks; copy the entries with a mask after x; merge both parts into z. */
void eki_add_merge_fuse(eki_add_merge *m);
void eki_add_merge_scan(eki_add_merge *m);
void eki_add_merge_copy(eki_add_merge *m);
void eki_add_merge_join(eki_add_merge *m);

#endif
