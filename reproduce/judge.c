/* SPDX-License-Identifier: BSD-3-Clause
 * Selects records, pairs them by the problem that they are of, takes means, and makes the series of
 * charts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce.h"

/* ---- Selecting ------------------------------------------------------------------------------- */

/* The keys that describe a problem. Records of the same problem have the same values of all. */
static const char *const problem_keys[] = {
	"op", "matrix",     "variant", "order", "transpose", "value",   "index",   "columns",
	"n",  "value_size", "length",  "batch", "k",         "threads", "vectors", "device_name"};
enum { PROBLEM_KEYS = sizeof problem_keys / sizeof *problem_keys };

bool record_is_ours(const json_t *record)
{
	static const char *const others[] = {"peer.", "copy.", "model.", "read", "bare", "k*"};
	const char *method = json_string_value(json_object_get(record, "method"));

	for (size_t k = 0; method && k < sizeof others / sizeof *others; k++)
		if (strncmp(method, others[k], strlen(others[k])) == 0)
			return false;
	return method != NULL;
}

/* Returns the value of a key: of the record, else of the parameters of its method or format. A key
 * with a dot is one in an object, such as "speedup.50". */
static json_t *value_at(const json_t *record, const char *key)
{
	static const char *const parameters[] = {"method_parameters", "parameters"};
	const char *dot = strchr(key, '.');
	json_t *value = json_object_get(record, key);

	if (dot)
		return value_at(json_object_get(record, keep("%.*s", (int)(dot - key), key)),
		                dot + 1);
	for (int k = 0; k < 2 && !value; k++)
		value = json_object_get(json_object_get(record, parameters[k]), key);
	return value;
}

double record_number(const json_t *record, const char *key)
{
	const json_t *value = value_at(record, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

bool is_value(const json_t *value, const json_t *want)
{
	if (json_is_null(want))
		return !value || json_is_null(value);
	for (size_t k = 0; k < json_array_size(want); k++)
		if (is_value(value, json_array_get(want, k)))
			return true;
	return json_is_number(want) ? json_is_number(value) &&
	                                      json_number_value(value) == json_number_value(want)
	                            : json_equal(value, want);
}

static bool matches(const json_t *record, const json_t *where)
{
	const char *key;
	json_t *want;

	json_object_foreach((json_t *)where, key, want) {
		const char *best = strcmp(key, "best") == 0 ? json_string_value(want) : NULL;

		if (best ? record_is_ours(record) != (strcmp(best, "ours") == 0) ||
		                    (strcmp(best, "peer") == 0 &&
		                     strncmp(json_string_value(json_object_get(record, "method")),
		                             "peer.", 5) != 0)
		         : !is_value(value_at(record, key), want))
			return false;
	}
	return true;
}

json_t *records_of(const struct experiment *e, const struct store *store, const json_t *where,
                   const json_t *also)
{
	json_t *list = json_array(), *record;
	size_t n;

	for (int k = 0; k < e->steps; k++)
		json_array_foreach(json_object_get(store->records, e->step[k].command), n, record)
			if (matches(record, where) && matches(record, also))
				json_array_append(list, record);
	return list;
}

char *record_problem(const json_t *record, const json_t *across)
{
	json_t *values = json_array();

	for (int k = 0; k < PROBLEM_KEYS; k++) {
		json_t *value = json_object_get(record, problem_keys[k]);
		bool left_out = false;

		for (size_t a = 0; a < json_array_size(across); a++)
			left_out = left_out ||
			           strcmp(problem_keys[k],
			                  json_string_value(json_array_get(across, a))) == 0;
		json_array_append_new(values,
		                      value && !left_out ? json_incref(value) : json_null());
	}
	char *text = json_dumps(values, JSON_COMPACT | JSON_ENCODE_ANY);

	json_decref(values);
	return need(text, "records");
}

/* ---- Means ----------------------------------------------------------------------------------- */

const char *const mean_name[MEANS] = {"harmonic mean", "geometric mean", "arithmetic mean",
                                      "median", "maximum"};

enum mean_kind mean_named(const json_t *o, enum mean_kind otherwise)
{
	const char *name = json_string_value(json_object_get(o, "mean"));
	static const char *const words[MEANS] = {"harmonic", "geometric", "arithmetic", "median",
	                                         "max"};

	for (int k = 0; name && k < MEANS; k++)
		if (strcmp(name, words[k]) == 0)
			return (enum mean_kind)k;
	return name ? MEANS : otherwise;
}

double mean_of(enum mean_kind kind, const double *value, int count)
{
	double sum = 0, most = -HUGE_VAL;

	if (!count)
		return NAN;
	if (kind == MEDIAN)
		return measure_quantile(value, count, 0.5);
	for (int k = 0; k < count; k++) {
		sum += kind == HARMONIC    ? 1 / value[k]
		       : kind == GEOMETRIC ? log(value[k])
		                           : value[k];
		most = fmax(most, value[k]);
	}
	return kind == MOST        ? most
	       : kind == HARMONIC  ? count / sum
	       : kind == GEOMETRIC ? exp(sum / count)
	                           : sum / count;
}

/* ---- Charts ---------------------------------------------------------------------------------- */

/* Returns a value of a record as text. "name" is the method, with the arity of its heaps if it has
 * some, "method_name" the method without parameters. */
static const char *text_value(const json_t *record, const char *key)
{
	const json_t *value = value_at(record, key), *arity;

	if (strcmp(key, "method_name") == 0 && (value = json_object_get(record, "method")))
		return keep("%.*s", (int)strcspn(json_string_value(value), ":"),
		            json_string_value(value));
	if (strcmp(key, "name") == 0 && !value) {
		value = json_object_get(record, "method");
		arity = json_object_get(record, "arity");
		if (value && json_is_integer(arity))
			return keep("%s d=%lld", json_string_value(value),
			            (long long)json_integer_value(arity));
	}

	return json_is_string(value)   ? json_string_value(value)
	       : json_is_number(value) ? keep("%.15g", json_number_value(value))
	                               : "-";
}

/* Returns a JSON number that keeps all digits of whole ones. */
static json_t *exactly(double value)
{
	return value == floor(value) && fabs(value) < 1e15 ? json_integer((json_int_t)value)
	                                                   : json_real(value);
}

/* Returns the place of a record in a chart: its x, a number or a text, its y, and the interval of y
 * that the 10th and 90th percentile, of a rate those of the time, give; NULL without a y. */
static json_t *point(const json_t *chart, const json_t *record)
{
	const char *x = json_string_value(json_object_get(chart, "x")),
		   *key = json_string_value(json_object_get(chart, "y"));
	const bool rate = is_rate(key);
	const char *timed = rate ? "ms" : key;
	const double y = record_number(record, key), ms = record_number(record, timed);
	const double least = record_spread(record, timed, "_p10"),
		     most = record_spread(record, timed, "_p90");
	json_t *p;

	if (isnan(y))
		return NULL;
	p = json_pack("{s:o}", "y", exactly(y));
	if (strcmp(json_string_value(json_object_get(chart, "kind")), "lines") == 0 &&
	    json_is_number(value_at(record, x)))
		json_object_set_new(p, "x", exactly(record_number(record, x)));
	else
		json_object_set_new(p, "x", text_json(text_value(record, x)));
	if (ms > 0 && least > 0 && most > 0) {
		json_object_set_new(p, "low", json_real(rate ? y * ms / most : least));
		json_object_set_new(p, "high", json_real(rate ? y * ms / least : most));
	}
	return p;
}

/* Returns the colour of a series in the style sheet. */
static const char *role_of(const json_t *record)
{
	const char *method = text_value(record, "method");

	return strncmp(method, "peer.", 5) == 0 ? "peer"
	       : strcmp(method, "auto") == 0    ? "auto"
	       : record_is_ours(record)         ? "ours"
	                                        : "bound";
}

/* Adds the mean of the y of each series. */
static void add_means(const json_t *chart, json_t *all)
{
	const enum mean_kind kind = mean_named(chart, MEANS);
	json_t *series, *p;
	const char *name;
	size_t n;

	if (kind == MEANS)
		return;
	json_object_foreach(all, name, series) {
		json_t *points = json_object_get(series, "points");
		double *y = need(calloc(json_array_size(points) + 1, sizeof *y), "a mean");
		int count = 0;

		json_array_foreach(points, n, p)
			y[count++] = json_number_value(json_object_get(p, "y"));
		if (count)
			json_object_set_new(series, "mean", json_real(mean_of(kind, y, count)));
		free(y);
	}
}

/* Returns the chart of those records whose key `split` has this value; NULL if no record has y. */
static json_t *one_chart(const struct experiment *e, const json_t *chart, const json_t *records,
                         const char *split, const char *value)
{
	const char *by = json_string_value(json_object_get(chart, "series"));
	const enum mean_kind kind = mean_named(chart, MEANS);
	json_t *all = json_object(), *record, *list = json_array(), *series;
	const char *name, *title = json_string_value(json_object_get(chart, "title"));
	size_t n;

	json_array_foreach(records, n, record) {
		if (split && strcmp(text_value(record, split), value) != 0)
			continue;
		json_t *p = point(chart, record);

		if (!p)
			continue;
		name = text_value(record, by);
		if (json_is_number(value_at(record, by)))
			name = keep("%s = %s", by, name);
		if (!(series = json_object_get(all, name))) {
			series = json_pack("{s:o, s:s, s:[]}", "name", text_json(name), "role",
			                   role_of(record), "points");
			json_object_set_new(all, name, series);
		}
		json_array_append_new(json_object_get(series, "points"), p);
	}
	add_means(chart, all);
	json_object_foreach(all, name, series)
		json_array_append(list, series);
	json_decref(all);
	if (!json_array_size(list)) {
		json_decref(list);
		return NULL;
	}
	const bool profile = strcmp(text_value(chart, "kind"), "profile") == 0;

	front_mark(e, text_value(chart, "y"), list); /* by the times, which a profile has no more */
	if (profile)
		profile_make(list);
	return json_pack("{s:o, s:s, s:s, s:O, s:O*, s:O*, s:s*, s:o}", "title",
	                 text_json(keep("%s%s%s", title ? title : experiment_text(e, "title"),
	                                split ? ": " : "", split ? value : "")),
	                 "kind", profile ? "curves" : text_value(chart, "kind"), "x",
	                 profile ? "time over that of the fastest" : text_value(chart, "x"), "y",
	                 json_object_get(chart, "y"), "log", json_object_get(chart, "log"), "label",
	                 json_object_get(chart, "label"), "mean",
	                 kind == MEANS ? NULL : mean_name[kind], "series", list);
}

json_t *charts_make(const struct experiment *e, const struct store *store)
{
	const json_t *wanted = json_object_get(e->json, "charts");
	json_t *charts = json_array(), *record, *one;
	size_t n;

	for (size_t k = 0; k < json_array_size(wanted); k++) {
		const json_t *chart = json_array_get(wanted, k);
		const char *split = json_string_value(json_object_get(chart, "split")), *value;
		json_t *records = records_of(e, store, json_object_get(chart, "where"), NULL);
		json_t *values = json_object(), *unused;

		json_array_foreach(records, n, record)
			json_object_set_new(values, split ? text_value(record, split) : "",
			                    json_true());
		json_object_foreach(values, value, unused)
			if ((one = one_chart(e, chart, records, split, value)))
				json_array_append_new(charts, one);
		json_decref(values);
		json_decref(records);
	}
	return charts;
}
