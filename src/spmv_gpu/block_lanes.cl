/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV with block rows as lanes (block_lanes.c), with one work-item for each block row. Block t of
 * lane l of a slice of `height` lanes, whose blocks begin with block `start`, is block
 * start + t height + l, and its place p is at (start + t height) R C + p height + l of `val`.
 * slice_ptr has the first block of each slice, and is read only if `sliced` is not 0; otherwise all
 * lanes have `width` blocks. Within a block, places in neighbouring rows are ROW apart, and those
 * in neighbouring columns COL. A sum that is Inf or NaN, which may come from fill (0 times Inf is
 * NaN), is computed again without fill. Compile-time parameters: EK_WG, work-items of a group; R
 * and C, rows and columns of a block; ROW and COL. */
EK_KERNEL(block_lanes, EK_WG)
(ek_i64 rows, ek_i64 cols, ek_i64 height, ek_i64 width, int sliced,
 const EK_GLOBAL PTR *EK_RESTRICT slice_ptr, const EK_GLOBAL IDX *EK_RESTRICT row_len,
 const EK_GLOBAL IDX *EK_RESTRICT col_idx, const EK_GLOBAL VAL *EK_RESTRICT val,
 const EK_GLOBAL ek_u8 *EK_RESTRICT mask, VAL alpha, const EK_GLOBAL VAL *EK_RESTRICT x, VAL beta,
 EK_GLOBAL VAL *y)
{
	const ek_i64 b = EK_GROUP() * EK_WG + EK_LID();
	VAL sum[R];

	if (b * R >= rows)
		return;
	const ek_i64 slice = b / height, lane = b - slice * height;
	const ek_i64 start = sliced ? (ek_i64)slice_ptr[slice] : slice * height * width;
	const ek_i64 place = start * (R * C) + lane;
	const IDX n = row_len[b];

	for (int i = 0; i < R; i++)
		sum[i] = 0;
	for (ek_i64 t = 0; t < n; t++) {
		const ek_i64 first = col_idx[start + t * height + lane];
		const ek_i64 at = place + t * height * (R * C);

		for (int j = 0; j < C; j++)
			if (first + j < cols) { /* the last block may extend beyond the columns */
				const VAL xj = x[first + j];

				for (int i = 0; i < R; i++)
					sum[i] += EK_MUL(val[at + (i * ROW + j * COL) * height],
					                 xj);
			}
	}
	for (int i = 0; i < R; i++) {
		VAL each = sum[i];

		if (b * R + i < rows && !EK_IS_FINITE(each)) {
			each = 0;
			for (ek_i64 t = 0; t < n; t++) {
				const ek_i64 block = start + t * height + lane;
				const ek_i64 at = place + t * height * (R * C);

				for (int j = 0; j < C; j++) {
					const int p = i * ROW + j * COL;
					const ek_i64 byte = block * ((R * C + 7) / 8) + p / 8;

					if (mask[byte] >> (p % 8) & 1)
						each += EK_MUL(val[at + p * height],
						               x[(ek_i64)col_idx[block] + j]);
				}
			}
		}
		if (b * R + i < rows)
			ek_finish(each, alpha, beta, y + b * R + i);
	}
}
