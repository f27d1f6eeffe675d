/* SPDX-License-Identifier: BSD-3-Clause
 * What the methods of k-selection share (kselect_lists.c): the lists dealt out to the threads, or
 * the threads to one list; and the pass that takes the numbers between two others out of a list. */
#ifndef EK_KSELECT_H
#define EK_KSELECT_H

#include "prim/prim.h"

enum {
	EKI_FILTER_BLOCK = 8192, /* entries that a thread filters at a time */
	EKI_SELECT_PAD = 16,     /* entries that a vector may write too far */
	EKI_SELECT_FEW = 1024,   /* so many are selected from by bisection (select.h) */
	EKI_SELECT_SAMPLE = 4096 /* entries of a sample, at most */
};

/* One list, and what there is to work on it. */
typedef struct eki_list {
	const eki_array *a;
	const void *in;
	void *kth;
	void *scratch;
	int64_t room;    /* entries of `scratch` */
	int threads;     /* that may work on this list */
	char *local;     /* a block for each of them */
	eki_event *done; /* one for each block, if there are several threads */
	ek_heap_counts counts;
} eki_list;

typedef void eki_list_fn(eki_list *s);

/* Calls fn for each list, with scratch memory of `room` entries and what bisection needs, then
 * gathers the k smallest if they are wanted. `alone`: by one thread; `split`: if there are fewer
 * lists than threads, fn is called for one list after the other, and may use eki_filter to share
 * the work. */
enum { EKI_SELECT_ALONE = 1, EKI_SELECT_SPLIT = 2 };
ek_status eki_kselect_lists(const ek_context *ctx, const eki_array *a, eki_list_fn *fn,
                            int64_t room, unsigned how);

/* A pass over `in`: counts what is at most lo, and copies what is greater than lo and less than hi
 * to `out`, in its order. lo and hi are integers in the sense of prim/order.h. `out` may overlap
 * nothing; if more than `room` entries are inside, the rest is left out and `inside` is greater
 * than room. */
typedef struct eki_filter {
	const void *in;
	int64_t n, lo, hi;
	void *out;
	int64_t room;
	int64_t upto, inside; /* the result */
} eki_filter;
void eki_filter_run(const eki_list *s, eki_filter *f);

/* The entry number k of n in sorted order, without a bad case, on scratch memory that has at least
 * EKI_SELECT_FEW + EKI_SELECT_PAD entries. `in` is changed only if it is `scratch`, and then has to
 * have EKI_SELECT_PAD entries more. */
typedef int64_t eki_radix_fn(ek_value type, const void *in, int64_t n, int64_t k, void *scratch,
                             int64_t room);
extern eki_radix_fn *const eki_select_radix[EK_NISA][2];

#endif
