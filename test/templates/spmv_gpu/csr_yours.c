/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR on a device, with one work-item for each row.
 *
 * Neighbouring work-items read places that are a row apart. So only a few bytes of each fetched
 * sector are used, unless caches keep it. The method is slow if rows are long or differ in length.
 * Author year, section 1. */
#include "gpu/gpu.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_csr_yours, "spmv_gpu/csr_yours.cl");

enum { WG = 256 };

/* Builds the program and copies the arrays to the device. Op T is op N on a transposed copy. */
static ek_status prepare(eki_step *step)
{
	EK_RETURN_IF(eki_gpu_prepare(step, "csr_yours", "#define EK_WG 256\n", eki_cl_csr_yours));
	EK_RETURN_IF(eki_gpu_mirror(step));
	return eki_gpu_kernel(step, "csr_yours", &step->state);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const ek_store *A = step->in[0];
	const eki_buffer *const *array = step->gpu->array;
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(step, v, &on));
	const eki_arg args[] = {eki_arg_i64(A->rows),
	                        eki_arg_buffer(array[CSR_PTR]),
	                        eki_arg_buffer(array[CSR_COL]),
	                        eki_arg_buffer(array[CSR_VAL]),
	                        eki_arg_val(A->value, v->alpha),
	                        eki_arg_buffer(&on.x),
	                        eki_arg_val(A->value, v->beta),
	                        eki_arg_buffer(&on.y)};

	EK_RETURN_IF(eki_gpu_launch(step, step->state, eki_groups(A->rows, WG), WG, args,
	                            EKI_COUNT(args)));
	return eki_gpu_leave(step, v, &on);
}

/* Predicts the nanoseconds of a run, assuming that half of each sector read is used. */
static double cost(const eki_features *f)
{
	return eki_gpu_cost(f, 2 * f->csr_bytes, 1);
}

const ek_method ek_spmv_gpu_csr_yours = {
	.name = "spmv.csr.yours.gpu",
	.text = "a work-item for each row, on a device",
	.source = "Author year, section 1",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
