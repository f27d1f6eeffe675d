/* SPDX-License-Identifier: BSD-3-Clause
 * The arrays of BCCOO, which the conversion (format/bccoo.c) writes and the product (spmv/bccoo.c)
 * reads.
 *
 * Bit k of bit_flag (a mask as in format/mask.h) is 1 if block k is the last of its block row. Yan
 * et al. and Liu 2015, Figure 5.14, store the complement: FALSE where a block row ends. With ours a
 * population count gives the number of a block row, and bits behind the last block are 0. The block
 * rows that are not empty are numbered in order, from 0. So the number of set flags before a block
 * is the number of its block row. chunk_row has this number for the first block of each chunk, so
 * that work can begin at any chunk. filled_row[n] is the block row with number n; if no block row
 * is empty, number n is block row n, and filled_row has no elements.
 *
 * If dim[BCCOO_DELTAS] is not 0, a product reads the columns as numbers of 16 bits, in delta, that
 * are added to others. Blocks are divided into segments of 32, as many as a word of bit_flag has
 * bits, and base_col has a column for each segment:
 *   BCCOO_DIFFERENCES  delta[k], with sign, is the difference of the columns of blocks k and k - 1.
 *                      base_col is the column of the segment's first block, whose delta is 0
 *   BCCOO_DISTANCES    delta[k], without sign, is the distance from base_col, the least column of
 *                      the segment
 * If delta[k] has the bits of BCCOO_ESCAPE, the column of block k is block_col[k]: the number does
 * not fit or has these bits itself. dim[BCCOO_ESCAPES] is the number of escapes. If
 * dim[BCCOO_DELTAS] is 0, the two arrays have no elements. */
#ifndef EK_FORMAT_BCCOO_H
#define EK_FORMAT_BCCOO_H

#include "format/block.h"
#include "format/mask.h"

enum {
	BCCOO_FLAG = BLOCK_HEAD,
	BCCOO_CHUNK = BLOCK_MASK + 1,
	BCCOO_FILLED,
	BCCOO_DELTA,
	BCCOO_BASE
};
enum { BCCOO_DELTAS = BLOCK_C + 1, BCCOO_ESCAPES }; /* indices into dim */
enum { BCCOO_BLOCKS = 1024, BCCOO_SEGMENT = 32 };   /* blocks in a chunk, in a segment */
enum { BCCOO_DIFFERENCES = 1, BCCOO_DISTANCES };    /* values of dim[BCCOO_DELTAS] */
enum { BCCOO_ESCAPE = -1 };

/* Returns the number of segments that have an element of base_col. */
static inline int64_t bccoo_segments(const ek_store *s)
{
	return s->dim[BCCOO_DELTAS] ? eki_groups(s->len[BLOCK_COL], BCCOO_SEGMENT) : 0;
}

/* Returns the element of `delta` for a column that is `d` more than the one to which it is
 * added. */
static inline int16_t bccoo_delta(int64_t deltas, int64_t d)
{
	const bool fits =
		deltas == BCCOO_DISTANCES ? d < UINT16_MAX : d <= INT16_MAX && d >= -INT16_MAX;

	return fits ? (int16_t)d : BCCOO_ESCAPE;
}

/* Returns the store with the lengths of what a product reads: of block_col, if it reads delta, only
 * the escapes. For counts of bytes. */
static inline ek_store bccoo_read(const ek_store *s)
{
	ek_store read = *s;

	if (s->dim[BCCOO_DELTAS])
		read.len[BLOCK_COL] = s->dim[BCCOO_ESCAPES];
	return read;
}

/* Finds the first block in [k, end) whose flag is set and returns the block after it, or `end` if
 * no flag is set. Needs k < end. */
static inline int64_t bccoo_next(const uint32_t *flag, int64_t k, int64_t end)
{
	uint32_t word = flag[k / 32] >> (k % 32);

	while (!word) {
		k = k / 32 * 32 + 32;
		if (k >= end)
			return end;
		word = flag[k / 32];
	}
	k += __builtin_ctz(word) + 1;
	return k < end ? k : end;
}

/* Returns the number of the block row that contains block k, counting only block rows that are not
 * empty. */
static inline int64_t bccoo_number(const ek_store *s, int64_t k)
{
	const uint32_t *flag = s->array[BCCOO_FLAG];
	int64_t n = eki_idx_at(s, BCCOO_CHUNK, k / BCCOO_BLOCKS);

	for (int64_t w = k / BCCOO_BLOCKS * (BCCOO_BLOCKS / 32); w < k / 32; w++)
		n += __builtin_popcount(flag[w]);
	return n + __builtin_popcount(flag[k / 32] & ((UINT32_C(1) << (k % 32)) - 1));
}

/* Returns the first block of the block row with number `number`. Since these numbers count only
 * block rows that are not empty, this is the block after the first `number` set flags. */
static inline int64_t bccoo_first(const ek_store *s, int64_t number)
{
	const int64_t chunks = s->len[BCCOO_CHUNK];
	const int64_t chunk = eki_idx_lower_bound(s, BCCOO_CHUNK, 0, chunks, number) - 1;
	int64_t k = chunk * BCCOO_BLOCKS;

	if (number == 0)
		return 0;
	for (int64_t n = eki_idx_at(s, BCCOO_CHUNK, chunk); n < number; n++)
		k = bccoo_next(s->array[BCCOO_FLAG], k, s->len[BLOCK_COL]);
	return k;
}

/* Returns the block row with number `number`, counting only block rows that are not empty. */
static inline int64_t bccoo_row(const ek_store *s, int64_t number)
{
	return s->len[BCCOO_FILLED] ? eki_idx_at(s, BCCOO_FILLED, number) : number;
}

extern const ek_format ek_format_bccoo;

#endif
