/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on block CSR (bcsr.c). Each row of the matrix has `lanes` work-items, which take the blocks
 * in turn, one block each. Blocks have r rows. Within a block, values in neighbouring rows are
 * row_step apart, and values in neighbouring columns col_step. A sum that is Inf or NaN, which may
 * come from fill (0 times Inf is NaN), is computed again without fill. Compile-time parameters:
 * EK_WG, work-items of a group; C, columns of a block, so that loops over columns are unrolled. */
EK_KERNEL(bcsr, EK_WG)
(ek_i64 rows, ek_i64 cols, int r, int row_step, int col_step, int lanes,
 const EK_GLOBAL PTR *EK_RESTRICT block_ptr, const EK_GLOBAL IDX *EK_RESTRICT block_col,
 const EK_GLOBAL VAL *EK_RESTRICT val, const EK_GLOBAL ek_u8 *EK_RESTRICT mask, VAL alpha,
 const EK_GLOBAL VAL *EK_RESTRICT x, VAL beta, EK_GLOBAL VAL *y)
{
	EK_LOCAL VAL scratch[EK_WG];
	const int lane = EK_LID() & (lanes - 1), places = r * C;
	const ek_i64 i = EK_GROUP() * (EK_WG / lanes) + EK_LID() / lanes;
	const ek_i64 b = i < rows ? i / r : 0;
	const int line = (int)(i - b * r) * row_step;
	const ek_i64 begin = block_ptr[b], end = i < rows ? (ek_i64)block_ptr[b + 1] : 0;
	VAL sum = 0;

	for (ek_i64 k = begin + lane; k < end; k += lanes) {
		const ek_i64 first = (ek_i64)block_col[k] * C, at = k * places + line;

		if (first + C <= cols) {
			for (int j = 0; j < C; j++)
				sum += EK_MUL(val[at + j * col_step], x[first + j]);
		} else { /* the block extends beyond the last column */
			for (int j = 0; j < cols - first; j++)
				sum += EK_MUL(val[at + j * col_step], x[first + j]);
		}
	}
	sum = ek_lanes_sum(sum, lanes, scratch);
	if (i >= rows || lane != 0)
		return;
	if (!EK_IS_FINITE(sum)) {
		sum = 0;
		for (ek_i64 k = begin; k < end; k++)
			for (int j = 0; j < C; j++) {
				const int place = line + j * col_step;
				const ek_i64 byte = k * ((places + 7) / 8) + place / 8;

				if (mask[byte] >> (place % 8) & 1)
					sum += EK_MUL(val[k * places + place],
					              x[(ek_i64)block_col[k] * C + j]);
			}
	}
	ek_finish(sum, alpha, beta, y + i);
}
