/* SPDX-License-Identifier: BSD-3-Clause
 * Rows of a sparse product whose columns may have any order, for spgemm/csr_flags.c. */
#ifndef EK_SPGEMM_UNSORTED_H
#define EK_SPGEMM_UNSORTED_H

#include "spgemm/flags.h"

/* Computes rows as eki_rows_fn does. Of the window, which has all columns, needs the list, and sums
 * and flags, which are 0 between rows. Functions for all types. */
extern eki_flags_fn *const eki_unsorted_rows[EK_NTYPE];

#endif
