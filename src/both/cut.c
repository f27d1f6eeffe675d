/* SPDX-License-Identifier: BSD-3-Clause
 * Rules of products by both kinds of core, all of them functions of times: where to cut the rows,
 * in how many chunks the device does those above the cut, and whether both sides are worth it.
 *
 * In chunks, copies run beside kernels: while the device multiplies a chunk, the lines of x that
 * only the next one reads are sent, and y of the chunk before is fetched. Beside x of the first
 * chunk and y of the last one there is no kernel. How much of x the first chunk reads is counted:
 * of three chunks of a band it reads a third, of a graph often all, and then only copies of y
 * overlap. So it is, too, where x must be whole before the first kernel. Each chunk more has a
 * price: a launch, copies and orders of the queues, and a kernel in whose last groups the device is
 * not full. */
#include "both/both.h"

#ifndef EK_NO_GPU

/* Both sides are used only if they take less than this part of the time of the faster one. */
#define FASTER 0.97

/* The price of a chunk: seconds, and a part of the time in one chunk. Both are estimates. */
#define CHUNK_SECONDS 20e-6
#define CHUNK_PART    0.03

bool eki_both_pays(double both, double alone)
{
	return both < FASTER * alone;
}

/* Returns the seconds that the device needs for the rows above cut `at` in n chunks. */
static double in_chunks(const eki_speeds *t, const eki_above *above, int at, int n)
{
	const eki_above *all = &above[at];
	const double kernels = t->device * all->work;
	const double copies = t->to * all->lines + t->back * all->rows;
	const double lines = t->early ? all->lines : above[at / n].lines;
	const double alone = t->to * lines + t->back * all->rows / n;
	/* The last kernel comes behind all copies of x. */
	const double beside = copies - alone + kernels / n;

	return alone + (kernels > beside ? kernels : beside);
}

double eki_chunk_time(const eki_speeds *t, const eki_above *above, int at, int n)
{
	const double price = CHUNK_SECONDS + CHUNK_PART * in_chunks(t, above, at, 1);

	return in_chunks(t, above, at, n) + (n - 1) * price;
}

int eki_chunks(const eki_speeds *t, const eki_above above[EKI_SHARES + 1], int at)
{
	int best = t->least > 1 ? t->least : 1;

	for (int n = best + 1; n <= t->most && n <= at; n++)
		if (eki_chunk_time(t, above, at, n) < eki_chunk_time(t, above, at, best))
			best = n;
	return best;
}

int eki_best_cut(const eki_speeds *t, const eki_above above[EKI_SHARES + 1], double *seconds)
{
	int best = 0;

	for (int k = 1; k < EKI_SHARES; k++) {
		const double device = eki_chunk_time(t, above, k, eki_chunks(t, above, k));
		const double host = t->host * (1 - above[k].work);
		const double both = device > host ? device : host;

		if (!best || both < *seconds) {
			best = k;
			*seconds = both;
		}
	}
	return best;
}

#endif
