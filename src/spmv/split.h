/* SPDX-License-Identifier: BSD-3-Clause
 * The driver of the SpMV methods on plain CSR: a way to cut the work, and two kernels. A method's
 * prepare calls eki_split_prepare, and eki_split_run is its run. */
#ifndef EK_SPMV_SPLIT_H
#define EK_SPMV_SPLIT_H

#include "core/ek_core.h"

/* Whole rows [begin, end): y = alpha A x + beta y0. */
typedef void eki_rows_fn(const ek_store *A, const ek_args *v, int64_t begin, int64_t end);
/* A piece of one row: *sum, of the value type, = the sum of val[k] x[col_idx[k]], begin <= k < end.
 */
typedef void eki_dot_fn(const ek_store *A, const void *x, int64_t begin, int64_t end, void *sum);

typedef enum eki_split_kind {
	EKI_SPLIT_EVEN, /* the same number of rows for each part */
	EKI_SPLIT_ROWS, /* whole rows, nearly the same number of rows plus entries */
	EKI_SPLIT_NNZ,  /* the same number of entries, rows cut where need be */
	EKI_SPLIT_MERGE /* the same number of rows plus entries, rows cut where need be */
} eki_split_kind;

extern eki_dot_fn *const eki_csr_dot[EK_NISA][EK_NTYPE];

/* dot may be NULL for the kinds that cut no rows. */
ek_status eki_split_prepare(ek_plan *plan, eki_split_kind kind, eki_rows_fn *rows, eki_dot_fn *dot);
/* The rows that `rows` will be called for in a part, if any. */
void eki_split_whole(const ek_plan *plan, int part, int64_t *begin, int64_t *end);
ek_status eki_split_run(const ek_plan *plan, const ek_args *args);

/* Predicted time of methods that cut no rows: the thread with the longest row needs that long at
 * least. */
double eki_cost_uncut(const eki_features *f, double work);

#endif
