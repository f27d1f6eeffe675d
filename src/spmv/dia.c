/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on diagonals (format/dia.c): rows are multiplied in blocks, and the sums of a block stay in
 * the first-level cache while all diagonals are added to them, four at a time where all four cross
 * the whole block. Values, x and sums are contiguous, so nothing is gathered. The transposed
 * product works in the same way, since A^T has the diagonals -offset[d], whose values begin
 * offset[d] places later.
 *
 * Bell and Garland 2009, section 2.1. */
#include <math.h>

#include "format/dia.h"
#include "format/mask.h"
#include "drive/drive.h"
#define EK_FILE "spmv/dia.c"
#include "base/for_each.h"

#include "drive/finish.h"

#ifndef EK_DIA_BLOCK
#define EK_DIA_BLOCK
enum {
	DIA_BLOCK = 256, /* number of rows whose sums are computed together */
	TOGETHER = 4     /* number of diagonals that are added by one loop */
};

/* A part of a diagonal: rows low .. high - 1 of a block, the place of the first of their values,
 * and the column of the element of x that it is multiplied by. If low >= high, there is no such
 * part, and place and column may be outside the arrays. */
struct dia_part {
	int64_t place, column, low, high;
};

static inline int64_t dia_end(int64_t block, int64_t rows)
{
	return rows - block * DIA_BLOCK < DIA_BLOCK ? rows : (block + 1) * DIA_BLOCK;
}
#endif

/* Adds TOGETHER diagonals, one after the other, to the sums of all n rows of a block. Without
 * EK_AHEAD, since the values are streams between which nothing is gathered: with it, products that
 * read from memory took 1.1 to 1.5 times as long (Zen 4, measured). */
static inline void FN(dia_add_together)(const struct dia_part *p, const VAL *val, const VAL *x,
                                        VAL *sum, int64_t n)
{
	const VAL *a0 = val + p[0].place, *a1 = val + p[1].place;
	const VAL *a2 = val + p[2].place, *a3 = val + p[3].place;
	const VAL *x0 = x + p[0].column, *x1 = x + p[1].column;
	const VAL *x2 = x + p[2].column, *x3 = x + p[3].column;

	for (int64_t k = 0; k < n; k += W) {
		vec s = vload(sum + k);

		s = vfma(vload(a0 + k), vload(x0 + k), s);
		s = vfma(vload(a1 + k), vload(x1 + k), s);
		s = vfma(vload(a2 + k), vload(x2 + k), s);
		vstore(sum + k, vfma(vload(a3 + k), vload(x3 + k), s));
	}
}

static inline void FN(dia_add)(const VAL *a, const VAL *x, VAL *sum, int64_t n)
{
	int64_t k = 0;

	for (; k + W <= n; k += W)
		vstore(sum + k, vfma(vload(a + k), vload(x + k), vload(sum + k)));
	if (k < n) {
		const vmask m = vmask_n(n - k);

		vstore_n(sum + k, vfma(vload_n(a + k, m), vload_n(x + k, m), vload_n(sum + k, m)),
		         m);
	}
}

/* Returns element i of A x, or of A^T x if `transposed` is true, computed from the entries alone,
 * without padding. */
static VAL FN(dia_exact)(const ek_store *A, const VAL *x, int64_t i, bool transposed)
{
	const IDX *offset = A->array[DIA_OFFSET];
	const VAL *val = A->array[DIA_VAL];
	const uint32_t *mask = A->array[DIA_MASK];
	const int64_t stride = A->dim[DIA_STRIDE], x_len = transposed ? A->rows : A->cols;
	VAL sum = 0;

	for (int64_t d = 0; d < dia_count(A); d++) {
		const int64_t j = transposed ? i - offset[d] : i + offset[d];
		const int64_t place = d * stride + (transposed ? j : i);

		if (j >= 0 && j < x_len && mask_has(mask, place))
			sum += val[place] * x[j];
	}
	return sum;
}

/* Returns the part of diagonal d in rows first .. first + n - 1 of A, or of A^T. */
static inline struct dia_part FN(dia_part_of)(const ek_store *A, int64_t d, int64_t first,
                                              int64_t n, bool transposed)
{
	const int64_t offset = ((const IDX *)A->array[DIA_OFFSET])[d];
	const int64_t shift = transposed ? -offset : offset;
	const int64_t end = (transposed ? A->rows : A->cols) - shift;
	const int64_t low = first > -shift ? first : -shift;
	const int64_t place = d * A->dim[DIA_STRIDE] + low + (transposed ? shift : 0);

	return (struct dia_part){place, low + shift, low - first,
	                         (first + n < end ? first + n : end) - first};
}

/* Adds all diagonals to the sums of rows first .. first + n - 1, n <= DIA_BLOCK. */
static inline void FN(dia_sums)(const ek_store *A, const VAL *x, VAL *sum, int64_t first, int64_t n,
                                bool transposed)
{
	const VAL *val = A->array[DIA_VAL];
	const int64_t count = dia_count(A);

	for (int64_t d = 0; d < count;) {
		struct dia_part p[TOGETHER];
		int whole = 0, some = 0;

		for (; some < TOGETHER && d + some < count; some++) {
			p[some] = FN(dia_part_of)(A, d + some, first, n, transposed);
			whole += p[some].low == 0 && p[some].high == n;
		}
		d += some;
		if (whole == TOGETHER && n % W == 0) {
			FN(dia_add_together)(p, val, x, sum, n);
			continue;
		}
		for (int k = 0; k < some; k++)
			if (p[k].low < p[k].high)
				FN(dia_add)(val + p[k].place, x + p[k].column, sum + p[k].low,
				            p[k].high - p[k].low);
	}
}

/* Computes elements first .. first + n - 1 of y, n <= DIA_BLOCK. */
static inline void FN(dia_block)(const ek_store *A, const eki_run *v, int64_t first, int64_t n,
                                 bool transposed)
{
	const VAL *x = v->x.data, *y0 = (const VAL *)v->y0.data + first;
	const VAL alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta);
	VAL *y = (VAL *)v->y.data + first, sum[DIA_BLOCK] = {0};
	int64_t i = 0;

	FN(dia_sums)(A, x, sum, first, n, transposed);
	for (; i + W <= n && vfinite(vload(sum + i)); i += W)
		FN(finish_rows)(vload(sum + i), alpha, beta, y0 + i, y + i);
	for (; i < n; i++) {
		if (!EK_IS_FINITE(sum[i]))
			sum[i] = FN(dia_exact)(A, x, first + i, transposed);
		FN(finish_row)(sum[i], alpha, beta, y0 + i, y + i);
	}
}

static void FN(dia_rows)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end)
{
	for (int64_t k = begin; k < end; k++)
		FN(dia_block)(A, v, k * DIA_BLOCK, dia_end(k, A->rows) - k * DIA_BLOCK, false);
	vleave();
}

static void FN(dia_columns)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end)
{
	for (int64_t k = begin; k < end; k++)
		FN(dia_block)(A, v, k * DIA_BLOCK, dia_end(k, A->cols) - k * DIA_BLOCK, true);
	vleave();
}

#if EK_ONCE

static ek_status prepare(eki_step *step)
{
	static eki_rows_fn *const rows[2][EK_NISA][EK_NTYPE] = {EK_BY_ISA_AND_TYPE(dia_rows),
	                                                        EK_BY_ISA_AND_TYPE(dia_columns)};
	const ek_store *A = step->in[0];
	const bool transposed = step->op[0] == EK_OP_T;
	const int64_t blocks = ((transposed ? A->cols : A->rows) + DIA_BLOCK - 1) / DIA_BLOCK;

	step->bytes -= A->len[DIA_MASK] * (int64_t)sizeof(uint32_t);
	return eki_drive_prepare(
		step,
		&(eki_drive){.units = blocks,
	                     .rows = rows[transposed][step->isa][eki_type(A->value, A->index)]});
}

/* Predicts the time with the layout f->store. Every diagonal has a loop in each block of rows, and
 * no branch depends on the lengths of rows. x is read in order along each diagonal, so
 * nothing waits for it. */
static double cost_of_layout(const eki_features *f)
{
	const double diagonals = (double)f->store->len[DIA_OFFSET];
	const double loops = diagonals * (1 + (double)f->stats.rows / DIA_BLOCK);
	eki_features alike = *f;

	alike.mixed_share = alike.unforeseen_share = alike.unforeseen_steps = 0;
	alike.far_share = alike.lost_share = 0;
	return eki_cost_units(&alike, EKI_LOOP_DIAGONALS) +
	       eki_loop_speed(f, EKI_LOOP_DIAGONALS)->miss * loops / f->threads;
}

/* Predicts the time. Before the diagonals have been counted, they are taken to be as full
 * everywhere as in the sampled rows. */
static double cost(const eki_features *f)
{
	ek_store guess = {.format = &ek_format_dia, .value = f->value, .index = f->index};
	eki_features g = *f;

	if (f->store)
		return cost_of_layout(f);
	if (f->diagonal_share <= 0)
		return INFINITY;
	const double places = (double)f->stats.nnz / f->diagonal_share;

	guess.len[DIA_VAL] = (int64_t)places;
	guess.len[DIA_OFFSET] = 1 + (int64_t)places / (f->stats.rows + 1);
	g.store = &guess;
	return cost_of_layout(&g);
}

const ek_method ek_spmv_dia = {
	.name = "spmv.dia",
	.text = "some rows at a time, diagonal by diagonal, nothing gathered",
	.source = "Bell and Garland 2009, section 2.1",
	.operation = EK_SPMV,
	.format = {&ek_format_dia},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.run = eki_drive_run,
};

#endif
