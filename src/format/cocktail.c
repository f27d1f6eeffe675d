/* SPDX-License-Identifier: BSD-3-Clause
 * Cocktail: each entry is stored in the format that suits its surroundings. Dense diagonals go to a
 * DIA or a BDIA part, dense blocks to a BCSR, BELL or SBELL part. The other entries go to CSR, to
 * coordinates, to SELL, or to ELLPACK and coordinates. Parts without entries take no memory. The
 * rule, which counts bytes, is in format/cocktail_split.c. The explanation of a plan and the
 * lengths of the arrays tell how much each part holds. The format has the arrays of all parts;
 * their names begin with the name of the part, as in bcsr_val. format/cocktail_parts.c has a row
 * for each part.
 *
 * Su and Keutzer 2012 (clSpMV); Liu 2015, section 5.3.2. */
#include <string.h>

#include "format/block.h"
#include "format/cocktail_parts.h"
#include "format/cocktail_split.h"
#include "format/cocktail_values.h"
#include "format/ell.h"
#include "format/parts.h"
#include "format/sell.h"
#define EK_TYPES_ONLY
#define EK_FILE "format/cocktail.c"
#include "base/for_each.h"

#ifndef EK_COCKTAIL_SUB
#define EK_COCKTAIL_SUB
/* Index of an extra array in the CSR store of a part. For each entry of the matrix, the array holds
 * the number of the entry's part. */
enum { SUB_PART = CSR_VAL + 1 };
/* Index into dim of the CSR store of a part. dim[SUB_WHICH] is the number of the part. */
enum { SUB_WHICH };
#endif

#if EK_PER_TYPE

/* Sets row_ptr[i + 1] of `sub` to the number of entries that row i has in part `sub`, for each i in
 * [begin, end). */
static void FN(sub_lengths)(const ek_store *csr, ek_store *sub, int64_t begin, int64_t end)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	const uint8_t *part = sub->array[SUB_PART];
	PTR *length = (PTR *)sub->array[CSR_PTR] + 1;

	for (int64_t i = begin; i < end; i++) {
		length[i] = 0;
		for (int64_t k = row_ptr[i]; k < row_ptr[i + 1]; k++)
			length[i] += part[k] == sub->dim[SUB_WHICH];
	}
}

/* Copies the columns of the entries that rows [begin, end) have in part `sub`. row_ptr of `sub`
 * must be complete. */
static void FN(sub_columns)(const ek_store *csr, ek_store *sub, int64_t begin, int64_t end)
{
	const PTR *row_ptr = csr->array[CSR_PTR], *sub_ptr = sub->array[CSR_PTR];
	const IDX *col_idx = csr->array[CSR_COL];
	const uint8_t *part = sub->array[SUB_PART];
	IDX *to = sub->array[CSR_COL];

	for (int64_t i = begin; i < end; i++)
		for (int64_t k = row_ptr[i], at = sub_ptr[i]; k < row_ptr[i + 1]; k++)
			if (part[k] == sub->dim[SUB_WHICH])
				to[at++] = col_idx[k];
}

/* Sets row_ptr[i + 1] of `csr` to the length of row i, summed over all parts, for each i in
 * [begin, end). */
static void FN(sum_lengths)(const ek_store *sub, ek_store *csr, int64_t begin, int64_t end)
{
	PTR *length = (PTR *)csr->array[CSR_PTR] + 1;

	for (int64_t i = begin; i < end; i++) {
		length[i] = 0;
		for (int p = 0; p < PARTS; p++)
			if (sub[p].format) {
				const PTR *ptr = (const PTR *)sub[p].array[CSR_PTR] + i;

				length[i] += ptr[1] - ptr[0];
			}
	}
}

/* Merges rows [begin, end) of all parts into `csr`, in the order of columns. row_ptr of `csr` must
 * be complete. */
static void FN(merge_rows)(const ek_store *sub, ek_store *csr, int64_t begin, int64_t end)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	IDX *col_idx = csr->array[CSR_COL];
	VAL *val = csr->array[CSR_VAL];

	for (int64_t i = begin; i < end; i++) {
		int64_t at[PARTS] = {0}, stop[PARTS] = {0};

		for (int p = 0; p < PARTS; p++)
			if (sub[p].format) {
				at[p] = ((const PTR *)sub[p].array[CSR_PTR])[i];
				stop[p] = ((const PTR *)sub[p].array[CSR_PTR])[i + 1];
			}
		for (int64_t k = row_ptr[i]; k < row_ptr[i + 1]; k++) {
			int least = -1;

			for (int p = 0; p < PARTS; p++)
				if (at[p] < stop[p] &&
				    (least < 0 ||
				     ((const IDX *)sub[p].array[CSR_COL])[at[p]] < col_idx[k])) {
					least = p;
					col_idx[k] = ((const IDX *)sub[p].array[CSR_COL])[at[p]];
				}
			val[k] = ((const VAL *)sub[least].array[CSR_VAL])[at[least]++];
		}
	}
}

#endif
#if EK_ONCE

/* ---- From CSR -------------------------------------------------------------------------------- */

/* Makes the pattern of part k as a CSR store without values. */
static ek_status make_sub(const ek_context *ctx, const ek_store *csr, const cocktail_split *split,
                          int k, ek_store *sub)
{
	static eki_fill_fn *const lengths[EK_NTYPE] = EK_BY_TYPE(sub_lengths);
	static eki_fill_fn *const columns[EK_NTYPE] = EK_BY_TYPE(sub_columns);
	ek_status status;

	*sub = *csr;
	sub->borrowed = 0;
	sub->array[CSR_COL] = sub->array[CSR_VAL] = NULL;
	sub->len[CSR_COL] = sub->len[CSR_VAL] = 0;
	sub->array[SUB_PART] = split->part;
	sub->dim[SUB_WHICH] = k;
	EK_RETURN_IF(eki_alloc(ctx, csr->rows + 1, eki_ptr_size(csr->index), &sub->array[CSR_PTR]));
	eki_fill(ctx, lengths, csr, sub, csr->rows, csr->nnz);
	eki_ptr_sum(ctx, sub);
	sub->nnz = eki_ptr_at(sub, csr->rows);
	EK_TRY(eki_alloc(ctx, sub->nnz, eki_idx_size(csr->index), &sub->array[CSR_COL]));
	sub->len[CSR_COL] = sub->nnz;
	eki_fill(ctx, columns, csr, sub, csr->rows, csr->nnz);
done:
	if (status != EK_OK)
		eki_store_free(ctx, sub);
	return status;
}

static ek_status layout_part(const ek_context *ctx, const ek_store *csr,
                             const cocktail_split *split, int k, ek_store *out)
{
	ek_store sub, part = eki_cocktail_part(out, k);
	ek_status status = EK_OK;

	EK_RETURN_IF(make_sub(ctx, csr, split, k, &sub));
	part.format = eki_cocktail_kind[k].format;
	part.nnz = sub.nnz;
	memset(part.dim, 0, sizeof part.dim);
	eki_cocktail_dims(&part, k, split->block);
	if (k == PART_CSR) {
		part.len[CSR_PTR] = csr->rows + 1;
		part.len[CSR_COL] = part.len[CSR_VAL] = sub.nnz;
	} else {
		EK_TRY(part.format->layout(ctx, &sub, &part));
	}
	eki_part_len(out, &part, eki_cocktail_kind[k].first);
	if (k == PART_BCSR || k == PART_BELL || k == PART_SBELL)
		out->dim[COCKTAIL_BLOCK] = split->block;
	if (k == PART_ELL)
		out->dim[COCKTAIL_WIDTH] = part.dim[ELL_WIDTH];
done:
	eki_store_free(ctx, &sub);
	return status;
}

static ek_status pattern_part(const ek_context *ctx, const ek_store *csr,
                              const cocktail_split *split, int k, ek_store *out)
{
	ek_store sub, part = eki_cocktail_part(out, k);
	ek_status status = EK_OK;

	EK_RETURN_IF(make_sub(ctx, csr, split, k, &sub));
	part.nnz = sub.nnz;
	if (k == PART_CSR) {
		eki_copy_into(ctx, part.array[CSR_PTR], sub.array[CSR_PTR], csr->rows + 1,
		              eki_ptr_size(csr->index));
		eki_copy_into(ctx, part.array[CSR_COL], sub.array[CSR_COL], sub.nnz,
		              eki_idx_size(csr->index));
	} else {
		status = part.format->pattern(ctx, &sub, &part);
	}
	/* SELL fills its padding with the values, which here are filled in entry by entry. */
	if (k == PART_SELL && part.len[SELL_VAL])
		memset(part.array[SELL_VAL], 0,
		       (size_t)part.len[SELL_VAL] * ek_value_size(part.value));
	eki_store_free(ctx, &sub);
	return status;
}

typedef ek_status part_fn(const ek_context *, const ek_store *csr, const cocktail_split *, int k,
                          ek_store *out);

/* Decides which part each entry goes to, and calls fn for each part that gets entries. */
static ek_status each_part(const ek_context *ctx, const ek_store *csr, ek_store *out, part_fn *fn)
{
	cocktail_split split;
	ek_status status;

	EK_RETURN_IF(eki_cocktail_split(ctx, csr, &split));
	status = EK_OK;
	for (int k = 0; k < PARTS && status == EK_OK; k++)
		if (split.has[k])
			status = fn(ctx, csr, &split, k, out);
	eki_free(ctx, split.part, csr->nnz, 1);
	return status;
}

static ek_status layout(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	memset(out->dim, 0, sizeof out->dim);
	return each_part(ctx, csr, out, layout_part);
}

static ek_status pattern(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	return each_part(ctx, csr, out, pattern_part);
}

/* ---- To CSR ---------------------------------------------------------------------------------- */

static ek_status to_csr(const ek_context *ctx, const ek_store *in, ek_store *csr)
{
	static eki_fill_fn *const lengths[EK_NTYPE] = EK_BY_TYPE(sum_lengths);
	static eki_fill_fn *const merge[EK_NTYPE] = EK_BY_TYPE(merge_rows);
	ek_store part[PARTS], sub[PARTS] = {{0}};
	const ek_store *made;
	ek_status status = EK_OK;

	eki_cocktail_parts(in, part);
	for (int k = 0; k < PARTS; k++) {
		sub[k].value = in->value;
		sub[k].index = in->index;
		if (k == PART_CSR)
			sub[k] = part[k];
		else if (part[k].format)
			EK_TRY(eki_format_csr(ctx, &part[k], &sub[k], &made));
	}
	eki_fill_csr(ctx, lengths, merge, sub, csr, in->rows);
done:
	for (int k = 0; k < PARTS; k++)
		eki_store_free(ctx, &sub[k]);
	return status;
}

/* ---- Checking a store, finding an entry ------------------------------------------------------ */

/* Checks that no place has entries in two parts. */
static ek_status check_places(const ek_context *ctx, const ek_store *s)
{
	ek_store csr = {0};
	ek_status status;

	EK_TRY(eki_csr_alloc(ctx, s->value, s->index, s->rows, s->cols, s->nnz, &csr));
	EK_TRY(to_csr(ctx, s, &csr));
	if (!eki_ascends_strictly(ctx, &csr))
		status = eki_fail(EK_ERANGE,
		                  "two parts have an entry in the same row and column");
done:
	eki_store_free(ctx, &csr);
	return status;
}

static ek_status check(const ek_context *ctx, const ek_store *s)
{
	ek_store part[PARTS];
	int64_t total = 0;

	if (s->dim[COCKTAIL_BLOCK] < 0 || s->dim[COCKTAIL_BLOCK] > BLOCK_MOST ||
	    s->dim[COCKTAIL_WIDTH] < 0)
		return eki_fail(EK_ERANGE, "blocks of %lld and rows of %lld are not possible",
		                (long long)s->dim[COCKTAIL_BLOCK],
		                (long long)s->dim[COCKTAIL_WIDTH]);
	eki_cocktail_parts(s, part);
	for (int k = 0; k < PARTS; k++) {
		const int end = k + 1 < PARTS ? eki_cocktail_kind[k + 1].first : EKI_MAX_ARRAYS;

		for (int a = eki_cocktail_kind[k].first; a < end && !part[k].format; a++)
			if (s->len[a])
				return eki_fail(EK_ERANGE, "%s has %lld entries; none are expected",
				                s->format->array[a].name, (long long)s->len[a]);
		if (part[k].format)
			EK_RETURN_IF(part[k].format->check(ctx, &part[k]));
		total += part[k].nnz;
	}
	if (total != s->nnz)
		return eki_fail(EK_ERANGE, "the parts have %lld entries, the matrix has %lld",
		                (long long)total, (long long)s->nnz);
	EK_RETURN_IF(eki_cocktail_flat_check(ctx, s, part));
	return check_places(ctx, s);
}

static bool find(const ek_store *s, int64_t i, int64_t j, eki_place *at)
{
	ek_store part[PARTS];
	int first[PARTS + 1];

	for (int k = 0; k < PARTS; k++) {
		part[k] = eki_cocktail_part(s, k);
		first[k] = eki_cocktail_kind[k].first;
	}
	first[PARTS] = EKI_MAX_ARRAYS;
	return eki_parts_find(part, first, PARTS, i, j, at);
}

const ek_format ek_format_cocktail = {
	.name = "cocktail",
	.text = "each entry in one of nine formats, for diagonals, blocks and others, by counted "
		"bytes",
	.source = "Su and Keutzer 2012; Liu 2015, section 5.3.2",
	.array = {{"dia_offset", EKI_IDX},     {"dia_val", EKI_VALUE},
                  {"dia_mask", EKI_WORD},      {"bcsr_block_ptr", EKI_PTR},
                  {"bcsr_block_col", EKI_IDX}, {"bcsr_val", EKI_VALUE},
                  {"bcsr_mask", EKI_BYTE},     {"ell_row_len", EKI_IDX},
                  {"ell_col_idx", EKI_IDX},    {"ell_val", EKI_VALUE},
                  {"csr_row_ptr", EKI_PTR},    {"csr_col_idx", EKI_IDX},
                  {"csr_val", EKI_VALUE},      {"coo_row_idx", EKI_IDX},
                  {"coo_col_idx", EKI_IDX},    {"coo_val", EKI_VALUE},
                  {"bdia_band_ptr", EKI_PTR},  {"bdia_offset", EKI_IDX},
                  {"bdia_val", EKI_VALUE},     {"bdia_mask", EKI_WORD},
                  {"sell_chunk_ptr", EKI_PTR}, {"sell_col_idx", EKI_IDX},
                  {"sell_val", EKI_VALUE},     {"sell_row_len", EKI_IDX},
                  {"sell_perm", EKI_IDX},      {"bell_row_len", EKI_IDX},
                  {"bell_col_idx", EKI_IDX},   {"bell_val", EKI_VALUE},
                  {"bell_mask", EKI_BYTE},     {"sbell_slice_ptr", EKI_PTR},
                  {"sbell_col_idx", EKI_IDX},  {"sbell_val", EKI_VALUE},
                  {"sbell_mask", EKI_BYTE},    {"sbell_row_len", EKI_IDX}},
	.convert = {50, 300},
	.check = check,
	.layout = layout,
	.pattern = pattern,
	.values = eki_cocktail_values,
	.to_csr = to_csr,
	.find = find,
	.by_column = true,
};

#endif
