/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on banded diagonals, with one work-item for each entry of y (bdia.c). A group brings the
 * elements of x that it needs for at most EK_WG diagonals of a band to local memory, and each
 * work-item reads its own there. If `transposed` is not 0, A is transposed: entry i of y needs the
 * rows i - offset. Elements outside the matrix count as 0, and so do the places there. A sum that
 * is Inf or NaN, which may come from fill (0 times Inf is NaN), is computed again without fill.
 * Compile-time parameter: EK_WG, work-items of a group. */

/* Returns the word of the mask of row i and diagonal d of a band. */
EK_FN ek_i64 bdia_word(ek_i64 first, ek_i64 n, ek_i64 groups, ek_i64 i, ek_i64 d)
{
	return first * groups + i / 32 * n + d;
}

EK_KERNEL(bdia, EK_WG)
(ek_i64 y_len, ek_i64 x_len, int transposed, ek_i64 groups, ek_i64 bands,
 const EK_GLOBAL PTR *EK_RESTRICT band_ptr, const EK_GLOBAL IDX *EK_RESTRICT offset,
 const EK_GLOBAL VAL *EK_RESTRICT val, const EK_GLOBAL ek_u32 *EK_RESTRICT mask, VAL alpha,
 const EK_GLOBAL VAL *EK_RESTRICT x, VAL beta, EK_GLOBAL VAL *y)
{
	EK_LOCAL VAL near[2 * EK_WG];
	const int lid = EK_LID();
	const ek_i64 base = EK_GROUP() * EK_WG, i = base + lid;
	VAL sum = 0;

	for (ek_i64 b = 0; b < bands; b++) {
		const ek_i64 first = band_ptr[b], n = band_ptr[b + 1] - first;

		for (ek_i64 d = 0; d < n; d += EK_WG) {
			const int m = n - d < EK_WG ? (int)(n - d) : EK_WG;
			const ek_i64 from = transposed ? base - offset[b] - d - (m - 1)
			                               : base + offset[b] + d;

			EK_BARRIER();
			for (int k = lid; k < EK_WG + m - 1; k += EK_WG)
				near[k] = from + k >= 0 && from + k < x_len ? x[from + k] : (VAL)0;
			EK_BARRIER();
			for (int k = 0; k < m; k++) {
				const int at = lid + (transposed ? m - 1 - k : k);
				const ek_i64 j = from + at, row = transposed ? j : i;

				if (i < y_len && j >= 0 && j < x_len) {
					const ek_i64 word = bdia_word(first, n, groups, row, d + k);

					sum += EK_MUL(val[word * 32 + row % 32], near[at]);
				}
			}
		}
	}
	if (i >= y_len)
		return;
	if (!EK_IS_FINITE(sum)) {
		sum = 0;
		for (ek_i64 b = 0; b < bands; b++) {
			const ek_i64 first = band_ptr[b], n = band_ptr[b + 1] - first;

			for (ek_i64 d = 0; d < n; d++) {
				const ek_i64 shift = offset[b] + d;
				const ek_i64 j = transposed ? i - shift : i + shift;
				const ek_i64 row = transposed ? j : i;

				if (j >= 0 && j < x_len) {
					const ek_i64 word = bdia_word(first, n, groups, row, d);

					if (mask[word] >> (row % 32) & 1)
						sum += EK_MUL(val[word * 32 + row % 32], x[j]);
				}
			}
		}
	}
	ek_finish(sum, alpha, beta, y + i);
}
