/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR on a device whose memory does not hold the matrix: batches of entries go through two
 * buffers, one multiplied while the next is sent (both/batches.c). Lanes for each row as in
 * csr_vector.c, up to a whole group, since a batch may have few rows. Rows much longer than the
 * average keep their lanes busy for long, but the bus is the limit of most matrices. */
#include <stdio.h>

#include "both/both.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_csr_batches, "spmv_gpu/csr_batches.cl");

enum { WG = 256 };

/* Returns the number of work-items for a row, also before A has been transposed for op T. */
static int lanes(const eki_step *step)
{
	return eki_gpu_lanes(step->y_len, step->in[0]->nnz, 1, WG);
}

static ek_status prepare(eki_step *step)
{
	char defines[64];

	snprintf(defines, sizeof defines, "#define EK_WG %d\n#define LANES %d\n", WG, lanes(step));
	return eki_batches_prepare(step, step->param[0], "csr_batches", defines,
	                           eki_cl_csr_batches);
}

static ek_status launch(const eki_step *step, const eki_run *v, const eki_gpu_vectors *on,
                        const eki_batch *b)
{
	const ek_store *A = step->in[0];
	const eki_arg args[] = {eki_arg_i64(b->first),
	                        eki_arg_i64(b->last),
	                        eki_arg_i64(b->begin),
	                        eki_arg_i64(b->end),
	                        eki_arg_buffer(step->gpu->array[CSR_PTR]),
	                        eki_arg_buffer(b->col),
	                        eki_arg_buffer(b->val),
	                        eki_arg_val(A->value, v->alpha),
	                        eki_arg_buffer(&on->x),
	                        eki_arg_val(A->value, v->beta),
	                        eki_arg_buffer(&on->y)};

	return eki_gpu_launch(step, ((const eki_both_batches *)step->state)->kernel,
	                      eki_groups(b->last - b->first, WG / lanes(step)), WG, args,
	                      EKI_COUNT(args));
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(step, v, &on));
	EK_RETURN_IF(eki_batches_run(step, v, &on, launch));
	return eki_gpu_leave(step, v, &on);
}

const ek_method ek_spmv_gpu_csr_batches = {
	.name = "spmv.csr.batches.gpu",
	.text = "entries sent to a device in batches, each while the one before is multiplied",
	.source = "row splitting of Bell and Garland 2009, batch by batch",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.param = {{"batch", 64, INT32_MAX, "bytes of a batch"}},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_BATCHES,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
