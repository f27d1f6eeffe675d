/* SPDX-License-Identifier: BSD-3-Clause
 * Where to cut a CSR matrix between threads: by rows, by nonzeros, by merge path. Each cut is one
 * binary search in row_ptr, so no cut costs more than O(log rows), and none needs memory beyond its
 * result. */
#include "core/ek_core.h"

int64_t eki_row_of(const ek_store *csr, int64_t k)
{
	int64_t low = 0, high = csr->rows; /* row_ptr[low] <= k < row_ptr[high] */

	while (high - low > 1) {
		int64_t mid = low + (high - low) / 2;

		if (eki_ptr_at(csr, mid) <= k)
			low = mid;
		else
			high = mid;
	}
	return low;
}

void eki_merge_search(const ek_store *csr, int64_t d, int64_t *row, int64_t *entry)
{
	/* Row i ends before entry d - i exactly if row_ptr[i + 1] <= d - i - 1; the first i for
	 * which that fails is the number of rows that are finished. */
	int64_t low = d > csr->nnz ? d - csr->nnz : 0, high = d < csr->rows ? d : csr->rows;

	while (low < high) {
		int64_t mid = low + (high - low) / 2;

		if (eki_ptr_at(csr, mid + 1) <= d - mid - 1)
			low = mid + 1;
		else
			high = mid;
	}
	*row = low;
	*entry = d - low;
}

void eki_partition_rows(const ek_store *csr, int parts, int64_t *bound)
{
	int64_t entry;

	for (int part = 0; part <= parts; part++)
		eki_merge_search(csr, eki_cut(csr->rows + csr->nnz, parts, part), &bound[part],
		                 &entry);
	bound[parts] = csr->rows;
}
