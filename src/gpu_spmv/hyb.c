/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on HYB on a device: y = alpha A x + beta y for the ELLPACK part, then y += alpha A x for the
 * coordinates that are left, one launch after the other in the queue (ell.c, coo.c).
 *
 * Bell and Garland 2009. */
#include "format/hyb.h"
#include "gpu_spmv/parts.h"

#ifndef EK_NO_GPU

typedef struct state {
	void *ell;
	eki_gpu_coo coo;
} state;

/* One program of both texts. */
static ek_status make_program(ek_plan *p)
{
	ek_status status;
	int64_t bytes;
	char *text;

	EK_RETURN_IF(eki_program_join(p->ctx, eki_cl_ell, eki_cl_coo, &text, &bytes));
	status = eki_gpu_prepare(p, "hyb", EKI_GPU_COO_DEFINES, text);
	eki_free(p->ctx, text, bytes, 1);
	return status;
}

static ek_status prepare(ek_plan *p)
{
	state *s;

	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *s, &s));
	p->state = s;
	EK_RETURN_IF(make_program(p));
	EK_RETURN_IF(eki_gpu_mirror(p));
	EK_RETURN_IF(eki_gpu_kernel(p, "ell_by_columns", &s->ell));
	return eki_gpu_coo_prepare(p, HYB_COO, p->store->len[HYB_COO], &s->coo);
}

static ek_status run(const ek_plan *p, const ek_args *v)
{
	const state *s = p->state;
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(p, v, &on));
	EK_RETURN_IF(eki_gpu_ell_columns(p, s->ell, HYB_ELL, v, &on));
	EK_RETURN_IF(eki_gpu_coo_add(p, &s->coo, v, &on));
	return eki_gpu_leave(p, v, &on);
}

const ek_method ek_spmv_gpu_hyb = {
	.name = "spmv.hyb.gpu",
	.text = "a work-item for each row of ELLPACK, segmented sums for the rest, on a device",
	.source = "Bell and Garland 2009",
	.operation = EK_SPMV,
	.format = &ek_format_hyb,
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
