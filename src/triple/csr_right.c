/* SPDX-License-Identifier: BSD-3-Clause
 * Galerkin products in the order P^T (A P). A P has as many rows as A, most of them short; the rows
 * of A are read once, in order.
 *
 * Cost: the products of A and P, then those of P^T and A P, which is written and read. Liu 2015,
 * section 9.5.1. */
#include "triple/two_products.h"

static ek_status prepare(eki_step *step)
{
	return eki_two_products_prepare(step, false, NULL, NULL);
}

const ek_method ek_triple_csr_right = {
	.name = "triple.csr.right",
	.text = "P^T (A P), two products of sparse matrices",
	.source = "Liu 2015, section 9.5.1",
	.operation = EK_TRIPLE,
	.format = {&ek_format_csr, &ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_STRICT,
	.cost = eki_two_products_cost,
	.prepare = prepare,
	.refresh = eki_two_products_refresh,
	.run = eki_two_products_run,
};
