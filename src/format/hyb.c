/* SPDX-License-Identifier: BSD-3-Clause
 * HYB: the first `width` entries of each row in ELLPACK by columns, what is left in coordinates.
 * With values of w bytes and 32-bit indices (w + 4) rows width bytes, 4 rows for lengths, and w + 8
 * for each of the entries that are left: long rows cost no padding.
 *
 * The width, if not given, is the largest for which at least a third of the rows, and at least 4096
 * of them, have that many entries: a product with ELLPACK takes about a third of the time of one
 * with coordinates, and the rows have to be many to be worth a part of their own. Where the matrix
 * has fewer rows than that, all of them have to, which is not in the source.
 *
 * Bell and Garland 2009, section 2.4; Liu 2015, section 5.3.1. */
#include "format/hyb.h"
#include "format/padding.h"
#include "format/parts.h"
#include "spmv/compose.h"
#define EK_TYPES_ONLY
#define EK_FILE "format/hyb.c"
#include "core/for_each.h"

#include "format/lanes.h"

#if EK_PER_TYPE

/* How many entries rows [begin, end) have beyond the width, in row_ptr[i + 1] of the rest. */
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

/* Columns of the last entries of rows [begin, end), as many as the rest has. */
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

/* Values [begin, end) of the rest. Of a row it has what stands behind the entries of the ELLPACK
 * part. */
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

/* The same back: the entries of the rest become the last of their rows. */
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

enum { SPEED = 3, MANY = 4096 }; /* of ELLPACK over coordinates; rows that are worth a part */

static ek_store ell_part(const ek_store *s)
{
	ek_store ell = eki_part(s, &ek_format_ell, HYB_ELL);

	ell.nnz = s->nnz - s->len[HYB_COO];
	ell_part_shape(&ell, s->dim[HYB_WIDTH]);
	return ell;
}

static ek_store coo_part(const ek_store *s)
{
	ek_store coo = eki_part(s, &ek_format_coo, HYB_COO);

	coo.nnz = s->len[HYB_COO];
	return coo;
}

/* ---- The width ------------------------------------------------------------------------------- */

/* rows_of[n]: rows of n entries, of `most` or more for the last. */
static int64_t choose_width(const int64_t *rows_of, int64_t most, int64_t rows)
{
	const int64_t enough = rows < MANY ? rows : MANY;
	int64_t width = most, so_many = rows_of[most];

	while (width > 0 && (so_many < enough || SPEED * so_many < rows))
		so_many += rows_of[--width];
	return width;
}

/* At most SPEED nnz / rows entries are in a third of the rows. */
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
	for (int64_t i = 0; i < csr->rows; i++) {
		const int64_t n = eki_ptr_at(csr, i + 1) - eki_ptr_at(csr, i);

		longest = n > longest ? n : longest;
		rest += n > *width ? n - *width : 0;
	}
	*width = longest < *width ? longest : *width;
	ell = ell_part(out);
	ell_shape(&ell);
	eki_part_len(out, &ell, HYB_ELL);
	for (int k = HYB_COO; k < HYB_END; k++)
		out->len[k] = rest;
	return EK_OK;
}

/* The rest as CSR: its own row_ptr, to be freed by free_rest, and the columns and values of the
 * coordinates. */
static ek_status make_rest(const ek_context *ctx, const ek_store *s, ek_store *rest)
{
	ek_store coo = coo_part(s);

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
	ek_store ell = ell_part(out), coo = coo_part(out), rest;

	EK_RETURN_IF(ek_format_ell.pattern(ctx, csr, &ell));
	if (coo.nnz == 0)
		return EK_OK;
	EK_RETURN_IF(make_rest(ctx, out, &rest));
	eki_fill(ctx, lengths, csr, &rest, csr->rows, csr->rows);
	eki_ptr_sum(&rest);
	eki_fill(ctx, columns, csr, &rest, csr->rows, coo.nnz);
	eki_coo_expand(ctx, &rest, &coo);
	free_rest(ctx, &rest);
	return EK_OK;
}

static ek_status values(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	static eki_fill_fn *const fn[EK_NTYPE] = EK_BY_TYPE(hyb_values);
	ek_store ell = ell_part(out);

	EK_RETURN_IF(ek_format_ell.values(ctx, csr, &ell));
	eki_fill(ctx, fn, csr, out, out->len[HYB_COO], out->len[HYB_COO]);
	return EK_OK;
}

static ek_status to_csr(const ek_context *ctx, const ek_store *in, ek_store *csr)
{
	static eki_fill_fn *const back[EK_NTYPE] = EK_BY_TYPE(hyb_back);
	const ek_store ell = ell_part(in), coo = coo_part(in);
	ek_store rest;

	if (coo.nnz == 0)
		return ek_format_ell.to_csr(ctx, &ell, csr);
	EK_RETURN_IF(make_rest(ctx, in, &rest));
	eki_coo_compress(ctx, &coo, &rest);
	for (int64_t i = 0; i < in->rows; i++)
		eki_ptr_set(csr, i + 1,
		            eki_idx_at(&ell, ELL_LEN, i) + eki_ptr_at(&rest, i + 1) -
		                    eki_ptr_at(&rest, i));
	eki_ptr_sum(csr);
	eki_ell_fill_csr(ctx, &ell, csr);
	eki_fill(ctx, back, &rest, csr, in->rows, coo.nnz);
	free_rest(ctx, &rest);
	return EK_OK;
}

static ek_status check(const ek_context *ctx, const ek_store *s)
{
	ek_store ell, coo = coo_part(s);

	if (s->dim[HYB_WIDTH] < 0 || coo.nnz > s->nnz)
		return eki_fail(EK_ERANGE, "width %lld, %lld of %lld entries beyond it",
		                (long long)s->dim[HYB_WIDTH], (long long)coo.nnz,
		                (long long)s->nnz);
	ell = ell_part(s);
	EK_RETURN_IF(ek_format_ell.check(ctx, &ell));
	return ek_format_coo.check(ctx, &coo);
}

static bool find(const ek_store *s, int64_t i, int64_t j, eki_place *at)
{
	static const int first[] = {HYB_ELL, HYB_COO, HYB_END};
	const ek_store part[] = {ell_part(s), coo_part(s)};

	return eki_parts_find(part, first, 2, i, j, at);
}

static ek_status prepare(ek_plan *p)
{
	const ek_store part[] = {ell_part(p->store), coo_part(p->store)};

	return eki_compose_prepare(p, part, 2);
}

static const ek_method spmv = {
	.name = "spmv.hyb",
	.text = "ELLPACK, then the coordinates that are left",
	.source = "Bell and Garland 2009, section 2.4",
	.operation = EK_SPMV,
	.format = &ek_format_hyb,
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.prepare = prepare,
	.refresh = eki_compose_refresh,
	.run = eki_compose_run,
};

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
	.layout = layout,
	.pattern = pattern,
	.values = values,
	.to_csr = to_csr,
	.find = find,
	.method = {&spmv},
};

#endif
