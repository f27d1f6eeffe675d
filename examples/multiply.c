/* SPDX-License-Identifier: BSD-3-Clause
 * Computes y = A x for a matrix from a file or from a generator. Prints the size of A, the chosen
 * method with the reason for the choice, and the time of one product.
 *
 *	multiply A.mtx.gz
 *	multiply poisson2d5:nx=1000,ny=1000
 */
#define _POSIX_C_SOURCE 200809L
#include <evenkeel/ek.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static ek_status load(ek_context *ctx, const char *what, ek_matrix **A)
{
	FILE *file = fopen(what, "r");

	if (!file)
		return ek_matrix_generate(ctx, what, EK_F64, EK_I32, A);
	fclose(file);
	return ek_matrix_read(ctx, what, EK_F64, EK_I32, NULL, A);
}

/* Sets *best to the time of a product: the fastest of 20 runs, in seconds. */
static ek_status measure(ek_plan *plan, const ek_dense *x, const ek_dense *y, double *best)
{
	*best = 1e9;
	for (int run = 0; run < 20; run++) {
		double start = seconds();
		ek_status status = ek_spmv(plan, 1, x, 0, y);

		if (status != EK_OK)
			return status;
		if (seconds() - start < *best)
			*best = seconds() - start;
	}
	return EK_OK;
}

static ek_status show(ek_context *ctx, const char *what)
{
	ek_matrix *A = NULL;
	ek_plan *plan = NULL;
	ek_matrix_info info = {.size = sizeof info};
	double *x = NULL, *y = NULL, time;
	char text[4096];
	ek_status status;

	if ((status = load(ctx, what, &A)) != EK_OK ||
	    (status = ek_matrix_get_info(A, &info)) != EK_OK ||
	    (status = ek_plan_create(EK_SPMV, A, NULL, &plan)) != EK_OK ||
	    (status = ek_plan_explain(plan, text, sizeof text)) != EK_OK)
		goto done;
	printf("%lld x %lld, %lld entries\n%s\n", (long long)info.rows, (long long)info.cols,
	       (long long)info.nnz, text);
	x = calloc((size_t)info.cols + 1, sizeof *x);
	y = calloc((size_t)info.rows + 1, sizeof *y);
	if (!x || !y) {
		status = EK_ENOMEM;
		goto done;
	}
	for (int64_t j = 0; j < info.cols; j++)
		x[j] = 1 + (double)(j % 7) / 8;
	ek_dense vx = ek_vector(EK_F64, info.cols, x), vy = ek_vector(EK_F64, info.rows, y);

	if ((status = measure(plan, &vx, &vy, &time)) == EK_OK)
		printf("one product: %.3g ms, %.3g GB/s\n", 1e3 * time,
		       1e-9 * (double)ek_plan_bytes(plan) / time);
done:
	free(x);
	free(y);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	return status;
}

int main(int argc, char **argv)
{
	ek_context *ctx = NULL;
	ek_status status = ek_context_create(NULL, &ctx);

	if (status == EK_OK)
		status = show(ctx, argc > 1 ? argv[1] : "poisson2d5:nx=500,ny=500");
	if (status != EK_OK)
		fprintf(stderr, "multiply: %s: %s\n", ek_status_text(status), ek_error_text());
	ek_context_destroy(ctx);
	return status != EK_OK;
}
