/* SPDX-License-Identifier: BSD-3-Clause
 * The heat map. It has a row for each method, the fastest in the mean first, a column for each
 * matrix, and in each cell the speed over plain CSR, coloured by its logarithm. It is a table, so
 * it needs no gnuplot, and its columns can be sorted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"

enum { SHADES = 4 }; /* shades on either side of 1; each spans a factor of 2^(1/2) */

/* Writes a cell with the class of its shade, such as "h1" for values near 2^(1/2) and "c2" for
 * values near 1/2. */
static void shade(FILE *f, double value)
{
	const double at = fmax(-SHADES, fmin(SHADES, round(2 * log2(value))));

	if (isnan(value))
		fputs("<td>–</td>", f);
	else
		html(f, "<td class=%s%.0f>%.2f</td>", at < 0 ? "c" : "h", fabs(at), value);
}

int best_first(const struct bench *b, unsigned kinds, const struct record *row[MOST_NAMES])
{
	const struct bench_case *sums = &b->sums[ALL_GROUPS];
	int count = 0;

	for (int k = 0; k < sums->count; k++) {
		const struct record *r = &sums->record[k];
		int at = count;

		if (isnan(r->v[V_VS_CSR]) || !(kinds >> r->kind & 1))
			continue;
		for (; at > 0 && row[at - 1]->v[V_VS_CSR] < r->v[V_VS_CSR]; at--)
			row[at] = row[at - 1];
		row[at] = r;
		count++;
	}
	return count;
}

void html_heat(const struct bench *b, FILE *f)
{
	const struct record *row[MOST_NAMES];
	const int count = best_first(b, KINDS_OURS | KINDS_PEERS, row);

	fputs("<div class=card><h3>Every method on every matrix: speed over plain CSR</h3>\n"
	      "<div class=scroll><table class=heat>\n<tr><th>method<th>mean",
	      f);
	for (int k = 0; k < b->count; k++)
		html(f, "<th><span>%s</span>", b->cases[k].name);
	fputs("</tr>\n", f);
	for (int m = 0; m < count; m++) {
		html(f, "<tr><td>%s</td>", method_short(row[m]->name));
		shade(f, row[m]->v[V_VS_CSR]);
		for (int k = 0; k < b->count; k++) {
			const struct record *r = case_record(&b->cases[k], row[m]->name);

			shade(f, r ? r->v[V_VS_CSR] : NAN);
		}
		fputs("</tr>\n", f);
	}
	fputs("</table></div></div>\n", f);
}
