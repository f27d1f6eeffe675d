/* SPDX-License-Identifier: BSD-3-Clause
 * Lists the different columns, or diagonals, that have an entry. The fast way would be a byte for
 * each possible column or diagonal. This file is for matrices that have far fewer entries than
 * columns, such as one with 2^33 columns: it sorts the column or diagonal numbers of all entries.
 * Cost: O(nnz log nnz) time, and memory of 8 bytes for each entry plus the scratch of the sort. */
#include "prim/prim.h"
#define EK_TYPES_ONLY
#define EK_FILE "reshape/distinct.c"
#include "base/for_each.h"

#if EK_PER_TYPE

/* Writes a number for each entry of rows [begin, end) to array 0 of `list`. The number is the
 * column or, if list->dim[0] is not 0, the diagonal, which is the column minus the row. */
static void FN(numbers)(const ek_store *csr, ek_store *list, int64_t begin, int64_t end)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	const IDX *col_idx = csr->array[CSR_COL];
	int64_t *to = list->array[0];

	for (int64_t i = begin; i < end; i++)
		for (int64_t k = row_ptr[i]; k < row_ptr[i + 1]; k++)
			to[k] = col_idx[k] - (list->dim[0] ? i : 0);
}

#endif
#if EK_ONCE

ek_status eki_distinct(const ek_context *ctx, const ek_store *csr, bool diagonals, int64_t **list,
                       int64_t *count)
{
	static eki_fill_fn *const numbers[EK_NTYPE] = EK_BY_TYPE(numbers);
	ek_store all = {.dim = {diagonals}};
	eki_array sort;
	void *scratch = NULL;
	int64_t *v, n = 0;
	ek_status status;

	EK_TRY(eki_alloc(ctx, csr->nnz, sizeof *v, &all.array[0]));
	v = all.array[0];
	eki_fill(ctx, numbers, csr, &all, csr->rows, csr->nnz);
	sort = (eki_array){.operation = EK_SORT,
	                   .type = EK_INT64,
	                   .n = csr->nnz,
	                   .a = ek_key_value(EK_INT64, 0, csr->nnz, v, NULL),
	                   .ctx = ctx,
	                   .isa = ctx->isa,
	                   .threads = eki_parts(ctx, csr->nnz)};
	EK_TRY(eki_alloc(ctx, eki_sort_scratch_pairs(&sort), sizeof *v, &scratch));
	eki_sort_into(&sort, (eki_pair_at){scratch, NULL});
	eki_free(ctx, scratch, eki_sort_scratch_pairs(&sort), sizeof *v);
	for (int64_t k = 0; k < csr->nnz; k++)
		if (k == 0 || v[k] != v[n - 1])
			v[n++] = v[k];
	*list = v;
	*count = n;
done:
	if (status != EK_OK)
		eki_free(ctx, all.array[0], csr->nnz, sizeof *v);
	return status;
}

#endif
