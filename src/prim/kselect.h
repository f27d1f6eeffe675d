/* SPDX-License-Identifier: BSD-3-Clause
 * What the methods of k-selection share: the lists dealt out to the threads, and the second pass
 * that gathers the k smallest. */
#ifndef EK_KSELECT_H
#define EK_KSELECT_H

#include "prim/prim.h"

/* Does list `list` of a: writes its kth, and its part of `smallest` if that is wanted. `scratch`
 * belongs to the thread. */
typedef void eki_kselect_fn(const eki_array *a, int64_t list, void *scratch,
                            ek_heap_counts *counts);

/* Calls fn for all lists, by a->threads threads with `scratch` numbers of a->type each. */
ek_status eki_kselect_lists(const ek_context *ctx, const eki_array *a, eki_kselect_fn *fn,
                            int64_t scratch);

/* The k smallest of the list, given its kth smallest (as it lies in memory): what is less, by one
 * pass, then copies of kth. */
extern void (*const eki_kselect_gather[EK_NISA][2])(const eki_array *a, int64_t list);

#endif
