/* SPDX-License-Identifier: BSD-3-Clause
 * Code shared by the SpMV methods that use segmented operations on arrays (segscan, segsum,
 * forward_published): the array of flags that mark where rows begin, the array of all products, and
 * the steps before and after the segmented operation itself. */
#ifndef EK_SPMV_SEGMENTS_H
#define EK_SPMV_SEGMENTS_H

#include "plan/plan.h"

/* The arrays of a run: the plan's flags, and arrays in the run's scratch. */
typedef struct eki_segments {
	const uint8_t *bit_flag; /* nnz flags: 1 for entries that begin a row, else 0 */
	void *product;           /* nnz values */
	void *open;              /* for each part, a sum that it shares with another part */
	/* for each part, its first entry with a flag (segsum: its last), or -1 */
	int64_t *flag;
} eki_segments;

/* Does a step before or after the segmented operation, for entries or rows [begin, end). */
typedef void eki_segments_pass_fn(const ek_store *A, const eki_run *v, eki_segments *s,
                                  int64_t begin, int64_t end);
/* Performs the segmented operation on the products of one part, entries [begin, end). */
typedef void eki_segments_fn(eki_segments *s, int part, int64_t begin, int64_t end);

/* Prepares a step: makes the flags, and reserves scratch for the arrays of a run. */
ek_status eki_segments_prepare(eki_step *step);
/* Returns the arrays of a run, and computes product[k] = val[k] x[col_idx[k]] for all entries, by
 * `multiply` or, if that is NULL, with the columns of CSR. */
eki_segments eki_segments_multiply(const eki_step *step, const eki_run *v,
                                   eki_segments_pass_fn *multiply);
/* Calls `fn` for each part of the entries, in parallel. */
void eki_segments_each(const eki_step *step, eki_segments *s, eki_segments_fn *fn);
/* Computes y = alpha s + beta y0 after the segmented operation. For each row, s is the element of
 * `product` at the row's first entry or, if at_end is true, at its last entry; s is 0 for empty
 * rows. */
void eki_segments_collect(const eki_step *step, const eki_run *v, eki_segments *s, bool at_end);

#endif
