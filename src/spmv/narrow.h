/* SPDX-License-Identifier: BSD-3-Clause
 * The columns of a matrix in CSR as 16-bit numbers (narrow.c). */
#ifndef EK_SPMV_NARROW_H
#define EK_SPMV_NARROW_H

#include "plan/plan.h"

/* Makes step->aux an array of the columns of a matrix with at most 65,536 columns, as uint16_t, and
 * counts in step->bytes that a run reads these instead of those of CSR. */
ek_status eki_narrow_columns(eki_step *step);

#endif
