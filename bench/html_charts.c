/* SPDX-License-Identifier: BSD-3-Clause
 * Charts of products: the rates of all methods on one matrix as bars, and the shares of the bound
 * that methods reach on all matrices. */
#include <math.h>
#include <string.h>

#include "html.h"

/* ---- Bars ------------------------------------------------------------------------------------ */

void chart_bars(const struct bench_case *c, FILE *page)
{
	const double bound = c->v[V_BOUND_GBPS];
	struct chart chart;
	double most = bound;

	for (int k = 0; k < c->count; k++)
		most = fmax(most, c->record[k].v[V_RATE]);
	if (!c->count || !chart_begin(&chart, 620, 74 + 23 * c->count))
		return;
	fprintf(chart.gnuplot,
	        "set xlabel 'GB/s of CSR data (matrix, x and y once)'\nset xrange [0:%g]\n"
	        "set yrange [%d:-1.2]\nset style fill solid 1 noborder\nset tmargin 0.6\n"
	        "set rmargin 2\n"
	        "set arrow from %g,-0.7 to %g,%g nohead lw 1.6 dt (6,4) lc rgb BOUND\n"
	        "set label '%s %.1f' at %g,-0.9 %s textcolor rgb BOUND\n",
	        1.13 * most, c->count, bound, bound, c->count - 0.4, c->device ? "copies" : "reads",
	        bound, bound, bound > 0.6 * most ? "right offset -0.5,0" : "left offset 0.5,0");
	chart_series(
		&chart, NULL,
		"using 2:1:(0):2:($1-0.36):($1+0.36):3:ytic(4) with boxxyerror lc rgb variable");
	for (int k = 0; k < c->count; k++) {
		const struct record *r = &c->record[k];

		fprintf(chart.data, "%d %g %d ", k, fmax(r->v[V_RATE], 0), COLOUR(role_of(c, r)));
		chart_quoted(chart.data, method_short(r->name));
		fputc('\n', chart.data);
	}
	chart_series(&chart, NULL,
	             "using 2:1:3 with labels left offset 0.6,0 font ',12' textcolor rgb TEXT");
	for (int k = 0; k < c->count; k++) {
		const struct record *r = &c->record[k];

		fprintf(chart.data, "%d %g ", k, fmax(r->v[V_RATE], 0));
		fprintf(chart.data,
		        r->refused            ? "refused\n"
		        : isnan(r->v[V_RATE]) ? "failed\n"
		                              : "%.1f\n",
		        r->v[V_RATE]);
	}
	chart_end(&chart, page);
}

/* ---- All matrices ---------------------------------------------------------------------------- */

/* The series of the charts over all matrices. */
static const struct {
	const char *title;
	enum role role;
	int point;
	double size;
	/* Set of kinds of records (bits 1 << kind), of which the best is plotted. 0: plain CSR is
	 * plotted. */
	unsigned kinds;
} series[] = {{"plain CSR", PLAIN, 6, 0.75, 0},
              {"best peer", PEER, 12, 0.95, KINDS_PEERS},
              {"our best", BEST, 7, 0.8, KINDS_OURS},
              {"auto", AUTO, 4, 1.0, 1u << RECORD_AUTO}};
enum { SERIES = sizeof series / sizeof *series };

static double share_of_bound(const struct bench_case *c, int which)
{
	double share = NAN;

	if (series[which].kinds)
		return best_of_bound(c, series[which].kinds);
	for (int k = 0; k < c->count; k++)
		if (record_is_plain(&c->record[k]) && isnan(share))
			share = c->record[k].v[V_OF_BOUND];
	return share;
}

static bool has_share(const struct bench_case *c)
{
	for (int s = 0; s < SERIES; s++)
		if (!isnan(share_of_bound(c, s)))
			return true;
	return false;
}

/* Plots each series that has points. A line of data has the spread of the row lengths or the row of
 * the chart, the share of the bound, and the name of the matrix. */
static void plot_series(struct chart *chart, const struct bench *b, const char *using,
                        bool by_spread)
{
	for (int s = 0; s < SERIES; s++) {
		int row = 0, points = 0;

		for (int k = 0; k < b->count; k++) {
			const struct bench_case *c = &b->cases[k];
			const double y = share_of_bound(c, s),
				     spread = c->v[V_ROW_STDDEV] / c->v[V_ROW_MEAN];

			row += k > 0 && has_share(c - 1);
			if (isnan(y))
				continue;
			if (!points++)
				chart_series(chart, series[s].title,
				             "using %s with points pt %d ps %g lw 1.6 lc rgb %d",
				             using, series[s].point, series[s].size,
				             COLOUR(series[s].role));
			fprintf(chart->data, "%g %g ", by_spread ? fmax(spread, 0.01) : (double)row,
			        y);
			chart_quoted(chart->data, c->name);
			fputc('\n', chart->data);
		}
	}
}

/* Lists below the chart the matrices that have no row in it. */
static void name_blank(const struct bench *b, FILE *page)
{
	int count = 0;

	for (int k = 0; k < b->count; k++)
		if (!has_share(&b->cases[k]))
			html(page,
			     count++ ? ", %s"
			             : "<p>Not shown, because a product moves less than 1 MB: %s",
			     b->cases[k].name);
	fputs(count ? ".</p>\n" : "", page);
}

void chart_overview(const struct bench *b, FILE *page)
{
	struct chart chart;
	int rows = 0, row = 0;

	for (int k = 0; k < b->count; k++)
		rows += has_share(&b->cases[k]);
	if (!chart_begin(&chart, 1240, 104 + 24 * rows))
		return;
	fprintf(chart.gnuplot,
	        "set xlabel 'speed over the bound (CSR bytes / time / bound)'\n"
	        "set xrange [0:*<3]\nset yrange [%g:-0.6]\nset key at graph 0.5,1.0 bottom center "
	        "horizontal samplen 1\nset tmargin 2.2\nset rmargin 2\n"
	        "set grid y lt 1 lw 0.4 lc rgb GRID\n"
	        "set arrow from 1,graph 0 to 1,graph 1 nohead lw 1.6 dt (6,4) lc rgb BOUND\n",
	        rows - 0.4);
	for (int k = 0; k < b->count; k++)
		if (has_share(&b->cases[k]))
			chart_tic(&chart, b->cases[k].name, row++);
	fputs(")\n", chart.gnuplot);
	plot_series(&chart, b, "2:1", false);
	chart_end(&chart, page);
	name_blank(b, page);
}

void chart_variation(const struct bench *b, FILE *page)
{
	struct chart chart;

	if (!chart_begin(&chart, 620, 380))
		return;
	fputs("set xlabel 'spread of the row lengths: standard deviation / mean'\n"
	      "set ylabel 'speed over the bound'\nset logscale x\nset format x '%g'\n"
	      "set xrange [0.008:*]\nset yrange [0:*<3]\nset border 3\n"
	      "set grid y lt 1 lw 0.7 lc rgb GRID\n"
	      "set key at graph 0.5,1.0 bottom center horizontal samplen 1\nset tmargin 2.2\n"
	      "set rmargin 2\n"
	      "set arrow from graph 0,first 1 to graph 1,first 1 nohead lw 1.6 dt (6,4) lc rgb "
	      "BOUND\n",
	      chart.gnuplot);
	plot_series(&chart, b, "1:2", true);
	chart_end(&chart, page);
}
