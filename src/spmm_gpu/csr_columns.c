/* SPDX-License-Identifier: BSD-3-Clause
 * SpMM on CSR on a device: neighbouring work-items compute the columns of one row of Y. They read
 * the same entry of A, which comes from memory once for all of them. If X is row-major, they read
 * neighbouring entries of X. In wide blocks each work-item computes up to four columns, which share
 * the entry of A in a register.
 *
 * Blocks on the host are copied in groups of columns (blocks.c). If X is column-major on the
 * device, each of its entries costs a sector of memory. op T multiplies by a transposed copy. Yang,
 * Buluc, Owens 2018, section 4.1 (row splitting). */
#include <stdio.h>

#include "spmm_gpu/blocks.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_csr_columns, "spmm_gpu/csr_columns.cl");

enum { WG = 256, MOST_LANES = 32, MOST_EACH = 4 };

typedef struct columns {
	void *kernel;
	int lanes, each;
	eki_gpu_stages stages;
} columns;

static ek_status prepare(eki_step *step)
{
	const int64_t width = step->problem->width;
	char defines[96];
	columns *c;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *c, &c));
	*c = (columns){.lanes = 1, .each = 1};
	while (c->lanes < MOST_LANES && c->lanes < width)
		c->lanes *= 2;
	while (c->each < MOST_EACH && c->each * c->lanes < width)
		c->each *= 2;
	step->state = c;
	snprintf(defines, sizeof defines, "#define EK_WG %d\n#define LANES %d\n#define EACH %d\n",
	         WG, c->lanes, c->each);
	EK_RETURN_IF(eki_gpu_prepare(step, "csr_columns", defines, eki_cl_csr_columns));
	EK_RETURN_IF(eki_gpu_mirror(step));
	EK_RETURN_IF(eki_gpu_kernel(step, "csr_columns", &c->kernel));
	return eki_gpu_blocks_prepare(step, &c->stages);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static ek_status launch(const eki_step *step, const eki_run *v, const eki_gpu_block *x,
                        const eki_gpu_block *y, int64_t width)
{
	const columns *c = step->state;
	const ek_store *A = step->in[0];
	const eki_buffer *const *array = step->gpu->array;
	const int64_t blocks = eki_groups(width, c->lanes * c->each);
	const eki_arg args[] = {eki_arg_i64(A->rows),
	                        eki_arg_i64(width),
	                        eki_arg_i64(blocks),
	                        eki_arg_buffer(array[CSR_PTR]),
	                        eki_arg_buffer(array[CSR_COL]),
	                        eki_arg_buffer(array[CSR_VAL]),
	                        eki_arg_val(A->value, v->alpha),
	                        eki_arg_buffer(&x->there),
	                        eki_arg_i64(x->at),
	                        eki_arg_i64(x->row),
	                        eki_arg_i64(x->col),
	                        eki_arg_val(A->value, v->beta),
	                        eki_arg_buffer(&y->there),
	                        eki_arg_i64(y->at),
	                        eki_arg_i64(y->row),
	                        eki_arg_i64(y->col)};

	return eki_gpu_launch(step, c->kernel, eki_groups(A->rows, WG / c->lanes) * blocks, WG,
	                      args, EKI_COUNT(args));
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const columns *c = step->state;

	return eki_gpu_blocks_run(step, v, &c->stages, launch);
}

static double cost(const eki_features *f)
{
	if (f->on_processor)
		return eki_gpu_loop_cost(f, 2 * f->csr_bytes);
	return eki_gpu_cost(f, f->csr_bytes, 1) +
	       f->machine->lane_gather * (double)f->stats.row_max;
}

const ek_method ek_spmm_gpu_csr_columns = {
	.name = "spmm.csr.columns.gpu",
	.text = "neighbouring work-items for the columns of a row, on a device",
	.source = "Yang, Buluc and Owens 2018, section 4.1",
	.operation = EK_SPMM,
	.format = {&ek_format_csr},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
