/* SPDX-License-Identifier: BSD-3-Clause
 * The heat map: a row for each method, the best in the mean first, a column for each matrix, and in
 * the cell the speed over plain CSR, coloured by its logarithm. It is a table, so it needs no
 * gnuplot, and its columns sort. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"

const char *const html_heat_style =
	".heat{width:auto}.heat th:first-child,.heat td:first-child{position:sticky;left:0;"
	"background:var(--card)}"
	".heat td{border-bottom:0;padding:3px 8px}.heat th{vertical-align:bottom}"
	".heat th span{writing-mode:vertical-rl;transform:rotate(180deg);max-height:15em;"
	"overflow:hidden;text-overflow:ellipsis}"
	".h1{background:rgba(12,122,67,.14)}.h2{background:rgba(12,122,67,.28)}"
	".h3{background:rgba(12,122,67,.44)}.h4{background:rgba(12,122,67,.6)}"
	".c1{background:rgba(192,42,75,.12)}.c2{background:rgba(192,42,75,.26)}"
	".c3{background:rgba(192,42,75,.42)}.c4{background:rgba(192,42,75,.58)}";

enum { SHADES = 4, MOST_ROWS = 256 }; /* on either side of 1; a shade for each factor of 2^(1/2) */

/* "h3" for 1.19 to 1.41 of the third shade above 1, "c2" for the second below. */
static void shade(FILE *f, double value)
{
	long at = lround(2 * log2(value));

	at = at > SHADES ? SHADES : at < -SHADES ? -SHADES : at;
	fprintf(f, "<td class=%c%ld>%.2f</td>", at < 0 ? 'c' : 'h', labs(at), value);
}

static bool listed(const struct record *const *row, int count, const char *method)
{
	for (int k = 0; k < count; k++)
		if (strcmp(row[k]->method, method) == 0)
			return true;
	return false;
}

/* All methods that any matrix has, those without a mean last. */
static int rows_in_order(const struct report *report, const struct record **row)
{
	int count = 0;

	for (int k = 0; k < report->count; k++)
		for (int m = 0; m < report->cases[k].count && count < MOST_ROWS; m++) {
			const struct record *r = &report->cases[k].record[m];
			const double mean = mean_vs_csr(report, r->method);
			int at = count;

			if (isnan(mean) || listed(row, count, r->method))
				continue;
			for (; at > 0 && mean_vs_csr(report, row[at - 1]->method) < mean; at--)
				row[at] = row[at - 1];
			row[at] = r;
			count++;
		}
	return count;
}

void html_heat(const struct report *report, FILE *f)
{
	const struct record *row[MOST_ROWS];
	const int count = rows_in_order(report, row);

	fputs("<div class=card><h3>Every method on every matrix: speed over plain CSR</h3>\n"
	      "<div class=scroll><table class=heat>\n<tr><th>method<th>mean",
	      f);
	for (int k = 0; k < report->count; k++) {
		fputs("<th><span>", f);
		html_text(f, report->cases[k].matrix);
		fputs("</span>", f);
	}
	fputs("</tr>\n", f);
	for (int m = 0; m < count; m++) {
		fputs("<tr><td>", f);
		html_text(f, chart_name(row[m]));
		fputs("</td>", f);
		shade(f, mean_vs_csr(report, row[m]->method));
		for (int k = 0; k < report->count; k++) {
			const struct record *r = case_record(&report->cases[k], row[m]->method);

			if (!r || isnan(r->vs_csr))
				fputs("<td>–</td>", f);
			else
				shade(f, r->vs_csr);
		}
		fputs("</tr>\n", f);
	}
	fputs("</table></div></div>\n", f);
}
