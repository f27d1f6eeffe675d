/* SPDX-License-Identifier: BSD-3-Clause
 * The page of benchmarks on arrays. It has a card for each combination of type, size of values and
 * variant, with a chart of the rates against the size and a table of the same figures. */
#include <math.h>
#include <string.h>

#include "array.h"

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

static const char *unit(const struct bench *b)
{
	return b->op->traits & KEYS ? "millions of keys a second" : "GB/s";
}

static void chart(const struct bench *b, const struct bench_case *first, FILE *f)
{
	html(f,
	     "<div class=chart data-chart=rates data-size=%s data-rate=%s data-unit=\"%s\" "
	     "data-cases=",
	     varies(b, first) == V_LENGTH ? "length" : "n", b->op->traits & KEYS ? "mkeys" : "gbps",
	     unit(b));
	for (const struct bench_case *c = first; c; c = next_of(b, c))
		html(f, c == first ? "%d" : ",%d", (int)(c - b->cases));
	fputs("></div>\n", f);
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
		chart(b, c, f);
		table(b, c, f);
		fputs("</div>\n", f);
	}
}
