/* SPDX-License-Identifier: BSD-3-Clause
 * What the formats of dense blocks of r x c share: BCSR, BCOO and BCCOO differ only in how they
 * tell the block row of a block.
 *
 * Block (b, q) holds the entries of rows b r .. and columns q c ..; blocks of a block row lie in
 * ascending order. The places of a block run along its longer side, so that as few vectors as
 * possible make a block: by rows if c >= r, else by columns. Places without an entry are 0 in val;
 * bit p of a block's mask, of r c bits rounded up to bytes, says that place p is an entry. The
 * product does not read the mask, unless a sum is not finite or a block sticks out on the right.
 *
 * Conversions work on a view: the same arrays with BLOCK_HEAD exchanged for the pointers of the
 * block rows, which is what BCSR has there anyway. */
#ifndef EK_FORMAT_BLOCK_H
#define EK_FORMAT_BLOCK_H

#include "core/ek_core.h"

enum { BLOCK_HEAD, BLOCK_COL, BLOCK_VAL, BLOCK_MASK }; /* arrays */
enum { BLOCK_R, BLOCK_C };                             /* dim */
enum { BLOCK_MOST = 8 };                               /* rows and columns of a block */

#define BLOCK_PARAMS                                                \
	{                                                           \
		{"r", 1, BLOCK_MOST, "rows of a block"},            \
			{"c", 1, BLOCK_MOST, "columns of a block"}, \
		{                                                   \
			0                                           \
		}                                                   \
	}

extern const ek_format ek_format_bcsr, ek_format_bcoo;

typedef struct block_shape {
	int r, c, places;
	int bytes; /* of a mask */
	int row_step, col_step;
	int64_t rows;  /* of blocks: all of the matrix */
	int64_t whole; /* columns of blocks that do not stick out on the right */
} block_shape;

static inline block_shape block_shape_of(const ek_store *s)
{
	const int r = (int)s->dim[BLOCK_R], c = (int)s->dim[BLOCK_C];

	return (block_shape){.r = r,
	                     .c = c,
	                     .places = r * c,
	                     .bytes = (r * c + 7) / 8,
	                     .row_step = c >= r ? c : 1,
	                     .col_step = c >= r ? 1 : r,
	                     .rows = eki_groups(s->rows, r),
	                     .whole = s->cols / c};
}

/* Row and column in its block of place p. */
static inline int block_i(const block_shape *h, int p)
{
	return h->c >= h->r ? p / h->c : p % h->r;
}
static inline int block_j(const block_shape *h, int p)
{
	return h->c >= h->r ? p % h->c : p / h->r;
}

/* The mask of block k, bit p for place p. */
static inline uint64_t block_mask(const uint8_t *mask, const block_shape *h, int64_t k)
{
	uint64_t m = 0;

	mask += k * h->bytes;
	for (int b = 0; b < h->bytes; b++)
		m |= (uint64_t)mask[b] << (8 * b);
	return m;
}

/* ---- format/block.c: `view` has the pointers of the block rows in BLOCK_HEAD ----------------- */

/* Writes pointers to a view for blocks [begin, end) of a store: head[b + 1] = k + 1 for each block
 * k that is the last of block row b. NULL, for what follows: the store is a view itself. */
typedef eki_fill_fn *const *block_ends;

/* Block size, if not given, and the lengths of the arrays BLOCK_COL, BLOCK_VAL and BLOCK_MASK;
 * *filled: block rows that are not empty. */
ek_status eki_block_layout(const ek_context *ctx, const ek_store *csr, ek_store *out,
                           int64_t *filled);
/* Fills all arrays of the view but values, BLOCK_HEAD too. */
void eki_block_pattern(const ek_context *ctx, const ek_store *csr, ek_store *view);
ek_status eki_block_to_csr(const ek_context *ctx, const ek_store *s, block_ends ends,
                           ek_store *csr);
/* Lengths and size of blocks; then, when BLOCK_HEAD is known to be right, the rest. */
ek_status eki_block_shape_check(const ek_store *s);
ek_status eki_block_check(const ek_context *ctx, const ek_store *s, block_ends ends);
/* The entry in row i and column j, if it is in blocks [begin, end), those of a block row. */
bool eki_block_find(const ek_store *s, int64_t begin, int64_t end, int64_t i, int64_t j,
                    eki_place *at);

/* A view of a store whose BLOCK_HEAD is something else, with room for the pointers, all 0 without
 * `ends`. */
ek_status eki_block_view(const ek_context *ctx, const ek_store *s, block_ends ends, ek_store *view);
void eki_block_view_free(const ek_context *ctx, ek_store *view);

#endif
