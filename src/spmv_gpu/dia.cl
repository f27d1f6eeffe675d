/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on diagonals, with one work-item for each entry of y (dia.c). Entry i of A x is the sum,
 * over all diagonals, of value i of the diagonal times x[i + offset]. If `transposed` is not 0, A
 * is transposed, and entry i is the sum of value i - offset times x[i - offset]. A sum that is Inf
 * or NaN, which may come from fill (0 times Inf is NaN), is computed again without fill.
 * Compile-time parameter: EK_WG, work-items of a group. */
EK_KERNEL(dia, EK_WG)
(ek_i64 y_len, ek_i64 x_len, int transposed, ek_i64 stride, ek_i64 count,
 const EK_GLOBAL IDX *EK_RESTRICT offset, const EK_GLOBAL VAL *EK_RESTRICT val,
 const EK_GLOBAL ek_u32 *EK_RESTRICT mask, VAL alpha, const EK_GLOBAL VAL *EK_RESTRICT x, VAL beta,
 EK_GLOBAL VAL *y)
{
	const ek_i64 i = EK_GROUP() * EK_WG + EK_LID();
	VAL sum = 0;

	if (i >= y_len)
		return;
	for (ek_i64 d = 0; d < count; d++) {
		const ek_i64 j = transposed ? i - offset[d] : i + offset[d];

		if (j >= 0 && j < x_len)
			sum += EK_MUL(val[d * stride + (transposed ? j : i)], x[j]);
	}
	if (!EK_IS_FINITE(sum)) {
		sum = 0;
		for (ek_i64 d = 0; d < count; d++) {
			const ek_i64 j = transposed ? i - offset[d] : i + offset[d];
			const ek_i64 k = d * stride + (transposed ? j : i);

			if (j >= 0 && j < x_len && mask[k / 32] >> (k % 32) & 1)
				sum += EK_MUL(val[k], x[j]);
		}
	}
	ek_finish(sum, alpha, beta, y + i);
}
