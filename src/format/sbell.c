/* SPDX-License-Identifier: BSD-3-Clause
 * Sliced blocked ELLPACK (SBELL): BELL in slices of h block rows, each padded only to the longest
 * block row of its slice. Each block row is a lane: places p of blocks number t of a slice are side
 * by side. A block, padding included, takes r c values, one column, and ceil(r c / 8) bytes of
 * mask; a block row takes one length, and a slice a pointer.
 *
 * The default h is the number of lanes of a vector, but at least 4, so that a product reads whole
 * vectors, and pads as little as that allows. Padding is as in BELL.
 *
 * Su and Keutzer 2012 (clSpMV); slices as in Monakov, Lokhmotov and Avetisyan 2010.
 * format/block_lanes.h has the arrays. */
#include "format/block_lanes.h"

static ek_status layout(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	const int64_t lanes = eki_lanes(ctx->isa, csr->value);
	int64_t blocks, widest;

	if (!out->dim[SBELL_H])
		out->dim[SBELL_H] = lanes < 4 ? 4 : lanes;
	EK_RETURN_IF(eki_block_lanes_count(ctx, csr, out, out->dim[SBELL_H], &blocks, &widest));
	if (blocks > eki_ptr_max(csr->index))
		return eki_fail(EK_ELIMIT,
		                "format sbell would take %lld blocks for this matrix, more than "
		                "index type %s counts",
		                (long long)blocks, ek_index_name(csr->index));
	eki_block_lanes_shape(out, blocks);
	return EK_OK;
}

static ek_status check(const ek_context *ctx, const ek_store *s)
{
	const int64_t blocks = s->len[BLOCK_COL];
	ek_store shape = *s;
	int64_t slices;

	EK_RETURN_IF(eki_block_size_check(s));
	if (s->dim[SBELL_H] < 1 || s->dim[SBELL_H] > SBELL_MOST)
		return eki_fail(EK_ERANGE, "slices have %lld block rows; 1 to %d are possible",
		                (long long)s->dim[SBELL_H], SBELL_MOST);
	eki_block_lanes_shape(&shape, blocks);
	EK_RETURN_IF(eki_len_check(s, shape.len));
	slices = s->len[SBELL_PTR] - 1;
	if (eki_ptr_at(s, 0) != 0 || eki_ptr_at(s, slices) != blocks)
		return eki_fail(EK_ERANGE, "slice_ptr does not go from 0 to %lld in %lld steps",
		                (long long)blocks, (long long)slices);
	return eki_block_lanes_check(ctx, s);
}

const ek_format ek_format_sbell = {
	.name = "sbell",
	.text = "slices of h block rows, each an ELLPACK of dense blocks of r x c",
	.source = "Su and Keutzer 2012",
	.param = {{"r", 1, BLOCK_MOST, "rows of a block"},
                  {"c", 1, BLOCK_MOST, "columns of a block"},
                  {"h", 1, SBELL_MOST, "block rows of a slice; best the width of a vector"},
                  {0}},
	.array = {{"slice_ptr", EKI_PTR},
                  {"col_idx", EKI_IDX},
                  {"val", EKI_VALUE},
                  {"mask", EKI_BYTE},
                  {"row_len", EKI_IDX}},
	.check = check,
	.layout = layout,
	.pattern = eki_block_lanes_pattern,
	.values = eki_block_lanes_values,
	.to_csr = eki_block_lanes_to_csr,
	.find = eki_block_lanes_find,
	.by_column = true,
};
