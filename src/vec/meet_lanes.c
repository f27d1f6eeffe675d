/* SPDX-License-Identifier: BSD-3-Clause
 * The common entries of two sparse vectors, or of two sets of pairs, by four walks at a time
 * without branches (cut.h). A step of an intersection writes an index and a combined value in any
 * case, and moves the place for the next result only if the indices are equal. A step of a dot
 * product computes the product and the new sum in any case, and a mask selects the old sum if the
 * indices differ. So values at other indices have no effect, whatever they are.
 *
 * Cost: one read of both vectors and a search on four diagonals for each chunk. */
#include <string.h>

#include "vec/vec.h"
#define EK_VECTORS
#define EK_TYPES_ONLY
#define EK_FILE "vec/meet_lanes.c"
#include "base/for_each.h"

#include "vec/cut.h"
#include "vec/terms.h"

#define INLINE static inline __attribute__((always_inline))

/* ---- Dot products ---------------------------------------------------------------------------- */

/* Adds the product of entries i and j to *sum if their indices are equal. The sum is selected, not
 * the product, so that no sum changes where indices differ. */
INLINE void FN(dot_step)(const eki_two *t, int64_t *i, int64_t *j, VAL *sum)
{
	const IDX p = ((const IDX *)t->xi)[*i], q = ((const IDX *)t->yi)[*j];
	const VAL product = FN(times)(((const VAL *)t->xv)[*i], ((const VAL *)t->yv)[*j]);
	const VAL more = sop(EK_SUM, *sum, product);
	UNS old, new;

	memcpy(&old, sum, sizeof old);
	memcpy(&new, &more, sizeof new);
	old ^= (old ^ new) & -(UNS)(p == q);
	memcpy(sum, &old, sizeof old);
	*i += p <= q;
	*j += q <= p;
}

INLINE void FN(dot_finish)(const eki_two *t, const lane *l, VAL *sum)
{
	const IDX *xi = t->xi, *yi = t->yi;

	for (int64_t i = l->i, j = l->j; i < l->i_end && j < l->j_end;) {
		const IDX p = xi[i], q = yi[j];

		if (p == q)
			*sum = sop(EK_SUM, *sum,
			           FN(times)(((const VAL *)t->xv)[i], ((const VAL *)t->yv)[j]));
		i += p <= q;
		j += q <= p;
	}
}

INLINE void FN(dot_lanes)(const eki_two *given, lane l[LANES], VAL sum[LANES])
{
	const eki_two t = *given;

	for (;;) {
		int64_t i0 = l[0].i, i1 = l[1].i, i2 = l[2].i, i3 = l[3].i;
		int64_t j0 = l[0].j, j1 = l[1].j, j2 = l[2].j, j3 = l[3].j;
		VAL s0 = sum[0], s1 = sum[1], s2 = sum[2], s3 = sum[3];
		int64_t steps = INT64_MAX;

		for (int k = 0; k < LANES; k++)
			steps = lane_safe(&l[k]) < steps ? lane_safe(&l[k]) : steps;
		if (steps <= 0)
			break;
		for (; steps; steps--) {
			FN(dot_step)(&t, &i0, &j0, &s0);
			FN(dot_step)(&t, &i1, &j1, &s1);
			FN(dot_step)(&t, &i2, &j2, &s2);
			FN(dot_step)(&t, &i3, &j3, &s3);
		}
		l[0].i = i0, l[1].i = i1, l[2].i = i2, l[3].i = i3;
		l[0].j = j0, l[1].j = j1, l[2].j = j2, l[3].j = j3;
		sum[0] = s0, sum[1] = s1, sum[2] = s2, sum[3] = s3;
	}
	for (int k = 0; k < LANES; k++)
		FN(dot_finish)(&t, &l[k], &sum[k]);
}

static void FN(dot)(const eki_two *t, void *out)
{
	lane from = {0, 0, 0, t->xn, t->yn};
	VAL sum = 0;

	while (from.i < from.i_end && from.j < from.j_end) {
		VAL part[LANES] = {0};
		lane l[LANES];

		FN(lanes_of_chunk)(t, &from, l);
		FN(dot_lanes)(t, l, part);
		for (int k = 0; k < LANES; k++)
			sum = sop(EK_SUM, sum, part[k]);
	}
	*(VAL *)out = sum;
}

/* ---- Intersections --------------------------------------------------------------------------- */

/* Writes an entry, for which there must be space, and keeps it if it is common to x and y. */
INLINE void FN(meet_step)(const eki_two *t, int64_t *i, int64_t *j, int64_t *o, ek_monoid op)
{
	const IDX p = ((const IDX *)t->xi)[*i], q = ((const IDX *)t->yi)[*j];

	((IDX *)t->zi)[*o] = p;
	((VAL *)t->zv)[*o] = sop(op, ((const VAL *)t->xv)[*i], ((const VAL *)t->yv)[*j]);
	*o += p == q;
	*i += p <= q;
	*j += q <= p;
}

INLINE void FN(meet_finish)(const eki_two *t, lane *l, ek_monoid op)
{
	while (l->i < l->i_end && l->j < l->j_end)
		FN(meet_step)(t, &l->i, &l->j, &l->o, op);
}

INLINE void FN(meet_lanes)(const eki_two *given, lane l[LANES], ek_monoid op)
{
	const eki_two t = *given;

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
			FN(meet_step)(&t, &i0, &j0, &o0, op);
			FN(meet_step)(&t, &i1, &j1, &o1, op);
			FN(meet_step)(&t, &i2, &j2, &o2, op);
			FN(meet_step)(&t, &i3, &j3, &o3, op);
		}
		l[0].i = i0, l[1].i = i1, l[2].i = i2, l[3].i = i3;
		l[0].j = j0, l[1].j = j1, l[2].j = j2, l[3].j = j3;
		l[0].o = o0, l[1].o = o1, l[2].o = o2, l[3].o = o3;
	}
	for (int k = 0; k < LANES; k++)
		FN(meet_finish)(&t, &l[k], op);
}

INLINE int64_t FN(meet)(const eki_two *t, ek_monoid op)
{
	lane from = {0, 0, 0, t->xn, t->yn};
	IDX *zi = t->zi;
	VAL *zv = t->zv;
	int64_t count = 0;

	while (from.i < from.i_end && from.j < from.j_end) {
		const int64_t begin = t->by_x ? from.i : from.j;
		int64_t place[LANES];
		lane l[LANES];

		FN(lanes_of_chunk)(t, &from, l);
		for (int k = 0; k < LANES; k++)
			place[k] = l[k].o = count + (t->by_x ? l[k].i : l[k].j) - begin;
		FN(meet_lanes)(t, l, op);
		count = l[0].o;
		for (int k = 1; k < LANES; k++) {
			const size_t n = (size_t)(l[k].o - place[k]);

			memmove(zi + count, zi + place[k], n * sizeof(IDX));
			memmove(zv + count, zv + place[k], n * sizeof(VAL));
			count += l[k].o - place[k];
		}
	}
	return count;
}

static int64_t FN(intersect)(const eki_two *t)
{
	switch (t->op) {
	case EK_MAX: return FN(meet)(t, EK_MAX);
	case EK_MIN: return FN(meet)(t, EK_MIN);
	case EK_OR: return FN(meet)(t, EK_OR);
	case EK_SUM: break;
	}
	return FN(meet)(t, EK_SUM);
}
#undef INLINE

#if EK_ONCE

/* Number of entries of both vectors in a piece of a dot product. */
enum { PIECE = 65536 };

static ek_status run_dot(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	static eki_two_sum_fn *const dot[2][4] = EK_BY_VECTOR(dot);

	(void)step;
	return eki_two_sums(a, (a->x.nnz + a->y.nnz) / PIECE + 1,
	                    dot[eki_index_row(a)][eki_value_row(a->type)]);
}

static ek_status run_intersect(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	static eki_two_fn *const intersect[2][4] = EK_BY_VECTOR(intersect);

	(void)step;
	return eki_two_pieces(a, NULL, intersect[eki_index_row(a)][eki_value_row(a->type)]);
}

/* Predicts the time in nanoseconds. */
static double cost(const eki_features *f)
{
	const eki_array *a = f->array;
	const eki_vector_speed *s = &f->machine->vector;

	return s->lanes_call + s->lanes_entry[0] * (double)(a->x.nnz + a->y.nnz) / a->threads;
}

const ek_method ek_dot_lanes = {
	.name = "dot.lanes",
	.text = "four walks at a time without branches, cut by search on diagonals",
	.source = "evenkeel; Odeh et al. 2012, for the cuts",
	.operation = EK_SPARSE_DOT,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run_dot,
	.cost = cost,
};

const ek_method ek_pairs_intersect_lanes = {
	.name = "pairs_intersect.lanes",
	.text = "four walks at a time without branches, cut by search on diagonals",
	.source = "evenkeel; Odeh et al. 2012, for the cuts",
	.operation = EK_PAIRS_INTERSECTION,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run_intersect,
	.cost = cost,
};

#endif
