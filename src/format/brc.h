/* SPDX-License-Identifier: BSD-3-Clause
 * The arrays of BRC: what the conversion (format/brc.c) writes and the product (spmv/brc.c) reads.
 *
 * A row of n entries is cut into m pieces, the fewest of up to `width` entries each, as equal as
 * can be; a row without entries is one piece too. Piece p, p = b height + l, is lane l of block b;
 * entry j of it is at (block_ptr[b] + j) height + l of col_idx and val, so block_ptr counts steps,
 * not places. The pieces of a row follow each other, and the first `split` pieces are those of rows
 * that have several. piece_row[p] is the row of a piece, row_piece[i] the first piece of a row. */
#ifndef EK_FORMAT_BRC_H
#define EK_FORMAT_BRC_H

#include "core/ek_core.h"
#include "format/padding.h"

enum {
	BRC_PTR = CSR_PTR,
	BRC_COL = CSR_COL,
	BRC_VAL = CSR_VAL,
	BRC_ROW,
	BRC_LEN,
	BRC_FIRST
};                                                     /* arrays */
enum { BRC_HEIGHT, BRC_WIDTH, BRC_WINDOW, BRC_SPLIT }; /* dim */
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

/* The first piece of a block, or the end of the pieces. */
static inline int64_t brc_first(const ek_store *s, int64_t block)
{
	return eki_group(brc_pieces(s), s->dim[BRC_HEIGHT], block);
}

/* Pieces of a row of n entries. */
static inline int64_t brc_pieces_of(int64_t n, int64_t width)
{
	return n > width ? (n - 1) / width + 1 : 1;
}

/* Entries of such a row, of m pieces, before its piece j. */
static inline int64_t brc_cut(int64_t n, int64_t m, int64_t j)
{
	return n / m * j + (n % m < j ? n % m : j);
}

#endif
