/* SPDX-License-Identifier: BSD-3-Clause
 * Writes the picture of `ek spy` for gnuplot. gnuplot's own labels on the axes would have all
 * digits and overlap for large matrices. The labels made here are short, such as 200M, and as many
 * as fit. */
#include <math.h>
#include <string.h>

#include "spy.h"

/* Lengths in pixels: the longer axis, the margins around the axes, and the width of a letter. */
#define AXIS   570
#define LEFT   76
#define RIGHT  150 /* space for the colour scale and its title */
#define TOP    96  /* space for the title and the labels */
#define BOTTOM 24
#define LETTER 10

/* Writes a number as a label of at most five characters: 950, 1500, 20k, 2.5M, 1G. */
static void label(char text[32], int64_t n)
{
	static const char *const suffix[] = {"", "k", "M", "G", "T"};
	double value = (double)n;
	int k = 0;

	for (; n >= 10000 && value >= 1000 && k < 4; k++)
		value /= 1000;
	if (k && fmod(value, 1) != 0) /* a fraction remains, as in 12.5k */
		snprintf(text, 32, "%.4g%s", value, suffix[k]);
	else
		snprintf(text, 32, "%.0f%s", value, suffix[k]);
}

/* Prints the command that labels an axis from 0 to n in at most `most` steps of 1, 2 or 5 times a
 * power of ten. */
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

/* Copies at most `letters` characters of the name to `title`, without those that gnuplot does not
 * take literally in double quotes. */
static void title_of(const char *name, int letters, char *title, size_t size)
{
	size_t used = 0, most = (size_t)letters < size ? (size_t)letters : size - 1;
	const bool cut = strlen(name) > most;

	for (const char *c = name; *c && used < most - (cut ? 3 : 0); c++)
		if (*c != '"' && *c != '\\' && *c != '\n' && *c != '`')
			title[used++] = *c;
	snprintf(title + used, size - used, "%s", cut ? "..." : "");
}

/* Prints the commands for the size of the picture and the position of the axes. All cells get the
 * same whole number of pixels: larger ones among them would form a lattice that is not in the
 * matrix. The picture has the shape of the matrix, except that a thin one is widened to stay
 * readable. */
static void print_axes(int height, int width, bool svg, int *high, int *wide, FILE *out)
{
	const double ratio = fmin(fmax((double)height / width, 0.3), 3);

	*wide = (int)fmax(AXIS * fmin(1, 1 / ratio) / width, 1) * width;
	*high = (int)fmax(AXIS * fmin(1, ratio) / height, 1) * height;
	const int across = LEFT + *wide + RIGHT, down = TOP + *high + BOTTOM;

	if (svg)
		fprintf(out, "set terminal svg size %d,%d dynamic background '#ffffff'\n", across,
		        down);
	else
		fprintf(out,
		        "if (strstrt(GPVAL_TERMINALS, 'pngcairo')) { set terminal pngcairo size "
		        "%d,%d } else { set terminal png truecolor size %d,%d }\n",
		        across, down, across, down);
	fprintf(out,
	        "set lmargin at screen %.17g\nset rmargin at screen %.17g\n"
	        "set tmargin at screen %.17g\nset bmargin at screen %.17g\n",
	        (double)LEFT / across, (double)(LEFT + *wide) / across,
	        (double)(BOTTOM + *high) / down, (double)BOTTOM / down);
}

/* Prints the commands for the colour scale, which is left out if cells have at most one entry. */
static void print_colors(int64_t most, FILE *out)
{
	if (most < 2) {
		fputs("set palette defined (0 '#08306b', 1 '#08306b')\nunset colorbox\n"
		      "set cbrange [1:2]\n",
		      out);
		return;
	}
	if (most < 10) /* gnuplot labels powers of ten only */
		fprintf(out, "set cbtics add ('%lld' %lld)\n", (long long)most, (long long)most);
	fprintf(out,
	        "set palette defined (0 '#4292c6', 0.5 '#08519c', 1 '#041c40')\n"
	        "set cblabel 'entries in a cell'\nset logscale cb\nset cbrange [1:%lld]\n",
	        (long long)most);
}

void spy_plot(const struct grid *g, const char *name, bool svg, FILE *out)
{
	/* gnuplot's images have at least two rows and columns, so a single row or column is printed
	 * twice. */
	const int height = g->height > 1 ? g->height : 2, width = g->width > 1 ? g->width : 2;
	char rows[32], cols[32], nnz[32], title[300];
	int high, wide;

	print_axes(height, width, svg, &high, &wide, out);
	print_colors(g->most, out);
	title_of(name, (LEFT + wide + RIGHT) / LETTER, title, sizeof title);
	print_tics("x2", g->cols, wide / (6 * LETTER), out);
	print_tics("y", g->rows, high / (4 * LETTER), out);
	fprintf(out,
	        "set title \"%s\\n%s x %s, %s entries\" noenhanced\n"
	        "set xrange [0:%lld]\nset yrange [%lld:0]\nset format x ''\n"
	        "set x2range [0:%lld]\nset tics out nomirror\nunset key\n"
	        "plot '-' using (($1+0.5)*%.17g):(($2+0.5)*%.17g):($3>0?$3:NaN) matrix with "
	        "image\n",
	        title, tool_count(rows, g->rows), tool_count(cols, g->cols),
	        tool_count(nnz, g->nnz), (long long)(g->cols > 0 ? g->cols : 1),
	        (long long)(g->rows > 0 ? g->rows : 1), (long long)(g->cols > 0 ? g->cols : 1),
	        (double)g->cols / width, (double)g->rows / height);
	for (int row = 0; row < height; row++) {
		for (int col = 0; col < width; col++)
			fprintf(out, "%lld ",
			        (long long)g->count[row % g->height * g->width + col % g->width]);
		fputc('\n', out);
	}
	fputs("e\n", out);
}
