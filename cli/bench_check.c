/* SPDX-License-Identifier: BSD-3-Clause
 * Is the result right? Every entry of y is compared with the product in quadruple precision, and
 * the error divided by a bound that holds for any order of summation, with or without fused
 * multiplications:
 *     alpha = 1, beta = 0:  k u (|A||x|)_i + 2 k eta
 *     else:  gamma(k + 2) (|alpha| (|A||x|)_i + |beta||y0_i|) + (2 k + 2) max(1, |alpha|) eta
 * with k the entries that meet in y_i, u the unit roundoff, gamma(k) = k u / (1 - k u) and eta half
 * the smallest subnormal number (Higham 2002, section 3.1; Jeannerod and Rump 2013 for k u in place
 * of gamma). So there is no tolerance to choose: a quotient above 1 is a wrong result.
 * Cost: about a hundred plain products. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "quad.h"

struct check_reference {
	quad *y;
	double *bound;
};

/* The sum of one entry of y as it grows. */
struct term {
	quad sum;
	double magnitude;
	int64_t count;
};

static void add(struct term *t, double a, double x)
{
	t->sum += (quad)a * x;
	t->magnitude += fabs(a * x);
	t->count++;
}

static void finish(const struct problem *p, struct check_reference *c, int64_t i,
                   const struct term *t)
{
	double u = p->value == EK_F64 ? DBL_EPSILON / 2 : FLT_EPSILON / 2;
	double eta2 = p->value == EK_F64 ? DBL_TRUE_MIN : FLT_TRUE_MIN; /* 2 eta */
	double y0 = problem_number(p->value, p->y0, i), k = (double)t->count, beyond;

	c->y[i] = p->alpha * t->sum;
	if (p->beta != 0)
		c->y[i] += (quad)p->beta * y0;
	if (p->alpha == 1 && p->beta == 0) {
		c->bound[i] = k * u * t->magnitude + k * eta2;
		return;
	}
	k += 2;
	beyond = fabs(p->alpha) > 1 ? fabs(p->alpha) : 1;
	c->bound[i] =
		k * u / (1 - k * u) * (fabs(p->alpha) * t->magnitude + fabs(p->beta) * fabs(y0)) +
		(k - 1) * beyond * eta2;
}

static void rows(const struct problem *p, struct check_reference *c)
{
#pragma omp parallel for schedule(dynamic, 1024) num_threads(p->threads)
	for (int64_t i = 0; i < p->rows; i++) {
		struct term t = {0};

		for (int64_t k = problem_ptr(p, i), end = problem_ptr(p, i + 1); k < end; k++)
			add(&t, problem_number(p->value, p->val, k),
			    problem_number(p->value, p->x, problem_col(p, k)));
		finish(p, c, i, &t);
	}
}

static bool columns(const struct problem *p, struct check_reference *c)
{
	struct term *t = calloc((size_t)(p->cols > 0 ? p->cols : 1), sizeof *t);

	if (!t)
		return false;
	for (int64_t i = 0; i < p->rows; i++)
		for (int64_t k = problem_ptr(p, i), end = problem_ptr(p, i + 1); k < end; k++)
			add(&t[problem_col(p, k)], problem_number(p->value, p->val, k),
			    problem_number(p->value, p->x, i));
	for (int64_t j = 0; j < p->cols; j++)
		finish(p, c, j, &t[j]);
	free(t);
	return true;
}

struct check_reference *check_make(const struct problem *p)
{
	struct check_reference *c = calloc(1, sizeof *c);
	size_t n = (size_t)(p->out > 0 ? p->out : 1);

	if (!c)
		return NULL;
	c->y = malloc(n * sizeof *c->y);
	c->bound = malloc(n * sizeof *c->bound);
	if (!c->y || !c->bound) {
		check_free(c);
		return NULL;
	}
	if (p->op == EK_OP_N) {
		rows(p, c);
	} else if (!columns(p, c)) {
		check_free(c);
		return NULL;
	}
	return c;
}

void check_free(struct check_reference *c)
{
	if (!c)
		return;
	free(c->y);
	free(c->bound);
	free(c);
}

double check_error(const struct problem *p)
{
	const struct check_reference *c = p->check;
	double worst = 0;

#pragma omp parallel for num_threads(p->threads) reduction(max : worst)
	for (int64_t i = 0; i < p->out; i++) {
		const double y = problem_number(p->value, p->y, i), right = (double)c->y[i];
		const double error = fabs((double)((quad)y - c->y[i]));
		double ratio = error <= 0 ? 0 : error / c->bound[i];

		/* Inf and NaN in A: which of them comes out does not depend on the order. */
		if (y == right || (isnan(y) && isnan(right)))
			ratio = isfinite(right) ? ratio : 0;
		else if (isnan(ratio) || !isfinite(right))
			ratio = INFINITY;
		if (ratio > worst)
			worst = ratio;
	}
	return worst;
}
