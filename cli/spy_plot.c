/* SPDX-License-Identifier: BSD-3-Clause
 * The picture of `ek spy` for gnuplot. Its own labels would be all digits of the numbers, which
 * run into each other on large matrices: here there are as many as fit, and short: 200M. */
#include <math.h>
#include <string.h>

#include "spy.h"

/* In pixels: the longer axis, and the room for a letter. */
#define AXIS   570
#define LETTER 10

/* 950, 1500, 20k, 2.5M, 1G: five letters at most. */
static void label(char text[32], int64_t n)
{
	static const char *const suffix[] = {"", "k", "M", "G", "T"};
	double value = (double)n;
	int k = 0;

	for (; n >= 10000 && value >= 1000 && k < 4; k++)
		value /= 1000;
	if (k && fmod(value, 1) != 0) /* steps below the suffix, as 12500 and 15000 */
		snprintf(text, 32, "%.4g%s", value, suffix[k]);
	else
		snprintf(text, 32, "%.0f%s", value, suffix[k]);
}

/* Labels at multiples of 1, 2 or 5 times a power of ten, at most `most` steps of them. */
static void print_tics(const char *axis, int64_t n, int most, FILE *out)
{
	static const int factor[] = {1, 2, 5};
	int64_t step = 1, ten = 1;
	char text[32];

	for (int k = 0; step * (most > 1 ? most : 1) < n; step = ten * factor[k])
		if (++k == 3) {
			k = 0;
			ten *= 10;
		}
	fprintf(out, "set %stics (", axis);
	for (int64_t at = 0; at <= n; at += step) {
		label(text, at);
		fprintf(out, "%s'%s' %lld", at ? ", " : "", text, (long long)at);
	}
	fprintf(out, ")\n");
}

/* The name, cut where the picture ends, without what has a meaning in double quotes. */
static void title_of(const char *name, int letters, char *title, size_t size)
{
	size_t used = 0, most = (size_t)letters < size ? (size_t)letters : size - 1;
	const bool cut = strlen(name) > most;

	for (const char *c = name; *c && used < most - (cut ? 3 : 0); c++)
		if (*c != '"' && *c != '\\' && *c != '\n' && *c != '`')
			title[used++] = *c;
	snprintf(title + used, size - used, "%s", cut ? "..." : "");
}

void spy_plot(const struct grid *g, const char *name, bool svg, FILE *out)
{
	double ratio = (double)g->height / g->width;
	int height = g->height > 1 ? g->height : 2, width = g->width > 1 ? g->width : 2;
	char rows[32], cols[32], nnz[32], title[300];
	int wide, high;

	/* Axes as the matrix is shaped, but thin ones stay readable. */
	ratio = fmin(fmax(ratio, 0.3), 3);
	wide = ratio > 1 ? (int)(AXIS / ratio) + 230 : 800;
	high = ratio < 1 ? (int)(AXIS * ratio) + 230 : 800;
	title_of(name, wide / LETTER, title, sizeof title);
	if (svg)
		fprintf(out, "set terminal svg size %d,%d dynamic background '#ffffff'\n", wide,
		        high);
	else
		fprintf(out,
		        "if (strstrt(GPVAL_TERMINALS, 'pngcairo')) { set terminal pngcairo size "
		        "%d,%d } else { set terminal png truecolor size %d,%d }\n",
		        wide, high, wide, high);
	if (g->most > 1 && g->most < 10) /* gnuplot labels powers of ten only */
		fprintf(out, "set cbtics add ('%lld' %lld)\n", (long long)g->most,
		        (long long)g->most);
	print_tics("x2", g->cols, (int)(fmin(1, 1 / ratio) * AXIS) / (6 * LETTER), out);
	print_tics("y", g->rows, (int)(fmin(1, ratio) * AXIS) / (4 * LETTER), out);
	fprintf(out,
	        "set title \"%s\\n%s x %s, %s entries\" noenhanced\n"
	        "set size ratio %g\nset palette defined (0 '#9ecae1', 0.5 '#2171b5', 1 '#08306b')\n"
	        "set cblabel 'entries in a cell'\nset logscale cb\nset cbrange [1:%lld]\n"
	        "set xrange [0:%lld]\nset yrange [%lld:0]\nset format x ''\n"
	        "set x2range [0:%lld]\nset tics out nomirror\nunset key\n"
	        "plot '-' using (($1+0.5)*%.17g):(($2+0.5)*%.17g):($3>0?$3:NaN) matrix with image "
	        "pixels\n",
	        title, tool_count(rows, g->rows), tool_count(cols, g->cols),
	        tool_count(nnz, g->nnz), ratio, (long long)(g->most > 2 ? g->most : 2),
	        (long long)(g->cols > 0 ? g->cols : 1), (long long)(g->rows > 0 ? g->rows : 1),
	        (long long)(g->cols > 0 ? g->cols : 1), (double)g->cols / width,
	        (double)g->rows / height);
	/* gnuplot's images have at least two rows and columns: a single one is given twice. */
	for (int row = 0; row < height; row++) {
		for (int col = 0; col < width; col++)
			fprintf(out, "%lld ",
			        (long long)g->count[row % g->height * g->width + col % g->width]);
		fputc('\n', out);
	}
	fputs("e\n", out);
}
