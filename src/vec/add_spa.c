/* SPDX-License-Identifier: BSD-3-Clause
 * The addition of two sparse vectors by a sparse accumulator (SPA): a dense array to which the
 * entries of x are written and those of y are added, and from which the result is collected in the
 * order of the indices. Marks, a byte for each index, say which entries exist. So an entry whose
 * value is 0 is kept, as in the other methods, and the dense array is never cleared; Algorithm 27
 * collects what is not 0.
 *
 * The published method needs an array as long as the vectors. Here the array is a tile, which
 * begins at the least index that remains and stays in the core's own cache, and tiles without
 * entries are skipped. So time and memory do not depend on the length of the vectors. With
 * options.block at least as large as that length there is one tile, as published.
 *
 * Cost: two writes and one read of the tile for each entry, and a look at the marks of 64 indices
 * at a time, up to the last mark of each tile.
 *
 * Gilbert, Moler and Schreiber 1992; Liu 2015, section 7.3.1, Algorithm 27. */
#include <string.h>

#include "vec/vec.h"
#define EK_VECTORS
#define EK_TYPES_ONLY
#define EK_FILE "vec/add_spa.c"
#include "base/for_each.h"

#include "vec/terms.h"

/* A tile of the dense array: entry k stands for index base + k. */
struct FN(tile) {
	VAL *dense;
	uint8_t *mark;
	int64_t base;
};

/* Moves the marked entries up to the group of 64 that has entry `last` to z, from place n on.
 * Clears their marks. Returns the place after the last entry. */
static int64_t FN(collect)(const struct FN(tile) * s, int64_t last, const eki_two *t, int64_t n)
{
	IDX *zi = t->zi;
	VAL *zv = t->zv;

	for (int64_t k = 0; k <= last; k += 64) {
		uint64_t bits = vbytes(s->mark + k);

		if (bits)
			memset(s->mark + k, 0, 64);
		for (; bits; bits &= bits - 1, n++) {
			const int64_t at = k + __builtin_ctzll(bits);

			zi[n] = (IDX)(s->base + at);
			zv[n] = s->dense[at];
		}
	}
	return n;
}

static int64_t FN(add_spa)(const eki_two *t)
{
	const IDX *xi = t->xi, *yi = t->yi;
	const VAL *xv = t->xv, *yv = t->yv;
	const VAL alpha = (VAL)t->alpha.re, beta = (VAL)t->beta.re;
	struct FN(tile) s = {.mark = (uint8_t *)t->scratch};
	int64_t i = 0, j = 0, n = 0;

	s.dense = (VAL *)(t->scratch + t->block + 64 - t->block % 64);
	while (i < t->xn || j < t->yn) {
		const bool x = i < t->xn && (j == t->yn || xi[i] < yi[j]);
		int64_t last = 0;

		s.base = x ? xi[i] : yi[j];
		for (; i < t->xn && xi[i] - s.base < t->block; i++) {
			last = xi[i] - s.base;
			s.dense[last] = FN(term)(alpha, xv, i);
			s.mark[last] = 1;
		}
		for (int64_t k = last; j < t->yn && (k = yi[j] - s.base) < t->block; j++) {
			const VAL b = FN(term)(beta, yv, j);

			s.dense[k] = s.mark[k] ? sop(EK_SUM, s.dense[k], b) : b;
			s.mark[k] = 1;
			last = k > last ? k : last;
		}
		n = FN(collect)(&s, last, t, n);
	}
	return n;
}

#if EK_ONCE

enum { TILE = 4096, MOST_PIECES = 64 };

static int64_t index_at(const ek_sparse *v, int64_t k)
{
	return v->index == EK_INT64 ? ((const int64_t *)v->idx)[k] : ((const int32_t *)v->idx)[k];
}

/* Returns the number of indices from the first to the last of x and y, which is as long as a tile
 * needs to be. */
static int64_t span(const eki_array *a)
{
	int64_t low = INT64_MAX, high = -1;

	for (int k = 0; k < 2; k++) {
		const ek_sparse *v = k ? &a->y : &a->x;

		if (!v->nnz)
			continue;
		low = index_at(v, 0) < low ? index_at(v, 0) : low;
		high = index_at(v, v->nnz - 1) > high ? index_at(v, v->nnz - 1) : high;
	}
	return high < low ? 1 : high - low + 1;
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	static eki_two_fn *const add[2][4] = EK_BY_VECTOR(add_spa);
	const eki_array *a = v->array;
	const int pieces = a->threads < MOST_PIECES ? a->threads : MOST_PIECES;
	const int64_t most = span(a), block = a->block ? a->block : TILE;
	eki_scratch s = {.block = block < most ? block : most};
	int64_t units;
	void *scratch = NULL;
	ek_status status;

	eki_array_note(a, "block", s.block);
	/* A tile and its marks take at most 9 bytes for each index, and 128 more for alignment.
	 * They are counted in units of 16 bytes, so that the number does not overflow. */
	units = s.block / 16 * 9 + 20;
	EK_TRY(eki_calloc(step->ctx, units, (size_t)16 * (size_t)pieces, &scratch));
	s.at = scratch;
	s.bytes = units * 16;
	EK_TRY(eki_two_pieces(a, &s, add[eki_index_row(a)][eki_value_row(a->type)]));
done:
	eki_free(step->ctx, scratch, units, (size_t)16 * (size_t)pieces);
	return status;
}

/* Predicts the time in nanoseconds. The marks of tiles are counted as if the entries were spread
 * evenly. */
static double cost(const eki_features *f)
{
	const eki_array *a = f->array;
	const eki_vector_speed *s = &f->machine->vector;
	const double n = (double)(a->x.nnz + a->y.nnz), all = (double)a->x.n;
	const double most = n * (double)(a->block ? a->block : TILE);

	return s->method_call +
	       (s->spa_entry * n + s->spa_index * (all < most ? all : most)) / a->threads;
}

const ek_method ek_add_spa = {
	.name = "add.spa",
	.text = "sparse accumulator: entries added up in tiles of a dense vector",
	.source = "Gilbert, Moler and Schreiber 1992; Liu 2015, Algorithm 27",
	.operation = EK_SPARSE_ADD,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run,
	.cost = cost,
};

#endif
