/* SPDX-License-Identifier: BSD-3-Clause
 * The page of benchmarks on arrays. It has a card for each combination of type, size of values and
 * variant, with a chart of the rates against the size and a table of the same figures. */
#include <math.h>
#include <string.h>

#include "array.h"
#include "html.h"

/* Tells whether two cases belong on one card, that is whether they differ only in their sizes. */
static bool same_card(const struct bench_case *a, const struct bench_case *b)
{
	return strcmp(a->value, b->value) == 0 && a->v[V_VALUE_SIZE] == b->v[V_VALUE_SIZE] &&
	       strcmp(a->variant ? a->variant : "", b->variant ? b->variant : "") == 0;
}

/* Returns the next case after `c` on the same card, or NULL. */
static const struct bench_case *next_of(const struct bench *b, const struct bench_case *c)
{
	for (const struct bench_case *next = c + 1; next < b->cases + b->count; next++)
		if (same_card(c, next))
			return next;
	return NULL;
}

/* Tells whether `c` is the first case of its card. */
static bool is_first(const struct bench *b, const struct bench_case *c)
{
	const struct bench_case *other = b->cases;

	while (!same_card(other, c))
		other++;
	return other == c;
}

/* Returns the size that differs between the cases of a card: V_LENGTH or else V_N. */
static enum value varies(const struct bench *b, const struct bench_case *first)
{
	for (const struct bench_case *c = first; (c = next_of(b, c));)
		if (c->v[V_LENGTH] != first->v[V_LENGTH] && !isnan(first->v[V_LENGTH]))
			return V_LENGTH;
	return V_N;
}

/* Tells whether the highest rate on a card of the page is more than WIDE times the lowest. */
static bool far_apart(const struct bench *b, const struct bench_case *first)
{
	enum { WIDE = 20 };
	double least = INFINITY, most = 0;

	for (const struct bench_case *c = first; c; c = next_of(b, c))
		for (int m = 0; m < c->count; m++) {
			least = fmin(least, array_rate(b, &c->record[m]));
			most = fmax(most, array_rate(b, &c->record[m]));
		}
	return most > WIDE * least;
}

static const char *unit(const struct bench *b)
{
	return b->op->traits & KEYS ? "millions of keys a second" : "GB/s";
}

static void chart(const struct bench *b, const struct bench_case *first, FILE *page)
{
	const struct bench_case *sums = &b->sums[ALL_GROUPS];
	const enum value size = varies(b, first);
	struct chart chart;

	if (!chart_begin(&chart, 900, 420))
		return;
	fprintf(chart.gnuplot,
	        "set xlabel '%s'\nset ylabel '%s'\nset logscale x 2\nset format x '2^{%%L}'\n"
	        "set termoption enhanced\n%s\nset border 3\nset offsets graph "
	        "0.02,graph 0.02,0,0\n"
	        "set grid y lt 1 lw 0.7 lc rgb GRID\nset key outside right top Left reverse "
	        "samplen 2 noenhanced\n",
	        size == V_LENGTH ? "length" : "numbers", unit(b),
	        far_apart(b, first) ? "set logscale y 10" : "set yrange [0:*]");
	for (int m = 0; m < sums->count; m++) {
		bool begun = false;

		for (const struct bench_case *c = first; c; c = next_of(b, c)) {
			const struct record *r = case_record(c, sums->record[m].name);

			if (r && !begun)
				chart_series(&chart, r->name,
				             "with linespoints lw 1.9 pt %d ps 0.7 dt %d lc rgb %d",
				             4 + chart.series % 10, 1 + chart.series % 5,
				             COLOUR(role_of(NULL, r)));
			begun |= r != NULL;
			if (!isnan(array_rate(b, r)))
				fprintf(chart.data, "%g %g\n", c->v[size], array_rate(b, r));
		}
	}
	chart_end(&chart, page);
}

static void table(const struct bench *b, const struct bench_case *first, FILE *f)
{
	const struct bench_case *sums = &b->sums[ALL_GROUPS];
	const enum value size = varies(b, first);

	fputs("<div class=scroll><table><tr><th class=l data-first=up>case", f);
	for (int m = 0; m < sums->count; m++)
		html(f, "<th>%s", sums->record[m].name);
	fputs("</tr>\n", f);
	for (const struct bench_case *c = first; c; c = next_of(b, c)) {
		html(f, "<tr><td data-key=%.0f>%s", c->v[size], c->name);
		fputs(disturbed_much(c->v[V_DISTURBED]) ? " <small>disturbed</small></td>"
		                                        : "</td>",
		      f);
		for (int m = 0; m < sums->count; m++) {
			const struct record *r = case_record(c, sums->record[m].name);

			html(f,
			     r && r == case_best(c, KINDS_OURS) ? "<td><b>%.1f</b></td>"
			                                        : "<td>%.1f</td>",
			     array_rate(b, r));
		}
		fputs("</tr>\n", f);
	}
	fputs("</table></div>\n", f);
}

void html_array(const struct bench *b, FILE *f)
{
	html(f,
	     "<p>Rates in %s, all methods in turn and in rounds of under a second; medians. The "
	     "fastest of ours is bold; every result was checked.</p>\n",
	     unit(b));
	for (const struct bench_case *c = b->cases; c < b->cases + b->count; c++) {
		if (!is_first(b, c))
			continue;
		html(f, "<div class=card><h3>%s", c->value);
		if (c->v[V_VALUE_SIZE] > 0)
			html(f, ", values of %.0f bytes", c->v[V_VALUE_SIZE]);
		if (c->variant)
			html(f, "<span class=badge>%s</span>", c->variant);
		fputs("</h3>\n", f);
		if (chart_possible())
			chart(b, c, f);
		table(b, c, f);
		fputs("</div>\n", f);
	}
}
