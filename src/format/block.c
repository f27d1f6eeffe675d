/* SPDX-License-Identifier: BSD-3-Clause
 * Conversion of blocks from and to CSR, for all formats of format/block.h.
 *
 * The rows of a block row are merged (format/block_merge.h). The merge runs twice, first to count
 * the blocks and then to fill them. Afterwards, values are copied row by row into the blocks found
 * (format/block_row.h). */
#include "format/block.h"
#include "format/block_size.h"
#include "format/padding.h"
#define EK_TYPES_ONLY
#define EK_FILE "format/block.c"
#include "base/for_each.h"

#include "format/block_merge.h"

#if EK_PER_TYPE

/* Sets element b + 1 of BLOCK_HEAD to the number of blocks of block row b, for each b in
 * [begin, end). */
static void FN(block_count)(const ek_store *csr, ek_store *view, int64_t begin, int64_t end)
{
	const block_shape h = block_shape_of(view);
	PTR *count = view->array[BLOCK_HEAD];

	for (int64_t b = begin; b < end; b++) {
		struct FN(block_rows) rest;
		uint64_t mask;
		PTR n = 0;

		FN(block_rows_of)(csr, &h, b, &rest);
		while (FN(block_next)(csr->array[CSR_COL], &h, &rest, &mask) >= 0)
			n++;
		count[b + 1] = n;
	}
}

/* Fills the columns and masks of all blocks of block rows [begin, end), and sets the values of
 * these blocks to 0. */
static void FN(block_pattern)(const ek_store *csr, ek_store *view, int64_t begin, int64_t end)
{
	const block_shape h = block_shape_of(view);
	const PTR *block_ptr = view->array[BLOCK_HEAD];
	IDX *block_col = view->array[BLOCK_COL];
	uint8_t *to = view->array[BLOCK_MASK];

	for (int64_t b = begin; b < end; b++) {
		struct FN(block_rows) rest;

		FN(block_rows_of)(csr, &h, b, &rest);
		for (int64_t k = block_ptr[b]; k < block_ptr[b + 1]; k++) {
			uint64_t mask = 0;

			block_col[k] = (IDX)FN(block_next)(csr->array[CSR_COL], &h, &rest, &mask);
			for (int byte = 0; byte < h.bytes; byte++, mask >>= 8)
				to[k * h.bytes + byte] = (uint8_t)mask;
		}
		if (block_ptr[b] < block_ptr[b + 1])
			memset((VAL *)view->array[BLOCK_VAL] + block_ptr[b] * h.places, 0,
			       (size_t)((block_ptr[b + 1] - block_ptr[b]) * h.places) *
			               sizeof(VAL));
	}
}

/* Sets row_ptr[i + 1] to the number of entries of row i, for each row i of block rows
 * [begin, end). */
static void FN(block_lengths)(const ek_store *view, ek_store *csr, int64_t begin, int64_t end)
{
	const block_shape h = block_shape_of(view);
	const PTR *block_ptr = view->array[BLOCK_HEAD];
	PTR *row_ptr = csr->array[CSR_PTR];

	for (int64_t b = begin; b < end; b++) {
		PTR n[BLOCK_MOST] = {0};

		for (int64_t k = block_ptr[b]; k < block_ptr[b + 1]; k++)
			for (uint64_t m = block_mask(view->array[BLOCK_MASK], &h, k); m; m &= m - 1)
				n[block_i(&h, __builtin_ctzll(m))]++;
		for (int i = 0; i < h.r && b * h.r + i < csr->rows; i++)
			row_ptr[b * h.r + i + 1] = n[i];
	}
}

/* Copies columns and values of block rows [begin, end) to `csr`, whose row_ptr is complete. */
static void FN(block_to_csr)(const ek_store *view, ek_store *csr, int64_t begin, int64_t end)
{
	const block_shape h = block_shape_of(view);
	const PTR *block_ptr = view->array[BLOCK_HEAD], *row_ptr = csr->array[CSR_PTR];
	const IDX *block_col = view->array[BLOCK_COL];
	const VAL *val = view->array[BLOCK_VAL];
	IDX *to_col = csr->array[CSR_COL];
	VAL *to_val = csr->array[CSR_VAL];

	for (int64_t b = begin; b < end; b++) {
		int64_t at[BLOCK_MOST] = {0};

		for (int i = 0; i < h.r && b * h.r + i < csr->rows; i++)
			at[i] = row_ptr[b * h.r + i];
		for (int64_t k = block_ptr[b]; k < block_ptr[b + 1]; k++)
			for (uint64_t m = block_mask(view->array[BLOCK_MASK], &h, k); m;
			     m &= m - 1) {
				const int p = __builtin_ctzll(m);
				const int64_t to = at[block_i(&h, p)]++;

				to_col[to] = (IDX)((int64_t)block_col[k] * h.c + block_j(&h, p));
				to_val[to] = val[k * h.places + p];
			}
	}
}

/* Returns the first faulty block row in [begin, end), or `end` if there is none. Block columns must
 * ascend and be in range. A mask must not be empty, nor have bits outside the block or the matrix.
 * A value whose mask bit is 0 must be 0. */
static int64_t FN(block_fault)(const ek_store *view, int64_t begin, int64_t end)
{
	const block_shape h = block_shape_of(view);
	const PTR *block_ptr = view->array[BLOCK_HEAD];
	const IDX *block_col = view->array[BLOCK_COL];
	const VAL *val = view->array[BLOCK_VAL];
	const int64_t last = (view->cols - 1) / h.c;

	for (int64_t b = begin; b < end; b++) {
		const int64_t rows = view->rows - b * h.r;

		for (int64_t k = block_ptr[b]; k < block_ptr[b + 1]; k++) {
			const int64_t low = k > block_ptr[b] ? (int64_t)block_col[k - 1] + 1 : 0;
			uint64_t m = block_mask(view->array[BLOCK_MASK], &h, k);

			if (block_col[k] < low || block_col[k] > last || view->cols == 0 || !m)
				return b;
			for (int p = 0; p < h.places; p++)
				if (!(m >> p & 1) && !eki_pads(val[k * h.places + p]))
					return b;
			for (; m; m &= m - 1) {
				const int p = __builtin_ctzll(m);

				if (p >= h.places || block_i(&h, p) >= rows ||
				    block_j(&h, p) >= view->cols - block_col[k] * (int64_t)h.c)
					return b;
			}
		}
	}
	return end;
}

#endif
#if EK_ONCE

/* Returns a CSR store whose rows are the block rows of `view`. Functions on row pointers can then
 * be applied to the pointers of block rows. */
static ek_store as_rows(const ek_store *view)
{
	ek_store s = *view;

	s.format = &ek_format_csr;
	s.rows = block_shape_of(view).rows;
	return s;
}

ek_status eki_block_counts(const ek_context *ctx, const ek_store *csr, ek_store *out,
                           ek_store *view, int64_t *filled)
{
	static eki_fill_fn *const count[EK_NTYPE] = EK_BY_TYPE(block_count);
	ek_store rows;

	eki_block_choose(ctx, csr, out->dim);
	EK_RETURN_IF(eki_block_view(ctx, out, NULL, view));
	rows = as_rows(view);
	eki_fill(ctx, count, csr, view, rows.rows, csr->nnz);
	*filled = 0;
	for (int64_t b = 0; b < rows.rows; b++)
		*filled += eki_ptr_at(&rows, b + 1) > 0;
	eki_ptr_sum(ctx, &rows);
	return EK_OK;
}

ek_status eki_block_layout(const ek_context *ctx, const ek_store *csr, ek_store *out,
                           int64_t *filled)
{
	ek_store view;

	EK_RETURN_IF(eki_block_counts(ctx, csr, out, &view, filled));
	const block_shape h = block_shape_of(out);

	out->len[BLOCK_COL] = eki_ptr_at(&view, h.rows);
	out->len[BLOCK_VAL] = eki_times(out->len[BLOCK_COL], h.places);
	out->len[BLOCK_MASK] = eki_times(out->len[BLOCK_COL], h.bytes);
	eki_block_view_free(ctx, &view);
	return EK_OK;
}

ek_status eki_block_estimate(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	const double blocks = eki_block_choose(ctx, csr, out->dim);
	const block_shape h = block_shape_of(out);

	out->len[BLOCK_HEAD] = h.rows + 1;
	out->len[BLOCK_COL] = (int64_t)blocks;
	out->len[BLOCK_VAL] = eki_times(out->len[BLOCK_COL], h.places);
	out->len[BLOCK_MASK] = eki_times(out->len[BLOCK_COL], h.bytes);
	return EK_OK;
}

void eki_block_pattern(const ek_context *ctx, const ek_store *csr, ek_store *view)
{
	static eki_fill_fn *const count[EK_NTYPE] = EK_BY_TYPE(block_count);
	static eki_fill_fn *const fill[EK_NTYPE] = EK_BY_TYPE(block_pattern);
	ek_store rows = as_rows(view);

	eki_fill(ctx, count, csr, view, rows.rows, csr->nnz);
	eki_ptr_sum(ctx, &rows);
	eki_fill(ctx, fill, csr, view, rows.rows, view->len[BLOCK_VAL]);
}

ek_status eki_block_to_csr(const ek_context *ctx, const ek_store *s, block_ends ends, ek_store *csr)
{
	static eki_fill_fn *const lengths[EK_NTYPE] = EK_BY_TYPE(block_lengths);
	static eki_fill_fn *const fill[EK_NTYPE] = EK_BY_TYPE(block_to_csr);
	ek_store view = *s;

	if (ends)
		EK_RETURN_IF(eki_block_view(ctx, s, ends, &view));
	eki_fill_csr(ctx, lengths, fill, &view, csr, block_shape_of(s).rows);
	if (ends)
		eki_block_view_free(ctx, &view);
	return EK_OK;
}

/* ---- Check ----------------------------------------------------------------------------------- */

ek_status eki_block_size_check(const ek_store *s)
{
	const int64_t *dim = s->dim;

	if (dim[BLOCK_R] < 1 || dim[BLOCK_R] > BLOCK_MOST || dim[BLOCK_C] < 1 ||
	    dim[BLOCK_C] > BLOCK_MOST)
		return eki_fail(EK_ERANGE, "blocks are %lld x %lld; 1 x 1 to 8 x 8 are possible",
		                (long long)dim[BLOCK_R], (long long)dim[BLOCK_C]);
	return EK_OK;
}

ek_status eki_block_shape_check(const ek_store *s)
{
	const int64_t blocks = s->len[BLOCK_COL];

	EK_RETURN_IF(eki_block_size_check(s));
	const block_shape h = block_shape_of(s);

	if (blocks > s->nnz || s->len[BLOCK_VAL] != eki_times(blocks, h.places) ||
	    s->len[BLOCK_MASK] != eki_times(blocks, h.bytes))
		return eki_fail(EK_ERANGE,
		                "%lld values and %lld bytes of masks do not fit %lld blocks of "
		                "%d x %d for %lld entries",
		                (long long)s->len[BLOCK_VAL], (long long)s->len[BLOCK_MASK],
		                (long long)blocks, h.r, h.c, (long long)s->nnz);
	return EK_OK;
}

ek_status eki_block_check(const ek_context *ctx, const ek_store *s, block_ends ends)
{
	static eki_fault_fn *const fault[EK_NTYPE] = EK_BY_TYPE(block_fault);
	const block_shape h = block_shape_of(s);
	const uint8_t *mask = s->array[BLOCK_MASK];
	ek_store view = *s;
	int64_t total = 0, b;

	if (ends)
		EK_RETURN_IF(eki_block_view(ctx, s, ends, &view));
	b = eki_first_fault(ctx, &view, fault[eki_type(s->value, s->index)], h.rows);
	if (ends)
		eki_block_view_free(ctx, &view);
	if (b < h.rows)
		return eki_fail(
			EK_ERANGE,
			"block row %lld: columns do not ascend from 0 to %lld, or a block "
			"is empty, has entries outside the matrix, or padding that is not 0",
			(long long)b, (long long)(s->cols - 1) / h.c);
	for (int64_t k = 0; k < s->len[BLOCK_MASK]; k++)
		total += __builtin_popcount(mask[k]);
	if (total != s->nnz)
		return eki_fail(EK_ERANGE, "the masks have %lld entries, the matrix has %lld",
		                (long long)total, (long long)s->nnz);
	return EK_OK;
}

bool eki_block_find(const ek_store *s, int64_t begin, int64_t end, int64_t i, int64_t j,
                    eki_place *at)
{
	const block_shape h = block_shape_of(s);
	const int p = (int)(i % h.r) * h.row_step + (int)(j % h.c) * h.col_step;

	if (at->array >= 0)
		return false;
	begin = eki_idx_lower_bound(s, BLOCK_COL, begin, end, j / h.c);
	if (begin == end || eki_idx_at(s, BLOCK_COL, begin) != j / h.c ||
	    !(block_mask(s->array[BLOCK_MASK], &h, begin) >> p & 1))
		return false;
	*at = (eki_place){BLOCK_VAL, begin * h.places + p};
	return true;
}

/* ---- Views ----------------------------------------------------------------------------------- */

ek_status eki_block_view(const ek_context *ctx, const ek_store *s, block_ends ends, ek_store *view)
{
	const block_shape h = block_shape_of(s);
	ek_store rows;

	*view = *s;
	view->len[BLOCK_HEAD] = h.rows + 1;
	EK_RETURN_IF(eki_calloc(ctx, h.rows + 1, eki_ptr_size(s->index), &view->array[BLOCK_HEAD]));
	if (!ends)
		return EK_OK;
	eki_fill(ctx, ends, s, view, s->len[BLOCK_COL], s->len[BLOCK_COL]);
	rows = as_rows(view);
	/* `ends` skipped the empty block rows. Each of them ends where the block row before it
	 * ends. */
	for (int64_t b = 0; b < h.rows; b++)
		if (eki_ptr_at(&rows, b + 1) == 0)
			eki_ptr_set(&rows, b + 1, eki_ptr_at(&rows, b));
	return EK_OK;
}

void eki_block_view_free(const ek_context *ctx, ek_store *view)
{
	eki_free(ctx, view->array[BLOCK_HEAD], view->len[BLOCK_HEAD], eki_ptr_size(view->index));
}

#endif
