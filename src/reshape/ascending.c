/* SPDX-License-Identifier: BSD-3-Clause
 * Makes sure that columns ascend, for formats that place entries by their columns. One pass checks
 * the order, which most matrices have already. The others are copied, and the rows of the copy are
 * sorted. */
#include "matrix/matrix.h"
#define EK_TYPES_ONLY
#define EK_FILE "reshape/ascending.c"
#include "base/for_each.h"

#if EK_PER_TYPE

/* Returns the first row in [begin, end) where an entry has a smaller column than the entry before,
 * or `end` if there is none. */
static int64_t FN(descent)(const ek_store *csr, int64_t begin, int64_t end)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	const IDX *col_idx = csr->array[CSR_COL];

	for (int64_t i = begin; i < end; i++)
		for (int64_t k = row_ptr[i] + 1; k < row_ptr[i + 1]; k++)
			if (col_idx[k] < col_idx[k - 1])
				return i;
	return end;
}

/* Returns the first row in [begin, end) where neighbouring entries have the same column, or `end`
 * if there is none. */
static int64_t FN(repeated)(const ek_store *csr, int64_t begin, int64_t end)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	const IDX *col_idx = csr->array[CSR_COL];

	for (int64_t i = begin; i < end; i++)
		for (int64_t k = row_ptr[i] + 1; k < row_ptr[i + 1]; k++)
			if (col_idx[k] == col_idx[k - 1])
				return i;
	return end;
}

/* Returns `end` if the columns of each row in [begin, end) ascend strictly, else `begin`. Counts
 * the entries whose column is not larger than that of the entry before, even across rows, since
 * compilers vectorise that loop. Then counts such entries among the first of rows, and compares. */
static int64_t FN(not_strict)(const ek_store *csr, int64_t begin, int64_t end)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	const IDX *col_idx = csr->array[CSR_COL];
	const PTR from = row_ptr[begin], to = row_ptr[end], most = 1 << 30;
	int64_t descents = 0, first = 0;

	for (PTR k = from + 1, stop; k < to; k = stop) {
		IDX count = 0; /* of the type of columns, so that vectors hold as many of both */

		stop = to - k < most ? to : k + most;
		for (PTR at = k; at < stop; at++)
			count += col_idx[at] <= col_idx[at - 1];
		descents += count;
	}
	for (int64_t i = begin; i < end; i++)
		if (row_ptr[i] > from && row_ptr[i] < row_ptr[i + 1])
			first += col_idx[row_ptr[i]] <= col_idx[row_ptr[i] - 1];
	return descents == first ? end : begin;
}

#endif
#if EK_ONCE

bool eki_ascends_strictly(const ek_context *ctx, const ek_store *csr)
{
	static eki_fault_fn *const not_strict[EK_NTYPE] = EK_BY_TYPE(not_strict);
	eki_fault_fn *const fault = not_strict[eki_type(csr->value, csr->index)];

	return csr->ascends || eki_first_fault(ctx, csr, fault, csr->rows) == csr->rows;
}

ek_status eki_ascending(const ek_context *ctx, const ek_store *csr, const ek_format *format,
                        ek_store *copy, const ek_store **use)
{
	static eki_fault_fn *const descent[EK_NTYPE] = EK_BY_TYPE(descent);
	static eki_fault_fn *const repeated[EK_NTYPE] = EK_BY_TYPE(repeated);
	const int type = eki_type(csr->value, csr->index);
	ek_status status = EK_OK;
	int64_t i, first;

	*use = csr;
	if (eki_ascends_strictly(ctx, csr))
		return EK_OK;
	if (eki_first_fault(ctx, csr, descent[type], csr->rows) < csr->rows) {
		EK_RETURN_IF(eki_sorted_copy(ctx, csr, copy, &first));
		*use = copy;
	}
	i = eki_first_fault(ctx, *use, repeated[type], csr->rows);
	if (i < csr->rows)
		status = eki_fail(EK_EUNSUPPORTED,
		                  "format %s has one place for each row and column, and in %s "
		                  "%lld two entries have the same %s: merge them first",
		                  format->name, csr->columns ? "column" : "row",
		                  (long long)i + csr->from1, csr->columns ? "row" : "column");
	if (status != EK_OK)
		eki_store_free(ctx, copy);
	return status;
}

#endif
