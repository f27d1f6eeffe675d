/* SPDX-License-Identifier: BSD-3-Clause
 * Computes SpMM on CSR with LANES work-items for each row (csr_columns.c). Each work-item has up to
 * EACH columns, which are LANES apart. Consecutive groups have the same rows and different blocks
 * of LANES * EACH columns, so that entries of A stay in the caches. Entry (i, j) of X is x[x_at + i
 * x_row + j x_col], and likewise for Y. If alpha is 0, neither X nor the entries of A are read.
 * Parameters: EK_WG, LANES, EACH. */
EK_KERNEL(csr_columns, EK_WG)
(ek_i64 rows, ek_i64 width, ek_i64 blocks, const EK_GLOBAL PTR *EK_RESTRICT row_ptr,
 const EK_GLOBAL IDX *EK_RESTRICT col_idx, const EK_GLOBAL VAL *EK_RESTRICT val, VAL alpha,
 const EK_GLOBAL VAL *EK_RESTRICT x, ek_i64 x_at, ek_i64 x_row, ek_i64 x_col, VAL beta,
 EK_GLOBAL VAL *y, ek_i64 y_at, ek_i64 y_row, ek_i64 y_col)
{
	const ek_i64 i = EK_GROUP() / blocks * (EK_WG / LANES) + EK_LID() / LANES;
	const ek_i64 first = EK_GROUP() % blocks * (LANES * EACH) + EK_LID() % LANES;
	VAL sum[EACH];

	if (i < rows && first < width) {
		const PTR end = EK_IS_ZERO(alpha) ? row_ptr[i] : row_ptr[i + 1];

		x += x_at + first * x_col;
		y += y_at + i * y_row + first * y_col;
		for (int q = 0; q < EACH; q++)
			sum[q] = 0;
		for (PTR k = row_ptr[i]; k < end; k++) {
			const EK_GLOBAL VAL *from = x + col_idx[k] * x_row;
			const VAL a = val[k];

			for (int q = 0; q < EACH; q++)
				if (q == 0 || first + q * LANES < width)
					sum[q] += EK_MUL(a, from[q * LANES * x_col]);
		}
		for (int q = 0; q < EACH; q++)
			if (q == 0 || first + q * LANES < width)
				ek_finish(sum[q], alpha, beta, y + q * LANES * y_col);
	}
}
