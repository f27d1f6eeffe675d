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
	const struct record *line[MOST_LINES];
	int count = report->count ? chart_lines(report, line) : 0;
	struct chart chart;

	if (!count || !chart_begin(&chart, 620, 380))
		return;
	FILE *g = chart.gnuplot;

	fprintf(g,
	        "set xlabel 'time over that of the fastest method'\n"
	        "set ylabel 'share of the matrices'\nset logscale x 2\nset xrange [1:%g]\n"
	        "set yrange [0:1.02]\nset border 3\nset format x '%%g'\n"
	        "set grid y lt 1 lw 0.7 lc rgb '#0102%02x'\nset key outside right top Left reverse "
	        "samplen 2 spacing 1.15\n",
	        MOST_FACTOR, GRID);
	chart_plot_lines(g, line, count, "lines");
	for (int k = 0; k < count; k++) {
		for (int step = 0; step <= STEPS; step++) {
			double factor = pow(MOST_FACTOR, (double)step / STEPS);

			fprintf(g, "%g %g\n", factor,
			        share_within(report, line[k]->method, factor));
		}
		fputs("e\n", g);
	}
	chart_end(&chart, page);
}
