/* SPDX-License-Identifier: BSD-3-Clause
 * Block compressed coordinates (BCCOO): like BCOO, but a block stores one bit instead of the number
 * of its block row. The bit tells whether the block is the last of its block row (format/bccoo.h).
 * So the format stores 1/32 of an index per block and an index per chunk of blocks. If some block
 * rows are empty, it also stores an index for each block row that is not. In total this is less
 * than the pointers of BCSR if block rows hold few blocks.
 *
 * With deltas=1, products read the difference of each block column from the one before, in 16 bits,
 * instead of the column. As in yaSpMV, differences begin anew in each segment of blocks, which is
 * the share of one work-item there, so that no work-item waits for another; a difference that does
 * not fit is stored as -1, and the column is then read from the array of all columns, which stays.
 * So a block takes 2 1/8 bytes more in memory (32-bit indices), and a product reads 2 1/8 bytes for
 * its column instead of 4, 2.5 % less in all for 3 x 3 blocks of doubles. yaSpMV stores the blocks
 * transposed, so that the first columns of segments are neighbours; here they are an array of their
 * own, since reading them from block_col would fetch every other line of 64 bytes.
 *
 * deltas=2, which was not published, has the distance of each column from the least one of its
 * segment instead. It takes as many bytes, and any column can be found without those before it. The
 * default is deltas=0.
 *
 * Liu 2015, section 5.4.5; Yan, Li, Zhang and Zhou 2014 (yaSpMV), section 2.2. */
#include <string.h>

#include "format/bccoo.h"
#define EK_TYPES_ONLY
#define EK_FILE "format/bccoo.c"
#include "base/for_each.h"

#include "format/block_row.h"

#if EK_PER_TYPE

/* Fills filled_row, if `out` has this array, with the numbers of the block rows in [begin, end)
 * that are not empty. The range must cover all block rows. */
static void FN(bccoo_filled)(const ek_store *view, ek_store *out, int64_t begin, int64_t end)
{
	const PTR *block_ptr = view->array[BLOCK_HEAD];
	IDX *filled_row = out->array[BCCOO_FILLED];
	int64_t n = 0;

	for (int64_t b = begin; b < end && out->len[BCCOO_FILLED]; b++)
		if (block_ptr[b] < block_ptr[b + 1])
			filled_row[n++] = (IDX)b;
}

/* Fills the flags and chunk_row of chunks [begin, end) from the pointers in `view`. filled_row of
 * `out` must be complete. */
static void FN(bccoo_chunks)(const ek_store *view, ek_store *out, int64_t begin, int64_t end)
{
	const PTR *block_ptr = view->array[BLOCK_HEAD];
	const int64_t blocks = out->len[BLOCK_COL], filled = out->len[BCCOO_FILLED];
	const int64_t stop = end * BCCOO_BLOCKS < blocks ? end * BCCOO_BLOCKS : blocks;
	uint32_t *flag = out->array[BCCOO_FLAG];
	IDX *chunk_row = out->array[BCCOO_CHUNK];
	ek_store rows = *view;
	int64_t k = begin * BCCOO_BLOCKS, b, number;

	if (begin == end)
		return;
	rows.rows = block_shape_of(view).rows;
	b = eki_row_of(&rows, k);
	number = b;
	if (filled)
		number = FN(block_of)(out->array[BCCOO_FILLED], 0, filled, b);
	memset(flag + k / 32, 0, (size_t)mask_words(stop - k) * sizeof *flag);
	for (; k < stop; k++) {
		if (k % BCCOO_BLOCKS == 0)
			chunk_row[k / BCCOO_BLOCKS] = (IDX)number;
		if (k + 1 < block_ptr[b + 1])
			continue;
		mask_put(flag, k);
		number++;
		for (b++; b < rows.rows && block_ptr[b + 1] == block_ptr[b];)
			b++;
	}
}

/* Finds `delta` of the blocks of a segment, and returns its element of base_col. */
static IDX FN(bccoo_segment)(const ek_store *s, int64_t segment, int16_t delta[BCCOO_SEGMENT])
{
	const int64_t deltas = s->dim[BCCOO_DELTAS], begin = segment * BCCOO_SEGMENT;
	const int64_t n = eki_group(s->len[BLOCK_COL], BCCOO_SEGMENT, segment + 1) - begin;
	const IDX *col = (const IDX *)s->array[BLOCK_COL] + begin;
	IDX base = col[0], to;

	for (int64_t k = 1; k < n && deltas == BCCOO_DISTANCES; k++)
		base = col[k] < base ? col[k] : base;
	to = base;
	for (int64_t k = 0; k < n; k++) {
		delta[k] = bccoo_delta(deltas, (int64_t)col[k] - to);
		to = deltas == BCCOO_DIFFERENCES ? col[k] : base;
	}
	return base;
}

/* Fills delta and base_col of segments [begin, end) from block_col. */
static void FN(bccoo_deltas)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	IDX *base_col = out->array[BCCOO_BASE];
	int16_t *delta = out->array[BCCOO_DELTA];

	(void)csr;
	for (int64_t k = begin; k < end; k++)
		base_col[k] = FN(bccoo_segment)(out, k, delta + k * BCCOO_SEGMENT);
}

/* Returns the first segment in [begin, end) whose columns would not be found from delta and
 * base_col, or `end` if there is none. block_col must have been checked. */
static int64_t FN(bccoo_delta_fault)(const ek_store *s, int64_t begin, int64_t end)
{
	const int16_t *delta = s->array[BCCOO_DELTA];
	const IDX *base_col = s->array[BCCOO_BASE];

	for (int64_t k = begin; k < end; k++) {
		const int64_t first = k * BCCOO_SEGMENT;
		const int64_t n = eki_group(s->len[BLOCK_COL], BCCOO_SEGMENT, k + 1) - first;
		int16_t right[BCCOO_SEGMENT];

		if (base_col[k] != FN(bccoo_segment)(s, k, right) ||
		    memcmp(delta + first, right, (size_t)n * sizeof *right) != 0)
			return k;
	}
	return end;
}

/* Writes head[b + 1] of `view` for each block row b whose last block is in [begin, end), as
 * block_ends of format/block.h requires. */
static void FN(bccoo_ends)(const ek_store *in, ek_store *view, int64_t begin, int64_t end)
{
	const uint32_t *flag = in->array[BCCOO_FLAG];
	PTR *block_ptr = view->array[BLOCK_HEAD];
	int64_t number = begin < end ? bccoo_number(in, begin) : 0;

	for (int64_t k = begin; k < end;) {
		k = bccoo_next(flag, k, end);
		if (mask_has(flag, k - 1))
			block_ptr[bccoo_row(in, number++) + 1] = (PTR)k;
	}
}

/* Copies the values of each block row whose last block is in [begin, end), including those of its
 * blocks before `begin`. */
static void FN(bccoo_values)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	const block_shape h = block_shape_of(out);
	const uint32_t *flag = out->array[BCCOO_FLAG];
	int64_t number = begin < end ? bccoo_number(out, begin) : 0;
	int64_t first = begin < end ? bccoo_first(out, number) : end;

	for (int64_t k = begin; k < end; first = k) {
		k = bccoo_next(flag, k, end);
		if (mask_has(flag, k - 1)) {
			const int64_t b = bccoo_row(out, number++);

			FN(block_row_values)(csr, out, &h, b, first, k);
		}
	}
}

#endif
#if EK_ONCE

static int64_t chunks_of(const ek_store *s)
{
	return eki_groups(s->len[BLOCK_COL], BCCOO_BLOCKS);
}

static int64_t escapes_of(const ek_store *s)
{
	const int16_t *delta = s->array[BCCOO_DELTA];
	int64_t n = 0;

	for (int64_t k = 0; k < s->len[BCCOO_DELTA]; k++)
		n += delta[k] == BCCOO_ESCAPE;
	return n;
}

static ek_status layout(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	int64_t filled;

	EK_RETURN_IF(eki_block_layout(ctx, csr, out, &filled));
	if (out->dim[BCCOO_DELTAS] == EKI_ZERO)
		out->dim[BCCOO_DELTAS] = 0;
	out->len[BCCOO_DELTA] = out->dim[BCCOO_DELTAS] ? out->len[BLOCK_COL] : 0;
	out->len[BCCOO_BASE] = bccoo_segments(out);
	out->len[BCCOO_FLAG] = mask_words(out->len[BLOCK_COL]);
	out->len[BCCOO_CHUNK] = chunks_of(out);
	out->len[BCCOO_FILLED] = filled < block_shape_of(out).rows ? filled : 0;
	return EK_OK;
}

static ek_status pattern(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	static eki_fill_fn *const filled[EK_NTYPE] = EK_BY_TYPE(bccoo_filled);
	static eki_fill_fn *const chunks[EK_NTYPE] = EK_BY_TYPE(bccoo_chunks);
	static eki_fill_fn *const deltas[EK_NTYPE] = EK_BY_TYPE(bccoo_deltas);
	ek_store view;

	EK_RETURN_IF(eki_block_view(ctx, out, NULL, &view));
	eki_block_pattern(ctx, csr, &view);
	filled[eki_type(csr->value, csr->index)](&view, out, 0, block_shape_of(out).rows);
	eki_fill(ctx, chunks, &view, out, chunks_of(out), out->len[BLOCK_COL]);
	eki_block_view_free(ctx, &view);
	eki_fill(ctx, deltas, csr, out, bccoo_segments(out), out->len[BCCOO_DELTA]);
	out->dim[BCCOO_ESCAPES] = escapes_of(out);
	return EK_OK;
}

static ek_status values(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	static eki_fill_fn *const fill[EK_NTYPE] = EK_BY_TYPE(bccoo_values);

	eki_fill(ctx, fill, csr, out, out->len[BLOCK_COL], csr->nnz);
	return EK_OK;
}

static eki_fill_fn *const ends[EK_NTYPE] = EK_BY_TYPE(bccoo_ends);

static ek_status to_csr(const ek_context *ctx, const ek_store *in, ek_store *csr)
{
	return eki_block_to_csr(ctx, in, ends, csr);
}

/* ---- Check ----------------------------------------------------------------------------------- */

/* Checks the flags in bit_flag and their number, and that chunk_row agrees with them. */
static ek_status check_flags(const ek_store *s)
{
	const int64_t blocks = s->len[BLOCK_COL], rows = block_shape_of(s).rows;
	const int64_t filled = s->len[BCCOO_FILLED] ? s->len[BCCOO_FILLED] : blocks ? rows : 0;
	const uint32_t *flag = s->array[BCCOO_FLAG];
	int64_t number = 0;

	for (int64_t w = 0; w < mask_words(blocks); w++) {
		if (w % (BCCOO_BLOCKS / 32) == 0 &&
		    eki_idx_at(s, BCCOO_CHUNK, w * 32 / BCCOO_BLOCKS) != number)
			return eki_fail(
				EK_ERANGE, "chunk_row[%lld] is %lld; %lld is expected",
				(long long)(w * 32 / BCCOO_BLOCKS),
				(long long)eki_idx_at(s, BCCOO_CHUNK, w * 32 / BCCOO_BLOCKS),
				(long long)number);
		number += __builtin_popcount(flag[w]);
	}
	if (number != filled || (blocks && !mask_has(flag, blocks - 1)) ||
	    (blocks % 32 && flag[blocks / 32] >> (blocks % 32)))
		return eki_fail(EK_ERANGE,
		                "bit_flag has %lld flags; %lld are expected, the last at block "
		                "%lld",
		                (long long)number, (long long)filled, (long long)blocks - 1);
	return EK_OK;
}

static ek_status check_filled(const ek_store *s)
{
	const int64_t rows = block_shape_of(s).rows;
	int64_t before = -1;

	for (int64_t n = 0; n < s->len[BCCOO_FILLED]; n++) {
		const int64_t b = eki_idx_at(s, BCCOO_FILLED, n);

		if (b <= before || b >= rows)
			return eki_fail(EK_ERANGE,
			                "filled_row[%lld] is %lld; block rows ascend and are less "
			                "than %lld",
			                (long long)n, (long long)b, (long long)rows);
		before = b;
	}
	return EK_OK;
}

/* Checks that delta and base_col lead to block_col, which must have been checked. */
static ek_status check_deltas(const ek_context *ctx, const ek_store *s)
{
	static eki_fault_fn *const fault[EK_NTYPE] = EK_BY_TYPE(bccoo_delta_fault);
	const int64_t n = bccoo_segments(s);
	const int64_t k = eki_first_fault(ctx, s, fault[eki_type(s->value, s->index)], n);

	if (k < n)
		return eki_fail(EK_ERANGE,
		                "blocks %lld to %lld: delta and base_col do not give the columns "
		                "of block_col",
		                (long long)k * BCCOO_SEGMENT,
		                (long long)eki_group(s->len[BLOCK_COL], BCCOO_SEGMENT, k + 1) - 1);
	if (s->dim[BCCOO_ESCAPES] != escapes_of(s))
		return eki_fail(EK_ERANGE,
		                "%lld columns are said not to fit 16 bits; %lld are escapes",
		                (long long)s->dim[BCCOO_ESCAPES], (long long)escapes_of(s));
	return EK_OK;
}

static ek_status check(const ek_context *ctx, const ek_store *s)
{
	const int64_t deltas = s->dim[BCCOO_DELTAS];

	EK_RETURN_IF(eki_block_shape_check(s));
	if (deltas < 0 || deltas > BCCOO_DISTANCES || s->len[BCCOO_BASE] != bccoo_segments(s) ||
	    s->len[BCCOO_DELTA] != (deltas ? s->len[BLOCK_COL] : 0))
		return eki_fail(EK_ERANGE,
		                "deltas=%lld, %lld numbers of 16 bits and %lld bases do not fit "
		                "%lld blocks",
		                (long long)deltas, (long long)s->len[BCCOO_DELTA],
		                (long long)s->len[BCCOO_BASE], (long long)s->len[BLOCK_COL]);
	if (s->len[BCCOO_FLAG] != mask_words(s->len[BLOCK_COL]) ||
	    s->len[BCCOO_CHUNK] != chunks_of(s))
		return eki_fail(EK_ERANGE,
		                "%lld words of flags and %lld chunks do not fit %lld blocks",
		                (long long)s->len[BCCOO_FLAG], (long long)s->len[BCCOO_CHUNK],
		                (long long)s->len[BLOCK_COL]);
	EK_RETURN_IF(check_flags(s));
	EK_RETURN_IF(check_filled(s));
	EK_RETURN_IF(eki_block_check(ctx, s, ends));
	return check_deltas(ctx, s);
}

/* ---- Finding an entry ------------------------------------------------------------------------ */

static bool find(const ek_store *s, int64_t i, int64_t j, eki_place *at)
{
	const int64_t b = i / s->dim[BLOCK_R];
	int64_t number = b, begin;

	if (s->len[BLOCK_COL] == 0)
		return false;
	if (s->len[BCCOO_FILLED]) {
		number = eki_idx_lower_bound(s, BCCOO_FILLED, 0, s->len[BCCOO_FILLED], b);
		if (number == s->len[BCCOO_FILLED] || eki_idx_at(s, BCCOO_FILLED, number) != b)
			return false;
	}
	begin = bccoo_first(s, number);
	return eki_block_find(s, begin, bccoo_next(s->array[BCCOO_FLAG], begin, s->len[BLOCK_COL]),
	                      i, j, at);
}

const ek_format ek_format_bccoo = {
	.name = "bccoo",
	.text = "coordinates of dense blocks of r x c, block rows told by a bit for each block",
	.source = "Liu 2015, section 5.4.5; Yan et al. 2014",
	.param = {{"r", 1, BLOCK_MOST, "rows of a block"},
                  {"c", 1, BLOCK_MOST, "columns of a block"},
                  {"deltas", 0, BCCOO_DISTANCES,
                   "products read columns in 16 bits, 1: as differences from the column before, "
                   "2: from the least of 32 blocks; 0: they read indices"},
                  {0}},
	.array = {{"bit_flag", EKI_WORD},
                  {"block_col", EKI_IDX},
                  {"val", EKI_VALUE},
                  {"mask", EKI_BYTE},
                  {"chunk_row", EKI_IDX},
                  {"filled_row", EKI_IDX},
                  {"delta", EKI_HALF},
                  {"base_col", EKI_IDX}},
	.check = check,
	.convert = {16, 100},
	.layout = layout,
	.estimate = eki_block_estimate,
	.pattern = pattern,
	.values = values,
	.to_csr = to_csr,
	.find = find,
	.by_column = true,
};

#endif
