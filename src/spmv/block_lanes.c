/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV with block rows as lanes, for BELL and SBELL. For each block, W lanes gather c vectors of x,
 * and each of them takes part in r fused multiply-adds, one for each row of the blocks. So no sum
 * has to be added over lanes, and r places need one gather. There is a kernel for each r, whose
 * sums are in registers.
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
#define EK_FILE "spmv/block_lanes.c"
#define EK_WITH_LOADS
#include "base/for_each.h"

#include "drive/finish.h"
#include "format/block_lane.h"

#ifndef EK_LANES_JOB
#define EK_LANES_JOB
/* W lanes of a slice: the values, columns and lengths of the first of them. */
typedef struct lanes_job {
	const block_lanes *l;
	const void *val, *col, *x;
	int64_t width, inside; /* blocks of a lane; those of which none can leave the matrix */
	int64_t last;          /* last column of the matrix */
	int lanes;             /* at most W; if fewer, the slice has no more */
} lanes_job;

/* Computes the sums of the r rows of each lane: sum[i W + k] is that of row i of lane k. */
typedef void lanes_kernel(const lanes_job *job, void *sum);
#endif

/* Returns x at the columns of W blocks, plus k. The other lanes than those of `m` get any
 * elements. `whole` and `inside`, compile-time constants, tell that there are W lanes, and that no
 * column is beyond the last one. */
static inline __attribute__((always_inline)) vec FN(lanes_gather)(const lanes_job *job,
                                                                  const IDX *col, int k, vmask m,
                                                                  const bool whole,
                                                                  const bool inside)
{
	const VAL *x = job->x;

	if (!inside) {
		IDX at[W] = {0};

		for (int n = 0; n < job->lanes; n++)
			at[n] = (IDX)(col[n] + (int64_t)k < job->last ? col[n] + (int64_t)k
			                                              : job->last);
		return vgather_inlined(x, at);
	}
	return whole ? vgather_inlined(x + k, col) : vgather_n(x + k, col, m);
}

/* Adds blocks [begin, end) of all lanes to the sums of their r rows. r is a compile-time
 * constant. */
static inline __attribute__((always_inline)) void FN(lanes_add)(const lanes_job *job, int64_t begin,
                                                                int64_t end, const int r,
                                                                const bool whole, const bool inside,
                                                                vec *sum)
{
	const block_shape *h = &job->l->shape;
	const int64_t height = job->l->height, row = h->row_step * height;
	const VAL *val = (const VAL *)job->val + begin * height * h->places;
	const IDX *col = (const IDX *)job->col + begin * height;
	const vmask m = vmask_n(job->lanes);

	for (int64_t t = begin; t < end; t++, val += height * h->places, col += height)
		for (int k = 0; k < h->c; k++) {
			const vec x = FN(lanes_gather)(job, col, k, m, whole, inside);
			const VAL *a = val + k * h->col_step * height;

			EK_UNROLL
			for (int i = 0; i < r; i++)
				sum[i] = vfma(whole ? vload(a + i * row) : vload_n(a + i * row, m),
				              x, sum[i]);
		}
}

static inline __attribute__((always_inline)) void FN(lanes_sums)(const lanes_job *job, const int r,
                                                                 void *to)
{
	vec sum[BLOCK_MOST];
	VAL *each = to;

	EK_UNROLL
	for (int i = 0; i < r; i++)
		sum[i] = vzero();
	if (job->lanes == W) {
		FN(lanes_add)(job, 0, job->inside, r, true, true, sum);
		FN(lanes_add)(job, job->inside, job->width, r, true, false, sum);
	} else {
		FN(lanes_add)(job, 0, job->inside, r, false, true, sum);
		FN(lanes_add)(job, job->inside, job->width, r, false, false, sum);
	}
	EK_UNROLL
	for (int i = 0; i < r; i++)
		vstore(each + i * W, sum[i]);
}

#define EK_HEIGHTS(of) of(1) of(2) of(3) of(4) of(5) of(6) of(7) of(8)
#define EK_KERNEL(r)                                                    \
	static void FN(lanes_sums_##r)(const lanes_job *job, void *sum) \
	{                                                               \
		FN(lanes_sums)(job, r, sum);                            \
		vleave();                                               \
	}
EK_HEIGHTS(EK_KERNEL)

static inline lanes_kernel *FN(lanes_kernel)(int r)
{
#define EK_NAME(r) FN(lanes_sums_##r),
	static lanes_kernel *const kernel[] = {EK_HEIGHTS(EK_NAME)};

	return kernel[r - 1];
}
#undef EK_NAME
#undef EK_KERNEL
#undef EK_HEIGHTS

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
	lanes_kernel *const kernel = FN(lanes_kernel)(l.shape.r);

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

			kernel(&job, sum);
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
