/* SPDX-License-Identifier: BSD-3-Clause
 * Blocked ELLPACK (BELL): dense r x c blocks as in BCSR, with all block rows padded to as many
 * blocks as the longest one has. Block rows are lanes: places p of blocks number t of 8 block rows
 * are side by side, so that a product multiplies as many block rows at a time as a register has
 * lanes, and gathers c elements of x for r c places. A block, padding included, takes r c values,
 * one column, and ceil(r c / 8) bytes of mask, and a block row one length.
 *
 * Padding has the value 0, the column of the last block of its block row, and an empty mask. As in
 * ELLPACK, one long block row makes the format so large that it is refused.
 *
 * Su and Keutzer 2012 (clSpMV), who put blocks number t of all block rows side by side; in groups
 * of 8 a processor reads one stream of values, and the lanes of a device still read whole sectors
 * of memory. format/block_lanes.h has the arrays. */
#include "format/block_lanes.h"

static ek_status layout(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	int64_t blocks, widest;

	EK_RETURN_IF(eki_block_lanes_count(ctx, csr, out, BELL_HEIGHT, &blocks, &widest));
	out->dim[BELL_WIDTH] = widest;
	eki_block_lanes_shape(
		out,
		eki_times(eki_times(eki_groups(block_shape_of(out).rows, BELL_HEIGHT), BELL_HEIGHT),
	                  widest));
	return EK_OK;
}

static ek_status check(const ek_context *ctx, const ek_store *s)
{
	const int64_t width = s->dim[BELL_WIDTH];
	ek_store shape = *s;

	EK_RETURN_IF(eki_block_size_check(s));
	if (width < 0 || width > eki_groups(s->cols, s->dim[BLOCK_C]))
		return eki_fail(EK_ERANGE, "block rows have room for %lld blocks; 0 to %lld fit",
		                (long long)width, (long long)eki_groups(s->cols, s->dim[BLOCK_C]));
	eki_block_lanes_shape(
		&shape,
		eki_times(eki_times(eki_groups(block_shape_of(s).rows, BELL_HEIGHT), BELL_HEIGHT),
	                  width));
	EK_RETURN_IF(eki_len_check(s, shape.len));
	return eki_block_lanes_check(ctx, s);
}

const ek_format ek_format_bell = {
	.name = "bell",
	.text = "ELLPACK of dense blocks of r x c: all block rows padded to the longest",
	.source = "Su and Keutzer 2012",
	.param = BLOCK_PARAMS,
	.array = {{"row_len", EKI_IDX},
                  {"col_idx", EKI_IDX},
                  {"val", EKI_VALUE},
                  {"mask", EKI_BYTE}},
	.check = check,
	.layout = layout,
	.pattern = eki_block_lanes_pattern,
	.values = eki_block_lanes_values,
	.to_csr = eki_block_lanes_to_csr,
	.find = eki_block_lanes_find,
	.by_column = true,
};
