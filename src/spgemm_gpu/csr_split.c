/* SPDX-License-Identifier: BSD-3-Clause
 * SpGEMM by the device and the processor at the same time. A cut divides the rows of A. The device
 * computes the rows of C above it, the processor those below. Both have all of B. The cut is where
 * both need the same time, by the speeds that a sample of the rows shows; if both together are not
 * faster than the better one, that one does all (both/sparse.c).
 *
 * Cost: the longer of both sides, and for a new C a copy of its entries. Liu and Vinter 2015,
 * section 6, left products by both sides as future work. */
#include "both/sparse.h"

#ifndef EK_NO_GPU

extern const ek_method ek_spgemm_gpu_csr_batches;

static ek_status prepare(eki_step *step)
{
	return eki_sparse_both_prepare(step, &ek_spgemm_gpu_csr_batches);
}

const ek_method ek_spgemm_gpu_csr_split = {
	.name = "spgemm.csr.split.gpu",
	.text = "rows divided between a device and the processor, which work at the same time",
	.source = "after Liu and Vinter 2015, section 6",
	.operation = EK_SPGEMM,
	.format = {&ek_format_csr, &ek_format_csr, &ek_format_csr},
	.param = EKI_SPARSE_BOTH_PARAMS,
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_ON_BOTH | EKI_TOGETHER,
	.prepare = prepare,
	.run = eki_sparse_both_run,
	.report = eki_sparse_both_report,
};

#endif
