/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on BCOO: each block row that is not empty is one run of blocks (spmv/block.c). Threads get
 * the same number of blocks; the driver (drive.c) adds up the sums of block rows that threads
 * share.
 *
 * Su and Keutzer 2012 (clSpMV). */
#include "spmv/block.h"
#include "spmv/block_cost.h"
#define EK_FILE "spmv/bcoo.c"
#include "base/for_each.h"

#include "drive/finish.h"
#include "spmv/block_run.h"

/* Returns the end of the run of blocks, all in one block row, that begins with block k < end. */
static inline int64_t FN(bcoo_stop)(const IDX *block_row, int64_t k, int64_t end)
{
	const IDX b = block_row[k];

	while (k < end && block_row[k] == b)
		k++;
	return k;
}

static void FN(bcoo_carry)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end,
                           eki_carry *carry)
{
	const IDX *block_row = A->array[BLOCK_HEAD];
	FN(block_runs) o = FN(block_runs_of)(A, v, block_row[begin], block_row[end - 1], carry);

	for (int64_t k = begin, stop; k < end; k = stop) {
		stop = FN(bcoo_stop)(block_row, k, end);
		EK_AHEAD(block_row + k);
		FN(block_run)(&o, block_row[k], k, stop);
	}
}

static void FN(bcoo_scatter)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end,
                             int64_t first, void *sum)
{
	const IDX *block_row = A->array[BLOCK_HEAD];
	const block_product p = eki_block_product(A, v->x.data, EK_ISA_OF_PASS);

	for (int64_t k = begin, stop; k < end; k = stop) {
		stop = FN(bcoo_stop)(block_row, k, end);
		EK_PASS_OF(eki_block_scatter)(&p, v->alpha, block_row[k], k, stop, first, sum);
	}
}

#if EK_ONCE

static ek_status prepare(eki_step *step)
{
	static eki_carry_fn *const carry[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(bcoo_carry);
	static eki_scatter_fn *const scatter[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(bcoo_scatter);

	return eki_block_prepare(step, carry, scatter);
}

const ek_method ek_spmv_bcoo = {
	.name = "spmv.bcoo",
	.text = "runs of blocks of a block row, the same number of blocks for each thread",
	.source = "Su and Keutzer 2012",
	.operation = EK_SPMV,
	.format = {&ek_format_bcoo},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = eki_block_product_cost,
	.prepare = prepare,
	.run = eki_drive_run,
};

#endif
