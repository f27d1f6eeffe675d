/* SPDX-License-Identifier: BSD-3-Clause
 * CSR5: the entries of CSR in tiles of omega lanes and sigma steps. Each tile is transposed so that
 * a vector has one entry of every lane; one to three words for each lane tell where rows begin
 * (csr5.h). All tiles are alike, whatever the row lengths, so neither long nor empty rows disturb
 * the balance between lanes or threads. row_ptr is unchanged. The last entries, which are too few
 * to fill a tile, stay in CSR's order. In addition to CSR's bytes, a tile takes up to 8 omega bytes
 * for its descriptor and 4 or 8 for its pointer (together 2.2 % for doubles with omega = 8, sigma =
 * 32). If there are empty rows between the rows of a tile, the tile also takes a row number for
 * each row that has entries in it.
 *
 * Conversion: tile pointers, then descriptors (csr5_tiles.c), then columns and values, which are
 * transposed in registers and written to other arrays (csr5_transpose.c). These three steps are
 * timed apart (ek_convert_times). Arrays that the caller gives away are transposed in place, one
 * tile at a time, through a copy of the tile.
 *
 * Liu 2015, chapter 6 and section 8.5.2. */
#include <string.h>

#include "base/pool.h"
#include "format/csr5_sigma.h"
#include "format/csr5_tiles.h"
#include "format/csr5_transpose.h"

ek_status csr5_omega_check(int64_t omega)
{
	if (omega & (omega - 1))
		return eki_fail(EK_EINVAL, "format csr5: omega is %lld; a power of two is expected",
		                (long long)omega);
	return EK_OK;
}

static ek_status layout(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	int64_t *dim = out->dim, *len = out->len, numbers;
	csr5_shape h;

	dim[CSR5_OMEGA] = dim[CSR5_OMEGA] ? dim[CSR5_OMEGA] : csr5_omega(ctx, csr->value);
	if (!dim[CSR5_SIGMA]) {
		int64_t bound[CSR5_BOUNDS];

		EK_RETURN_IF(csr5_bounds(csr->value, NULL, bound));
		dim[CSR5_SIGMA] = csr5_sigma_of(bound, csr);
	}
	EK_RETURN_IF(csr5_omega_check(dim[CSR5_OMEGA]));
	h = csr5_shape_of(out);
	numbers = csr5_count_tiles(ctx, csr, out);
	len[CSR5_PTR] = csr->rows + 1;
	len[CSR5_COL] = len[CSR5_VAL] = csr->nnz;
	len[CSR5_TILE] = h.tiles;
	len[CSR5_DESC] = h.tiles * h.words * h.omega;
	len[CSR5_EMPTY_PTR] = numbers ? h.tiles + 1 : 0;
	len[CSR5_EMPTY] = numbers;
	return EK_OK;
}

static void empty_pointers(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	const int64_t tiles = csr5_shape_of(out).tiles;
	ek_store ptr = {.index = out->index, .array = {out->array[CSR5_EMPTY_PTR]}};

	csr5_count_tiles(ctx, csr, out);
	eki_ptr_set(&ptr, tiles, 0);
	eki_ptr_scan(ctx, out->index, EK_EXCLUSIVE, tiles + 1, out->array[CSR5_EMPTY_PTR]);
}

/* Transposes the columns or the values, and adds the time to that of transpositions. */
static void transpose(const ek_context *ctx, const void *from, ek_store *out, int array,
                      size_t size)
{
	int64_t since = eki_now_ns();

	csr5_transpose(ctx, out, from, out->array[array], size, false);
	if (out->times)
		out->times->transposition += eki_lap(&since);
}

static ek_status pattern(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	ek_convert_times unread = {0}, *times = out->times ? out->times : &unread;
	int64_t since;

	eki_copy_into(ctx, out->array[CSR5_PTR], csr->array[CSR_PTR], csr->rows + 1,
	              eki_ptr_size(csr->index));
	since = eki_now_ns();
	csr5_write_pointers(ctx, csr, out);
	times->tile_ptr = eki_lap(&since);
	if (out->len[CSR5_EMPTY_PTR])
		empty_pointers(ctx, csr, out);
	csr5_write_descriptors(ctx, csr, out);
	times->tile_desc = eki_lap(&since);
	transpose(ctx, csr->array[CSR_COL], out, CSR5_COL, eki_idx_size(csr->index));
	return EK_OK;
}

static ek_status values(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	transpose(ctx, csr->array[CSR_VAL], out, CSR5_VAL, ek_value_size(csr->value));
	return EK_OK;
}

static ek_status to_csr(const ek_context *ctx, const ek_store *in, ek_store *csr)
{
	eki_copy_into(ctx, csr->array[CSR_PTR], in->array[CSR5_PTR], in->rows + 1,
	              eki_ptr_size(in->index));
	csr5_transpose(ctx, in, in->array[CSR5_COL], csr->array[CSR_COL], eki_idx_size(in->index),
	               true);
	csr5_transpose(ctx, in, in->array[CSR5_VAL], csr->array[CSR_VAL], ek_value_size(in->value),
	               true);
	return EK_OK;
}

static bool find(const ek_store *s, int64_t i, int64_t j, eki_place *at)
{
	const csr5_shape h = csr5_shape_of(s);
	int64_t k = eki_ptr_at(s, i);

	if (at->array >= 0) /* continue after the entry at place *at */
		while (csr5_place(&h, k++) != at->k)
			;
	for (; k < eki_ptr_at(s, i + 1); k++)
		if (eki_idx_at(s, CSR5_COL, csr5_place(&h, k)) == j) {
			*at = (eki_place){CSR5_VAL, csr5_place(&h, k)};
			return true;
		}
	return false;
}

/* ---- Arrays that the caller gives away ------------------------------------------------------- */

static ek_status adopt(const ek_context *ctx, ek_store *csr, ek_store *out)
{
	ek_store s = *out;
	ek_status status;

	memcpy(s.array, csr->array, sizeof s.array);
	for (int k = CSR5_TILE; k <= CSR5_EMPTY; k++)
		EK_TRY(eki_alloc(ctx, s.len[k],
		                 eki_elem_size(s.format->array[k].elem, s.value, s.index),
		                 &s.array[k]));
	EK_TRY(pattern(ctx, csr, &s));
	EK_TRY(values(ctx, csr, &s));
	*out = s;
done:
	if (status != EK_OK) {
		s.borrowed =
			UINT64_C(1) << CSR5_PTR | UINT64_C(1) << CSR5_COL | UINT64_C(1) << CSR5_VAL;
		eki_store_free(ctx, &s);
	}
	return status;
}

/* ---- Check ----------------------------------------------------------------------------------- */

/* Checks that the arrays of `s` equal those of `again`, which were computed from row_ptr a second
 * time. */
static ek_status compare(const ek_store *s, const ek_store *again)
{
	for (int k = CSR5_TILE; k <= CSR5_EMPTY; k++) {
		const size_t size = eki_elem_size(s->format->array[k].elem, s->value, s->index);
		const char *a = s->array[k], *b = again->array[k];
		int64_t at = 0;

		if (!s->len[k] || memcmp(a, b, (size_t)s->len[k] * size) == 0)
			continue;
		while (memcmp(a + (size_t)at * size, b + (size_t)at * size, size) == 0)
			at++;
		return eki_fail(EK_ERANGE, "%s[%lld] is not what row_ptr asks for",
		                s->format->array[k].name, (long long)at);
	}
	return EK_OK;
}

static ek_status check(const ek_context *ctx, const ek_store *s)
{
	const int64_t omega = s->dim[CSR5_OMEGA], sigma = s->dim[CSR5_SIGMA];
	ek_store csr = *s, again;
	ek_status status;

	if (omega < 2 || omega > CSR5_MAX_OMEGA || (omega & (omega - 1)) || sigma < 1 ||
	    sigma > CSR5_MAX_SIGMA)
		return eki_fail(EK_ERANGE,
		                "omega is %lld and sigma %lld; a power of two from 2 to %d and 1 "
		                "to %d are possible",
		                (long long)omega, (long long)sigma, CSR5_MAX_OMEGA, CSR5_MAX_SIGMA);
	csr.format = &ek_format_csr;
	EK_RETURN_IF(ek_format_csr.check(ctx, &csr));
	again = *s;
	memset(again.array, 0, sizeof again.array);
	EK_RETURN_IF(layout(ctx, &csr, &again));
	EK_RETURN_IF(eki_len_check(s, again.len));
	EK_RETURN_IF(eki_store_alloc(
		ctx, &again,
		(int64_t[EKI_MAX_ARRAYS]){[CSR5_PTR] = again.len[CSR5_PTR],
	                                  [CSR5_COL] = again.len[CSR5_COL],
	                                  [CSR5_TILE] = again.len[CSR5_TILE],
	                                  [CSR5_DESC] = again.len[CSR5_DESC],
	                                  [CSR5_EMPTY_PTR] = again.len[CSR5_EMPTY_PTR],
	                                  [CSR5_EMPTY] = again.len[CSR5_EMPTY]}));
	EK_TRY(pattern(ctx, &csr, &again));
	EK_TRY(compare(s, &again));
done:
	eki_store_free(ctx, &again);
	return status;
}

const ek_format ek_format_csr5 = {
	.name = "csr5",
	.text = "CSR in transposed tiles of equal size, with flags where rows begin",
	.source = "Liu 2015, chapter 6",
	.param = {{"omega", 2, CSR5_MAX_OMEGA, "lanes of a tile, a power of two"},
                  {"sigma", 1, CSR5_MAX_SIGMA, "steps of a tile"}},
	.array = {{"row_ptr", EKI_PTR},
                  {"col_idx", EKI_IDX},
                  {"val", EKI_VALUE},
                  {"tile_ptr", EKI_PTR},
                  {"tile_desc", EKI_WORD},
                  {"empty_ptr", EKI_PTR},
                  {"empty_offset", EKI_IDX}},
	.check = check,
	.convert = {4, 15},
	.layout = layout,
	.pattern = pattern,
	.values = values,
	.to_csr = to_csr,
	.find = find,
	.adopt = adopt,
	.values_alone = true,
};
