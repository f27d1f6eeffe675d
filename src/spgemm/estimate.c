/* SPDX-License-Identifier: BSD-3-Clause
 * Estimates the number of entries of a sparse product C from a sample of its rows, which are
 * counted as for C. The sample has groups of adjacent rows at equal distances, so that rows which
 * follow from the row before cost as little as they do in C. It has 64 rows and a 64th of the
 * others: where rows are few, that is a large part of them, and a bound serves better. */
#include "spgemm/estimate.h"

enum { SAMPLE_ROWS = EKI_ESTIMATE_FROM / 8, SAMPLE_SHARE = 64, SAMPLE_GROUP = 4 };

/* Scales the entries of the sample by the number of rows or, if rows have very different numbers of
 * products, by the number of products. */
double eki_output_estimate(const eki_step *step, const eki_run *run, const eki_batches *b,
                           eki_rows_fn *rows)
{
	const int64_t n = step->in[0]->rows;
	const int64_t groups = (SAMPLE_ROWS + n / SAMPLE_SHARE) / SAMPLE_GROUP;
	const int64_t distance = n / groups > SAMPLE_GROUP ? n / groups : SAMPLE_GROUP;
	double entries = 0, terms = 0;

	for (int64_t i = distance / 2; i < n; i += distance) {
		const int64_t end = i + SAMPLE_GROUP < n ? i + SAMPLE_GROUP : n;
		const eki_rows_task task = {.step = step,
		                            .run = run,
		                            .mode = EKI_ROWS_COUNT,
		                            .fresh = i == distance / 2,
		                            .begin = i,
		                            .end = end};

		entries += (double)rows(&task);
		terms += b->even ? (double)(end - i) : eki_batch_terms(step, b->kind, i, end);
	}
	return terms > 0 ? entries / terms * (b->even ? (double)n : b->products) : b->bound;
}
