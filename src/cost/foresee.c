/* SPDX-License-Identifier: BSD-3-Clause
 * Estimates the share of rows whose length a processor's branch predictor would miss. A
 * misprediction at the end of the loop over a row's entries costs as much as a dozen entries. A
 * predictor remembers what followed the same branches before. Here, a table indexed by the last
 * eight row lengths holds the length that followed them the last time. Lengths of LONGEST and above
 * count as equal, since a processor never predicts the end of so long a loop. So regular patterns
 * of lengths are predicted, and random lengths are not. If the sample has all rows of the matrix,
 * the estimate passes over it twice and counts only the second pass, since a plan runs repeatedly.
 *
 * After the history-based predictors of Yeh and Patt 1991. */
#include <string.h>

#include "cost/cost.h"

enum { ROWS = 16384, TABLE_BITS = 12, LONGEST = 30, LENGTH_BITS = 5, HISTORY = 8 };

double eki_unforeseen_rows(const ek_store *csr)
{
	const int64_t n = csr->rows < ROWS ? csr->rows : ROWS, first = csr->rows / 2 - n / 2;
	const uint64_t mask = ((uint64_t)1 << HISTORY * LENGTH_BITS) - 1;
	uint8_t table[1 << TABLE_BITS];
	int64_t missed = 0;

	memset(table, 0xff, sizeof table);
	for (int pass = csr->rows <= ROWS ? 0 : 1; pass < 2; pass++) {
		uint64_t history = 0;

		missed = 0;
		for (int64_t i = first; i < first + n; i++) {
			const int64_t length = eki_ptr_at(csr, i + 1) - eki_ptr_at(csr, i);
			const uint8_t seen = (uint8_t)(length < LONGEST ? length : LONGEST);
			uint8_t *next =
				&table[history * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TABLE_BITS)];

			missed += *next != seen;
			*next = seen;
			history = (history << LENGTH_BITS | seen) & mask;
		}
	}
	return n ? (double)missed / (double)n : 0;
}
