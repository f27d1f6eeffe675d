/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on diagonals on a device, with one work-item for each entry of y. Neighbouring work-items
 * read neighbouring values and entries of x, and nothing is gathered. Reads the values once. The
 * mask, which distinguishes entries from fill, is read only in rows whose sum is Inf or NaN. The
 * transposed product is the same with other indices, so it needs no transposed copy.
 *
 * Bell and Garland 2009. */
#include "format/dia.h"
#include "gpu/gpu.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_dia, "spmv_gpu/dia.cl");

enum { WG = 256 };

static ek_status prepare(eki_step *step)
{
	EK_RETURN_IF(eki_gpu_prepare_as_is(step, "dia", "#define EK_WG 256\n", eki_cl_dia));
	EK_RETURN_IF(eki_gpu_mirror(step));
	step->bytes -= step->in[0]->len[DIA_MASK] * (int64_t)sizeof(uint32_t);
	return eki_gpu_kernel(step, "dia", &step->state);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const ek_store *A = step->in[0];
	const eki_buffer *const *array = step->gpu->array;
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(step, v, &on));
	const eki_arg args[] = {eki_arg_i64(step->y_len),
	                        eki_arg_i64(step->x_len),
	                        eki_arg_i32(step->op[0] == EK_OP_T),
	                        eki_arg_i64(A->dim[DIA_STRIDE]),
	                        eki_arg_i64(dia_count(A)),
	                        eki_arg_buffer(array[DIA_OFFSET]),
	                        eki_arg_buffer(array[DIA_VAL]),
	                        eki_arg_buffer(array[DIA_MASK]),
	                        eki_arg_val(A->value, v->alpha),
	                        eki_arg_buffer(&on.x),
	                        eki_arg_val(A->value, v->beta),
	                        eki_arg_buffer(&on.y)};

	EK_RETURN_IF(eki_gpu_launch(step, step->state, eki_groups(step->y_len, WG), WG, args,
	                            EKI_COUNT(args)));
	return eki_gpu_leave(step, v, &on);
}

static double cost(const eki_features *f)
{
	return eki_gpu_format_cost(f, 0.7, 1.6, 1, f->store ? (double)dia_count(f->store) : 0);
}

const ek_method ek_spmv_gpu_dia = {
	.name = "spmv.dia.gpu",
	.text = "a work-item for each entry of y, diagonal by diagonal, on a device",
	.source = "Bell and Garland 2009",
	.operation = EK_SPMV,
	.format = {&ek_format_dia},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
