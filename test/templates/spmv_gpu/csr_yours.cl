/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR, a work-item for each row (csr_yours.c). Parameter: EK_WG. */
EK_KERNEL(csr_yours, EK_WG)
(ek_i64 rows, const EK_GLOBAL PTR *EK_RESTRICT row_ptr, const EK_GLOBAL IDX *EK_RESTRICT col_idx,
 const EK_GLOBAL VAL *EK_RESTRICT val, VAL alpha, const EK_GLOBAL VAL *EK_RESTRICT x, VAL beta,
 EK_GLOBAL VAL *y)
{
	const ek_i64 i = EK_GROUP() * EK_WG + EK_LID();

	if (i < rows) {
		VAL sum = 0;

		for (PTR k = row_ptr[i]; k < row_ptr[i + 1]; k++)
			sum += val[k] * x[col_idx[k]];
		ek_finish(sum, alpha, beta, y + i);
	}
}
