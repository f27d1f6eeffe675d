/* SPDX-License-Identifier: BSD-3-Clause
 * Declarations shared by the formats with dense blocks of r x c: BCSR, BCOO and BCCOO. These
 * formats differ only in how they store the block row of a block.
 *
 * Block (b, q) covers rows b r .. b r + r - 1 and columns q c .. q c + c - 1. The blocks of a block
 * row are stored by ascending q. The places of a block run along its longer side, so that a block
 * takes as few vectors as possible: row by row if c >= r, otherwise column by column. Places
 * without an entry have the value 0. Each block has a mask of r c bits, rounded up to whole bytes;
 * its bit p is 1 if place p holds an entry. The product reads the mask only if a sum is not finite.
 *
 * Conversions work on a view of a store. A view has the same arrays except BLOCK_HEAD, which holds
 * pointers: block row b has blocks head[b] .. head[b + 1] - 1. In BCSR, BLOCK_HEAD holds these
 * pointers anyway. */
#ifndef EK_FORMAT_BLOCK_H
#define EK_FORMAT_BLOCK_H

#include "matrix/matrix.h"

enum { BLOCK_HEAD, BLOCK_COL, BLOCK_VAL, BLOCK_MASK }; /* indices of the arrays */
enum { BLOCK_R, BLOCK_C };                             /* indices into dim */
enum { BLOCK_MOST = 8 };                               /* largest height and width of a block */

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
	int bytes; /* bytes of a block's mask */
	int row_step, col_step;
	int64_t rows;  /* number of block rows of the matrix */
	int64_t whole; /* number of block columns that do not extend past the last column */
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

/* Returns the row of place p within its block; block_j returns the column of that place. */
static inline int block_i(const block_shape *h, int p)
{
	return h->c >= h->r ? p / h->c : p % h->r;
}
static inline int block_j(const block_shape *h, int p)
{
	return h->c >= h->r ? p % h->c : p / h->r;
}

/* Returns the mask of block k as a number; its bit p is 1 if place p holds an entry. */
static inline uint64_t block_mask(const uint8_t *mask, const block_shape *h, int64_t k)
{
	uint64_t m = 0;

	mask += k * h->bytes;
	for (int b = 0; b < h->bytes; b++)
		m |= (uint64_t)mask[b] << (8 * b);
	return m;
}

/* ---- format/block.c: `view` has the pointers of the block rows in BLOCK_HEAD ----------------- */

/* A table of functions, one for each type, that write pointers of a view. For each block k in
 * [begin, end) that is the last of its block row b, they set head[b + 1] to k + 1. For a store that
 * is a view already, as in BCSR, eki_block_to_csr and eki_block_check take NULL instead of a
 * table. */
typedef eki_fill_fn *const *block_ends;

/* Makes a view of `out`, whose arrays are not there yet, with the pointers of the block rows that
 * `csr` has in blocks. First chooses the block size if the caller gave none. Sets *filled to the
 * number of block rows that are not empty. Release the view with eki_block_view_free. */
ek_status eki_block_counts(const ek_context *ctx, const ek_store *csr, ek_store *out,
                           ek_store *view, int64_t *filled);
/* Computes the lengths of the arrays BLOCK_COL, BLOCK_VAL and BLOCK_MASK of `out`, and sets *filled
 * to the number of block rows that are not empty. First chooses the block size if the caller gave
 * none. */
ek_status eki_block_layout(const ek_context *ctx, const ek_store *csr, ek_store *out,
                           int64_t *filled);
/* Does the work of ek_format.estimate for formats of blocks: chooses the block size, and estimates
 * the lengths of the arrays. */
ek_status eki_block_estimate(const ek_context *ctx, const ek_store *csr, ek_store *out);
/* Fills all arrays of `view`, including BLOCK_HEAD, from the pattern of `csr`, and sets all values
 * to 0. */
void eki_block_pattern(const ek_context *ctx, const ek_store *csr, ek_store *view);
/* Fills the arrays of `csr` from those of `s`, a store in a block format. */
ek_status eki_block_to_csr(const ek_context *ctx, const ek_store *s, block_ends ends,
                           ek_store *csr);
/* Checks the block size. */
ek_status eki_block_size_check(const ek_store *s);
/* Checks the block size and the lengths of all arrays except BLOCK_HEAD. */
ek_status eki_block_shape_check(const ek_store *s);
/* Checks block columns, masks, padding and the number of entries. BLOCK_HEAD must have been checked
 * already. */
ek_status eki_block_check(const ek_context *ctx, const ek_store *s, block_ends ends);
/* Searches for the entry in row i and column j. If there is one, sets *at to its place and returns
 * true. Blocks [begin, end) must be all those of the block row of row i. If *at is already the
 * place of an entry, returns false, since blocks cannot have two entries at one place. */
bool eki_block_find(const ek_store *s, int64_t begin, int64_t end, int64_t i, int64_t j,
                    eki_place *at);

/* Makes a view of a store whose BLOCK_HEAD does not hold pointers. Allocates the pointers and fills
 * them by calling `ends`, or with 0 if `ends` is NULL. Release the view with
 * eki_block_view_free. */
ek_status eki_block_view(const ek_context *ctx, const ek_store *s, block_ends ends, ek_store *view);
void eki_block_view_free(const ek_context *ctx, ek_store *view);

#endif
