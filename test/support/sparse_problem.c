/* SPDX-License-Identifier: BSD-3-Clause
 * Products with sparse vectors: the reference, and checked runs. */
#include <math.h>

#include "support/integers.h"
#include "support/sparse_problem.h"

enum { X_IDX, X_VAL, Y_IDX, Y_VAL };

void sparse_problem_make(struct sparse_problem *p, const struct shape *A, int op, ek_value value)
{
	*p = (struct sparse_problem){.A = A, .op = op, .value = value};
	shape_transpose(A, &p->T);
	shape_transpose(op ? A : &p->T, &p->rows);
	p->n = p->rows.cols;
	p->in = calloc((size_t)p->n + 1, 1);
	p->x = calloc((size_t)p->n + 1, sizeof *p->x);
	p->has = calloc((size_t)p->rows.rows + 1, 1);
	p->y = calloc((size_t)p->rows.rows + 1, sizeof *p->y);
}

void sparse_problem_free(struct sparse_problem *p)
{
	shape_free(&p->rows);
	shape_free(&p->T);
	free(p->in);
	free(p->x);
	free(p->has);
	free(p->y);
}

void sparse_problem_x(struct sparse_problem *p, struct rng *r, int64_t px, bool real)
{
	p->nnz = 0;
	for (int64_t j = 0; j < p->n; j++) {
		p->in[j] = rng_below(r, 1024) < px;
		p->nnz += p->in[j];
		p->x[j] = real ? rng_real(r, 20) : (double)rng_below(r, 2 * SHAPE_X + 1) - SHAPE_X;
		if (p->value == EK_F32)
			p->x[j] = (float)p->x[j];
	}
}

void sparse_problem_reference(struct sparse_problem *p, double alpha, bool second)
{
	const struct shape *s = &p->rows;
	const double *val = second ? s->val2 : s->val;

	p->count = p->most = 0;
	for (int64_t i = 0; i < s->rows; i++) {
		volatile double sum = 0, term;
		volatile float sum32 = 0, term32;

		p->has[i] = 0;
		for (int64_t k = s->ptr[i]; k < s->ptr[i + 1]; k++) {
			const int64_t j = s->col[k];

			if (!p->in[j])
				continue;
			p->has[i] = 1;
			p->most++;
			if (alpha == 0)
				continue;
			term = val[k] * p->x[j];
			sum = sum + term;
			term32 = (float)val[k] * (float)p->x[j];
			sum32 = sum32 + term32;
		}
		p->count += p->has[i];
		term = alpha * sum;
		term32 = (float)alpha * sum32;
		p->y[i] = alpha == 0 ? 0 : p->value == EK_F32 ? term32 : term;
	}
}

static bool same(ek_value value, double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) && isnan(b);
	(void)value;
	return a == b && signbit(a) == signbit(b);
}

ek_sparse sparse_problem_lay(const struct sparse_problem *p, const struct guard *g, struct rng *r,
                             ek_index index)
{
	const ek_value type = index == EK_I64 ? EK_INT64 : EK_INT32;
	const int place = (int)rng_below(r, 2);
	void *idx = guard_lay(&g[X_IDX], place, (size_t)p->nnz * ek_value_size(type));
	void *val = guard_lay(&g[X_VAL], place, (size_t)p->nnz * ek_value_size(p->value));
	int64_t k = 0;

	for (int64_t j = 0; j < p->n; j++)
		if (p->in[j]) {
			integer_set(type, idx, k, j);
			value_set(p->value, val, k++, p->x[j]);
		}
	return ek_sparse_vector(p->value, type, p->n, p->nnz, idx, val);
}

/* Tells whether a result is right; if not, writes what is wrong to `text`. */
static bool right(const struct sparse_problem *p, const ek_sparse *y, int64_t count, char *text,
                  size_t size)
{
	int64_t k = 0;

	if (count != p->count) {
		snprintf(text, size, "%lld entries, not %lld", (long long)count,
		         (long long)p->count);
		return false;
	}
	for (int64_t i = 0; i < p->rows.rows; i++) {
		if (!p->has[i])
			continue;
		if (integer_at(y->index, y->idx, k) != i ||
		    !same(p->value, value_at(p->value, y->val, k), p->y[i])) {
			snprintf(text, size, "entry %lld is %.17g at %lld, not %.17g at %lld",
			         (long long)k, value_at(p->value, y->val, k),
			         (long long)integer_at(y->index, y->idx, k), p->y[i], (long long)i);
			return false;
		}
		k++;
	}
	return true;
}

bool sparse_problem_run(const struct sparse_problem *p, const struct guard *g, struct rng *r,
                        ek_plan *plan, double alpha, const ek_sparse *x, int64_t room, char *text,
                        size_t size)
{
	const size_t is = ek_value_size(x->index), vs = ek_value_size(p->value);
	const int place = (int)rng_below(r, 2);
	void *idx = guard_lay(&g[Y_IDX], place, (size_t)room * is);
	void *val = guard_lay(&g[Y_VAL], place, (size_t)room * vs);
	const ek_sparse y = ek_sparse_vector(p->value, x->index, p->rows.rows, room, idx, val);
	int64_t count = -5;
	ek_status status;

	guard_paint(&g[Y_IDX], idx, (size_t)room * is);
	guard_paint(&g[Y_VAL], val, (size_t)room * vs);
	memset(idx, 0x77, (size_t)room * is);
	memset(val, 0x77, (size_t)room * vs);
	status = ek_spmspv(plan, alpha, x, &count, &y);
	guard_check(&g[Y_IDX], idx, (size_t)room * is);
	guard_check(&g[Y_VAL], val, (size_t)room * vs);
	if (room < p->count) {
		char expected[40];
		bool untouched = count == -5;

		snprintf(expected, sizeof expected, "the %lld entries", (long long)p->count);
		for (size_t b = 0; b < (size_t)room * is; b++)
			untouched = untouched && ((char *)idx)[b] == 0x77;
		for (size_t b = 0; b < (size_t)room * vs; b++)
			untouched = untouched && ((char *)val)[b] == 0x77;
		snprintf(text, size, "space for %lld of %lld entries: %s", (long long)room,
		         (long long)p->count, ek_error_text());
		return status == EK_EINVAL && untouched && strstr(ek_error_text(), expected);
	}
	if (status != EK_OK) {
		snprintf(text, size, "%s", ek_error_text());
		return false;
	}
	return right(p, &y, count, text, size);
}
