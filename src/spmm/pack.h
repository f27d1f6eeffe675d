/* SPDX-License-Identifier: BSD-3-Clause
 * Copies columns of a dense block to a panel, in which the rows are adjacent. */
#ifndef EK_SPMM_PACK_H
#define EK_SPMM_PACK_H

#include "plan/plan.h"

/* Copies rows [begin, end) of the block v->x, which has v->width columns, to the row-major block v->y.
 * Columns that v->y has beyond that are not written. With `stream`, may bypass the caches. */
typedef void eki_pack_fn(const eki_run *v, int64_t begin, int64_t end, bool stream);

extern eki_pack_fn *const eki_pack[EK_NISA][EK_NTYPE];

/* Copies all rows of X in run `v` to `panel`, whose rows have `width` values, on all threads, and makes
 * the run read the copy. */
void eki_pack_all(const eki_step *step, char *panel, int64_t width, eki_run *v);

#endif
