/* SPDX-License-Identifier: BSD-3-Clause
 * BRC, blocked row-column: rows are sorted by length, and long rows are cut into pieces. A block
 * holds `height` pieces, and each piece gets as many places as the longest of them needs. The j-th
 * entries of all pieces of a block are stored side by side (brc.h). So neither rows of different
 * lengths nor a single long row need much padding, and blocks are similar enough to be divided
 * among threads. With 32-bit indices and values of w bytes, a place takes w + 4 bytes, whether used
 * or not. A piece takes 8 bytes and a row 4.
 *
 * Rows are sorted within windows of a sixteenth of the rows, but at least 256 and at most 8192,
 * unless the caller asks for another window. The published method sorts the whole matrix at once; a
 * window as large as the matrix does the same. Rows that use the same parts of x and y are then far
 * apart, and products run at 0.6 to 0.8 of the speed (measured). Threads then also write to the
 * same cache lines of y: with two threads of a Xeon, small matrices took up to 2.3 times as long.
 *
 * Rows of several pieces come before all others. Such a row is cut into pieces of nearly the same
 * length, rather than into full pieces and a remainder, so that its pieces stay together and are
 * added in order.
 *
 * The default height is four vectors if a vector has up to four lanes, and two vectors if it has
 * eight. This is 3 to 8 % faster than a height of one vector. A greater height would need more
 * padding.
 *
 * Padding has the value 0 and the column of the last entry of its piece, or of a nearby entry if
 * the piece has none.
 *
 * Liu 2015, section 5.4.6; Ashari, Sedaghati, Eisenlohr and Sadayappan 2014. */
#include "format/brc_order.h"
#define EK_TYPES_ONLY
#define EK_FILE "format/brc.c"
#include "base/for_each.h"

#include "format/lanes.h"

#if EK_PER_TYPE

/* Sets block_ptr[b + 1] to the number of steps of block b, for each b in [begin, end). This is the
 * length of the longest piece of the block. */
static void FN(brc_sizes)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	const IDX *len = out->array[BRC_LEN];
	PTR *block_ptr = out->array[BRC_PTR];

	(void)csr;
	for (int64_t b = begin; b < end; b++) {
		IDX most = 0;

		for (int64_t p = brc_first(out, b); p < brc_first(out, b + 1); p++)
			most = len[p] > most ? len[p] : most;
		block_ptr[b + 1] = (PTR)most;
	}
}

/* Returns the position in CSR of the first entry of piece p. */
static inline int64_t FN(brc_begin)(const ek_store *s, const PTR *row_ptr, int64_t p)
{
	const int64_t i = ((const IDX *)s->array[BRC_ROW])[p];
	const int64_t first = row_ptr[i], n = row_ptr[i + 1] - first;
	const int64_t j = p - ((const PTR *)s->array[BRC_FIRST])[i];

	return p < s->dim[BRC_SPLIT] ? first + brc_cut(n, brc_pieces_of(n, s->dim[BRC_WIDTH]), j)
	                             : first;
}

/* Fills *h with a description of a block as a chunk of lanes (padding.h). */
static void FN(brc_chunk)(const ek_store *s, const ek_store *csr, int64_t block, lane_chunk *h)
{
	const PTR *block_ptr = s->array[BRC_PTR];
	const int64_t height = s->dim[BRC_HEIGHT];
	const IDX *len = s->array[BRC_LEN];

	h->lanes = height;
	h->steps = block_ptr[block + 1] - block_ptr[block];
	h->at = block_ptr[block] * height;
	for (int64_t l = 0, p = block * height; l < height; l++, p++) {
		const bool none = p >= brc_pieces(s);
		const int64_t begin = none ? s->nnz : FN(brc_begin)(s, csr->array[CSR_PTR], p);

		lane_set(h, l, begin, none ? 0 : len[p], s->nnz);
	}
}

static void FN(brc_columns)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	lane_chunk h;

	for (int64_t b = begin; b < end; b++) {
		FN(brc_chunk)(out, csr, b, &h);
		FN(chunk_columns)(&h, csr->array[CSR_COL], out->array[BRC_COL]);
	}
}

static void FN(brc_values)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	lane_chunk h;

	for (int64_t b = begin; b < end; b++) {
		FN(brc_chunk)(out, csr, b, &h);
		FN(chunk_values)(&h, csr->array[CSR_VAL], out->array[BRC_VAL]);
	}
}

/* Returns the number of entries of row i, and sets *pieces to the number of its pieces. */
static inline int64_t FN(brc_row)(const ek_store *s, int64_t i, int64_t *pieces)
{
	const IDX *row = s->array[BRC_ROW], *len = s->array[BRC_LEN];
	const int64_t first = ((const PTR *)s->array[BRC_FIRST])[i];
	int64_t p = first, n = len[p++];

	for (; p < s->dim[BRC_SPLIT] && row[p] == i; p++)
		n += len[p];
	*pieces = p - first;
	return n;
}

static void FN(brc_lengths)(const ek_store *in, ek_store *csr, int64_t begin, int64_t end)
{
	PTR *row_ptr = csr->array[CSR_PTR];
	int64_t pieces;

	for (int64_t i = begin; i < end; i++)
		row_ptr[i + 1] = (PTR)FN(brc_row)(in, i, &pieces);
}

/* Copies columns and values of blocks [begin, end) to `csr`, whose row_ptr is complete. */
static void FN(brc_to_csr)(const ek_store *in, ek_store *csr, int64_t begin, int64_t end)
{
	const PTR *block_ptr = in->array[BRC_PTR];
	const IDX *len = in->array[BRC_LEN];
	const int64_t height = in->dim[BRC_HEIGHT];

	for (int64_t p = brc_first(in, begin); p < brc_first(in, end); p++) {
		const int64_t k = FN(brc_begin)(in, csr->array[CSR_PTR], p);
		const int64_t at = block_ptr[p / height] * height + p % height;

		FN(lane_to_csr)(in, at, height, len[p], csr, k);
	}
}

/* Returns the first faulty block in [begin, end), or `end` if there is none. A block is faulty if
 * its number of steps, a row, a length or a column is out of range, or if padding is not 0. */
static int64_t FN(brc_block_fault)(const ek_store *s, int64_t begin, int64_t end)
{
	const PTR *block_ptr = s->array[BRC_PTR];
	const IDX *row = s->array[BRC_ROW], *len = s->array[BRC_LEN];
	const int64_t height = s->dim[BRC_HEIGHT], all = s->len[BRC_COL] / height;

	for (int64_t b = begin; b < end; b++) {
		if (block_ptr[b] < 0 || block_ptr[b] > block_ptr[b + 1] || block_ptr[b + 1] > all)
			return b;

		const int64_t at = block_ptr[b] * height, steps = block_ptr[b + 1] - block_ptr[b];

		for (int64_t p = brc_first(s, b); p < brc_first(s, b + 1); p++)
			if (row[p] < 0 || row[p] >= s->rows || len[p] < 0 || len[p] > steps)
				return b;
		for (int64_t l = 0; l < height; l++) {
			const int64_t p = b * height + l;

			if (FN(lane_fault)(s, at + l, height, steps,
			                   p < brc_pieces(s) ? len[p] : 0))
				return b;
		}
	}
	return end;
}

/* Returns the first row in [begin, end) that is not cut into the pieces that its length requires,
 * or `end` if there is none. */
static int64_t FN(brc_row_fault)(const ek_store *s, int64_t begin, int64_t end)
{
	const IDX *row = s->array[BRC_ROW], *len = s->array[BRC_LEN];
	const PTR *first = s->array[BRC_FIRST];
	const int64_t pieces = brc_pieces(s), split = s->dim[BRC_SPLIT];

	for (int64_t i = begin; i < end; i++) {
		const int64_t p = first[i];
		int64_t m, n;

		if (p < 0 || p >= pieces || row[p] != i || (p > 0 && p < split && row[p - 1] == i))
			return i;
		n = FN(brc_row)(s, i, &m);
		if (m != brc_pieces_of(n, s->dim[BRC_WIDTH]) || (m > 1) != (p < split))
			return i;
		for (int64_t j = 0; j < m; j++)
			if (len[p + j] != brc_cut(n, m, j + 1) - brc_cut(n, m, j))
				return i;
	}
	return end;
}

#endif
#if EK_ONCE

/* Computes block_ptr from the lengths of the pieces; returns the total number of steps. */
static int64_t make_steps(const ek_context *ctx, const ek_store *csr, ek_store *s)
{
	static eki_fill_fn *const sizes[EK_NTYPE] = EK_BY_TYPE(brc_sizes);
	const int64_t blocks = brc_blocks(s);
	ek_store ptr = {.index = s->index, .rows = blocks, .array = {s->array[BRC_PTR]}};

	eki_fill(ctx, sizes, csr, s, blocks, brc_pieces(s));
	eki_ptr_sum(ctx, &ptr);
	return eki_ptr_at(&ptr, blocks);
}

static ek_status layout(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	const int64_t lanes = eki_lanes(ctx->isa, csr->value);
	const int64_t share = csr->rows / 16, window = share < 8192 ? share : 8192;
	const int64_t usual[] = {lanes > 4 ? 16 : 4 * lanes, 512,
	                         window > BRC_MIN_WINDOW ? window : BRC_MIN_WINDOW};
	int64_t *dim = out->dim, *len = out->len;
	ek_store s;
	brc_order o;
	ek_status status;

	for (int k = BRC_HEIGHT; k <= BRC_WINDOW; k++)
		dim[k] = dim[k] ? dim[k] : usual[k];
	EK_RETURN_IF(brc_order_make(ctx, csr, dim, &o));
	dim[BRC_SPLIT] = o.split;
	len[BRC_ROW] = len[BRC_LEN] = o.pieces;
	len[BRC_FIRST] = csr->rows;
	len[BRC_PTR] = brc_blocks(out) + 1;
	s = *out;
	if (o.pieces > eki_ptr_max(csr->index))
		EK_TRY(eki_fail(EK_EUNSUPPORTED,
		                "format brc: %lld pieces are more than row pointers can count; a "
		                "larger width makes fewer",
		                (long long)o.pieces));
	EK_TRY(eki_alloc(ctx, o.pieces, eki_idx_size(s.index), &s.array[BRC_LEN]));
	EK_TRY(eki_alloc(ctx, len[BRC_PTR], eki_ptr_size(s.index), &s.array[BRC_PTR]));
	brc_order_fill(ctx, &o, &s);
	len[BRC_COL] = len[BRC_VAL] = eki_times(make_steps(ctx, csr, &s), dim[BRC_HEIGHT]);
done:
	eki_free(ctx, s.array[BRC_PTR], len[BRC_PTR], eki_ptr_size(s.index));
	eki_free(ctx, s.array[BRC_LEN], o.pieces, eki_idx_size(s.index));
	brc_order_free(ctx, &o);
	return status;
}

static ek_status pattern(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	static eki_fill_fn *const columns[EK_NTYPE] = EK_BY_TYPE(brc_columns);
	brc_order o;

	EK_RETURN_IF(brc_order_make(ctx, csr, out->dim, &o));
	brc_order_fill(ctx, &o, out);
	brc_order_free(ctx, &o);
	make_steps(ctx, csr, out);
	eki_fill(ctx, columns, csr, out, brc_blocks(out), out->len[BRC_COL]);
	return EK_OK;
}

static ek_status values(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	static eki_fill_fn *const fn[EK_NTYPE] = EK_BY_TYPE(brc_values);

	eki_fill(ctx, fn, csr, out, brc_blocks(out), out->len[BRC_VAL]);
	return EK_OK;
}

static ek_status to_csr(const ek_context *ctx, const ek_store *in, ek_store *csr)
{
	static eki_fill_fn *const lengths[EK_NTYPE] = EK_BY_TYPE(brc_lengths);
	static eki_fill_fn *const entries[EK_NTYPE] = EK_BY_TYPE(brc_to_csr);

	eki_fill(ctx, lengths, in, csr, in->rows, brc_pieces(in));
	eki_ptr_sum(ctx, csr);
	eki_fill(ctx, entries, in, csr, brc_blocks(in), in->nnz);
	return EK_OK;
}

static ek_status check_sizes(const ek_store *s)
{
	const int64_t *dim = s->dim, pieces = brc_pieces(s), split = dim[BRC_SPLIT];
	ek_store ptr = {.index = s->index, .array = {s->array[BRC_PTR]}};

	if (dim[BRC_HEIGHT] < 1 || dim[BRC_HEIGHT] > BRC_MAX_HEIGHT || dim[BRC_WIDTH] < 1 ||
	    dim[BRC_WIDTH] > BRC_MAX_WIDTH || dim[BRC_WINDOW] < BRC_MIN_WINDOW ||
	    dim[BRC_WINDOW] > BRC_MAX_WINDOW || split < 0 || split > pieces)
		return eki_fail(EK_ERANGE,
		                "height %lld, width %lld, window %lld, %lld of %lld pieces in rows "
		                "of several: not possible",
		                (long long)dim[BRC_HEIGHT], (long long)dim[BRC_WIDTH],
		                (long long)dim[BRC_WINDOW], (long long)split, (long long)pieces);

	const int64_t blocks = brc_blocks(s), last = s->len[BRC_PTR] - 1;
	const int64_t steps = last == blocks ? eki_ptr_at(&ptr, blocks) : 0;
	const int64_t places = steps < 0 ? 0 : eki_times(steps, dim[BRC_HEIGHT]);

	EK_RETURN_IF(
		eki_len_check(s, (int64_t[]){blocks + 1, places, places, pieces, pieces, s->rows}));
	if (eki_ptr_at(&ptr, 0) != 0 || steps < 0)
		return eki_fail(EK_ERANGE, "block_ptr does not ascend from 0");
	return EK_OK;
}

/* Checks that the rows and the entries of all pieces add up to those of the matrix. */
static ek_status check_sums(const ek_store *s)
{
	int64_t rows = 0, nnz = 0;

	for (int64_t p = 0; p < brc_pieces(s); p++) {
		nnz += eki_idx_at(s, BRC_LEN, p);
		rows += p == 0 || p >= s->dim[BRC_SPLIT] ||
		        eki_idx_at(s, BRC_ROW, p) != eki_idx_at(s, BRC_ROW, p - 1);
	}
	if (rows != s->rows || nnz != s->nnz)
		return eki_fail(EK_ERANGE,
		                "the pieces are %lld rows with %lld entries, the matrix has %lld "
		                "and %lld",
		                (long long)rows, (long long)nnz, (long long)s->rows,
		                (long long)s->nnz);
	return EK_OK;
}

static ek_status check(const ek_context *ctx, const ek_store *s)
{
	static eki_fault_fn *const block[EK_NTYPE] = EK_BY_TYPE(brc_block_fault);
	static eki_fault_fn *const row[EK_NTYPE] = EK_BY_TYPE(brc_row_fault);
	const int type = eki_type(s->value, s->index);
	int64_t k;

	EK_RETURN_IF(check_sizes(s));
	k = eki_first_fault(ctx, s, block[type], brc_blocks(s));
	if (k < brc_blocks(s))
		return eki_fail(EK_ERANGE,
		                "block %lld: a row, a column, a length or its steps are out of "
		                "range, or padding is not 0",
		                (long long)k);
	k = eki_first_fault(ctx, s, row[type], s->rows);
	if (k < s->rows)
		return eki_fail(EK_ERANGE, "row %lld is not in the pieces that its length asks for",
		                (long long)k);
	return check_sums(s);
}

static bool find(const ek_store *s, int64_t i, int64_t j, eki_place *at)
{
	const int64_t height = s->dim[BRC_HEIGHT];
	const ek_store ptr = {.index = s->index, .array = {s->array[BRC_PTR]}};
	const ek_store first = {.index = s->index, .array = {s->array[BRC_FIRST]}};
	bool behind = at->array < 0;
	int64_t p = eki_ptr_at(&first, i);

	do {
		int64_t k = eki_ptr_at(&ptr, p / height) * height + p % height;

		for (int64_t n = eki_idx_at(s, BRC_LEN, p); n > 0; n--, k += height) {
			if (behind && eki_idx_at(s, BRC_COL, k) == j) {
				*at = (eki_place){BRC_VAL, k};
				return true;
			}
			behind = behind || k == at->k;
		}
		p++;
	} while (p < s->dim[BRC_SPLIT] && eki_idx_at(s, BRC_ROW, p) == i);
	return false;
}

const ek_format ek_format_brc = {
	.name = "brc",
	.text = "rows sorted by length, long ones in pieces, blocks of pieces with padding",
	.source = "Liu 2015, section 5.4.6; Ashari et al. 2014",
	.param = {{"height", 1, BRC_MAX_HEIGHT, "pieces of a block"},
                  {"width", 1, BRC_MAX_WIDTH, "most entries of a piece"},
                  {"window", BRC_MIN_WINDOW, BRC_MAX_WINDOW, "rows that are sorted together"}},
	.array = {{"block_ptr", EKI_PTR},
                  {"col_idx", EKI_IDX},
                  {"val", EKI_VALUE},
                  {"piece_row", EKI_IDX},
                  {"piece_len", EKI_IDX},
                  {"row_piece", EKI_PTR}},
	.check = check,
	.convert = {4, 20},
	.layout = layout,
	.pattern = pattern,
	.values = values,
	.to_csr = to_csr,
	.find = find,
};

#endif
