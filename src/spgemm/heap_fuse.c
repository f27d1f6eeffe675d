/* SPDX-License-Identifier: BSD-3-Clause
 * The heap method of SpGEMM by bins: a heap sort that adds up equal columns as it goes.
 *
 * All products of a row go into a heap. Then the root is removed until the heap is empty. The row
 * of C grows from the end of the same array, where the heap leaves room. If the root has the column
 * of the first entry of the row, its product is added to that entry; otherwise it becomes a new
 * first entry.
 *
 * The heap is that of prim_body/heap.h with four children for each node, compiled without vectors:
 * finding the largest of a few children right after one of them was stored takes two to three times
 * as long with vectors (measured on a Xeon with AVX-512, rows of 25 products).
 *
 * Keys contain the number of the product, so no values move, and of equal columns the first product
 * leaves the heap first. Cost: n log4(n) steps for n products.
 *
 * Liu 2015, section 7.4.1; Liu and Vinter 2014, Ad-heap. */
#include "spgemm/heap_fuse.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_TYPES_ONLY
#define EK_FILE "spgemm/heap_fuse.c"
#include "base/for_each.h"

#include "prim_body/heap.h"

/* Adds product k to sum `to`, which counts as 0 if `first`. */
#ifndef EK_FUSE_ADD
#define EK_FUSE_ADD
static inline void fuse_add(size_t size, const void *product, int64_t k, void *sum, int64_t to,
                            bool first)
{
	if (size == sizeof(double)) {
		double *s = (double *)sum + to;

		*s = (first ? 0 : *s) + ((const double *)product)[k];
	} else if (size == sizeof(float)) {
		float *s = (float *)sum + to;

		*s = (first ? 0 : *s) + ((const float *)product)[k];
	}
}
#endif

static int64_t FN(heap_fuse)(int64_t n, void *keys, size_t value_size, const void *product,
                             void *sum)
{
	const VAL last = (1 << EKI_FUSE_BITS) - 1;
	eki_heap h = {.key = keys, .n = n, .d = EKI_FUSE_ARITY};
	VAL *key = keys;
	int64_t head = n;

	FN(heapify)(&h);
	while (h.n > 0) {
		const VAL root = key[0];
		const bool first = head == n || key[head] >> EKI_FUSE_BITS != root >> EKI_FUSE_BITS;

		if (--h.n > 0)
			FN(heap_down)(&h, 0, key[h.n], keys); /* there are no values */
		if (first)
			key[--head] = root;
		fuse_add(value_size, product, last - (root & last), sum, head, first);
	}
	return head;
}

#if EK_ONCE

eki_heap_fuse_fn *const eki_heap_fuse[2] = EK_BY_INT(heap_fuse);

#endif
