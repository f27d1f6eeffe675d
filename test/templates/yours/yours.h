/* SPDX-License-Identifier: BSD-3-Clause
 * What goes into ek.h: the function, and the number of the operation, the next free one there. */
#ifndef EK_YOURS_H
#define EK_YOURS_H

#include "plan/plan.h"

#define EK_YOURS ((ek_operation)(EKI_OPERATIONS - 1))

/* Computes y = |op(A)| |x| with a plan made for EK_YOURS. This y is a factor of the bound on the
 * rounding error of op(A) x.
 *   x   as many entries as op(A) has columns; not written to
 *   y   as many entries as op(A) has rows; written only; must not overlap x or the arrays of A
 *
 * Accuracy: |error of y_i| <= k u y_i, where k is the number of entries of row i of op(A) and u is
 * the unit roundoff, barring underflow.
 *
 * Errors: EK_EINVAL (NULL, wrong type, wrong length, overlap, a plan for another operation).
 *
 * Cost: O(nnz + rows). Any number of threads may run one plan at the same time. */
ek_status ek_yours(ek_plan *plan, const ek_dense *x, const ek_dense *y);

#endif
