/* SPDX-License-Identifier: BSD-3-Clause
 * ELLPACK: every row takes `width` places, where the width is the number of entries of the longest
 * row. With order=2 (by columns, the default), entry j of row i is at place j * stride + i. Entries
 * of consecutive rows are then side by side for the lanes of a vector. The stride is the number of
 * rows, rounded up to an odd multiple of 16. With order=1 (by rows), entry j of row i is at place i
 * * width + j. With 32-bit indices and values of w bytes, the format takes (w + 4) rows width
 * bytes, and 4 bytes for the length of each row.
 *
 * Padding has the value 0. Its column is that of the last entry of its row, so that this element of
 * x is in the cache. In a row without entries the column is 0. spmv/ell.c has the product.
 *
 * Liu 2015, section 5.2.2; Bell and Garland 2009, section 2.2. */
#include "cost/cost.h"
#include "format/ell.h"
#include "format/padding.h"
#define EK_TYPES_ONLY
#define EK_FILE "format/ell.c"
#include "base/for_each.h"

#include "format/lanes.h"

#if EK_PER_TYPE

/* Fills lengths, columns and padding of rows [begin, end). `end` may be beyond the last row,
 * because rows of padding follow. If ELLPACK is only a part of the matrix, it gets the first
 * entries of each row. */
static void FN(ell_pattern)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	const IDX *from = csr->array[CSR_COL];
	IDX *len = out->array[ELL_LEN], *col_idx = out->array[ELL_COL];
	VAL *val = out->array[ELL_VAL];
	const int64_t row = ell_row_step(out), step = ell_entry_step(out);
	const int64_t width = out->dim[ELL_WIDTH];

	for (int64_t i = begin; i < end; i++) {
		const int64_t first = i < csr->rows ? row_ptr[i] : 0;
		const int64_t own = i < csr->rows ? row_ptr[i + 1] - first : 0;
		const int64_t n = own < width ? own : width;
		int64_t k = i * row;

		if (i < csr->rows)
			len[i] = (IDX)n;
		for (int64_t j = 0; j < width; j++, k += step) {
			col_idx[k] = n == 0 ? 0 : from[first + (j < n ? j : n - 1)];
			val[k] = 0;
		}
	}
}

static void FN(ell_values)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	const VAL *from = csr->array[CSR_VAL];
	const IDX *len = out->array[ELL_LEN];
	VAL *val = out->array[ELL_VAL];
	const int64_t row = ell_row_step(out), step = ell_entry_step(out);

	for (int64_t i = begin; i < end && i < csr->rows; i++)
		for (int64_t k = row_ptr[i], to = i * row; k < row_ptr[i] + len[i]; k++, to += step)
			val[to] = from[k];
}

/* Copies columns and values of rows [begin, end) to `csr`, whose row_ptr is complete. */
static void FN(ell_to_csr)(const ek_store *in, ek_store *csr, int64_t begin, int64_t end)
{
	const IDX *len = in->array[ELL_LEN];
	const PTR *row_ptr = csr->array[CSR_PTR];
	const int64_t row = ell_row_step(in), step = ell_entry_step(in);

	for (int64_t i = begin; i < end && i < in->rows; i++)
		FN(lane_to_csr)(in, i * row, step, len[i], csr, row_ptr[i]);
}

/* Returns the first row in [begin, end) whose length, columns or padding are wrong, or `end` if
 * there is none. `end` may be beyond the last row, because vectors also read the columns in rows of
 * padding. */
static int64_t FN(ell_fault)(const ek_store *s, int64_t begin, int64_t end)
{
	const IDX *len = s->array[ELL_LEN];
	const int64_t row = ell_row_step(s), step = ell_entry_step(s), width = s->dim[ELL_WIDTH];

	for (int64_t i = begin; i < end; i++) {
		const int64_t n = i < s->rows ? len[i] : 0;

		if (n < 0 || n > width || FN(lane_fault)(s, i * row, step, width, n))
			return i;
	}
	return end;
}

#endif
#if EK_ONCE

static int64_t padded_rows(const ek_store *s)
{
	return s->dim[ELL_ORDER] == BY_ROWS ? s->rows : s->dim[ELL_STRIDE];
}

static ek_status layout(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	eki_features f;
	int64_t *dim = out->dim;

	EK_RETURN_IF(eki_row_lengths_check(csr, out->format));
	EK_RETURN_IF(eki_row_stats(ctx, csr, &f));
	dim[ELL_ORDER] = dim[ELL_ORDER] ? dim[ELL_ORDER] : BY_COLUMNS;
	dim[ELL_WIDTH] = f.stats.row_max;
	ell_shape(out);
	return EK_OK;
}

static ek_status pattern(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	static eki_fill_fn *const fn[EK_NTYPE] = EK_BY_TYPE(ell_pattern);

	eki_fill(ctx, fn, csr, out, padded_rows(out), out->len[ELL_VAL]);
	return EK_OK;
}

static ek_status values(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	static eki_fill_fn *const fn[EK_NTYPE] = EK_BY_TYPE(ell_values);

	eki_fill(ctx, fn, csr, out, csr->rows, csr->nnz);
	return EK_OK;
}

void eki_ell_fill_csr(const ek_context *ctx, const ek_store *ell, ek_store *csr)
{
	static eki_fill_fn *const fn[EK_NTYPE] = EK_BY_TYPE(ell_to_csr);

	eki_fill(ctx, fn, ell, csr, ell->rows, ell->nnz);
}

static ek_status to_csr(const ek_context *ctx, const ek_store *in, ek_store *csr)
{
	eki_ptr_of_lengths(ctx, in, ELL_LEN, csr);
	eki_ell_fill_csr(ctx, in, csr);
	return EK_OK;
}

static ek_status check(const ek_context *ctx, const ek_store *s)
{
	static eki_fault_fn *const fault[EK_NTYPE] = EK_BY_TYPE(ell_fault);
	const int64_t *dim = s->dim;
	ek_store shape = *s;
	int64_t total, i;

	if ((dim[ELL_ORDER] != BY_ROWS && dim[ELL_ORDER] != BY_COLUMNS) || dim[ELL_WIDTH] < 0 ||
	    dim[ELL_STRIDE] != ell_stride(s->rows))
		return eki_fail(EK_ERANGE,
		                "order %lld, width %lld and stride %lld do not fit %lld rows",
		                (long long)dim[ELL_ORDER], (long long)dim[ELL_WIDTH],
		                (long long)dim[ELL_STRIDE], (long long)s->rows);

	ell_shape(&shape);
	EK_RETURN_IF(eki_len_check(s, shape.len));
	i = eki_first_fault(ctx, s, fault[eki_type(s->value, s->index)], padded_rows(s));
	if (i < padded_rows(s))
		return eki_fail(EK_ERANGE,
		                "row %lld: its length is not 0 to %lld, a column not 0 to %lld, or "
		                "padding not 0",
		                (long long)i, (long long)dim[ELL_WIDTH], (long long)s->cols - 1);
	total = eki_idx_sum(s, ELL_LEN);
	if (total != s->nnz)
		return eki_fail(EK_ERANGE, "row_len adds up to %lld, the matrix has %lld entries",
		                (long long)total, (long long)s->nnz);
	return EK_OK;
}

static bool find(const ek_store *s, int64_t i, int64_t j, eki_place *at)
{
	const int64_t k = i * ell_row_step(s), step = ell_entry_step(s);

	return eki_row_find(s, k, k + eki_idx_at(s, ELL_LEN, i) * step, step, j, at);
}

const ek_format ek_format_ell = {
	.name = "ell",
	.text = "ELLPACK: all rows padded to the length of the longest",
	.source = "Liu 2015, section 5.2.2; Bell and Garland 2009",
	.param = {{"order", 1, 2,
                   "1: rows lie one after the other, 2: entries of all rows side by side"},
                  {0},
                  {0}},
	.array = {{"row_len", EKI_IDX}, {"col_idx", EKI_IDX}, {"val", EKI_VALUE}},
	.check = check,
	.convert = {6, 40},
	.layout = layout,
	.pattern = pattern,
	.values = values,
	.to_csr = to_csr,
	.find = find,
};

#endif
