/* SPDX-License-Identifier: BSD-3-Clause
 * Windows: the rows of X that some rows of A need, packed just before they are used. */
#ifndef EK_SPMM_WINDOW_H
#define EK_SPMM_WINDOW_H

#include "plan/plan.h"

enum { EKI_CHUNK = 64 }; /* number of rows of A whose columns are looked at together */

/* A range of columns of A, which are rows of X. It is empty if low >= high. */
typedef struct eki_span {
	int64_t low, high;
} eki_span;

/* What a thread has of X. The rows in `span` are in `buffer`, one after the other. */
typedef struct eki_window {
	eki_span span;
	char *buffer;
	int64_t room; /* maximum number of rows in the buffer */
	int width;    /* number of values from one row in the buffer to the next */
} eki_window;

/* Returns the range of columns of entries [begin, end) of A. Counts from the base of A. */
typedef eki_span eki_span_fn(const ek_store *A, int64_t begin, int64_t end);
extern eki_span_fn *const eki_span_of[EK_NISA][EK_NTYPE];

/* Returns the number of rows that a window must have room for, or 0 if windows would not be worth their
 * while: if X is small, or if chunks of A need rows of X from everywhere. `width` is the number of
 * columns of a panel. */
int64_t eki_window_room(const eki_step *step, int width);
/* Returns the smallest span that includes both. */
static inline eki_span eki_span_join(eki_span a, eki_span b)
{
	return (eki_span){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}
/* Makes rows `need` of the block v->x available in the window, which has room for them. */
void eki_window_move(eki_window *w, const ek_store *A, ek_isa isa, const eki_run *v, eki_span need);

#endif
