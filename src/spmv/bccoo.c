/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on BCCOO: a run of blocks of one block row (spmv/block.c) ends at a flag, and counting the
 * flags gives the block row of each run. Threads get the same number of blocks; the driver
 * (drive.c) adds up the sums of block rows that threads share.
 *
 * Yan, Li, Zhang and Zhou 2014 (yaSpMV) sum by segmented scans across the lanes of a vector. Here
 * the lanes run along a side of a block, so no scan is needed.
 *
 * If columns are stored in 16 bits, a thread finds those of a window of blocks at a time. They stay
 * in the first-level cache, and the window's blocks are multiplied like others. A run that goes on
 * in the next window is summed in pieces. Rounding is as without windows: a piece in which a row
 * has no entries adds an exact 0 to it. */
#include <string.h>

#include "format/bccoo.h"
#include "spmv/block.h"
#include "spmv/block_cost.h"
#define EK_FILE "spmv/bccoo.c"
#include "base/for_each.h"

#include "drive/finish.h"
#include "spmv/block_run.h"

#ifndef EK_BCCOO_WINDOW
#define EK_BCCOO_WINDOW
enum { WINDOW = 8 * BCCOO_SEGMENT }; /* blocks whose columns are found at a time */
#endif

static void FN(bccoo_carry)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end,
                            eki_carry *carry)
{
	const uint32_t *flag = A->array[BCCOO_FLAG];
	int64_t number = bccoo_number(A, begin);
	const int64_t first = bccoo_row(A, number), last = bccoo_row(A, bccoo_number(A, end - 1));
	FN(block_runs) o = FN(block_runs_of)(A, v, first, last, carry);

	for (int64_t k = begin, stop; k < end; k = stop) {
		stop = bccoo_next(flag, k, end);
		FN(block_run)(&o, bccoo_row(A, number++), k, stop);
	}
}

/* Stores the columns of the n blocks of a segment in `col`. */
static inline void FN(bccoo_differences)(const int16_t *delta, const IDX *block_col, IDX base,
                                         int n, IDX *col)
{
	for (int k = 0; k < n; k++) {
		base = delta[k] != BCCOO_ESCAPE ? base + delta[k] : block_col[k];
		col[k] = base;
	}
}

/* Does the same for distances. Adds without branches first, so that compilers use vectors. */
static inline void FN(bccoo_distances)(const int16_t *delta, const IDX *block_col, IDX base, int n,
                                       IDX *col)
{
	int escapes = 0;

	for (int k = 0; k < n; k++) {
		col[k] = base + (uint16_t)delta[k];
		escapes |= delta[k] == BCCOO_ESCAPE;
	}
	for (int k = 0; k < n && escapes; k++)
		if (delta[k] == BCCOO_ESCAPE)
			col[k] = block_col[k];
}

/* Stores the columns of blocks [begin, end) in `col`. `begin` is the first block of a segment. Both
 * products call it, once for each window. */
static __attribute__((noinline)) void FN(bccoo_columns)(const ek_store *A, int64_t begin,
                                                        int64_t end, IDX *col)
{
	const bool chain = A->dim[BCCOO_DELTAS] == BCCOO_DIFFERENCES;

	for (int64_t k = begin; k < end; k += BCCOO_SEGMENT, col += BCCOO_SEGMENT) {
		const int n = end - k < BCCOO_SEGMENT ? (int)(end - k) : BCCOO_SEGMENT;
		const int16_t *delta = (const int16_t *)A->array[BCCOO_DELTA] + k;
		const IDX *block_col = (const IDX *)A->array[BLOCK_COL] + k;
		const IDX base = ((const IDX *)A->array[BCCOO_BASE])[k / BCCOO_SEGMENT];

		if (chain)
			FN(bccoo_differences)(delta, block_col, base, n, col);
		else
			FN(bccoo_distances)(delta, block_col, base, n, col);
	}
}

/* Finds the columns of a window of blocks, of which [begin, end) are to be multiplied. Returns the
 * end of the window. Sets *from to its first block, `col` to its columns and *p to the product with
 * the window's blocks, whose numbers are those of `all` minus *from. */
static inline int64_t FN(bccoo_window)(const ek_store *A, const block_product *all, int64_t begin,
                                       int64_t end, int64_t *from, IDX *col, block_product *p)
{
	const int64_t first = begin / BCCOO_SEGMENT * BCCOO_SEGMENT;
	const int64_t stop = end - first < WINDOW ? end : first + WINDOW;

	FN(bccoo_columns)(A, first, stop, col);
	*p = *all;
	p->col = col;
	p->val = (const VAL *)all->val + first * all->shape.places;
	p->mask = all->mask + first * all->shape.bytes;
	*from = first;
	return stop;
}

/* Does what bccoo_carry does, with columns in 16 bits. */
static void FN(bccoo_carry_deltas)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end,
                                   eki_carry *carry)
{
	const uint32_t *flag = A->array[BCCOO_FLAG];
	int64_t number = bccoo_number(A, begin);
	const int64_t first = bccoo_row(A, number), last = bccoo_row(A, bccoo_number(A, end - 1));
	FN(block_runs) o = FN(block_runs_of)(A, v, first, last, carry);
	const block_product all = o.p;
	VAL sum[BLOCK_MOST] = {0};
	IDX col[WINDOW];

	for (int64_t k = begin; k < end;) {
		int64_t from;
		const int64_t window = FN(bccoo_window)(A, &all, k, end, &from, col, &o.p);

		for (int64_t stop; k < window; k = stop) {
			VAL piece[BLOCK_MOST];

			stop = bccoo_next(flag, k, window);
			FN(block_sums)(&o.p, k - from, stop - from, piece);
			for (int i = 0; i < all.shape.r; i++)
				sum[i] += piece[i];
			if (stop < end && !mask_has(flag, stop - 1))
				continue;
			FN(block_finish)(&o, bccoo_row(A, number++), sum);
			memset(sum, 0, sizeof sum);
		}
	}
}

static void FN(bccoo_scatter)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end,
                              int64_t first, void *sum)
{
	const uint32_t *flag = A->array[BCCOO_FLAG];
	const block_product p = eki_block_product(A, v->x.data, EK_ISA_OF_PASS);
	eki_block_scatter_fn *const scatter = EK_PASS_OF(eki_block_scatter);
	int64_t number = bccoo_number(A, begin);

	for (int64_t k = begin, stop; k < end; k = stop) {
		stop = bccoo_next(flag, k, end);
		scatter(&p, v->alpha, bccoo_row(A, number++), k, stop, first, sum);
	}
}

/* Does what bccoo_scatter does, with columns in 16 bits. */
static void FN(bccoo_scatter_deltas)(const ek_store *A, const eki_run *v, int64_t begin,
                                     int64_t end, int64_t first, void *sum)
{
	const uint32_t *flag = A->array[BCCOO_FLAG];
	const block_product all = eki_block_product(A, v->x.data, EK_ISA_OF_PASS);
	eki_block_scatter_fn *const scatter = EK_PASS_OF(eki_block_scatter);
	int64_t number = bccoo_number(A, begin);
	IDX col[WINDOW];

	for (int64_t k = begin; k < end;) {
		block_product p;
		int64_t from;
		const int64_t window = FN(bccoo_window)(A, &all, k, end, &from, col, &p);

		for (int64_t stop; k < window; k = stop) {
			stop = bccoo_next(flag, k, window);
			scatter(&p, v->alpha, bccoo_row(A, number), k - from, stop - from, first,
			        sum);
			number += mask_has(flag, stop - 1);
		}
	}
}

#if EK_ONCE

static ek_status prepare(eki_step *step)
{
	static eki_carry_fn *const carry[2][EK_NISA][EK_NTYPE] = {
		EK_BY_ISA_AND_TYPE(bccoo_carry), EK_BY_ISA_AND_TYPE(bccoo_carry_deltas)};
	static eki_scatter_fn *const scatter[2][EK_NISA][EK_NTYPE] = {
		EK_BY_ISA_AND_TYPE(bccoo_scatter), EK_BY_ISA_AND_TYPE(bccoo_scatter_deltas)};
	const ek_store *A = step->in[0], read = bccoo_read(A);
	const bool deltas = A->dim[BCCOO_DELTAS] != 0;

	step->bytes -= eki_store_bytes(A) - eki_store_bytes(&read);
	return eki_block_prepare(step, carry[deltas], scatter[deltas]);
}

/* Predicts the time of a product. With columns in 16 bits, that of a block takes its 2 bytes, its
 * share of base_col, and its share of the escapes. */
static double cost(const eki_features *f)
{
	const ek_store *s = f->store;
	const double column = (double)eki_idx_size(f->index);
	eki_features g = *f;
	ek_store read;

	if (!s || !s->dim[BCCOO_DELTAS] || !s->len[BLOCK_COL])
		return eki_block_product_cost(f);
	read = bccoo_read(s);
	g.store = &read;
	if (f->op == EK_OP_T)
		return eki_block_product_cost(&g);
	return eki_block_columns_cost(f, sizeof(int16_t) + column / BCCOO_SEGMENT +
	                                         column * (double)s->dim[BCCOO_ESCAPES] /
	                                                 (double)s->len[BLOCK_COL]);
}

const ek_method ek_spmv_bccoo = {
	.name = "spmv.bccoo",
	.text = "runs of blocks up to a flag, the same number of blocks for each thread",
	.source = "Yan et al. 2014",
	.operation = EK_SPMV,
	.format = {&ek_format_bccoo},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.run = eki_drive_run,
};

#endif
