/* SPDX-License-Identifier: BSD-3-Clause
 * Fits the costs of a loop to measured times. With three unknowns there are seven sets of those
 * that are not 0. For each set the normal equations are solved, and the best solution without a
 * negative cost counts. Each equation is divided by its time, so that short and long runs weigh
 * the same.
 *
 * Lawson and Hanson 1974, chapter 23, states the problem. */
#include <math.h>
#include <string.h>

#include "tune/tune.h"

enum { N = EKI_TUNED_MOST };

/* Solves the n equations a x = b by elimination with pivots. Returns false if they are singular. */
static bool solve(double a[N][N], double b[N], int n)
{
	for (int k = 0; k < n; k++) {
		int pivot = k;

		for (int i = k + 1; i < n; i++)
			if (fabs(a[i][k]) > fabs(a[pivot][k]))
				pivot = i;
		if (!(fabs(a[pivot][k]) > 1e-12))
			return false;
		for (int j = 0; j < n; j++) {
			const double t = a[k][j];

			a[k][j] = a[pivot][j];
			a[pivot][j] = t;
		}
		const double t = b[k];

		b[k] = b[pivot];
		b[pivot] = t;
		for (int i = 0; i < n; i++) {
			const double f = i == k ? 0 : a[i][k] / a[k][k];

			for (int j = 0; j < n; j++)
				a[i][j] -= f * a[k][j];
			b[i] -= f * b[k];
		}
	}
	for (int k = 0; k < n; k++)
		b[k] /= a[k][k];
	return true;
}

/* Solves for the unknowns in `set`, one bit for each, scaled by `scale`. Returns the sum of the
 * squares of the errors, or INFINITY if there is no solution without negative costs. */
static double try_set(const eki_equation *e, int equations, unsigned set, const double scale[N],
                      double x[N])
{
	int which[N], n = 0;
	double a[N][N] = {{0}}, b[N] = {0}, sum = 0;

	memset(x, 0, N * sizeof *x);
	for (int u = 0; u < N; u++)
		if (set >> u & 1)
			which[n++] = u;
	for (int k = 0; k < equations; k++)
		for (int i = 0; i < n; i++) {
			const double ci = e[k].count[which[i]] / scale[which[i]] / e[k].time;

			b[i] += ci;
			for (int j = 0; j < n; j++)
				a[i][j] += ci * e[k].count[which[j]] / scale[which[j]] / e[k].time;
		}
	if (!solve(a, b, n))
		return INFINITY;
	for (int i = 0; i < n; i++) {
		if (!(b[i] >= 0))
			return INFINITY;
		x[which[i]] = b[i] / scale[which[i]];
	}
	for (int k = 0; k < equations; k++) {
		double error = -1;

		for (int u = 0; u < N; u++)
			error += e[k].count[u] * x[u] / e[k].time;
		sum += error * error;
	}
	return sum;
}

void eki_fit(const eki_equation *e, int equations, int unknowns, double cost[EKI_TUNED_MOST])
{
	double scale[N] = {0}, least = INFINITY;
	unsigned known = 0;

	for (int u = 0; u < unknowns; u++) {
		for (int k = 0; k < equations; k++)
			scale[u] = fmax(scale[u], e[k].count[u] / e[k].time);
		known |= (unsigned)(scale[u] > 0) << u;
	}
	for (unsigned set = 1; set < 1U << unknowns; set++) {
		double x[N], sum;

		if ((set & known) != set)
			continue;
		sum = try_set(e, equations, set, scale, x);
		if (sum < least) {
			least = sum;
			for (int u = 0; u < unknowns; u++)
				if (known >> u & 1)
					cost[u] = x[u];
		}
	}
}
