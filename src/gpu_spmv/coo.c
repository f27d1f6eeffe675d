/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on coordinates on a device: y = beta y, then segmented sums. Each group has a contiguous
 * part of the entries and goes through it in tiles. Products of a tile are made by contiguous reads
 * and put to local memory; a work-item sums a few entries that follow each other, a segmented scan
 * over the group gives it what came before, and where a row ends its sum is added to y.
 *
 * Rows that groups may share, the first and the last of each, are not added but carried: by a
 * further launch, of one group, which goes over the carries in the same way. So no sum is
 * added by two work-items, nothing is atomic, and the order of additions depends on the device's
 * number of units and nothing else. The source has warps for groups and their sizes for tiles.
 *
 * Work does not depend on the lengths of rows. Reads each array once; y is read and written once
 * more than by a method that goes by rows, in rows that have entries.
 *
 * Bell and Garland 2009; Liu 2015, section 4.4.3 for the segmented scan. */
#include "format/coo.h"
#include "gpu_spmv/parts.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_coo, "gpu_spmv/coo.cl");

enum {
	UNIT_GROUPS = 16, /* groups for each unit of the device: twice what is there at a time */
	TILE = EKI_GPU_WG * EKI_GPU_COO_EACH,
	LEAST = 64 /* entries of a group where small work is cut too, which tests ask for */
};

ek_status eki_gpu_coo_prepare(ek_plan *p, int first, int64_t nnz, eki_gpu_coo *coo)
{
	const int units = p->gpu->device->info.units;
	const int64_t part = eki_groups(nnz, (int64_t)UNIT_GROUPS * (units > 0 ? units : 1));
	const int64_t least = p->ctx->small_work ? TILE : LEAST;

	coo->first = first;
	coo->nnz = nnz;
	coo->part = part > least ? part : least;
	coo->groups = eki_groups(nnz, coo->part);
	EK_RETURN_IF(eki_gpu_buffer(p, 2 * coo->groups, eki_idx_size(p->store->index), false, NULL,
	                            &coo->row));
	EK_RETURN_IF(eki_gpu_buffer(p, 2 * coo->groups, ek_value_size(p->store->value), false, NULL,
	                            &coo->sum));
	EK_RETURN_IF(eki_gpu_kernel(p, "coo_runs", &coo->runs));
	return eki_gpu_kernel(p, "coo_carries", &coo->carries);
}

ek_status eki_gpu_coo_add(const ek_plan *p, const eki_gpu_coo *coo, const ek_args *v,
                          const eki_gpu_vectors *on)
{
	const ek_value value = p->store->value;
	const eki_buffer *const *array = p->gpu->array + coo->first;
	const eki_arg runs[] = {eki_arg_i64(coo->nnz),          eki_arg_i64(coo->part),
	                        eki_arg_buffer(array[COO_ROW]), eki_arg_buffer(array[COO_COL]),
	                        eki_arg_buffer(array[COO_VAL]), eki_arg_val(value, v->alpha),
	                        eki_arg_buffer(&on->x),         eki_arg_buffer(&on->y),
	                        eki_arg_buffer(coo->row),       eki_arg_buffer(coo->sum)};
	const eki_arg carries[] = {eki_arg_i64(2 * coo->groups), eki_arg_buffer(coo->row),
	                           eki_arg_buffer(coo->sum), eki_arg_val(value, v->alpha),
	                           eki_arg_buffer(&on->y)};

	if (coo->nnz == 0)
		return EK_OK;
	EK_RETURN_IF(eki_gpu_launch(p, coo->runs, coo->groups, EKI_GPU_WG, runs, EKI_COUNT(runs)));
	return eki_gpu_launch(p, coo->carries, 1, EKI_GPU_WG, carries, EKI_COUNT(carries));
}

static ek_status prepare(ek_plan *p)
{
	eki_gpu_coo *coo;

	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *coo, &coo));
	p->state = coo;
	EK_RETURN_IF(eki_gpu_prepare(p, "coo", EKI_GPU_COO_DEFINES, eki_cl_coo));
	EK_RETURN_IF(eki_gpu_mirror(p));
	return eki_gpu_coo_prepare(p, 0, p->store->nnz, coo);
}

static ek_status run(const ek_plan *p, const ek_args *v)
{
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(p, v, &on));
	EK_RETURN_IF(eki_gpu_scale_there(p, v->beta, &on.y));
	EK_RETURN_IF(eki_gpu_coo_add(p, p->state, v, &on));
	return eki_gpu_leave(p, v, &on);
}

const ek_method ek_spmv_gpu_coo = {
	.name = "spmv.coo.gpu",
	.text = "segmented sums of the same number of entries for each group, on a device",
	.source = "Bell and Garland 2009",
	.operation = EK_SPMV,
	.format = &ek_format_coo,
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
