/* SPDX-License-Identifier: BSD-3-Clause
 * The coordinate format (COO): entry k is val[k] in row row_idx[k] and column col_idx[k], and
 * entries are sorted by row. With 32-bit indices and values of w bytes, it takes w nnz + 8 nnz
 * bytes, which is less than CSR takes if most rows are empty.
 *
 * Liu 2015, section 5.2.3. */
#include "format/coo.h"
#define EK_TYPES_ONLY
#define EK_FILE "format/coo.c"
#include "base/for_each.h"

#if EK_PER_TYPE

/* Fills row_idx[k] for all entries k in [begin, end). */
static void FN(coo_expand)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	IDX *row_idx = out->array[COO_ROW];
	int64_t k = begin;

	for (int64_t i = begin < end ? eki_row_of(csr, begin) : 0; k < end; i++)
		for (; k < end && k < row_ptr[i + 1]; k++)
			row_idx[k] = (IDX)i;
}

/* Fills the row pointers that entries [begin, end) determine: those of all rows after the row of
 * entry begin - 1, up to the row of entry end - 1. If `end` is nnz, also fills the pointers of all
 * remaining rows. */
static void FN(coo_compress)(const ek_store *in, ek_store *csr, int64_t begin, int64_t end)
{
	const IDX *row_idx = in->array[COO_ROW];
	PTR *row_ptr = csr->array[CSR_PTR];
	int64_t i = begin ? (int64_t)row_idx[begin - 1] + 1 : 0;

	for (int64_t k = begin; k < end; k++)
		for (; i <= row_idx[k]; i++)
			row_ptr[i] = (PTR)k;
	if (end == in->nnz && (begin < end || end == 0))
		for (; i <= in->rows; i++)
			row_ptr[i] = (PTR)end;
}

/* Returns the first entry k in [begin, end) whose row is out of range or less than the row of entry
 * k - 1, or `end` if there is none. */
static int64_t FN(coo_row_fault)(const ek_store *s, int64_t begin, int64_t end)
{
	const IDX *row_idx = s->array[COO_ROW];

	for (int64_t k = begin; k < end; k++)
		if (row_idx[k] < (k ? row_idx[k - 1] : 0) || row_idx[k] >= s->rows)
			return k;
	return end;
}

#endif
#if EK_ONCE

void eki_coo_expand(const ek_context *ctx, const ek_store *csr, ek_store *coo)
{
	static eki_fill_fn *const expand[EK_NTYPE] = EK_BY_TYPE(coo_expand);

	eki_fill(ctx, expand, csr, coo, csr->nnz, csr->nnz);
}

void eki_coo_compress(const ek_context *ctx, const ek_store *coo, ek_store *csr)
{
	static eki_fill_fn *const compress[EK_NTYPE] = EK_BY_TYPE(coo_compress);

	eki_fill(ctx, compress, coo, csr, coo->nnz, coo->nnz);
}

static ek_status layout(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	(void)ctx;
	out->len[COO_ROW] = out->len[COO_COL] = out->len[COO_VAL] = csr->nnz;
	return EK_OK;
}

static ek_status pattern(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	eki_coo_expand(ctx, csr, out);
	eki_copy_into(ctx, out->array[COO_COL], csr->array[CSR_COL], csr->nnz,
	              eki_idx_size(csr->index));
	return EK_OK;
}

static ek_status values(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	eki_copy_into(ctx, out->array[COO_VAL], csr->array[CSR_VAL], csr->nnz,
	              ek_value_size(csr->value));
	return EK_OK;
}

static ek_status to_csr(const ek_context *ctx, const ek_store *in, ek_store *csr)
{
	eki_coo_compress(ctx, in, csr);
	eki_copy_into(ctx, csr->array[CSR_COL], in->array[COO_COL], in->nnz,
	              eki_idx_size(in->index));
	eki_copy_into(ctx, csr->array[CSR_VAL], in->array[COO_VAL], in->nnz,
	              ek_value_size(in->value));
	return EK_OK;
}

static ek_status check(const ek_context *ctx, const ek_store *s)
{
	static eki_fault_fn *const fault[EK_NTYPE] = EK_BY_TYPE(coo_row_fault);
	ek_store columns = *s;
	int64_t k;

	EK_RETURN_IF(eki_len_check(s, (int64_t[]){s->nnz, s->nnz, s->nnz}));
	k = eki_first_fault(ctx, s, fault[eki_type(s->value, s->index)], s->nnz);
	if (k < s->nnz)
		return eki_fail(
			EK_ERANGE, "row_idx[%lld] is %lld; rows ascend and are less than %lld",
			(long long)k, (long long)eki_idx_at(s, COO_ROW, k), (long long)s->rows);
	columns.array[CSR_COL] = s->array[COO_COL];
	k = eki_col_fault(ctx, &columns);
	if (k < s->nnz)
		return eki_fail(EK_ERANGE, "col_idx[%lld] is %lld; 0 to %lld are possible",
		                (long long)k, (long long)eki_idx_at(s, COO_COL, k),
		                (long long)s->cols - 1);
	return EK_OK;
}

static bool find(const ek_store *s, int64_t i, int64_t j, eki_place *at)
{
	int64_t k = at->array < 0 ? eki_idx_lower_bound(s, COO_ROW, 0, s->nnz, i) : at->k + 1;

	for (; k < s->nnz && eki_idx_at(s, COO_ROW, k) == i; k++)
		if (eki_idx_at(s, COO_COL, k) == j) {
			*at = (eki_place){COO_VAL, k};
			return true;
		}
	return false;
}

const ek_format ek_format_coo = {
	.name = "coo",
	.text = "coordinates: row, column and value of each entry",
	.source = "Liu 2015, section 5.2.3",
	.array = {{"row_idx", EKI_IDX}, {"col_idx", EKI_IDX}, {"val", EKI_VALUE}},
	.check = check,
	.convert = {2, 10},
	.layout = layout,
	.pattern = pattern,
	.values = values,
	.to_csr = to_csr,
	.find = find,
	.values_alone = true,
};

#endif
