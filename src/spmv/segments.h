/* SPDX-License-Identifier: BSD-3-Clause
 * What the methods by segmented operations on arrays share: a flag for each entry that begins a
 * row, the array of all products, and the steps before and after the segmented operation itself. */
#ifndef EK_SPMV_SEGMENTS_H
#define EK_SPMV_SEGMENTS_H

#include "core/ek_core.h"

typedef struct eki_segments {
	uint8_t *bit_flag; /* nnz: 1 where a row begins */
	void *product;     /* nnz values */
	void *open;        /* for each part: a sum that it shares with another part */
	int64_t *flag;     /* for each part: its first or last flag, or -1 */
} eki_segments;

/* One part's share, entries [begin, end), of the segmented operation on products. */
typedef void eki_segments_fn(eki_segments *s, int part, int64_t begin, int64_t end);

/* Memory and flags: the plan's `state` is an eki_segments. */
ek_status eki_segments_prepare(ek_plan *plan);
/* product[k] = val[k] x[col_idx[k]]. */
void eki_segments_multiply(const ek_plan *plan, const ek_args *args);
/* fn for each part of the entries. */
void eki_segments_each(const ek_plan *plan, eki_segments_fn *fn);
/* y = alpha s + beta y, where s lies at the first entry of a row, or at_end: at its last. */
void eki_segments_collect(const ek_plan *plan, const ek_args *args, bool at_end);

#endif
