/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on a device with block rows as lanes, for BELL and SBELL: one work-item for each block row,
 * which has the sums of its r rows in registers and uses each element of x for r places.
 * Neighbouring work-items of a slice read neighbouring values. The size of the blocks is compiled
 * in, so that loops over their places can be unrolled.
 *
 * The number of blocks of each block row is known, so padding is not read, unless it shares a
 * sector of memory with blocks. Reads the blocks once, fill included, and a column for each block;
 * masks only in rows whose sum is Inf or NaN.
 *
 * Su and Keutzer 2012 (clSpMV). */
#include <math.h>
#include <stdio.h>

#include "spmv_gpu/block_lanes.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_block_lanes, "spmv_gpu/block_lanes.cl");

enum { WG = 256 };

ek_status eki_gpu_block_lanes_prepare(eki_step *step)
{
	char defines[128];

	EK_RETURN_IF(eki_gpu_prepare(step, NULL, NULL, NULL));
	EK_RETURN_IF(eki_gpu_mirror(step));
	const block_shape h = block_shape_of(step->in[0]);

	snprintf(defines, sizeof defines,
	         "#define EK_WG %d\n#define R %d\n#define C %d\n#define ROW %d\n#define COL %d\n",
	         WG, h.r, h.c, h.row_step, h.col_step);
	EK_RETURN_IF(eki_gpu_program(step, "block_lanes", defines, eki_cl_block_lanes));
	return eki_gpu_kernel(step, "block_lanes", &step->state);
}

ek_status eki_gpu_block_lanes_run(const eki_step *step, const eki_run *v)
{
	const ek_store *A = step->in[0];
	const block_lanes l = block_lanes_of(A);
	const bool sliced = l.ptr != NULL;
	const eki_buffer *const *array = step->gpu->array;
	const eki_buffer *len = array[sliced ? SBELL_LEN : BELL_LEN];
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(step, v, &on));
	const eki_arg args[] = {eki_arg_i64(A->rows),
	                        eki_arg_i64(A->cols),
	                        eki_arg_i64(l.height),
	                        eki_arg_i64(l.width),
	                        eki_arg_i32(sliced),
	                        eki_arg_buffer(sliced ? array[SBELL_PTR] : len),
	                        eki_arg_buffer(len),
	                        eki_arg_buffer(array[BLOCK_COL]),
	                        eki_arg_buffer(array[BLOCK_VAL]),
	                        eki_arg_buffer(array[BLOCK_MASK]),
	                        eki_arg_val(A->value, v->alpha),
	                        eki_arg_buffer(&on.x),
	                        eki_arg_val(A->value, v->beta),
	                        eki_arg_buffer(&on.y)};

	EK_RETURN_IF(eki_gpu_launch(step, step->state, eki_groups(l.shape.rows, WG), WG, args,
	                            EKI_COUNT(args)));
	return eki_gpu_leave(step, v, &on);
}

/* Predicts the time for a matrix that is in one of these formats. The methods were not timed on a
 * device; counts the bytes, and the columns of the longest block row, which one work-item
 * multiplies one after the other. The library does not convert to these formats for a device. */
double eki_gpu_block_lanes_cost(const eki_features *f)
{
	return f->store ? eki_gpu_format_cost(f, 1, 1, 1, (double)f->stats.row_max) : INFINITY;
}

#endif
