/* SPDX-License-Identifier: BSD-3-Clause
 * Judges the claims of the works. A claim is a ratio, as of speeds: the records of one side are
 * paired with those of the other that are of the same problem, and the mean of the ratios is taken
 * as the work does. Its interval is that of 95 % for the medians of the times: the errors of the
 * problems are independent, and those of one follow from its percentiles. A claim that one side is
 * faster holds if the whole interval is beyond 1, fails if the whole is on the other side, and ties
 * if 1 is inside. How many
 * times faster depends on the machine, so it is told, but not judged. A number that the work gives
 * is set beside ours; only one that is the same on every machine is judged. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce.h"

const char *const verdict_name[VERDICTS] = {"holds", "tie", "does not hold", "not measured"};

struct found {
	double here, low, high;
	int cases;
};

/* ---- Ratios ---------------------------------------------------------------------------------- */

/* Returns the records that match, by their problems: of several the one with the least value, or
 * the greatest if more is better. */
static json_t *by_problem(const struct experiment *e, const struct store *store,
                          const json_t *claim, const char *side, const char *key, bool less)
{
	json_t *best = json_object(), *record;
	json_t *records =
		records_of(e, store, json_object_get(claim, side), json_object_get(claim, "where"));
	size_t n;

	json_array_foreach(records, n, record)
	{
		const char *problem = record_problem(record, json_object_get(claim, "across"));
		const double value = record_number(record, key);
		const double old = record_number(json_object_get(best, problem), key);

		if (value > 0 && (isnan(old) || (less ? value < old : value > old)))
			json_object_set(best, problem, record);
	}
	json_decref(records);
	return best;
}

/* Returns the standard error of the logarithm of a median, which follows from its 10th and 90th
 * percentiles and the number of rounds as for normal errors. One or two rounds tell nothing, so
 * that any ratio ties. What is not a time, as bytes are not, has no error. */
static double log_error(const json_t *record, const char *key)
{
	const double ms = record_number(record, key), rounds = record_number(record, "rounds");
	const double spread = record_number(record, "ms_p90") - record_number(record, "ms_p10");
	const double unknown = 10;

	if (strcmp(key, "ms") != 0)
		return 0;
	return rounds >= 3 && spread >= 0 ? 0.489 * spread / (ms * sqrt(rounds)) : unknown;
}

static struct found find_ratio(const struct experiment *e, const struct store *store,
                               const json_t *claim)
{
	const char *key = json_string_value(json_object_get(claim, "value")),
		   *better = json_string_value(json_object_get(claim, "better")), *problem;
	const bool less = !better || strcmp(better, "less") == 0;

	const enum mean_kind kind = mean_named(claim, GEOMETRIC);

	key = key ? key : "ms";
	json_t *of = by_problem(e, store, claim, "of", key, less),
	       *over = by_problem(e, store, claim, "over", key, less), *a, *b;
	double *ratio = need(calloc(json_object_size(of) + 1, sizeof *ratio), "a claim");
	double variance = 0;
	struct found f = {NAN, NAN, NAN, 0};

	json_object_foreach(of, problem, a)
	{
		if (!(b = json_object_get(over, problem)))
			continue;
		const double r = record_number(a, key) / record_number(b, key);

		ratio[f.cases++] = less ? 1 / r : r; /* above 1 speaks for `of` */
		variance += pow(log_error(a, key), 2) + pow(log_error(b, key), 2);
	}
	f.here = mean_of(kind, ratio, f.cases);
	f.low = f.here * exp(-1.96 * sqrt(variance) / f.cases);
	f.high = f.here * exp(1.96 * sqrt(variance) / f.cases);
	free(ratio);
	json_decref(of);
	json_decref(over);
	return f;
}

/* ---- Published values ------------------------------------------------------------------------ */

/* A published value: a number, a range of two, or only "more than 1" where the work says it in
 * words. */
struct published {
	double low, high;
	bool words;
};

static struct published published_of(const json_t *claim)
{
	const json_t *value = json_object_get(claim, "published");

	if (json_is_array(value))
		return (struct published){json_number_value(json_array_get(value, 0)),
		                          json_number_value(json_array_get(value, 1)), false};
	return (struct published){json_number_value(value), json_number_value(value),
	                          !json_is_number(value)};
}

/* Returns the sentence that says what the work reports. */
static const char *source_text(const struct experiment *e, const json_t *claim, const char *unit)
{
	const struct published p = published_of(claim);
	const json_t *page = json_object_get(claim, "page");
	const char *who = json_string_value(json_object_get(e->work, "claimant"));

	who = keep("%s%s", who ? who : "The work",
	           page ? keep(" (p. %lld)", (long long)json_integer_value(page)) : "");
	return p.words           ? keep("%s says so in words.", who)
	       : p.low == p.high ? keep("%s: %.4g%s.", who, p.low, unit)
	                         : keep("%s: %.4g to %.4g%s.", who, p.low, p.high, unit);
}

/* Judges a ratio. A published range around 1 says that both sides are alike: that holds if the
 * interval is inside. */
static enum verdict judge_ratio(struct published p, struct found f)
{
	const bool alike = !p.words && p.low <= 1 && p.high >= 1;
	const bool slower = !p.words && p.high < 1;

	if (!f.cases)
		return UNKNOWN;
	if (alike)
		return f.low >= p.low && f.high <= p.high ? HOLDS
		       : f.low > p.high || f.high < p.low ? FAILS
		                                          : TIES;
	if (f.low <= 1 && f.high >= 1)
		return TIES;
	return (f.high < 1) == slower ? HOLDS : FAILS;
}

/* Returns how the ratio here compares with the published one, if it is beyond the interval. */
static const char *by_how_much(struct published p, struct found f, enum verdict verdict)
{
	if (verdict != HOLDS || p.words || (p.low <= 1 && p.high >= 1))
		return "";
	const bool slower = p.high<1, more = f.low> p.high, less = f.high < p.low;

	return !more && !less ? ", by as much" : more != slower ? ", by more" : ", by less";
}

static void set_found(json_t *result, struct found f)
{
	json_object_set_new(result, "cases", json_integer(f.cases));
	if (!f.cases)
		return;
	json_object_set_new(result, "here", json_real(f.here));
	json_object_set_new(result, "low", json_real(f.low));
	json_object_set_new(result, "high", json_real(f.high));
}

/* Returns why a claim is not judged: it names its methods. */
static const char *lacking(const json_t *claim)
{
	const char *text = "";
	static const char *const sides[] = {"of", "over"};

	for (int k = 0; k < 2; k++) {
		const json_t *method = json_object_get(json_object_get(claim, sides[k]), "method");

		if (json_is_string(method))
			text = keep("%s%s%s", text, *text ? " and " : "",
			            json_string_value(method));
	}
	return *text ? keep(": there are no records of %s for the same problem", text) : "";
}

static json_t *judge_claim(const struct experiment *e, const struct store *store,
                           const json_t *claim)
{
	const struct published p = published_of(claim);
	const struct found f = find_ratio(e, store, claim);
	const enum verdict verdict = judge_ratio(p, f);
	const char *here =
		!f.cases ? keep("Not measured here%s.", lacking(claim))
			 : keep("Here: %.3g times (%.3g to %.3g)%s: %s%s.", f.here, f.low, f.high,
	                        f.cases > 1 ? keep(", %s of %d cases",
	                                           mean_name[mean_named(claim, GEOMETRIC)], f.cases)
	                                    : "",
	                        verdict_name[verdict], by_how_much(p, f, verdict));
	json_t *result =
		json_pack("{s:O, s:O*, s:O, s:s, s:s, s:s}", "text", json_object_get(claim, "text"),
	                  "page", json_object_get(claim, "page"), "published",
	                  json_object_get(claim, "published"), "verdict", verdict_name[verdict],
	                  "source", source_text(e, claim, " times"), "sentence", here);

	set_found(result, f);
	return result;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static json_t *judge_number(const struct experiment *e, const struct store *store,
                            const json_t *number)
{
	const struct published p = published_of(number);
	const bool exact = json_is_true(json_object_get(number, "exact"));
	const char *key = json_string_value(json_object_get(number, "value"));
	json_t *records = records_of(e, store, json_object_get(number, "where"), NULL), *record;
	struct found f = {NAN, NAN, NAN, 0};
	size_t n;

	json_array_foreach(records, n, record)
	{
		const double value = record_number(record, key);

		if (isnan(value))
			continue;
		f.low = f.cases ? fmin(f.low, value) : value;
		f.high = f.cases++ ? fmax(f.high, value) : value;
	}
	json_decref(records);
	f.here = (f.low + f.high) / 2;
	const enum verdict verdict = !f.cases || !exact                   ? UNKNOWN
	                             : f.low >= p.low && f.high <= p.high ? HOLDS
	                                                                  : FAILS;
	const char *here = !f.cases          ? "Not measured here."
	                   : f.low == f.high ? keep("Here: %.6g", f.here)
	                                     : keep("Here: %.6g to %.6g", f.low, f.high);
	json_t *result = json_pack(
		"{s:O, s:O*, s:O, s:s*, s:s, s:s}", "text", json_object_get(number, "text"), "page",
		json_object_get(number, "page"), "published", json_object_get(number, "published"),
		"verdict", exact || !f.cases ? verdict_name[verdict] : NULL, "source",
		source_text(e, number, ""), "sentence",
		!f.cases ? here
			 : keep("%s%s.", here, exact ? keep(": %s", verdict_name[verdict]) : ""));

	set_found(result, f);
	return result;
}

json_t *claims_judge(const struct experiment *e, const struct store *store)
{
	const json_t *claims = json_object_get(e->json, "claims"),
		     *numbers = json_object_get(e->json, "numbers");
	json_t *all = json_array();

	for (size_t k = 0; k < json_array_size(claims); k++)
		json_array_append_new(all, judge_claim(e, store, json_array_get(claims, k)));
	for (size_t k = 0; k < json_array_size(numbers); k++)
		json_array_append_new(all, judge_number(e, store, json_array_get(numbers, k)));
	return all;
}
