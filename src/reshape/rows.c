/* SPDX-License-Identifier: BSD-3-Clause
 * Sorts the rows of a CSR store by column. Each row is checked first, as most rows are sorted
 * already. The sort (prim_body/sort.h) is stable. Cost: O(nnz) for sorted rows, O(nnz log(longest
 * row)) at worst. Each part has a workspace as large as its longest unsorted row. Together, the
 * workspaces have at most the size of one copy of the entries. */
#include "prim_body/scan.h"
#include "prim_body/sort.h"
#include "reshape/rows.h"
#define EK_TYPES_ONLY
#define EK_FILE "reshape/rows.c"
#include "base/for_each.h"

#if EK_PER_TYPE

/* Returns the sizes of the pairs to sort. The key of a pair is a column. Its value is the data of
 * an entry, which has the size of a VAL. */
static inline eki_pair_kind FN(rows_kind)(void)
{
	return (eki_pair_kind){sizeof(IDX), sizeof(VAL), false};
}

static inline eki_pair_at FN(rows_run)(const eki_rows *rows, int64_t k)
{
	return (eki_pair_at){(IDX *)rows->csr->array[CSR_COL] + k,
	                     (char *)rows->with + k * (int64_t)sizeof(VAL)};
}

/* Finds the size of the scratch memory for a part: the maximum of the sizes that its unsorted rows
 * need. */
static void FN(rows_look)(void *arg, int part)
{
	eki_rows *rows = arg;
	const PTR *row_ptr = rows->csr->array[CSR_PTR];
	int64_t most = 0;

	for (int64_t i = rows->bound[part]; i < rows->bound[part + 1]; i++) {
		const int64_t n = row_ptr[i + 1] - row_ptr[i];

		if (n > 1 && eki_sort_scratch(n) > most &&
		    !eki_ascends(n, FN(rows_run)(rows, row_ptr[i]), FN(rows_kind)()))
			most = eki_sort_scratch(n);
	}
	rows->scratch[part + 1] = most;
}

/* Sorts the rows of a part, and counts the entries that have the same column as the entry
 * before. */
static void FN(rows_sort)(void *arg, int part)
{
	eki_rows *rows = arg;
	const eki_pair_kind of = FN(rows_kind)();
	const PTR *row_ptr = rows->csr->array[CSR_PTR];
	const IDX *col = rows->csr->array[CSR_COL];
	const int64_t at = rows->scratch[part];
	eki_pair_at scratch = {rows->col_scratch, rows->with_scratch};
	int64_t all = 0, first = -1;

	if (rows->scratch[part + 1] > at)
		scratch = eki_run_at(scratch, at, of);
	for (int64_t i = rows->bound[part]; i < rows->bound[part + 1]; i++) {
		const int64_t begin = row_ptr[i], n = row_ptr[i + 1] - begin, end = begin + n;
		int64_t repeated = 0;

		if (n < 2) /* the arrays may be NULL where no row has entries */
			continue;
		if (!eki_ascends(n, FN(rows_run)(rows, begin), of))
			eki_sort_pairs(n, FN(rows_run)(rows, begin), scratch, of);
		for (int64_t k = begin + 1; k < end; k++)
			repeated += col[k - 1] == col[k];
		for (int64_t k = begin + 1; repeated && first < 0; k++)
			if (col[k - 1] == col[k])
				first = k;
		all += repeated;
	}
	rows->repeated[part] = all;
	rows->first_repeated[part] = first;
}

#endif
#if EK_ONCE

ek_status eki_rows_sort(const ek_context *ctx, eki_rows *rows, int64_t *repeated)
{
	static eki_part_fn *const look[EK_NTYPE] = EK_BY_TYPE(rows_look);
	static eki_part_fn *const sort[EK_NTYPE] = EK_BY_TYPE(rows_sort);
	const ek_index index = rows->csr->index;
	const int type = eki_type(rows->with_size == 8 ? EK_F64 : EK_F32, index);
	int64_t total;
	ek_status status = EK_OK;

	rows->col_scratch = rows->with_scratch = NULL;
	rows->scratch[0] = 0;
	eki_partition_rows(rows->csr, rows->parts, rows->bound);
	eki_parallel(ctx, ctx->threads, rows->parts, look[type], rows);
	eki_inclusive_sum(rows->scratch + 1, rows->parts);
	total = rows->scratch[rows->parts];
	EK_TRY(eki_alloc(ctx, total, eki_idx_size(index), &rows->col_scratch));
	EK_TRY(eki_alloc(ctx, total, rows->with_size, &rows->with_scratch));
	eki_parallel(ctx, ctx->threads, rows->parts, sort[type], rows);
	*repeated = 0;
	for (int part = 0; part < rows->parts; part++)
		*repeated += rows->repeated[part];
done:
	eki_free(ctx, rows->col_scratch, total, eki_idx_size(index));
	eki_free(ctx, rows->with_scratch, total, rows->with_size);
	return status;
}

#endif
