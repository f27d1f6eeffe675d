/* SPDX-License-Identifier: BSD-3-Clause
 * y = alpha op(A) x + beta y0 by one plain serial loop over the entries of CSR in long double, with
 * the sum of the absolute values and the number of terms beside it. They give the bound that the
 * library promises for every entry (Higham 2002, section 3.1):
 *     |error| <= gamma(k + 2) (|alpha| (|A||x|)_i + |beta||y0_i|),  gamma(k) = k u / (1 - k u).
 * On x86 long double has 11 more bits than double, so the loop's own error does not count. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

struct sum {
	long double value, size;
	int64_t terms;
	bool special; /* a NaN or an infinity is involved: only its kind can be compared */
};

struct arrays {
	ek_view ptr, idx, val;
	ek_value value;
	int64_t rows;
};

static int64_t index_at(const ek_view *v, int64_t k)
{
	return v->elem_size == 4 ? ((const int32_t *)v->data)[k] : ((const int64_t *)v->data)[k];
}

static double value_at(ek_value value, const void *data, int64_t k)
{
	return value == EK_F32 ? (double)((const float *)data)[k] : ((const double *)data)[k];
}

static int open_arrays(const ek_matrix *A, struct arrays *a)
{
	ek_matrix_info info = {.size = sizeof info};
	int code = tool_check(ek_matrix_get_info(A, &info));

	a->value = info.value;
	a->rows = info.rows;
	a->ptr.size = a->idx.size = a->val.size = sizeof a->ptr;
	if (code == TOOL_OK)
		code = tool_check(ek_matrix_array(A, "row_ptr", &a->ptr));
	if (code == TOOL_OK)
		code = tool_check(ek_matrix_array(A, "col_idx", &a->idx));
	if (code == TOOL_OK)
		code = tool_check(ek_matrix_array(A, "val", &a->val));
	return code;
}

static void add(struct sum *s, long double a, double x)
{
	long double product = a * x;

	s->special |= !isfinite(product);
	s->value += product;
	s->size += fabsl(product);
	s->terms++;
}

static void multiply(const struct arrays *a, ek_op op, double alpha, const ek_dense *x,
                     struct sum *sums)
{
	bool gather = op == EK_OP_N;

	for (int64_t i = 0; i < a->rows; i++)
		for (int64_t k = index_at(&a->ptr, i); k < index_at(&a->ptr, i + 1); k++) {
			int64_t j = index_at(&a->idx, k);

			add(&sums[gather ? i : j],
			    (long double)alpha * value_at(a->value, a->val.data, k),
			    value_at(a->value, x->data, gather ? j : i));
		}
}

/* Error over bound; a special value must be special in the same way. */
static double ratio(const struct sum *s, double y, ek_value value)
{
	double unit = value == EK_F32 ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
	double tiny = value == EK_F32 ? FLT_TRUE_MIN : DBL_TRUE_MIN;
	double most = value == EK_F32 ? FLT_MAX : DBL_MAX;
	long double k = (long double)(s->terms + 2);
	long double bound = k * unit / (1 - k * unit) * s->size + k * tiny;
	long double error = fabsl((long double)y - s->value);

	if (s->special)
		return (isnan(s->value) ? isnan(y) : y == (double)s->value) ? 0 : INFINITY;
	if (s->size > most) /* sums may overflow on the way: nothing is promised */
		return 0;
	return error == 0 ? 0 : isnan(y) ? INFINITY : (double)(error / bound);
}

static int check(const ek_matrix *A, ek_op op, double alpha, const ek_dense *x, double beta,
                 const ek_dense *y0, const ek_dense *y, struct oracle_result *result)
{
	struct arrays a;
	int code = open_arrays(A, &a);

	if (code != TOOL_OK)
		return code;
	struct sum *sums = calloc((size_t)y->rows + 1, sizeof *sums);

	if (!sums)
		return tool_fail(TOOL_FAILED, "out of memory for the check");
	if (a.value == EK_F32) {
		alpha = (float)alpha;
		beta = (float)beta;
	}
	if (alpha != 0)
		multiply(&a, op, alpha, x, sums);
	*result = (struct oracle_result){0};
	for (int64_t i = 0; i < y->rows; i++) {
		if (beta != 0)
			add(&sums[i], beta, value_at(a.value, y0->data, i));
		double r = ratio(&sums[i], value_at(a.value, y->data, i), a.value);

		if (r > result->worst)
			*result = (struct oracle_result){r, i, (double)sums[i].value};
	}
	free(sums);
	return TOOL_OK;
}

int oracle_check(const ek_matrix *A, ek_op op, double alpha, const ek_dense *x, double beta,
                 const ek_dense *y0, const ek_dense *y, struct oracle_result *result)
{
	ek_matrix_info info = {.size = sizeof info};
	ek_matrix *csr = NULL;
	int code = tool_check(ek_matrix_get_info(A, &info));

	if (code == TOOL_OK && strcmp(info.format, "csr") != 0)
		code = tool_check(ek_matrix_convert(A, "csr", NULL, &csr));
	if (code == TOOL_OK)
		code = check(csr ? csr : A, op, alpha, x, beta, y0, y, result);
	ek_matrix_destroy(csr);
	return code;
}
