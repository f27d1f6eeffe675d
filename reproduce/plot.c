/* SPDX-License-Identifier: BSD-3-Clause
 * Draws the charts of ek reproduce by gnuplot, for papers: one file for each chart. */
#include <string.h>

#include "reproduce.h"

struct picture {
	const json_t *chart;
	const char *kind;
};

/* Prints a text in single quotes for gnuplot, where a quote is doubled. */
static void quote(const char *text, FILE *out)
{
	fputc('\'', out);
	for (; *text; text++)
		fprintf(out, *text == '\'' ? "''" : "%c", *text);
	fputc('\'', out);
}

static const char *text_at(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

/* Returns the number of a category, in order of appearance. */
static int category(json_t *names, const json_t *x)
{
	const char *name = json_string_value(x);
	const json_t *known = json_object_get(names, name ? name : "");

	if (!known) {
		json_object_set_new(names, name ? name : "",
		                    json_integer((json_int_t)json_object_size(names)));
		known = json_object_get(names, name ? name : "");
	}
	return (int)json_integer_value(known);
}

static bool is_back(const json_t *series)
{
	return json_is_true(json_object_get(series, "back"));
}

/* Prints the sides of a part of a stack: left, right, bottom, top. */
static void print_part(double x, double y, const json_t *p, FILE *out)
{
	const double from = json_number_value(json_object_get(p, "from"));

	fprintf(out, "%.9g %.9g %.9g %.9g %.9g %.9g\n", x, from + y, x - 0.35, x + 0.35, from,
	        from + y);
}

/* Prints the points of the series that are behind the others, or of those in front. If `names` is
 * not NULL, x is the number of a category. */
static void print_points(const json_t *chart, bool back, json_t *names, FILE *out)
{
	json_t *series, *p;
	size_t k, n;

	json_array_foreach(json_object_get(chart, "series"), k, series) {
		if (is_back(series) != back)
			continue;
		json_array_foreach(json_object_get(series, "points"), n, p) {
			const json_t *at = json_object_get(p, "x");
			const double x = names ? category(names, at) : json_number_value(at);
			const double y = json_number_value(json_object_get(p, "y"));
			const json_t *low = json_object_get(p, "low"),
				     *high = json_object_get(p, "high");

			if (chart_is(chart, "stack"))
				print_part(x, y, p, out);
			else
				fprintf(out, "%.9g %.9g %.9g %.9g\n", x, y,
				        low ? json_number_value(low) : y,
				        high ? json_number_value(high) : y);
		}
		fprintf(out, "e\n");
	}
}

/* Prints the names of the categories as labels of the axis, and returns them. */
static json_t *print_names(const json_t *chart, FILE *out)
{
	json_t *names = json_object(), *series, *p, *number;
	const char *name;
	size_t k, n;

	json_array_foreach(json_object_get(chart, "series"), k, series)
		json_array_foreach(json_object_get(series, "points"), n, p)
			category(names, json_object_get(p, "x"));
	fprintf(out, "set xtics rotate by 60 right (");
	json_object_foreach(names, name, number) {
		fprintf(out, "%s", json_integer_value(number) ? ", " : "");
		quote(name, out);
		fprintf(out, " %d", (int)json_integer_value(number));
	}
	fprintf(out, ")\nset xrange [-0.6:%zu-0.4]\n", json_object_size(names));
	return names;
}

/* Prints how series are drawn, those that are behind the others first: thin and grey, with one line
 * in the key. */
static void print_series(const json_t *chart, bool lines, FILE *out)
{
	const json_t *all = json_object_get(chart, "series");
	const char *word = "plot ";
	json_t *series;
	size_t k;
	int others = 0;

	json_array_foreach(all, k, series)
		others += is_back(series);
	for (int back = 1; back >= 0; back--) {
		bool first = true;

		json_array_foreach(all, k, series) {
			if (is_back(series) != (back == 1))
				continue;
			if (chart_is(chart, "stack"))
				fprintf(out, "%s'-' using 1:2:3:4:5:6 with boxxyerror fill solid",
				        word);
			else
				fprintf(out, "%s'-' using 1:2:3:4 with yerror%s%s", word,
				        lines ? "lines" : "bars",
				        back ? " lc rgb '#bbbbbb' lw 0.5 pt 7 ps 0.3" : "");
			fprintf(out, back && !first ? " notitle" : " title ");
			if (!back || first)
				quote(back ? text_many(others, "other") : text_at(series, "name"),
				      out);
			word = ", ";
			first = false;
		}
	}
	fputc('\n', out);
}

static void write_picture(const void *picture, FILE *out)
{
	const struct picture *p = picture;
	const bool lines = !chart_is(p->chart, "bars") && !chart_is(p->chart, "stack");
	const char *log = text_at(p->chart, "log");
	json_t *names = NULL;

	fprintf(out, "set terminal %s\nset termoption noenhanced\nset title ",
	        strcmp(p->kind, "pdf") == 0   ? "pdfcairo size 16cm,11cm font ',9'"
	        : strcmp(p->kind, "png") == 0 ? "pngcairo size 1200,825 font ',11'"
	                                      : "svg size 1000,690 dynamic");
	quote(text_at(p->chart, "title"), out);
	fprintf(out, "\nset key outside right\nset grid\nset ylabel ");
	quote(*text_at(p->chart, "label") ? text_at(p->chart, "label") : text_at(p->chart, "y"),
	      out);
	fprintf(out, "\n%s%s", strchr(log, 'y') ? "set logscale y\n" : "set yrange [0:*]\n",
	        lines && strchr(log, 'x') ? "set logscale x 2\n" : "");
	if (lines) {
		fprintf(out, "set xlabel ");
		quote(text_at(p->chart, "x"), out);
		fputc('\n', out);
	} else {
		names = print_names(p->chart, out);
	}
	print_series(p->chart, lines && !chart_is(p->chart, "points"), out);
	print_points(p->chart, true, names, out);
	print_points(p->chart, false, names, out);
	json_decref(names);
}

int plots_write(const struct works *works, const struct store *store, const struct wanted *wanted)
{
	int code = TOOL_OK;
	json_t *chart;
	size_t k;

	for (const struct experiment *e = works->experiment;
	     !code && e < works->experiment + works->count; e++) {
		json_t *charts = e->wanted ? charts_make(e, store) : NULL;

		json_array_foreach(charts, k, chart) {
			const struct picture picture = {chart, wanted->plots};
			const char *path =
				keep("%s/%s-%zu.%s", wanted->folder, e->name, k + 1, wanted->plots);

			code = code ? code
			            : tool_gnuplot(path,
			                           "--plots needs it; the page has the charts",
			                           write_picture, &picture);
		}
		json_decref(charts);
	}
	return code;
}
