/* SPDX-License-Identifier: BSD-3-Clause
 * Row blocks of CSR-Adaptive: a list of rows that begin blocks of consecutive rows, beside intact
 * CSR, for whatever processor will multiply block by block. */
#ifndef EK_SPMV_ROW_BLOCKS_H
#define EK_SPMV_ROW_BLOCKS_H

#include "core/ek_core.h"

/* How large a block may be; both at least 1. */
typedef struct eki_row_limit {
	int64_t entries; /* a row that has more is a block of its own */
	int64_t rows;
} eki_row_limit;

/* The end of the block that begins with row `begin`, at most `end`. */
int64_t eki_row_block_end(const ek_store *csr, int64_t begin, int64_t end, eki_row_limit limit);
/* Cuts rows [begin, end) into blocks, each as large as it may be: block b is rows first[b] to
 * first[b + 1], first[0] = begin, and first[the number of blocks, which it gives] = end. There is
 * room for eki_row_blocks_most of them and one. */
int64_t eki_row_blocks(const ek_store *csr, int64_t begin, int64_t end, eki_row_limit limit,
                       int64_t *first);
/* A number that `rows` rows with `entries` entries never pass. */
int64_t eki_row_blocks_most(int64_t rows, int64_t entries, eki_row_limit limit);
/* The one of `count` blocks that row i lies in; 0 if there is none. */
static inline int64_t eki_row_block_of(const int64_t *first, int64_t count, int64_t i)
{
	int64_t low = 0, high = count;

	while (high - low > 1) {
		const int64_t mid = low + (high - low) / 2;

		if (first[mid] <= i)
			low = mid;
		else
			high = mid;
	}
	return low;
}

#endif
