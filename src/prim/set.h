/* SPDX-License-Identifier: BSD-3-Clause
 * What the methods for sets share: cutting sets into pieces for threads, and the kernel of
 * union.simd and intersect.simd. */
#ifndef EK_SET_H
#define EK_SET_H

#include "prim/prim.h"

/* A piece of the sets `a` and `b`. Its results, at most `capacity`, go to `out`. No entry outside
 * the piece equals an entry inside it. */
typedef struct eki_set_piece {
	const void *a, *b;
	int64_t an, bn, capacity;
	void *out;
} eki_set_piece;

/* Writes the result of a piece and returns its length, which is at most `capacity` whatever the
 * sets hold. */
typedef int64_t eki_set_fn(const eki_set_piece *piece);

/* Runs a whole set operation: applies fn[eki_int_row(type)] to pieces of the sets and joins their
 * results. */
ek_status eki_set_pieces(const eki_array *set, eki_set_fn *const fn[2]);

/* Returns the piece, with its two sets exchanged if b is smaller than a. */
static inline eki_set_piece eki_set_smaller_first(const eki_set_piece *s)
{
	eki_set_piece t = *s;

	if (s->bn < s->an) {
		t.a = s->b;
		t.an = s->bn;
		t.b = s->a;
		t.bn = s->an;
	}
	return t;
}

/* Predicts the time of union.simd and of intersect.simd in nanoseconds; it is the same. */
double eki_set_simd_cost(const eki_features *f);
extern eki_set_fn *const eki_set_union_simd[EK_NISA][2];
extern eki_set_fn *const eki_set_intersection_simd[EK_NISA][2];

#endif
