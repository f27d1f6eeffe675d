/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on diagonals, a work-item for each entry of y (dia.c). Entry i of the product with A has
 * x[i + offset] times value i of a diagonal; with the transpose, if `turned` is not 0, x[i - offset]
 * times value i - offset. Where a sum is Inf or NaN, which 0 times Inf may have caused, it is made
 * again from the entries alone. Parameter: EK_WG. */
EK_KERNEL(dia, EK_WG)
(ek_i64 y_len, ek_i64 x_len, int turned, ek_i64 stride, ek_i64 count,
 const EK_GLOBAL IDX *EK_RESTRICT offset, const EK_GLOBAL VAL *EK_RESTRICT val,
 const EK_GLOBAL ek_u32 *EK_RESTRICT mask, VAL alpha, const EK_GLOBAL VAL *EK_RESTRICT x, VAL beta,
 EK_GLOBAL VAL *y)
{
	const ek_i64 i = EK_GROUP() * EK_WG + EK_LID();
	VAL sum = 0;

	if (i >= y_len)
		return;
	for (ek_i64 d = 0; d < count; d++) {
		const ek_i64 j = turned ? i - offset[d] : i + offset[d];

		if (j >= 0 && j < x_len)
			sum += val[d * stride + (turned ? j : i)] * x[j];
	}
	if (!(sum - sum == 0)) {
		sum = 0;
		for (ek_i64 d = 0; d < count; d++) {
			const ek_i64 j = turned ? i - offset[d] : i + offset[d];
			const ek_i64 k = d * stride + (turned ? j : i);

			if (j >= 0 && j < x_len && mask[k / 32] >> (k % 32) & 1)
				sum += val[k] * x[j];
		}
	}
	ek_finish(sum, alpha, beta, y + i);
}
