/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV by the device and the processor at the same time. A cut divides the rows of A. The device
 * multiplies those above it, the processor those below, each by the method and in the format that
 * would be chosen for its rows alone. The cut is where both need the same time, by their measured
 * speeds and by the lines of x that must be copied to the device; if both together are not faster
 * than the better one, that one does all (both/share.c). A matrix that does not fit the device goes
 * through it in batches (csr_batches.c).
 *
 * The rows of the device may go in chunks. While one is multiplied, the lines of x that the next
 * one needs are sent, and y of the one before is copied back (both/run.c).
 *
 * Cost: a run takes max(D, product of the rows below). With x to the device in time t, the product
 * k there and y back in time f, D is t + k + f in one chunk; in n chunks it is about max(k, t + f)
 * + min(k, t + f) / n for rows that read x in their order, and t + max(k, f) + min(k, f) / n if all
 * read the same part of x. Where memory is shared, nothing is copied. Liu and Vinter 2015, section
 * 6, left products by both sides as future work. */
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
