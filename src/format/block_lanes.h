/* SPDX-License-Identifier: BSD-3-Clause
 * Declarations shared by the formats in which block rows are lanes: BELL and SBELL. They have the
 * blocks of format/block.h, and their arrays BLOCK_COL, BLOCK_VAL and BLOCK_MASK.
 *
 * A slice is `height` consecutive block rows, and each of them is a lane. All lanes of a slice have
 * the same number of blocks, some of them padding; blocks number t of all lanes are side by side.
 * Block t of lane l in a slice whose blocks begin with block `start` is block
 *     start + t height + l
 * of BLOCK_COL and BLOCK_MASK, and its place p is place
 *     (start + t height) r c + p height + l
 * of BLOCK_VAL, so that neighbouring lanes have neighbouring values. BLOCK_COL has the column of a
 * block's first place, not the number of its block column: lanes are then gathered without a
 * multiplication. */
#ifndef EK_FORMAT_BLOCK_LANES_H
#define EK_FORMAT_BLOCK_LANES_H

#include "format/block.h"

enum { BELL_LEN = BLOCK_HEAD }; /* indices of the arrays */
enum { SBELL_PTR = BLOCK_HEAD, SBELL_LEN = BLOCK_MASK + 1 };
enum { BELL_WIDTH = BLOCK_C + 1, SBELL_H = BLOCK_C + 1 }; /* indices into dim */
enum { BELL_HEIGHT = 8, SBELL_MOST = 64 };                /* lanes of a slice; at most for SBELL */

extern const ek_format ek_format_bell, ek_format_sbell;

typedef struct block_lanes {
	block_shape shape;
	int64_t height, slices;
	/* The first block of each slice, of the type of row pointers, or NULL if all lanes have
	 * `width` blocks. */
	const void *ptr;
	int64_t width;
	const void *len; /* blocks of each block row without padding, of the type of columns */
} block_lanes;

static inline block_lanes block_lanes_of(const ek_store *s)
{
	const bool sliced = s->format == &ek_format_sbell;
	const block_shape shape = block_shape_of(s);
	const int64_t height = sliced ? s->dim[SBELL_H] : BELL_HEIGHT;

	return (block_lanes){.shape = shape,
	                     .height = height,
	                     .slices = eki_groups(shape.rows, height),
	                     .ptr = sliced ? s->array[SBELL_PTR] : NULL,
	                     .width = sliced ? 0 : s->dim[BELL_WIDTH],
	                     .len = s->array[sliced ? SBELL_LEN : BELL_LEN]};
}

/* Sets the lengths of the arrays of `s`, whose block size and height or width are set, for `blocks`
 * blocks, padding included. */
void eki_block_lanes_shape(ek_store *s, int64_t blocks);
/* Adds up the blocks of the slices of `csr`, if each slice is as wide as its longest lane, and
 * finds the most blocks of a lane. First chooses the block size if the caller gave none. */
ek_status eki_block_lanes_count(const ek_context *ctx, const ek_store *csr, ek_store *out,
                                int64_t height, int64_t *blocks, int64_t *widest);
/* Do the work of `pattern`, `values`, `to_csr`, `check` and `find` of ek_format. The check is for
 * stores whose block size is possible, and whose arrays have the right lengths. */
ek_status eki_block_lanes_pattern(const ek_context *ctx, const ek_store *csr, ek_store *out);
ek_status eki_block_lanes_values(const ek_context *ctx, const ek_store *csr, ek_store *out);
ek_status eki_block_lanes_to_csr(const ek_context *ctx, const ek_store *in, ek_store *csr);
ek_status eki_block_lanes_check(const ek_context *ctx, const ek_store *s);
bool eki_block_lanes_find(const ek_store *s, int64_t i, int64_t j, eki_place *at);

#endif
