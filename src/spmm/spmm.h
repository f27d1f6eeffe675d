/* SPDX-License-Identifier: BSD-3-Clause
 * What products of a sparse and a dense matrix share, whichever of the two comes first. */
#ifndef EK_SPMM_H
#define EK_SPMM_H

#include "plan/plan.h"

/* Number of columns for which a plan is made if the hints give none. The fast methods multiply that
 * many columns as one panel. */
enum { EKI_USUAL_WIDTH = 8 };

/* Checks that columns, and blocks of the expected width, fit into the address space. */
ek_status eki_blocks_check(const eki_problem *problem);
/* Computes Y = alpha op(A) X + beta Y by the root step of the plan, where op is that of the root. X
 * and Y have been checked. */
ek_status eki_blocks_multiply(ek_plan *plan, double alpha, const ek_dense *X, double beta,
                              const ek_dense *Y);

#endif
