/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on BCSR: each block row is one run of blocks (spmv/block.c). Threads get whole block rows,
 * with about the same number of blocks.
 *
 * Im and Yelick 2001; Vuduc 2003, chapter 3. */
#include "spmv/block.h"
#include "spmv/block_cost.h"
#define EK_FILE "spmv/bcsr.c"
#include "base/for_each.h"

#include "drive/finish.h"
#include "spmv/block_run.h"

static void FN(bcsr_rows)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end)
{
	const block_product p = FN(block_plain)(A, v->x.data);
	const PTR *block_ptr = A->array[BLOCK_HEAD];
	const VAL alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta);

	for (int64_t b = begin; b < end; b++) {
		const int64_t i = b * p.shape.r;
		const int n = A->rows - i < p.shape.r ? (int)(A->rows - i) : p.shape.r;
		const VAL *y0 = (const VAL *)v->y0.data + i;
		VAL sum[BLOCK_MOST], *y = (VAL *)v->y.data + i;

		if (block_ptr[b] == block_ptr[b + 1]) {
			FN(finish_none)(beta, y0, y, n);
			continue;
		}
		FN(block_sums)(&p, block_ptr[b], block_ptr[b + 1], sum);
		for (int k = 0; k < n; k++)
			FN(finish_row)(sum[k], alpha, beta, y0 + k, y + k);
	}
}

static void FN(bcsr_scatter)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end,
                             int64_t first, void *sum)
{
	const block_product p = eki_block_product(A, v->x.data, EK_ISA_OF_PASS);
	const PTR *block_ptr = A->array[BLOCK_HEAD];
	eki_block_scatter_fn *const scatter = EK_PASS_OF(eki_block_scatter);

	for (int64_t b = begin; b < end; b++)
		scatter(&p, v->alpha, b, block_ptr[b], block_ptr[b + 1], first, sum);
}

#if EK_ONCE

static void span(const ek_store *A, int64_t begin, int64_t end, int64_t span[2])
{
	eki_block_span(A, eki_ptr_at(A, begin), eki_ptr_at(A, end), span);
}

static ek_status prepare(eki_step *step)
{
	static eki_rows_fn *const rows[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(bcsr_rows);
	static eki_scatter_fn *const scatter[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(bcsr_scatter);
	const ek_store *A = step->in[0];
	const int type = eki_type(A->value, A->index);

	return eki_drive_prepare(step, &(eki_drive){.units = block_shape_of(A).rows,
	                                            .unit_ptr = A->array[BLOCK_HEAD],
	                                            .rows = rows[step->isa][type],
	                                            .scatter = scatter[step->isa][type],
	                                            .span = span});
}

const ek_method ek_spmv_bcsr = {
	.name = "spmv.bcsr",
	.text = "block rows, a vector for each line of a block",
	.source = "Im and Yelick 2001; Vuduc 2003, chapter 3",
	.operation = EK_SPMV,
	.format = {&ek_format_bcsr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = eki_block_product_cost,
	.prepare = prepare,
	.run = eki_drive_run,
};

#endif
