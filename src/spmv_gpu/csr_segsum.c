/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR on a device by segmented sum, in the four steps of the published algorithm: (1) a
 * flag for each entry that begins a row, (2) an array of all products, (3) the segmented sum of the
 * products, which leaves each sum in the place where its segment begins, (4) a gather of these sums
 * to y, with zero for empty rows. A launch for each step, and one for segments that groups share.
 *
 * The flags depend on the pattern alone and are made with the plan. Only rows that have entries set
 * a flag: the printed step 1 sets one for every row, which for an empty row flags the entry of the
 * next row, and for empty rows at the end lies behind the array. In step 3 each group has a
 * contiguous part of the entries, tile by tile from right to left; a segmented scan in local memory
 * hands sums on to the lanes before. Then the sums before the first flag of each part are added to
 * the segment that they belong to, in the order of the parts. So no addition is atomic, and the
 * order of additions depends only on the number of compute units of the device.
 *
 * Cost: the products are written, read, and where a row begins written and read again. With the
 * flags this adds about 17 bytes an entry (floats: 9) to the 12 (8) of CSR, and 16 to 24 bytes a
 * row. The thesis names this traffic, and the launches between the steps, as the reason to fuse
 * them (section 8.3.3); the speculative segmented sum (csr_speculative.c) does.
 *
 * Blelloch, Heroux, Zagha 1993; Liu 2015, Algorithm 30; Sengupta, Harris, Zhang and Owens 2007 for
 * segmented sums on devices. */
#include "gpu/gpu.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_csr_segsum, "spmv_gpu/csr_segsum.cl");

enum {
	WG = 256,
	EACH = 7,         /* entries of a tile for each work-item */
	UNIT_GROUPS = 16, /* groups per compute unit in step 3 */
	LEAST = 64,       /* minimum entries per group in tests, which split small matrices too */
	LANES = 16        /* as in csr_segsum.cl */
};

typedef struct state {
	int64_t part, parts; /* entries per group in step 3; number of groups */
	eki_buffer *flag, *product, *carry;
	void *products, *sum, *join, *collect; /* kernels */
} state;

/* Step 1. */
static ek_status make_flags(eki_step *step, state *s)
{
	const ek_store *A = step->in[0];
	const eki_arg args[] = {eki_arg_i64(A->rows), eki_arg_buffer(step->gpu->array[CSR_PTR]),
	                        eki_arg_buffer(s->flag)};

	EK_RETURN_IF(step->gpu->device->driver->clear(step->gpu->device, s->flag));
	return eki_gpu_once(step, "segsum_flags", eki_groups(A->rows, WG), WG, args,
	                    EKI_COUNT(args));
}

static ek_status prepare(eki_step *step)
{
	const int64_t least = step->ctx->small_work ? WG * EACH : LEAST;
	const size_t size = ek_value_size(step->in[0]->value);
	state *s;
	int units;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	step->state = s;
	EK_RETURN_IF(eki_gpu_prepare(step, "csr_segsum", "#define EK_WG 256\n#define EACH 7\n",
	                             eki_cl_csr_segsum));
	EK_RETURN_IF(eki_gpu_mirror(step));
	const ek_store *A = step->in[0];

	units = step->gpu->device->info.units;
	s->part = eki_groups(A->nnz, (int64_t)UNIT_GROUPS * (units > 0 ? units : 1));
	s->part = s->part > least ? s->part : least;
	s->parts = eki_groups(A->nnz, s->part);
	EK_RETURN_IF(eki_gpu_buffer(step, A->nnz, 1, false, NULL, &s->flag));
	EK_RETURN_IF(eki_gpu_buffer(step, A->nnz, size, false, NULL, &s->product));
	EK_RETURN_IF(eki_gpu_buffer(step, s->parts, size, false, NULL, &s->carry));
	step->bytes += A->nnz * (int64_t)(1 + 2 * size);
	EK_RETURN_IF(make_flags(step, s));
	EK_RETURN_IF(eki_gpu_kernel(step, "segsum_products", &s->products));
	EK_RETURN_IF(eki_gpu_kernel(step, "segsum_parts", &s->sum));
	EK_RETURN_IF(eki_gpu_kernel(step, "segsum_join", &s->join));
	return eki_gpu_kernel(step, "segsum_collect", &s->collect);
}

/* Steps 2 and 3. */
static ek_status sum(const eki_step *step, const eki_gpu_vectors *on)
{
	const state *s = step->state;
	const ek_store *A = step->in[0];
	const eki_arg nnz = eki_arg_i64(A->nnz), part = eki_arg_i64(s->part);
	const eki_arg product = eki_arg_buffer(s->product), carry = eki_arg_buffer(s->carry);
	const eki_arg row_ptr = eki_arg_buffer(step->gpu->array[CSR_PTR]);
	const int64_t joins = s->parts > 1 ? eki_groups(s->parts - 1, WG / LANES) : 0;

	EK_RETURN_IF(eki_gpu_launch(step, s->products, eki_groups(A->nnz, WG), WG,
	                            (eki_arg[]){nnz, eki_arg_buffer(step->gpu->array[CSR_COL]),
	                                        eki_arg_buffer(step->gpu->array[CSR_VAL]),
	                                        eki_arg_buffer(&on->x), product},
	                            5));
	EK_RETURN_IF(eki_gpu_launch(step, s->sum, s->parts, WG,
	                            (eki_arg[]){nnz, part, eki_arg_buffer(s->flag), product, carry},
	                            5));
	return eki_gpu_launch(step, s->join, joins, WG,
	                      (eki_arg[]){eki_arg_i64(s->parts), part, eki_arg_i64(A->rows),
	                                  row_ptr, carry, product},
	                      6);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	const ek_store *A = step->in[0];
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(step, v, &on));
	EK_RETURN_IF(sum(step, &on));
	EK_RETURN_IF(eki_gpu_launch(
		step, s->collect, eki_groups(A->rows, WG), WG,
		(eki_arg[]){eki_arg_i64(A->rows), eki_arg_buffer(step->gpu->array[CSR_PTR]),
	                    eki_arg_buffer(s->product), eki_arg_val(A->value, v->alpha),
	                    eki_arg_val(A->value, v->beta), eki_arg_buffer(&on.y)},
		6));
	return eki_gpu_leave(step, v, &on);
}

static double memory(const eki_features *f)
{
	return (double)f->stats.nnz * (1 + (double)ek_value_size(f->value));
}

const ek_method ek_spmv_gpu_csr_segsum = {
	.name = "spmv.csr.segsum.gpu",
	.text = "segmented sum over flags and products, as published, a launch for each step",
	.source = "Liu 2015, Algorithm 30; Blelloch, Heroux and Zagha 1993",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.memory = memory,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
