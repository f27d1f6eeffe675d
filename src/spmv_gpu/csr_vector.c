/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR on a device, with one work-item or several neighbouring ones for each row.
 *
 * csr.scalar has one work-item for each row, so neighbouring work-items read memory that is a row
 * apart. Caches make up for this while rows are short. Long rows, and rows of different lengths,
 * keep the other work-items waiting.
 *
 * csr.vector has 2 to 64 lanes for each row. They read its entries side by side, so that reads are
 * contiguous, and add their sums by a tree. Bell and Garland have one warp per row; fewer lanes for
 * shorter rows have since become common. By default there are as many lanes as the average row has
 * entries, rounded up to a power of two. Rows that are much longer than the average keep their
 * lanes busy long after other lanes have finished.
 *
 * Both methods read each array once. Bell and Garland 2009; the names of the methods are those of
 * Greathouse and Daga 2014, section II-C. */
#include <stdio.h>

#include "gpu/gpu.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_csr_vector, "spmv_gpu/csr_vector.cl");

enum { WG = 256, MOST = 64 };

typedef struct state {
	int lanes; /* work-items for a row */
	void *kernel;
} state;

/* Prepares a step with `lanes` work-items for a row, or, if it is 0, a number that suits the
 * average row. */
static ek_status prepare(eki_step *step, int lanes)
{
	char defines[64];
	state *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	step->state = s;
	EK_RETURN_IF(eki_gpu_prepare(step, NULL, NULL, NULL));
	EK_RETURN_IF(eki_gpu_mirror(step));
	const ek_store *A = step->in[0];

	s->lanes = lanes ? lanes : eki_gpu_lanes(A->rows, A->nnz, 2, MOST);
	snprintf(defines, sizeof defines, "#define EK_WG %d\n#define LANES %d\n", WG, s->lanes);
	step->param[0] = s->lanes; /* csr.scalar has no parameter to show it */
	EK_RETURN_IF(eki_gpu_program(step, "csr_vector", defines, eki_cl_csr_vector));
	return eki_gpu_kernel(step, "csr_vector", &s->kernel);
}

static ek_status prepare_scalar(eki_step *step)
{
	return prepare(step, 1);
}

static ek_status prepare_vector(eki_step *step)
{
	EK_RETURN_IF(eki_gpu_power_of_two(step, 0));
	return prepare(step, (int)step->param[0]);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	const ek_store *A = step->in[0];
	const eki_buffer *const *array = step->gpu->array;
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(step, v, &on));
	const eki_arg args[] = {eki_arg_i64(A->rows),
	                        eki_arg_buffer(array[CSR_PTR]),
	                        eki_arg_buffer(array[CSR_COL]),
	                        eki_arg_buffer(array[CSR_VAL]),
	                        eki_arg_val(A->value, v->alpha),
	                        eki_arg_buffer(&on.x),
	                        eki_arg_val(A->value, v->beta),
	                        eki_arg_buffer(&on.y)};

	EK_RETURN_IF(eki_gpu_launch(step, s->kernel, eki_groups(A->rows, WG / s->lanes), WG, args,
	                            EKI_COUNT(args)));
	return eki_gpu_leave(step, v, &on);
}

/* Estimates the time of a run: the time to move the bytes, plus the time of `lanes` lanes for the
 * longest row. */
static double cost(const eki_features *f, double bytes, double lanes)
{
	return eki_gpu_cost(f, bytes, 1) +
	       f->machine->lane_gather * (double)f->stats.row_max / lanes;
}

/* Estimates the time of csr.scalar. Neighbouring work-items read different sectors of 32 bytes, and
 * some of the rest of a sector is used later, from the cache. */
static double cost_scalar(const eki_features *f)
{
	const double mean = f->stats.row_mean, most = 32.0 / 12;

	if (f->on_processor) /* PoCL makes the kernel a loop over rows, which suits a processor */
		return eki_gpu_loop_cost(f, f->csr_bytes);
	return cost(f, f->csr_bytes * (1 + (mean < 16 ? mean / 16 : 1) * (most - 1)), 1);
}

static double cost_vector(const eki_features *f)
{
	const double mean = f->stats.row_mean;

	return cost(f, 1.3 * f->csr_bytes, mean < 2 ? 2 : mean < MOST ? mean : MOST);
}

const ek_method ek_spmv_gpu_csr_scalar = {
	.name = "spmv.csr.scalar.gpu",
	.text = "one work-item for each row, on a device",
	.source = "Bell and Garland 2009",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost_scalar,
	.prepare = prepare_scalar,
	.refresh = eki_gpu_refresh,
	.run = run,
};

const ek_method ek_spmv_gpu_csr_vector = {
	.name = "spmv.csr.vector.gpu",
	.text = "2 to 64 lanes for each row, on a device",
	.source = "Bell and Garland 2009",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.param = {{"lanes", 2, MOST, "work-items for a row, a power of two"}},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost_vector,
	.prepare = prepare_vector,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
