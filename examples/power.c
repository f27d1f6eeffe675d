/* SPDX-License-Identifier: BSD-3-Clause
 * Computes the largest eigenvalue of a matrix by the power method. The arrays of the matrix belong
 * to the program and are used in place. If the program changes values, the plan uses the new ones.
 *
 * The matrix is tridiagonal with rows (-1, d, -1). Its eigenvalues are d - 2 cos(k pi / (n + 1))
 * for k = 1, ..., n. */
#include <evenkeel/ek.h>
#include <math.h>
#include <stdio.h>

enum { N = 20, STEPS = 2000 };

static int32_t row_ptr[N + 1], col_idx[3 * N];
static double val[3 * N], x[N], y[N];

static void fill_pattern(void)
{
	int32_t k = 0;

	for (int i = 0; i < N; i++) {
		for (int j = i ? i - 1 : 0; j <= i + 1 && j < N; j++)
			col_idx[k++] = j;
		row_ptr[i + 1] = k;
	}
}

static void fill_values(double d)
{
	for (int i = 0; i < N; i++)
		for (int32_t k = row_ptr[i]; k < row_ptr[i + 1]; k++)
			val[k] = col_idx[k] == i ? d : -1;
}

static ek_status largest(ek_plan *plan, double *lambda)
{
	ek_dense vx = ek_vector(EK_F64, N, x), vy = ek_vector(EK_F64, N, y);

	for (int i = 0; i < N; i++)
		x[i] = i == 0;
	for (int step = 0; step < STEPS; step++) {
		ek_status status = ek_spmv(plan, 1, &vx, 0, &vy);
		double norm = 0;

		if (status != EK_OK)
			return status;
		for (int i = 0; i < N; i++)
			norm += y[i] * y[i];
		*lambda = norm = sqrt(norm);
		for (int i = 0; i < N; i++)
			x[i] = y[i] / norm;
	}
	return EK_OK;
}

static ek_status run(ek_context *ctx)
{
	const double pi = acos(-1);
	ek_matrix *A = NULL;
	ek_plan *plan = NULL;
	ek_status status;
	double lambda;

	fill_pattern();
	fill_values(2);
	status =
		ek_matrix_from_csr(ctx, EK_F64, EK_I32, N, N, row_ptr, col_idx, val, EK_BORROW, &A);
	if (status == EK_OK)
		status = ek_plan_create(EK_SPMV, A, NULL, &plan);
	for (int d = 2; d <= 4 && status == EK_OK; d++) {
		fill_values(d);
		status = ek_matrix_values_changed(A);
		if (status == EK_OK)
			status = largest(plan, &lambda);
		if (status == EK_OK)
			printf("d = %d: %.6f, exactly %.6f\n", d, lambda,
			       d + 2 * cos(pi / (N + 1)));
	}
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	return status;
}

int main(void)
{
	ek_context *ctx = NULL;
	ek_status status = ek_context_create(NULL, &ctx);

	if (status == EK_OK)
		status = run(ctx);
	if (status != EK_OK)
		fprintf(stderr, "power: %s: %s\n", ek_status_text(status), ek_error_text());
	ek_context_destroy(ctx);
	return status != EK_OK;
}
