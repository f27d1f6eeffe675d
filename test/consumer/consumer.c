/* SPDX-License-Identifier: BSD-3-Clause
 * A user's program: it includes only the installed header of the library, and is written in C99. */
#include <evenkeel/ek.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
	const int32_t row_ptr[] = {0, 2, 2, 3}, col_idx[] = {0, 2, 1};
	const double val[] = {1, 2, 3}, x[] = {4, 5, 6}, want[] = {16, 0, 15};
	double y[3];
	ek_dense vx = ek_vector(EK_F64, 3, x), vy = ek_vector(EK_F64, 3, y);
	ek_context *ctx = NULL;
	ek_matrix *A = NULL;
	ek_plan *plan = NULL;

	if (ek_context_create(NULL, &ctx) ||
	    ek_matrix_from_csr(ctx, EK_F64, EK_I32, 3, 3, row_ptr, col_idx, val, EK_BORROW, &A) ||
	    ek_plan_create(EK_SPMV, A, NULL, &plan) || ek_spmv(plan, 1, &vx, 0, &vy)) {
		fprintf(stderr, "%s\n", ek_error_text());
		return 1;
	}
	printf("evenkeel %s, %s: %g %g %g\n", ek_version(), ek_plan_method(plan), y[0], y[1], y[2]);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
	return memcmp(y, want, sizeof y) != 0;
}
