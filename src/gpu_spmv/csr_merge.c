/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR on a device by merge path: the ends of the rows and the numbers of the entries are
 * two sorted lists, and each work-group, and in it each work-item, gets an equal stretch of the
 * path that merges them, so that neither long rows nor a million empty ones keep some busy longer
 * than others.
 *
 * Where the path crosses the borders of the tiles is searched by a kernel when the plan is made. A
 * group stages the products of its tile and the ends of its rows in local memory; each work-item
 * searches where its stretch begins, walks it, and closes rows; what is open at the end of a
 * stretch goes to the next by a segmented scan. A second launch closes rows that lie in more than
 * one tile (the published code adds carries to y instead, which would round alpha times each part).
 * All sums have a fixed order.
 *
 * Reads CSR once, a row number and two sums a tile beside it. An odd u keeps the work-items, which
 * walk through local memory u apart, out of each other's banks.
 *
 * Merrill, Garland 2016, Algorithms 2 and 3. */
#include <stdio.h>

#include "gpu/gpu.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_csr_merge, "gpu_spmv/csr_merge.cl");

enum { WG = 256, CARRIES = 16, USUAL = 7 };

typedef struct state {
	int64_t tiles;
	void *tiles_kernel, *carries_kernel;
	eki_buffer *start, *carry, *head;
} state;

static ek_status search(ek_plan *p, const state *s)
{
	void *kernel;
	const eki_arg args[] = {eki_arg_i64(s->tiles + 1), eki_arg_i64(p->store->rows),
	                        eki_arg_i64(p->store->nnz), eki_arg_buffer(p->gpu->array[CSR_PTR]),
	                        eki_arg_buffer(s->start)};

	EK_RETURN_IF(eki_gpu_kernel(p, "merge_search", &kernel));
	return eki_gpu_launch(p, kernel, eki_groups(s->tiles + 1, WG), WG, args, EKI_COUNT(args));
}

static ek_status prepare(ek_plan *p)
{
	const int u = (int)eki_gpu_param(p, 0, USUAL);
	const size_t value = ek_value_size(p->store->value);
	char defines[64];
	state *s;

	EK_RETURN_IF(eki_gpu_local(p, WG * (u + 1) * ((int64_t)value + 4) + 4));
	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *s, &s));
	p->state = s;
	snprintf(defines, sizeof defines, "#define EK_WG %d\n#define ITEMS %d\n", WG, u);
	EK_RETURN_IF(eki_gpu_prepare(p, "csr_merge", defines, eki_cl_csr_merge));
	EK_RETURN_IF(eki_gpu_mirror(p));
	s->tiles = eki_groups(p->store->rows + p->store->nnz, (int64_t)WG * u);
	EK_RETURN_IF(eki_gpu_buffer(p, s->tiles + 1, eki_ptr_size(p->store->index), false, NULL,
	                            &s->start));
	EK_RETURN_IF(eki_gpu_buffer(p, s->tiles, value, false, NULL, &s->carry));
	EK_RETURN_IF(eki_gpu_buffer(p, s->tiles, value, false, NULL, &s->head));
	p->bytes += s->tiles * (int64_t)(eki_ptr_size(p->store->index) + 3 * value);
	EK_RETURN_IF(eki_gpu_kernel(p, "merge_tiles", &s->tiles_kernel));
	EK_RETURN_IF(eki_gpu_kernel(p, "merge_carries", &s->carries_kernel));
	return search(p, s);
}

static ek_status close_rows(const ek_plan *p, const ek_args *v, const eki_gpu_vectors *on)
{
	const state *s = p->state;
	const eki_arg args[] = {eki_arg_i64(s->tiles),
	                        eki_arg_i64(p->store->rows),
	                        eki_arg_buffer(s->start),
	                        eki_arg_buffer(p->gpu->array[CSR_PTR]),
	                        eki_arg_buffer(s->carry),
	                        eki_arg_buffer(s->head),
	                        eki_arg_val(p->store->value, v->alpha),
	                        eki_arg_val(p->store->value, v->beta),
	                        eki_arg_buffer(&on->y)};

	return eki_gpu_launch(p, s->carries_kernel, eki_groups(s->tiles, WG / CARRIES), WG, args,
	                      EKI_COUNT(args));
}

static ek_status run(const ek_plan *p, const ek_args *v)
{
	const state *s = p->state;
	const ek_store *A = p->store;
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(p, v, &on));
	const eki_arg args[] = {eki_arg_i64(A->rows),
	                        eki_arg_i64(A->nnz),
	                        eki_arg_buffer(s->start),
	                        eki_arg_buffer(p->gpu->array[CSR_PTR]),
	                        eki_arg_buffer(p->gpu->array[CSR_COL]),
	                        eki_arg_buffer(p->gpu->array[CSR_VAL]),
	                        eki_arg_val(A->value, v->alpha),
	                        eki_arg_buffer(&on.x),
	                        eki_arg_val(A->value, v->beta),
	                        eki_arg_buffer(&on.y),
	                        eki_arg_buffer(s->carry),
	                        eki_arg_buffer(s->head)};

	EK_RETURN_IF(eki_gpu_launch(p, s->tiles_kernel, s->tiles, WG, args, EKI_COUNT(args)));
	if (s->tiles > 1)
		EK_RETURN_IF(close_rows(p, v, &on));
	return eki_gpu_leave(p, v, &on);
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
	.format = &ek_format_csr,
	.param = {{"u", 1, 12, "steps of the path for each work-item"}},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
