/* SPDX-License-Identifier: BSD-3-Clause
 * Galerkin products in the order (P^T A) P. P^T A has as few rows as C, and these are long, so
 * there is little to do for each row besides its products. Each row of A is read once for each
 * entry in the same row of P.
 *
 * Cost: the products of P^T and A, then those of P^T A, which is written and read, and P. Liu 2015,
 * section 9.5.1. */
#include "triple/two_products.h"

static ek_status prepare(eki_step *step)
{
	return eki_two_products_prepare(step, true, NULL, NULL);
}

const ek_method ek_triple_csr_left = {
	.name = "triple.csr.left",
	.text = "(P^T A) P, two products of sparse matrices",
	.source = "Liu 2015, section 9.5.1",
	.operation = EK_TRIPLE,
	.format = {&ek_format_csr, &ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_STRICT,
	.prepare = prepare,
	.refresh = eki_two_products_refresh,
	.run = eki_two_products_run,
};
