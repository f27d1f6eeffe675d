/* SPDX-License-Identifier: BSD-3-Clause
 * Products of small integers, whose results are those of a loop over rows, bit for bit. */
#ifndef TEST_EXACT_H
#define TEST_EXACT_H

#include "evenkeel/ek.h"

/* Runs the plan twice, since some keep counters on the device: y = A x of `rows` entries, then
 * y = 2 A x - y, which is the same. `text` is for messages. */
void check_exact(ek_plan *plan, ek_value value, int64_t cols, const double *x, int64_t rows,
                 const double *y, const char *text);

#endif
