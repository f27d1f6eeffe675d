/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on HYB on a device: the product with the ELLPACK part, then the product with the remaining
 * entries, which are coordinates, is added (compose.c).
 *
 * Bell and Garland 2009. */
#include "format/hyb.h"
#include "spmv/compose.h"
#include "spmv_gpu/compose.h"

#ifndef EK_NO_GPU

static int parts(const ek_store *A, ek_store *part)
{
	part[0] = eki_hyb_ell(A);
	part[1] = eki_hyb_coo(A);
	return 2;
}

static ek_status prepare(eki_step *step)
{
	return eki_gpu_compose_prepare(step, parts);
}

static double cost(const eki_features *f)
{
	if (!f->store)
		return eki_gpu_format_cost(f, 0.9, 1.25, 4, f->stats.row_mean);
	const ek_store part[] = {eki_hyb_ell(f->store), eki_hyb_coo(f->store)};

	return eki_compose_cost(f, part, 2, EKI_GPU);
}

const ek_method ek_spmv_gpu_hyb = {
	.name = "spmv.hyb.gpu",
	.text = "a work-item for each row of ELLPACK, segmented sums for the rest, on a device",
	.source = "Bell and Garland 2009",
	.operation = EK_SPMV,
	.format = {&ek_format_hyb},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = eki_gpu_compose_run,
};

#endif
