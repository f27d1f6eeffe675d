/* SPDX-License-Identifier: BSD-3-Clause
 * Makes the charts of an experiment from its records: series of points, which may be divided by
 * those of another method, or be means over the matrices. A point has an interval, "low" to "high":
 * the 10th and the 90th percentile of its record or, if it is a ratio or a mean, that of 95 % for
 * the medians, as claims have it (interval.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce.h"

/* What a chart is made from: the records of its values are divided by, if it has "over", by their
 * problems. */
struct source {
	const struct experiment *e;
	const struct store *store;
	const json_t *chart;
	const char *y;
	json_t *over;
	enum mean_kind reduce; /* over the matrices; MEANS: not at all */
};

static const char *chart_text(const json_t *chart, const char *key)
{
	const char *text = json_string_value(json_object_get(chart, key));

	return text ? text : "";
}

/* ---- Points ---------------------------------------------------------------------------------- */

/* Adds the 10th and 90th percentile, of a rate those that the time gives. */
static void add_percentiles(json_t *p, const json_t *record, const char *key, double y)
{
	const bool rate = is_rate(key);
	const char *timed = rate ? "ms" : key;
	const double ms = record_number(record, timed);
	const double least = record_spread(record, timed, "_p10"),
		     most = record_spread(record, timed, "_p90");

	if (ms > 0 && least > 0 && most > 0)
		point_interval(p, rate ? y * ms / most : least, rate ? y * ms / least : most);
}

bool chart_is(const json_t *chart, const char *kind)
{
	return strcmp(chart_text(chart, "kind"), kind) == 0;
}

/* Returns the x of a record: a number or a text. */
static json_t *place(const json_t *chart, const json_t *record)
{
	const char *x = chart_text(chart, "x");
	const double number = record_number(record, x);

	return (chart_is(chart, "lines") || chart_is(chart, "points")) && !isnan(number)
	               ? exact_json(number)
	               : text_json(record_text(record, x));
}

/* Returns the record of the same problem by which a value is divided, or NULL. */
static const json_t *partner(const struct source *s, const json_t *record)
{
	char *problem = record_problem(record, json_object_get(s->chart, "across"));
	const json_t *other = json_object_get(s->over, problem);

	free(problem);
	return other;
}

/* Returns the place of a record in a chart, its x and its y; NULL without a y. */
static json_t *point(const struct source *s, const json_t *record)
{
	const json_t *other = s->over ? partner(s, record) : NULL;
	const double own = record_number(record, s->y);
	const double y = s->over ? own / record_number(other, s->y) : own;
	json_t *p;

	if (!isfinite(y))
		return NULL;
	p = json_pack("{s:o, s:o}", "y", exact_json(y), "x", place(s->chart, record));
	if (chart_is(s->chart, "points"))
		json_object_set_new(p, "who", text_json(record_text(record, "matrix")));
	const double error =
		hypot(interval_error(record, s->y), other ? interval_error(other, s->y) : 0);

	if (value_is_disturbed(record, s->y) || (other && value_is_disturbed(other, s->y)))
		json_object_set_new(p, "disturbed", json_true());
	if (s->reduce != MEANS) {
		json_object_set_new(p, "of", text_json(record_text(record, "matrix")));
		if (isfinite(error))
			json_object_set_new(p, "error", json_real(error));
	} else if (s->over) {
		point_interval(p, y * exp(-error), y * exp(error));
	} else {
		add_percentiles(p, record, s->y, y);
	}
	return p;
}

/* ---- Series ---------------------------------------------------------------------------------- */

/* Returns the colour of a series in the style sheet. */
static const char *role_of(const json_t *record)
{
	const char *method = record_text(record, "method");

	return strncmp(method, "peer.", 5) == 0 ? "peer"
	       : strcmp(method, "auto") == 0    ? "auto"
	       : record_is_ours(record)         ? "ours"
	                                        : "bound";
}

/* Returns the points of the series with a name; makes it if need be. */
static json_t *points_of(json_t *all, const char *name, const char *role)
{
	json_t *series = json_object_get(all, name);

	if (!series) {
		series = json_pack("{s:o, s:s, s:[]}", "name", text_json(name), "role", role,
		                   "points");
		json_object_set_new(all, name, series);
	}
	return json_object_get(series, "points");
}

/* Adds the point of a record to its series. */
static void add_point(const struct source *s, const json_t *record, json_t *all)
{
	const char *by = chart_text(s->chart, "series"), *name = record_text(record, by);
	json_t *p = point(s, record);

	if (!p)
		return;
	if (!isnan(record_number(record, by)))
		name = keep("%s = %s", by, name);
	json_array_append_new(points_of(all, name, role_of(record)), p);
}

/* Adds the parts of a record's value, which are drawn end to end: a series for each key of
 * `parts`. */
static void add_parts(const struct source *s, const json_t *parts, const json_t *record,
                      json_t *all)
{
	double from = 0;
	const char *key;
	json_t *name;

	json_object_foreach((json_t *)parts, key, name) {
		const double y = record_number(record, key);

		if (isnan(y))
			continue;
		json_array_append_new(points_of(all, json_string_value(name), "ours"),
		                      json_pack("{s:o, s:o, s:f}", "y", exact_json(y), "x",
		                                place(s->chart, record), "from", from));
		from += y;
	}
}

/* Adds the fastest of all our methods at each x as a series of its own, whose points name it. */
static void add_best(const struct source *s, const json_t *records, json_t *all)
{
	const bool more = more_is_better(s->y);
	json_t *best = json_object(), *record, *p, *old;
	const char *x;
	size_t n;

	json_array_foreach(records, n, record) {
		if (!record_is_ours(record) || !(p = point(s, record)))
			continue;
		const double y = json_number_value(json_object_get(p, "y"));
		const char *at = record_text(record, chart_text(s->chart, "x"));
		const double was = (old = json_object_get(best, at))
		                           ? json_number_value(json_object_get(old, "y"))
		                           : NAN;

		if (isnan(was) || (more ? y > was : y < was)) {
			json_object_set_new(p, "who", text_json(record_text(record, "method")));
			json_object_set(best, at, p);
		}
		json_decref(p);
	}
	json_object_foreach(best, x, p)
		json_array_append(points_of(all, "our fastest", "best"), p);
	json_decref(best);
}

/* ---- Charts ---------------------------------------------------------------------------------- */

/* Returns what the intervals of a chart are; NULL if no point has one. */
static const char *spread_text(const struct source *s, const json_t *list)
{
	json_t *series, *p;
	size_t k, n;

	json_array_foreach(list, k, series)
		json_array_foreach(json_object_get(series, "points"), n, p)
			if (json_object_get(p, "low"))
				return s->reduce != MEANS ? "95 % interval of the mean"
				       : s->over          ? "95 % interval of the ratio of medians"
				                          : "10th to 90th percentile of the rounds";
	return NULL;
}

/* Returns the title of a chart: its own or that of the experiment, and what it was split by. */
static const char *title_of(const struct source *s, const char *split, const char *value)
{
	const char *title = chart_text(s->chart, "title");
	const bool number = split && strspn(value, "0123456789.") == strlen(value);

	return keep("%s%s%s%s", *title ? title : experiment_text(s->e, "title"),
	            split ? ": " : "", number ? keep("%s = ", split) : "", split ? value : "");
}

/* Returns the chart with these series, which it takes over. */
static json_t *chart_of(const struct source *s, json_t *list, const char *title)
{
	const json_t *chart = s->chart;
	const enum mean_kind mean = mean_named(chart, MEANS);
	const bool profile = chart_is(chart, "profile");

	front_mark(s->e, s->y, list); /* by the times, which a profile has no more */
	const int left_out = profile ? profile_make(list) : 0;
	return json_pack(
		"{s:o, s:s, s:s, s:s, s:O*, s:O*, s:s*, s:s*, s:s*, s:i, s:o}", "title",
		text_json(title), "kind", profile ? "curves" : chart_text(chart, "kind"), "x",
		profile ? "time over that of the fastest" : chart_text(chart, "x"), "y", s->y,
		"log", json_object_get(chart, "log"), "label", json_object_get(chart, "label"),
		"mean", mean == MEANS ? NULL : mean_name[mean], "reduce",
		s->reduce == MEANS ? NULL : mean_name[s->reduce], "spread",
		profile ? NULL : spread_text(s, list), "left_out", left_out, "series", list);
}

/* Returns the records whose key `split` has this value; all without a key. */
static json_t *part_of(const json_t *records, const char *split, const char *value)
{
	json_t *list = json_array(), *record;
	size_t n;

	json_array_foreach(records, n, record)
		if (!split || strcmp(record_text(record, split), value) == 0)
			json_array_append(list, record);
	return list;
}

/* Orders the points of a line by their x: those of several runs come one after the other. */
static void sort_points(json_t *points)
{
	for (size_t k = 1; k < json_array_size(points); k++) {
		json_t *p = json_incref(json_array_get(points, k));
		const double x = json_number_value(json_object_get(p, "x"));
		size_t at = k;

		while (at &&
		       json_number_value(json_object_get(json_array_get(points, at - 1), "x")) > x)
			at--;
		json_array_remove(points, k);
		json_array_insert_new(points, at, p);
	}
}

/* Returns the chart of those records whose key `split` has this value; NULL if no record has y. */
static json_t *one_chart(const struct source *s, const json_t *records, const json_t *best,
                         const char *split, const char *value)
{
	const json_t *parts = json_object_get(s->chart, "parts");
	json_t *all = json_object(), *record, *list = json_array(), *series;
	json_t *own = part_of(records, split, value), *others = part_of(best, split, value);
	const char *name;
	size_t n;

	if (json_array_size(own)) /* first, so that others are drawn over it */
		add_best(s, others, all);
	json_array_foreach(own, n, record)
		if (parts)
			add_parts(s, parts, record, all);
		else
			add_point(s, record, all);
	json_decref(own);
	json_decref(others);
	if (s->reduce != MEANS)
		means_over_matrices(s->reduce, all);
	means_of_series(mean_named(s->chart, MEANS), all);
	json_object_foreach(all, name, series) {
		if (chart_is(s->chart, "lines"))
			sort_points(json_object_get(series, "points"));
		if (json_array_size(json_object_get(series, "points")))
			json_array_append(list, series);
	}
	json_decref(all);
	if (!json_array_size(list)) {
		json_decref(list);
		return NULL;
	}
	return chart_of(s, list, title_of(s, split, value));
}

/* Returns the records by which a chart divides, by their problems; NULL if it does not. */
static json_t *over_of(const struct experiment *e, const struct store *store, const json_t *chart)
{
	const json_t *over = json_object_get(chart, "over");
	json_t *all = over ? json_object() : NULL, *record;
	json_t *records = over ? records_of(e, store, over, NULL) : NULL;
	size_t n;

	json_array_foreach(records, n, record) {
		char *problem = record_problem(record, json_object_get(chart, "across"));

		json_object_set(all, problem, record);
		free(problem);
	}
	json_decref(records);
	return all;
}

/* Adds the charts that an entry of "charts" describes: one, or one for each value of "split". */
static void add_charts(const struct experiment *e, const struct store *store, const json_t *chart,
                       json_t *charts)
{
	const json_t *best = json_object_get(chart, "best");
	const char *split = json_string_value(json_object_get(chart, "split")), *value;
	json_t *records = records_of(e, store, json_object_get(chart, "where"), NULL);
	json_t *candidates = best ? records_of(e, store, best, NULL) : json_array();
	json_t *values = json_object(), *unused, *record, *one;
	struct source s = {e,    store, chart, chart_text(chart, "y"), over_of(e, store, chart),
	                   MEANS};
	const char *reduce = json_string_value(json_object_get(chart, "reduce"));
	size_t n;

	if (reduce)
		s.reduce = mean_called(reduce);
	json_array_foreach(records, n, record)
		json_object_set_new(values, split ? record_text(record, split) : "", json_true());
	records_beside(e, store, json_object_get(chart, "beside"), records);
	records_beside(e, store, best, candidates);
	json_object_foreach(values, value, unused)
		if ((one = one_chart(&s, records, candidates, split, value)))
			json_array_append_new(charts, one);
	json_decref(values);
	json_decref(records);
	json_decref(candidates);
	json_decref(s.over);
}

json_t *charts_make(const struct experiment *e, const struct store *store)
{
	json_t *charts = json_array(), *chart;
	size_t k;

	json_array_foreach(json_object_get(e->json, "charts"), k, chart)
		add_charts(e, store, chart, charts);
	return charts;
}
