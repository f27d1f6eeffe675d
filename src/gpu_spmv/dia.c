/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on diagonals on a device, a work-item for each entry of y: neighbours read neighbouring values and
 * entries of x, nothing is gathered. Reads the values once; the mask, which tells entries from what
 * fills the diagonals, only in rows whose sum comes out Inf or NaN. The transposed product is the
 * same with other places, so no transpose is made for it.
 *
 * Bell and Garland 2009. */
#include "format/dia.h"
#include "gpu_spmv/parts.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_dia, "gpu_spmv/dia.cl");

enum { WG = 256 };

ek_status eki_gpu_dia_make(ek_plan *p, eki_gpu_part *part)
{
	EK_RETURN_IF(eki_gpu_program(p, "dia", "#define EK_WG 256\n", eki_cl_dia));
	p->bytes -= part->A.len[DIA_MASK] * (int64_t)sizeof(uint32_t);
	return eki_gpu_kernel(p, "dia", &part->kernel);
}

ek_status eki_gpu_dia_run(const ek_plan *p, const eki_gpu_part *part, const ek_args *v,
                          const eki_gpu_vectors *on)
{
	const ek_store *A = &part->A;
	const eki_buffer *const *array = p->gpu->array + part->first;
	const eki_arg args[] = {eki_arg_i64(p->y_len),           eki_arg_i64(p->x_len),
	                        eki_arg_i32(p->op == EK_OP_T),   eki_arg_i64(A->dim[DIA_STRIDE]),
	                        eki_arg_i64(dia_count(A)),       eki_arg_buffer(array[DIA_OFFSET]),
	                        eki_arg_buffer(array[DIA_VAL]),  eki_arg_buffer(array[DIA_MASK]),
	                        eki_arg_val(A->value, v->alpha), eki_arg_buffer(&on->x),
	                        eki_arg_val(A->value, v->beta),  eki_arg_buffer(&on->y)};

	return eki_gpu_launch(p, part->kernel, eki_groups(p->y_len, WG), WG, args, EKI_COUNT(args));
}

static ek_status prepare(ek_plan *p)
{
	const ek_op op = p->op;
	eki_gpu_part *part;
	ek_status status;

	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *part, &part));
	p->state = part;
	p->op = EK_OP_N; /* the store serves for both */
	status = eki_gpu_prepare(p, "dia", "", NULL);
	p->op = op;
	EK_RETURN_IF(status);
	EK_RETURN_IF(eki_gpu_mirror(p));
	*part = (eki_gpu_part){.A = *p->store};
	return eki_gpu_dia_make(p, part);
}

static ek_status run(const ek_plan *p, const ek_args *v)
{
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(p, v, &on));
	EK_RETURN_IF(eki_gpu_dia_run(p, p->state, v, &on));
	return eki_gpu_leave(p, v, &on);
}

const ek_method ek_spmv_gpu_dia = {
	.name = "spmv.dia.gpu",
	.text = "a work-item for each entry of y, diagonal by diagonal, on a device",
	.source = "Bell and Garland 2009",
	.operation = EK_SPMV,
	.format = &ek_format_dia,
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
