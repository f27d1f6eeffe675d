/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on block CSR on a device. Each row of the matrix has as many lanes as a block row has blocks
 * on average, from 2 to 32. The lanes take the blocks in turn, one block each. So the lanes of a
 * block row together read all of its values once, and its column indices once for each row of a
 * block. The number of columns of a block is compiled in, so that loops over columns can be
 * unrolled.
 *
 * Reads the blocks once, fill included. The masks are read only in rows whose sum is Inf or NaN,
 * which may come from fill: 0 times Inf is NaN.
 *
 * Im and Yelick 2001 for the format; lanes as in csr_vector.c. */
#include <stdio.h>

#include "format/block.h"
#include "gpu/gpu.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_bcsr, "spmv_gpu/bcsr.cl");

enum { WG = 256, MOST = 32 };

typedef struct state {
	int lanes; /* lanes for a row */
	void *kernel;
} state;

static ek_status prepare(eki_step *step)
{
	char defines[64];
	state *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	step->state = s;
	EK_RETURN_IF(eki_gpu_prepare(step, NULL, NULL, NULL));
	EK_RETURN_IF(eki_gpu_mirror(step));
	const block_shape shape = block_shape_of(step->in[0]);

	s->lanes = eki_gpu_lanes(shape.rows, step->in[0]->len[BLOCK_COL], 2, MOST);
	snprintf(defines, sizeof defines, "#define EK_WG %d\n#define C %d\n", WG, shape.c);
	EK_RETURN_IF(eki_gpu_program(step, "bcsr", defines, eki_cl_bcsr));
	return eki_gpu_kernel(step, "bcsr", &s->kernel);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	const ek_store *A = step->in[0];
	const block_shape shape = block_shape_of(A);
	const eki_buffer *const *array = step->gpu->array;
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(step, v, &on));
	const eki_arg args[] = {eki_arg_i64(A->rows),
	                        eki_arg_i64(A->cols),
	                        eki_arg_i32(shape.r),
	                        eki_arg_i32(shape.row_step),
	                        eki_arg_i32(shape.col_step),
	                        eki_arg_i32(s->lanes),
	                        eki_arg_buffer(array[BLOCK_HEAD]),
	                        eki_arg_buffer(array[BLOCK_COL]),
	                        eki_arg_buffer(array[BLOCK_VAL]),
	                        eki_arg_buffer(array[BLOCK_MASK]),
	                        eki_arg_val(A->value, v->alpha),
	                        eki_arg_buffer(&on.x),
	                        eki_arg_val(A->value, v->beta),
	                        eki_arg_buffer(&on.y)};

	EK_RETURN_IF(eki_gpu_launch(step, s->kernel, eki_groups(A->rows, WG / s->lanes), WG, args,
	                            EKI_COUNT(args)));
	return eki_gpu_leave(step, v, &on);
}

static double cost(const eki_features *f)
{
	const double mean = f->stats.row_mean, lanes = mean < 2 ? 2 : mean < MOST ? mean : MOST;

	return eki_gpu_format_cost(f, 0.7, 1.6, 1, (double)f->stats.row_max / lanes);
}

const ek_method ek_spmv_gpu_bcsr = {
	.name = "spmv.bcsr.gpu",
	.text = "2 to 32 lanes for each row, a block each in turn, on a device",
	.source = "Im and Yelick 2001; lanes as Bell and Garland 2009",
	.operation = EK_SPMV,
	.format = {&ek_format_bcsr},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
