/* SPDX-License-Identifier: BSD-3-Clause
 * HYB: the first `width` entries of each row are stored in ELLPACK by columns, all others (the
 * rest) in coordinates. With values of w bytes and 32-bit indices, the format takes
 * (w + 4) rows width bytes for ELLPACK, 4 bytes for the length of each row, and w + 8 bytes for
 * each entry of the rest. So long rows need no padding.
 *
 * The default width is the largest n for which at least a third of the rows, and at least 4096
 * rows, have n or more entries. The share is a third because a product with ELLPACK takes about a
 * third of the time of one with coordinates. The minimum is 4096 because fewer rows are not worth a
 * part of their own. If the matrix has fewer than 4096 rows, all of them must have n or more
 * entries; the publications do not mention this case.
 *
 * Bell and Garland 2009, section 2.4; Liu 2015, section 5.3.1. */
#include "format/hyb.h"
#include "format/padding.h"
#include "format/parts.h"
#define EK_TYPES_ONLY
#define EK_FILE "format/hyb.c"
#include "base/for_each.h"

#include "format/lanes.h"

#if EK_PER_TYPE

/* Sets row_ptr[i + 1] of `rest` to the number of entries of row i beyond the width, for each i in
 * [begin, end). */
static void FN(hyb_lengths)(const ek_store *csr, ek_store *rest, int64_t begin, int64_t end)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	const int64_t width = rest->dim[0];
	PTR *to = (PTR *)rest->array[CSR_PTR] + 1;

	for (int64_t i = begin; i < end; i++) {
		const int64_t n = row_ptr[i + 1] - row_ptr[i];

		to[i] = (PTR)(n > width ? n - width : 0);
	}
}

/* Copies the columns of the rest, for rows [begin, end). In each row, the last entries of `csr` are
 * copied, as many as `rest` has in that row. */
static void FN(hyb_columns)(const ek_store *csr, ek_store *rest, int64_t begin, int64_t end)
{
	const PTR *row_ptr = csr->array[CSR_PTR], *rest_ptr = rest->array[CSR_PTR];
	const IDX *col_idx = csr->array[CSR_COL];
	IDX *to_col = rest->array[CSR_COL];

	for (int64_t i = begin; i < end; i++) {
		const int64_t n = rest_ptr[i + 1] - rest_ptr[i], from = row_ptr[i + 1] - n;

		for (int64_t k = 0; k < n; k++)
			to_col[rest_ptr[i] + k] = col_idx[from + k];
	}
}

/* Copies values [begin, end) of the rest. In each row, the rest begins after the entries that are
 * in the ELLPACK part. */
static void FN(hyb_values)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	const IDX *row_len = out->array[HYB_ELL + ELL_LEN];
	const IDX *row_idx = out->array[HYB_COO + COO_ROW];
	const VAL *from = csr->array[CSR_VAL];
	VAL *val = out->array[HYB_COO + COO_VAL];
	int64_t first = begin;

	if (begin < end)
		first = eki_idx_lower_bound(out, HYB_COO + COO_ROW, 0, begin, row_idx[begin]);
	for (int64_t k = begin; k < end; k++) {
		const int64_t i = row_idx[k];

		first = row_idx[first] == i ? first : k;
		val[k] = from[row_ptr[i] + row_len[i] + (k - first)];
	}
}

/* Copies the rest back to rows [begin, end) of `csr`; its entries become the last ones of each
 * row. */
static void FN(hyb_back)(const ek_store *rest, ek_store *csr, int64_t begin, int64_t end)
{
	const PTR *row_ptr = csr->array[CSR_PTR], *rest_ptr = rest->array[CSR_PTR];

	for (int64_t i = begin; i < end; i++) {
		const int64_t n = rest_ptr[i + 1] - rest_ptr[i];

		FN(lane_to_csr)(rest, rest_ptr[i], 1, n, csr, row_ptr[i + 1] - n);
	}
}

#endif
#if EK_ONCE

/* The speed of ELLPACK divided by that of coordinates, and the smallest number of rows that are
 * worth a part of their own. */
enum { SPEED = 3, MANY = 4096 };

ek_store eki_hyb_ell(const ek_store *s)
{
	ek_store ell = eki_part(s, &ek_format_ell, HYB_ELL);

	ell.nnz = s->nnz - s->len[HYB_COO];
	ell_part_shape(&ell, s->dim[HYB_WIDTH]);
	return ell;
}

ek_store eki_hyb_coo(const ek_store *s)
{
	ek_store coo = eki_part(s, &ek_format_coo, HYB_COO);

	coo.nnz = s->len[HYB_COO];
	return coo;
}

/* ---- The width ------------------------------------------------------------------------------- */

/* Returns the default width. rows_of[n] is the number of rows with n entries, except that
 * rows_of[most] counts all rows with `most` entries or more. */
static int64_t choose_width(const int64_t *rows_of, int64_t most, int64_t rows)
{
	const int64_t enough = rows < MANY ? rows : MANY;
	int64_t width = most, long_rows = rows_of[most];

	while (width > 0 && (long_rows < enough || SPEED * long_rows < rows))
		long_rows += rows_of[--width];
	return width;
}

/* Chooses the default width. At most a third of the rows can have more than SPEED nnz / rows
 * entries, so the width is not above that number. All longer rows are therefore counted
 * together. */
static ek_status find_width(const ek_context *ctx, const ek_store *csr, int64_t *width)
{
	const int64_t most = csr->rows ? SPEED * (csr->nnz / csr->rows + 1) : 0;
	void *block;
	int64_t *rows_of;

	EK_RETURN_IF(eki_calloc(ctx, most + 1, sizeof *rows_of, &block));
	rows_of = block;
	for (int64_t i = 0; i < csr->rows; i++) {
		const int64_t n = eki_ptr_at(csr, i + 1) - eki_ptr_at(csr, i);

		rows_of[n < most ? n : most]++;
	}
	*width = choose_width(rows_of, most, csr->rows);
	eki_free(ctx, block, most + 1, sizeof *rows_of);
	return EK_OK;
}

/* ---- From CSR and back ----------------------------------------------------------------------- */

static ek_status layout(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	int64_t *width = &out->dim[HYB_WIDTH], longest = 0, rest = 0;
	ek_store ell;

	if (!*width)
		EK_RETURN_IF(find_width(ctx, csr, width));
	if (*width == EKI_ZERO)
		*width = 0;
	if (*width > eki_idx_max(csr->index)) /* the others go to COO */
		*width = eki_idx_max(csr->index);
	for (int64_t i = 0; i < csr->rows; i++) {
		const int64_t n = eki_ptr_at(csr, i + 1) - eki_ptr_at(csr, i);

		longest = n > longest ? n : longest;
		rest += n > *width ? n - *width : 0;
	}
	*width = longest < *width ? longest : *width;
	ell = eki_hyb_ell(out);
	ell_shape(&ell);
	eki_part_len(out, &ell, HYB_ELL);
	for (int k = HYB_COO; k < HYB_END; k++)
		out->len[k] = rest;
	return EK_OK;
}

/* Makes a CSR store of the rest. The store shares columns and values with the part in coordinates,
 * but has its own row_ptr, which is not filled yet. Release the store with free_rest. */
static ek_status make_rest(const ek_context *ctx, const ek_store *s, ek_store *rest)
{
	ek_store coo = eki_hyb_coo(s);

	*rest = eki_part(s, &ek_format_csr, HYB_COO);
	rest->nnz = coo.nnz;
	rest->dim[0] = s->dim[HYB_WIDTH];
	return eki_alloc(ctx, s->rows + 1, eki_ptr_size(s->index), &rest->array[CSR_PTR]);
}

static void free_rest(const ek_context *ctx, ek_store *rest)
{
	eki_free(ctx, rest->array[CSR_PTR], rest->rows + 1, eki_ptr_size(rest->index));
}

static ek_status pattern(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	static eki_fill_fn *const lengths[EK_NTYPE] = EK_BY_TYPE(hyb_lengths);
	static eki_fill_fn *const columns[EK_NTYPE] = EK_BY_TYPE(hyb_columns);
	ek_store ell = eki_hyb_ell(out), coo = eki_hyb_coo(out), rest;

	EK_RETURN_IF(ek_format_ell.pattern(ctx, csr, &ell));
	if (coo.nnz == 0)
		return EK_OK;
	EK_RETURN_IF(make_rest(ctx, out, &rest));
	eki_fill(ctx, lengths, csr, &rest, csr->rows, csr->rows);
	eki_ptr_sum(ctx, &rest);
	eki_fill(ctx, columns, csr, &rest, csr->rows, coo.nnz);
	eki_coo_expand(ctx, &rest, &coo);
	free_rest(ctx, &rest);
	return EK_OK;
}

static ek_status values(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	static eki_fill_fn *const fn[EK_NTYPE] = EK_BY_TYPE(hyb_values);
	ek_store ell = eki_hyb_ell(out);

	EK_RETURN_IF(ek_format_ell.values(ctx, csr, &ell));
	eki_fill(ctx, fn, csr, out, out->len[HYB_COO], out->len[HYB_COO]);
	return EK_OK;
}

static ek_status to_csr(const ek_context *ctx, const ek_store *in, ek_store *csr)
{
	static eki_fill_fn *const back[EK_NTYPE] = EK_BY_TYPE(hyb_back);
	const ek_store ell = eki_hyb_ell(in), coo = eki_hyb_coo(in);
	ek_store rest;

	if (coo.nnz == 0)
		return ek_format_ell.to_csr(ctx, &ell, csr);
	EK_RETURN_IF(make_rest(ctx, in, &rest));
	eki_coo_compress(ctx, &coo, &rest);
	for (int64_t i = 0; i < in->rows; i++)
		eki_ptr_set(csr, i + 1,
		            eki_idx_at(&ell, ELL_LEN, i) + eki_ptr_at(&rest, i + 1) -
		                    eki_ptr_at(&rest, i));
	eki_ptr_sum(ctx, csr);
	eki_ell_fill_csr(ctx, &ell, csr);
	eki_fill(ctx, back, &rest, csr, in->rows, coo.nnz);
	free_rest(ctx, &rest);
	return EK_OK;
}

static ek_status check(const ek_context *ctx, const ek_store *s)
{
	ek_store ell, coo = eki_hyb_coo(s);

	if (s->dim[HYB_WIDTH] < 0 || coo.nnz > s->nnz)
		return eki_fail(EK_ERANGE, "width %lld, %lld of %lld entries beyond it",
		                (long long)s->dim[HYB_WIDTH], (long long)coo.nnz,
		                (long long)s->nnz);
	ell = eki_hyb_ell(s);
	EK_RETURN_IF(ek_format_ell.check(ctx, &ell));
	return ek_format_coo.check(ctx, &coo);
}

static bool find(const ek_store *s, int64_t i, int64_t j, eki_place *at)
{
	static const int first[] = {HYB_ELL, HYB_COO, HYB_END};
	const ek_store part[] = {eki_hyb_ell(s), eki_hyb_coo(s)};

	return eki_parts_find(part, first, 2, i, j, at);
}

const ek_format ek_format_hyb = {
	.name = "hyb",
	.text = "ELLPACK for most of each row, coordinates for the rest of long ones",
	.source = "Bell and Garland 2009; Liu 2015, section 5.3.1",
	.param = {{"width", 0, INT32_MAX, "entries of each row that are in the ELLPACK part"},
                  {0},
                  {0}},
	.array = {{"row_len", EKI_IDX},
                  {"col_idx", EKI_IDX},
                  {"val", EKI_VALUE},
                  {"rest_row", EKI_IDX},
                  {"rest_col", EKI_IDX},
                  {"rest_val", EKI_VALUE}},
	.check = check,
	.convert = {5, 40},
	.layout = layout,
	.pattern = pattern,
	.values = values,
	.to_csr = to_csr,
	.find = find,
};

#endif
