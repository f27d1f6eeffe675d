/* SPDX-License-Identifier: BSD-3-Clause
 * The arrays of BCCOO: what the conversion (format/bccoo.c) writes and the product (spmv/bccoo.c)
 * reads.
 *
 * Bit k of bit_flag (format/mask.h) says that block k is the last of its block row. Counting flags
 * numbers the block rows that are not empty; chunk_row has that number for the first block of each
 * chunk, so that one can begin anywhere. filled_row, which has no entries where no block row is
 * empty, turns numbers into block rows. */
#ifndef EK_FORMAT_BCCOO_H
#define EK_FORMAT_BCCOO_H

#include "format/block.h"
#include "format/mask.h"

enum { BCCOO_FLAG = BLOCK_HEAD, BCCOO_CHUNK = BLOCK_MASK + 1, BCCOO_FILLED };
enum { BCCOO_BLOCKS = 1024 }; /* in a chunk */

/* The block behind the next flag from block k on, k < end, or `end`. */
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

/* Number of block k's block row among those that are not empty. */
static inline int64_t bccoo_number(const ek_store *s, int64_t k)
{
	const uint32_t *flag = s->array[BCCOO_FLAG];
	int64_t n = eki_idx_at(s, BCCOO_CHUNK, k / BCCOO_BLOCKS);

	for (int64_t w = k / BCCOO_BLOCKS * (BCCOO_BLOCKS / 32); w < k / 32; w++)
		n += __builtin_popcount(flag[w]);
	return n + __builtin_popcount(flag[k / 32] & ((UINT32_C(1) << (k % 32)) - 1));
}

/* The first block of block row `number` of those that are not empty: the one behind `number`
 * flags. */
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

static inline int64_t bccoo_row(const ek_store *s, int64_t number)
{
	return s->len[BCCOO_FILLED] ? eki_idx_at(s, BCCOO_FILLED, number) : number;
}

extern const ek_format ek_format_bccoo;

#endif
