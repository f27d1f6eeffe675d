/* SPDX-License-Identifier: BSD-3-Clause
 * The union of two sparse vectors, or of two sets of pairs, of very different sizes: each index of
 * the smaller is searched for in the larger one, by growing steps from where the previous search
 * ended, and the entries of the larger one in between are copied (as in union_gallop.c, with
 * values). Cost: one read and one write of the larger one, and O(small log(large / small))
 * comparisons. Bentley and Yao 1976. */
#include <math.h>
#include <string.h>

#include "vec/vec.h"
#define EK_VECTORS
#define EK_TYPES_ONLY
#define EK_FILE "vec/unite_gallop.c"
#include "base/for_each.h"

#include "prim_body/search.h"
#include "vec/terms.h"

#define INLINE static inline __attribute__((always_inline))

/* Copies entries j .. k - 1 of the larger vector to z, from place o on. */
INLINE void FN(copy)(const eki_two *t, int64_t j, int64_t k, int64_t o, bool scaled)
{
	const IDX *yi = t->yi;
	const VAL *yv = t->yv, beta = (VAL)t->beta.re;
	IDX *zi = t->zi;
	VAL *zv = t->zv;

	if (j >= k)
		return;
	memcpy(zi + o, yi + j, (size_t)(k - j) * sizeof *zi);
	if (!scaled)
		memcpy(zv + o, yv + j, (size_t)(k - j) * sizeof *zv);
	else if (beta == 0)
		memset(zv + o, 0, (size_t)(k - j) * sizeof *zv);
	else
		for (; j < k; j++, o++)
			zv[o] = FN(times)(beta, yv[j]);
}

/* Unites x, the smaller, with y. If `exchanged` is true, y is the first operand of the operator. */
INLINE int64_t FN(unite)(const eki_two *t, bool scaled, bool exchanged)
{
	const IDX *xi = t->xi, *yi = t->yi;
	const VAL *xv = t->xv, *yv = t->yv;
	const VAL alpha = (VAL)t->alpha.re, beta = (VAL)t->beta.re;
	IDX *zi = t->zi;
	VAL *zv = t->zv;
	int64_t j = 0, o = 0;

	for (int64_t i = 0; i < t->xn; i++, o++) {
		const int64_t k = eki_gallop_bound(yi, j, t->yn, xi[i]);
		const VAL a = scaled ? FN(term)(alpha, xv, i) : xv[i];

		FN(copy)(t, j, k, o, scaled);
		o += k - j;
		j = k;
		zi[o] = xi[i];
		zv[o] = a;
		if (j < t->yn && yi[j] == xi[i]) {
			const VAL b = scaled ? FN(term)(beta, yv, j) : yv[j];

			zv[o] = exchanged ? sop(t->op, b, a) : sop(t->op, a, b);
			j++;
		}
	}
	FN(copy)(t, j, t->yn, o, scaled);
	return o + t->yn - j;
}

INLINE int64_t FN(smaller_first)(const eki_two *t, bool scaled)
{
	eki_two e = *t;

	if (t->xn <= t->yn)
		return FN(unite)(t, scaled, false);
	e.xi = t->yi, e.xv = t->yv, e.xn = t->yn, e.alpha = t->beta;
	e.yi = t->xi, e.yv = t->xv, e.yn = t->xn, e.beta = t->alpha;
	return FN(unite)(&e, scaled, true);
}

static int64_t FN(add)(const eki_two *t)
{
	return FN(smaller_first)(t, true);
}

static int64_t FN(unite_pairs)(const eki_two *t)
{
	return FN(smaller_first)(t, false);
}
#undef INLINE

#if EK_ONCE

static ek_status run_add(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	static eki_two_fn *const add[2][4] = EK_BY_VECTOR(add);

	(void)step;
	return eki_two_pieces(a, NULL, add[eki_index_row(a)][eki_value_row(a->type)]);
}

static ek_status run_union(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	static eki_two_fn *const unite[2][4] = EK_BY_VECTOR(unite_pairs);

	(void)step;
	return eki_two_pieces(a, NULL, unite[eki_index_row(a)][eki_value_row(a->type)]);
}

/* Predicts the time in nanoseconds: the time of one search for each entry of the smaller vector,
 * plus the time of copying the larger one. */
static double cost(const eki_features *f)
{
	const eki_array *a = f->array;
	const eki_vector_speed *s = &f->machine->vector;
	const int64_t xn = a->x.nnz, yn = a->y.nnz;
	const double small = (double)(xn < yn ? xn : yn), large = (double)(xn < yn ? yn : xn);

	return (small * (s->gallop_entry[1] + s->gallop_step[1] * log2(1 + large / (small + 1))) +
	        s->copy_entry * large) /
	       a->threads;
}

const ek_method ek_add_gallop = {
	.name = "add.gallop",
	.text = "looks for each entry of the smaller vector by growing steps, copies the others",
	.source = "Bentley and Yao 1976",
	.operation = EK_SPARSE_ADD,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run_add,
	.cost = cost,
};

const ek_method ek_pairs_union_gallop = {
	.name = "pairs_union.gallop",
	.text = "looks for each entry of the smaller set by growing steps, copies the others",
	.source = "Bentley and Yao 1976",
	.operation = EK_PAIRS_UNION,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run_union,
	.cost = cost,
};

#endif
