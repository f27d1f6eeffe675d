/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on sliced blocked ELLPACK: the block rows of a slice are lanes of vectors, up to the width
 * of the slice (spmv/block_lanes.c). Threads get whole slices, with about the same number of
 * blocks.
 *
 * Su and Keutzer 2012 (clSpMV). */
#include "spmv/block_lanes.h"

const ek_method ek_spmv_sbell = {
	.name = "spmv.sbell",
	.text = "block rows as lanes, up to the longest of a slice",
	.source = "Su and Keutzer 2012",
	.operation = EK_SPMV,
	.format = {&ek_format_sbell},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = eki_block_lanes_cost,
	.prepare = eki_block_lanes_prepare,
	.run = eki_drive_run,
};
