/* SPDX-License-Identifier: BSD-3-Clause
 * The pages of `ek bench --html`. html.c has the parts that all pages share, html_spmv.c and
 * html_array.c the pages of products and of arrays. html_chart.c draws with gnuplot, html_charts.c
 * and html_curves.c have the single charts, html_heat.c a coloured table. page.css is the style
 * sheet, page.js the script that sorts tables. */
#ifndef EK_HTML_H
#define EK_HTML_H

#include "bench.h"

/* Writes the page with all results to the file `path`. Returns an exit code. */
int html_write(const struct bench *bench, const char *path);

/* Writes like fprintf, but escapes the texts of %s for HTML and writes a dash for NAN. The format
 * may have %s, %d, and %f and %g with flags and precision. */
__attribute__((format(printf, 2, 3))) void html(FILE *f, const char *format, ...);
/* Write a table of the records of a case, and a card with a title and that table. `where` is PAGE,
 * SUM or PAGE_SUM. */
void html_table(FILE *f, const struct bench *bench, const struct bench_case *c, unsigned where);
void html_card(FILE *f, const struct bench *bench, const char *title, const struct bench_case *c,
               unsigned where);
/* Writes a card for each case and one for the legend. This is the whole page of an operation that
 * has no page function. */
void html_cards(FILE *f, const struct bench *bench);
/* Writes a card with the meaning of the columns. */
void html_legend(FILE *f, const struct bench *bench);

/* ---- Charts ---------------------------------------------------------------------------------- */

/* The meaning of a colour. The style sheet has one variant of the colour for the light and one for
 * the dark page. In commands for gnuplot the colour is a variable with the name of the role, such
 * as GRID, or the number COLOUR(role). */
enum role { AXIS = 1, TEXT, GRID, OURS, BEST, AUTO, PEER, PLAIN, BOUND, ROLES };
#define COLOUR(role) (0x010200 + (int)(role))

/* Returns the role of a method; BEST only if `c` is not NULL and `r` is our fastest record of
 * it. */
enum role role_of(const struct bench_case *c, const struct record *r);

/* A chart that is drawn by gnuplot. Commands are written to `gnuplot`, points of the series to
 * `data`. */
struct chart {
	FILE *gnuplot, *data;
	char *points;  /* memory of `data`: the points of all series */
	size_t size;   /* bytes of `points` */
	int series;    /* number of series so far */
	char path[64]; /* name of the SVG file */
	int width;     /* greatest width in pixels, so that the text does not grow with the page */
};
/* Tells whether gnuplot is installed. */
bool chart_possible(void);
/* Starts a chart of that size in pixels. Returns false if that failed. If gnuplot fails later,
 * nothing is written to the page. */
bool chart_begin(struct chart *c, int width, int height);
/* Starts the next series. `how` is what follows the data in gnuplot's plot command; `title` is the
 * name in the key, or NULL. */
__attribute__((format(printf, 3, 4))) void chart_series(struct chart *c, const char *title,
                                                        const char *how, ...);
/* Draws the chart, and copies its SVG into the page. */
void chart_end(struct chart *c, FILE *page);
/* Writes the name and the place of a mark on the vertical axis. The first one must be at 0. After
 * the last one the caller writes ")" and ends the line. */
void chart_tic(struct chart *c, const char *name, int at);
/* Writes a text between double quotes for gnuplot. */
void chart_quoted(FILE *gnuplot, const char *text);

/* Draws a bar for the speed of every method on one matrix, and a line for the bound. */
void chart_bars(const struct bench_case *c, FILE *page);
/* Draws, for each matrix, the speeds of plain CSR, auto, our best and the best peer as shares of
 * the bound. */
void chart_overview(const struct bench *bench, FILE *page);
/* Draws the shares of the bound that chart_overview shows, against the spread of the row
 * lengths. */
void chart_variation(const struct bench *bench, FILE *page);
/* Draws the speed-up over plain CSR, preparation included, against the number of products
 * (html_curves.c). */
void chart_break_even(const struct bench *bench, FILE *page);
/* Draws the performance profile: the share of the matrices on which each method is within a factor
 * of the fastest (html_curves.c). */
void chart_profile(const struct bench *bench, FILE *page);
/* Lists the methods that have a mean speed over plain CSR and whose kind is in `kinds` (bits
 * 1 << kind), the fastest first. Returns their number. */
int best_first(const struct bench *bench, unsigned kinds, const struct record *row[MOST_NAMES]);
/* Writes a coloured table with the speed of every method over plain CSR on every matrix
 * (html_heat.c). */
void html_heat(const struct bench *bench, FILE *page);

/* Tells whether a record is that of plain CSR, the unit of the ratios of products. */
bool record_is_plain(const struct record *r);
/* Returns the largest of_bound of the records of a case whose kind is in `kinds` (bits 1 << kind),
 * or NAN. */
double best_of_bound(const struct bench_case *c, unsigned kinds);

#endif
