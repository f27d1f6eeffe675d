/* SPDX-License-Identifier: BSD-3-Clause
 * The dot product of a sparse and a dense vector with sixteen sums at a time, so that additions do
 * not wait for each other. Entry k of a piece goes to sum k mod 16, whatever the instruction set,
 * and the number of pieces depends on the number of entries only. So the bits are the same for all
 * instruction sets and any number of threads. Integers are exact in any order, and their additions
 * take one cycle, so four sums do.
 *
 * Higham 2002, section 4.2 (blocked summation); Liu 2015, section 2.3.1. */
#include <string.h>

#include "vec/vec.h"
#define EK_VECTORS
#define EK_PLAIN_LOOPS
#define EK_FILE "vec/dot_dense_lanes.c"
#include "base/for_each.h"

#include "simd/array_gather.h"
#include "vec/terms.h"

#define LANES (EK_VAL_FLOAT ? 16 : 4)

/* Stores in *out the sum of the products of entries begin .. end - 1. */
static void FN(dot_dense)(const eki_array *a, int64_t begin, int64_t end, void *out)
{
	const IDX *idx = a->x.idx;
	const VAL *val = a->x.val, *y = a->dense;
	VAL sum[LANES] = {0};
	int64_t k = begin;

#if EK_GATHERS
	vec lanes[LANES / W];

	EK_UNROLL
	for (int l = 0; l < LANES / W; l++)
		lanes[l] = vset1(0);
	for (; k + LANES <= end; k += LANES)
		EK_UNROLL
	for (int l = 0; l < LANES / W; l++)
		lanes[l] = vop(EK_SUM, lanes[l],
		               vmul(vload(val + k + l * W), vgather(y, idx + k + l * W)));
	EK_UNROLL
	for (int l = 0; l < LANES / W; l++)
		vstore(sum + l * W, lanes[l]);
#endif
	for (; k + LANES <= end; k += LANES)
		EK_UNROLL
	for (int l = 0; l < LANES; l++)
		sum[l] = sop(EK_SUM, sum[l], FN(times)(val[k + l], y[idx[k + l]]));
	for (int l = 0; k < end; k++, l++)
		sum[l] = sop(EK_SUM, sum[l], FN(times)(val[k], y[idx[k]]));
	for (int half = LANES / 2; half; half /= 2)
		for (int l = 0; l < half; l++)
			sum[l] = sop(EK_SUM, sum[l], sum[l + half]);
	*(VAL *)out = sum[0];
}

#undef LANES
#undef EK_GATHERS
#undef vgather
#undef vmul

#if EK_PER_TYPE
static void FN(join)(const eki_array *a, const void *piece, int pieces)
{
	const char *at = piece;
	VAL sum;

	memcpy(&sum, at, sizeof sum);
	for (int k = 1; k < pieces; k++) {
		VAL next;

		memcpy(&next, at + 8 * k, sizeof next);
		sum = sop(EK_SUM, sum, next);
	}
	*(VAL *)a->out = sum;
}
#endif

#if EK_ONCE

/* Largest number of pieces, and entries of a piece as long as there are fewer pieces. */
enum { MOST_PIECES = 128, PIECE = 16384 };

typedef void dot_fn(const eki_array *, int64_t, int64_t, void *);

typedef struct work {
	const eki_array *a;
	dot_fn *fn;
	int pieces;
	union {
		int64_t i64;
		double f64;
		int32_t i32;
		float f32;
	} sum[MOST_PIECES];
} work;

static void part(void *arg, int number)
{
	work *w = arg;
	const int64_t n = w->a->x.nnz;

	w->fn(w->a, eki_cut(n, w->pieces, number), eki_cut(n, w->pieces, number + 1),
	      &w->sum[number]);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	static dot_fn *const dot[EK_NISA][2][4] = EK_BY_ISA_AND_VECTOR(dot_dense);
	static void (*const join[2][4])(const eki_array *, const void *, int) = EK_BY_VECTOR(join);
	const eki_array *a = v->array;
	const int index = eki_index_row(a), value = eki_value_row(a->type);
	const int64_t pieces = a->x.nnz / PIECE + 1;
	work w;

	(void)step;
	w.a = a;
	w.fn = dot[a->isa][index][value];
	w.pieces = pieces < MOST_PIECES ? (int)pieces : MOST_PIECES;
	eki_parallel(a->ctx, a->threads, w.pieces, part, &w);
	join[index][value](a, w.sum, w.pieces);
	return EK_OK;
}

static double cost(const eki_features *f)
{
	return (double)f->array->x.nnz;
}

const ek_method ek_dot_dense_lanes = {
	.name = "dot_dense.lanes",
	.text = "sixteen sums at a time, pieces for the threads",
	.source = "Higham 2002, section 4.2",
	.operation = EK_SPARSE_DOT_DENSE,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run,
	.cost = cost,
};

#endif
