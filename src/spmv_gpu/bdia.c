/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on banded diagonals on a device, with one work-item for each entry of y. Neighbouring
 * work-items read neighbouring values. A group of 256 reads 256 + n - 1 elements of x for a band of
 * n diagonals, once, to local memory; without bands, each diagonal would read 256. The transposed
 * product is the same with other indices, so it needs no transposed copy.
 *
 * Reads the values once. The mask, which distinguishes entries from fill, is read only in rows
 * whose sum is Inf or NaN.
 *
 * Su and Keutzer 2012 (clSpMV). */
#include <math.h>

#include "format/bdia.h"
#include "gpu/gpu.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_bdia, "spmv_gpu/bdia.cl");

enum { WG = 256 };

static ek_status prepare(eki_step *step)
{
	EK_RETURN_IF(eki_gpu_prepare_as_is(step, "bdia", "#define EK_WG 256\n", eki_cl_bdia));
	EK_RETURN_IF(eki_gpu_mirror(step));
	step->bytes -= step->in[0]->len[BDIA_MASK] * (int64_t)sizeof(uint32_t);
	return eki_gpu_kernel(step, "bdia", &step->state);
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
	                        eki_arg_i64(bdia_groups(A)),
	                        eki_arg_i64(bdia_bands(A)),
	                        eki_arg_buffer(array[BDIA_PTR]),
	                        eki_arg_buffer(array[BDIA_OFFSET]),
	                        eki_arg_buffer(array[BDIA_VAL]),
	                        eki_arg_buffer(array[BDIA_MASK]),
	                        eki_arg_val(A->value, v->alpha),
	                        eki_arg_buffer(&on.x),
	                        eki_arg_val(A->value, v->beta),
	                        eki_arg_buffer(&on.y)};

	EK_RETURN_IF(eki_gpu_launch(step, step->state, eki_groups(step->y_len, WG), WG, args,
	                            EKI_COUNT(args)));
	return eki_gpu_leave(step, v, &on);
}

/* Predicts the time for a matrix that is in this format. The method was not timed on a device; it
 * counts the bytes and the values that one work-item multiplies. The library does not convert to
 * the format for a device. */
static double cost(const eki_features *f)
{
	return f->store ? eki_gpu_format_cost(f, 1, 1, 1,
	                                      eki_places(f) / (double)(f->stats.rows + 1))
	                : INFINITY;
}

const ek_method ek_spmv_gpu_bdia = {
	.name = "spmv.bdia.gpu",
	.text = "a work-item for each entry of y, band by band, x in local memory, on a device",
	.source = "Su and Keutzer 2012",
	.operation = EK_SPMV,
	.format = {&ek_format_bdia},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
