/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on a cocktail, a matrix stored as a sum of parts in different formats, on a device
 * (compose.c). Su and Keutzer choose parts and kernels by measurements on the device; here the
 * format has chosen the parts by counting bytes, and the kernels are chosen by predictions.
 *
 * Su and Keutzer 2012. */
#include <math.h>

#include "format/cocktail.h"
#include "spmv/compose.h"
#include "spmv_gpu/compose.h"

#ifndef EK_NO_GPU

_Static_assert((int)PARTS <= (int)EKI_GPU_PARTS, "there is room for all parts");

static int parts(const ek_store *A, ek_store *part)
{
	eki_cocktail_parts(A, part);
	return PARTS;
}

static ek_status prepare(eki_step *step)
{
	return eki_gpu_compose_prepare(step, parts);
}

/* Predicts the total time of the parts. The library does not convert to this format for a device,
 * where products take too little time to pay for it. */
static double cost(const eki_features *f)
{
	ek_store part[PARTS];

	if (!f->store)
		return INFINITY;
	for (int k = 0; k < PARTS; k++)
		part[k] = eki_cocktail_part(f->store, k);
	return eki_compose_cost(f, part, PARTS, EKI_GPU);
}

const ek_method ek_spmv_gpu_cocktail = {
	.name = "spmv.cocktail.gpu",
	.text = "the sum of the products with diagonals, blocks, and what is left, on a device",
	.source = "Su and Keutzer 2012",
	.operation = EK_SPMV,
	.format = {&ek_format_cocktail},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = eki_gpu_compose_run,
};

#endif
