/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on ELLPACK on a device. If the matrix is stored by columns (order=2), there is one work-item
 * for each row, and neighbouring work-items read neighbouring entries, which is what the format is
 * for. If it is stored by rows (order=1), a row has as many lanes as the average row has entries,
 * as in csr_vector.c.
 *
 * The length of each row is known, so padding is not read, unless it shares a sector of memory with
 * entries. Reads the entries once, and a length for each row. A warp takes as long as the longest
 * of its rows.
 *
 * Bell and Garland 2009. */
#include <stdio.h>
#include <string.h>

#include "format/ell.h"
#include "gpu/gpu.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_ell, "spmv_gpu/ell.cl");

enum { WG = 256, MOST = 64 /* maximum lanes for a row */ };

typedef struct state {
	int lanes; /* lanes for a row, or 0 if stored by columns */
	void *kernel;
} state;

static ek_status prepare(eki_step *step)
{
	char defines[64] = "#define EK_WG 256\n";
	const size_t used = strlen(defines);
	state *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	step->state = s;
	s->lanes = 0;
	if (step->in[0]->dim[ELL_ORDER] == BY_ROWS) {
		s->lanes = eki_gpu_lanes(step->y_len, step->in[0]->nnz, 2, MOST);
		snprintf(defines + used, sizeof defines - used, "#define LANES %d\n", s->lanes);
	}
	EK_RETURN_IF(eki_gpu_prepare(step, "ell", defines, eki_cl_ell));
	EK_RETURN_IF(eki_gpu_mirror(step));
	return eki_gpu_kernel(step, s->lanes ? "ell_by_rows" : "ell_by_columns", &s->kernel);
}

/* Launches one of the two kernels, which have the same parameters. `stride` is the distance from
 * row to row if the matrix is stored by rows, or from entry to entry of a row if it is stored by
 * columns. */
static ek_status run(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	const ek_store *A = step->in[0];
	const int64_t stride = s->lanes ? A->dim[ELL_WIDTH] : ell_stride(A->rows);
	const eki_buffer *const *array = step->gpu->array;
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(step, v, &on));
	const eki_arg args[] = {eki_arg_i64(A->rows),           eki_arg_i64(stride),
	                        eki_arg_buffer(array[ELL_LEN]), eki_arg_buffer(array[ELL_COL]),
	                        eki_arg_buffer(array[ELL_VAL]), eki_arg_val(A->value, v->alpha),
	                        eki_arg_buffer(&on.x),          eki_arg_val(A->value, v->beta),
	                        eki_arg_buffer(&on.y)};

	EK_RETURN_IF(eki_gpu_launch(step, s->kernel,
	                            eki_groups(A->rows, WG / (s->lanes ? s->lanes : 1)), WG, args,
	                            EKI_COUNT(args)));
	return eki_gpu_leave(step, v, &on);
}

static double cost(const eki_features *f)
{
	const ek_store *A = f->store;
	const double width = A ? (double)A->dim[ELL_WIDTH] : f->stats.row_mean;

	return eki_gpu_format_cost(
		f, 0.9, 1.25, 1,
		A && A->dim[ELL_ORDER] == BY_ROWS
			? width / eki_gpu_lanes(A->rows, (int64_t)f->stats.nnz, 2, MOST)
			: width);
}

const ek_method ek_spmv_gpu_ell = {
	.name = "spmv.ell.gpu",
	.text = "a work-item for each row, by rows 2 to 64, on a device",
	.source = "Bell and Garland 2009",
	.operation = EK_SPMV,
	.format = {&ek_format_ell},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
