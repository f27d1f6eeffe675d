/* SPDX-License-Identifier: BSD-3-Clause
 * The driver of the SpMV methods on plain CSR. A method's `prepare` calls eki_split_prepare with a
 * way of cutting the work and two kernels; its `run` is eki_split_run. */
#ifndef EK_SPMV_SPLIT_H
#define EK_SPMV_SPLIT_H

#include "plan/plan.h"

/* Computes y = alpha A x + beta y0 for whole rows [begin, end). */
typedef void eki_rows_fn(const ek_store *A, const eki_run *v, int64_t begin, int64_t end);
/* Multiplies entries [begin, end), a piece of one row, by each column of x. Sets sum[j], for each j
 * < v->width, to the sum of val[k] * x_j[col_idx[k]] over these entries, where x_j is column j of
 * x. The elements of `sum` have the value type. */
typedef void eki_dot_fn(const ek_store *A, const eki_run *v, int64_t begin, int64_t end, void *sum);

typedef enum eki_split_kind {
	EKI_SPLIT_EVEN, /* parts with the same number of rows */
	EKI_SPLIT_ROWS, /* parts of whole rows, with nearly the same number of rows plus entries */
	EKI_SPLIT_NNZ,  /* parts with the same number of entries; rows may be cut */
	EKI_SPLIT_MERGE /* parts with the same number of rows plus entries; rows may be cut */
} eki_split_kind;

extern eki_dot_fn *const eki_csr_dot[EK_NISA][EK_NTYPE];

/* Prepares a step whose work is cut as `kind` says. `dot` may be NULL for kinds that cut no
 * rows. */
ek_status eki_split_prepare(eki_step *step, eki_split_kind kind, eki_rows_fn *rows,
                            eki_dot_fn *dot);
/* Does the same as eki_split_prepare for kernels that take up to `width` columns of dense blocks at
 * a time. */
ek_status eki_split_prepare_wide(eki_step *step, eki_split_kind kind, int width, eki_rows_fn *rows,
                                 eki_dot_fn *dot);
/* Finds the rows of a part for which the kernel `rows` is called. There may be none. */
void eki_split_whole(const eki_step *step, int part, int64_t *begin, int64_t *end);
ek_status eki_split_run(const eki_step *step, const eki_run *v);

/* Predicts the time, in nanoseconds, of a run of a method that cuts no rows. `work` is as in
 * eki_cost. The result is at least the time that one thread needs for the longest row. */
double eki_cost_uncut(const eki_features *f, double work);

#endif
