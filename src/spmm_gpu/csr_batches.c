/* SPDX-License-Identifier: BSD-3-Clause
 * SpMM on CSR on a device whose memory does not hold the matrix: batches of entries go through two
 * buffers, one multiplied while the next is sent (both/batches.c). Neighbouring work-items compute
 * the columns of one row of Y, as in csr_columns.c, one column each. Blocks on the host with more
 * columns than the plan was made for send A once for each group of columns. */
#include <stdio.h>

#include "both/both.h"
#include "spmm_gpu/blocks.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_csr_columns_batches, "spmm_gpu/csr_batches.cl");

enum { WG = 256, MOST_LANES = 32 };

static int lanes(const eki_step *step)
{
	return eki_gpu_lanes(1, step->problem->width, 1, MOST_LANES);
}

static ek_status prepare(eki_step *step)
{
	eki_gpu_stages *stages;
	char defines[64];

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *stages, &stages));
	step->aux = stages;
	snprintf(defines, sizeof defines, "#define EK_WG %d\n#define LANES %d\n", WG, lanes(step));
	EK_RETURN_IF(eki_batches_prepare(step, step->param[0], "csr_batches", defines,
	                                 eki_cl_csr_columns_batches));
	return eki_gpu_blocks_prepare(step, stages);
}

static ek_status launch_batch(const eki_step *step, const eki_run *v, const eki_gpu_vectors *on,
                              const eki_batch *b)
{
	const int64_t blocks = eki_groups(v->width, lanes(step));
	const eki_arg args[] = {eki_arg_i64(b->first),
	                        eki_arg_i64(b->last),
	                        eki_arg_i64(b->begin),
	                        eki_arg_i64(b->end),
	                        eki_arg_i64(v->width),
	                        eki_arg_i64(blocks),
	                        eki_arg_buffer(step->gpu->array[CSR_PTR]),
	                        eki_arg_buffer(b->col),
	                        eki_arg_buffer(b->val),
	                        eki_arg_val(step->in[0]->value, v->alpha),
	                        eki_arg_buffer(&on->x),
	                        eki_arg_i64(on->x_at),
	                        eki_arg_i64(v->x.row),
	                        eki_arg_i64(v->x.col),
	                        eki_arg_val(step->in[0]->value, v->beta),
	                        eki_arg_buffer(&on->y),
	                        eki_arg_i64(on->y_at),
	                        eki_arg_i64(v->y.row),
	                        eki_arg_i64(v->y.col)};

	return eki_gpu_launch(step, ((const eki_both_batches *)step->state)->kernel,
	                      eki_groups(b->last - b->first, WG / lanes(step)) * blocks, WG, args,
	                      EKI_COUNT(args));
}

static ek_status launch(const eki_step *step, const eki_run *v, const eki_gpu_block *x,
                        const eki_gpu_block *y, int64_t width)
{
	const eki_gpu_vectors on = {.x = x->there, .y = y->there, .x_at = x->at, .y_at = y->at};
	eki_run part = *v;

	part.width = width;
	part.x.row = x->row;
	part.x.col = x->col;
	part.y.row = y->row;
	part.y.col = y->col;
	return eki_batches_run(step, &part, &on, launch_batch);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	return eki_gpu_blocks_run(step, v, step->aux, launch);
}

const ek_method ek_spmm_gpu_csr_batches = {
	.name = "spmm.csr.batches.gpu",
	.text = "entries sent to a device in batches, each while the one before is multiplied",
	.source = "row splitting of Yang, Buluc and Owens 2018, batch by batch",
	.operation = EK_SPMM,
	.format = {&ek_format_csr},
	.param = {{"batch", 64, INT32_MAX, "bytes of a batch"}},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_BATCHES,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
