/* SPDX-License-Identifier: BSD-3-Clause
 * Matrices with given row lengths, to hit bins of rows, and texts of ek_plan_explain. Values are
 * small integers of type f64, indices have 64 bits. */
#ifndef TEST_ROWS_H
#define TEST_ROWS_H

#include "evenkeel/ek.h"

/* Makes a matrix of n rows, of which row i has length[i] columns from first[i] on, or from 0 on if
 * `first` is NULL. */
ek_matrix *rows_of_lengths(ek_context *ctx, int64_t n, int64_t cols, const int64_t *first,
                           const int64_t *length);
/* Makes a matrix of n equal rows. */
ek_matrix *rows_equal(ek_context *ctx, int64_t n, int64_t cols, int64_t length);
/* Makes a matrix whose row i has `length` entries from column `step` i on. */
ek_matrix *rows_stairs(ek_context *ctx, int64_t n, int64_t step, int64_t length);

/* Checks that a text contains `part`. */
void expect_text(const char *text, const char *part);
/* Checks that ek_plan_explain says `part` of a plan. */
void expect_explained(const ek_plan *plan, const char *part);
/* Returns the number after `part` in a text. */
long long number_after(const char *text, const char *part);

#endif
