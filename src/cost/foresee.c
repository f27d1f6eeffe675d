/* SPDX-License-Identifier: BSD-3-Clause
 * Estimates the share of rows whose length a processor's branch predictor would miss. A
 * misprediction at the end of the loop over a row's entries costs as much as a dozen entries. A
 * predictor remembers what followed the same branches before. Here, a table indexed by the last
 * eight row lengths holds the length that followed them the last time. Lengths of LONGEST and above
 * count as equal, since a processor never predicts the end of so long a loop. So regular patterns
 * of lengths are predicted, and random lengths are not. If the sample has all rows of the matrix,
 * the estimate passes over it twice and counts only the second pass, since a plan runs repeatedly.
 * A sample has several windows, since parts of a matrix differ: in the first eighth of
 * supportcase10, 26 % of the rows are mispredicted, in the rest less than 1 %.
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

enum { TABLE_BITS = 12, LONGEST = 30, LENGTH_BITS = 5, HISTORY = 8 };
/* Sizes of a sample: windows of consecutive rows at equal distances, and all of their rows. */
enum { WINDOWS = 4, WINDOW = 4096, ROWS = WINDOWS * WINDOW };

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

/* Predictors of a row's length, and of its number of vectors after the first. */
typedef struct predictors {
	predictor lengths, steps;
	int64_t lanes;
	int shift;         /* log2(lanes), since a division would take longer */
	bool steps_differ; /* else no row has a second vector */
} predictors;

/* Lets the predictors see `n` rows from row `first` on. */
static void see_rows(predictors *p, const ek_store *csr, int64_t first, int64_t n)
{
	for (int64_t i = first; i < first + n; i++) {
		const int64_t length = eki_ptr_at(csr, i + 1) - eki_ptr_at(csr, i);

		see(&p->lengths, length);
		if (p->steps_differ)
			see(&p->steps, length > p->lanes ? (length - 1) >> p->shift : 0);
	}
}

void eki_unforeseen_rows(const ek_store *csr, eki_features *f)
{
	const int64_t lanes = eki_lanes(f->isa, f->value), rows = csr->rows;
	const int64_t n = rows < ROWS ? rows : ROWS;
	predictors p = {.lanes = lanes,
	                .shift = __builtin_ctz((unsigned)lanes),
	                .steps_differ = lanes > 1 && f->stats.row_max > lanes};

	memset(p.lengths.table, 0xff, sizeof p.lengths.table);
	memset(p.steps.table, 0xff, sizeof p.steps.table);
	if (rows <= ROWS) {
		see_rows(&p, csr, 0, rows);
		p.lengths.missed = p.steps.missed = 0;
		see_rows(&p, csr, 0, rows);
	} else {
		for (int k = 0; k < WINDOWS; k++)
			see_rows(&p, csr, rows * (2 * k + 1) / (2 * WINDOWS) - WINDOW / 2, WINDOW);
	}
	f->unforeseen_share = n ? (double)p.lengths.missed / (double)n : 0;
	f->unforeseen_steps = n && lanes > 1 ? (double)p.steps.missed / (double)n
	                                     : f->unforeseen_share;
}
