/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on coordinates on a device: y = beta y, then segmented sums. Each group has a contiguous
 * part of the entries and goes through it tile by tile. The products of a tile are computed from
 * contiguous reads and put into local memory. Then each work-item adds up a few consecutive
 * products. A segmented scan over the group supplies the sum of the products before these. Where a
 * row ends, its sum is added to y.
 *
 * A group may share its first and its last row with other groups. The sums of these two rows are
 * not added to y but stored as carries, and a further launch, of one group, adds up the carries in
 * the same way. So no two work-items add to the same entry of y, nothing is atomic, and the order
 * of additions depends only on the number of compute units of the device. In the published method,
 * warps take the place of groups, and a tile has as many entries as a warp has lanes.
 *
 * The work does not depend on the lengths of rows. Reads each array once. In rows that have
 * entries, y is read and written once more than by a method that goes row by row.
 *
 * Bell and Garland 2009; Liu 2015, section 4.4.3 for the segmented scan. */
#include "format/coo.h"
#include "gpu/gpu.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_coo, "spmv_gpu/coo.cl");

enum {
	WG = 256,
	EACH = 7,         /* entries that a work-item adds up in a tile */
	UNIT_GROUPS = 16, /* groups per compute unit: twice as many as a unit runs at once */
	LEAST = 64        /* minimum entries per group in tests, which split small matrices too */
};

typedef struct state {
	int64_t part, groups;  /* entries per group; number of groups */
	eki_buffer *row, *sum; /* rows and sums of the carries, two for each group */
	void *runs, *carries;
} state;

static ek_status prepare(eki_step *step)
{
	const int64_t least = step->ctx->small_work ? WG * EACH : LEAST;
	state *s;
	int units;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	step->state = s;
	EK_RETURN_IF(
		eki_gpu_prepare(step, "coo", "#define EK_WG 256\n#define EACH 7\n", eki_cl_coo));
	EK_RETURN_IF(eki_gpu_mirror(step));
	const ek_store *A = step->in[0];

	units = step->gpu->device->info.units;
	s->part = eki_groups(A->nnz, (int64_t)UNIT_GROUPS * (units > 0 ? units : 1));
	s->part = s->part > least ? s->part : least;
	s->groups = eki_groups(A->nnz, s->part);
	EK_RETURN_IF(
		eki_gpu_buffer(step, 2 * s->groups, eki_idx_size(A->index), false, NULL, &s->row));
	EK_RETURN_IF(
		eki_gpu_buffer(step, 2 * s->groups, ek_value_size(A->value), false, NULL, &s->sum));
	EK_RETURN_IF(eki_gpu_kernel(step, "coo_runs", &s->runs));
	return eki_gpu_kernel(step, "coo_carries", &s->carries);
}

/* Adds alpha A x to y. */
static ek_status add(const eki_step *step, const eki_run *v, const eki_gpu_vectors *on)
{
	const state *s = step->state;
	const ek_store *A = step->in[0];
	const eki_buffer *const *array = step->gpu->array;
	const eki_arg runs[] = {eki_arg_i64(A->nnz),
	                        eki_arg_i64(s->part),
	                        eki_arg_buffer(array[COO_ROW]),
	                        eki_arg_buffer(array[COO_COL]),
	                        eki_arg_buffer(array[COO_VAL]),
	                        eki_arg_val(A->value, v->alpha),
	                        eki_arg_buffer(&on->x),
	                        eki_arg_buffer(&on->y),
	                        eki_arg_buffer(s->row),
	                        eki_arg_buffer(s->sum)};
	const eki_arg carries[] = {eki_arg_i64(2 * s->groups), eki_arg_buffer(s->row),
	                           eki_arg_buffer(s->sum), eki_arg_val(A->value, v->alpha),
	                           eki_arg_buffer(&on->y)};

	if (A->nnz == 0)
		return EK_OK;
	EK_RETURN_IF(eki_gpu_launch(step, s->runs, s->groups, WG, runs, EKI_COUNT(runs)));
	return eki_gpu_launch(step, s->carries, 1, WG, carries, EKI_COUNT(carries));
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(step, v, &on));
	EK_RETURN_IF(eki_gpu_scale_there(step, v->beta, &on.y));
	EK_RETURN_IF(add(step, v, &on));
	return eki_gpu_leave(step, v, &on);
}

static double cost(const eki_features *f)
{
	return eki_gpu_format_cost(f, 1.2, 1.8, 3, 0);
}

const ek_method ek_spmv_gpu_coo = {
	.name = "spmv.coo.gpu",
	.text = "segmented sums of the same number of entries for each group, on a device",
	.source = "Bell and Garland 2009",
	.operation = EK_SPMV,
	.format = {&ek_format_coo},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
