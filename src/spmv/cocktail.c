/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on a cocktail (format/cocktail.c): each part of A is multiplied by a method for its format,
 * and the products are added up (spmv/compose.c). Reads A once, and x and y once for each part.
 *
 * Su and Keutzer 2012. */
#include <math.h>

#include "format/cocktail.h"
#include "spmv/compose.h"

extern const ek_method ek_spmv_dia;

static ek_status prepare(eki_step *step)
{
	ek_store part[PARTS];

	eki_cocktail_parts(step->in[0], part);
	return eki_compose_prepare(step, part, PARTS);
}

/* Predicts the total time of the parts. It takes long to assign the entries to parts, so a matrix
 * in CSR is looked at only if most entries are on diagonals. It then takes what DIA takes for full
 * diagonals, and some more for the other entries. */
static double cost(const eki_features *f)
{
	const double most = 0.8, others = 1.1, blocks = fmax(f->beside_share, f->above_share);
	ek_store part[PARTS];

	if (!f->store)
		return f->diagonal_share < fmax(most, blocks) ? INFINITY
		                                              : others * ek_spmv_dia.cost(f);

	for (int k = 0; k < PARTS; k++)
		part[k] = eki_cocktail_part(f->store, k);
	return eki_compose_cost(f, part, PARTS, EKI_CPU);
}

const ek_method ek_spmv_cocktail = {
	.name = "spmv.cocktail",
	.text = "the sum of the products with diagonals, blocks, and what is left",
	.source = "Su and Keutzer 2012",
	.operation = EK_SPMV,
	.format = {&ek_format_cocktail},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.run = eki_compose_run,
};
