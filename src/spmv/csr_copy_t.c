/* SPDX-License-Identifier: BSD-3-Clause
 * The transposed product on CSR by a transposed copy: preparation transposes A once, runs are plain products of the copy,
 * cut by nonzeros as in csr_balanced.c. Gathering from x is faster than scattering to y, and needs no strips.
 *
 * Cost: as much memory as A again, and some ten products of preparation, so it is chosen for many announced calls only.
 * When values change, the copy fetches them by the order that the transposition recorded: one pass, no new sort. */
#include "spmv/csr_vector.h"

static ek_status prepare(ek_plan *p)
{
	int type = eki_type(p->store->value, p->store->index);
	eki_transposed *copy;

	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *copy, &copy));
	EK_RETURN_IF(eki_plan_transpose(p, copy));
	p->kept = copy;
	return eki_split_prepare(p, EKI_SPLIT_NNZ, eki_csr_vector[p->isa][type],
	                         eki_csr_dot[p->isa][type]);
}

static ek_status refresh(ek_plan *p)
{
	eki_transposed_refresh(p, p->kept);
	return EK_OK;
}

/* The features are of A; of the transpose nothing is known, so rows of mean length are assumed. */
static double cost(const eki_features *f)
{
	eki_features t = *f;

	t.stats.rows = f->stats.cols;
	return eki_cost(f, f->csr_bytes, eki_csr_vector_work(&t) * 1.1) +
	       (20.0 * (double)f->stats.nnz + 10.0 * (double)f->stats.cols) / (double)f->calls;
}

const ek_method ek_spmv_csr_copy_t = {
	.name = "spmv.csr.copy_t",
	.text = "transposed product: plain product of a transposed copy",
	.source = "Liu 2015, section 2.4; Wang et al. 2016 for the transposition",
	.operation = EK_SPMV,
	.format = &ek_format_csr,
	.backend = EKI_CPU,
	.traits = EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.refresh = refresh,
	.run = eki_split_run,
};
