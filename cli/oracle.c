/* SPDX-License-Identifier: BSD-3-Clause
 * Checks whether a product is right: compares y with the product in quadruple precision, and
 * divides the errors by a bound that holds for any order of summation, with or without fused
 * multiplications:
 *     alpha = 1, beta = 0:  k u (|A||x|)_i + 2 k eta
 *     else:  gamma(k + 2) (|alpha| (|A||x|)_i + |beta||y0_i|) + (2 k + 2) max(1, |alpha|) eta
 * where k is the number of entries that are added to y_i, u the unit roundoff, eta half the
 * smallest subnormal number and gamma(k) = k u / (1 - k u) (Higham 2002, section 3.1; Jeannerod and
 * Rump 2013 for k u in place of gamma). So there is no tolerance to choose: a quotient above 1
 * means a wrong result. Cost: about a hundred plain products. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "quad.h"

struct oracle {
	ek_value value;
	double alpha, beta;
	int threads;
	int64_t n; /* number of entries of y */
	quad *y;
	/* Largest error that each entry may have, or -1 if intermediate sums may overflow, for
	 * which nothing is promised */
	double *bound;
};

struct arrays {
	ek_view ptr, idx, val;
	int64_t rows;
	const void *x, *y0;
};

/* Sums for one entry of y: the sum of its terms, the sum of their magnitudes, and their number. */
struct term {
	quad sum;
	double magnitude;
	int64_t count;
};

static int64_t index_at(const ek_view *v, int64_t k)
{
	return v->elem_size == 4 ? ((const int32_t *)v->data)[k] : ((const int64_t *)v->data)[k];
}

static double value_at(ek_value value, const void *data, int64_t k)
{
	return value == EK_F32 ? (double)((const float *)data)[k] : ((const double *)data)[k];
}

static void add(struct term *t, double a, double x)
{
	t->sum += (quad)a * x;
	t->magnitude += fabs(a * x);
	t->count++;
}

static void finish(const struct arrays *a, struct oracle *o, int64_t i, const struct term *t)
{
	const bool wide = o->value == EK_F64;
	const double u = wide ? DBL_EPSILON / 2 : FLT_EPSILON / 2, most = wide ? DBL_MAX : FLT_MAX;
	const double eta2 = wide ? DBL_TRUE_MIN : FLT_TRUE_MIN; /* 2 eta, the smallest subnormal */
	const double y0 = o->beta != 0 ? value_at(o->value, a->y0, i) : 0;
	const double size = fabs(o->alpha) * t->magnitude + fabs(o->beta) * fabs(y0);
	const double beyond = fabs(o->alpha) > 1 ? fabs(o->alpha) : 1, k = (double)t->count + 2;

	o->y[i] = o->alpha != 0 ? o->alpha * t->sum : 0;
	if (o->beta != 0)
		o->y[i] += (quad)o->beta * y0;
	if (isfinite(size) && size > most)
		o->bound[i] = -1;
	else if (o->alpha == 1 && o->beta == 0)
		o->bound[i] = (k - 2) * u * t->magnitude + (k - 2) * eta2;
	else
		o->bound[i] = k * u / (1 - k * u) * size + (k - 1) * beyond * eta2;
}

static void by_rows(const struct arrays *a, struct oracle *o)
{
#pragma omp parallel for schedule(dynamic, 1024) num_threads(o->threads)
	for (int64_t i = 0; i < a->rows; i++) {
		int64_t k = index_at(&a->ptr, i),
			end = o->alpha != 0 ? index_at(&a->ptr, i + 1) : k;
		struct term t = {0};

		for (; k < end; k++)
			add(&t, value_at(o->value, a->val.data, k),
			    value_at(o->value, a->x, index_at(&a->idx, k)));
		finish(a, o, i, &t);
	}
}

static bool by_columns(const struct arrays *a, struct oracle *o)
{
	struct term *t = calloc((size_t)o->n + 1, sizeof *t);

	if (!t)
		return false;
	for (int64_t i = 0; i < a->rows && o->alpha != 0; i++)
		for (int64_t k = index_at(&a->ptr, i), end = index_at(&a->ptr, i + 1); k < end; k++)
			add(&t[index_at(&a->idx, k)], value_at(o->value, a->val.data, k),
			    value_at(o->value, a->x, i));
	for (int64_t j = 0; j < o->n; j++)
		finish(a, o, j, &t[j]);
	free(t);
	return true;
}

static int make(const ek_matrix *csr, ek_op op, const ek_matrix_info *info, struct arrays *a,
                struct oracle *o)
{
	const struct {
		const char *name;
		ek_view *view;
	} views[] = {{"row_ptr", &a->ptr}, {"col_idx", &a->idx}, {"val", &a->val}};
	int code = TOOL_OK;

	for (int k = 0; k < 3 && !code; k++) {
		views[k].view->size = sizeof *views[k].view;
		code = tool_check(ek_matrix_array(csr, views[k].name, views[k].view));
	}
	if (code)
		return code;
	a->rows = info->rows;
	o->n = op == EK_OP_N ? info->rows : info->cols;
	o->y = malloc(((size_t)o->n + 1) * sizeof *o->y);
	o->bound = malloc(((size_t)o->n + 1) * sizeof *o->bound);
	if (!o->y || !o->bound || (op != EK_OP_N && !by_columns(a, o)))
		return tool_fail(TOOL_FAILED, "out of memory for the check");
	if (op == EK_OP_N)
		by_rows(a, o);
	return TOOL_OK;
}

int oracle_make(const ek_matrix *A, ek_op op, double alpha, const ek_dense *x, double beta,
                const ek_dense *y0, int threads, struct oracle **oracle)
{
	ek_matrix_info info = {.size = sizeof info};
	struct arrays a = {.x = x->data, .y0 = y0->data};
	struct oracle *o = calloc(1, sizeof *o);
	ek_matrix *csr = NULL;
	int code = tool_check(ek_matrix_get_info(A, &info));

	if (!code && !o)
		code = tool_fail(TOOL_FAILED, "out of memory for the check");
	if (!code && strcmp(info.format, "csr") != 0)
		code = tool_check(ek_matrix_convert(A, "csr", NULL, &csr));
	if (!code) {
		o->value = info.value;
		o->threads = threads;
		o->alpha = info.value == EK_F64 ? alpha : (float)alpha;
		o->beta = info.value == EK_F64 ? beta : (float)beta;
		code = make(csr ? csr : A, op, &info, &a, o);
	}
	ek_matrix_destroy(csr);
	if (code)
		oracle_free(o);
	else
		*oracle = o;
	return code;
}

void oracle_free(struct oracle *o)
{
	if (!o)
		return;
	free(o->y);
	free(o->bound);
	free(o);
}

/* Returns the error of `y` divided by its bound, or 0 if there is no bound. Inf and NaN do not
 * depend on the order of summation, so if `y` or `exact` is one of them, the other must be the
 * same; else returns INFINITY. */
static double ratio(quad exact, double bound, double y)
{
	const double right = (double)exact, error = fabs((double)((quad)y - exact));

	if (bound < 0)
		return 0;
	if (y == right || (isnan(y) && isnan(right)))
		return isfinite(right) && isfinite(error) && error > 0 ? error / bound : 0;
	return isfinite(right) && isfinite(y) ? error / bound : INFINITY;
}

struct oracle_result oracle_check(const struct oracle *o, const void *y)
{
	struct oracle_result worst = {0};

#pragma omp parallel for num_threads(o->threads)
	for (int64_t i = 0; i < o->n; i++) {
		const double r = ratio(o->y[i], o->bound[i], value_at(o->value, y, i));

		if (r > 0) {
#pragma omp critical
			if (r > worst.worst || (r >= worst.worst && i < worst.row))
				worst = (struct oracle_result){r, i, (double)o->y[i]};
		}
	}
	return worst;
}
