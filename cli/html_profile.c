/* SPDX-License-Identifier: BSD-3-Clause
 * The performance profile: for each method, the share of the matrices on which its time is at most t
 * times that of the fastest of all, ours and peers. At t = 1 it says how often a method wins, to the
 * right how far it ever falls behind; a matrix that a method refused counts against it everywhere.
 * Source: Dolan and More 2002. */
#include <math.h>

#include "html.h"

#define MOST_FACTOR 8.0
#define STEPS       120

/* Time over the least of the matrix; infinite where there is none. */
static double behind(const struct bench_case *c, const char *method)
{
	const struct record *best = case_best(c, KINDS_OURS | KINDS_PEERS);
	const struct record *r = case_record(c, method);

	return !r || !best || !(r->csr_gbps > 0) ? INFINITY : best->csr_gbps / r->csr_gbps;
}

static double share_within(const struct report *report, const char *method, double factor)
{
	int within = 0;

	for (int k = 0; k < report->count; k++)
		within += behind(&report->cases[k], method) <= factor * (1 + 1e-12);
	return (double)within / report->count;
}

void chart_profile(const struct report *report, FILE *page)
{
	const struct curves c = {.axes = "set xlabel 'time over that of the fastest method'\n"
	                                 "set ylabel 'share of the matrices'\n"
	                                 "set yrange [0:1.02]\nset format x '%g'\n"
	                                 "set logscale x 2\n",
	                         .most = MOST_FACTOR,
	                         .steps = STEPS,
	                         .value = share_within};

	chart_curves(report, &c, page);
}
