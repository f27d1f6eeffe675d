/* SPDX-License-Identifier: BSD-3-Clause
 * Fills the values of one block row. The formats of format/block.h include this file in each pass
 * of base/for_each.h. Each format finds the blocks of a block row in its own arrays. A view
 * (format/block.h) would have to be allocated, but filling in new values must not take memory. */

/* Returns the last block in [begin, end) whose block column is not greater than j, or `begin` if
 * there is none. Blocks [begin, end) must be those of one block row. */
static inline int64_t FN(block_of)(const IDX *block_col, int64_t begin, int64_t end, int64_t j)
{
	return eki_upper_bound(block_col, begin + 1, end, j) - 1;
}

/* Copies the values of block row b from `csr` to `out`. [begin, end) must be all blocks of that
 * block row. The columns of `csr` may be in any order. */
static inline void FN(block_row_values)(const ek_store *csr, ek_store *out, const block_shape *h,
                                        int64_t b, int64_t begin, int64_t end)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	const IDX *col_idx = csr->array[CSR_COL], *block_col = out->array[BLOCK_COL];
	const VAL *from = csr->array[CSR_VAL];
	VAL *val = out->array[BLOCK_VAL];

	for (int64_t i = b * h->r; i < (b + 1) * h->r && i < csr->rows; i++) {
		const int64_t line = (i - b * h->r) * h->row_step;
		int64_t at = begin;

		for (int64_t k = row_ptr[i]; k < row_ptr[i + 1]; k++) {
			int64_t j = col_idx[k] - (int64_t)block_col[at] * h->c;

			if (j < 0 || j >= h->c) {
				j = col_idx[k] / h->c;
				at = at + 1 < end && block_col[at + 1] == j
				             ? at + 1
				             : FN(block_of)(block_col, begin, end, j);
				j = col_idx[k] - (int64_t)block_col[at] * h->c;
			}
			val[at * h->places + line + j * h->col_step] = from[k];
		}
	}
}
