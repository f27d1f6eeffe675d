/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on BRC: a lane of a vector for each piece of a block, so a step is a load, a gather and a
 * fused addition. What a row of one piece has is its y; the sums of the pieces of longer rows are
 * kept, and when all blocks are done each such row adds its own in their order, one for `width`
 * entries, without atomic operations. Up to four vectors of a block go side by side, which hides
 * the time of the additions where blocks are narrow.
 *
 * Reads the bytes of the format once, padding included, but neither row_piece nor the lengths:
 * these only where a sum comes out Inf or NaN, which 0 times Inf may have caused; such pieces are
 * summed again from their entries alone. Rounding: pieces that are added have an entry of the row
 * each, so a term of a row of k entries passes at most k - 1 additions.
 *
 * Liu 2015, section 5.4.6; Ashari, Sedaghati, Eisenlohr and Sadayappan 2014, who add pieces to y by
 * atomic operations. */
#include "format/brc.h"
#include "spmv/drive.h"
#define EK_FILE "spmv/brc.c"
#include "core/for_each.h"

#include "spmv/finish.h"
#include "spmv/lane_sums.h"

/* The sum of piece p, from its entries alone. */
static VAL FN(brc_exact)(const ek_store *A, const VAL *x, int64_t p)
{
	const int64_t height = A->dim[BRC_HEIGHT];
	const int64_t step = ((const PTR *)A->array[BRC_PTR])[p / height];

	return FN(lane_exact)(A, x, step * height + p % height, height,
	                      ((const IDX *)A->array[BRC_LEN])[p]);
}

/* Finishes pieces p .. p + n - 1, n <= W, from their sums. */
static inline void FN(brc_finish)(const struct lane_run *s, int64_t p, int64_t n, vec sum)
{
	const ek_store *A = s->A;
	const ek_args *v = s->v;
	const IDX *row = (const IDX *)A->array[BRC_ROW] + p;
	const VAL alpha = (VAL)v->alpha, beta = (VAL)v->beta;
	const VAL *y0 = v->y0;
	VAL *y = v->y, *partial = (VAL *)(uintptr_t)v->kept, each[W];
	int64_t r = 0;

	vstore(each, sum);
	if (!vfinite(sum))
		for (int64_t k = 0; k < n; k++)
			if (!isfinite(each[k]))
				each[k] = FN(brc_exact)(A, v->x, p + k);
	for (; r < n && p + r < A->dim[BRC_SPLIT]; r++)
		partial[p + r] = each[r];
	for (; r < n; r++)
		FN(finish_row)(each[r], alpha, beta, y0 + row[r], y + row[r]);
}

static void FN(brc_multiply)(const ek_store *A, const ek_args *v, int64_t begin, int64_t end)
{
	const PTR *block_ptr = A->array[BRC_PTR];
	const int64_t height = A->dim[BRC_HEIGHT];
	const struct lane_run s = {.A = A, .v = v};

	for (int64_t b = begin; b < end; b++) {
		const int64_t at = block_ptr[b] * height, stop = block_ptr[b + 1] * height;
		const int64_t p = b * height, n = brc_first(A, b + 1) - p;

		FN(lane_sums)(&s, p, n, height, at, stop, FN(brc_finish));
	}
}

#if EK_PER_TYPE

/* y of the rows of several pieces. */
static void FN(brc_combine)(const ek_store *A, const ek_args *v)
{
	const IDX *row = A->array[BRC_ROW];
	const VAL *partial = v->kept;
	const VAL alpha = (VAL)v->alpha, beta = (VAL)v->beta;

	for (int64_t p = 0; p < A->dim[BRC_SPLIT];) {
		const int64_t i = row[p];
		VAL sum = partial[p++];

		for (; p < A->dim[BRC_SPLIT] && row[p] == i; p++)
			sum += partial[p];
		FN(finish_row)(sum, alpha, beta, (const VAL *)v->y0 + i, (VAL *)v->y + i);
	}
}

static void FN(brc_scatter)(const ek_store *A, const ek_args *v, int64_t begin, int64_t end,
                            int64_t first, void *to)
{
	const PTR *block_ptr = A->array[BRC_PTR];
	const IDX *len = A->array[BRC_LEN], *row = A->array[BRC_ROW];
	const VAL *x = v->x, alpha = (VAL)v->alpha;
	const int64_t height = A->dim[BRC_HEIGHT];

	for (int64_t p = brc_first(A, begin); p < brc_first(A, end); p++) {
		const int64_t at = block_ptr[p / height] * height + p % height;

		FN(lane_scatter)(A, at, height, len[p], alpha * x[row[p]], first, to);
	}
}

#endif
#if EK_ONCE

typedef void combine_fn(const ek_store *, const ek_args *);

static void span(const ek_store *A, int64_t begin, int64_t end, int64_t span[2])
{
	const int64_t height = A->dim[BRC_HEIGHT];

	eki_span(A, BRC_COL, eki_ptr_at(A, begin) * height, eki_ptr_at(A, end) * height, span);
}

static ek_status prepare(ek_plan *p)
{
	static eki_rows_fn *const multiply[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(brc_multiply);
	static eki_scatter_fn *const scatter[EK_NTYPE] = EK_BY_TYPE(brc_scatter);
	const ek_store *A = p->store;
	const int type = eki_type(A->value, A->index);
	const int64_t value = (int64_t)ek_value_size(A->value), split = A->dim[BRC_SPLIT];

	p->bytes -= A->rows * (int64_t)eki_ptr_size(A->index);
	if (p->op == EK_OP_N) {
		EK_RETURN_IF(eki_plan_alloc(p, split, (size_t)value, &p->kept));
		p->bytes += 2 * split * value - brc_pieces(A) * (int64_t)eki_idx_size(A->index);
	}
	return eki_drive_prepare(p, &(eki_drive){.units = brc_blocks(A),
	                                         .unit_ptr = A->array[BRC_PTR],
	                                         .rows = multiply[p->isa][type],
	                                         .scatter = scatter[type],
	                                         .span = span});
}

static ek_status run(const ek_plan *p, const ek_args *args)
{
	static combine_fn *const combine[EK_NTYPE] = EK_BY_TYPE(brc_combine);

	EK_RETURN_IF(eki_drive_run(p, args));
	if (p->op == EK_OP_N)
		combine[eki_type(p->store->value, p->store->index)](p->store, args);
	return EK_OK;
}

const ek_method ek_spmv_brc = {
	.name = "spmv.brc",
	.text = "a lane for each piece of a row, pieces added in their order",
	.source = "Liu 2015, section 5.4.6; Ashari et al. 2014",
	.operation = EK_SPMV,
	.format = &ek_format_brc,
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.prepare = prepare,
	.run = run,
};

#endif
