/* SPDX-License-Identifier: BSD-3-Clause
 * Kernels for block rows as lanes (block_lanes_sums.c). */
#ifndef EK_SPMV_BLOCK_LANES_SUMS_H
#define EK_SPMV_BLOCK_LANES_SUMS_H

#include "format/block_lanes.h"

/* W lanes of a slice, W as in the kernel's pass: the values and columns of the first of them. */
typedef struct lanes_job {
	const block_lanes *l;
	const void *val, *col, *x;
	int64_t width, inside; /* blocks of a lane; those of which none can leave the matrix */
	int64_t last;          /* last column of the matrix */
	int lanes;             /* at most W; if fewer, the slice has no more */
} lanes_job;

/* Computes the sums of the r rows of each lane: sum[i W + k] is that of row i of lane k. */
typedef void lanes_kernel(const lanes_job *job, void *sum);

/* Returns the kernel for W lanes of blocks of r rows or, if r is 0, the one for fewer lanes and all
 * r. */
lanes_kernel *eki_lanes_kernel(ek_isa isa, int type, int64_t r);

#endif
