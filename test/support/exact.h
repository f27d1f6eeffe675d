/* SPDX-License-Identifier: BSD-3-Clause
 * Checks products of small integers, whose results must equal those of a plain loop over rows bit
 * for bit. */
#ifndef TEST_EXACT_H
#define TEST_EXACT_H

#include "evenkeel/ek.h"

/* Runs the plan twice, since some plans keep counters on the device between runs: first y = A x,
 * then y = 2 A x - y, which gives the same result. The argument `y` is the expected result, of
 * `rows` entries. `text` is for messages. */
void check_exact(ek_plan *plan, ek_value value, int64_t cols, const double *x, int64_t rows,
                 const double *y, const char *text);

#endif
