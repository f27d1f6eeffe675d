/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on a device with the formats in which block rows are lanes (format/block_lanes.h). */
#ifndef EK_SPMV_GPU_BLOCK_LANES_H
#define EK_SPMV_GPU_BLOCK_LANES_H

#include "format/block_lanes.h"
#include "gpu/gpu.h"

ek_status eki_gpu_block_lanes_prepare(eki_step *step);
ek_status eki_gpu_block_lanes_run(const eki_step *step, const eki_run *v);
/* Predicts the time of a run, in nanoseconds. */
double eki_gpu_block_lanes_cost(const eki_features *f);

#endif
