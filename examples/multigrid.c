/* SPDX-License-Identifier: BSD-3-Clause
 * Solves a Poisson problem in three dimensions by conjugate gradients, preconditioned by algebraic
 * multigrid with smoothed aggregation: multigrid [points [strength]]. The problem has points^3
 * unknowns (100^3 by default) and the 7-point stencil. The set-up makes level after level:
 * ek_prolongator makes the prolongator P, and ek_triple the next matrix, P^T A P. A V-cycle smooths
 * with a Chebyshev polynomial before and after the correction from the next level; the last level
 * is solved by a Cholesky factorisation. The right-hand side is sin(i), which has all frequencies.
 * Prints the levels and the residuals. Fails unless 50 steps reduce the residual by 1e-8.
 *
 * Vanek, Mandel, Brezina 1996; Adams et al. 2003 (polynomial smoothers). */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include <evenkeel/ek.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LEVELS = 12, LAST_ROWS = 400, STEPS = 50, DEGREE = 2 };

#define TOLERANCE 1e-8
/* The smoother damps eigenvalues between this share of the largest one and the largest one. */
#define SMOOTHED 0.25

/* Stops the program with the library's message unless a call succeeded. */
static void check(ek_status status)
{
	if (status != EK_OK) {
		fprintf(stderr, "multigrid: %s: %s\n", ek_status_text(status), ek_error_text());
		exit(1);
	}
}

static void *get(int64_t n, size_t size)
{
	void *p = calloc((size_t)n + 1, size);

	if (!p) {
		fprintf(stderr, "multigrid: out of memory\n");
		exit(1);
	}
	return p;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- The problem ----------------------------------------------------------------------------- */

/* Makes the matrix of the 7-point stencil on points^3 points. */
static ek_matrix *poisson(ek_context *ctx, int points)
{
	const int64_t n = (int64_t)points * points * points;
	const int32_t far[] = {points * points, points, 1};
	int32_t *row_ptr = get(n, sizeof *row_ptr), *col_idx = get(7 * n, sizeof *col_idx);
	double *val = get(7 * n, sizeof *val);
	ek_matrix *A = NULL;
	int32_t k = 0;

	for (int32_t i = 0; i < n; i++) {
		const int at[] = {i / points / points, i / points % points, i % points};

		for (int side = -1; side <= 1; side += 2) {
			for (int s = 0; s < 3; s++) {
				const int d = side < 0 ? s : 2 - s;

				col_idx[k] = i + side * far[d];
				val[k] = -1;
				k += at[d] + side >= 0 && at[d] + side < points;
			}
			col_idx[k] = i;
			val[k] = 6;
			k += side < 0;
		}
		row_ptr[i + 1] = k;
	}
	check(ek_matrix_from_csr(ctx, EK_F64, EK_I32, n, n, row_ptr, col_idx, val, EK_COPY, &A));
	free(row_ptr);
	free(col_idx);
	free(val);
	return A;
}

/* ---- Levels ---------------------------------------------------------------------------------- */

struct level {
	ek_matrix *A, *P; /* P brings corrections from the next level to this one */
	ek_plan *multiply, *restrict_, *prolong;
	int64_t rows, nnz;
	double largest;                  /* bound on the eigenvalues of D^-1 A */
	double *inverse, *b, *r, *x, *d; /* inverse of the diagonal, and vectors, in one block */
	double *factor;                  /* Cholesky factor of the last level */
};

struct hierarchy {
	struct level level[LEVELS];
	int levels;
	double prolongator_seconds, product_seconds;
};

static const void *array_of(const ek_matrix *A, const char *name)
{
	ek_view view = {.size = sizeof view};

	check(ek_matrix_array(A, name, &view));
	return view.data;
}

/* Finds the inverse of the diagonal, and the largest sum of the magnitudes of a row of D^-1 A. */
static void find_diagonal(struct level *l)
{
	const int32_t *row_ptr = array_of(l->A, "row_ptr"), *col_idx = array_of(l->A, "col_idx");
	const double *val = array_of(l->A, "val");

	for (int64_t i = 0; i < l->rows; i++) {
		double sum = 0, d = 0;

		for (int32_t k = row_ptr[i]; k < row_ptr[i + 1]; k++) {
			sum += fabs(val[k]);
			d = col_idx[k] == i ? val[k] : d;
		}
		l->inverse[i] = 1 / d;
		l->largest = fmax(l->largest, sum / fabs(d));
	}
}

static void open_level(struct level *l, ek_matrix *A)
{
	ek_matrix_info info = {.size = sizeof info};

	check(ek_matrix_get_info(A, &info));
	l->A = A;
	l->rows = info.rows;
	l->nnz = info.nnz;
	l->inverse = get(5 * l->rows, sizeof *l->inverse);
	l->b = l->inverse + l->rows;
	l->r = l->b + l->rows;
	l->x = l->r + l->rows;
	l->d = l->x + l->rows;
	find_diagonal(l);
	check(ek_plan_create(EK_SPMV, A, NULL, &l->multiply));
}

/* Factors the matrix of the last level. */
static void factor(struct level *l)
{
	const int64_t n = l->rows;
	double *L = l->factor = get(n * n, sizeof *L);

	for (int64_t i = 0; i < n; i++)
		for (int64_t j = 0; j <= i; j++) {
			double sum;

			check(ek_matrix_get(l->A, i, j, &sum));
			for (int64_t k = 0; k < j; k++)
				sum -= L[i * n + k] * L[j * n + k];
			L[i * n + j] = j < i ? sum / L[j * n + j] : sqrt(sum);
		}
}

/* Makes the levels below the first. */
static void set_up(struct hierarchy *h, ek_matrix *A, double strength)
{
	open_level(&h->level[0], A);
	for (h->levels = 1; h->levels < LEVELS; h->levels++) {
		struct level *l = &h->level[h->levels - 1];
		const double least = ldexp(strength, 1 - h->levels);
		const ek_aggregation options = {.size = sizeof options, .strength = least};
		const ek_hints transposed = {.size = sizeof transposed, .op = EK_OP_T};
		ek_hints hints = {.size = sizeof hints, .calls = 1};
		ek_matrix_info info = {.size = sizeof info};
		ek_matrix *next = NULL;
		ek_plan *triple;
		double start = seconds();

		if (l->rows <= LAST_ROWS)
			break;
		check(ek_prolongator(l->A, &options, &l->P));
		check(ek_matrix_get_info(l->P, &info));
		h->prolongator_seconds += seconds() - start;
		if (info.cols == 0 || 10 * info.cols > 9 * info.rows)
			break;
		start = seconds();
		hints.B = l->P;
		check(ek_plan_create(EK_TRIPLE, l->A, &hints, &triple));
		check(ek_triple(triple, 1, &next));
		ek_plan_destroy(triple);
		h->product_seconds += seconds() - start;
		check(ek_plan_create(EK_SPMV, l->P, NULL, &l->prolong));
		check(ek_plan_create(EK_SPMV, l->P, &transposed, &l->restrict_));
		open_level(&h->level[h->levels], next);
	}
	if (h->level[h->levels - 1].rows <= 4 * LAST_ROWS)
		factor(&h->level[h->levels - 1]);
}

static void release(struct hierarchy *h)
{
	for (int k = 0; k < h->levels; k++) {
		struct level *l = &h->level[k];

		ek_plan_destroy(l->multiply);
		ek_plan_destroy(l->restrict_);
		ek_plan_destroy(l->prolong);
		ek_matrix_destroy(l->P);
		ek_matrix_destroy(l->A);
		free(l->inverse);
		free(l->factor);
	}
}

/* ---- The V-cycle ----------------------------------------------------------------------------- */

/* Computes r = b - A x. */
static void residual(struct level *l)
{
	const ek_dense x = ek_vector(EK_F64, l->rows, l->x), b = ek_vector(EK_F64, l->rows, l->b);
	const ek_dense r = ek_vector(EK_F64, l->rows, l->r);

	check(ek_spmv_add(l->multiply, -1, &x, 1, &b, &r));
}

/* Smooths x by a Chebyshev polynomial in D^-1 A. If x is 0, `zero` saves a product. */
static void smooth(struct level *l, int zero)
{
	const double high = l->largest, low = SMOOTHED * high;
	const double middle = (high + low) / 2, radius = (high - low) / 2;
	double rho = radius / middle;

	for (int step = 0; step < DEGREE; step++) {
		double old = 0, new = 1 / middle;

		if (zero && step == 0)
			memcpy(l->r, l->b, (size_t)l->rows * sizeof *l->r);
		else
			residual(l);
		if (step > 0) {
			const double before = rho;

			rho = 1 / (2 * middle / radius - before);
			old = rho * before;
			new = 2 * rho / radius;
		}
		for (int64_t i = 0; i < l->rows; i++) {
			l->d[i] = (step ? old * l->d[i] : 0) + new * l->inverse[i] * l->r[i];
			l->x[i] += l->d[i];
		}
	}
}

static void solve_last(struct level *l)
{
	const double *L = l->factor;
	const int64_t n = l->rows;

	for (int64_t i = 0; i < n; i++) {
		double sum = l->b[i];

		for (int64_t k = 0; k < i; k++)
			sum -= L[i * n + k] * l->x[k];
		l->x[i] = sum / L[i * n + i];
	}
	for (int64_t i = n - 1; i >= 0; i--) {
		double sum = l->x[i];

		for (int64_t k = i + 1; k < n; k++)
			sum -= L[k * n + i] * l->x[k];
		l->x[i] = sum / L[i * n + i];
	}
}

/* Sets x of level k to an approximation of A^-1 b. */
static void cycle(struct hierarchy *h, int k)
{
	struct level *l = &h->level[k], *next = l + 1;

	if (l->factor) {
		solve_last(l);
		return;
	}
	memset(l->x, 0, (size_t)l->rows * sizeof *l->x);
	smooth(l, 1);
	if (k + 1 < h->levels) {
		const ek_dense r = ek_vector(EK_F64, l->rows, l->r);
		const ek_dense x = ek_vector(EK_F64, l->rows, l->x);
		const ek_dense b = ek_vector(EK_F64, next->rows, next->b);
		const ek_dense y = ek_vector(EK_F64, next->rows, next->x);

		residual(l);
		check(ek_spmv(l->restrict_, 1, &r, 0, &b));
		cycle(h, k + 1);
		check(ek_spmv(l->prolong, 1, &y, 1, &x));
	}
	smooth(l, 0);
}

/* ---- Conjugate gradients --------------------------------------------------------------------- */

static double dot(int64_t n, const double *a, const double *b)
{
	double sum = 0;

	for (int64_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/* Solves A x = b from x = 0. Returns the number of steps, or -1 if they do not suffice. */
static int solve(struct hierarchy *h, const double *b, double *x)
{
	struct level *l = &h->level[0];
	const int64_t n = l->rows;
	double *r = get(3 * n, sizeof *r), *p = r + n, *q = p + n;
	const ek_dense P = ek_vector(EK_F64, n, p), Q = ek_vector(EK_F64, n, q);
	const double first = sqrt(dot(n, b, b));
	double before = 0;
	int steps = -1;

	memcpy(r, b, (size_t)n * sizeof *r);
	for (int step = 1; step <= STEPS && steps < 0; step++) {
		memcpy(l->b, r, (size_t)n * sizeof *r);
		cycle(h, 0);
		const double now = dot(n, r, l->x), beta = before > 0 ? now / before : 0;

		for (int64_t i = 0; i < n; i++)
			p[i] = l->x[i] + beta * p[i];
		check(ek_spmv(l->multiply, 1, &P, 0, &Q));
		const double alpha = now / dot(n, p, q);

		for (int64_t i = 0; i < n; i++) {
			x[i] += alpha * p[i];
			r[i] -= alpha * q[i];
		}
		before = now;
		const double size = sqrt(dot(n, r, r)) / first;

		printf("%4d   %.3e\n", step, size);
		if (size <= TOLERANCE)
			steps = step;
	}
	free(r);
	return steps;
}

static void print_levels(const struct hierarchy *h)
{
	double nnz = 0;

	printf("level       rows     entries  a row\n");
	for (int k = 0; k < h->levels; k++) {
		const struct level *l = &h->level[k];

		printf("%5d %10lld %11lld %6.1f\n", k, (long long)l->rows, (long long)l->nnz,
		       (double)l->nnz / (double)l->rows);
		nnz += (double)l->nnz;
	}
	printf("operator complexity %.3f\n", nnz / (double)h->level[0].nnz);
}

int main(int argc, char **argv)
{
	static struct hierarchy h;
	const int points = argc > 1 ? atoi(argv[1]) : 100;
	const double strength = argc > 2 ? atof(argv[2]) : 0;
	ek_context *ctx = NULL;

	if (points < 2 || points > 600) {
		fprintf(stderr, "multigrid: 2 to 600 points are possible\n");
		return 2;
	}
	check(ek_context_create(NULL, &ctx));
	ek_matrix *A = poisson(ctx, points);
	double start = seconds();

	set_up(&h, A, strength);
	const double made = seconds() - start;
	const int64_t n = h.level[0].rows;
	double *b = get(2 * n, sizeof *b), *x = b + n;

	print_levels(&h);
	for (int64_t i = 0; i < n; i++)
		b[i] = sin((double)i);
	printf("step   residual\n");
	start = seconds();
	const int steps = solve(&h, b, x);

	printf("set-up %.3f s (prolongators %.3f, products %.3f), solution %.3f s\n", made,
	       h.prolongator_seconds, h.product_seconds, seconds() - start);
	if (steps < 0)
		fprintf(stderr, "multigrid: no convergence in %d steps\n", STEPS);
	free(b);
	release(&h);
	ek_context_destroy(ctx);
	return steps < 0;
}
