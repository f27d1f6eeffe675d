/* SPDX-License-Identifier: BSD-3-Clause
 * The union of two sparse vectors, or of two sets of pairs, by four merges at a time without
 * branches (cut.h). A step writes the lesser index, and selects one of three values by masks: that
 * of x, that of y, or both combined. Where each lane ends is known only when it is done, so a lane
 * writes to the place that it has if no indices are equal, and at the end of a chunk the results
 * are moved together, within the core's own cache. As long as no lane can reach an end of x or y,
 * they run without checks for ends; the rest is done a lane at a time, with branches.
 *
 * Cost: one read of x and y and one write of z, a search on four diagonals for each chunk. The idea
 * is that of merge_path.c. */
#include <string.h>

#include "vec/vec.h"
#define EK_VECTORS
#define EK_TYPES_ONLY
#define EK_FILE "vec/unite_lanes.c"
#include "base/for_each.h"

#include "vec/cut.h"
#include "vec/terms.h"

#define INLINE static inline __attribute__((always_inline))

/* How values are combined: sums of multiples, or an operator on the values themselves. Both are
 * constants in each copy of the code. */
#ifndef EK_UNITE_HOW
#define EK_UNITE_HOW
typedef struct how {
	bool scaled;
	ek_monoid op;
} how;
#endif

/* The arrays of a union with their types. */
struct FN(arrays) {
	const IDX *xi, *yi;
	const VAL *xv, *yv;
	IDX *zi;
	VAL *zv, alpha, beta;
};

INLINE VAL FN(of_x)(const struct FN(arrays) * t, int64_t i, how h)
{
	return h.scaled ? FN(term)(t->alpha, t->xv, i) : t->xv[i];
}

INLINE VAL FN(of_y)(const struct FN(arrays) * t, int64_t j, how h)
{
	return h.scaled ? FN(term)(t->beta, t->yv, j) : t->yv[j];
}

/* Returns `both` if x and y are true, else `a` if x is true, else b: by masks, since compilers tend
 * to branch on conditions here. */
INLINE VAL FN(pick)(bool x, bool y, VAL a, VAL b, VAL both)
{
	UNS p, q, r;

	memcpy(&p, &a, sizeof p);
	memcpy(&q, &b, sizeof q);
	memcpy(&r, &both, sizeof r);
	q ^= (p ^ q) & -(UNS)x;
	q ^= (r ^ q) & -(UNS)(x & y);
	memcpy(&a, &q, sizeof a);
	return a;
}

INLINE void FN(step)(const struct FN(arrays) * t, int64_t *i, int64_t *j, int64_t *o, how h)
{
	const IDX p = t->xi[*i], q = t->yi[*j];
	const bool x = p <= q, y = q <= p;
	const VAL a = FN(of_x)(t, *i, h), b = FN(of_y)(t, *j, h);

	t->zi[*o] = x ? p : q;
	t->zv[*o] = FN(pick)(x, y, a, b, sop(h.op, a, b));
	*i += x;
	*j += y;
	++*o;
}

/* Does the rest of a lane. */
INLINE void FN(finish)(const struct FN(arrays) * t, lane *l, how h)
{
	int64_t i = l->i, j = l->j, o = l->o;

	for (; i < l->i_end && j < l->j_end; o++) {
		const IDX p = t->xi[i], q = t->yi[j];

		t->zi[o] = p <= q ? p : q;
		if (p == q)
			t->zv[o] = sop(h.op, FN(of_x)(t, i, h), FN(of_y)(t, j, h));
		else
			t->zv[o] = p < q ? FN(of_x)(t, i, h) : FN(of_y)(t, j, h);
		i += p <= q;
		j += q <= p;
	}
	for (; i < l->i_end; i++, o++) {
		t->zi[o] = t->xi[i];
		t->zv[o] = FN(of_x)(t, i, h);
	}
	for (; j < l->j_end; j++, o++) {
		t->zi[o] = t->yi[j];
		t->zv[o] = FN(of_y)(t, j, h);
	}
	l->o = o;
}

INLINE void FN(run_lanes)(const struct FN(arrays) * given, lane l[LANES], how h)
{
	const struct FN(arrays) t = *given;

	for (;;) {
		int64_t i0 = l[0].i, i1 = l[1].i, i2 = l[2].i, i3 = l[3].i;
		int64_t j0 = l[0].j, j1 = l[1].j, j2 = l[2].j, j3 = l[3].j;
		int64_t o0 = l[0].o, o1 = l[1].o, o2 = l[2].o, o3 = l[3].o;
		int64_t steps = INT64_MAX;

		for (int k = 0; k < LANES; k++)
			steps = lane_safe(&l[k]) < steps ? lane_safe(&l[k]) : steps;
		if (steps <= 0)
			break;
		for (; steps; steps--) {
			FN(step)(&t, &i0, &j0, &o0, h);
			FN(step)(&t, &i1, &j1, &o1, h);
			FN(step)(&t, &i2, &j2, &o2, h);
			FN(step)(&t, &i3, &j3, &o3, h);
		}
		l[0].i = i0, l[1].i = i1, l[2].i = i2, l[3].i = i3;
		l[0].j = j0, l[1].j = j1, l[2].j = j2, l[3].j = j3;
		l[0].o = o0, l[1].o = o1, l[2].o = o2, l[3].o = o3;
	}
	for (int k = 0; k < LANES; k++)
		FN(finish)(&t, &l[k], h);
}

INLINE int64_t FN(unite)(const eki_two *two, how h)
{
	const struct FN(arrays) t = {
		two->xi,          two->yi, two->xv, two->yv, two->zi, two->zv, (VAL)two->alpha.re,
		(VAL)two->beta.re};
	lane from = {0, 0, 0, two->xn, two->yn};
	int64_t count = 0;

	while (from.i < from.i_end && from.j < from.j_end) {
		const int64_t begin = from.i + from.j;
		lane l[LANES];

		FN(lanes_of_chunk)(two, &from, l);
		for (int k = 0; k < LANES; k++)
			l[k].o = count + l[k].i + l[k].j - begin;

		const int64_t place[LANES] = {l[0].o, l[1].o, l[2].o, l[3].o};

		FN(run_lanes)(&t, l, h);
		count = l[0].o;
		for (int k = 1; k < LANES; k++) {
			const size_t n = (size_t)(l[k].o - place[k]);

			memmove(t.zi + count, t.zi + place[k], n * sizeof(IDX));
			memmove(t.zv + count, t.zv + place[k], n * sizeof(VAL));
			count += l[k].o - place[k];
		}
	}
	from.o = count;
	FN(finish)(&t, &from, h);
	return from.o;
}

static int64_t FN(add)(const eki_two *t)
{
	return FN(unite)(t, (how){true, EK_SUM});
}

static int64_t FN(unite_pairs)(const eki_two *t)
{
	switch (t->op) {
	case EK_MAX: return FN(unite)(t, (how){false, EK_MAX});
	case EK_MIN: return FN(unite)(t, (how){false, EK_MIN});
#if !EK_VAL_FLOAT
	case EK_OR: return FN(unite)(t, (how){false, EK_OR});
#endif
	default: return FN(unite)(t, (how){false, EK_SUM});
	}
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

/* Predicts the time in nanoseconds. */
static double cost(const eki_features *f)
{
	const eki_array *a = f->array;
	const eki_vector_speed *s = &f->machine->vector;

	return s->lanes_call + s->lanes_entry[1] * (double)(a->x.nnz + a->y.nnz) / a->threads;
}

const ek_method ek_add_lanes = {
	.name = "add.lanes",
	.text = "four merges at a time without branches, cut by search on diagonals",
	.source = "evenkeel; Odeh et al. 2012, for the cuts",
	.operation = EK_SPARSE_ADD,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run_add,
	.cost = cost,
};

const ek_method ek_pairs_union_lanes = {
	.name = "pairs_union.lanes",
	.text = "four merges at a time without branches, cut by search on diagonals",
	.source = "evenkeel; Odeh et al. 2012, for the cuts",
	.operation = EK_PAIRS_UNION,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run_union,
	.cost = cost,
};

#endif
