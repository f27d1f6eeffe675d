/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on ELLPACK (ell.c). Padding is never read. Compile-time parameters: EK_WG, work-items of a
 * group; LANES, work-items for each row, defined only if the matrix is stored by rows. */

/* Multiplies a matrix that is stored by columns, with one work-item for each row. For each j,
 * entries j of neighbouring rows are side by side. */
EK_KERNEL(ell_by_columns, EK_WG)
(ek_i64 rows, ek_i64 stride, const EK_GLOBAL IDX *EK_RESTRICT row_len,
 const EK_GLOBAL IDX *EK_RESTRICT col_idx, const EK_GLOBAL VAL *EK_RESTRICT val, VAL alpha,
 const EK_GLOBAL VAL *EK_RESTRICT x, VAL beta, EK_GLOBAL VAL *y)
{
	const ek_i64 i = EK_GROUP() * EK_WG + EK_LID();

	if (i < rows) {
		const IDX n = row_len[i];
		ek_i64 k = i;
		VAL sum = 0;

		for (IDX j = 0; j < n; j++, k += stride)
			sum += EK_MUL(val[k], x[col_idx[k]]);
		ek_finish(sum, alpha, beta, y + i);
	}
}

#ifdef LANES
EK_KERNEL(ell_by_rows, EK_WG)
(ek_i64 rows, ek_i64 width, const EK_GLOBAL IDX *EK_RESTRICT row_len,
 const EK_GLOBAL IDX *EK_RESTRICT col_idx, const EK_GLOBAL VAL *EK_RESTRICT val, VAL alpha,
 const EK_GLOBAL VAL *EK_RESTRICT x, VAL beta, EK_GLOBAL VAL *y)
{
	EK_LOCAL VAL scratch[EK_WG];
	const int lane = EK_LID() % LANES;
	const ek_i64 i = EK_GROUP() * (EK_WG / LANES) + EK_LID() / LANES;
	VAL sum = 0;

	if (i < rows) {
		const IDX n = row_len[i];

		val += i * width;
		col_idx += i * width;
		for (IDX j = lane; j < n; j += LANES)
			sum += EK_MUL(val[j], x[col_idx[j]]);
	}
	sum = ek_lanes_sum(sum, LANES, scratch);
	if (i < rows && lane == 0)
		ek_finish(sum, alpha, beta, y + i);
}
#endif
