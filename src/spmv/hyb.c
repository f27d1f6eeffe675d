/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on HYB (format/hyb.c): computes the product with the ELLPACK part, then adds the product
 * with the remaining entries, which are coordinates; each part is multiplied by a method for its
 * format (spmv/compose.c). Reads A once, and x and y once for each part.
 *
 * Bell and Garland 2009, section 2.4. */
#include "format/hyb.h"
#include "spmv/compose.h"
#include "drive/drive.h"

static ek_status prepare(eki_step *step)
{
	const ek_store part[] = {eki_hyb_ell(step->in[0]), eki_hyb_coo(step->in[0])};

	return eki_compose_prepare(step, part, 2);
}

/* Predicts the total time of the two parts. If A is not in this format yet, assumes that all
 * entries are in ELLPACK without padding. */
static double cost(const eki_features *f)
{
	if (!f->store)
		return eki_cost_units(f, EKI_LOOP_LANES);
	const ek_store part[] = {eki_hyb_ell(f->store), eki_hyb_coo(f->store)};

	return eki_compose_cost(f, part, 2, EKI_CPU);
}

const ek_method ek_spmv_hyb = {
	.name = "spmv.hyb",
	.text = "ELLPACK, then the coordinates that are left",
	.source = "Bell and Garland 2009, section 2.4",
	.operation = EK_SPMV,
	.format = {&ek_format_hyb},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.run = eki_compose_run,
};
