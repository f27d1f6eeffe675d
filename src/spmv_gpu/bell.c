/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on blocked ELLPACK on a device, with one work-item for each block row (block_lanes.c).
 *
 * Su and Keutzer 2012 (clSpMV). */
#include "spmv_gpu/block_lanes.h"

#ifndef EK_NO_GPU

const ek_method ek_spmv_gpu_bell = {
	.name = "spmv.bell.gpu",
	.text = "a work-item for each block row, on a device",
	.source = "Su and Keutzer 2012",
	.operation = EK_SPMV,
	.format = {&ek_format_bell},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = eki_gpu_block_lanes_cost,
	.prepare = eki_gpu_block_lanes_prepare,
	.refresh = eki_gpu_refresh,
	.run = eki_gpu_block_lanes_run,
};

#endif
