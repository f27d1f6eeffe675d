/* SPDX-License-Identifier: BSD-3-Clause
 * Row blocks of CSR-Adaptive: CSR stays as it is, and a list gives the first row of each block of
 * consecutive rows. Used by methods of the processor and of devices that multiply block by
 * block. */
#ifndef EK_SPMV_ROW_BLOCKS_H
#define EK_SPMV_ROW_BLOCKS_H

#include "plan/plan.h"

/* The largest size of a block; both members are at least 1. */
typedef struct eki_row_limit {
	int64_t entries; /* maximum, but a row that has more is a block of its own */
	int64_t rows;
} eki_row_limit;

/* Returns the row after the last row of the block that begins with row `begin`; it is at most
 * `end`. */
int64_t eki_row_block_end(const ek_store *csr, int64_t begin, int64_t end, eki_row_limit limit);
/* Cuts rows [begin, end) into blocks as large as the limit allows, and returns the number n of
 * blocks. Block b has rows [first[b], first[b + 1]), where first[0] = begin and first[n] = end.
 * `first` must have space for eki_row_blocks_most + 1 numbers. */
int64_t eki_row_blocks(const ek_store *csr, int64_t begin, int64_t end, eki_row_limit limit,
                       int64_t *first);
/* Returns an upper bound on the number of blocks of `rows` rows with `entries` entries. */
int64_t eki_row_blocks_most(int64_t rows, int64_t entries, eki_row_limit limit);
/* Returns the index of the block that contains row i. `count` is the number of blocks. Returns 0 if
 * there are no blocks. */
static inline int64_t eki_row_block_of(const int64_t *first, int64_t count, int64_t i)
{
	return eki_upper_bound(first, 1, count, i) - 1;
}

#endif
