/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on SELL-C-sigma on a device, a work-item for each row of a chunk. Chunks of fewer rows than
 * a warp has lanes, as the format has if nothing is asked for, are read in pieces of that many
 * places; c=32 or 64 gives whole ones.
 *
 * Rows end by their lengths, so padding is not read, unless it shares a sector of memory with
 * entries. Reads the bytes of the entries once, a length for each row, and its number where rows
 * are sorted; y is then written out of order.
 *
 * Kreutzer, Hager, Wellein, Fehske and Bishop 2014, section 4. */
#include "format/sell.h"
#include "gpu/gpu.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_sell, "gpu_spmv/sell.cl");

enum { WG = 256 };

static ek_status prepare(ek_plan *p)
{
	EK_RETURN_IF(eki_gpu_prepare(p, "sell", "#define EK_WG 256\n", eki_cl_sell));
	EK_RETURN_IF(eki_gpu_mirror(p));
	return eki_gpu_kernel(p, "sell", &p->state);
}

static ek_status run(const ek_plan *p, const ek_args *v)
{
	const ek_store *A = p->store;
	const eki_buffer *const *array = p->gpu->array;
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(p, v, &on));
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

	EK_RETURN_IF(
		eki_gpu_launch(p, p->state, eki_groups(A->rows, WG), WG, args, EKI_COUNT(args)));
	return eki_gpu_leave(p, v, &on);
}

const ek_method ek_spmv_gpu_sell = {
	.name = "spmv.sell.gpu",
	.text = "a work-item for each row of a chunk, on a device",
	.source = "Kreutzer et al. 2014, section 4",
	.operation = EK_SPMV,
	.format = &ek_format_sell,
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
