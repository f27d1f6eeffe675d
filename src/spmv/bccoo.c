/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on BCCOO: a run of blocks (spmv/block.c) ends at a flag, and counting flags gives its block
 * row. Blocks are dealt out evenly; the block rows that threads share are added up by the driver
 * (drive.c).
 *
 * Yan, Li, Zhang and Zhou 2014 (yaSpMV) sum by segmented scans in the lanes; here lanes lie along
 * blocks. */
#include "format/bccoo.h"
#include "spmv/block.h"
#define EK_FILE "spmv/bccoo.c"
#include "core/for_each.h"

#include "spmv/finish.h"
#include "spmv/block_run.h"

static void FN(bccoo_carry)(const ek_store *A, const ek_args *v, int64_t begin, int64_t end,
                            eki_carry *carry)
{
	const uint32_t *flag = A->array[BCCOO_FLAG];
	int64_t number = bccoo_number(A, begin);
	FN(block_runs)
	o = FN(block_runs_of)(A, v, bccoo_row(A, number), bccoo_row(A, bccoo_number(A, end - 1)),
	                      carry);

	for (int64_t k = begin, stop; k < end; k = stop) {
		stop = bccoo_next(flag, k, end);
		FN(block_run)(&o, bccoo_row(A, number++), k, stop);
	}
}

static void FN(bccoo_scatter)(const ek_store *A, const ek_args *v, int64_t begin, int64_t end,
                              int64_t first, void *sum)
{
	const uint32_t *flag = A->array[BCCOO_FLAG];
	const block_product p = eki_block_product(A, v->x, EK_ISA_OF_PASS);
	int64_t number = bccoo_number(A, begin);

	for (int64_t k = begin, stop; k < end; k = stop) {
		stop = bccoo_next(flag, k, end);
		EK_PASS_OF(eki_block_scatter)
		(&p, v->alpha, bccoo_row(A, number++), k, stop, first, sum);
	}
}

#if EK_ONCE

static ek_status prepare(ek_plan *p)
{
	static eki_carry_fn *const carry[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(bccoo_carry);
	static eki_scatter_fn *const scatter[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(bccoo_scatter);

	return eki_block_prepare(p, carry, scatter);
}

const ek_method ek_spmv_bccoo = {
	.name = "spmv.bccoo",
	.text = "runs of blocks up to a flag, the same number of blocks for each thread",
	.source = "Yan et al. 2014",
	.operation = EK_SPMV,
	.format = &ek_format_bccoo,
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.prepare = prepare,
	.run = eki_drive_run,
};

#endif
