/* SPDX-License-Identifier: BSD-3-Clause
 * Conversion of the formats of format/block_lanes.h from and to CSR. The blocks of a block row are
 * found by a merge of its rows (format/block_merge.h), once to count them and once to fill them
 * in. */
#include "format/block_lanes.h"
#include "format/block_size.h"
#include "format/padding.h"
#define EK_TYPES_ONLY
#define EK_FILE "format/block_lanes.c"
#include "base/for_each.h"

#include "format/block_lane.h"
#include "format/block_merge.h"

#if EK_PER_TYPE

static void FN(lanes_lengths)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	const block_lanes l = block_lanes_of(out);
	IDX *len = (IDX *)out->array[out->format == &ek_format_sbell ? SBELL_LEN : BELL_LEN];

	for (int64_t b = begin; b < end; b++) {
		struct FN(block_rows) rest;
		uint64_t mask;
		IDX n = 0;

		FN(block_rows_of)(csr, &l.shape, b, &rest);
		while (FN(block_next)(csr->array[CSR_COL], &l.shape, &rest, &mask) >= 0)
			n++;
		len[b] = n;
	}
}

/* Sets slice_ptr[k + 1] to the number of blocks of slice k, for each k in [begin, end). */
static void FN(lanes_sizes)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	const block_lanes l = block_lanes_of(out);
	const IDX *len = l.len;
	PTR *slice_ptr = out->array[SBELL_PTR];

	(void)csr;
	for (int64_t k = begin; k < end; k++) {
		IDX most = 0;

		for (int64_t b = k * l.height; b < eki_group(l.shape.rows, l.height, k + 1); b++)
			most = len[b] > most ? len[b] : most;
		slice_ptr[k + 1] = (PTR)(most * l.height);
	}
}

/* Fills the columns and masks of lane b, which has `width` blocks. Padding gets the column of the
 * lane's last block. A lane beyond the last block row has only padding. */
static void FN(lane_fill)(const ek_store *csr, ek_store *out, const block_lanes *l, int64_t b,
                          int64_t block, int64_t width)
{
	IDX *to = (IDX *)out->array[BLOCK_COL] + block, last = 0;
	uint8_t *byte = (uint8_t *)out->array[BLOCK_MASK] + block * l->shape.bytes;
	const int64_t n = b < l->shape.rows ? ((const IDX *)l->len)[b] : 0;
	struct FN(block_rows) rest;

	rest.n = 0; /* for compilers, which do not see that it is set whenever it is read */
	rest.rows = 0;
	if (n > 0)
		FN(block_rows_of)(csr, &l->shape, b, &rest);
	for (int64_t t = 0; t < width; t++) {
		uint64_t mask = 0;

		if (t < n)
			last = (IDX)(FN(block_next)(csr->array[CSR_COL], &l->shape, &rest, &mask) *
			             l->shape.c);
		to[t * l->height] = last;
		for (int k = 0; k < l->shape.bytes; k++, mask >>= 8)
			byte[t * l->height * l->shape.bytes + k] = (uint8_t)mask;
	}
}

/* Fills the columns and masks of slices [begin, end), and sets their values to 0. */
static void FN(lanes_fill)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	const block_lanes l = block_lanes_of(out);

	for (int64_t k = begin; k < end; k++) {
		const int64_t start = FN(lanes_start)(&l, k), width = FN(lanes_width)(&l, k);

		for (int64_t lane = 0; lane < l.height && width > 0; lane++)
			FN(lane_fill)(csr, out, &l, k * l.height + lane, start + lane, width);
		if (width > 0)
			memset((VAL *)out->array[BLOCK_VAL] + start * l.shape.places, 0,
			       (size_t)(width * l.height * l.shape.places) * sizeof(VAL));
	}
}

/* Returns the number of the block that has column j, among the n blocks of a lane. Tries number t
 * first. */
static inline int64_t FN(lane_find)(const IDX *col, int64_t step, int64_t n, int64_t t, int64_t j,
                                    int64_t c)
{
	int64_t end = n;

	if (t < n && (uint64_t)(j - (int64_t)col[t * step]) < (uint64_t)c)
		return t;
	for (t = 0; end - t > 1;) {
		const int64_t middle = t + (end - t) / 2;

		if (col[middle * step] <= j)
			t = middle;
		else
			end = middle;
	}
	return t;
}

/* Copies the values of block rows [begin, end). The columns of `csr` may be in any order. */
static void FN(lanes_values)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	const block_lanes l = block_lanes_of(out);
	const block_shape *h = &l.shape;
	const PTR *row_ptr = csr->array[CSR_PTR];
	const IDX *col_idx = csr->array[CSR_COL];
	const VAL *from = csr->array[CSR_VAL];

	for (int64_t i = begin * h->r; i < end * h->r && i < csr->rows; i++) {
		const struct FN(block_lane) lane = FN(block_lane_of)(&l, i / h->r);
		const IDX *col = (const IDX *)out->array[BLOCK_COL] + lane.block;
		VAL *val = (VAL *)out->array[BLOCK_VAL] + lane.place;
		int64_t t = 0;

		for (int64_t k = row_ptr[i]; k < row_ptr[i + 1]; k++) {
			int64_t p = i % h->r * h->row_step;

			if (t + 1 < lane.n && col[(t + 1) * l.height] <= col_idx[k])
				t++; /* nearly always the next block, or the same one */
			t = FN(lane_find)(col, l.height, lane.n, t, col_idx[k], h->c);
			p += (col_idx[k] - col[t * l.height]) * h->col_step;
			val[(t * h->places + p) * l.height] = from[k];
		}
	}
}

/* Sets row_ptr[i + 1] to the number of entries of row i, for each row of block rows
 * [begin, end). */
static void FN(lanes_counts)(const ek_store *in, ek_store *csr, int64_t begin, int64_t end)
{
	const block_lanes l = block_lanes_of(in);
	PTR *row_ptr = csr->array[CSR_PTR];

	for (int64_t b = begin; b < end; b++) {
		const struct FN(block_lane) lane = FN(block_lane_of)(&l, b);
		PTR n[BLOCK_MOST] = {0};

		for (int64_t t = 0; t < lane.n; t++)
			for (uint64_t m = block_mask(in->array[BLOCK_MASK], &l.shape,
			                             lane.block + t * l.height);
			     m; m &= m - 1)
				n[block_i(&l.shape, __builtin_ctzll(m))]++;
		for (int i = 0; i < l.shape.r && b * l.shape.r + i < csr->rows; i++)
			row_ptr[b * l.shape.r + i + 1] = n[i];
	}
}

/* Copies columns and values of block rows [begin, end) to `csr`, whose row_ptr is complete. */
static void FN(lanes_to_csr)(const ek_store *in, ek_store *csr, int64_t begin, int64_t end)
{
	const block_lanes l = block_lanes_of(in);
	const block_shape *h = &l.shape;
	const PTR *row_ptr = csr->array[CSR_PTR];
	IDX *to_col = csr->array[CSR_COL];
	VAL *to_val = csr->array[CSR_VAL];

	for (int64_t b = begin; b < end; b++) {
		const struct FN(block_lane) lane = FN(block_lane_of)(&l, b);
		const IDX *col = (const IDX *)in->array[BLOCK_COL] + lane.block;
		const VAL *val = (const VAL *)in->array[BLOCK_VAL] + lane.place;
		int64_t at[BLOCK_MOST] = {0};

		for (int i = 0; i < h->r && b * h->r + i < csr->rows; i++)
			at[i] = row_ptr[b * h->r + i];
		for (int64_t t = 0; t < lane.n; t++)
			for (uint64_t m = block_mask(in->array[BLOCK_MASK], h,
			                             lane.block + t * l.height);
			     m; m &= m - 1) {
				const int p = __builtin_ctzll(m);
				const int64_t to = at[block_i(h, p)]++;

				to_col[to] = col[t * l.height] + (IDX)block_j(h, p);
				to_val[to] = val[(t * h->places + p) * l.height];
			}
	}
}

/* Returns the first block row in [begin, end) whose length is not possible, or `end` if there is
 * none. */
static int64_t FN(lanes_len_fault)(const ek_store *s, int64_t begin, int64_t end)
{
	const IDX *len = block_lanes_of(s).len;

	for (int64_t b = begin; b < end; b++)
		if (len[b] < 0 || len[b] > eki_groups(s->cols, s->dim[BLOCK_C]))
			return b;
	return end;
}

/* Tells whether block t of a lane is wrong: its column, its mask or its padding. `low` is the least
 * column that it may have; b is its block row. Products gather c elements of x for padding too, so
 * that its column must be one at which a block may begin. */
static bool FN(lane_fault)(const ek_store *s, const block_lanes *l, int64_t b, int64_t block,
                           int64_t place, bool pads, int64_t low)
{
	const block_shape *h = &l->shape;
	const int64_t col = ((const IDX *)s->array[BLOCK_COL])[block];
	const VAL *val = (const VAL *)s->array[BLOCK_VAL] + place;
	uint64_t m = block_mask(s->array[BLOCK_MASK], h, block);

	if (col < (pads ? 0 : low) || col >= s->cols || col % h->c || pads == (m != 0))
		return true;
	for (int p = 0; p < h->places; p++)
		if (!(m >> p & 1) && !eki_pads(val[p * l->height]))
			return true;
	for (; m; m &= m - 1) {
		const int p = __builtin_ctzll(m);

		if (p >= h->places || block_i(h, p) >= s->rows - b * h->r ||
		    block_j(h, p) >= s->cols - col)
			return true;
	}
	return false;
}

/* Returns the first faulty slice in [begin, end), or `end` if there is none. A slice is as wide as
 * its longest lane, or as all slices are. */
static int64_t FN(lanes_fault)(const ek_store *s, int64_t begin, int64_t end)
{
	const block_lanes l = block_lanes_of(s);
	const IDX *len = l.len;

	for (int64_t k = begin; k < end; k++) {
		const int64_t start = FN(lanes_start)(&l, k), stop = FN(lanes_start)(&l, k + 1);
		int64_t most = 0;

		for (int64_t b = k * l.height; b < eki_group(l.shape.rows, l.height, k + 1); b++)
			most = len[b] > most ? len[b] : most;
		if (start < 0 || stop < start || stop > s->len[BLOCK_COL] ||
		    (l.ptr ? stop - start != most * l.height : most > l.width))
			return k;
		for (int64_t at = start; at < stop; at++) {
			const int64_t t = (at - start) / l.height, lane = (at - start) % l.height;
			const int64_t b = k * l.height + lane, n = b < l.shape.rows ? len[b] : 0;
			const int64_t place = (start + t * l.height) * l.shape.places + lane;
			const IDX *col = s->array[BLOCK_COL];

			if (FN(lane_fault)(s, &l, b, at, place, t >= n,
			                   t ? (int64_t)col[at - l.height] + 1 : 0))
				return k;
		}
	}
	return end;
}

#endif
#if EK_ONCE

void eki_block_lanes_shape(ek_store *s, int64_t blocks)
{
	const block_shape h = block_shape_of(s);
	const bool sliced = s->format == &ek_format_sbell;

	s->len[sliced ? SBELL_LEN : BELL_LEN] = h.rows;
	if (sliced)
		s->len[SBELL_PTR] = eki_groups(h.rows, s->dim[SBELL_H]) + 1;
	s->len[BLOCK_COL] = blocks;
	s->len[BLOCK_VAL] = eki_times(blocks, h.places);
	s->len[BLOCK_MASK] = eki_times(blocks, h.bytes);
}

ek_status eki_block_lanes_count(const ek_context *ctx, const ek_store *csr, ek_store *out,
                                int64_t height, int64_t *blocks, int64_t *widest)
{
	ek_store view;
	int64_t filled, rows;

	EK_RETURN_IF(eki_block_counts(ctx, csr, out, &view, &filled));
	rows = block_shape_of(out).rows;
	*blocks = *widest = 0;
	for (int64_t b = 0, most = 0; b < rows; b++) {
		const int64_t n = eki_ptr_at(&view, b + 1) - eki_ptr_at(&view, b);

		most = n > most ? n : most;
		if (b + 1 < rows && (b + 1) % height)
			continue;
		*blocks = eki_plus(*blocks, eki_times(most, height));
		*widest = most > *widest ? most : *widest;
		most = 0;
	}
	eki_block_view_free(ctx, &view);
	return EK_OK;
}

ek_status eki_block_lanes_pattern(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	static eki_fill_fn *const lengths[EK_NTYPE] = EK_BY_TYPE(lanes_lengths);
	static eki_fill_fn *const sizes[EK_NTYPE] = EK_BY_TYPE(lanes_sizes);
	static eki_fill_fn *const fill[EK_NTYPE] = EK_BY_TYPE(lanes_fill);
	const block_lanes l = block_lanes_of(out);
	ek_store units = *out;

	eki_fill(ctx, lengths, csr, out, l.shape.rows, csr->nnz);
	if (l.ptr) {
		eki_fill(ctx, sizes, csr, out, l.slices, l.shape.rows);
		units.rows = l.slices;
		eki_ptr_sum(ctx, &units);
	}
	eki_fill(ctx, fill, csr, out, l.slices, out->len[BLOCK_VAL]);
	return EK_OK;
}

ek_status eki_block_lanes_values(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	static eki_fill_fn *const fn[EK_NTYPE] = EK_BY_TYPE(lanes_values);

	eki_fill(ctx, fn, csr, out, block_shape_of(out).rows, csr->nnz);
	return EK_OK;
}

ek_status eki_block_lanes_to_csr(const ek_context *ctx, const ek_store *in, ek_store *csr)
{
	static eki_fill_fn *const counts[EK_NTYPE] = EK_BY_TYPE(lanes_counts);
	static eki_fill_fn *const fn[EK_NTYPE] = EK_BY_TYPE(lanes_to_csr);

	eki_fill_csr(ctx, counts, fn, in, csr, block_shape_of(in).rows);
	return EK_OK;
}

ek_status eki_block_lanes_check(const ek_context *ctx, const ek_store *s)
{
	static eki_fault_fn *const len_fault[EK_NTYPE] = EK_BY_TYPE(lanes_len_fault);
	static eki_fault_fn *const fault[EK_NTYPE] = EK_BY_TYPE(lanes_fault);
	const block_lanes l = block_lanes_of(s);
	const int type = eki_type(s->value, s->index);
	const uint8_t *mask = s->array[BLOCK_MASK];
	int64_t total = 0, k;

	k = eki_first_fault(ctx, s, len_fault[type], l.shape.rows);
	if (k < l.shape.rows)
		return eki_fail(EK_ERANGE, "row_len[%lld]: block rows have 0 to %lld blocks",
		                (long long)k, (long long)eki_groups(s->cols, l.shape.c));
	k = eki_first_fault(ctx, s, fault[type], l.slices);
	if (k < l.slices)
		return eki_fail(EK_ERANGE,
		                "slice %lld: its width is not that of its longest block row, or "
		                "columns do not ascend from 0 to %lld in multiples of %d, or a "
		                "block is empty, has "
		                "entries outside the matrix, or padding that is not 0",
		                (long long)k, (long long)s->cols - 1, l.shape.c);
	for (k = 0; k < s->len[BLOCK_MASK]; k++)
		total += __builtin_popcount(mask[k]);
	if (total != s->nnz)
		return eki_fail(EK_ERANGE, "the masks have %lld entries, the matrix has %lld",
		                (long long)total, (long long)s->nnz);
	return EK_OK;
}

bool eki_block_lanes_find(const ek_store *s, int64_t i, int64_t j, eki_place *at)
{
	const block_lanes l = block_lanes_of(s);
	const block_shape *h = &l.shape;
	const int64_t b = i / h->r, k = b / l.height, lane = b % l.height;
	const int64_t start = l.ptr ? eki_ptr_at(s, k) : k * l.height * l.width;
	const int64_t p = i % h->r * h->row_step + j % h->c * h->col_step;
	int64_t t = 0, end = eki_idx_at(s, l.ptr ? SBELL_LEN : BELL_LEN, b);
	const int64_t n = end;

	if (at->array >= 0)
		return false;
	while (t < end) { /* the first block whose column is at least that of j's block */
		const int64_t middle = t + (end - t) / 2;

		if (eki_idx_at(s, BLOCK_COL, start + middle * l.height + lane) < j / h->c * h->c)
			t = middle + 1;
		else
			end = middle;
	}
	const int64_t block = start + t * l.height + lane;

	if (t == n || eki_idx_at(s, BLOCK_COL, block) != j / h->c * h->c ||
	    !(block_mask(s->array[BLOCK_MASK], h, block) >> p & 1))
		return false;
	*at = (eki_place){BLOCK_VAL, (start + t * l.height) * h->places + p * l.height + lane};
	return true;
}

#endif
