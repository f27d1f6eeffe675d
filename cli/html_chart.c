/* SPDX-License-Identifier: BSD-3-Clause
 * Charts by gnuplot, as SVG inside the page. gnuplot only knows fixed colours, but the page has a
 * light and a dark face: each role has a colour that nothing else uses, rgb(1, 2, ROLE), which is
 * replaced by a variable of the style sheet while the SVG is copied. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "html.h"

static const char *const variable[] = {
	[AXIS] = "--axis",   [TEXT] = "--ink2",  [GRID] = "--grid", [OURS] = "--ours",
	[BEST] = "--best",   [AUTO] = "--auto",  [PEER] = "--peer", [PLAIN] = "--csr",
	[BOUND] = "--bound", [FAINT] = "--faint"};

bool chart_possible(void)
{
	const char *folders = getenv("PATH");
	char path[4096];

	while (folders && *folders) {
		size_t len = strcspn(folders, ":");

		snprintf(path, sizeof path, "%.*s/gnuplot", (int)len, folders);
		if (access(path, X_OK) == 0)
			return true;
		folders += len + (folders[len] == ':');
	}
	return false;
}

bool chart_begin(struct chart *c, int width, int height)
{
	static int number;
	char command[128];
	int file;

	c->width = width;
	snprintf(c->path, sizeof c->path, "/tmp/ek-chart-XXXXXX");
	file = tool_temporary(c->path, 0);
	if (file < 0)
		return false;
	close(file);
	snprintf(command, sizeof command, "gnuplot >%s 2>/dev/null", c->path);
	c->gnuplot = popen(command, "w");
	if (!c->gnuplot) {
		tool_temporary_remove();
		return false;
	}
	fprintf(c->gnuplot,
	        "set terminal svg size %d,%d dynamic noenhanced font 'sans-serif,13' name 'c%d'\n"
	        "set border 1 lc rgb '#0102%02x'\n"
	        "set tics nomirror scale 0.4 textcolor rgb '#0102%02x'\n"
	        "set grid x lt 1 lw 0.7 lc rgb '#0102%02x'\n"
	        "set key textcolor rgb '#0102%02x'\n"
	        "set xlabel textcolor rgb '#0102%02x'\n"
	        "set ylabel textcolor rgb '#0102%02x'\n",
	        width, height, ++number, AXIS, TEXT, GRID, TEXT, TEXT, TEXT);
	return true;
}

/* The text from "<svg" on, with role colours replaced. */
static void copy_svg(const char *svg, FILE *page)
{
	const char *at = strstr(svg, "<svg"), *next;
	int red, green, role, used;

	for (; at && (next = strstr(at, "rgb(")); at = next + used) {
		fwrite(at, 1, (size_t)(next - at), page);
		used = 0;
		if (sscanf(next, "rgb(%d ,%d ,%d )%n", &red, &green, &role, &used) == 3 && used &&
		    red == 1 && green == 2 && role >= AXIS && role <= FAINT) {
			fprintf(page, "var(%s)", variable[role]);
			continue;
		}
		used = 4;
		fputs("rgb(", page);
	}
	if (at)
		fputs(at, page);
}

void chart_end(struct chart *c, FILE *page)
{
	char *svg = NULL;
	size_t room = 0;
	FILE *file;

	pclose(c->gnuplot);
	file = fopen(c->path, "r");
	if (file && getdelim(&svg, &room, 0, file) > 0) {
		fprintf(page, "<div class=chart style=\"--w:%dpx\">", c->width);
		copy_svg(svg, page);
		fputs("</div>", page);
	}
	free(svg);
	if (file)
		fclose(file);
	tool_temporary_remove();
}

void chart_quoted(FILE *gnuplot, const char *text)
{
	fputc('"', gnuplot);
	for (; *text; text++)
		if (*text != '"' && *text != '\\')
			fputc(*text, gnuplot);
	fputc('"', gnuplot);
}

static enum role role_of(const struct bench_case *c, const struct record *r)
{
	if (r->kind == RECORD_PEER)
		return PEER;
	if (r->kind == RECORD_AUTO)
		return AUTO;
	if (r == case_best(c, 1u << RECORD_OURS))
		return BEST;
	return record_is_plain(r) ? PLAIN : OURS;
}

const char *chart_name(const struct record *r)
{
	return strncmp(r->method, "spmv.", 5) == 0 ? r->method + 5 : r->method;
}

/* ---- Bars ------------------------------------------------------------------------------------ */

void chart_bars(const struct bench_case *c, FILE *page)
{
	struct chart chart;
	double most = c->bound_gbps;

	for (int k = 0; k < c->count; k++)
		most = c->record[k].csr_gbps > most ? c->record[k].csr_gbps : most;
	if (!c->count || !chart_begin(&chart, 620, 74 + 23 * c->count))
		return;
	FILE *g = chart.gnuplot;

	fprintf(g,
	        "set xlabel 'GB/s of CSR data (matrix, x and y once)'\nset xrange [0:%g]\n"
	        "set yrange [%d:-1.2]\nset style fill solid 1 noborder\nset tmargin 0.6\n"
	        "set rmargin 2\n"
	        "set arrow from %g,-0.7 to %g,%g nohead lw 1.6 dt (6,4) lc rgb '#0102%02x'\n"
	        "set label '%s %.1f' at %g,-0.9 %s textcolor rgb '#0102%02x'\n"
	        "plot '-' using 2:1:(0):2:($1-0.36):($1+0.36):3:ytic(4) with boxxyerror lc rgb "
	        "variable notitle, '-' using 2:1:3 with labels left offset 0.6,0 font ',12' "
	        "textcolor rgb '#0102%02x' notitle\n",
	        1.13 * most, c->count, c->bound_gbps, c->bound_gbps, c->count - 0.4, BOUND,
	        c->device ? "copies" : "reads", c->bound_gbps, c->bound_gbps,
	        c->bound_gbps > 0.6 * most ? "right offset -0.5,0" : "left offset 0.5,0", BOUND,
	        TEXT);
	for (int pass = 0; pass < 2; pass++) {
		for (int k = 0; k < c->count; k++) {
			const struct record *r = &c->record[k];

			fprintf(g, "%d %g ", k, isnan(r->csr_gbps) ? 0 : r->csr_gbps);
			if (pass)
				fprintf(g,
				        r->refused           ? "refused\n"
				        : isnan(r->csr_gbps) ? "failed\n"
				                             : "%.1f\n",
				        r->csr_gbps);
			else {
				fprintf(g, "%d ", 0x010200 + (int)role_of(c, r));
				chart_quoted(g, chart_name(r));
				fputc('\n', g);
			}
		}
		fputs("e\n", g);
	}
	chart_end(&chart, page);
}

/* ---- All matrices ---------------------------------------------------------------------------- */

/* What the charts of all matrices show of one. */
static const struct {
	const char *title;
	enum role role;
	int point;
	double size;
} series[] = {{"plain CSR", PLAIN, 6, 0.75},
              {"best peer", PEER, 12, 0.95},
              {"our best", BEST, 7, 0.8},
              {"auto", AUTO, 4, 1.0}};

static double share_of_bound(const struct bench_case *c, int which)
{
	static const unsigned kinds[] = {0, KINDS_PEERS, KINDS_OURS, 1u << RECORD_AUTO};
	const struct record *plain = which ? NULL : case_record(c, unit_method(c->device));

	return plain ? plain->of_bound : best_of_bound(c, kinds[which]);
}

static bool has_series(const struct report *report, int which)
{
	for (int k = 0; k < report->count; k++)
		if (!isnan(share_of_bound(&report->cases[k], which)))
			return true;
	return false;
}

static bool has_share(const struct bench_case *c)
{
	for (int s = 0; s < 4; s++)
		if (!isnan(share_of_bound(c, s)))
			return true;
	return false;
}

/* "plot" with one inline data set for each series that has data: columns 1 x, 2 y, 3 name. */
static void plot_series(FILE *g, const struct report *report, const char *using, bool by_spread)
{
	const char *between = "plot ";

	for (int s = 0; s < 4; s++) {
		if (!has_series(report, s))
			continue;
		fprintf(g,
		        "%s'-' using %s with points pt %d ps %g lw 1.6 lc rgb '#0102%02x' title "
		        "'%s'",
		        between, using, series[s].point, series[s].size, series[s].role,
		        series[s].title);
		between = ", ";
	}
	fputc('\n', g);
	for (int s = 0; s < 4; s++) {
		int row = 0;

		for (int k = 0; has_series(report, s) && k < report->count; k++) {
			const struct bench_case *c = &report->cases[k];
			double y = share_of_bound(c, s), spread = c->row_stddev / c->row_mean;

			row += k > 0 && has_share(c - 1);
			if (isnan(y))
				continue;
			fprintf(g, "%g %g ", by_spread ? fmax(spread, 0.01) : (double)row, y);
			chart_quoted(g, c->matrix);
			fputc('\n', g);
		}
		if (has_series(report, s))
			fputs("e\n", g);
	}
}

/* Matrices without a row. */
static void name_blank(const struct report *report, FILE *page)
{
	const char *between = "<p>Not shown, because a product moves less than 1 MB: ";

	for (int k = 0; k < report->count; k++)
		if (!has_share(&report->cases[k])) {
			fputs(between, page);
			html_text(page, report->cases[k].matrix);
			between = ", ";
		}
	if (*between == ',')
		fputs(".</p>\n", page);
}

void chart_overview(const struct report *report, FILE *page)
{
	struct chart chart;
	int rows = 0;

	for (int k = 0; k < report->count; k++)
		rows += has_share(&report->cases[k]);
	if (!chart_begin(&chart, 1240, 104 + 24 * rows))
		return;
	FILE *g = chart.gnuplot;

	fprintf(g,
	        "set xlabel 'speed over the bound (CSR bytes / time / bound)'\n"
	        "set xrange [0:*<3]\nset yrange [%g:-0.6]\nset key at graph 0.5,1.0 bottom center "
	        "horizontal samplen 1\nset tmargin 2.2\nset rmargin 2\n"
	        "set grid y lt 1 lw 0.4 lc rgb '#0102%02x'\n"
	        "set arrow from 1,graph 0 to 1,graph 1 nohead lw 1.6 dt (6,4) lc rgb '#0102%02x'\n"
	        "set ytics (",
	        rows - 0.4, GRID, BOUND);
	for (int k = 0, row = 0; k < report->count; k++) {
		if (!has_share(&report->cases[k]))
			continue;
		fputs(row ? ", " : "", g);
		chart_quoted(g, report->cases[k].matrix);
		fprintf(g, " %d", row++);
	}
	fputs(")\n", g);
	plot_series(g, report, "2:1", false);
	chart_end(&chart, page);
	name_blank(report, page);
}

void chart_variation(const struct report *report, FILE *page)
{
	struct chart chart;

	if (!chart_begin(&chart, 620, 380))
		return;
	FILE *g = chart.gnuplot;

	fprintf(g,
	        "set xlabel 'spread of the row lengths: standard deviation / mean'\n"
	        "set ylabel 'speed over the bound'\nset logscale x\nset format x '%%g'\n"
	        "set xrange [0.008:*]\nset yrange [0:*<3]\nset border 3\n"
	        "set grid y lt 1 lw 0.7 lc rgb '#0102%02x'\n"
	        "set key at graph 0.5,1.0 bottom center horizontal samplen 1\nset tmargin 2.2\n"
	        "set rmargin 2\n"
	        "set arrow from graph 0,first 1 to graph 1,first 1 nohead lw 1.6 dt (6,4) lc rgb "
	        "'#0102%02x'\n",
	        GRID, BOUND);
	plot_series(g, report, "1:2", true);
	chart_end(&chart, page);
}
