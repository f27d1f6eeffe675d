/* SPDX-License-Identifier: BSD-3-Clause
 * Bounds of the rows of a sparse product (product.c). Compile-time parameter: EK_WG, work-items of
 * a group. */
#include "spgemm_gpu/operands.cl"

/* Sets bound[i] to the number of products of row i of C, and bound[rows] to 0. A work-item has one
 * row. */
EK_KERNEL(row_bounds, EK_WG)
(EK_PRODUCT_PARAMETERS, EK_GLOBAL ek_i64 *EK_RESTRICT bound)
{
	const ek_i64 i = EK_GROUP() * EK_WG + EK_LID();
	ek_i64 u = 0;

	if (i < rows) {
#if HAS_D
		u = d_ptr[i + 1] - d_ptr[i];
#endif
		for (PTR k = a_ptr[i]; k < a_ptr[i + 1]; k++)
			u += b_ptr[a_col[k] + 1] - b_ptr[a_col[k]];
	}
	if (i <= rows)
		bound[i] = u;
}
