/* SPDX-License-Identifier: BSD-3-Clause
 * SpMM with a batch of the entries of CSR (csr_batches.c): entries [begin, end), which lie in rows
 * [first, last), in col_idx and val, which start with entry `begin`. Neighbouring work-items, LANES
 * of them, have neighbouring columns of a row of Y, and consecutive groups the same rows and
 * different blocks of LANES columns. Entry (i, j) of X is x[x_at + i x_row + j x_col], and likewise
 * for Y. A row that has begun in an earlier batch is added to Y. If alpha is 0, neither X nor the
 * entries are read. Parameters: EK_WG, LANES. */
EK_KERNEL(csr_batches, EK_WG)
(ek_i64 first, ek_i64 last, ek_i64 begin, ek_i64 end, ek_i64 width, ek_i64 blocks,
 const EK_GLOBAL PTR *EK_RESTRICT row_ptr, const EK_GLOBAL IDX *EK_RESTRICT col_idx,
 const EK_GLOBAL VAL *EK_RESTRICT val, VAL alpha, const EK_GLOBAL VAL *EK_RESTRICT x, ek_i64 x_at,
 ek_i64 x_row, ek_i64 x_col, VAL beta, EK_GLOBAL VAL *y, ek_i64 y_at, ek_i64 y_row, ek_i64 y_col)
{
	const ek_i64 i = first + EK_GROUP() / blocks * (EK_WG / LANES) + EK_LID() / LANES;
	const ek_i64 j = EK_GROUP() % blocks * LANES + EK_LID() % LANES;

	if (i < last && j < width) {
		const ek_i64 from = row_ptr[i] < begin ? begin : row_ptr[i];
		const ek_i64 stop = row_ptr[i + 1] < end ? row_ptr[i + 1] : end;
		const ek_i64 to = EK_IS_ZERO(alpha) ? from : stop;
		VAL sum = 0;

		x += x_at + j * x_col;
		for (ek_i64 k = from; k < to; k++)
			sum += EK_MUL(val[k - begin], x[col_idx[k - begin] * x_row]);
		ek_finish(sum, alpha, row_ptr[i] < begin ? (VAL)1 : beta,
		          y + y_at + i * y_row + j * y_col);
	}
}
