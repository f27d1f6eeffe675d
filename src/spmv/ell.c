/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on ELLPACK. If A is stored by rows (order=1), SIMD works inside each row, and the lanes are
 * added up for W rows at a time. If A is stored by columns, each row is a lane of a vector, so no
 * sum has to be added over lanes. But then the entries of a row are far apart. Multiplying some
 * rows over all columns would read two streams (values and columns) for each entry of the longest
 * row. Processors do not prefetch so many streams: rows of 64 entries reach only a quarter to a
 * half of the speed (measured). So 2048 rows are multiplied together, 8 columns at a time, and
 * their sums stay in the cache meanwhile.
 *
 * For the W rows of a vector, columns are read only up to the end of the longest of these rows. If
 * a sum is Inf or NaN, which 0 times Inf may have caused, the row is summed again without padding:
 * an x_j that is not finite reaches only the rows that have an entry in column j.
 *
 * Reads the arrays of the format once. Bell and Garland 2009, section 2.2; Liu 2015, section
 * 5.2.2. */
#include "format/ell.h"
#include "drive/drive.h"
#define EK_FILE "spmv/ell.c"
#define EK_WITH_LOADS
#include "base/for_each.h"

#include "drive/finish.h"
#include "spmv/lane_sums.h"
#include "drive/row_sums.h"

#ifndef EK_ELL_BLOCK
#define EK_ELL_BLOCK
enum { ELL_BLOCK = 2048, ELL_PANEL = 8 }; /* rows of a block, columns of a panel */
#endif

/* ---- By rows --------------------------------------------------------------------------------- */

static void FN(ell_by_rows)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end)
{
	const IDX *len = A->array[ELL_LEN], *col_idx = A->array[ELL_COL];
	const VAL *val = A->array[ELL_VAL], *x = v->x.data;
	const VAL alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta);
	const int64_t width = A->dim[ELL_WIDTH], stop = ell_row(A, end);
	const VAL *y0 = v->y0.data;
	VAL *y = v->y.data;
	int64_t i = ell_row(A, begin);

	for (; i + W <= stop; i += W) {
		vec row[W];

		EK_UNROLL
		for (int r = 0; r < W; r++) {
			const int64_t k = (i + r) * width;

			row[r] = FN(row_sums)(col_idx, val, x, k, k + len[i + r]);
		}
		FN(finish_rows)(vsum_rows(row), alpha, beta, y0 + i, y + i);
	}
	for (; i < stop; i++) {
		vec row = FN(row_sums)(col_idx, val, x, i * width, i * width + len[i]);

		FN(finish_row)(vsum(row), alpha, beta, y0 + i, y + i);
	}
}

/* ---- By columns ------------------------------------------------------------------------------ */

/* Returns the length of the longest of n rows, whose lengths begin at `len`. */
static inline IDX FN(ell_longest)(const IDX *len, int64_t n)
{
	IDX most = 0;

	for (int64_t r = 0; r < n; r++)
		most = len[r] > most ? len[r] : most;
	return most;
}

/* Finishes rows i .. i + n - 1, n <= W, from their sums. */
static inline void FN(ell_finish)(const ek_store *A, const eki_run *v, int64_t i, int64_t n,
                                  vec sum)
{
	const IDX *len = (const IDX *)A->array[ELL_LEN] + i;
	const VAL alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta);
	const bool finite = vfinite(sum);
	const VAL *y0 = (const VAL *)v->y0.data + i;
	VAL *y = (VAL *)v->y.data + i, each[W];

	if (n == W && finite) {
		FN(finish_rows)(sum, alpha, beta, y0, y);
		return;
	}
	vstore(each, sum);
	for (int64_t r = 0; r < n; r++) {
		if (!finite && !EK_IS_FINITE(each[r]))
			each[r] = FN(lane_exact)(A, v->x.data, i + r, A->dim[ELL_STRIDE], len[r]);
		FN(finish_row)(each[r], alpha, beta, y0 + r, y + r);
	}
}

/* Multiplies rows i .. i + n - 1, n <= ELL_BLOCK, one panel of ELL_PANEL columns after the other.
 * The arrays are padded to whole vectors of rows, so vectors can be loaded for any n. */
static void FN(ell_block)(const ek_store *A, const eki_run *v, int64_t i, int64_t n)
{
	const IDX *len = (const IDX *)A->array[ELL_LEN] + i;
	const int64_t stride = A->dim[ELL_STRIDE], width = FN(ell_longest)(len, n);
	const VAL *x = v->x.data;
	vec sums[ELL_BLOCK / W];
	IDX longest[ELL_BLOCK / W];

	for (int64_t first = 0; first == 0 || first < width; first += ELL_PANEL)
		for (int64_t r = 0; r < n; r += W) {
			const int64_t rows = n - r < W ? n - r : W;
			const VAL *a = (const VAL *)A->array[ELL_VAL] + first * stride + i + r;
			const IDX *c = (const IDX *)A->array[ELL_COL] + first * stride + i + r;
			vec sum = first ? sums[r / W] : vzero();
			int64_t end = first ? longest[r / W] : FN(ell_longest)(len + r, rows);

			longest[r / W] = (IDX)end;
			end = end < first + ELL_PANEL ? end : first + ELL_PANEL;
			for (int64_t j = first; j < end; j++, a += stride, c += stride) {
				EK_AHEAD(a);
				EK_AHEAD(c);
				sum = vfma(vload(a), vgather(x, c), sum);
			}
			if (first + ELL_PANEL < width)
				sums[r / W] = sum;
			else
				FN(ell_finish)(A, v, i + r, rows, sum);
		}
}

static void FN(ell_by_columns)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end)
{
	const int64_t stop = ell_row(A, end);

	for (int64_t i = ell_row(A, begin); i < stop; i += ELL_BLOCK)
		FN(ell_block)(A, v, i, stop - i < ELL_BLOCK ? stop - i : ELL_BLOCK);
}

/* ---- Transposed ------------------------------------------------------------------------------ */

static void FN(ell_scatter)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end,
                            int64_t first, void *to)
{
	const IDX *len = A->array[ELL_LEN];
	const VAL *x = v->x.data, alpha = EK_SCALAR(v->alpha);
	const int64_t row = ell_row_step(A), step = ell_entry_step(A);

	for (int64_t i = ell_row(A, begin); i < ell_row(A, end); i++)
		FN(lane_scatter)(A, i * row, step, len[i], alpha * x[i], first, to);
}

#if EK_PER_TYPE

static void FN(ell_span)(const ek_store *A, int64_t begin, int64_t end, int64_t span[2])
{
	const IDX *len = A->array[ELL_LEN], *col_idx = A->array[ELL_COL];
	const int64_t row = ell_row_step(A), step = ell_entry_step(A);

	span[0] = span[1] = 0;
	for (int64_t i = ell_row(A, begin); i < ell_row(A, end); i++)
		for (int64_t k = i * row, j = 0; j < len[i]; j++, k += step) {
			span[0] = span[1] == 0 || col_idx[k] < span[0] ? col_idx[k] : span[0];
			span[1] = col_idx[k] >= span[1] ? (int64_t)col_idx[k] + 1 : span[1];
		}
}

#endif
#if EK_ONCE

static ek_status prepare(eki_step *step)
{
	static eki_rows_fn *const rows[2][EK_NISA][EK_NTYPE] = {EK_BY_ISA_AND_TYPE(ell_by_rows),
	                                                        EK_BY_ISA_AND_TYPE(ell_by_columns)};
	static eki_scatter_fn *const scatter[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(ell_scatter);
	static eki_span_fn *const span[EK_NTYPE] = EK_BY_TYPE(ell_span);
	const ek_store *A = step->in[0];
	const int type = eki_type(A->value, A->index);

	return eki_drive_prepare(step,
	                         &(eki_drive){.units = (A->rows + ELL_GROUP - 1) / ELL_GROUP,
	                                      .rows = rows[A->dim[ELL_ORDER] - 1][step->isa][type],
	                                      .scatter = scatter[step->isa][type],
	                                      .span = span[type]});
}

/* Predicts the time. Before A is in the format, its size is known from the longest row. */
static double cost(const eki_features *f)
{
	ek_store guess = {.format = &ek_format_ell,
	                  .value = f->value,
	                  .index = f->index,
	                  .rows = f->stats.rows,
	                  .dim = {[ELL_ORDER] = BY_COLUMNS, [ELL_WIDTH] = f->stats.row_max}};
	eki_features g = *f;

	if (!g.store) {
		ell_shape(&guess);
		g.store = &guess;
	}
	return eki_cost_units(&g, EKI_LOOP_LANES);
}

const ek_method ek_spmv_ell = {
	.name = "spmv.ell",
	.text = "a lane for each row, 8 columns at a time; by rows: SIMD inside a row",
	.source = "Bell and Garland 2009, section 2.2",
	.operation = EK_SPMV,
	.format = {&ek_format_ell},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.run = eki_drive_run,
};

#endif
