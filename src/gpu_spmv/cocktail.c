/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on a cocktail on a device: y = alpha A x + beta y for the first part that is there, then
 * y += alpha A x for each further one, a launch after the other in the queue. Each part is
 * multiplied as a matrix of its format is (dia.c, bcsr.c, ell.c, coo.c; CSR with lanes for each row
 * as in csr_vector.c). Vectors come to the device and go back once.
 *
 * Reads what the parts read, and each further part but coordinates reads and writes all of y. The
 * source chooses parts and kernels by what it measured on the device; here parts are as the format
 * has them, by counted bytes.
 *
 * Rounding, and what happens where alpha is Inf or NaN: as spmv/compose.c says.
 *
 * Su and Keutzer 2012. */
#include <stdio.h>
#include <string.h>

#include "format/cocktail.h"
#include "gpu_spmv/parts.h"

#ifndef EK_NO_GPU

typedef struct state {
	eki_gpu_part part[PARTS]; /* without a format: absent */
	eki_gpu_coo coo;
} state;

static ek_status make_ell(ek_plan *p, eki_gpu_part *part)
{
	EK_RETURN_IF(eki_gpu_program(p, "ell", EKI_GPU_ELL_DEFINES, eki_cl_ell));
	return eki_gpu_kernel(p, "ell_by_columns", &part->kernel);
}

static ek_status run_ell(const ek_plan *p, const eki_gpu_part *part, const ek_args *v,
                         const eki_gpu_vectors *on)
{
	return eki_gpu_ell_columns(p, part->kernel, part->first, v, on);
}

static ek_status make_coo(ek_plan *p, eki_gpu_part *part)
{
	state *s = p->state;

	EK_RETURN_IF(eki_gpu_program(p, "coo", EKI_GPU_COO_DEFINES, eki_cl_coo));
	return eki_gpu_coo_prepare(p, part->first, part->A.nnz, &s->coo);
}

static ek_status run_coo(const ek_plan *p, const eki_gpu_part *part, const ek_args *v,
                         const eki_gpu_vectors *on)
{
	const state *s = p->state;

	(void)part;
	EK_RETURN_IF(eki_gpu_scale_there(p, v->beta, &on->y));
	return eki_gpu_coo_add(p, &s->coo, v, on);
}

static const struct {
	int first;
	ek_status (*make)(ek_plan *, eki_gpu_part *);
	eki_gpu_part_fn *run;
} kind[PARTS] = {{COCKTAIL_DIA, eki_gpu_dia_make, eki_gpu_dia_run},
                 {COCKTAIL_BCSR, eki_gpu_bcsr_make, eki_gpu_bcsr_run},
                 {COCKTAIL_ELL, make_ell, run_ell},
                 {COCKTAIL_CSR, eki_gpu_csr_make, eki_gpu_csr_run},
                 {COCKTAIL_COO, make_coo, run_coo}};

static void say(ek_plan *p, const ek_store *part)
{
	const size_t used = strlen(p->why);

	snprintf(p->why + used, sizeof p->why - used, "         %-5s %12lld bytes\n",
	         part->format->name, (long long)eki_store_bytes(part));
}

static ek_status prepare(ek_plan *p)
{
	const int64_t vectors = (2 * p->y_len + p->x_len) * (int64_t)ek_value_size(p->store->value);
	int parts = 0;
	state *s;

	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *s, &s));
	*s = (state){0};
	p->state = s;
	EK_RETURN_IF(eki_gpu_prepare(p, "cocktail", "", NULL));
	EK_RETURN_IF(eki_gpu_mirror(p));
	for (int k = 0; k < PARTS; k++) {
		eki_gpu_part *part = &s->part[k];

		*part = (eki_gpu_part){.A = eki_cocktail_part(p->store, k), .first = kind[k].first};
		if (part->A.format) {
			EK_RETURN_IF(kind[k].make(p, part));
			say(p, &part->A);
			p->bytes += parts++ > 0 ? vectors : 0;
		}
	}
	return EK_OK;
}

static ek_status run(const ek_plan *p, const ek_args *v)
{
	const state *s = p->state;
	ek_args now = *v;
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(p, v, &on));
	for (int k = 0; k < PARTS; k++)
		if (s->part[k].A.format) {
			EK_RETURN_IF(kind[k].run(p, &s->part[k], &now, &on));
			now.beta = 1;
		}
	return eki_gpu_leave(p, v, &on);
}

const ek_method ek_spmv_gpu_cocktail = {
	.name = "spmv.cocktail.gpu",
	.text = "the sum of the products with diagonals, blocks, and what is left, on a device",
	.source = "Su and Keutzer 2012",
	.operation = EK_SPMV,
	.format = &ek_format_cocktail,
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
