/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on ELLPACK on a device. By columns (order=2): a work-item for each row; neighbours read
 * neighbouring places, which is what the format is for. By rows (order=1): as many lanes for a row
 * as the average row has entries, as in csr_vector.c.
 *
 * Rows end by their lengths, so padding is not read, unless it shares a sector of memory with
 * entries. Reads the bytes of the entries once, and a length for each row; warps take as long as
 * the longest of their rows.
 *
 * Bell and Garland 2009. */
#include <stdio.h>

#include "format/ell.h"
#include "gpu_spmv/parts.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_ell, "gpu_spmv/ell.cl");

enum { MOST = 64 }; /* lanes for a row */

typedef struct state {
	int lanes; /* of a row; 0: by columns */
	void *kernel;
} state;

static ek_status prepare(ek_plan *p)
{
	char defines[64] = EKI_GPU_ELL_DEFINES;
	const size_t used = sizeof EKI_GPU_ELL_DEFINES - 1;
	state *s;

	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *s, &s));
	p->state = s;
	s->lanes = 0;
	if (p->store->dim[ELL_ORDER] == BY_ROWS) {
		s->lanes = eki_gpu_lanes(p->y_len, p->store->nnz, 2, MOST);
		snprintf(defines + used, sizeof defines - used, "#define LANES %d\n", s->lanes);
	}
	EK_RETURN_IF(eki_gpu_prepare(p, "ell", defines, eki_cl_ell));
	EK_RETURN_IF(eki_gpu_mirror(p));
	return eki_gpu_kernel(p, s->lanes ? "ell_by_rows" : "ell_by_columns", &s->kernel);
}

/* Both kernels have the same parameters; `step`: from row to row, or from entry to entry. */
static ek_status launch(const ek_plan *p, void *kernel, int lanes, int64_t step, int first,
                        const ek_args *v, const eki_gpu_vectors *on)
{
	const ek_store *A = p->store;
	const eki_buffer *const *array = p->gpu->array + first;
	const eki_arg args[] = {eki_arg_i64(A->rows),           eki_arg_i64(step),
	                        eki_arg_buffer(array[ELL_LEN]), eki_arg_buffer(array[ELL_COL]),
	                        eki_arg_buffer(array[ELL_VAL]), eki_arg_val(A->value, v->alpha),
	                        eki_arg_buffer(&on->x),         eki_arg_val(A->value, v->beta),
	                        eki_arg_buffer(&on->y)};

	return eki_gpu_launch(p, kernel, eki_groups(A->rows, EKI_GPU_WG / lanes), EKI_GPU_WG, args,
	                      EKI_COUNT(args));
}

ek_status eki_gpu_ell_columns(const ek_plan *p, void *kernel, int first, const ek_args *v,
                              const eki_gpu_vectors *on)
{
	return launch(p, kernel, 1, ell_stride(p->store->rows), first, v, on);
}

static ek_status run(const ek_plan *p, const ek_args *v)
{
	const state *s = p->state;
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(p, v, &on));
	if (s->lanes)
		EK_RETURN_IF(launch(p, s->kernel, s->lanes, p->store->dim[ELL_WIDTH], 0, v, &on));
	else
		EK_RETURN_IF(eki_gpu_ell_columns(p, s->kernel, 0, v, &on));
	return eki_gpu_leave(p, v, &on);
}

const ek_method ek_spmv_gpu_ell = {
	.name = "spmv.ell.gpu",
	.text = "a work-item for each row, by rows 2 to 64, on a device",
	.source = "Bell and Garland 2009",
	.operation = EK_SPMV,
	.format = &ek_format_ell,
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
