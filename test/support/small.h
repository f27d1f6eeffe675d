/* SPDX-License-Identifier: BSD-3-Clause
 * A tiny matrix, borrowed from arrays that a test may change:
 *   1 .
 *   . .
 *   2 3  */
#ifndef TEST_SMALL_H
#define TEST_SMALL_H

#include "support/context.h"

extern const int32_t small_ptr[4], small_col[3];
extern double small_val[3];
extern ek_matrix *small_matrix; /* the matrix in the context ctx */

/* Makes the matrix in another context. */
ek_status small_make(ek_context *where, ek_matrix **A);
/* Makes the context, with EK_METHOD removed from the environment, and the matrix. */
int small_setup(void **state);
int small_teardown(void **state);

#endif
