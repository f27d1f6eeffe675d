/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR with rows padded to whole packs of 4 or 8 entries, with one work-item for each row:
 * CSR-Scalar-4 and CSR-Scalar-8 of ViennaCL, with which Greathouse and Daga compare. A work-item
 * loads a pack at once, where csr.scalar loads single entries. The padded arrays are a copy on the
 * device, made there, and made again when values change. A row has (pad - 1) / 2 places of padding
 * on average, with the value 0 and the row's last column, so short rows read up to `pad` times as
 * much as without.
 *
 * Reads the padded arrays once, and the pointers of CSR only for rows whose sum is Inf or NaN. Long
 * rows keep the other work-items of a warp waiting, as in csr.scalar.
 *
 * ViennaCL 1.5, as described by Greathouse and Daga 2014, section V. */
#include <stdio.h>

#include "gpu/gpu.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_csr_padded, "spmv_gpu/csr_padded.cl");

enum { WG = 256, LEAST = 4, MOST = 8 };

typedef struct state {
	eki_buffer *pack_ptr, *col, *val;
	void *kernel;
} state;

/* Fills the padded copy on the device. */
static ek_status fill(eki_step *step)
{
	const state *s = step->state;
	const eki_buffer *const *array = step->gpu->array;
	const int64_t rows = step->in[0]->rows;
	const eki_arg args[] = {eki_arg_i64(rows),
	                        eki_arg_buffer(array[CSR_PTR]),
	                        eki_arg_buffer(array[CSR_COL]),
	                        eki_arg_buffer(array[CSR_VAL]),
	                        eki_arg_buffer(s->pack_ptr),
	                        eki_arg_buffer(s->col),
	                        eki_arg_buffer(s->val)};

	return rows ? eki_gpu_once(step, "csr_pad", eki_groups(rows, WG), WG, args, EKI_COUNT(args))
	            : EK_OK;
}

/* Makes the pointers of the packs, and sets *packs to their number. */
static ek_status count_packs(eki_step *step, int64_t pad, int64_t *packs)
{
	const ek_store *A = step->in[0];
	const size_t size = eki_ptr_size(A->index);
	ek_store ptr = {.index = A->index};
	state *s = step->state;
	ek_status status;

	*packs = 0;
	EK_RETURN_IF(eki_alloc(step->ctx, A->rows + 1, size, &ptr.array[CSR_PTR]));
	eki_ptr_set(&ptr, 0, 0);
	for (int64_t i = 0; i < A->rows; i++) {
		*packs += eki_groups(eki_ptr_at(A, i + 1) - eki_ptr_at(A, i), pad);
		eki_ptr_set(&ptr, i + 1, *packs);
	}
	status = eki_gpu_buffer(step, A->rows + 1, size, false, ptr.array[CSR_PTR], &s->pack_ptr);
	eki_free(step->ctx, ptr.array[CSR_PTR], A->rows + 1, size);
	return status;
}

static ek_status prepare(eki_step *step)
{
	const int64_t pad = eki_gpu_param(step, 0, LEAST);
	char defines[64];
	int64_t packs;
	state *s;

	EK_RETURN_IF(eki_gpu_power_of_two(step, 0));
	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	*s = (state){0};
	step->state = s;
	snprintf(defines, sizeof defines, "#define EK_WG %d\n#define PAD %d\n", WG, (int)pad);
	EK_RETURN_IF(eki_gpu_prepare(step, "csr_padded", defines, eki_cl_csr_padded));
	EK_RETURN_IF(eki_gpu_mirror(step));
	const ek_store *A = step->in[0];

	EK_RETURN_IF(count_packs(step, pad, &packs));
	EK_RETURN_IF(
		eki_gpu_buffer(step, packs * pad, eki_idx_size(A->index), false, NULL, &s->col));
	EK_RETURN_IF(
		eki_gpu_buffer(step, packs * pad, ek_value_size(A->value), false, NULL, &s->val));
	step->bytes += (packs * pad - A->nnz) * eki_entry_bytes(A);
	step->param[0] = pad;
	EK_RETURN_IF(fill(step));
	return eki_gpu_kernel(step, "csr_padded", &s->kernel);
}

static ek_status refresh(eki_step *step)
{
	EK_RETURN_IF(eki_gpu_refresh(step));
	return fill(step);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	const ek_store *A = step->in[0];
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(step, v, &on));
	const eki_arg args[] = {
		eki_arg_i64(A->rows),        eki_arg_buffer(step->gpu->array[CSR_PTR]),
		eki_arg_buffer(s->pack_ptr), eki_arg_buffer(s->col),
		eki_arg_buffer(s->val),      eki_arg_val(A->value, v->alpha),
		eki_arg_buffer(&on.x),       eki_arg_val(A->value, v->beta),
		eki_arg_buffer(&on.y)};

	EK_RETURN_IF(eki_gpu_launch(step, s->kernel, eki_groups(A->rows, WG), WG, args,
	                            EKI_COUNT(args)));
	return eki_gpu_leave(step, v, &on);
}

/* Predicts the padded copy, with half a pack of padding in each row. */
static double memory(const eki_features *f)
{
	const double entry = (double)ek_value_size(f->value) + (double)eki_idx_size(f->index);
	const double rows = (double)f->stats.rows;

	return ((double)f->stats.nnz + rows * (MOST - 1) / 2) * entry +
	       rows * (double)eki_ptr_size(f->index);
}

const ek_method ek_spmv_gpu_csr_padded = {
	.name = "spmv.csr.padded.gpu",
	.text = "one work-item for each row, rows padded to packs of 4 or 8 entries, on a device",
	.source = "ViennaCL 1.5, as in Greathouse and Daga 2014, section V",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.param = {{"pad", LEAST, MOST, "entries of a pack, 4 or 8"}},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_TRIED,
	.memory = memory,
	.prepare = prepare,
	.refresh = refresh,
	.run = run,
};

#endif
