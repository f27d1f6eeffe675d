/* SPDX-License-Identifier: BSD-3-Clause
 * The error bound of bound.h. If long double has 64 bits of precision, it is enough for most rows:
 * its own error is then below a thousandth of the f64 bound. The other rows are decided in
 * quadruple precision. */
#include <float.h>
#include <math.h>

#include "support/support.h"
#include "support/bound.h"

static quad quad_abs(quad v)
{
	return v < 0 ? -v : v;
}

void reference_make(struct reference *r, const struct typed *t, ek_op op, const void *x)
{
	size_t room;

	r->n = op == EK_OP_N ? t->rows : t->cols;
	room = (size_t)r->n + 1;
	r->value = t->value;
	r->count = calloc(room, sizeof *r->count);
	r->sum = calloc(room, sizeof *r->sum);
	r->size = calloc(room, sizeof *r->size);
	for (int64_t i = 0; i < t->rows; i++)
		for (int64_t k = typed_ptr(t, i); k < typed_ptr(t, i + 1); k++) {
			int64_t j = typed_idx(t, k), to = op == EK_OP_N ? i : j;
			quad term = (quad)value_at(t->value, t->val, k) *
			            value_at(t->value, x, op == EK_OP_N ? j : i);

			r->count[to]++;
			r->sum[to] += term;
			r->size[to] += quad_abs(term);
		}
}

void reference_free(struct reference *r)
{
	free(r->count);
	free(r->sum);
	free(r->size);
	memset(r, 0, sizeof *r);
}

int64_t exact_fault(const struct reference *r, double alpha, double beta, const void *y0,
                    const void *y)
{
	int64_t alpha2 = (int64_t)(2 * alpha), beta2 = (int64_t)(2 * beta);

	for (int64_t i = 0; i < r->n; i++) {
		int64_t twice = alpha2 ? alpha2 * (int64_t)r->sum[i] : 0;

		if (beta2)
			twice += beta2 * (int64_t)value_at(r->value, y0, i);
		if (!(value_at(r->value, y, i) == (double)twice / 2))
			return i;
	}
	return -1;
}

struct limits {
	quad u, eta;
};

static double ratio_of(quad error, quad bound)
{
	error = quad_abs(error);
	if (error == 0)
		return 0;
	return bound > 0 ? (double)(error / bound) : (double)INFINITY;
}

/* Returns the ratio error/bound of row i, computed in quadruple precision. */
static double exact_ratio(const struct reference *r, const struct limits *l, int64_t i,
                          const quad factor[2], double before, double after)
{
	quad alpha = factor[0], beta = factor[1], k = (quad)r->count[i];
	quad old = beta == 0 ? 0 : beta * before, new = alpha == 0 ? 0 : alpha * r->sum[i];
	quad size = alpha == 0 ? 0 : quad_abs(alpha) * r->size[i], bound;

	if (alpha == 1 && beta == 0)
		bound = k * l->u * size + 2 * k * l->eta;
	else
		bound = (k + 2) * l->u / (1 - (k + 2) * l->u) * (size + quad_abs(old)) +
		        (2 * k + 2) * (quad_abs(alpha) > 1 ? quad_abs(alpha) : 1) * l->eta;
	return ratio_of((quad)after - (new + old), bound);
}

double bound_ratio(const struct reference *r, double alpha, double beta, const void *y0,
                   const void *y, int64_t *row)
{
	bool wide = r->value == EK_F64;
	struct limits l = {wide ? 0x1p-53 : 0x1p-24, wide ? (quad)0x1p-1074 / 2 : 0x1p-150};
	quad factor[2] = {wide ? alpha : (float)alpha, wide ? beta : (float)beta};
	long double a = factor[0], b = factor[1], u = l.u;
	double worst = 0;

	*row = -1;
	for (int64_t i = 0; i < r->n; i++) {
		double after = value_at(r->value, y, i);
		double before = beta == 0 ? 0 : value_at(r->value, y0, i), ratio;
		long double right = (a == 0 ? 0 : a * (long double)r->sum[i]) + b * before;
		long double size =
			(a == 0 ? 0 : fabsl(a) * (long double)r->size[i]) + fabsl(b * before);
		long double bound = r->count[i] * u * size;

		if (LDBL_MANT_DIG >= 64 && fabsl(after - right) <= bound * 0.99L)
			continue;
		ratio = isfinite(after) ? exact_ratio(r, &l, i, factor, before, after)
		                        : (double)INFINITY;
		if (ratio > worst) {
			worst = ratio;
			*row = i;
		}
	}
	return worst;
}
