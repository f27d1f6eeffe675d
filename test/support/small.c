/* SPDX-License-Identifier: BSD-3-Clause
 * The 3 x 2 matrix of small.h. */
#define _POSIX_C_SOURCE 200809L /* unsetenv */
#include <stdlib.h>

#include "support/small.h"

const int32_t small_ptr[] = {0, 1, 1, 3}, small_col[] = {0, 0, 1};
double small_val[] = {1, 2, 3};
ek_matrix *small_matrix;

ek_status small_make(ek_context *where, ek_matrix **A)
{
	return ek_matrix_from_csr(where, EK_F64, EK_I32, 3, 2, small_ptr, small_col, small_val,
	                          EK_BORROW, A);
}

int small_setup(void **state)
{
	unsetenv("EK_METHOD");
	context_setup(state);
	return small_make(ctx, &small_matrix);
}

int small_teardown(void **state)
{
	ek_matrix_destroy(small_matrix);
	return context_teardown(state);
}
