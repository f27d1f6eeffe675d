/* SPDX-License-Identifier: BSD-3-Clause
 * The sum of an array at the speed of memory. The array is cut into pieces, and each piece into
 * tiles. Each tile is summed by vectors (prim/wide.h), the sums of tiles are added in order within
 * a piece, and the sums of pieces in order at the end. The number of pieces depends on n only, so
 * the bits of the result do not depend on the threads. There are enough pieces to balance threads
 * of different speed.
 *
 * Higham 2002, section 4.2 (blocked summation); Liu 2015, section 4.3.2 (definition of the
 * reduction). */
#include "prim/prim.h"
#define EK_ARRAYS
#define EK_FILE "prim/reduce_simd.c"
#include "base/for_each.h"
#include "prim/wide.h"

static eki_wide FN(reduce_simd_piece)(const eki_array *a, int64_t begin, int64_t end)
{
	const VAL *in = a->in;
	eki_wide sum = FN(widen)(FN(identity)(a->op));

	for (int64_t i = begin; i < end; i += EKI_TILE) {
		const int64_t n = end - i < EKI_TILE ? end - i : EKI_TILE;

		sum = FN(wide_op)(a->op, sum, FN(widen)(FN(tile_sum)(a->op, in + i, n)));
	}
	return sum;
}

#if EK_PER_TYPE
static void FN(reduce_simd_join)(const eki_array *a, const eki_wide *piece, int pieces)
{
	eki_wide sum = FN(widen)(FN(identity)(a->op));

	for (int k = 0; k < pieces; k++)
		sum = FN(wide_op)(a->op, sum, piece[k]);
	*(VAL *)a->out = FN(narrow)(sum);
}
#endif

#if EK_ONCE

enum { MOST_PIECES = 128, PIECE_BYTES = 2 * EKI_TILE_BYTES };

struct reduce {
	const eki_array *a;
	eki_wide (*sum)(const eki_array *, int64_t, int64_t);
	int pieces;
	eki_wide piece[MOST_PIECES];
};

static void sum_piece(void *arg, int part)
{
	struct reduce *r = arg;

	r->piece[part] = r->sum(r->a, eki_cut(r->a->n, r->pieces, part),
	                        eki_cut(r->a->n, r->pieces, part + 1));
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	static eki_wide (*const sum[EK_NISA][4])(const eki_array *, int64_t, int64_t) =
		EK_BY_ISA_AND_VALUE(reduce_simd_piece);
	static void (*const join[])(const eki_array *, const eki_wide *, int) =
		EK_BY_VALUE(reduce_simd_join);
	int64_t pieces = a->n / (int64_t)(PIECE_BYTES / ek_value_size(a->type)) + 1;
	struct reduce r;

	(void)step;
	r.a = a;
	r.sum = sum[a->isa][eki_value_row(a->type)];
	r.pieces = pieces < MOST_PIECES ? (int)pieces : MOST_PIECES;
	eki_parallel(a->ctx, a->threads, r.pieces, sum_piece, &r);
	join[eki_value_row(a->type)](a, r.piece, r.pieces);
	return EK_OK;
}

static double cost(const eki_features *f)
{
	const eki_array *a = f->array;
	return (double)a->n;
}

const ek_method ek_reduce_simd = {
	.name = "reduce.simd",
	.text = "vectors by tiles, threads",
	.source = "Higham 2002, section 4.2",
	.operation = EK_REDUCE,
	.backend = EKI_CPU,
	.run = run,
	.cost = cost,
};

#endif
