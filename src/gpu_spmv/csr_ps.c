/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR on a device in two launches, products and sums (P&S). The first writes the product of
 * each entry to memory, evenly whatever the rows are. The second has a work-item for each row,
 * which adds up its products; a group brings the products of its rows to local memory, some at a
 * time, by contiguous reads.
 *
 * The source expands x to one element for each entry on the host first, which each new x would need
 * again; here the first launch gathers it. Where the source reads what local memory cannot hold from
 * global memory, here local memory is filled again.
 *
 * Reads the arrays of CSR once, and writes and reads a product for each entry. A long row keeps its
 * group waiting for one work-item.
 *
 * Deng, Wang and Mu 2009, as He et al. 2014, section II-B, describe it. */
#include <stdio.h>

#include "gpu/gpu.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_csr_ps, "gpu_spmv/csr_ps.cl");

enum { WG = 256, EACH = 4, ROOM = 2048 }; /* entries of a work-item; products in local memory */

typedef struct state {
	eki_buffer *product;
	void *products, *sums;
} state;

static ek_status prepare(ek_plan *p)
{
	char defines[96];
	state *s;

	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *s, &s));
	p->state = s;
	snprintf(defines, sizeof defines, "#define EK_WG %d\n#define EACH %d\n#define ROOM %d\n",
	         WG, EACH, ROOM);
	EK_RETURN_IF(eki_gpu_prepare(p, "csr_ps", defines, eki_cl_csr_ps));
	EK_RETURN_IF(eki_gpu_mirror(p));
	EK_RETURN_IF(eki_gpu_buffer(p, p->store->nnz, ek_value_size(p->store->value), false, NULL,
	                            &s->product));
	p->bytes += 2 * p->store->nnz * (int64_t)ek_value_size(p->store->value);
	EK_RETURN_IF(eki_gpu_kernel(p, "ps_products", &s->products));
	return eki_gpu_kernel(p, "ps_sums", &s->sums);
}

static ek_status run(const ek_plan *p, const ek_args *v)
{
	const state *s = p->state;
	const ek_store *A = p->store;
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(p, v, &on));
	const eki_arg products[] = {eki_arg_i64(A->nnz), eki_arg_buffer(p->gpu->array[CSR_COL]),
	                            eki_arg_buffer(p->gpu->array[CSR_VAL]), eki_arg_buffer(&on.x),
	                            eki_arg_buffer(s->product)};
	const eki_arg sums[] = {
		eki_arg_i64(A->rows),           eki_arg_buffer(p->gpu->array[CSR_PTR]),
		eki_arg_buffer(s->product),     eki_arg_val(A->value, v->alpha),
		eki_arg_val(A->value, v->beta), eki_arg_buffer(&on.y)};

	EK_RETURN_IF(eki_gpu_launch(p, s->products, eki_groups(A->nnz, WG * EACH), WG, products,
	                            EKI_COUNT(products)));
	EK_RETURN_IF(
		eki_gpu_launch(p, s->sums, eki_groups(A->rows, WG), WG, sums, EKI_COUNT(sums)));
	return eki_gpu_leave(p, v, &on);
}

/* Beside the bytes, the time that one work-item takes for the longest row. */
static double cost(const eki_features *f)
{
	const double product = (double)f->stats.nnz * (double)ek_value_size(f->value);
	const double entry_ns = 20;

	return eki_gpu_cost(f, f->csr_bytes + 2 * product, 2) + entry_ns * (double)f->stats.row_max;
}

const ek_method ek_spmv_gpu_csr_ps = {
	.name = "spmv.csr.ps.gpu",
	.text = "products to memory, then a work-item for the sum of each row, on a device",
	.source = "Deng, Wang and Mu 2009, as in He et al. 2014, section II-B",
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
