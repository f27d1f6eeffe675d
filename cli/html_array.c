/* SPDX-License-Identifier: BSD-3-Clause
 * The page of benchmarks on arrays: for each type, and for each size of values or way to give
 * segments, a chart of the rates over the size and the table behind it. */
#include <math.h>
#include <string.h>

#include "bench_array.h"
#include "html.h"

/* Cases of one chart differ in their sizes only. */
static bool same_group(const struct array_case *a, const struct array_case *b)
{
	return a->type == b->type && a->value_size == b->value_size &&
	       strcmp(a->variant, b->variant) == 0;
}

/* What varies: the length of sequences, or the number of numbers. */
static double size_of(const struct array_case *c, bool lengths)
{
	return (double)(lengths ? c->length : c->n);
}

static bool by_length(const struct array_bench *bench, const struct array_case *first)
{
	for (int k = 0; k < bench->count; k++)
		if (same_group(first, &bench->cases[k]) && bench->cases[k].length != first->length)
			return true;
	return false;
}

static enum role role_of(const struct array_record *r)
{
	return r->kind == ARRAY_PEER ? PEER : r->kind == ARRAY_BOUND ? BOUND : OURS;
}

/* The first record with that label in the group, or NULL. */
static const struct array_record *in_group(const struct array_bench *bench,
                                           const struct array_case *first, const char *label)
{
	const struct array_record *r = NULL;

	for (int k = 0; k < bench->count && !r; k++)
		if (same_group(first, &bench->cases[k]))
			r = array_find(&bench->cases[k], label);
	return r;
}

/* The fastest is more than WIDE times as fast as the slowest. */
static bool far_apart(const struct array_bench *bench, const struct array_case *first)
{
	enum { WIDE = 20 };
	double least = INFINITY, most = 0;

	for (int k = 0; k < bench->count; k++) {
		const struct array_case *c = &bench->cases[k];

		for (int m = 0; m < c->count && same_group(first, c); m++) {
			double rate = array_rate(bench, &c->record[m]);

			least = fmin(least, rate);
			most = fmax(most, rate);
		}
	}
	return most > WIDE * least;
}

static void chart(const struct array_bench *bench, const struct array_case *first, FILE *page)
{
	char label[ARRAY_COLUMNS][96];
	int count = array_columns(bench, label), drawn = 0;
	bool lengths = by_length(bench, first);
	struct chart c;

	if (!chart_begin(&c, 900, 420))
		return;
	fprintf(c.gnuplot,
	        "set xlabel '%s'\nset ylabel '%s'\nset logscale x 2\nset format x '2^{%%L}'\n"
	        "set termoption enhanced\n%s\nset border 3\nset offsets graph "
	        "0.02,graph 0.02,0,0\n"
	        "set grid y lt 1 lw 0.7 lc rgb '#0102%02x'\nset key outside right top Left reverse "
	        "samplen 2 noenhanced\nplot ",
	        lengths ? "length" : "numbers",
	        bench->operation->keys ? "millions of keys a second" : "GB/s",
	        far_apart(bench, first) ? "set logscale y 10" : "set yrange [0:*]", GRID);
	for (int m = 0; m < count; m++) {
		const struct array_record *r = in_group(bench, first, label[m]);

		if (!r)
			continue;
		fprintf(c.gnuplot,
		        "%s'-' with linespoints lw 1.9 pt %d ps 0.7 dt %d lc rgb '#0102%02x' "
		        "title ",
		        drawn ? ", " : "", 4 + drawn % 10, 1 + drawn % 5, role_of(r));
		chart_quoted(c.gnuplot, label[m]);
		drawn++;
	}
	fputc('\n', c.gnuplot);
	for (int m = 0; m < count; m++) {
		if (!in_group(bench, first, label[m]))
			continue;
		for (int k = 0; k < bench->count; k++) {
			const struct array_case *a = &bench->cases[k];
			double rate = array_rate(bench, array_find(a, label[m]));

			if (same_group(first, a) && !isnan(rate))
				fprintf(c.gnuplot, "%g %g\n", size_of(a, lengths), rate);
		}
		fputs("e\n", c.gnuplot);
	}
	chart_end(&c, page);
}

static void table(const struct array_bench *bench, const struct array_case *first, FILE *f)
{
	char label[ARRAY_COLUMNS][96];
	int count = array_columns(bench, label);

	fputs("<div class=scroll><table><tr>", f);
	html_head(f, "case", true);
	for (int m = 0; m < count; m++) {
		fputs("<th>", f);
		html_text(f, label[m]);
	}
	fputs("</tr>\n", f);
	for (int k = 0; k < bench->count; k++) {
		const struct array_case *c = &bench->cases[k];

		if (!same_group(first, c))
			continue;
		fprintf(f, "<tr><td data-key=%.0f>", size_of(c, by_length(bench, first)));
		html_text(f, c->line);
		fputs(disturbed_much(c->disturbed) ? " <small>disturbed</small></td>" : "</td>", f);
		for (int m = 0; m < count; m++) {
			const struct array_record *r = array_find(c, label[m]);
			double rate = array_rate(bench, r);

			if (isnan(rate))
				fputs("<td>–</td>", f);
			else
				fprintf(f,
				        r == array_best(c) ? "<td><b>%.1f</b></td>"
				                           : "<td>%.1f</td>",
				        rate);
		}
		fputs("</tr>\n", f);
	}
	fputs("</table></div>\n", f);
}

static void head(const struct array_bench *bench, FILE *f)
{
	const struct array_case *c = &bench->cases[0];

	html_begin(f, bench->operation->name);
	fprintf(f, "<h1>%s, method by method</h1>\n<p class=meta>", bench->operation->name);
	html_text(f, bench->report.machine);
	fprintf(f, " · %d thread%s · %s · %.16s UTC · evenkeel %s, commit ", c->threads,
	        c->threads == 1 ? "" : "s", ek_isa_name(ek_context_isa(bench->ctx)),
	        bench->report.date, ek_version());
	html_text(f, report_commit());
	fprintf(f,
	        "</p>\n<p>Rates in %s, all methods in turn and in rounds of under a second; "
	        "medians. "
	        "The fastest of ours is bold; every result was checked.</p>\n",
	        bench->operation->keys ? "millions of keys a second" : "GB/s");
}

static void warn(const struct array_bench *bench, FILE *f)
{
	int count = array_disturbed_cases(bench);
	char text[DISTURBED_TEXT];

	if (count)
		fprintf(f, "<p class=warn>%s.</p>\n",
		        disturbed_warning(text, count, bench->count, "cases"));
}

int array_html(const struct array_bench *bench, const char *path)
{
	FILE *f = tool_open(path);
	bool draw = chart_possible();

	if (!f)
		return TOOL_FAILED;
	head(bench, f);
	warn(bench, f);
	if (!draw)
		fputs("<p>There are no charts because gnuplot was not found.</p>\n", f);
	for (int k = 0; k < bench->count; k++) {
		const struct array_case *c = &bench->cases[k];
		int before = 0;

		while (before < k && !same_group(&bench->cases[before], c))
			before++;
		if (before < k)
			continue;
		fprintf(f, "<div class=card><h3>%s", ek_value_name(c->type));
		if (c->value_size)
			fprintf(f, ", values of %d bytes", (int)c->value_size);
		if (*c->variant)
			fputs("<span class=badge>", f);
		html_text(f, c->variant);
		fputs(*c->variant ? "</span></h3>\n" : "</h3>\n", f);
		if (draw)
			chart(bench, c, f);
		table(bench, c, f);
		fputs("</div>\n", f);
	}
	fprintf(f,
	        "<footer>Made by <b>ek "
	        "bench</b>.</footer>\n</main>\n<script>%s</script>\n</html>\n",
	        html_sort);
	return tool_close(f);
}
