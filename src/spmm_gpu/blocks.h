/* SPDX-License-Identifier: BSD-3-Clause
 * Blocks X and Y of a run on a device, for methods of SpMM whose kernels read and write blocks with
 * any strides. */
#ifndef EK_SPMM_GPU_BLOCKS_H
#define EK_SPMM_GPU_BLOCKS_H

#include "gpu/gpu.h"

/* What a step needs to copy blocks of the host. */
typedef struct eki_gpu_stages {
	int64_t width; /* number of columns in the plan's buffers */
	int64_t x, y;  /* offsets of the packed X and Y in the scratch; each has `width` columns */
} eki_gpu_stages;

/* The block X or Y of a run. */
typedef struct eki_gpu_block {
	eki_buffer there;     /* buffer that kernels read or write */
	int64_t at, row, col; /* position of the first entry; row stride; column stride */
	eki_dense host;       /* block as the caller passed it */
	int64_t rows;
	const eki_buffer *copy; /* buffer of the plan, used if staged */
	char *packed;           /* packed copy in the scratch memory, used if staged */
	bool staged;            /* true if the block is copied by way of `packed` and `copy` */
} eki_gpu_block;

/* Reserves the scratch for packed blocks. Must be called after eki_gpu_prepare. */
ek_status eki_gpu_blocks_prepare(eki_step *step, eki_gpu_stages *stages);
/* Does a run: calls `launch` for all columns of the blocks, or for groups of columns if blocks must
 * be copied. */
typedef ek_status eki_gpu_blocks_fn(const eki_step *step, const eki_run *v, const eki_gpu_block *x,
                                    const eki_gpu_block *y, int64_t width);
ek_status eki_gpu_blocks_run(const eki_step *step, const eki_run *v, const eki_gpu_stages *stages,
                             eki_gpu_blocks_fn *launch);

#endif
