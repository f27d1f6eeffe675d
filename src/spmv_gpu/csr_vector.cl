/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR, with LANES work-items for each row (csr_vector.c). Compile-time parameters: EK_WG,
 * work-items of a group; LANES, a power of two. */
EK_KERNEL(csr_vector, EK_WG)
(ek_i64 rows, const EK_GLOBAL PTR *EK_RESTRICT row_ptr, const EK_GLOBAL IDX *EK_RESTRICT col_idx,
 const EK_GLOBAL VAL *EK_RESTRICT val, VAL alpha, const EK_GLOBAL VAL *EK_RESTRICT x, VAL beta,
 EK_GLOBAL VAL *y)
{
	const int lane = EK_LID() % LANES;
	const ek_i64 i = EK_GROUP() * (EK_WG / LANES) + EK_LID() / LANES;
	VAL sum = 0;

	if (i < rows) {
		const PTR n = row_ptr[i + 1] - row_ptr[i];

		val += row_ptr[i];
		col_idx += row_ptr[i];
		for (ek_u64 k = (ek_u64)lane; k < (ek_u64)n; k += LANES)
			sum += EK_MUL(val[k], x[col_idx[k]]);
	}
#if LANES > 1
	EK_LOCAL VAL scratch[EK_WG];

	sum = ek_lanes_sum(sum, LANES, scratch);
#endif
	if (i < rows && lane == 0)
		ek_finish(sum, alpha, beta, y + i);
}
