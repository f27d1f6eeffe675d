/* SPDX-License-Identifier: BSD-3-Clause
 * What ek reproduce tells on the terminal: what it will do, what became of each experiment, the
 * claims of those that the user named, and the sums. */
#include <stdlib.h>
#include <string.h>

#include "reproduce.h"

bool is_there(const struct store *store, const struct step *step)
{
	return json_object_get(store->records, step->command) != NULL;
}

bool is_failed(const struct store *store, const struct wanted *w, const struct step *step)
{
	return !is_there(store, step) && (!step->device || w->common.device) &&
	       json_object_get(store->failed, step->command);
}

bool is_to_measure(const struct store *store, const struct wanted *w, const struct step *step)
{
	return !is_there(store, step) && !is_failed(store, w, step) &&
	       (!step->device || w->common.device);
}

json_t *wrong_results(const struct store *store, const struct step *step)
{
	json_t *all = json_object(), *record;
	size_t k;

	json_array_foreach(json_object_get(store->records, step->command), k, record) {
		const char *matrix = json_string_value(json_object_get(record, "matrix"));
		const char *why = json_string_value(json_object_get(record, "why"));
		const double n = record_number(record, "n");

		if (!json_is_true(json_object_get(record, "failed")))
			continue;
		json_object_set_new(all,
		                    keep("%s%s%s%s", record_text(record, "method"),
		                         matrix ? ", " : "", matrix ? matrix : "",
		                         n > 0 ? keep(", n = %.0f", n) : ""),
		                    json_string(why && *why ? why : "no reason is known"));
	}
	return all;
}

/* Returns how many wrong results the steps of an experiment have. */
static int count_wrong(const struct experiment *e, const struct store *store)
{
	int count = 0;

	for (int k = 0; k < e->steps; k++) {
		json_t *wrong = wrong_results(store, &e->step[k]);

		count += (int)json_object_size(wrong);
		json_decref(wrong);
	}
	return count;
}

/* Returns why steps of an experiment have no records, "" if all have. */
static const char *reasons(const struct experiment *e, const struct tally *t)
{
	const char *text = experiment_text(e, "cannot");

	if (t->device)
		text = keep("%s%s%s without --device", text, *text ? "; " : "",
		            text_many(t->device, "step"));
	if (t->failed)
		text = keep("%s%s%s failed", text, *text ? "; " : "", text_many(t->failed, "step"));
	if (t->later)
		text = keep("%s%s%s left for the next call", text, *text ? "; " : "",
		            text_many(t->later, "step"));
	return text;
}

static void count_verdicts(const json_t *claims, int count[VERDICTS])
{
	json_t *claim;
	size_t n;

	json_array_foreach(claims, n, claim)
		for (int k = 0; k < VERDICTS; k++)
			count[k] += json_is_string(json_object_get(claim, "verdict")) &&
			            strcmp(json_string_value(json_object_get(claim, "verdict")),
			                   verdict_name[k]) == 0;
}

static const char *verdicts_text(const int count[VERDICTS])
{
	const char *text = "";

	for (int k = 0; k < VERDICTS; k++)
		if (count[k])
			text = keep("%s%s%s %d", text, *text ? ", " : "", verdict_name[k],
			            count[k]);
	return text;
}

/* Prints what the works claimed, and what was found here. What was not measured is counted by the
 * reason; numbers that were not are left out, unless the machine refused to count them. */
static void tell_claims(const json_t *claims, FILE *out)
{
	json_t *claim, *count, *reasons = json_object();
	const char *why;
	size_t n;

	json_array_foreach(claims, n, claim) {
		const char *sentence = json_string_value(json_object_get(claim, "sentence"));
		const char *source = json_string_value(json_object_get(claim, "source"));

		if (json_integer_value(json_object_get(claim, "cases")))
			tool_paragraph(out, "  %s. %s%s%s",
			               json_string_value(json_object_get(claim, "text")), source,
			               *source ? " " : "", sentence);
		else if (!json_object_get(claim, "number") || json_object_get(claim, "refused"))
			json_object_set_new(reasons, sentence,
			                    json_integer(1 + json_integer_value(json_object_get(
								     reasons, sentence))));
	}
	json_object_foreach(reasons, why, count)
		tool_paragraph(out, "  %s: %s",
		               text_many((double)json_integer_value(count), "claim"), why);
	json_decref(reasons);
}

/* Tells what became of an experiment, in one line, and its claims if the user named experiments.
 * Adds the verdicts to `count`. */
int tell_experiment(const struct experiment *e, const struct store *store, const struct wanted *w,
                    const struct tally *t, int count[VERDICTS])
{
	json_t *claims = claims_judge(e, store), *claim;
	FILE *out = tool_people(&w->common);
	const char *why = reasons(e, t);
	const int wrong = count_wrong(e, store);
	int here[VERDICTS] = {0}, code = TOOL_OK;
	size_t n;

	count_verdicts(claims, here);
	tool_paragraph(out, "%s (%s): %d of %d steps%s%s%s%s%s", e->name,
	               experiment_text(e, "what"), t->measured + t->there, e->steps,
	               wrong ? keep("; %s", text_many(wrong, "wrong result")) : "",
	               *verdicts_text(here) ? "; claims: " : "", verdicts_text(here),
	               *why ? "; " : "", why);
	if (w->count)
		tell_claims(claims, out);
	for (int k = 0; k < VERDICTS; k++)
		count[k] += here[k];
	json_array_foreach(claims, n, claim) {
		json_t *record = json_copy(claim);

		json_object_set_new(record, "experiment", text_json(e->name));
		code = code ? code : tool_json(&w->common, record);
	}
	json_decref(claims);
	return code;
}

int tell_list(const struct works *works, const struct store *store, const struct wanted *w)
{
	struct tool_table table;

	tool_table_start(&table, "lllrl");
	for (const char *const *head = (const char *const[]){"experiment", "in the work", "title",
	                                                     "steps there", "needs", NULL};
	     *head; head++)
		tool_table_add(&table, "%s", *head);
	for (const struct experiment *e = works->experiment; e < works->experiment + works->count;
	     e++) {
		int there = 0, device = 0;

		if (!e->wanted)
			continue;
		for (int k = 0; k < e->steps; k++) {
			there += is_there(store, &e->step[k]);
			device += e->step[k].device;
		}
		tool_table_add(&table, "%s", e->name);
		tool_table_add(&table, "%s", experiment_text(e, "what"));
		tool_table_add(&table, "%s", experiment_text(e, "title"));
		tool_table_add(&table, "%d of %d", there, e->steps);
		tool_table_add(&table, "%s",
		               !e->steps            ? "cannot be made"
		               : device == e->steps ? "a device"
		               : device             ? "partly a device"
		                                    : "");
	}
	tool_table_print(&table, TOOL_TEXT, tool_people(&w->common));
	tool_table_free(&table);
	return TOOL_OK;
}

/* Tells how many steps of the file no experiment asks for any more, since its descriptions or the
 * options of the call have changed. */
static void tell_others(const struct works *works, const struct store *store,
                        const struct wanted *w)
{
	json_t *asked = place_records(works, store);
	const size_t all = json_object_size(store->records), there = json_object_size(asked);

	json_decref(asked);
	if (all > there)
		tool_remark(&w->common,
		            "%s has records of %s that no experiment asks for; the page is without "
		            "them",
		            store->path, text_many((double)(all - there), "step"));
}

/* Tells which results of a step are wrong, and returns how many of these are of our methods. */
static int tell_wrong(const struct store *store, const struct step *step, FILE *out)
{
	json_t *wrong = wrong_results(store, step), *why;
	const char *what;
	int ours = 0;

	json_object_foreach(wrong, what, why) {
		ours += strncmp(what, "peer.", 5) != 0;
		tool_paragraph(out, "wrong: ek bench %s: %s: %s", step->command, what,
		               json_string_value(why));
	}
	json_decref(wrong);
	return ours;
}

int tell_end(const struct works *works, const struct store *store, const struct wanted *w,
             const int count[VERDICTS])
{
	FILE *out = tool_people(&w->common);
	json_t *failed = json_object(), *told = json_object(), *why;
	const char *command;
	int wrong = 0;

	for (const struct experiment *e = works->experiment; e < works->experiment + works->count;
	     e++)
		for (int k = 0; e->wanted && k < e->steps; k++) {
			command = e->step[k].command;
			if (is_failed(store, w, &e->step[k]))
				json_object_set(failed, command,
				                json_object_get(store->failed, command));
			if (!json_object_get(told, command))
				wrong += tell_wrong(store, &e->step[k], out);
			json_object_set_new(told, command, json_true());
		}
	json_object_foreach(failed, command, why)
		tool_paragraph(out, "failed: ek bench %s: %s", command, json_string_value(why));
	json_decref(failed);
	json_decref(told);
	tell_others(works, store, w);
	if (*verdicts_text(count))
		fprintf(out, "claims: %s\n", verdicts_text(count));
	fprintf(out, "page: %s/index.html\n", w->folder);
	if (w->plots)
		fprintf(out, "charts: %s/*.%s\n", w->folder, w->plots);
	return wrong;
}

/* Returns how many steps there are to measure. Those that experiments share count once. */
static size_t count_steps(const struct works *works, const struct store *store,
                          const struct wanted *w)
{
	json_t *commands = json_object();

	for (const struct experiment *e = works->experiment; e < works->experiment + works->count;
	     e++)
		for (int k = 0; e->wanted && k < e->steps; k++)
			if (is_to_measure(store, w, &e->step[k]))
				json_object_set_new(commands, e->step[k].command, json_true());
	const size_t count = json_object_size(commands);

	json_decref(commands);
	return count;
}

/* Tells how many steps there are to measure, and what takes part. */
void tell_start(const struct works *works, const struct store *store, const struct wanted *w)
{
	const size_t steps = count_steps(works, store, w);

	if (!steps)
		return;
	tool_remark(&w->common,
	            "at most %s to measure, each kept when it ends (Ctrl-C loses no other)%s",
	            text_many((double)steps, "step"),
	            w->mode == MODE_FULL && steps > 20
	                    ? "; a full run takes hours, --quick less than ten minutes"
	                    : "");
	if (!getenv("EK_MATRICES"))
		tool_remark(
			&w->common,
			"EK_MATRICES names no folder with real matrices, so twins stand for them");
}

/* Says so if no other library took part. */
void tell_peers(const struct store *store, const struct wanted *w)
{
	const char *step, *method;
	json_t *records, *record;
	bool found = false;
	size_t n;

	json_object_foreach(store->records, step, records)
		json_array_foreach(records, n, record) {
			method = json_string_value(json_object_get(record, "method"));
			found = found || (method && strncmp(method, "peer.", 5) == 0);
		}
	if (!found)
		tool_remark(&w->common,
		            "no other library took part; make peers installs some, for steps that "
		            "are measured from then on (--again: those that are there, too)");
}
