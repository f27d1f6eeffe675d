/* SPDX-License-Identifier: BSD-3-Clause
 * Random sparse vectors. */
#include "support/integers.h"
#include "support/vectors.h"

struct guard vectors_guards[6];

void vectors_open(void)
{
	for (int k = 0; k < 6; k++)
		guard_make(&vectors_guards[k], (size_t)VECTORS_MOST * 16);
}

void vectors_close(void)
{
	for (int k = 0; k < 6; k++)
		guard_free(&vectors_guards[k]);
}

void *vectors_lay(int guard, struct rng *r, int64_t n, size_t size)
{
	char *p;

	if (n == 0 && rng_next(r) % 2)
		return NULL;
	p = guard_lay(&vectors_guards[guard], (int)rng_below(r, 192), (size_t)n * size);
	return p - (uintptr_t)p % size; /* guard_lay aligns to 4 bytes only */
}

int64_t vectors_index(const struct vectors *v, int64_t place)
{
	return v->first + place * v->step;
}

/* Lays out the arrays of x (bit 1, guards 0 and 1) or of y (bit 2, guards 2 and 3). */
static ek_sparse fill(const struct vectors *v, struct rng *r, int bit, const double *value)
{
	int64_t nnz = 0, k = 0;
	ek_sparse s;

	for (int64_t p = 0; p < v->universe; p++)
		nnz += (v->in[p] & bit) != 0;
	s = ek_sparse_vector(v->value, v->index, v->n, nnz,
	                     vectors_lay(2 * bit - 2, r, nnz, ek_value_size(v->index)),
	                     vectors_lay(2 * bit - 1, r, nnz, ek_value_size(v->value)));
	for (int64_t p = 0; p < v->universe; p++)
		if (v->in[p] & bit) {
			integer_set(v->index, s.idx, k, vectors_index(v, p));
			value_set(v->value, s.val, k++, value[p]);
		}
	return s;
}

void vectors_refill(struct vectors *v, struct rng *r)
{
	v->both = v->any = 0;
	for (int64_t p = 0; p < v->universe; p++) {
		v->any += v->in[p] != 0;
		v->both += v->in[p] == 3;
	}
	v->x = fill(v, r, 1, v->xv);
	v->y = fill(v, r, 2, v->yv);
}

void vectors_make(struct vectors *v, struct rng *r, enum vectors_kind kind, bool real,
                  int64_t universe, int64_t px, int64_t py)
{
	static const ek_value types[] = {EK_F32, EK_F64, EK_INT32, EK_INT64};
	int64_t most;

	v->value = types[rng_below(r, real ? 2 : 4)];
	v->index = rng_next(r) % 2 ? EK_INT64 : EK_INT32;
	v->universe = universe;
	most = v->index == EK_INT64 ? INT64_MAX : INT32_MAX;
	v->first = kind == VECTORS_KEYS ? -most - 1 : rng_below(r, 3);
	v->step = kind == VECTORS_NEAR    ? 1
	          : kind == VECTORS_APART ? 2 + rng_below(r, 200)
	                                  : most / (universe + 1);
	v->n = kind == VECTORS_FAR    ? INT64_MAX
	       : kind == VECTORS_KEYS ? 0
	                              : vectors_index(v, universe) + rng_below(r, 3);
	for (int64_t p = 0; p < universe; p++) {
		v->in[p] =
			(unsigned char)((rng_below(r, 1024) < px) + 2 * (rng_below(r, 1024) < py));
		v->xv[p] = real ? rng_real(r, 20) : (double)rng_below(r, 7) - 3;
		v->yv[p] = real ? rng_real(r, 20) : (double)rng_below(r, 7) - 3;
		if (v->value == EK_F32) {
			v->xv[p] = (float)v->xv[p];
			v->yv[p] = (float)v->yv[p];
		}
	}
	vectors_refill(v, r);
}
