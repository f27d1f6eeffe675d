/* SPDX-License-Identifier: BSD-3-Clause
 * The K-best scheme, for comparison with works that report such times (Bryant and O'Hallaron 2003,
 * section 9.4.3; Zhang 2012, section 3.5): a candidate is run, by itself, until the K shortest
 * times lie within a factor of 1 + EPSILON, M times at most, and the mean of the K shortest counts.
 * On a quiet machine that is the time of an undisturbed run; on a shared one it favours whoever met
 * a fast moment, so ratios should be taken from measure_rounds. A run is a batch of calls where one
 * call is too short for the clock. */
#include "measure.h"

enum { K = 5, M = 20 };
#define EPSILON 0.001

double measure_kbest(struct candidate *c, int *runs)
{
	double best[K + 1], sum = 0; /* the shortest, ascending, and room for one more */
	int count = 0;

	for (*runs = 0; *runs < M; ++*runs) {
		double seconds = measure_batch(c);
		int at = count < K ? count++ : K;

		for (; at > 0 && best[at - 1] > seconds; at--)
			best[at] = best[at - 1];
		best[at] = seconds;
		if (count == K && (1 + EPSILON) * best[0] >= best[K - 1]) {
			++*runs;
			break;
		}
	}
	for (int k = 0; k < K; k++)
		sum += best[k];
	return sum / K;
}
