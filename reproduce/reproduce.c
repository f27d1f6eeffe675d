/* SPDX-License-Identifier: BSD-3-Clause
 * ek reproduce: measures again what the works measured that this library implements, and says
 * whether their claims hold on this machine. */
#define _GNU_SOURCE /* for unsetenv */
#include <stdlib.h>
#include <string.h>

#include "reproduce.h"

enum { KEY_QUICK = 1, KEY_TOY, KEY_LIST, KEY_AGAIN, KEY_MINUTES, KEY_WORKS, KEY_PLOTS };

static const struct argp_option options[] = {
	{"output", 'o', "FOLDER", 0,
         "where records and the page, index.html, are kept (reproduction; reproduction-quick, "
         "reproduction-toy)",
         0},
	{"quick", KEY_QUICK, NULL, 0, "a selection, in less than ten minutes", 0},
	{"toy", KEY_TOY, NULL, 0, "tiny problems, which only show that everything runs", 0},
	{"minutes", KEY_MINUTES, "N", 0, "begin nothing after N minutes (--quick: 9)", 0},
	{"list", KEY_LIST, NULL, 0, "measure nothing; show the experiments and what is there", 0},
	{"again", KEY_AGAIN, NULL, 0, "forget the records that are there", 0},
	{"plots", KEY_PLOTS, "pdf|png|svg", 0, "draw each chart to a file, too, by gnuplot", 0},
	{"works", KEY_WORKS, "FOLDER", 0, "take the descriptions of the works from there", 0},
	{0}};

static const struct tool_choice plot_kinds[] = {{"pdf", 0}, {"png", 1}, {"svg", 2}, {NULL, 0}};

/* Where records are kept. Steps differ between the modes, so each has a folder of its own. */
static const char *const folders[MODES] = {"reproduction", "reproduction-quick",
                                           "reproduction-toy"};

/* Takes the device from --device, else from EK_DEVICE, for the runs of devices. The variables are
 * removed, since they would also change the runs of the processor. */
static void settle_device(struct wanted *w)
{
	const char *device = getenv("EK_DEVICE");

	if (!w->common.device && device)
		w->common.device = keep("%s", device);
	if (w->common.device && strcmp(w->common.device, "cpu") == 0)
		w->common.device = NULL;
	unsetenv("EK_DEVICE");
	unsetenv("EK_METHOD");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct wanted *w = state->input;

	tool_init(key, state, &w->common);
	switch (key) {
	case ARGP_KEY_INIT: w->minutes = -1; break;
	case 'o': w->folder = arg; break;
	case KEY_QUICK: w->mode = MODE_QUICK; break;
	case KEY_TOY: w->mode = MODE_TOY; break;
	case KEY_LIST: w->list = true; break;
	case KEY_AGAIN: w->again = true; break;
	case KEY_PLOTS: w->plots = plot_kinds[tool_choose("--plots", arg, plot_kinds)].name; break;
	case KEY_WORKS: w->works = arg; break;
	case KEY_MINUTES: w->minutes = tool_duration("--minutes", arg); break;
	case ARGP_KEY_ARGS:
		w->names = state->argv + state->next;
		w->count = state->argc - state->next;
		break;
	case ARGP_KEY_END:
		if (w->minutes < 0)
			w->minutes = w->mode == MODE_QUICK ? 9 : 0;
		if (w->list && w->again)
			tool_usage("--list changes nothing, so --again does not go with it");
		if (!w->folder)
			w->folder = folders[w->mode];
		settle_device(w);
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const char doc[] =
	"Measures again what the works measured that this library implements, draws their tables "
	"and figures from the records, and says whether their claims hold here.\v"
	"EXPERIMENT is a work (speculative, adaptive, segspmv, thesis, scan, today; or 000 to 005 "
	"in the same order) or one table or figure of it: thesis.8.13 for "
	"Figure "
	"8.13, thesis.t8.5 for Table 8.5. Records are kept step by step: a run that was cut off "
	"goes on when it is called again. What was measured on GPUs needs --device.";

static const struct argp_child children[] = {
	{&tool_device_argp, 0, NULL, 0}, {&tool_general_argp, 0, "Common options:", 2}, {0}};
static const struct argp argp = {options, parse, "[EXPERIMENT...]", doc, children, NULL, NULL};

/* ---- Measuring ------------------------------------------------------------------------------- */

/* What became of the steps of an experiment. */
struct tally {
	int measured, there, failed, device, later;
};

static const double step_limit[MODES] = {[MODE_FULL] = 3600, [MODE_QUICK] = 90, [MODE_TOY] = 60};
enum { GRACE = 55 }; /* seconds that the last step may take beyond --minutes */

/* Tells whether the records of a step are there. */
static bool is_there(const struct store *store, const struct step *step)
{
	return json_object_get(store->records, step->command) != NULL;
}

/* Measures a step and keeps its records, or the reason why there are none. What took too long is
 * not tried again by later runs; what failed otherwise is. */
static int measure_step(const struct step *step, struct store *store, const struct wanted *w,
                        double end, struct tally *tally)
{
	const double start = tool_seconds(), most = step_limit[w->mode];
	const double left = end > 0 ? end + GRACE - start : most;
	const char *why;
	json_t *records = child_run(step->command, left < most ? left : most, &why);

	if (!records) {
		const bool slow = tool_seconds() - start > most;

		tally->failed++;
		json_object_set_new(store->failed, step->command, text_json(why));
		return slow ? store_fail(store, step->command, why) : TOOL_OK;
	}
	tally->measured++;
	return store_add(store, step->command, records, tool_seconds() - start);
}

/* Measures the steps of an experiment that are not there yet, until the time `end`. */
static int measure(const struct experiment *e, struct store *store, const struct wanted *w,
                   double end, const char *what, struct tally *tally)
{
	struct tool_progress *progress = tool_progress_start(&w->common, what);
	int code = TOOL_OK;

	for (int k = 0; !code && k < e->steps; k++) {
		const struct step *step = &e->step[k];

		tool_progress_step(progress, k, e->steps);
		if (is_there(store, step))
			tally->there++;
		else if (step->device && !w->common.device)
			tally->device++;
		else if (json_object_get(store->failed, step->command))
			tally->failed++;
		else if (end > 0 && tool_seconds() > end)
			tally->later++;
		else
			code = measure_step(step, store, w, end, tally);
	}
	tool_progress_end(progress);
	return code;
}

/* ---- Telling --------------------------------------------------------------------------------- */

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

	json_array_foreach(claims, n, claim) for (int k = 0; k < VERDICTS; k++) count[k] +=
		json_is_string(json_object_get(claim, "verdict")) &&
		strcmp(json_string_value(json_object_get(claim, "verdict")), verdict_name[k]) == 0;
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

/* Prints what the works claimed, and what was found here. */
static void tell_claims(const json_t *claims, FILE *out)
{
	json_t *claim;
	size_t n;

	json_array_foreach(claims, n, claim) tool_paragraph(
		out, "  %s. %s %s", json_string_value(json_object_get(claim, "text")),
		json_string_value(json_object_get(claim, "source")),
		json_string_value(json_object_get(claim, "sentence")));
}

/* Tells what became of an experiment, in one line, and its claims if the user named experiments.
 * Adds the verdicts to `count`. */
static int tell(const struct experiment *e, const struct store *store, const struct wanted *w,
                const struct tally *t, int count[VERDICTS])
{
	json_t *claims = claims_judge(e, store), *claim;
	FILE *out = tool_people(&w->common);
	const char *why = reasons(e, t);
	int here[VERDICTS] = {0}, code = TOOL_OK;
	size_t n;

	count_verdicts(claims, here);
	tool_paragraph(out, "%-18s %-13s %d of %d steps%s%s%s%s", e->name,
	               experiment_text(e, "what"), t->measured + t->there, e->steps,
	               *verdicts_text(here) ? "; claims: " : "", verdicts_text(here),
	               *why ? "; " : "", why);
	if (w->count)
		tell_claims(claims, out);
	for (int k = 0; k < VERDICTS; k++)
		count[k] += here[k];
	json_array_foreach(claims, n, claim)
	{
		json_t *record = json_copy(claim);

		json_object_set_new(record, "experiment", text_json(e->name));
		code = code ? code : tool_json(&w->common, record);
	}
	json_decref(claims);
	return code;
}

static int list(const struct works *works, const struct store *store, const struct wanted *w)
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
		               : device             ? "a device for a part"
		                                    : "");
	}
	tool_table_print(&table, TOOL_TEXT, tool_people(&w->common));
	tool_table_free(&table);
	return TOOL_OK;
}

/* Tells which steps failed and why, and the sum of the verdicts. */
static void tell_end(const struct store *store, const struct wanted *w, const int count[VERDICTS])
{
	FILE *out = tool_people(&w->common);
	const char *command;
	json_t *why;

	json_object_foreach(store->failed, command, why)
		tool_paragraph(out, "failed: ek bench %s: %s", command, json_string_value(why));
	if (*verdicts_text(count))
		fprintf(out, "claims: %s\n", verdicts_text(count));
	fprintf(out, "page: %s/index.html\n", w->folder);
}

/* ---- The command ----------------------------------------------------------------------------- */

static int run(const struct works *works, struct store *store, const struct wanted *w)
{
	const double end = w->minutes > 0 ? tool_seconds() + 60 * w->minutes : 0;
	int count[VERDICTS] = {0}, code = TOOL_OK, of = 0, at = 0;

	for (int k = 0; k < works->count; k++)
		of += works->experiment[k].wanted;
	for (int k = 0; !code && k < works->count; k++) {
		const struct experiment *e = &works->experiment[k];
		struct tally tally = {0};

		if (!e->wanted)
			continue;
		code = measure(e, store, w, end, keep("%s (%d of %d)", e->name, ++at, of), &tally);
		code = code ? code : tell(e, store, w, &tally, count);
		code = code || tally.measured == 0 ? code : page_write(works, store, w);
	}
	code = code ? code : page_write(works, store, w);
	if (!code && w->plots)
		code = plots_write(works, store, w);
	if (!code)
		tell_end(store, w, count);
	return code || !json_object_size(store->failed) ? code : TOOL_FAILED;
}

int cmd_reproduce(int argc, char **argv)
{
	struct wanted wanted = {0};
	struct works works;
	struct store store = {0};
	int code, closed;

	tool_parse(&argp, argc, argv, &wanted);
	code = works_read(&works, &wanted);
	code = code ? code : store_open(&store, &wanted);
	wanted.device = wanted.common.device ? wanted.common.device : store_device(&store);
	for (int k = 0; !code && k < works.count; k++)
		code = steps_make(&works.experiment[k], &wanted);
	code = code ? code : tool_json_open(&wanted.common);
	if (!code)
		code = wanted.list ? list(&works, &store, &wanted) : run(&works, &store, &wanted);
	closed = tool_json_close(&wanted.common);
	store_close(&store);
	works_free(&works);
	return code ? code : closed;
}
