/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on block CSR on a device. Each row has as many lanes as its block row has blocks on average,
 * up to 32, and they take a block each in turn, so the lanes of a block row read all of its places
 * between them, and the columns of its blocks once for each row of a block. The number of columns of
 * a block is compiled in, for loops over it.
 *
 * Reads the bytes of the blocks once, fill included; the masks only in rows whose sum comes out Inf
 * or NaN, which 0 times Inf may have caused.
 *
 * Im and Yelick 2001 for the format; lanes as in csr_vector.c. */
#include <stdio.h>

#include "format/block.h"
#include "gpu_spmv/parts.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_bcsr, "gpu_spmv/bcsr.cl");

enum { WG = 256, MOST = 32 };

ek_status eki_gpu_bcsr_make(ek_plan *p, eki_gpu_part *part)
{
	const block_shape shape = block_shape_of(&part->A);
	char defines[64];

	part->lanes = eki_gpu_lanes(shape.rows, part->A.len[BLOCK_COL], 2, MOST);
	snprintf(defines, sizeof defines, "#define EK_WG %d\n#define C %d\n", WG, shape.c);
	EK_RETURN_IF(eki_gpu_program(p, "bcsr", defines, eki_cl_bcsr));
	return eki_gpu_kernel(p, "bcsr", &part->kernel);
}

ek_status eki_gpu_bcsr_run(const ek_plan *p, const eki_gpu_part *part, const ek_args *v,
                           const eki_gpu_vectors *on)
{
	const ek_store *A = &part->A;
	const block_shape shape = block_shape_of(A);
	const eki_buffer *const *array = p->gpu->array + part->first;
	const eki_arg args[] = {eki_arg_i64(A->rows),
	                        eki_arg_i64(A->cols),
	                        eki_arg_i32(shape.r),
	                        eki_arg_i32(shape.row_step),
	                        eki_arg_i32(shape.col_step),
	                        eki_arg_i32(part->lanes),
	                        eki_arg_buffer(array[BLOCK_HEAD]),
	                        eki_arg_buffer(array[BLOCK_COL]),
	                        eki_arg_buffer(array[BLOCK_VAL]),
	                        eki_arg_buffer(array[BLOCK_MASK]),
	                        eki_arg_val(A->value, v->alpha),
	                        eki_arg_buffer(&on->x),
	                        eki_arg_val(A->value, v->beta),
	                        eki_arg_buffer(&on->y)};

	return eki_gpu_launch(p, part->kernel, eki_groups(A->rows, WG / part->lanes), WG, args,
	                      EKI_COUNT(args));
}

static ek_status prepare(ek_plan *p)
{
	eki_gpu_part *part;

	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *part, &part));
	p->state = part;
	EK_RETURN_IF(eki_gpu_prepare(p, "bcsr", "", NULL));
	EK_RETURN_IF(eki_gpu_mirror(p));
	*part = (eki_gpu_part){.A = *p->store};
	return eki_gpu_bcsr_make(p, part);
}

static ek_status run(const ek_plan *p, const ek_args *v)
{
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(p, v, &on));
	EK_RETURN_IF(eki_gpu_bcsr_run(p, p->state, v, &on));
	return eki_gpu_leave(p, v, &on);
}

const ek_method ek_spmv_gpu_bcsr = {
	.name = "spmv.bcsr.gpu",
	.text = "2 to 32 lanes for each row, a block each in turn, on a device",
	.source = "Im and Yelick 2001; lanes as Bell and Garland 2009",
	.operation = EK_SPMV,
	.format = &ek_format_bcsr,
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
