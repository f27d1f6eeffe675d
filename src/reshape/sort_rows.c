/* SPDX-License-Identifier: BSD-3-Clause
 * Sorts each row of a CSR store by column (rows.c). Entries with the same row and column are
 * merged, in the order in which they were given. Takes the time of the sort and, if anything is
 * merged, the memory of a second matrix. */
#include "reshape/rows.h"
#define EK_TYPES_ONLY
#define EK_FILE "reshape/sort_rows.c"
#include "base/for_each.h"

#ifndef EK_MTX_SORT_ROWS
#define EK_MTX_SORT_ROWS
struct merge_job {
	const eki_rows *rows;
	ek_store *merged;
	unsigned policy;
};
#endif

#if EK_PER_TYPE

static void FN(rows_merge)(void *arg, int part)
{
	const struct merge_job *job = arg;
	const eki_rows *rows = job->rows;
	const PTR *row_ptr = rows->csr->array[CSR_PTR];
	const IDX *col = rows->csr->array[CSR_COL];
	const VAL *val = rows->csr->array[CSR_VAL];
	PTR *out_ptr = job->merged->array[CSR_PTR];
	IDX *out_col = job->merged->array[CSR_COL];
	VAL *out_val = job->merged->array[CSR_VAL];
	int64_t p = row_ptr[rows->bound[part]];

	for (int before = 0; before < part; before++)
		p -= rows->repeated[before];
	for (int64_t i = rows->bound[part]; i < rows->bound[part + 1]; i++) {
		out_ptr[i] = (PTR)p;
		for (int64_t k = row_ptr[i]; k < row_ptr[i + 1]; k++) {
			bool again = k > row_ptr[i] && col[k - 1] == col[k];

			if (again && job->policy == EK_DUP_SUM) {
				out_val[p - 1] += val[k];
				continue;
			}
			p += !again;
			out_col[p - 1] = col[k];
			out_val[p - 1] = val[k];
		}
	}
	if (part == rows->parts - 1)
		out_ptr[rows->csr->rows] = (PTR)p;
}

#endif
#if EK_ONCE

static ek_status merge_rows(const ek_context *ctx, const eki_rows *rows, unsigned policy,
                            int64_t repeated)
{
	static eki_part_fn *const merge[EK_NTYPE] = EK_BY_TYPE(rows_merge);
	ek_store merged = {0}, *csr = rows->csr;
	struct merge_job job = {rows, &merged, policy};

	EK_RETURN_IF(eki_csr_alloc(ctx, csr->value, csr->index, csr->rows, csr->cols,
	                           csr->nnz - repeated, &merged));
	eki_parallel(ctx, ctx->threads, rows->parts, merge[eki_type(csr->value, csr->index)], &job);
	eki_store_free(ctx, csr);
	*csr = merged;
	return EK_OK;
}

ek_status eki_sort_rows(const ek_context *ctx, unsigned policy, ek_store *csr, int64_t *first)
{
	eki_rows rows = {.csr = csr,
	                 .with = csr->array[CSR_VAL],
	                 .with_size = ek_value_size(csr->value),
	                 .parts = ctx->threads < EKI_ROWS_PARTS ? ctx->threads : EKI_ROWS_PARTS};
	int64_t repeated;

	*first = -1;
	EK_RETURN_IF(eki_rows_sort(ctx, &rows, &repeated));
	if (repeated && policy != EK_DUP_ERROR)
		return merge_rows(ctx, &rows, policy, repeated);
	for (int part = 0; part < rows.parts && policy == EK_DUP_ERROR && *first < 0; part++)
		*first = rows.first_repeated[part];
	return EK_OK;
}

ek_status eki_sorted_copy(const ek_context *ctx, const ek_store *csr, ek_store *copy,
                          int64_t *first)
{
	ek_store out = {0};
	ek_status status;

	EK_TRY(eki_convert_types(ctx, NULL, csr, csr->value, csr->index, &out));
	EK_TRY(eki_sort_rows(ctx, EK_DUP_ERROR, &out, first));
	*copy = out;
done:
	if (status != EK_OK)
		eki_store_free(ctx, &out);
	return status;
}

#endif
