/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on SELL-C-sigma on a device, with one work-item for each row of a chunk. By default, chunks
 * have fewer rows than a warp has lanes, and a warp reads only as many entries side by side as a
 * chunk has rows. With c=32 or c=64, whole warps read contiguous memory.
 *
 * The length of each row is known, so padding is not read, unless it shares a sector of memory with
 * entries. Reads the entries once, and a length for each row. If rows are sorted, also reads the
 * number of each row, and y is written out of order.
 *
 * Kreutzer, Hager, Wellein, Fehske and Bishop 2014, section 4. */
#include "format/sell.h"
#include "gpu/gpu.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_sell, "spmv_gpu/sell.cl");

enum { WG = 256 };

static ek_status prepare(eki_step *step)
{
	EK_RETURN_IF(eki_gpu_prepare(step, "sell", "#define EK_WG 256\n", eki_cl_sell));
	EK_RETURN_IF(eki_gpu_mirror(step));
	return eki_gpu_kernel(step, "sell", &step->state);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const ek_store *A = step->in[0];
	const eki_buffer *const *array = step->gpu->array;
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(step, v, &on));
	const eki_arg args[] = {eki_arg_i64(A->rows),
	                        eki_arg_i32((int32_t)A->dim[SELL_C]),
	                        eki_arg_i32(A->len[SELL_PERM] > 0),
	                        eki_arg_buffer(array[SELL_PTR]),
	                        eki_arg_buffer(array[SELL_LEN]),
	                        eki_arg_buffer(array[SELL_PERM]),
	                        eki_arg_buffer(array[SELL_COL]),
	                        eki_arg_buffer(array[SELL_VAL]),
	                        eki_arg_val(A->value, v->alpha),
	                        eki_arg_buffer(&on.x),
	                        eki_arg_val(A->value, v->beta),
	                        eki_arg_buffer(&on.y)};

	EK_RETURN_IF(eki_gpu_launch(step, step->state, eki_groups(A->rows, WG), WG, args,
	                            EKI_COUNT(args)));
	return eki_gpu_leave(step, v, &on);
}

static double cost(const eki_features *f)
{
	return eki_gpu_format_cost(f, 0.9, 1.35, 1, (double)f->stats.row_max);
}

const ek_method ek_spmv_gpu_sell = {
	.name = "spmv.sell.gpu",
	.text = "a work-item for each row of a chunk, on a device",
	.source = "Kreutzer et al. 2014, section 4",
	.operation = EK_SPMV,
	.format = {&ek_format_sell},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
