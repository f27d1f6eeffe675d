/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on BRC: each piece in a block is a lane of a vector, so a step is a load, a gather and a
 * fused multiply-add. If a row is one piece, its sum goes to y. Longer rows are cut into pieces of
 * at most `width` entries; the sums of these pieces are stored, and added in order when all blocks
 * are done, without atomic operations. Up to four vectors of a block are summed side by side, which
 * hides the latency of the additions.
 *
 * Reads the arrays of the format once, padding included, except row_piece and the lengths. The
 * lengths are read only where a sum is Inf or NaN, which 0 times Inf may have caused; such pieces
 * are summed again from their entries alone. Rounding: each piece that is added has an entry of the
 * row, so in a row of k entries each product passes through at most k - 1 additions.
 *
 * Liu 2015, section 5.4.6; Ashari, Sedaghati, Eisenlohr and Sadayappan 2014, who add pieces to y by
 * atomic operations. */
#include "format/brc.h"
#include "drive/drive.h"
#define EK_FILE "spmv/brc.c"
#define EK_WITH_LOADS
#include "base/for_each.h"

#include "drive/finish.h"
#include "spmv/lane_sums.h"

#ifndef EK_BRC_AUX
#define EK_BRC_AUX
struct brc_aux {
	int64_t at; /* offset of the partial sums in the scratch */
	bool ahead; /* the arrays come from memory */
};
#endif

/* Returns the sum of piece p, computed from its entries alone, without padding. */
static VAL FN(brc_exact)(const ek_store *A, const VAL *x, int64_t p)
{
	const int64_t height = A->dim[BRC_HEIGHT];
	const int64_t step = ((const PTR *)A->array[BRC_PTR])[p / height];

	return FN(lane_exact)(A, x, step * height + p % height, height,
	                      ((const IDX *)A->array[BRC_LEN])[p]);
}

/* Returns the array of partial sums in the scratch. It has one sum for each piece of a row that is
 * cut into several pieces. */
static inline VAL *FN(brc_partial)(const eki_run *v)
{
	return (VAL *)(void *)(v->scratch + ((const struct brc_aux *)v->aux)->at);
}

/* Finishes pieces p .. p + n - 1, n <= W, from their sums, some of which may be Inf or NaN. If a
 * piece is a whole row, writes its y; otherwise stores the sum of the piece. */
static void FN(brc_finish_any)(const struct lane_run *s, int64_t p, int64_t n, vec sum)
{
	const ek_store *A = s->A;
	const eki_run *v = s->v;
	const IDX *row = (const IDX *)A->array[BRC_ROW] + p;
	const VAL alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta);
	const VAL *y0 = v->y0.data;
	VAL *y = v->y.data, *partial = FN(brc_partial)(v), each[W];
	int64_t r = 0;

	vstore(each, sum);
	for (int64_t k = 0; k < n; k++)
		if (!EK_IS_FINITE(each[k]))
			each[k] = FN(brc_exact)(A, v->x.data, p + k);
	for (; r < n && p + r < A->dim[BRC_SPLIT]; r++)
		partial[p + r] = each[r];
	for (; r < n; r++)
		FN(finish_row)(each[r], alpha, beta, y0 + row[r], y + row[r]);
}

/* Finishes pieces p .. p + n - 1, n <= W, from their sums. */
static inline void FN(brc_finish)(const struct lane_run *s, int64_t p, int64_t n, vec sum)
{
	const eki_run *v = s->v;
	const VAL alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta);

	if (n < W || p < s->A->dim[BRC_SPLIT] || !vfinite(sum))
		FN(brc_finish_any)(s, p, n, sum);
	else
		FN(finish_rows_at)(sum, alpha, beta, v->y0.data, v->y.data,
		                   (const IDX *)s->A->array[BRC_ROW] + p);
}

static void FN(brc_multiply)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end)
{
	const PTR *block_ptr = A->array[BRC_PTR];
	const int64_t height = A->dim[BRC_HEIGHT];
	const struct lane_run s = {
		.A = A,
		.v = v,
		.ahead = ((const struct brc_aux *)v->aux)->ahead,
	};

	for (int64_t b = begin; b < end; b++) {
		const int64_t at = block_ptr[b] * height, stop = block_ptr[b + 1] * height;
		const int64_t p = b * height, n = brc_first(A, b + 1) - p;

		FN(lane_sums)(&s, p, n, height, at, stop, FN(brc_finish));
	}
	vleave();
}

#if EK_PER_TYPE

/* Finishes the rows that are cut into several pieces, from the stored sums of the pieces. */
static void FN(brc_combine)(const ek_store *A, const eki_run *v)
{
	const IDX *row = A->array[BRC_ROW];
	const VAL *partial = FN(brc_partial)(v);
	const VAL alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta);

	for (int64_t p = 0; p < A->dim[BRC_SPLIT];) {
		const int64_t i = row[p];
		VAL sum = partial[p++];

		for (; p < A->dim[BRC_SPLIT] && row[p] == i; p++)
			sum += partial[p];
		FN(finish_row)(sum, alpha, beta, (const VAL *)v->y0.data + i, (VAL *)v->y.data + i);
	}
}

static void FN(brc_scatter)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end,
                            int64_t first, void *to)
{
	const PTR *block_ptr = A->array[BRC_PTR];
	const IDX *len = A->array[BRC_LEN], *row = A->array[BRC_ROW];
	const VAL *x = v->x.data, alpha = EK_SCALAR(v->alpha);
	const int64_t height = A->dim[BRC_HEIGHT];

	for (int64_t p = brc_first(A, begin); p < brc_first(A, end); p++) {
		const int64_t at = block_ptr[p / height] * height + p % height;

		FN(lane_scatter)(A, at, height, len[p], alpha * x[row[p]], first, to);
	}
}

#endif
#if EK_ONCE

typedef void combine_fn(const ek_store *, const eki_run *);

static void span(const ek_store *A, int64_t begin, int64_t end, int64_t span[2])
{
	const int64_t height = A->dim[BRC_HEIGHT];

	eki_span(A, BRC_COL, eki_ptr_at(A, begin) * height, eki_ptr_at(A, end) * height, span);
}

static ek_status prepare(eki_step *step)
{
	static eki_rows_fn *const multiply[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(brc_multiply);
	static eki_scatter_fn *const scatter[EK_NTYPE] = EK_BY_TYPE(brc_scatter);
	const ek_store *A = step->in[0];
	const int type = eki_type(A->value, A->index);
	const int64_t value = (int64_t)ek_value_size(A->value), split = A->dim[BRC_SPLIT];
	struct brc_aux *aux;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *aux, &aux));
	step->aux = aux;
	step->bytes -= A->rows * (int64_t)eki_ptr_size(A->index);
	if (step->op[0] == EK_OP_N) {
		EK_RETURN_IF(eki_step_scratch(step, split, (size_t)value, &aux->at));
		step->bytes += 2 * split * value - brc_pieces(A) * (int64_t)eki_idx_size(A->index);
	}
	aux->ahead = eki_from_memory(step);
	return eki_drive_prepare(step, &(eki_drive){.units = brc_blocks(A),
	                                            .unit_ptr = A->array[BRC_PTR],
	                                            .rows = multiply[step->isa][type],
	                                            .scatter = scatter[type],
	                                            .span = span});
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	static combine_fn *const combine[EK_NTYPE] = EK_BY_TYPE(brc_combine);

	EK_RETURN_IF(eki_drive_run(step, v));
	if (step->op[0] == EK_OP_N)
		combine[eki_type(step->in[0]->value, step->in[0]->index)](step->in[0], v);
	return EK_OK;
}

static double cost(const eki_features *f)
{
	return eki_cost_units(f, EKI_LOOP_PIECES);
}

const ek_method ek_spmv_brc = {
	.name = "spmv.brc",
	.text = "a lane for each piece of a row, pieces added in their order",
	.source = "Liu 2015, section 5.4.6; Ashari et al. 2014",
	.operation = EK_SPMV,
	.format = {&ek_format_brc},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.run = run,
};

#endif
