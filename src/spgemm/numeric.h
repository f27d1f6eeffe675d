/* SPDX-License-Identifier: BSD-3-Clause
 * Values of rows of a sparse product whose columns are known, for spgemm/csr_flags.c. */
#ifndef EK_SPGEMM_NUMERIC_H
#define EK_SPGEMM_NUMERIC_H

#include "spgemm/flags.h"

/* Computes the values of rows of C, which has its pattern. Of the window, needs sums, positions and
 * `clean`. Functions for all instruction sets and types. */
extern eki_flags_fn *const eki_numeric_rows[EK_NISA][EK_NTYPE];

#endif
