/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR on a device, one work-item or a group of neighbouring ones for each row.
 *
 * scalar: one, so that neighbours read places that are a row apart. Caches make up for it while
 * rows are short; long rows, and rows of different lengths, leave the others waiting.
 *
 * vector: 2 to 64 lanes read the entries of a row side by side, so that reads are contiguous, and
 * add their sums by a tree. The source has one warp a row; fewer lanes for shorter rows are common
 * since. As many lanes as the average row has entries, rounded up to a power of two, if none are
 * given. Rows much longer than the average keep their lanes busy long after the others.
 *
 * Both read each array once. Bell and Garland 2009; Greathouse and Daga 2014, section II-C, under
 * the names that these methods have. */
#include <stdio.h>

#include "gpu_spmv/parts.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_csr_vector, "gpu_spmv/csr_vector.cl");

enum { WG = 256, MOST = 64 };

ek_status eki_gpu_csr_make(ek_plan *p, eki_gpu_part *part)
{
	char defines[64];

	if (part->lanes == 0)
		part->lanes = eki_gpu_lanes(part->A.rows, part->A.nnz, 2, MOST);
	snprintf(defines, sizeof defines, "#define EK_WG %d\n#define LANES %d\n", WG, part->lanes);
	EK_RETURN_IF(eki_gpu_program(p, "csr_vector", defines, eki_cl_csr_vector));
	return eki_gpu_kernel(p, "csr_vector", &part->kernel);
}

static ek_status prepare(ek_plan *p, int lanes)
{
	eki_gpu_part *part;

	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *part, &part));
	p->state = part;
	EK_RETURN_IF(eki_gpu_prepare(p, "csr_vector", "", NULL));
	EK_RETURN_IF(eki_gpu_mirror(p));
	*part = (eki_gpu_part){.A = *p->store, .lanes = lanes};
	return eki_gpu_csr_make(p, part);
}

static ek_status prepare_scalar(ek_plan *p)
{
	return prepare(p, 1);
}

static ek_status prepare_vector(ek_plan *p)
{
	EK_RETURN_IF(eki_gpu_power_of_two(p, 0));
	return prepare(p, (int)p->param[0]);
}

ek_status eki_gpu_csr_run(const ek_plan *p, const eki_gpu_part *part, const ek_args *v,
                          const eki_gpu_vectors *on)
{
	const ek_store *A = &part->A;
	const eki_buffer *const *array = p->gpu->array + part->first;
	const eki_arg args[] = {eki_arg_i64(A->rows),
	                        eki_arg_buffer(array[CSR_PTR]),
	                        eki_arg_buffer(array[CSR_COL]),
	                        eki_arg_buffer(array[CSR_VAL]),
	                        eki_arg_val(A->value, v->alpha),
	                        eki_arg_buffer(&on->x),
	                        eki_arg_val(A->value, v->beta),
	                        eki_arg_buffer(&on->y)};

	return eki_gpu_launch(p, part->kernel, eki_groups(A->rows, WG / part->lanes), WG, args,
	                      EKI_COUNT(args));
}

static ek_status run(const ek_plan *p, const ek_args *v)
{
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(p, v, &on));
	EK_RETURN_IF(eki_gpu_csr_run(p, p->state, v, &on));
	return eki_gpu_leave(p, v, &on);
}

/* Beside the bytes, the time that the longest row keeps its lanes. */
static double cost(const eki_features *f, double bytes, double lanes)
{
	const double entry_ns = 100; /* of one lane */

	return eki_gpu_cost(f, bytes, 1) + entry_ns * (double)f->stats.row_max / lanes;
}

/* Neighbours read different sectors of 32 bytes; up to half of what comes with one is used later. */
static double cost_scalar(const eki_features *f)
{
	const double mean = f->stats.row_mean, most = 32.0 / 12;

	if (f->on_processor) /* a loop over rows, and what it is good at; PoCL */
		return 30000 + f->csr_bytes / 20;
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
	.format = &ek_format_csr,
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
	.format = &ek_format_csr,
	.param = {{"lanes", 2, MOST, "work-items for a row, a power of two"}},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost_vector,
	.prepare = prepare_vector,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
