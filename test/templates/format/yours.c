/* SPDX-License-Identifier: BSD-3-Clause
 * CSR with rows that begin at multiples of `align` places: entry j of row i is at row_ptr[i] + j.
 * The places from the end of a row to the next multiple of `align` are padding. With 32-bit indices
 * and values of w bytes, the format takes w + 4 bytes for each place, and 8 bytes for the pointer
 * and the length of each row.
 *
 * If `align` is not given, it is the number of values in a vector. Padding has the value 0 and the
 * last column of its row. Rows without entries have no places. The product is in spmv/yours.c.
 *
 * Author year, section 1. */
#include "format/yours.h"
#include "format/padding.h"
#define EK_TYPES_ONLY
#define EK_FILE "format/yours.c"
#include "base/for_each.h"

#include "format/lanes.h"

#if EK_PER_TYPE

/* Writes, for each row i in [begin, end), its length to len[i] and its number of places to
 * row_ptr[i + 1]. Later eki_ptr_sum turns the numbers of places into row pointers. */
static void FN(yours_sizes)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	const PTR *from = csr->array[CSR_PTR];
	PTR *row_ptr = out->array[YOURS_PTR];
	IDX *len = out->array[YOURS_LEN];

	for (int64_t i = begin; i < end; i++) {
		len[i] = (IDX)(from[i + 1] - from[i]);
		row_ptr[i + 1] = (PTR)yours_places(out, len[i]);
	}
}

/* Writes the columns of rows [begin, end), and the columns and values of their padding. row_ptr is
 * already complete. */
static void FN(yours_columns)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	const PTR *first = csr->array[CSR_PTR], *row_ptr = out->array[YOURS_PTR];
	const IDX *from = csr->array[CSR_COL], *len = out->array[YOURS_LEN];
	IDX *col_idx = out->array[YOURS_COL];
	VAL *val = out->array[YOURS_VAL];

	for (int64_t i = begin; i < end; i++) {
		const int64_t places = row_ptr[i + 1] - row_ptr[i];

		for (int64_t j = 0; j < places; j++)
			col_idx[row_ptr[i] + j] = from[first[i] + (j < len[i] ? j : len[i] - 1)];
		for (int64_t j = len[i]; j < places; j++)
			val[row_ptr[i] + j] = 0;
	}
}

static void FN(yours_values)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	const PTR *first = csr->array[CSR_PTR], *row_ptr = out->array[YOURS_PTR];
	const VAL *from = csr->array[CSR_VAL];
	const IDX *len = out->array[YOURS_LEN];
	VAL *val = out->array[YOURS_VAL];

	for (int64_t i = begin; i < end; i++)
		for (int64_t j = 0; j < len[i]; j++)
			val[row_ptr[i] + j] = from[first[i] + j];
}

/* Writes the columns and values of rows [begin, end) of `csr`, whose row pointers are already
 * complete. */
static void FN(yours_to_csr)(const ek_store *in, ek_store *csr, int64_t begin, int64_t end)
{
	const PTR *row_ptr = in->array[YOURS_PTR], *to = csr->array[CSR_PTR];
	const IDX *len = in->array[YOURS_LEN];

	for (int64_t i = begin; i < end; i++)
		FN(lane_to_csr)(in, row_ptr[i], 1, len[i], csr, to[i]);
}

/* Returns the first faulty row in [begin, end), or `end` if there is none. A row is faulty if its
 * number of places does not fit its length, a column is out of range, or padding is not 0. */
static int64_t FN(yours_fault)(const ek_store *s, int64_t begin, int64_t end)
{
	const PTR *row_ptr = s->array[YOURS_PTR];
	const IDX *len = s->array[YOURS_LEN];
	const int64_t most = s->len[YOURS_COL];

	for (int64_t i = begin; i < end; i++) {
		const int64_t at = row_ptr[i], stop = row_ptr[i + 1];

		if (at < 0 || at > stop || stop > most || len[i] < 0 || len[i] > most ||
		    stop - at != yours_places(s, len[i]) ||
		    FN(lane_fault)(s, at, 1, stop - at, len[i]))
			return i;
	}
	return end;
}

#endif
#if EK_ONCE

/* Chooses `align` if it is not given, and computes the lengths of the arrays. */
static ek_status layout(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	int64_t places = 0;

	if (!out->dim[YOURS_ALIGN])
		out->dim[YOURS_ALIGN] = eki_lanes(ctx->isa, csr->value);
	for (int64_t i = 0; i < csr->rows; i++)
		places = eki_plus(places,
		                  yours_places(out, eki_ptr_at(csr, i + 1) - eki_ptr_at(csr, i)));
	if (places > eki_ptr_max(csr->index))
		return eki_fail(EK_ELIMIT,
		                "format yours would take %lld places for this matrix, more than "
		                "index type %s counts",
		                (long long)places, ek_index_name(csr->index));
	out->len[YOURS_PTR] = csr->rows + 1;
	out->len[YOURS_COL] = out->len[YOURS_VAL] = places;
	out->len[YOURS_LEN] = csr->rows;
	return EK_OK;
}

static ek_status pattern(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	static eki_fill_fn *const sizes[EK_NTYPE] = EK_BY_TYPE(yours_sizes);
	static eki_fill_fn *const columns[EK_NTYPE] = EK_BY_TYPE(yours_columns);

	eki_fill(ctx, sizes, csr, out, csr->rows, csr->rows);
	eki_ptr_sum(ctx, out);
	eki_fill(ctx, columns, csr, out, csr->rows, out->len[YOURS_COL]);
	return EK_OK;
}

static ek_status values(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	static eki_fill_fn *const fn[EK_NTYPE] = EK_BY_TYPE(yours_values);

	eki_fill(ctx, fn, csr, out, csr->rows, csr->nnz);
	return EK_OK;
}

static ek_status to_csr(const ek_context *ctx, const ek_store *in, ek_store *csr)
{
	static eki_fill_fn *const fn[EK_NTYPE] = EK_BY_TYPE(yours_to_csr);

	eki_ptr_of_lengths(ctx, in, YOURS_LEN, csr);
	eki_fill(ctx, fn, in, csr, in->rows, in->nnz);
	return EK_OK;
}

/* Checks everything that the kernels and to_csr rely on. The message names the first fault. */
static ek_status check(const ek_context *ctx, const ek_store *s)
{
	static eki_fault_fn *const fault[EK_NTYPE] = EK_BY_TYPE(yours_fault);
	const int64_t align = s->dim[YOURS_ALIGN], places = s->len[YOURS_COL];
	int64_t total, i;

	if (align < 1 || align > YOURS_MAX_ALIGN)
		return eki_fail(EK_ERANGE, "align is %lld; 1 to %d are possible", (long long)align,
		                YOURS_MAX_ALIGN);
	EK_RETURN_IF(eki_len_check(s, (int64_t[]){s->rows + 1, places, places, s->rows}));
	i = eki_first_fault(ctx, s, fault[eki_type(s->value, s->index)], s->rows);
	if (i < s->rows)
		return eki_fail(EK_ERANGE,
		                "row %lld: it has not the places that its length asks for, or a "
		                "column is not 0 to %lld, or padding not 0",
		                (long long)i, (long long)s->cols - 1);
	total = eki_idx_sum(s, YOURS_LEN);
	if (total != s->nnz || eki_ptr_at(s, 0) != 0 || eki_ptr_at(s, s->rows) != places)
		return eki_fail(EK_ERANGE,
		                "rows have %lld places and %lld entries; the matrix has %lld and "
		                "%lld",
		                (long long)(eki_ptr_at(s, s->rows) - eki_ptr_at(s, 0)),
		                (long long)total, (long long)places, (long long)s->nnz);
	return EK_OK;
}

static bool find(const ek_store *s, int64_t i, int64_t j, eki_place *at)
{
	const int64_t k = eki_ptr_at(s, i);

	return eki_row_find(s, k, k + eki_idx_at(s, YOURS_LEN, i), 1, j, at);
}

const ek_format ek_format_yours = {
	.name = "yours",
	.text = "CSR with rows that begin at multiples of a number of places",
	.source = "Author year, section 1",
	.param = {{"align", 1, YOURS_MAX_ALIGN, "places; best the width of a vector"}, {0}},
	.array = {{"row_ptr", EKI_PTR},
                  {"col_idx", EKI_IDX},
                  {"val", EKI_VALUE},
                  {"row_len", EKI_IDX}},
	.check = check,
	.convert = {5, 20},
	.layout = layout,
	.pattern = pattern,
	.values = values,
	.to_csr = to_csr,
	.find = find,
};

#endif
