/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV with the formats in which block rows are lanes (format/block_lanes.h). */
#ifndef EK_SPMV_BLOCK_LANES_H
#define EK_SPMV_BLOCK_LANES_H

#include "drive/drive.h"
#include "format/block_lanes.h"

/* Prepare a step, and predict the time of its runs in nanoseconds. */
ek_status eki_block_lanes_prepare(eki_step *step);
double eki_block_lanes_cost(const eki_features *f);

#endif
