/* SPDX-License-Identifier: BSD-3-Clause
 * Judges the claims of the works. A claim is a ratio, as of speeds, of pairs of records (pairs.c),
 * and the mean is taken as the work does. The interval is that of 95 % for the medians of the times
 * (interval.c). A claim that one side is faster holds if the whole interval is beyond 1, fails if
 * the whole is on the other side, and ties if 1 is inside. How many times faster depends on the
 * machine, so it is told, but not judged. Not judged at all are sides that were measured one after
 * the other, between which the machine may have changed, methods that stand for what the work
 * measured, and what is left if others disturbed more than half of the cases. A number that the
 * work gives is set beside ours; only one that is the same on every machine is judged, and a mean
 * that the work says is below some value. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce.h"

const char *const verdict_name[VERDICTS] = {"holds", "tie", "does not hold", "not judged"};

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

/* Returns a number with all digits if it is whole, else with four. */
static const char *figure_text(double value)
{
	return keep(value == floor(value) && fabs(value) < 1e15 ? "%.0f" : "%.4g", value);
}

/* Returns where the work reports a value: the page or, of a text without pages, the section. */
static const char *place_text(const json_t *claim)
{
	const json_t *page = json_object_get(claim, "page");
	const char *section = json_string_value(json_object_get(claim, "section"));

	return page      ? keep(" (p. %lld)", (long long)json_integer_value(page))
	       : section ? keep(" (section %s)", section)
	                 : "";
}

/* Tells whether a number is one that the work says is below the published value. */
static bool is_below(const json_t *number)
{
	return json_is_true(json_object_get(number, "below"));
}

/* Returns the sentence that says what the work reports, "" for a comparison of ours. */
static const char *source_text(const json_t *claim, const char *unit)
{
	const struct published p = published_of(claim);
	const char *who = keep("The work%s", place_text(claim));
	const char *sign = is_below(claim) ? "below " : "";

	return json_is_true(json_object_get(claim, "ours")) ? ""
	       : p.words                                    ? keep("%s says so in words.", who)
	       : p.low == p.high ? keep("%s: %s%s%s.", who, sign, figure_text(p.low), unit)
	                         : keep("%s: %s to %s%s.", who, figure_text(p.low),
	                                figure_text(p.high), unit);
}

/* Judges a ratio. A published range around 1 says that both sides are alike: that holds if the
 * interval is inside. */
static enum verdict judge_ratio(struct published p, const struct found *f)
{
	const struct interval *i = &f->interval;
	const bool alike = !p.words && p.low <= 1 && p.high >= 1;
	const bool slower = !p.words && p.high < 1;

	if (alike)
		return i->low >= p.low && i->high <= p.high ? HOLDS
		       : i->low > p.high || i->high < p.low ? FAILS
		                                            : TIES;
	if (i->low <= 1 && i->high >= 1)
		return TIES;
	return (i->high < 1) == slower ? HOLDS : FAILS;
}

/* Returns how the ratio here compares with the published one, if it is beyond the interval. */
static const char *by_how_much(struct published p, const struct interval *i, enum verdict verdict)
{
	if (verdict != HOLDS || p.words || (p.low <= 1 && p.high >= 1))
		return "";
	const bool slower = p.high<1, more = i->low> p.high, less = i->high < p.low;

	return !more && !less ? ", by as much" : more != slower ? ", by more" : ", by less";
}

/* Returns why a claim has no pairs of records. */
static const char *lacking_text(const json_t *claim, const struct found *f)
{
	const json_t *filter = f->lacking ? json_object_get(claim, f->lacking) : NULL;
	const json_t *method = json_object_get(filter, "method");
	const char *text = json_string_value(json_object_get(filter, "best")),
		   *word = json_string_value(json_is_array(method) ? json_array_get(method, 0)
	                                                           : method);

	if (!filter)
		return "the two sides have no problem in common";
	if (!word)
		return text && strcmp(text, "peer") == 0
		               ? "no other library took part (make peers installs them)"
		               : "there are no records of one side";
	if (strncmp(word, "peer.", 5) == 0)
		return keep("%s did not take part (make peers installs other libraries)", word);
	return keep(strstr(word, ".gpu") ? "%s%s needs --device" : "no record of %s%s fits here",
	            word, json_array_size(method) > 1 ? " or another one" : "");
}

static const char spoilt[] = "Measured while other programs used the machine, so it is left out.";

/* Intervals that are wider than this factor say nothing. */
enum { MOST_WIDTH = 4 };

/* Tells why a ratio has no interval that says something, or returns NULL. */
static const char *no_interval(const struct found *f)
{
	const struct interval *i = &f->interval;

	return !i->known                       ? f->no_error
	       : i->high > MOST_WIDTH * i->low ? "the times vary too much"
	                                       : NULL;
}

/* Tells why a ratio has no verdict, or returns NULL. */
static const char *no_verdict(const json_t *claim, const struct found *f)
{
	const char *stand_in = json_string_value(json_object_get(claim, "stand_in"));

	if (json_is_true(json_object_get(claim, "per_thread")) &&
	    json_number_value(json_object_get(claim, "published")) <= 1)
		return "the work expects no gain of so few threads";
	return stand_in   ? stand_in
	       : f->apart ? "the sides were measured one after the other, not in the same rounds"
	       : f->disturbed > f->cases
	               ? "other programs used the machine during more than half of the measurements"
	               : no_interval(f);
}

/* Tells whether a claim on the largest ratio has only one, which the claim on the mean has, too. */
static bool is_lone(const json_t *claim, const struct found *f)
{
	return mean_named(claim, GEOMETRIC) == MOST && f->cases == 1;
}

/* Returns how many cases there are, and how many of them are twins or were left out. */
static const char *cases_text(const json_t *claim, const struct found *f)
{
	const int all = f->cases + f->disturbed;
	const char *of = f->disturbed ? keep(" of %d", all) : "";
	const char *text = f->cases > 1
	                           ? keep(", %s of %d%s cases",
	                                  mean_name[mean_named(claim, GEOMETRIC)], f->cases, of)
	                           : keep(", one%s %s", of, f->disturbed ? "cases" : "case");

	if (f->twins)
		text = keep("%s%s", text,
		            f->twins < f->cases ? keep(", %d of them twins", f->twins)
		            : f->cases > 1      ? ", all twins"
		                                : ", a twin");
	return f->disturbed ? keep("%s, %d left out as disturbed", text, f->disturbed) : text;
}

/* Returns the sentence with what was found here. */
static const char *here_text(const json_t *claim, const struct found *f, enum verdict verdict)
{
	const struct interval *i = &f->interval;
	const bool ours = json_is_true(json_object_get(claim, "ours"));
	const char *value = json_string_value(json_object_get(claim, "value"));
	const char *times = value && strcmp(value, "ms") != 0 ? "times" : "times as fast";

	if (!f->cases)
		return f->disturbed ? spoilt
		                    : keep("Not measured here: %s.", lacking_text(claim, f));
	if (is_lone(claim, f))
		return "Here there is one case, which has no largest: not judged.";
	const char *lack = no_interval(f), *why = ours ? lack : no_verdict(claim, f);
	const char *range =
		lack || i->low == i->high ? "" : keep(" (%.3g to %.3g)", i->low, i->high);
	const char *end = why    ? keep(": %s, since %s", ours ? "no interval" : "not judged", why)
	                  : ours ? ""
	                         : keep(": %s%s", verdict_name[verdict],
	                                by_how_much(published_of(claim), i, verdict));

	return keep("Here: %.3g %s%s%s%s.", i->at, times, range, cases_text(claim, f), end);
}

static json_t *result_of(const json_t *claim, const char *verdict, const char *source,
                         const char *sentence, const struct found *f)
{
	json_t *result = json_pack(
		"{s:O, s:O*, s:O*, s:s*, s:s, s:s, s:i, s:i}", "text",
		json_object_get(claim, "text"), "page", json_object_get(claim, "page"), "published",
		json_object_get(claim, "published"), "verdict", verdict, "source", source,
		"sentence", sentence, "cases", f->cases, "twins", f->twins);

	if (f->cases) {
		json_object_set_new(result, "here", json_real(f->interval.at));
		json_object_set_new(result, "low", json_real(f->interval.low));
		json_object_set_new(result, "high", json_real(f->interval.high));
	}
	return result;
}

/* Returns a claim whose published value, if it is that of one thread ("per_thread"), is multiplied
 * by the fewest threads that measured it. The caller frees it. */
static json_t *for_threads(const struct experiment *e, const struct store *store, json_t *claim)
{
	json_t *records, *record, *own;
	double fewest = INFINITY;
	size_t n;

	if (!json_is_true(json_object_get(claim, "per_thread")))
		return json_incref(claim);
	records =
		records_of(e, store, json_object_get(claim, "of"), json_object_get(claim, "where"));
	json_array_foreach(records, n, record)
		fewest = fmin(fewest, record_number(record, "threads"));
	json_decref(records);
	if (isinf(fewest))
		return json_incref(claim);
	own = json_copy(claim);
	json_object_set_new(
		own, "published",
		json_real(fewest * json_number_value(json_object_get(claim, "published"))));
	return own;
}

/* Returns what becomes of a claim; NULL for a comparison of ours that says nothing new. */
static json_t *judge_claim(const struct experiment *e, const struct store *store,
                           const json_t *claim)
{
	const struct found f = find_ratio(e, store, claim);
	const bool judged = f.cases && !is_lone(claim, &f) && !no_verdict(claim, &f);
	const enum verdict verdict = judged ? judge_ratio(published_of(claim), &f) : UNKNOWN;
	const bool ours = json_is_true(json_object_get(claim, "ours"));

	if (ours && is_lone(claim, &f))
		return NULL;
	return result_of(claim, ours ? NULL : verdict_name[verdict], source_text(claim, " times"),
	                 here_text(claim, &f, verdict), &f);
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* Returns the least and the greatest value of a number's records, or their mean with its interval,
 * and how many are of twins. */
static struct found find_number(const struct experiment *e, const struct store *store,
                                const json_t *number)
{
	const char *key = json_string_value(json_object_get(number, "value"));
	const enum mean_kind mean = mean_named(number, MEANS);
	json_t *records = records_of(e, store, json_object_get(number, "where"), NULL), *record;
	double *all = need(calloc(json_array_size(records) + 1, sizeof *all), "a number"),
	       *error = need(calloc(json_array_size(records) + 1, sizeof *error), "a number");
	struct found f = {.interval = {NAN, NAN, NAN, true}};
	size_t n;

	json_array_foreach(records, n, record) {
		const double value = record_number(record, key);

		if (isnan(value))
			continue;
		if (value_is_disturbed(record, key)) {
			f.disturbed++;
			continue;
		}
		f.interval.low = f.cases ? fmin(f.interval.low, value) : value;
		f.interval.high = f.cases ? fmax(f.interval.high, value) : value;
		error[f.cases] = interval_error(record, key);
		if (!isfinite(error[f.cases]))
			f.no_error = why_no_error(record, key);
		all[f.cases++] = value;
		f.twins += record_is_twin(record);
	}
	f.interval.at = (f.interval.low + f.interval.high) / 2;
	if (mean != MEANS)
		f.interval = interval_of(mean, all, error, f.cases);
	json_decref(records);
	free(all);
	free(error);
	return f;
}

/* Returns what was found of a number: a value, a range, or a mean and its interval. */
static const char *found_text(const json_t *number, const struct found *f)
{
	const struct interval *i = &f->interval;

	if (json_object_get(number, "mean") && i->known)
		return keep("%.3g (%.3g to %.3g)%s", i->at, i->low, i->high, cases_text(number, f));
	if (json_object_get(number, "mean"))
		return keep("%.3g%s", i->at, cases_text(number, f));
	return i->low == i->high ? figure_text(i->low)
	                         : keep("%s to %s", figure_text(i->low), figure_text(i->high));
}

/* Returns why the machine did not count a number, if it is one of counters, or NULL. */
static const char *refused_text(const struct experiment *e, const struct store *store,
                                const json_t *number)
{
	const char *key = json_string_value(json_object_get(number, "value"));
	json_t *records = records_of(e, store, json_object_get(number, "where"), NULL), *record;
	const char *why = NULL, *text;
	size_t n;

	json_array_foreach(records, n, record)
		if ((text = json_string_value(json_object_get(record, "counters_refused"))))
			why = keep("%s", text);
	json_decref(records);
	return has_word("reused_lines misses_per_line", key) ? why : NULL;
}

/* Returns why there is no value. */
static const char *absent_text(const struct found *f)
{
	return f->disturbed ? spoilt : "Not measured here: there are no records.";
}

/* Judges a mean that the work says is below its value; it is a claim like others. */
static json_t *judge_below(const json_t *number, const struct found *f)
{
	const struct interval *i = &f->interval;
	const double most = published_of(number).high;
	const char *why = f->cases ? no_verdict(number, f) : NULL;
	const enum verdict verdict = !f->cases || why ? UNKNOWN
	                             : i->high < most ? HOLDS
	                             : i->low > most  ? FAILS
	                                              : TIES;
	const char *here =
		f->cases ? keep("Here: %s: %s%s%s.", found_text(number, f), verdict_name[verdict],
	                        why ? ", since " : "", why ? why : "")
			 : absent_text(f);

	return result_of(number, verdict_name[verdict], source_text(number, ""), here, f);
}

/* A twin has the published numbers by construction, so they are not judged. */
static json_t *judge_number(const struct experiment *e, const struct store *store,
                            const json_t *number)
{
	const struct published p = published_of(number);
	const struct found f = find_number(e, store, number);
	const bool exact = json_is_true(json_object_get(number, "exact"));
	const bool judged = exact && f.cases && !f.twins;
	const enum verdict verdict =
		f.interval.low >= p.low && f.interval.high <= p.high ? HOLDS : FAILS;
	const char *refused = f.cases ? NULL : refused_text(e, store, number);
	const char *text = f.cases ? found_text(number, &f) : "";
	const char *here = refused            ? keep("Not measured here: %s.", refused)
	                   : !f.cases         ? absent_text(&f)
	                   : judged           ? keep("Here: %s: %s.", text, verdict_name[verdict])
	                   : exact && f.twins ? keep("Here: %s, by construction: a twin.", text)
	                                      : keep("Here: %s.", text);

	if (is_below(number))
		return judge_below(number, &f);
	json_t *result = result_of(number, judged ? verdict_name[verdict] : NULL,
	                           source_text(number, ""), here, &f);

	json_object_set_new(result, "number", text_json(text));
	if (refused)
		json_object_set_new(result, "refused", json_true());
	if (f.twins && is_counted(json_string_value(json_object_get(number, "value"))))
		json_object_set_new(result, "built", json_true());
	return result;
}

json_t *claims_judge(const struct experiment *e, const struct store *store)
{
	const json_t *claims = json_object_get(e->json, "claims"),
		     *numbers = json_object_get(e->json, "numbers");
	json_t *all = json_array(), *result;

	for (size_t k = 0; k < json_array_size(claims); k++) {
		json_t *claim = for_threads(e, store, json_array_get(claims, k));

		if ((result = judge_claim(e, store, claim)))
			json_array_append_new(all, result);
		json_decref(claim);
	}
	for (size_t k = 0; k < json_array_size(numbers); k++)
		json_array_append_new(all, judge_number(e, store, json_array_get(numbers, k)));
	return all;
}
