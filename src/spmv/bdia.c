/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on banded diagonals (format/bdia.c). The sums of a group of 32 rows are held in registers
 * while all bands are added to them. Each diagonal of a band is a few loads of values and of x,
 * one element further each time, and nothing is gathered. Bands are read as one stream each. Where
 * a band leaves the matrix, its elements are added one by one.
 *
 * The transposed product adds the diagonals of a group to the sums of its columns.
 *
 * Su and Keutzer 2012 (clSpMV). */
#include <math.h>

#include "format/bdia.h"
#include "drive/drive.h"
#define EK_FILE "spmv/bdia.c"
#include "base/for_each.h"

#include "drive/finish.h"

#ifndef EK_BDIA_EDGE
#define EK_BDIA_EDGE
/* The part of a diagonal that is in the matrix: elements low .. high - 1 of a group's 32. */
struct bdia_part {
	int64_t low, high;
};

/* Returns the part whose columns are in [0, cols), if element 0 is in column `column`, and whose
 * rows are among the first `rows`. */
static inline struct bdia_part bdia_part_of(int64_t column, int64_t cols, int64_t rows)
{
	return (struct bdia_part){column < 0 ? -column : 0,
	                          cols - column < rows ? cols - column : rows};
}
#endif

/* Adds n diagonals to the sums of 32 rows. The first has its values at `val` and begins at `x`. */
static inline __attribute__((always_inline)) void FN(bdia_add)(const VAL *val, const VAL *x,
                                                               int64_t n, vec *sum)
{
	for (int64_t d = 0; d < n; d++, val += BDIA_ROWS, x++) {
		EK_UNROLL
		for (int k = 0; k < BDIA_ROWS / W; k++)
			sum[k] = vfma(vload(val + k * W), vload(x + k * W), sum[k]);
	}
}

/* Adds n diagonals, of which the first has element 0 in column `column`, as far as they are in the
 * matrix. */
static void FN(bdia_add_edge)(const VAL *val, const VAL *x, int64_t n, int64_t column, int64_t cols,
                              VAL *sum)
{
	for (int64_t d = 0; d < n; d++, val += BDIA_ROWS, column++) {
		const struct bdia_part p = bdia_part_of(column, cols, BDIA_ROWS);

		for (int64_t r = p.low; r < p.high; r++)
			sum[r] += val[r] * x[column + r];
	}
}

/* Returns element i of A x, from the entries alone. */
static VAL FN(bdia_exact)(const ek_store *A, const VAL *x, int64_t i)
{
	const PTR *band_ptr = A->array[BDIA_PTR];
	const IDX *offset = A->array[BDIA_OFFSET];
	const VAL *val = A->array[BDIA_VAL];
	const uint32_t *mask = A->array[BDIA_MASK];
	const int64_t groups = bdia_groups(A), r = i % BDIA_ROWS;
	VAL sum = 0;

	for (int64_t b = 0; b < bdia_bands(A); b++) {
		const int64_t n = band_ptr[b + 1] - band_ptr[b];
		const int64_t word = bdia_word(band_ptr[b], n, groups, i / BDIA_ROWS, 0);

		for (int64_t d = 0; d < n; d++)
			if (mask[word + d] >> r & 1)
				sum += val[(word + d) * BDIA_ROWS + r] * x[i + offset[b] + d];
	}
	return sum;
}

/* Finishes the rows of group g from their sums. */
static inline void FN(bdia_finish)(const ek_store *A, const eki_run *v, int64_t g, VAL *sum)
{
	const int64_t first = g * BDIA_ROWS;
	const int64_t rows = A->rows - first < BDIA_ROWS ? A->rows - first : BDIA_ROWS;
	const VAL alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta);
	const VAL *y0 = (const VAL *)v->y0.data + first;
	VAL *y = (VAL *)v->y.data + first;
	int64_t i = 0;

	for (; i + W <= rows && vfinite(vload(sum + i)); i += W)
		FN(finish_rows)(vload(sum + i), alpha, beta, y0 + i, y + i);
	for (; i < rows; i++) {
		if (!EK_IS_FINITE(sum[i]))
			sum[i] = FN(bdia_exact)(A, v->x.data, first + i);
		FN(finish_row)(sum[i], alpha, beta, y0 + i, y + i);
	}
}

static void FN(bdia_rows)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end)
{
	const PTR *band_ptr = A->array[BDIA_PTR];
	const IDX *offset = A->array[BDIA_OFFSET];
	const VAL *val = A->array[BDIA_VAL], *x = v->x.data;
	const int64_t groups = bdia_groups(A), bands = bdia_bands(A);

	for (int64_t g = begin; g < end; g++) {
		VAL edge[BDIA_ROWS] = {0};
		vec sum[BDIA_ROWS / W];

		EK_UNROLL
		for (int k = 0; k < BDIA_ROWS / W; k++)
			sum[k] = vzero();
		for (int64_t b = 0; b < bands; b++) {
			const int64_t n = band_ptr[b + 1] - band_ptr[b];
			const int64_t word = bdia_word(band_ptr[b], n, groups, g, 0);
			const int64_t column = g * BDIA_ROWS + offset[b];
			const VAL *a = val + word * BDIA_ROWS;

			if (column >= 0 && column + n + BDIA_ROWS - 1 <= A->cols)
				FN(bdia_add)(a, x + column, n, sum);
			else
				FN(bdia_add_edge)(a, x, n, column, A->cols, edge);
		}
		EK_UNROLL
		for (int k = 0; k < BDIA_ROWS / W; k++)
			vstore(edge + k * W, vadd(sum[k], vload(edge + k * W)));
		FN(bdia_finish)(A, v, g, edge);
	}
	vleave();
}

/* ---- Transposed ------------------------------------------------------------------------------ */

/* Adds n diagonals of a group to the sums of their columns, where sum[0] is that of column `first`.
 * xs[r] is alpha x for row r of the group, which has `rows` rows. */
static inline void FN(bdia_spread)(const VAL *val, const VAL *xs, int64_t n, int64_t column,
                                   int64_t cols, int64_t rows, VAL *sum, int64_t first)
{
	for (int64_t d = 0; d < n; d++, val += BDIA_ROWS, column++) {
		const struct bdia_part p = bdia_part_of(column, cols, rows);
		int64_t r = p.low, to = column + r - first;

		for (; r + W <= p.high; r += W, to += W)
			vstore(sum + to, vfma(vload(val + r), vload(xs + r), vload(sum + to)));
		for (; r < p.high; r++, to++)
			sum[to] += val[r] * xs[r];
	}
}

/* Does the same for all bands, but for entries alone. */
static void FN(bdia_spread_exact)(const ek_store *A, const VAL *xs, int64_t g, VAL *sum,
                                  int64_t first)
{
	const PTR *band_ptr = A->array[BDIA_PTR];
	const IDX *offset = A->array[BDIA_OFFSET];
	const VAL *val = A->array[BDIA_VAL];
	const uint32_t *mask = A->array[BDIA_MASK];

	for (int64_t b = 0; b < bdia_bands(A); b++) {
		const int64_t n = band_ptr[b + 1] - band_ptr[b];
		const int64_t word = bdia_word(band_ptr[b], n, bdia_groups(A), g, 0);

		for (int64_t d = 0; d < n; d++)
			for (uint32_t left = mask[word + d]; left; left &= left - 1) {
				const int r = __builtin_ctz(left);
				const int64_t j = g * BDIA_ROWS + r + offset[b] + d;

				sum[j - first] += val[(word + d) * BDIA_ROWS + r] * xs[r];
			}
	}
}

static void FN(bdia_scatter)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end,
                             int64_t first, void *to)
{
	const PTR *band_ptr = A->array[BDIA_PTR];
	const IDX *offset = A->array[BDIA_OFFSET];
	const VAL *val = A->array[BDIA_VAL], *x = v->x.data, alpha = EK_SCALAR(v->alpha);

	for (int64_t g = begin; g < end; g++) {
		const int64_t row = g * BDIA_ROWS;
		const int64_t rows = A->rows - row < BDIA_ROWS ? A->rows - row : BDIA_ROWS;
		VAL xs[BDIA_ROWS] = {0}, bad = 0;

		for (int64_t r = 0; r < rows; r++) {
			xs[r] = alpha * x[row + r];
			bad += xs[r] * 0;
		}
		if (bad != 0) { /* true only if `bad` is NaN */
			FN(bdia_spread_exact)(A, xs, g, to, first);
			continue;
		}
		for (int64_t b = 0; b < bdia_bands(A); b++) {
			const int64_t n = band_ptr[b + 1] - band_ptr[b];
			const int64_t word = bdia_word(band_ptr[b], n, bdia_groups(A), g, 0);

			FN(bdia_spread)
			(val + word * BDIA_ROWS, xs, n, row + offset[b], A->cols, rows, to, first);
		}
	}
	vleave();
}

#if EK_ONCE

static void span(const ek_store *A, int64_t begin, int64_t end, int64_t span[2])
{
	const int64_t bands = bdia_bands(A);

	span[0] = span[1] = 0;
	if (!bands)
		return;
	const int64_t n = eki_ptr_at(A, bands) - eki_ptr_at(A, bands - 1);
	const int64_t low = begin * BDIA_ROWS + eki_idx_at(A, BDIA_OFFSET, 0);
	const int64_t high =
		eki_group(A->rows, BDIA_ROWS, end) - 1 + eki_idx_at(A, BDIA_OFFSET, bands - 1) + n;

	span[0] = low < 0 ? 0 : low < A->cols ? low : A->cols;
	span[1] = high < span[0] ? span[0] : high < A->cols ? high : A->cols;
}

static ek_status prepare(eki_step *step)
{
	static eki_rows_fn *const rows[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(bdia_rows);
	static eki_scatter_fn *const scatter[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(bdia_scatter);
	const ek_store *A = step->in[0];
	const int type = eki_type(A->value, A->index);

	step->bytes -= A->len[BDIA_MASK] * (int64_t)sizeof(uint32_t);
	return eki_drive_prepare(step, &(eki_drive){.units = bdia_groups(A),
	                                            .rows = rows[step->isa][type],
	                                            .scatter = scatter[step->isa][type],
	                                            .span = span});
}

/* Predicts the time as for DIA (spmv/dia.c), but that a loop is over the diagonals of a band. x is
 * read in order, so nothing waits for it. */
static double cost(const eki_features *f)
{
	eki_features alike = *f;

	if (!f->store)
		return INFINITY;
	const double loops = (double)bdia_bands(f->store) * (double)bdia_groups(f->store);

	alike.mixed_share = alike.unforeseen_share = alike.unforeseen_steps = 0;
	alike.far_share = alike.lost_share = 0;
	return eki_cost_units(&alike, EKI_LOOP_DIAGONALS) +
	       eki_loop_speed(f, EKI_LOOP_DIAGONALS)->miss * loops / f->threads;
}

const ek_method ek_spmv_bdia = {
	.name = "spmv.bdia",
	.text = "32 rows at a time, band by band, nothing gathered",
	.source = "Su and Keutzer 2012",
	.operation = EK_SPMV,
	.format = {&ek_format_bdia},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.run = eki_drive_run,
};

#endif
