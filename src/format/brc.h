/* SPDX-License-Identifier: BSD-3-Clause
 * The arrays of BRC, which the conversion (format/brc.c) writes and the product (spmv/brc.c) reads.
 *
 * A row is cut into as few pieces as possible with at most `width` entries each; the pieces of a
 * row have nearly equal lengths. A row without entries is one piece. Piece p is lane l of block b,
 * where p = b height + l. Entry j of the piece is at place (block_ptr[b] + j) height + l of col_idx
 * and val, so block_ptr counts steps of `height` places, not places. The pieces of a row follow one
 * another. The first `split` pieces belong to rows of several pieces, all others to rows of one
 * piece. piece_row[p] is the row of piece p, and row_piece[i] is the first piece of row i. */
#ifndef EK_FORMAT_BRC_H
#define EK_FORMAT_BRC_H

#include "matrix/matrix.h"
#include "format/padding.h"

enum {
	BRC_PTR = CSR_PTR,
	BRC_COL = CSR_COL,
	BRC_VAL = CSR_VAL,
	BRC_ROW,
	BRC_LEN,
	BRC_FIRST
};                                                     /* indices of the arrays */
enum { BRC_HEIGHT, BRC_WIDTH, BRC_WINDOW, BRC_SPLIT }; /* indices into dim */
enum {
	BRC_MAX_HEIGHT = EKI_MOST_LANES,
	BRC_MAX_WIDTH = 1 << 20,
	BRC_MIN_WINDOW = 256,
	BRC_MAX_WINDOW = 1 << 30
};

extern const ek_format ek_format_brc;

static inline int64_t brc_pieces(const ek_store *s)
{
	return s->len[BRC_LEN];
}

static inline int64_t brc_blocks(const ek_store *s)
{
	return eki_groups(brc_pieces(s), s->dim[BRC_HEIGHT]);
}

/* Returns the first piece of a block, or the number of pieces if `block` is one past the last
 * block. */
static inline int64_t brc_first(const ek_store *s, int64_t block)
{
	return eki_group(brc_pieces(s), s->dim[BRC_HEIGHT], block);
}

/* Returns the number of pieces into which a row with n entries is cut. */
static inline int64_t brc_pieces_of(int64_t n, int64_t width)
{
	return n > width ? (n - 1) / width + 1 : 1;
}

/* Returns the number of entries before piece j in a row with n entries that is cut into m
 * pieces. */
static inline int64_t brc_cut(int64_t n, int64_t m, int64_t j)
{
	return n / m * j + (n % m < j ? n % m : j);
}

#endif
