/* SPDX-License-Identifier: BSD-3-Clause
 * What the methods of k-selection share (kselect_lists.c): distributing the lists among the
 * threads, or one list among all threads, and the pass that extracts the numbers between two bounds
 * from a list. */
#ifndef EK_KSELECT_H
#define EK_KSELECT_H

#include "prim/prim.h"

enum {
	EKI_FILTER_BLOCK = 8192, /* entries that a thread filters at a time */
	EKI_SELECT_PAD = 16,     /* entries that a vector store may write after the last entry */
	EKI_SELECT_FEW = 1024,   /* largest number of entries for bisection (select.h) */
	EKI_SELECT_SAMPLE = 4096 /* largest number of entries in a sample */
};

/* A list to select from, with the memory and the threads to work on it. */
typedef struct eki_list {
	const eki_array *a;
	const void *in;
	void *kth;
	void *scratch;
	int64_t capacity; /* size of `scratch`, in entries */
	int threads;      /* number of threads that may work on this list */
	char *local;      /* memory for one buffer per thread */
	eki_event *done;  /* one event for each block of entries; used only if threads > 1 */
	ek_heap_counts counts;
} eki_list;

typedef void eki_list_fn(eki_list *s);

/* Bits of the argument `how` of eki_kselect_lists. With EKI_SELECT_ALONE, one thread works on all
 * lists. With EKI_SELECT_SPLIT, if there are fewer lists than threads, `fn` is called for one list
 * after the other, and `fn` may share the work on a list among all threads by eki_filter_run. */
enum { EKI_SELECT_ALONE = 1, EKI_SELECT_SPLIT = 2 };
/* Calls `fn` for each list. Then gathers the k smallest entries of each list, if the caller wants
 * them. `fn` gets scratch memory for `capacity` entries, plus the memory that bisection needs. */
ek_status eki_kselect_lists(const ek_context *ctx, const eki_array *a, eki_list_fn *fn,
                            int64_t capacity, unsigned how);

/* A pass over `in` that counts the entries that are at most lo, and copies the entries greater than
 * lo and less than hi to `out`, in their order. lo and hi are given as integers of
 * prim_body/order.h. `out` must not overlap any other array. If more than `capacity` entries are
 * between lo and hi, not all of them are copied, and `inside` is greater than `capacity`. */
typedef struct eki_filter {
	const void *in;
	int64_t n, lo, hi;
	void *out;
	int64_t capacity;
	int64_t upto, inside; /* results: number of entries <= lo, number between lo and hi */
} eki_filter;
void eki_filter_run(const eki_list *s, eki_filter *f);

/* Returns the entry that would be at position k, counted from 0, if the n entries of `in` were
 * sorted. The result is an integer made by prim_body/order.h. No input makes the search slow.
 * `scratch` has room for `capacity` entries, at least EKI_SELECT_FEW + EKI_SELECT_PAD. The call
 * changes `in` only if `in` is `scratch`; then `in` must have room for EKI_SELECT_PAD more
 * entries. */
typedef int64_t eki_radix_fn(ek_value type, const void *in, int64_t n, int64_t k, void *scratch,
                             int64_t capacity);
extern eki_radix_fn *const eki_select_radix[EK_NISA][2];

#endif
