/* SPDX-License-Identifier: BSD-3-Clause
 * What the methods for sets share: the cut into pieces for threads, and the kernel of union.simd
 * and intersect.simd. */
#ifndef EK_SET_H
#define EK_SET_H

#include "prim/prim.h"

/* Entries of a and b that no entry outside the piece equals, and where at most `room` results
 * go. */
typedef struct eki_set_piece {
	const void *a, *b;
	int64_t an, bn, room;
	void *out;
} eki_set_piece;

/* Writes the result of a piece, at most `room` entries whatever the inputs hold; returns how
 * many. */
typedef int64_t eki_set_fn(const eki_set_piece *piece);

/* Does a whole call by fn[eki_int_row(type)] on pieces. */
ek_status eki_set_pieces(const eki_array *set, eki_set_fn *const fn[2]);

/* The same sets, a being the smaller. */
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

/* Predicted nanoseconds of both methods of set_simd.c. */
double eki_set_simd_cost(const eki_array *set);
extern eki_set_fn *const eki_set_union_simd[EK_NISA][2];
extern eki_set_fn *const eki_set_intersection_simd[EK_NISA][2];

#endif
