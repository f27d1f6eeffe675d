/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR on a device in two launches, products and sums (P&S). The first launch writes the
 * product of each entry to memory; its work is balanced whatever the lengths of rows are. The
 * second launch has a work-item for each row, which adds up the products of the row. A group copies
 * the products of its rows to local memory by contiguous reads, as many at a time as fit.
 *
 * The published method first expands x on the host to one element for each entry, which would have
 * to be repeated for each new x; here the first launch gathers x instead. Products that do not fit
 * into local memory are read from global memory in the published method; here local memory is
 * filled again.
 *
 * Reads the arrays of CSR once, and writes and reads a product for each entry. A long row keeps its
 * group waiting for one work-item.
 *
 * The method is that of Deng, Wang and Mu 2009, as described by He et al. 2014, section II-B. */
#include <stdio.h>

#include "gpu/gpu.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_csr_ps, "spmv_gpu/csr_ps.cl");

/* EACH is the number of entries of a work-item; CAPACITY is the number of products in local
 * memory. */
enum { WG = 256, EACH = 4, CAPACITY = 2048 };

typedef struct state {
	eki_buffer *product;
	void *products, *sums;
} state;

static ek_status prepare(eki_step *step)
{
	char defines[96];
	state *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	step->state = s;
	snprintf(defines, sizeof defines,
	         "#define EK_WG %d\n#define EACH %d\n#define CAPACITY %d\n", WG, EACH, CAPACITY);
	EK_RETURN_IF(eki_gpu_prepare(step, "csr_ps", defines, eki_cl_csr_ps));
	EK_RETURN_IF(eki_gpu_mirror(step));
	EK_RETURN_IF(eki_gpu_buffer(step, step->in[0]->nnz, ek_value_size(step->in[0]->value),
	                            false, NULL, &s->product));
	step->bytes += 2 * step->in[0]->nnz * (int64_t)ek_value_size(step->in[0]->value);
	EK_RETURN_IF(eki_gpu_kernel(step, "ps_products", &s->products));
	return eki_gpu_kernel(step, "ps_sums", &s->sums);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	const ek_store *A = step->in[0];
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(step, v, &on));
	const eki_arg products[] = {eki_arg_i64(A->nnz), eki_arg_buffer(step->gpu->array[CSR_COL]),
	                            eki_arg_buffer(step->gpu->array[CSR_VAL]),
	                            eki_arg_buffer(&on.x), eki_arg_buffer(s->product)};
	const eki_arg sums[] = {
		eki_arg_i64(A->rows),           eki_arg_buffer(step->gpu->array[CSR_PTR]),
		eki_arg_buffer(s->product),     eki_arg_val(A->value, v->alpha),
		eki_arg_val(A->value, v->beta), eki_arg_buffer(&on.y)};

	EK_RETURN_IF(eki_gpu_launch(step, s->products, eki_groups(A->nnz, WG * EACH), WG, products,
	                            EKI_COUNT(products)));
	EK_RETURN_IF(
		eki_gpu_launch(step, s->sums, eki_groups(A->rows, WG), WG, sums, EKI_COUNT(sums)));
	return eki_gpu_leave(step, v, &on);
}

/* Estimates the time of a run: the time to move the bytes, plus the time of one work-item for the
 * longest row. */
static double cost(const eki_features *f)
{
	const double product = (double)f->stats.nnz * (double)ek_value_size(f->value);

	return eki_gpu_cost(f, f->csr_bytes + 2 * product, 2) +
	       f->machine->lane_sum * (double)f->stats.row_max;
}

const ek_method ek_spmv_gpu_csr_ps = {
	.name = "spmv.csr.ps.gpu",
	.text = "products to memory, then a work-item for the sum of each row, on a device",
	.source = "Deng, Wang and Mu 2009, as in He et al. 2014, section II-B",
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
