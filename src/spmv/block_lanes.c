/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV with block rows as lanes, for BELL and SBELL. For each block, W lanes gather c vectors of x,
 * and each of them takes part in r fused multiply-adds, one for each row of the blocks. So no sum
 * has to be added over lanes, and r places need one gather. The kernels are in block_lanes_sums.c;
 * this file, which does not gather, gives them the lanes and finishes the rows.
 *
 * If the number of columns is no multiple of c, the last block of a block row may reach beyond the
 * last column. From the last block of the shortest of W lanes on, columns are therefore limited;
 * the places there are fill. Fill and padding are 0 and are multiplied by x at columns where a row
 * has no entry, so a sum that is not finite is computed again from the entries that the masks mark.
 * The transposed product goes through the entries alone.
 *
 * Reads the arrays of the format once, padding included, except the masks.
 * Su and Keutzer 2012 (clSpMV); lanes as in spmv/sell.c. */
#include <math.h>

#include "spmv/block_lanes.h"
#include "spmv/block_lanes_sums.h"
#define EK_FILE "spmv/block_lanes.c"
#include "base/for_each.h"

#include "drive/finish.h"
#include "format/block_lane.h"

#ifndef EK_LANES_KERNELS
#define EK_LANES_KERNELS
/* Kernels for W lanes of a slice, and for the last lanes of a slice, if they are fewer. */
typedef struct lanes_kernels {
	lanes_kernel *whole, *few;
} lanes_kernels;
#endif

/* Returns the sum of row i, from its entries alone. */
static VAL FN(lanes_exact)(const ek_store *A, const block_lanes *l, const VAL *x, int64_t i)
{
	const struct FN(block_lane) lane = FN(block_lane_of)(l, i / l->shape.r);
	const IDX *col = (const IDX *)A->array[BLOCK_COL] + lane.block;
	const VAL *val = (const VAL *)A->array[BLOCK_VAL] + lane.place;
	VAL sum = 0;

	for (int64_t t = 0; t < lane.n; t++)
		for (uint64_t m = block_mask(A->array[BLOCK_MASK], &l->shape,
		                             lane.block + t * l->height);
		     m; m &= m - 1) {
			const int p = __builtin_ctzll(m);

			if (block_i(&l->shape, p) == i % l->shape.r)
				sum += val[(t * l->shape.places + p) * l->height] *
				       x[(int64_t)col[t * l->height] + block_j(&l->shape, p)];
		}
	return sum;
}

/* Finishes the rows of n block rows, of which the first is b, from their sums. */
static inline void FN(lanes_finish)(const ek_store *A, const block_lanes *l, const eki_run *v,
                                    int64_t b, int64_t n, const VAL *sum)
{
	const VAL alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta);
	const int64_t r = l->shape.r;
	const VAL *y0 = v->y0.data;
	VAL *y = v->y.data;

	if (r == 1 && n == W && vfinite(vload(sum))) {
		FN(finish_rows)(vload(sum), alpha, beta, y0 + b, y + b);
		return;
	}
	for (int64_t i = b * r; i < (b + n) * r && i < A->rows; i++) {
		VAL each = sum[i % r * W + i / r - b];

		if (!EK_IS_FINITE(each))
			each = FN(lanes_exact)(A, l, v->x.data, i);
		FN(finish_row)(each, alpha, beta, y0 + i, y + i);
	}
}

/* Returns the number of blocks that all of n lanes, of which the first is block row b, have before
 * their last one. */
static inline int64_t FN(lanes_inside)(const block_lanes *l, int64_t b, int64_t n)
{
	const IDX *len = (const IDX *)l->len + b;
	IDX least = b + n <= l->shape.rows ? len[0] : 0;

	for (int64_t k = 1; k < n && least > 0; k++)
		least = len[k] < least ? len[k] : least;
	return least > 0 ? least - 1 : 0;
}

static void FN(lanes_rows)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end)
{
	const block_lanes l = block_lanes_of(A);
	const bool ragged = A->cols % l.shape.c != 0;
	const lanes_kernels *kernel = v->aux;

	for (int64_t k = begin; k < end; k++) {
		const int64_t start = FN(lanes_start)(&l, k), first = k * l.height;
		const int64_t width = FN(lanes_width)(&l, k);
		const int64_t rows = eki_group(l.shape.rows, l.height, k + 1) - first;

		for (int64_t at = 0; at < rows; at += W) {
			const int64_t lanes = l.height - at < W ? l.height - at : W;
			const int64_t n = rows - at < W ? rows - at : W;
			VAL sum[BLOCK_MOST * W];
			const lanes_job job = {
				.l = &l,
				.val = (const VAL *)A->array[BLOCK_VAL] + start * l.shape.places +
			               at,
				.col = (const IDX *)A->array[BLOCK_COL] + start + at,
				.x = v->x.data,
				.width = width,
				.inside = ragged ? FN(lanes_inside)(&l, first + at, lanes) : width,
				.last = A->cols - 1,
				.lanes = (int)lanes};

			(lanes < W ? kernel->few : kernel->whole)(&job, sum);
			FN(lanes_finish)(A, &l, v, first + at, n, sum);
		}
	}
	vleave();
}

#if EK_PER_TYPE

static void FN(lanes_scatter)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end,
                              int64_t first, void *to)
{
	const block_lanes l = block_lanes_of(A);
	const block_shape *h = &l.shape;
	const VAL *x = v->x.data, alpha = EK_SCALAR(v->alpha);
	VAL *sum = to;

	for (int64_t b = begin * l.height; b < eki_group(h->rows, l.height, end); b++) {
		const struct FN(block_lane) lane = FN(block_lane_of)(&l, b);
		const IDX *col = (const IDX *)A->array[BLOCK_COL] + lane.block;
		const VAL *val = (const VAL *)A->array[BLOCK_VAL] + lane.place;
		VAL xs[BLOCK_MOST] = {0};

		for (int i = 0; i < h->r && b * h->r + i < A->rows; i++)
			xs[i] = alpha * x[b * h->r + i];
		for (int64_t t = 0; t < lane.n; t++)
			for (uint64_t m =
			             block_mask(A->array[BLOCK_MASK], h, lane.block + t * l.height);
			     m; m &= m - 1) {
				const int p = __builtin_ctzll(m);

				sum[(int64_t)col[t * l.height] + block_j(h, p) - first] +=
					val[(t * h->places + p) * l.height] * xs[block_i(h, p)];
			}
	}
}

#endif
#if EK_ONCE

static void span(const ek_store *A, int64_t begin, int64_t end, int64_t span[2])
{
	const block_lanes l = block_lanes_of(A);
	const int64_t from = l.ptr ? eki_ptr_at(A, begin) : begin * l.height * l.width;
	const int64_t to = l.ptr ? eki_ptr_at(A, end) : end * l.height * l.width;

	eki_span(A, BLOCK_COL, from, to, span);
	if (span[0] < span[1])
		span[1] = span[1] + l.shape.c - 1 < A->cols ? span[1] + l.shape.c - 1 : A->cols;
}

ek_status eki_block_lanes_prepare(eki_step *step)
{
	static eki_rows_fn *const rows[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(lanes_rows);
	static eki_scatter_fn *const scatter[EK_NTYPE] = EK_BY_TYPE(lanes_scatter);
	const ek_store *A = step->in[0];
	const int type = eki_type(A->value, A->index);
	const block_lanes l = block_lanes_of(A);
	lanes_kernels *kernels;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *kernels, &kernels));
	*kernels = (lanes_kernels){.whole = eki_lanes_kernel(step->isa, type, l.shape.r),
	                           .few = eki_lanes_kernel(step->isa, type, 0)};
	step->aux = kernels;
	if (step->op[0] == EK_OP_N)
		step->bytes -= A->len[BLOCK_MASK];
	return eki_drive_prepare(step, &(eki_drive){.units = l.slices,
	                                            .unit_ptr = l.ptr,
	                                            .rows = rows[step->isa][type],
	                                            .scatter = scatter[type],
	                                            .span = span});
}

/* Predicts the time from the bytes and from the gathers: one for each column of a block, in loops
 * like those of SELL. */
double eki_block_lanes_cost(const eki_features *f)
{
	if (!f->store)
		return INFINITY;
	if (f->op == EK_OP_T)
		return eki_cost_units(f, EKI_LOOP_SCATTER);
	const double r = (double)f->store->dim[BLOCK_R], rows = (double)f->stats.rows;

	return f->machine->call +
	       eki_cost(f, eki_format_bytes(f),
	                eki_work(f, EKI_LOOP_CHUNKS, rows / r, eki_places(f) / r));
}

#endif
