/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR on a device by merge path. The ends of the rows and the numbers of the entries are
 * two sorted lists, and a path merges them. The path is cut into segments of equal length for the
 * work-groups, and each of these into segments of equal length for the work-items. So neither long
 * rows nor a million empty rows keep some work-items busy longer than others.
 *
 * When the plan is made, a kernel finds where the path crosses the boundaries of tiles, the
 * segments of groups. In a run, a group puts the products of its tile and the ends of its rows into
 * local memory. Each work-item searches for the start of its segment, walks along it, and finishes
 * the rows that end there. A segmented scan hands the partial sum that is open at the end of a
 * segment to the next work-item. A second launch finishes the rows that are in several tiles. (The
 * published code adds carries to y instead, which would round alpha times each partial sum.) All
 * sums have a fixed order.
 *
 * Reads CSR once, and a row number and two sums for each tile. An odd u, the steps of the path for
 * each work-item, avoids bank conflicts: work-items walk through local memory u elements apart.
 *
 * Merrill, Garland 2016, Algorithms 2 and 3. */
#include <stdio.h>

#include "gpu/gpu.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_csr_merge, "spmv_gpu/csr_merge.cl");

enum { WG = 256, CARRIES = 16, USUAL = 7 };

typedef struct state {
	int64_t tiles;
	void *tiles_kernel, *carries_kernel;
	eki_buffer *start, *carry, *head;
} state;

static ek_status search(eki_step *step, const state *s)
{
	void *kernel;
	const eki_arg args[] = {eki_arg_i64(s->tiles + 1), eki_arg_i64(step->in[0]->rows),
	                        eki_arg_i64(step->in[0]->nnz),
	                        eki_arg_buffer(step->gpu->array[CSR_PTR]),
	                        eki_arg_buffer(s->start)};

	EK_RETURN_IF(eki_gpu_kernel(step, "merge_search", &kernel));
	return eki_gpu_launch(step, kernel, eki_groups(s->tiles + 1, WG), WG, args,
	                      EKI_COUNT(args));
}

static ek_status prepare(eki_step *step)
{
	const int u = (int)eki_gpu_param(step, 0, USUAL);
	const size_t value = ek_value_size(step->in[0]->value);
	char defines[64];
	state *s;

	EK_RETURN_IF(eki_gpu_local(step, WG * (u + 1) * ((int64_t)value + 4) + 4));
	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	step->state = s;
	step->param[0] = u;
	snprintf(defines, sizeof defines, "#define EK_WG %d\n#define ITEMS %d\n", WG, u);
	EK_RETURN_IF(eki_gpu_prepare(step, "csr_merge", defines, eki_cl_csr_merge));
	EK_RETURN_IF(eki_gpu_mirror(step));
	s->tiles = eki_groups(step->in[0]->rows + step->in[0]->nnz, (int64_t)WG * u);
	EK_RETURN_IF(eki_gpu_buffer(step, s->tiles + 1, eki_ptr_size(step->in[0]->index), false,
	                            NULL, &s->start));
	EK_RETURN_IF(eki_gpu_buffer(step, s->tiles, value, false, NULL, &s->carry));
	EK_RETURN_IF(eki_gpu_buffer(step, s->tiles, value, false, NULL, &s->head));
	step->bytes += s->tiles * (int64_t)(eki_ptr_size(step->in[0]->index) + 3 * value);
	EK_RETURN_IF(eki_gpu_kernel(step, "merge_tiles", &s->tiles_kernel));
	EK_RETURN_IF(eki_gpu_kernel(step, "merge_carries", &s->carries_kernel));
	return search(step, s);
}

static ek_status close_rows(const eki_step *step, const eki_run *v, const eki_gpu_vectors *on)
{
	const state *s = step->state;
	const eki_arg args[] = {eki_arg_i64(s->tiles),
	                        eki_arg_i64(step->in[0]->rows),
	                        eki_arg_buffer(s->start),
	                        eki_arg_buffer(step->gpu->array[CSR_PTR]),
	                        eki_arg_buffer(s->carry),
	                        eki_arg_buffer(s->head),
	                        eki_arg_val(step->in[0]->value, v->alpha),
	                        eki_arg_val(step->in[0]->value, v->beta),
	                        eki_arg_buffer(&on->y)};

	return eki_gpu_launch(step, s->carries_kernel, eki_groups(s->tiles, WG / CARRIES), WG, args,
	                      EKI_COUNT(args));
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	const ek_store *A = step->in[0];
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(step, v, &on));
	const eki_arg args[] = {eki_arg_i64(A->rows),
	                        eki_arg_i64(A->nnz),
	                        eki_arg_buffer(s->start),
	                        eki_arg_buffer(step->gpu->array[CSR_PTR]),
	                        eki_arg_buffer(step->gpu->array[CSR_COL]),
	                        eki_arg_buffer(step->gpu->array[CSR_VAL]),
	                        eki_arg_val(A->value, v->alpha),
	                        eki_arg_buffer(&on.x),
	                        eki_arg_val(A->value, v->beta),
	                        eki_arg_buffer(&on.y),
	                        eki_arg_buffer(s->carry),
	                        eki_arg_buffer(s->head)};

	EK_RETURN_IF(eki_gpu_launch(step, s->tiles_kernel, s->tiles, WG, args, EKI_COUNT(args)));
	if (s->tiles > 1)
		EK_RETURN_IF(close_rows(step, v, &on));
	return eki_gpu_leave(step, v, &on);
}

static double cost(const eki_features *f)
{
	return eki_gpu_cost(f, 1.1 * f->csr_bytes, 2);
}

const ek_method ek_spmv_gpu_csr_merge = {
	.name = "spmv.csr.merge.gpu",
	.text = "merge path: the same number of rows plus nonzeros for each work-item",
	.source = "Merrill and Garland 2016, Algorithms 2 and 3",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.param = {{"u", 1, 12, "steps of the path for each work-item"}},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
