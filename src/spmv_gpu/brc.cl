/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on BRC (brc.c): one work-item for each piece, then several work-items for each row that has
 * several pieces. Padding is never read. Compile-time parameters: EK_WG, work-items of a group;
 * UNROLL, entries that a work-item reads before it adds their products; LANES, work-items for a row
 * in the second launch. */

/* Sums each piece. The sums of pieces before piece `split` go to `partial`. The other pieces are
 * whole rows, whose sums go to y. */
EK_KERNEL(brc_pieces, EK_WG)
(ek_i64 pieces, ek_i64 split, int height, const EK_GLOBAL PTR *EK_RESTRICT block_ptr,
 const EK_GLOBAL IDX *EK_RESTRICT piece_row, const EK_GLOBAL IDX *EK_RESTRICT piece_len,
 const EK_GLOBAL IDX *EK_RESTRICT col_idx, const EK_GLOBAL VAL *EK_RESTRICT val, VAL alpha,
 const EK_GLOBAL VAL *EK_RESTRICT x, VAL beta, EK_GLOBAL VAL *y, EK_GLOBAL VAL *partial)
{
	const ek_i64 p = EK_GROUP() * EK_WG + EK_LID();

	if (p < pieces) {
		const int n = (int)piece_len[p], lane = (int)(p % height);
		ek_i64 k = (ek_i64)block_ptr[p / height] * height + lane;
		VAL sum = 0, v[UNROLL];
		IDX col[UNROLL];
		int j = 0;

		for (; j + UNROLL <= n; j += UNROLL, k += UNROLL * height) {
			for (int u = 0; u < UNROLL; u++) {
				col[u] = EK_STREAM(col_idx + k + u * height);
				v[u] = EK_STREAM(val + k + u * height);
			}
			for (int u = 0; u < UNROLL; u++)
				v[u] = EK_MUL(v[u], EK_LOAD(x + col[u]));
			for (int u = 0; u < UNROLL; u++)
				sum += v[u];
		}
		for (; j < n; j++, k += height)
			sum += EK_MUL(EK_STREAM(val + k), EK_LOAD(x + EK_STREAM(col_idx + k)));
		if (p < split)
			partial[p] = sum;
		else
			ek_finish(sum, alpha, beta, y + piece_row[p]);
	}
}

/* Finishes the rows that have several pieces, by adding up the sums of the pieces. The r-th of
 * these rows, counted from 0, has pieces first[r] to first[r + 1] - 1. */
EK_KERNEL(brc_rows, EK_WG)
(ek_i64 rows, const EK_GLOBAL ek_i64 *EK_RESTRICT first, const EK_GLOBAL IDX *EK_RESTRICT piece_row,
 const EK_GLOBAL VAL *EK_RESTRICT partial, VAL alpha, VAL beta, EK_GLOBAL VAL *y)
{
	EK_LOCAL VAL scratch[EK_WG];
	const int lane = EK_LID() % LANES;
	const ek_i64 r = EK_GROUP() * (EK_WG / LANES) + EK_LID() / LANES;
	VAL sum = 0;

	if (r < rows)
		for (ek_i64 p = first[r] + lane; p < first[r + 1]; p += LANES)
			sum += partial[p];
	sum = ek_lanes_sum(sum, LANES, scratch);
	if (r < rows && lane == 0)
		ek_finish(sum, alpha, beta, y + piece_row[first[r]]);
}
