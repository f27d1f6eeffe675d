/* SPDX-License-Identifier: BSD-3-Clause
 * The transposed product on CSR by a transposed copy: preparation transposes A once and chooses a
 * method for the plain product of the copy, which runs do. Gathering from x is faster than
 * scattering to y, and needs no strips.
 *
 * Cost: as much memory as A again, and some ten products of preparation, so it is chosen for many
 * announced calls only. When values change, the copy fetches them by the order that the
 * transposition recorded: one pass, no new sort. */
#include <stdio.h>
#include <string.h>

#include "spmv/csr_vector.h"

static ek_status prepare(ek_plan *p)
{
	char why[sizeof p->why];
	eki_transposed *copy;
	size_t used;

	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *copy, &copy));
	EK_RETURN_IF(eki_plan_transpose(p, copy));
	EK_RETURN_IF(eki_select(p, &ek_format_csr, &p->inner, why, sizeof why));
	used = strlen(p->why);
	snprintf(p->why + used, sizeof p->why - used, "the copy is multiplied by %s\n",
	         p->inner->name);
	if (p->inner->traits & EKI_SERIAL)
		p->threads = p->parts = 1;
	return p->inner->prepare ? p->inner->prepare(p) : EK_OK;
}

/* The copy is the first member of what eki_plan_transpose filled in. */
static ek_status refresh(ek_plan *p)
{
	eki_transposed_refresh(p, (eki_transposed *)(uintptr_t)p->store);
	return p->inner->refresh ? p->inner->refresh(p) : EK_OK;
}

static ek_status run(const ek_plan *p, const ek_args *args)
{
	return p->inner->run(p, args);
}

static double cost(const eki_features *f)
{
	eki_features t = *f;

	t.stats.rows = f->stats.cols;
	t.stats.cols = f->stats.rows;
	t.stats.row_mean = t.stats.rows ? (double)t.stats.nnz / (double)t.stats.rows : 0;
	return eki_cost(f, f->csr_bytes, eki_csr_vector_work(&t) * 1.1) +
	       (20.0 * (double)f->stats.nnz + 10.0 * (double)f->stats.cols) / (double)f->calls;
}

const ek_method ek_spmv_csr_copy_t = {
	.name = "spmv.csr.copy_t",
	.text = "transposed product: plain product of a transposed copy, by the method chosen for "
		"it",
	.source = "Liu 2015, section 2.4; Wang et al. 2016 for the transposition",
	.operation = EK_SPMV,
	.format = &ek_format_csr,
	.backend = EKI_CPU,
	.traits = EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.refresh = refresh,
	.run = run,
};
