/* SPDX-License-Identifier: BSD-3-Clause
 * Pieces of two sparse vectors, for several threads. The merge of their indices is cut into equal
 * pieces on diagonals (eki_merge_cut). If a cut would separate two equal indices, one of x and one
 * of y, both go to the left piece. The number of results of a piece is known only when the piece is
 * done. So each piece writes its results to the place where they would begin if all earlier pieces
 * had as many results as possible, and at the end they are moved together, as set_pieces.c does for
 * sets without values. */
#include <string.h>

#include "prim/merge.h"
#include "vec/vec.h"

enum { MOST_PIECES = 64 };

typedef union number {
	float f32;
	double f64;
	uint32_t i32;
	uint64_t i64;
} number;

typedef struct work {
	const eki_array *a;
	int pieces;
	int64_t i[MOST_PIECES + 1], j[MOST_PIECES + 1], count[MOST_PIECES];
	const eki_scratch *scratch;
	eki_two_fn *fn;
	eki_two_sum_fn *sum;
	number sums[MOST_PIECES];
} work;

eki_two eki_two_of(const eki_array *a)
{
	return (eki_two){.array = a,
	                 .xi = a->x.idx,
	                 .xv = a->x.val,
	                 .yi = a->y.idx,
	                 .yv = a->y.val,
	                 .xn = a->x.nnz,
	                 .yn = a->y.nnz,
	                 .zi = a->z.idx,
	                 .zv = a->z.val,
	                 .by_x = a->x.nnz < a->y.nnz,
	                 .alpha = a->alpha,
	                 .beta = a->beta,
	                 .op = a->op};
}

static int64_t place(const work *w, int piece)
{
	const int64_t i = w->i[piece], j = w->j[piece];

	if (w->a->operation != EK_PAIRS_INTERSECTION)
		return i + j;
	return w->a->x.nnz < w->a->y.nnz ? i : j;
}

static bool equal(const eki_array *a, int64_t i, int64_t j)
{
	if (a->x.index == EK_INT64)
		return ((const int64_t *)a->x.idx)[i] == ((const int64_t *)a->y.idx)[j];
	return ((const int32_t *)a->x.idx)[i] == ((const int32_t *)a->y.idx)[j];
}

/* Cuts both vectors into pieces, whose beginnings ascend even if the indices do not. */
static void cut(work *w, int pieces)
{
	const eki_array keys = {.type = w->a->x.index};
	const int64_t xn = w->a->x.nnz, yn = w->a->y.nnz;
	const eki_merge m = {.an = xn, .bn = yn, .a = w->a->x.idx, .b = w->a->y.idx};

	w->pieces = pieces;
	w->i[0] = w->j[0] = 0;
	w->i[pieces] = xn;
	w->j[pieces] = yn;
	for (int k = 1; k < pieces; k++) {
		const int64_t d = eki_cut(xn + yn, pieces, k);
		int64_t i = eki_merge_cut(&keys, &m, d), j = d - i;

		if (i > 0 && j < yn && equal(w->a, i - 1, j))
			j++;
		w->i[k] = i > w->i[k - 1] ? i : w->i[k - 1];
		w->j[k] = j > w->j[k - 1] ? j : w->j[k - 1];
	}
}

static eki_two piece_of(const work *w, int k)
{
	const ek_sparse *x = &w->a->x, *y = &w->a->y, *z = &w->a->z;
	const size_t is = ek_value_size(x->index), vs = ek_value_size(w->a->type);
	const int64_t i = w->i[k], j = w->j[k], o = place(w, k);
	eki_two t = eki_two_of(w->a);

	t.xi = eki_merge_at(x->idx, i, is);
	t.xv = eki_merge_at(x->val, i, vs);
	t.yi = eki_merge_at(y->idx, j, is);
	t.yv = eki_merge_at(y->val, j, vs);
	t.xn = w->i[k + 1] - i;
	t.yn = w->j[k + 1] - j;
	t.zi = eki_merge_at(z->idx, o, is);
	t.zv = eki_merge_at(z->val, o, vs);
	if (w->scratch) {
		t.scratch = w->scratch->at + k * w->scratch->bytes;
		t.block = w->scratch->block;
	}
	return t;
}

static void part(void *arg, int k)
{
	work *w = arg;
	const eki_two t = piece_of(w, k);

	w->count[k] = w->fn(&t);
}

/* Moves n entries of `size` bytes within an array. */
static void move(void *array, int64_t to, int64_t from, int64_t n, size_t size)
{
	memmove(eki_merge_at(array, to, size), eki_merge_at(array, from, size), (size_t)n * size);
}

ek_status eki_two_pieces(const eki_array *a, const eki_scratch *scratch, eki_two_fn *fn)
{
	work w = {.a = a, .scratch = scratch, .fn = fn};
	int64_t n = 0;

	cut(&w, a->threads < MOST_PIECES ? a->threads : MOST_PIECES);
	eki_parallel(a->ctx, a->threads, w.pieces, part, &w);
	for (int k = 0; k < w.pieces; k++) {
		if (n < place(&w, k) && w.count[k]) {
			move(a->z.idx, n, place(&w, k), w.count[k], ek_value_size(a->x.index));
			move(a->z.val, n, place(&w, k), w.count[k], ek_value_size(a->type));
		}
		n += w.count[k];
	}
	*a->count = n;
	return EK_OK;
}

/* ---- Sums ------------------------------------------------------------------------------------ */

static void sum_part(void *arg, int k)
{
	work *w = arg;
	const eki_two t = piece_of(w, k);

	w->sum(&t, &w->sums[k]);
}

/* Returns a + b, numbers of the given type. */
static number add(ek_value type, number a, number b)
{
	if (type == EK_F32)
		return (number){.f32 = a.f32 + b.f32};
	if (type == EK_F64)
		return (number){.f64 = a.f64 + b.f64};
	if (type == EK_INT32)
		return (number){.i32 = a.i32 + b.i32};
	return (number){.i64 = a.i64 + b.i64};
}

ek_status eki_two_sums(const eki_array *a, int64_t pieces, eki_two_sum_fn *fn)
{
	work w = {.a = a, .sum = fn};
	number sum;

	cut(&w, pieces < MOST_PIECES ? (int)pieces : MOST_PIECES);
	eki_parallel(a->ctx, a->threads, w.pieces, sum_part, &w);
	sum = w.sums[0];
	for (int k = 1; k < w.pieces; k++)
		sum = add(a->type, sum, w.sums[k]);
	memcpy(a->out, &sum, ek_value_size(a->type));
	return EK_OK;
}
