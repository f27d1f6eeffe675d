/* SPDX-License-Identifier: BSD-3-Clause
 * Set operations by several threads. The merge of `a` and `b` is cut into equal pieces on diagonals
 * (eki_merge_cut). If a cut would separate two equal entries, one of `a` and one of `b`, both go to
 * the left piece. The number of results of a piece is known only when the piece is done. So each
 * piece writes its results to the place where they would begin if all earlier pieces had as many
 * results as possible. For a union that is the number of entries of these pieces; for an
 * intersection, the number of their entries in the smaller set. The output is large enough for
 * that. Then the results are moved together. No temporary memory is needed, and nothing is done
 * twice. */
#include <string.h>

#include "prim/merge.h"
#include "prim/set.h"

enum { MOST_PIECES = 64 };

typedef struct work {
	const eki_array *set;
	eki_set_fn *fn;
	int64_t i[MOST_PIECES + 1], j[MOST_PIECES + 1], count[MOST_PIECES];
} work;

static int64_t place(const work *w, int piece)
{
	const int64_t i = w->i[piece], j = w->j[piece];

	if (w->set->operation == EK_SET_UNION)
		return i + j;
	return w->set->a.n < w->set->b.n ? i : j;
}

/* Cuts both sets into pieces, whose beginnings ascend even if the sets are not sorted. */
static void cut(work *w, int pieces)
{
	const ek_pairs *a = &w->set->a, *b = &w->set->b;
	const size_t size = ek_value_size(w->set->type);
	const eki_merge m = {.an = a->n, .bn = b->n, .a = a->key, .b = b->key};

	w->i[pieces] = a->n;
	w->j[pieces] = b->n;
	for (int k = 1; k < pieces; k++) {
		const int64_t d = eki_cut(a->n + b->n, pieces, k);
		int64_t i = eki_merge_cut(w->set, &m, d), j = d - i;

		if (i > 0 && j < b->n &&
		    memcmp(m.a + (size_t)(i - 1) * size, m.b + (size_t)j * size, size) == 0)
			j++;
		w->i[k] = i > w->i[k - 1] ? i : w->i[k - 1];
		w->j[k] = j > w->j[k - 1] ? j : w->j[k - 1];
	}
}

static void part(void *arg, int k)
{
	work *w = arg;
	const size_t size = ek_value_size(w->set->type);
	const eki_set_piece piece = {.a = eki_merge_at(w->set->a.key, w->i[k], size),
	                             .b = eki_merge_at(w->set->b.key, w->j[k], size),
	                             .an = w->i[k + 1] - w->i[k],
	                             .bn = w->j[k + 1] - w->j[k],
	                             .capacity = place(w, k + 1) - place(w, k),
	                             .out = eki_merge_at(w->set->out, place(w, k), size)};

	w->count[k] = w->fn(&piece);
}

ek_status eki_set_pieces(const eki_array *set, eki_set_fn *const fn[2])
{
	const size_t size = ek_value_size(set->type);
	const int pieces = set->threads < MOST_PIECES ? set->threads : MOST_PIECES;
	work w = {.set = set, .fn = fn[eki_int_row(set->type)]};
	int64_t n = 0;

	cut(&w, pieces);
	eki_parallel(set->ctx, set->threads, pieces, part, &w);
	for (int k = 0; k < pieces; k++) {
		if (n < place(&w, k) && w.count[k])
			memmove(eki_merge_at(set->out, n, size),
			        eki_merge_at(set->out, place(&w, k), size),
			        (size_t)w.count[k] * size);
		n += w.count[k];
	}
	*set->count = n;
	return EK_OK;
}
