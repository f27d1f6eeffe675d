/* SPDX-License-Identifier: BSD-3-Clause
 * Finds where to cut a CSR matrix between threads: by rows, by entries, or along the merge path.
 * Each cut is one binary search in row_ptr. So it takes O(log rows) time at most, and no memory
 * except for its result. */
#include "matrix/matrix.h"

int64_t eki_row_of(const ek_store *csr, int64_t k)
{
	const void *ptr = csr->array[CSR_PTR];
	const int64_t after = csr->index == EK_I32
	                              ? eki_upper_bound((const int32_t *)ptr, 1, csr->rows, k)
	                              : eki_upper_bound((const int64_t *)ptr, 1, csr->rows, k);

	return after - 1;
}

struct diagonal {
	const ek_store *csr;
	int64_t d;
};

/* Tells whether row i ends before entry d - i, that is, row_ptr[i + 1] <= d - i - 1. */
static bool ends_before(const void *of, int64_t i)
{
	const struct diagonal *at = of;

	return eki_ptr_at(at->csr, i + 1) <= at->d - i - 1;
}

void eki_merge_search(const ek_store *csr, int64_t d, int64_t *row, int64_t *entry)
{
	*row = eki_merge_path(csr->rows, csr->nnz, d, ends_before, &(struct diagonal){csr, d});
	*entry = d - *row;
}

void eki_partition_rows(const ek_store *csr, int parts, int64_t *bound)
{
	int64_t entry;

	for (int part = 0; part <= parts; part++)
		eki_merge_search(csr, eki_cut(csr->rows + csr->nnz, parts, part), &bound[part],
		                 &entry);
	bound[parts] = csr->rows;
}
