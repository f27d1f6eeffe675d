/* SPDX-License-Identifier: BSD-3-Clause
 * What the merges share: the arrays of one merge of a batch, and the search that cuts a merge into
 * independent merges. */
#ifndef EK_MERGE_H
#define EK_MERGE_H

#include "prim/prim.h"

typedef struct eki_merge {
	int64_t an, bn;
	const char *a, *b, *a_value, *b_value; /* if there are no values, the last two are NULL */
	char *out, *out_value;
} eki_merge;

/* Returns the address of entry n of an array whose entries have `size` bytes, or NULL if the array
 * is NULL: C17 does not allow adding to a null pointer. */
static inline char *eki_merge_at(const void *array, int64_t n, size_t size)
{
	return n && array ? (char *)(uintptr_t)array + (size_t)n * size : (char *)(uintptr_t)array;
}

/* Returns the arrays of merge k of the batch. */
static inline eki_merge eki_merge_of(const eki_array *a, int64_t k)
{
	const size_t size = ek_value_size(a->type), values = a->a.value_size;
	const int64_t an = a->a.n, bn = a->b.n;

	return (eki_merge){.an = an,
	                   .bn = bn,
	                   .a = eki_merge_at(a->a.key, k * an, size),
	                   .b = eki_merge_at(a->b.key, k * bn, size),
	                   .a_value = eki_merge_at(a->a.value, k * an, values),
	                   .b_value = eki_merge_at(a->b.value, k * bn, values),
	                   .out = eki_merge_at(a->c.key, k * (an + bn), size),
	                   .out_value = eki_merge_at(a->c.value, k * (an + bn), values)};
}

/* Returns how many of the first d pairs of the result come from m->a. This number is the place
 * where the merge path crosses diagonal d. Of equal keys, those of m->a come first. Reads only
 * within the arrays, even if they are not sorted. */
int64_t eki_merge_cut(const eki_array *a, const eki_merge *m, int64_t d);
/* Runs the merges that `a` describes by merge path (merge_path.c). `a` must be complete, already
 * checked, and have at least one pair. Allocates no memory. */
void eki_merge_path_into(const eki_array *a);

#endif
