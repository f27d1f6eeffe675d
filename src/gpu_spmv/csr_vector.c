/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR on a device, a group of neighbouring work-items for each row: 2 to 64 lanes read the
 * entries of a row side by side, so that reads are contiguous, and add their sums by a tree (Bell
 * and Garland 2009, section 4.2, with one warp a row; fewer lanes for shorter rows are common
 * since). As many lanes as the average row has entries, rounded up to a power of two. Rows much
 * longer than the average keep their lanes busy long after the others. */
#include <stdio.h>

#include "gpu/gpu.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_csr_vector, "gpu_spmv/csr_vector.cl");

enum { WG = 256 };

typedef struct state {
	int lanes;
	void *kernel;
} state;

static ek_status prepare(ek_plan *p)
{
	char defines[64];
	state *s;

	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *s, &s));
	p->state = s;
	s->lanes = 2;
	while (s->lanes < 64 && s->lanes * p->y_len < p->store->nnz)
		s->lanes *= 2;
	snprintf(defines, sizeof defines, "#define EK_WG %d\n#define LANES %d\n", WG, s->lanes);
	EK_RETURN_IF(eki_gpu_prepare(p, "csr_vector", defines, eki_cl_csr_vector));
	EK_RETURN_IF(eki_gpu_mirror(p));
	return eki_gpu_kernel(p, "csr_vector", &s->kernel);
}

static ek_status run(const ek_plan *p, const ek_args *v)
{
	const state *s = p->state;
	const ek_store *A = p->store;
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(p, v, &on));
	const eki_arg args[] = {eki_arg_i64(A->rows),
	                        eki_arg_buffer(p->gpu->array[CSR_PTR]),
	                        eki_arg_buffer(p->gpu->array[CSR_COL]),
	                        eki_arg_buffer(p->gpu->array[CSR_VAL]),
	                        eki_arg_val(A->value, v->alpha),
	                        eki_arg_buffer(&on.x),
	                        eki_arg_val(A->value, v->beta),
	                        eki_arg_buffer(&on.y)};

	EK_RETURN_IF(eki_gpu_launch(p, s->kernel, eki_groups(A->rows, WG / s->lanes), WG, args,
	                            EKI_COUNT(args)));
	return eki_gpu_leave(p, v, &on);
}

static double cost(const eki_features *f)
{
	const double mean = f->stats.rows > 0 ? (double)f->stats.nnz / (double)f->stats.rows : 0;

	return eki_gpu_cost(f, f->csr_bytes * (f->stats.row_max > 64 * (mean + 1) ? 4 : 1), 1);
}

const ek_method ek_spmv_gpu_csr_vector = {
	.name = "spmv.csr.vector.gpu",
	.text = "2 to 64 lanes for each row, on a device",
	.source = "Bell and Garland 2009, section 4.2",
	.operation = EK_SPMV,
	.format = &ek_format_csr,
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
