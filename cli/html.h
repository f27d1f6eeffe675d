/* SPDX-License-Identifier: BSD-3-Clause
 * The page of `ek bench --html`: html.c puts it together, html_case.c has the part of
 * one matrix; html_chart.c draws with gnuplot, and so does html_curves.c; html_heat.c colours a table;
 * html_style.c is its style sheet, html_sort.c what sorts its tables; html_array.c is the page of
 * primitives on arrays. */
#ifndef EK_HTML_H
#define EK_HTML_H

#include "bench.h"

/* The head of a page, with the style sheet, up to <main>. */
void html_begin(FILE *f, const char *operation);
extern const char *const html_heat_style;
/* A script: a click on the head of a column sorts the table by it. It goes to the end of a page. */
extern const char *const html_sort;

/* What a colour means; the style sheet has one for the light and one for the dark page. In gnuplot
 * it is '#0102RR', RR the role in hexadecimal. */
enum role { AXIS = 1, TEXT, GRID, OURS, BEST, AUTO, PEER, PLAIN, BOUND, FAINT };

/* A chart: commands go to gnuplot between chart_begin, false if it does not start, and chart_end,
 * which copies the picture to the page. */
struct chart {
	FILE *gnuplot;
	char path[64]; /* of the SVG */
	int width; /* in pixels, beyond which it is not stretched: its type would grow with it */
};
bool chart_begin(struct chart *c, int width, int height);
void chart_end(struct chart *c, FILE *page);
/* A name between double quotes. */
void chart_quoted(FILE *gnuplot, const char *text);

/* True if gnuplot is there. The charts below write nothing if it fails. */
bool chart_possible(void);
/* Speed of every method on one matrix, with the bound drawn in. */
void chart_bars(const struct bench_case *c, FILE *page);
/* All matrices: how near to the bound plain CSR, auto, our best and the best peer come. */
void chart_overview(const struct report *report, FILE *page);
/* The same against the spread of the row lengths. */
void chart_variation(const struct report *report, FILE *page);
/* Speed-up over plain CSR with the preparation paid, against the number of products; the performance
 * profile: of how many matrices each method is within a factor of the fastest (html_curves.c). */
void chart_break_even(const struct report *report, FILE *page);
void chart_profile(const struct report *report, FILE *page);
/* Speed over plain CSR of every method on every matrix, as a table with colours (html_heat.c). */
void html_heat(const struct report *report, FILE *page);

/* Without "spmv." */
const char *chart_name(const struct record *r);

/* Text with what HTML wants escaped. */
void html_text(FILE *f, const char *s);
/* The head of a column. What is better the smaller it is, as times are, is known by its name: a click
 * puts the least first. `left`: a column of text. */
void html_head(FILE *f, const char *name, bool left);
/* Cells: a number that may be missing (NAN); a ratio, good above 1. */
__attribute__((format(printf, 2, 0))) void html_number(FILE *f, const char *format, double value);
void html_ratio(FILE *f, double value);
/* The class of a method's colour; among the records of `c`, where that is not NULL. */
const char *html_swatch(const struct bench_case *c, const struct record *r);
/* The card of one matrix (html_case.c), with a chart or without. */
void html_case(FILE *f, const struct bench_case *c, bool draw);
/* Which matrices could not be used, if any. */
void html_left_out(FILE *f, const struct report *report);

/* The record of `method` in a case, or NULL. */
const struct record *case_record(const struct bench_case *c, const char *method);
/* Geometric mean over the matrices of vs_csr or vs_best_peer; NAN if there is none. */
double mean_vs_csr(const struct report *report, const char *method);
double mean_vs_peer(const struct report *report, const char *method);
/* The largest of_bound in a case among those of `kinds`; NAN if there is none. */
double best_of_bound(const struct bench_case *c, unsigned kinds);

#define KINDS_OURS  (1u << RECORD_OURS | 1u << RECORD_AUTO)
#define KINDS_PEERS (1u << RECORD_PEER)

#endif
