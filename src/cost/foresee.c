/* SPDX-License-Identifier: BSD-3-Clause
 * Estimates the share of rows whose length a processor's branch predictor would miss. A
 * misprediction at the end of the loop over a row's entries costs as much as a dozen entries. A
 * predictor remembers what followed the same branches before. Here, a table indexed by the last
 * eight row lengths holds the length that followed them the last time. Lengths of LONGEST and above
 * count as equal, since a processor never predicts the end of so long a loop. So regular patterns
 * of lengths are predicted, and random lengths are not. If the sample has all rows of the matrix,
 * the estimate passes over it twice and counts only the second pass, since a plan runs repeatedly.
 *
 * Loops over the vectors of a row (csr_vector.c) read the last vector under a mask, so rows of no
 * entry to one vector all end at once, and longer ones after as many steps as they have vectors. A
 * second predictor sees the number of these steps instead of the length. Where the columns of so
 * few products are expected that nothing is sampled, lengths count as missed where they differ from
 * that of the row before, and steps as often as a guess between short and long rows would fail.
 *
 * After the history-based predictors of Yeh and Patt 1991. */
#include <math.h>
#include <string.h>

#include "cost/cost.h"

enum { ROWS = 16384, TABLE_BITS = 12, LONGEST = 30, LENGTH_BITS = 5, HISTORY = 8 };

typedef struct predictor {
	uint64_t history;
	int64_t missed;
	uint8_t table[1 << TABLE_BITS];
} predictor;

static inline void see(predictor *p, int64_t length)
{
	const uint64_t mask = ((uint64_t)1 << HISTORY * LENGTH_BITS) - 1;
	const uint8_t seen = (uint8_t)(length < LONGEST ? length : LONGEST);
	uint8_t *next =
		&p->table[p->history * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TABLE_BITS)];

	p->missed += *next != seen;
	*next = seen;
	p->history = (p->history << LENGTH_BITS | seen) & mask;
}

void eki_unforeseen_guess(eki_features *f)
{
	f->unforeseen_share = f->unforeseen_steps = f->mixed_share;
	if (eki_lanes(f->isa, f->value) > 1)
		f->unforeseen_steps *= fmin(f->short_share, 1 - f->short_share);
}

void eki_unforeseen_rows(const ek_store *csr, eki_features *f)
{
	const int64_t n = csr->rows < ROWS ? csr->rows : ROWS, first = csr->rows / 2 - n / 2;
	const int64_t lanes = eki_lanes(f->isa, f->value);
	const int shift = __builtin_ctz((unsigned)lanes); /* a division would take longer */
	const bool steps_differ = lanes > 1 && f->stats.row_max > lanes;
	predictor lengths, steps;

	memset(lengths.table, 0xff, sizeof lengths.table);
	memset(steps.table, 0xff, sizeof steps.table);
	for (int pass = csr->rows <= ROWS ? 0 : 1; pass < 2; pass++) {
		lengths.history = steps.history = 0;
		lengths.missed = steps.missed = 0;
		for (int64_t i = first; i < first + n; i++) {
			const int64_t length = eki_ptr_at(csr, i + 1) - eki_ptr_at(csr, i);

			see(&lengths, length);
			if (steps_differ)
				see(&steps, length > lanes ? (length - 1) >> shift : 0);
		}
	}
	f->unforeseen_share = n ? (double)lengths.missed / (double)n : 0;
	f->unforeseen_steps = steps_differ ? (double)steps.missed / (double)n : 0;
	if (lanes == 1)
		f->unforeseen_steps = f->unforeseen_share;
}
