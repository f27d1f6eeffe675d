/* SPDX-License-Identifier: BSD-3-Clause
 * Pairs the records of the two sides of a claim that are of the same problem, and takes the mean of
 * their ratios. A side that has several records of a problem takes the best, and counts as
 * disturbed if the best was, or another one that may be better. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce.h"

/* Notes as `disturbed` those problems of which not the best record but another one was disturbed
 * that may be better: one whose better percentile is beyond the value of the best, or not known.
 * Records without a value, such as those of refused methods, compete with none. */
static void note_disturbed(json_t *records, const json_t *claim, const json_t *best,
                           const char *key, bool less, json_t *disturbed)
{
	json_t *record;
	size_t n;

	json_array_foreach(records, n, record) {
		char *problem = record_problem(record, json_object_get(claim, "across"));
		const double at = record_number(json_object_get(best, problem), key);
		const double most = record_spread(record, key, less ? "_p10" : "_p90");

		if (record_number(record, key) > 0 && value_is_disturbed(record, key) &&
		    !(less ? most > at : most < at))
			json_object_set_new(disturbed, problem, json_true());
		free(problem);
	}
}

/* Returns the records that match, by their problems: of several the one with the least value, or
 * the greatest if more is better. Adds the problems of which that is not certain, since others
 * disturbed a measurement, to `disturbed`. */
static json_t *by_problem(const struct experiment *e, const struct store *store,
                          const json_t *claim, const char *side, const char *key, bool less,
                          json_t *disturbed)
{
	json_t *best = json_object(), *record;
	json_t *records =
		records_of(e, store, json_object_get(claim, side), json_object_get(claim, "where"));
	size_t n;

	json_array_foreach(records, n, record) {
		char *problem = record_problem(record, json_object_get(claim, "across"));
		const double value = record_number(record, key);
		const double old = record_number(json_object_get(best, problem), key);

		if (value > 0 && (isnan(old) || (less ? value < old : value > old)))
			json_object_set(best, problem, record);
		free(problem);
	}
	note_disturbed(records, claim, best, key, less, disturbed);
	json_decref(records);
	return best;
}

bool record_is_twin(const json_t *record)
{
	const char *source = json_string_value(json_object_get(record, "source"));

	return source && strcmp(source, "twin") == 0;
}

bool value_is_disturbed(const json_t *record, const char *key)
{
	/* Preparations have their own. */
	const double own = record_spread(record, key, "_disturbed");

	return !is_counted(key) &&
	       disturbed_much(isnan(own) ? record_number(record, "disturbed") : own);
}

const char *why_no_error(const json_t *record, const char *key)
{
	const double rounds = record_number(record, "rounds");

	return rounds < 3 ? keep("%s cannot tell how values vary", text_many(rounds, "round"))
	                  : keep("the records have no percentiles of %s", key);
}

struct found find_ratio(const struct experiment *e, const struct store *store, const json_t *claim)
{
	const char *key = json_string_value(json_object_get(claim, "value")),
		   *better = json_string_value(json_object_get(claim, "better")), *problem;
	const char *over_key = json_string_value(json_object_get(claim, "over_value"));
	const bool less = !better || strcmp(better, "less") == 0;

	key = key ? key : "ms";
	over_key = over_key ? over_key : key;
	json_t *disturbed = json_object();
	json_t *of = by_problem(e, store, claim, "of", key, less, disturbed),
	       *over = by_problem(e, store, claim, "over", over_key, less, disturbed), *a, *b;
	const size_t most = json_object_size(of) + 1;
	double *ratio = need(calloc(most, sizeof *ratio), "a claim");
	double *error = need(calloc(most, sizeof *error), "a claim");
	struct found f = {.lacking = !json_object_size(of)     ? "of"
	                             : !json_object_size(over) ? "over"
	                                                       : NULL};

	json_object_foreach(of, problem, a) {
		if (!(b = json_object_get(over, problem)))
			continue;
		if (json_object_get(disturbed, problem)) {
			f.disturbed++;
			continue;
		}
		const double r = record_number(a, key) / record_number(b, over_key);

		error[f.cases] = hypot(interval_error(a, key), interval_error(b, over_key));
		if (!isfinite(error[f.cases]))
			f.no_error = isfinite(interval_error(a, key)) ? why_no_error(b, over_key)
			                                              : why_no_error(a, key);
		f.apart += error[f.cases] > 0 &&
		           !json_equal(json_object_get(a, "step"), json_object_get(b, "step"));
		ratio[f.cases++] = less ? 1 / r : r; /* above 1 speaks for `of` */
		f.twins += record_is_twin(a);
	}
	f.interval = interval_of(mean_named(claim, GEOMETRIC), ratio, error, f.cases);
	free(ratio);
	free(error);
	json_decref(of);
	json_decref(over);
	json_decref(disturbed);
	return f;
}
