/* SPDX-License-Identifier: BSD-3-Clause
 * The page of `ek bench convert`: a chart of what formats cost, and the tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_convert.h"
#include "html.h"

#define MOST_BARS 128

/* Names of what was made from COO, in the order in which they are met. */
static int names_of(const struct convert_bench *bench, const char *name[MOST_BARS])
{
	int count = 0;

	for (int k = 0; k < bench->count; k++)
		for (int m = 0; m < bench->cases[k].count; m++) {
			const struct conversion *made = &bench->cases[k].made[m];
			int n = 0;

			while (n < count && strcmp(name[n], made->name) != 0)
				n++;
			if (n == count && count < MOST_BARS && !isnan(made->coo_cost))
				name[count++] = made->name;
		}
	return count;
}

/* Bars from 0.1 on of the cost over COO to CSR, on a logarithmic scale: those of regular matrices
 * above those of irregular ones. */
static void chart(const struct convert_bench *bench, FILE *page)
{
	static const enum role role[GROUPS] = {OURS, PEER};
	const char *name[MOST_BARS];
	int count = names_of(bench, name);
	bool has[GROUPS] = {false};
	struct chart c;

	for (int k = 0; k < bench->count; k++)
		has[bench->cases[k].group] = true;
	/* A lone group has its bars beside the names, not above or below. */
	const double apart = has[GROUP_REGULAR] && has[GROUP_IRREGULAR] ? 0.19 : 0;

	if (!count || !chart_begin(&c, 820, 110 + 30 * count))
		return;
	FILE *g = c.gnuplot;

	fputs("set xlabel 'time from COO over that from COO to CSR, geometric mean'\n"
	      "set logscale x 10\nset xrange [0.1:*]\nset style fill solid 1 noborder\n"
	      "set key outside top center horizontal samplen 1\nset ytics (",
	      g);
	for (int n = 0; n < count; n++) {
		fputs(n ? "," : "", g);
		chart_quoted(g, name[n]);
		fprintf(g, " %d", n);
	}
	fprintf(g, ")\nset yrange [%g:-0.6]\nplot ", count - 0.4);
	const char *between = "";

	for (int group = 0; group < GROUPS; group++) {
		if (!has[group])
			continue;
		fprintf(g,
		        "%s'-' using 2:1:(0.1):2:($1-0.17):($1+0.17) with boxxyerror lc rgb "
		        "'#0102%02x' title '%s'",
		        between, role[group], group_name[group]);
		between = ", ";
	}
	fputc('\n', g);
	for (int group = 0; group < GROUPS; group++) {
		for (int n = 0; n < count && has[group]; n++) {
			double mean = convert_mean(bench, group, name[n], COST_COO);

			if (!isnan(mean))
				fprintf(g, "%g %g\n", n + (group ? apart : -apart), mean);
		}
		fputs(has[group] ? "e\n" : "", g);
	}
	chart_end(&c, page);
}

static void put(void *to, const char *title, const struct tool_table *t)
{
	html_table(to, title, t);
}

int convert_html(const struct convert_bench *bench, const char *path)
{
	struct html_tables page;
	char line[64], *text;
	int threads = ek_context_threads(bench->ctx), code;

	snprintf(line, sizeof line, "%d thread%s, values %s, indices %s", threads,
	         threads == 1 ? "" : "s", ek_value_name(bench->cases[0].value),
	         ek_index_name(bench->cases[0].index));
	code = html_tables_begin(&page, path, &bench->report, "The cost of formats", line);
	if (code)
		return code;
	if (chart_possible()) {
		fputs("<div class=card><h3>From coordinates</h3>\n", page.file);
		chart(bench, page.file);
		fputs("</div>\n", page.file);
	}
	convert_groups(bench, put, &page);
	convert_cases(bench, put, &page);
	text = convert_legend();
	code = html_tables_end(&page, text ? text : "");
	free(text);
	return code;
}
