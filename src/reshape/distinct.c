/* SPDX-License-Identifier: BSD-3-Clause
 * The different columns, or diagonals, that have an entry. A byte for each possible one is the fast
 * way to count them; where they are far more than the entries, as in a matrix of 2^33 columns, the
 * numbers of all entries are sorted instead: O(nnz log nnz), and 8 bytes and a sort for an entry. */
#include "core/ek_core.h"
#define EK_TYPES_ONLY
#define EK_FILE "reshape/distinct.c"
#include "core/for_each.h"

#if EK_PER_TYPE

/* Column j of each entry of rows [begin, end), less its row; array 0 of `list` takes them. */
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
	ek_store room = {.dim = {diagonals}};
	int64_t *v, n = 0;
	ek_status status;

	EK_TRY(eki_alloc(ctx, csr->nnz, sizeof *v, &room.array[0]));
	v = room.array[0];
	eki_fill(ctx, numbers, csr, &room, csr->rows, csr->nnz);
	const ek_array_options options = {.size = sizeof options, .method = "sort.merge"};
	const ek_pairs pairs = ek_key_value(EK_INT64, 0, csr->nnz, v, NULL);

	EK_TRY(ek_sort((ek_context *)(uintptr_t)ctx, &options, &pairs));
	for (int64_t k = 0; k < csr->nnz; k++)
		if (k == 0 || v[k] != v[n - 1])
			v[n++] = v[k];
	*list = v;
	*count = n;
done:
	if (status != EK_OK)
		eki_free(ctx, room.array[0], csr->nnz, sizeof *v);
	return status;
}

#endif
