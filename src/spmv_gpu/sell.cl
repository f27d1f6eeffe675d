/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on SELL-C-sigma, with one work-item for each row (sell.c). Padding is never read. `perm` is
 * read only if `sorted` is not 0. Compile-time parameter: EK_WG, work-items of a group. */
EK_KERNEL(sell, EK_WG)
(ek_i64 rows, int c, int sorted, const EK_GLOBAL PTR *EK_RESTRICT chunk_ptr,
 const EK_GLOBAL IDX *EK_RESTRICT row_len, const EK_GLOBAL IDX *EK_RESTRICT perm,
 const EK_GLOBAL IDX *EK_RESTRICT col_idx, const EK_GLOBAL VAL *EK_RESTRICT val, VAL alpha,
 const EK_GLOBAL VAL *EK_RESTRICT x, VAL beta, EK_GLOBAL VAL *y)
{
	const ek_i64 p = EK_GROUP() * EK_WG + EK_LID();

	if (p < rows) {
		const ek_i64 i = sorted ? (ek_i64)perm[p] : p, chunk = p / c;
		const IDX n = row_len[i];
		ek_i64 k = chunk_ptr[chunk] + (p - chunk * c);
		VAL sum = 0;

		for (IDX j = 0; j < n; j++, k += c)
			sum += EK_MUL(val[k], x[col_idx[k]]);
		ek_finish(sum, alpha, beta, y + i);
	}
}
