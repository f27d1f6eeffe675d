/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on BCCOO: a run of blocks of one block row (spmv/block.c) ends at a flag, and counting the
 * flags gives the block row of each run. Threads get the same number of blocks; the driver
 * (drive.c) adds up the sums of block rows that threads share.
 *
 * Yan, Li, Zhang and Zhou 2014 (yaSpMV) sum by segmented scans across the lanes of a vector. Here
 * the lanes run along a side of a block, so no scan is needed. */
#include "format/bccoo.h"
#include "spmv/block.h"
#define EK_FILE "spmv/bccoo.c"
#include "base/for_each.h"

#include "drive/finish.h"
#include "spmv/block_run.h"

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

#if EK_ONCE

static ek_status prepare(eki_step *step)
{
	static eki_carry_fn *const carry[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(bccoo_carry);
	static eki_scatter_fn *const scatter[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(bccoo_scatter);

	return eki_block_prepare(step, carry, scatter);
}

const ek_method ek_spmv_bccoo = {
	.name = "spmv.bccoo",
	.text = "runs of blocks up to a flag, the same number of blocks for each thread",
	.source = "Yan et al. 2014",
	.operation = EK_SPMV,
	.format = {&ek_format_bccoo},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = eki_block_product_cost,
	.prepare = prepare,
	.run = eki_drive_run,
};

#endif
