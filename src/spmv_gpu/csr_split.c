/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV by the device and the processor at the same time. A cut divides the rows of A. The device
 * multiplies those above it, the processor those below, each by the method and in the format that
 * would be chosen for its rows alone. The cut is where both need the same time, by their measured
 * speeds and by the lines of x that must be copied to the device; if both together are not faster
 * than the better one, that one does all (both/share.c). A matrix that does not fit the device goes
 * through it in batches (csr_batches.c).
 *
 * Cost: a run takes max(copy of x + product of the rows above + copy of their y, product of the
 * rows below). Where memory is shared, nothing is copied. Liu and Vinter 2015, section 6, left
 * products by both sides as future work. */
#include "both/both.h"

#ifndef EK_NO_GPU

extern const ek_method ek_spmv_gpu_csr_batches;

static ek_status prepare(eki_step *step)
{
	return eki_both_prepare(step, &ek_spmv_gpu_csr_batches);
}

const ek_method ek_spmv_gpu_csr_split = {
	.name = "spmv.csr.split.gpu",
	.text = "rows divided between a device and the processor, which work at the same time",
	.source = "after Liu and Vinter 2015, section 6",
	.operation = EK_SPMV,
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
