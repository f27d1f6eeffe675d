/* SPDX-License-Identifier: BSD-3-Clause
 * Cuts of two sparse vectors within a thread. A loop that takes the lesser of two indices waits for
 * itself: which indices to load next is known only when the last two have been compared. So a
 * thread walks through four pieces at a time, step by step in turn (merge_path.c has the figures).
 * The vectors are taken chunk by chunk, so that what a chunk reads and writes stays in the core's
 * own cache. A chunk is cut into four pieces by searches on diagonals. Included in each pass of a
 * file with EK_VECTORS.
 *
 * Odeh, Green, Mwassi, Shmueli and Birk 2012, for the cuts. */
#ifndef EK_VEC_CUT_H
#define EK_VEC_CUT_H

/* Number of lanes, and of entries of both vectors in a chunk. */
enum { LANES = 4, CHUNK = 16384 };

/* A piece in progress: the next entries i of x and j of y, and their ends. `o` is the place for the
 * next result. */
typedef struct lane {
	int64_t i, j, o, i_end, j_end;
} lane;

/* Returns a number of steps that the lane can do without passing an end of x or y: a step moves
 * past at most one entry of each. */
static inline int64_t lane_safe(const lane *l)
{
	const int64_t i = l->i_end - l->i, j = l->j_end - l->j;

	return i < j ? i : j;
}
#endif

#include "prim_body/search.h"

struct FN(diagonal) {
	const IDX *x, *y;
	int64_t d;
};

static inline bool FN(comes_before)(const void *of, int64_t i)
{
	const struct FN(diagonal) *at = of;

	return at->x[i] <= at->y[at->d - i - 1];
}

/* Finds the end of the first d entries of the merge of x and y from entries `from` on. If the last
 * of them equals the entry after it, that entry belongs to them too. */
static void FN(lane_cut)(const eki_two *t, const lane *from, int64_t d, int64_t *i, int64_t *j)
{
	const struct FN(diagonal)
		at = {(const IDX *)t->xi + from->i, (const IDX *)t->yi + from->j, d};
	const int64_t xn = from->i_end - from->i, yn = from->j_end - from->j;

	*i = eki_merge_path(xn, yn, d, FN(comes_before), &at);
	*j = d - *i;
	if (*i > 0 && *j < yn && at.x[*i - 1] == at.y[*j])
		++*j;
	*i += from->i;
	*j += from->j;
}

/* Cuts the chunk that begins at the entries `from` into lanes, and moves `from` past the chunk.
 * Beginnings ascend even if the indices do not. The vectors must not be empty. */
static void FN(lanes_of_chunk)(const eki_two *t, lane *from, lane l[LANES])
{
	const int64_t left = from->i_end - from->i + from->j_end - from->j;
	lane chunk = *from;

	if (left > CHUNK)
		FN(lane_cut)(t, from, CHUNK, &chunk.i_end, &chunk.j_end);

	const int64_t n = chunk.i_end - chunk.i + chunk.j_end - chunk.j;

	l[0] = chunk;
	for (int k = 1; k < LANES; k++) {
		int64_t i, j;

		FN(lane_cut)(t, &chunk, n / LANES * k, &i, &j);
		i = i > l[k - 1].i ? i : l[k - 1].i;
		j = j > l[k - 1].j ? j : l[k - 1].j;
		l[k - 1].i_end = i;
		l[k - 1].j_end = j;
		l[k] = (lane){i, j, 0, chunk.i_end, chunk.j_end};
	}
	from->i = chunk.i_end;
	from->j = chunk.j_end;
}
