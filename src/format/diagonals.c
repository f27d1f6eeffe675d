/* SPDX-License-Identifier: BSD-3-Clause
 * Finds the diagonals on which a matrix has entries, by a byte for each diagonal that there could
 * be. If there are so many columns that this would take more memory than the matrix, sorts the
 * diagonals of all entries instead. */
#include <string.h>

#include "format/diagonals.h"
#define EK_TYPES_ONLY
#define EK_FILE "format/diagonals.c"
#include "base/for_each.h"

#include "format/row_runs.h"

#if EK_PER_TYPE

static inline void FN(mark_rows)(const ek_store *csr, ek_store *marks, int64_t i, int64_t n)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	const IDX *col_idx = csr->array[CSR_COL];
	_Atomic unsigned char *seen = marks->array[0];

	(void)n;
	for (int64_t k = row_ptr[i]; k < row_ptr[i + 1]; k++) {
		const int64_t at = col_idx[k] - i + csr->rows - 1;

		if (!atomic_load_explicit(seen + at, memory_order_relaxed))
			atomic_store_explicit(seen + at, 1, memory_order_relaxed);
	}
}

/* Marks the diagonals on which rows [begin, end) have an entry. Array 0 of `marks` has one byte for
 * each diagonal, beginning with offset 1 - rows; the bytes of marked diagonals are set to 1.
 * Several threads may write the same byte, but all of them write 1. */
static void FN(mark)(const ek_store *csr, ek_store *marks, int64_t begin, int64_t end)
{
	FN(each_alike)(csr, marks, begin, end, FN(mark_rows));
}

#endif
#if EK_ONCE

/* Allocates array 0 of *marks, which has a byte for each possible diagonal. Sets the bytes of the
 * diagonals that have entries to 1. The caller frees the array. */
static ek_status make_marks(const ek_context *ctx, const ek_store *csr, ek_store *marks)
{
	static eki_fill_fn *const mark[EK_NTYPE] = EK_BY_TYPE(mark);

	marks->len[0] = csr->rows + csr->cols;
	EK_RETURN_IF(eki_calloc(ctx, marks->len[0], 1, &marks->array[0]));
	eki_fill(ctx, mark, csr, marks, csr->rows, csr->nnz);
	return EK_OK;
}

ek_status eki_diagonals(const ek_context *ctx, const ek_store *csr, eki_diagonal_fn *each,
                        void *arg)
{
	ek_store marks = {0};
	const unsigned char *seen, *next;
	int64_t *list, count;

	if (eki_many_columns(csr)) {
		EK_RETURN_IF(eki_distinct(ctx, csr, true, &list, &count));
		for (int64_t d = 0; d < count; d++)
			each(arg, list[d]);
		eki_free(ctx, list, csr->nnz, sizeof *list);
		return EK_OK;
	}
	EK_RETURN_IF(make_marks(ctx, csr, &marks));
	seen = marks.array[0];
	for (int64_t k = 0; k < marks.len[0]; k++) {
		next = memchr(seen + k, 1, (size_t)(marks.len[0] - k));
		if (!next)
			break;
		k = next - seen;
		each(arg, k - csr->rows + 1);
	}
	eki_free(ctx, marks.array[0], marks.len[0], 1);
	return EK_OK;
}

#endif
