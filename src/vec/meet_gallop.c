/* SPDX-License-Identifier: BSD-3-Clause
 * The common entries of two sparse vectors, or of two sets of pairs, of very different sizes: each
 * index of the smaller is searched for in the larger one, by growing steps from where the previous
 * search ended (prim_body/search.h). O(small log(large / small)) comparisons. Bentley and Yao
 * 1976. */
#include <math.h>

#include "vec/vec.h"
#define EK_VECTORS
#define EK_TYPES_ONLY
#define EK_FILE "vec/meet_gallop.c"
#include "base/for_each.h"

#include "prim_body/search.h"
#include "vec/terms.h"

/* Moves *i and *j, entries of x and of y, on to the next that are equal, by searching for the
 * entries of the smaller vector. Returns false if there are none. */
static inline bool FN(next)(const eki_two *t, int64_t *i, int64_t *j)
{
	const IDX *xi = t->xi, *yi = t->yi;

	if (t->xn <= t->yn) {
		for (; *i < t->xn; ++*i) {
			*j = eki_gallop_bound(yi, *j, t->yn, xi[*i]);
			if (*j == t->yn || yi[*j] == xi[*i])
				return *j < t->yn;
		}
		return false;
	}
	for (; *j < t->yn; ++*j) {
		*i = eki_gallop_bound(xi, *i, t->xn, yi[*j]);
		if (*i == t->xn || xi[*i] == yi[*j])
			return *i < t->xn;
	}
	return false;
}

static void FN(dot)(const eki_two *t, void *out)
{
	const VAL *xv = t->xv, *yv = t->yv;
	VAL sum = 0;

	for (int64_t i = 0, j = 0; FN(next)(t, &i, &j); i++, j++)
		sum = sop(EK_SUM, sum, FN(times)(xv[i], yv[j]));
	*(VAL *)out = sum;
}

static int64_t FN(intersect)(const eki_two *t)
{
	const IDX *xi = t->xi;
	const VAL *xv = t->xv, *yv = t->yv;
	IDX *zi = t->zi;
	VAL *zv = t->zv;
	int64_t n = 0;

	for (int64_t i = 0, j = 0; FN(next)(t, &i, &j); i++, j++, n++) {
		zi[n] = xi[i];
		zv[n] = sop(t->op, xv[i], yv[j]);
	}
	return n;
}

#if EK_ONCE

/* Number of entries of the smaller vector in a piece of a dot product. */
enum { PIECE = 4096 };

static ek_status run_dot(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	static eki_two_sum_fn *const dot[2][4] = EK_BY_VECTOR(dot);
	const int64_t small = a->x.nnz < a->y.nnz ? a->x.nnz : a->y.nnz;

	(void)step;
	return eki_two_sums(a, small / PIECE + 1, dot[eki_index_row(a)][eki_value_row(a->type)]);
}

static ek_status run_intersect(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	static eki_two_fn *const intersect[2][4] = EK_BY_VECTOR(intersect);

	(void)step;
	return eki_two_pieces(a, NULL, intersect[eki_index_row(a)][eki_value_row(a->type)]);
}

/* Predicts the time in nanoseconds. Each entry of the smaller vector costs a mispredicted branch
 * and a number of steps that grows with the logarithm of large / small. */
static double cost(const eki_features *f)
{
	const eki_array *a = f->array;
	const eki_vector_speed *s = &f->machine->vector;
	const int64_t xn = a->x.nnz, yn = a->y.nnz;
	const double small = (double)(xn < yn ? xn : yn), large = (double)(xn < yn ? yn : xn);

	return small * (s->gallop_entry[0] + s->gallop_step[0] * log2(1 + large / (small + 1))) /
	       a->threads;
}

const ek_method ek_dot_gallop = {
	.name = "dot.gallop",
	.text = "looks for each entry of the smaller vector by growing steps",
	.source = "Bentley and Yao 1976",
	.operation = EK_SPARSE_DOT,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run_dot,
	.cost = cost,
};

const ek_method ek_pairs_intersect_gallop = {
	.name = "pairs_intersect.gallop",
	.text = "looks for each entry of the smaller set by growing steps",
	.source = "Bentley and Yao 1976",
	.operation = EK_PAIRS_INTERSECTION,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run_intersect,
	.cost = cost,
};

#endif
