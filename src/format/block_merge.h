/* SPDX-License-Identifier: BSD-3-Clause
 * The merge that finds the blocks of a block row: the lowest column among the next entries of its
 * rows determines the next block, and all entries inside that block are taken. Included in each
 * pass of base/for_each.h, after format/block.h. */
#include <string.h>

#if EK_PER_TYPE

/* The entries of one block row that are not in any block yet. Row i of n has entries
 * at[i] .. end[i] - 1 of the CSR arrays. If all rows of the block row have the same columns, n is 1
 * and the row stands for all of them. */
struct FN(block_rows) {
	int n;
	uint64_t rows; /* mask of the first places of the rows that row 0 stands for */
	int64_t at[BLOCK_MOST], end[BLOCK_MOST];
};

static inline void FN(block_rows_of)(const ek_store *csr, const block_shape *h, int64_t b,
                                     struct FN(block_rows) * rest)
{
	const PTR *row_ptr = (const PTR *)csr->array[CSR_PTR] + b * h->r;
	const IDX *col_idx = csr->array[CSR_COL];
	const int n = csr->rows - b * h->r < h->r ? (int)(csr->rows - b * h->r) : h->r;
	const PTR len = row_ptr[1] - row_ptr[0];
	bool alike = true;

	rest->rows = 1;
	for (int i = 0; i < n; i++) {
		rest->at[i] = row_ptr[i];
		rest->end[i] = row_ptr[i + 1];
	}
	for (int i = 1; i < n && alike; i++) {
		alike = row_ptr[i + 1] - row_ptr[i] == len &&
		        (!len || !memcmp(col_idx + row_ptr[0], col_idx + row_ptr[i],
		                         (size_t)len * sizeof *col_idx));
		rest->rows |= UINT64_C(1) << (i * h->row_step);
	}
	rest->n = alike ? 1 : n;
	if (!alike)
		rest->rows = 1;
}

/* Finds the next block and advances *rest past its entries. Returns the block column and sets *mask
 * to the mask of the block. Returns -1 if no entries are left. */
static inline int64_t FN(block_next)(const IDX *col_idx, const block_shape *h,
                                     struct FN(block_rows) * rest, uint64_t *mask)
{
	const IDX none = sizeof(IDX) == 4 ? INT32_MAX : (IDX)INT64_MAX;
	IDX low = none, first;

	for (int i = 0; i < rest->n; i++)
		if (rest->at[i] < rest->end[i] && col_idx[rest->at[i]] < low)
			low = col_idx[rest->at[i]];
	if (low == none)
		return -1;
	low /= (IDX)h->c;
	first = low * (IDX)h->c;
	*mask = 0;
	for (int i = 0; i < rest->n; i++) {
		int64_t k = rest->at[i];

		for (; k < rest->end[i] && col_idx[k] - first < h->c; k++)
			*mask |= UINT64_C(1)
			         << (i * h->row_step + (int)(col_idx[k] - first) * h->col_step);
		rest->at[i] = k;
	}
	*mask *= rest->rows;
	return low;
}

#endif
