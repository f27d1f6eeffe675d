/* SPDX-License-Identifier: BSD-3-Clause
 * Charts with a curve for each of a few methods. One chart shows the speed-up over plain CSR,
 * preparation included, against the number of products. The other is the performance profile (Dolan
 * and More 2002): for each method, the share of the matrices on which its time is at most t times
 * that of the fastest method, whether ours or a peer. At t = 1 the curve shows how often a method
 * is the fastest, at large t how far it falls behind at worst. A matrix that a method refused
 * counts against it at every t. */
#include <math.h>
#include <string.h>

#include "html.h"

/* ---- Curves ---------------------------------------------------------------------------------- */

#define MOST_LINES 12
#define MOST_OURS  3

static int lines(const struct bench *b, const struct record **line)
{
	const struct record *row[MOST_NAMES];
	int count = 0;

	for (int kind = RECORD_PEER; kind >= RECORD_OURS; kind--) {
		const int all = best_first(b, 1u << kind, row);

		for (int k = 0; k < all && count < MOST_LINES; k++)
			if (kind != RECORD_OURS || k < MOST_OURS)
				line[count++] = row[k];
	}
	return count;
}

/* A chart with a curve for each peer, for auto, and for the few of our methods that are the fastest
 * in the mean. A curve shows value(x) at `steps` + 1 points from 1 to `most` on a logarithmic axis.
 * `axes` has gnuplot commands for the axes, such as their labels and the range of y. */
struct curves {
	const char *axes;
	double most;
	int steps;
	double (*value)(const struct bench *b, const char *name, double x);
};

static void draw(const struct bench *b, const struct curves *c, FILE *page)
{
	const struct record *line[MOST_LINES];
	int count = b->count ? lines(b, line) : 0, dashes[ROLES] = {0};
	struct chart chart;

	/* The names of the methods are below the chart, in three columns. */
	if (!count || !chart_begin(&chart, 620, 370 + 20 * ((count + 2) / 3)))
		return;
	fprintf(chart.gnuplot,
	        "set logscale x\nset xrange [1:%g]\nset border 3\n"
	        "set grid y lt 1 lw 0.7 lc rgb GRID\nset key bmargin center "
	        "horizontal maxcols 3 Left reverse samplen 2 spacing 1.15\n%s",
	        c->most, c->axes);
	for (int k = 0; k < count; k++) {
		const enum role role = line[k]->kind == RECORD_OURS ? BEST : role_of(NULL, line[k]);

		chart_series(&chart, method_short(line[k]->name),
		             "with lines lw %g dt %d lc rgb %d", role == AUTO ? 3.2 : 1.9,
		             ++dashes[role], COLOUR(role));
		for (int step = 0; step <= c->steps; step++) {
			double x = pow(c->most, (double)step / c->steps);

			fprintf(chart.data, "%g %g\n", x, c->value(b, line[k]->name, x));
		}
	}
	chart_end(&chart, page);
}

/* ---- What preparation costs ------------------------------------------------------------------ */

/* Returns the speed-up over plain CSR for n products, preparation included, as the geometric mean
 * over the matrices. */
static double gain(const struct bench *b, const char *name, double n)
{
	struct mean mean = {0};

	for (int k = 0; k < b->count; k++) {
		const double unit = n * b->cases[k].v[V_UNIT_MS];
		const struct record *r = case_record(&b->cases[k], name);

		if (r)
			mean_add(&mean, unit / (r->v[V_PREPARE_MS] + unit / r->v[V_VS_CSR]));
	}
	return mean_value(mean);
}

void chart_break_even(const struct bench *b, FILE *page)
{
	const struct curves c = {.axes = "set xlabel 'number of products with one preparation'\n"
	                                 "set ylabel 'speed-up over plain CSR, preparation paid'\n"
	                                 "set yrange [0:*]\nset format x '%.0f'\n"
	                                 "set arrow from graph 0,first 1 to graph 1,first 1 nohead "
	                                 "lw 1.4 lc rgb PLAIN\n",
	                         .most = 1e5,
	                         .steps = 50,
	                         .value = gain};

	draw(b, &c, page);
}

/* ---- Performance profile --------------------------------------------------------------------- */

#define MOST_FACTOR 8.0
#define STEPS       120

/* Returns the time of a method over the least time on the matrix; infinity if it was not timed. */
static double behind(const struct bench_case *c, const char *name)
{
	const struct record *best = case_best(c, KINDS_OURS | KINDS_PEERS),
			    *r = case_record(c, name);

	return !r || !best || !(r->v[V_RATE] > 0) ? INFINITY : best->v[V_RATE] / r->v[V_RATE];
}

static double share_within(const struct bench *b, const char *name, double factor)
{
	int within = 0;

	for (int k = 0; k < b->count; k++)
		within += behind(&b->cases[k], name) <= factor * (1 + 1e-12);
	return (double)within / b->count;
}

void chart_profile(const struct bench *b, FILE *page)
{
	const struct curves c = {.axes = "set xlabel 'time over that of the fastest method'\n"
	                                 "set ylabel 'share of the matrices'\n"
	                                 "set yrange [0:1.02]\nset format x '%g'\n"
	                                 "set logscale x 2\n",
	                         .most = MOST_FACTOR,
	                         .steps = STEPS,
	                         .value = share_within};

	draw(b, &c, page);
}
