/* SPDX-License-Identifier: BSD-3-Clause
 * Charts with a curve for each of a few methods: what preparation costs against the number of
 * products, and the performance profile: for each method, the share of the matrices on which its
 * time is at most t times that of the fastest of all, ours and peers. At t = 1 it says how often a
 * method wins, to the right how far it ever falls behind; a matrix that a method refused counts
 * against it everywhere. Source: Dolan and More 2002. */
#include <math.h>
#include <string.h>

#include "html.h"

/* ---- Curves ---------------------------------------------------------------------------------- */

#define MOST_LINES 12
#define MOST_OURS  3

static int lines(const struct report *report, const struct record **line)
{
	const struct bench_case *c = &report->cases[0];
	int count = 0;

	for (int kind = RECORD_PEER; kind >= RECORD_OURS; kind--) {
		int first = count;

		for (int k = 0; k < c->count && count < MOST_LINES; k++) {
			const struct record *r = &c->record[k];
			int at = count;

			if ((int)r->kind != kind || isnan(mean_vs_csr(report, r->method)))
				continue;
			for (; at > first && mean_vs_csr(report, line[at - 1]->method) <
			                             mean_vs_csr(report, r->method);
			     at--)
				line[at] = line[at - 1];
			line[at] = r;
			count++;
		}
		if (kind == RECORD_OURS && count > first + MOST_OURS)
			count = first + MOST_OURS;
	}
	return count;
}

static enum role line_role(const struct record *r)
{
	return r->kind == RECORD_PEER ? PEER : r->kind == RECORD_AUTO ? AUTO : BEST;
}

/* "plot" with a line for each record, whose points follow as inline data. */
static void plot_lines(FILE *g, const struct record *const *line, int count)
{
	int peers = 0, ours = 0;

	for (int k = 0; k < count; k++) {
		enum role role = line_role(line[k]);
		int dash = role == PEER ? ++peers : role == BEST ? ++ours : 1;

		fprintf(g, "%s'-' with lines lw %g dt %d lc rgb '#0102%02x' title ",
		        k ? ", " : "plot ", role == AUTO ? 3.2 : 1.9, dash, role);
		chart_quoted(g, chart_name(line[k]));
	}
	fputc('\n', g);
}

/* A chart with a curve for each of all peers, auto, and the best few of ours in the mean: value(x)
 * for x from 1 to `most`, on a logarithmic axis, in so many steps. `axes` is what gnuplot is told of
 * labels, the range of y and the like. */
struct curves {
	const char *axes;
	double most;
	int steps;
	double (*value)(const struct report *report, const char *method, double x);
};

static void draw(const struct report *report, const struct curves *c, FILE *page)
{
	const struct record *line[MOST_LINES];
	int count = report->count ? lines(report, line) : 0;
	struct chart chart;

	/* The names stand below, in three columns. */
	if (!count || !chart_begin(&chart, 620, 370 + 20 * ((count + 2) / 3)))
		return;
	FILE *g = chart.gnuplot;

	fprintf(g,
	        "set logscale x\nset xrange [1:%g]\nset border 3\n"
	        "set grid y lt 1 lw 0.7 lc rgb '#0102%02x'\nset key bmargin center "
	        "horizontal maxcols 3 Left reverse samplen 2 spacing 1.15\n%s",
	        c->most, GRID, c->axes);
	plot_lines(g, line, count);
	for (int k = 0; k < count; k++) {
		for (int step = 0; step <= c->steps; step++) {
			double x = pow(c->most, (double)step / c->steps);

			fprintf(g, "%g %g\n", x, c->value(report, line[k]->method, x));
		}
		fputs("e\n", g);
	}
	chart_end(&chart, page);
}

/* ---- What preparation costs ------------------------------------------------------------------ */

/* Geometric mean over the matrices of plain CSR's time for n products over the method's. */
static double gain(const struct report *report, const char *method, double n)
{
	double sum = 0;
	int count = 0;

	for (int k = 0; k < report->count; k++) {
		const struct bench_case *c = &report->cases[k];
		const struct record *r = case_record(c, method);

		if (!r || isnan(r->ms) || isnan(r->vs_csr))
			continue;
		sum += log(n * c->csr_ms / (r->prepare_ms + n * c->csr_ms / r->vs_csr));
		count++;
	}
	return count ? exp(sum / count) : NAN;
}

void chart_break_even(const struct report *report, FILE *page)
{
	char axes[512];
	const struct curves c = {.axes = axes, .most = 1e5, .steps = 50, .value = gain};

	snprintf(axes, sizeof axes,
	         "set xlabel 'number of products with one preparation'\n"
	         "set ylabel 'speed-up over plain CSR, preparation paid'\n"
	         "set yrange [0:*]\nset format x '%%.0f'\n"
	         "set arrow from graph 0,first 1 to graph 1,first 1 nohead lw 1.4 lc rgb "
	         "'#0102%02x'\n",
	         PLAIN);
	draw(report, &c, page);
}

/* ---- Performance profile --------------------------------------------------------------------- */

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

	draw(report, &c, page);
}
