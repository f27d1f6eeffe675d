/* SPDX-License-Identifier: BSD-3-Clause
 * SpMM by the device and the processor at the same time, as spmv.csr.split.gpu does SpMV. Blocks on
 * the host go to the device packed, a group of columns at a time (hints.width, at most 32), and the
 * processor multiplies the same columns meanwhile. */
#include "both/both.h"

#ifndef EK_NO_GPU

extern const ek_method ek_spmm_gpu_csr_batches;

static ek_status prepare(eki_step *step)
{
	return eki_both_prepare(step, &ek_spmm_gpu_csr_batches);
}

const ek_method ek_spmm_gpu_csr_split = {
	.name = "spmm.csr.split.gpu",
	.text = "rows divided between a device and the processor, which work at the same time",
	.source = "after Liu and Vinter 2015, section 6",
	.operation = EK_SPMM,
	.format = {&ek_format_csr},
	.param = EKI_BOTH_PARAMS,
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_ON_BOTH | EKI_TOGETHER,
	.prepare = prepare,
	.refresh = eki_pieces_refresh,
	.run = eki_both_run,
	.report = eki_both_report,
};

#endif
