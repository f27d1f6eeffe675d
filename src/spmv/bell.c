/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on blocked ELLPACK: 8 block rows at a time are lanes of vectors, up to the width of the
 * matrix (spmv/block_lanes.c). Threads get whole groups of 8 block rows.
 *
 * Su and Keutzer 2012 (clSpMV). */
#include "spmv/block_lanes.h"

const ek_method ek_spmv_bell = {
	.name = "spmv.bell",
	.text = "block rows as lanes, up to the longest of all",
	.source = "Su and Keutzer 2012",
	.operation = EK_SPMV,
	.format = {&ek_format_bell},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = eki_block_lanes_cost,
	.prepare = eki_block_lanes_prepare,
	.run = eki_drive_run,
};
