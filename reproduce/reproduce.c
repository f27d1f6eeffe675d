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
	{"again", KEY_AGAIN, "all|disturbed", OPTION_ARG_OPTIONAL,
         "forget the records of EXPERIMENT that are there (all), or only those that other "
         "processes "
         "disturbed",
         0},
	{"plots", KEY_PLOTS, "pdf|png|svg", 0, "draw each chart to a file, too, by gnuplot", 0},
	{"works", KEY_WORKS, "FOLDER", 0, "take the descriptions of the works from there", 0},
	{0}};

static const struct tool_choice plot_kinds[] = {{"pdf", 0}, {"png", 1}, {"svg", 2}, {NULL, 0}};

static const struct tool_choice agains[] = {
	{"all", FORGET_ALL}, {"disturbed", FORGET_DISTURBED}, {NULL, 0}};

/* Where records are kept. Steps differ between the modes, so each has a folder of its own. */
static const char *const folders[MODES] = {"reproduction", "reproduction-quick",
                                           "reproduction-toy"};

/* Takes the device from --device, else from EK_DEVICE, for the runs of devices. */
static void settle_device(struct wanted *w)
{
	const char *device = getenv("EK_DEVICE");

	if (!w->common.device && device)
		w->common.device = keep("%s", device);
	if (w->common.device && strcmp(w->common.device, "cpu") == 0)
		w->common.device = NULL;
	if (w->common.device && tool_on_both(&w->common))
		tool_usage("--device %s: one device is expected; what both kinds of core compute "
		           "is measured beside",
		           w->common.device);
	if (w->common.memory_given && !w->common.device)
		tool_usage("--device-memory is for a device; --device names one (ek list devices)");
}

static bool is_set(const char *name)
{
	const char *text = getenv(name);

	return text && *text;
}

static void remove_variables(const char *const *name)
{
	for (; *name; name++)
		unsetenv(*name);
}

/* Takes the number of threads, the instruction set, and whether threads are bound from the
 * environment where no option says it, and checks all: they go into the commands of steps, so that
 * these say how they were measured. Removes all variables that change measurements, but those that
 * name files, as EK_PROFILE does. Returns an exit code. */
static int settle_variables(struct wanted *w)
{
	static const char *const unwanted[] = {"EK_DEVICE", "EK_METHOD", "EK_CSR5_SIGMA", NULL},
				 *const taken[] = {"EK_THREADS", "OMP_NUM_THREADS", "EK_ISA",
	                                           "EK_BIND", NULL};
	const struct tool_options plain = {
		.threads = w->common.threads, .isa_limit = w->common.isa_limit, .device = "cpu"};
	int code;

	remove_variables(unwanted);
	ek_context *ctx = tool_context(&plain, &code);

	if (!ctx)
		return code;
	if (is_set("EK_THREADS") || is_set("OMP_NUM_THREADS"))
		w->common.threads = ek_context_threads(ctx);
	if (is_set("EK_ISA") || w->common.isa_limit)
		w->isa = ek_isa_name(ek_context_isa(ctx));
	w->bind = is_set("EK_BIND") && strcmp(getenv("EK_BIND"), "0") != 0;
	ek_context_destroy(ctx);
	remove_variables(taken);
	return TOOL_OK;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct wanted *w = state->input;

	tool_init(key, state, &w->common);
	switch (key) {
	case ARGP_KEY_INIT: w->minutes = -1; break;
	case 'o': w->folder = arg; break;
	case KEY_QUICK:
	case KEY_TOY:
		if (w->mode)
			tool_usage("--quick and --toy do not go together");
		w->mode = key == KEY_QUICK ? MODE_QUICK : MODE_TOY;
		break;
	case KEY_LIST: w->list = true; break;
	case KEY_AGAIN:
		w->again = arg ? (enum again)tool_choose("--again", arg, agains) : FORGET_ALL;
		break;
	case KEY_PLOTS: w->plots = plot_kinds[tool_choose("--plots", arg, plot_kinds)].name; break;
	case KEY_WORKS: w->works = arg; break;
	case KEY_MINUTES:
		w->minutes = tool_number("--minutes", arg);
		if (!(w->minutes > 0))
			tool_usage("--minutes: a number above 0 is expected, not %s", arg);
		break;
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
	"in the same order), a chapter of it, or one table or figure: thesis.8.13 for Figure 8.13, "
	"thesis.t8.5 for Table 8.5. Records are kept step by step: a run that was cut off goes on "
	"when it is called again. What was measured on GPUs needs --device. Other libraries take "
	"part where they are found (make peers, EK_PEERS), real matrices where EK_MATRICES names "
	"their folder; elsewhere twins stand for them. A library that is installed later takes "
	"part in steps that are measured from then on; --again measures them anew. --threads, "
	"--isa, --bind and --device-memory (or EK_THREADS, OMP_NUM_THREADS, EK_ISA, EK_BIND) are "
	"added to the commands of all steps, which then are steps of their own.\n\n"
	"A claim holds if the whole 95 % interval of the ratio is on its side of 1, does not hold "
	"if it is on the other side, and ties in between. It is not judged without an interval, if "
	"others disturbed the machine, if its sides were not measured in the same rounds, or if a "
	"method stands for another.\n\n"
	"Example: ek reproduce --quick thesis.8\n\n"
	"Exit status: 0 success, 1 a step failed or a result is wrong, 2 usage, 3 a bad "
	"description of a work, 4 no such device here.";

static const struct argp_child children[] = {
	{&tool_device_argp, 0, NULL, 0}, {&tool_general_argp, 0, "Common options:", 2}, {0}};
static const struct argp argp = {options, parse, "[EXPERIMENT...]", doc, children, NULL, NULL};

/* ---- Measuring ------------------------------------------------------------------------------- */

static const double step_limit[MODES] = {[MODE_FULL] = 3600, [MODE_QUICK] = 90, [MODE_TOY] = 300};
enum { GRACE = 55 }; /* seconds that the last step may take beyond --minutes */

/* Measures a step and keeps its records, or the reason why there are none. What took too long is
 * not tried again by later runs; what failed otherwise is. */
static int measure_step(const struct step *step, struct store *store, const struct wanted *w,
                        double end, struct tally *tally)
{
	const double start = tool_seconds(), most = step_limit[w->mode];
	const double left = end > 0 ? end + GRACE - start : most;
	const char *why;
	json_t *records = child_run(step->command, left < most ? left : most, &why);
	const double spent = tool_seconds() - start;

	if (!records && left < most && spent > left) { /* only the time of this call was up */
		tally->later++;
		return TOOL_OK;
	}
	if (!records) {
		const bool slow = spent > most;

		tally->failed++;
		json_object_set_new(store->failed, step->command, text_json(why));
		return slow ? store_fail(store, step->command, why) : TOOL_OK;
	}
	tally->measured++;
	return store_add(store, step->command, records, tool_seconds() - start);
}

/* Tells whether --again forgets a step. */
static bool is_forgotten(const struct store *store, const struct wanted *w, const struct step *step)
{
	const json_t *records = json_object_get(store->records, step->command), *record;
	bool disturbed = false;
	size_t k;

	if (step->device && !w->common.device)
		return false;
	json_array_foreach(records, k, record)
		disturbed = disturbed || value_is_disturbed(record, "ms");
	return w->again == FORGET_ALL ? records || json_object_get(store->failed, step->command)
	                              : disturbed;
}

/* Forgets what --again says of the wanted experiments. Steps that this run cannot measure keep
 * their records. */
static int forget(const struct works *works, struct store *store, const struct wanted *w)
{
	const char **command = NULL;
	int count = 0;

	for (int k = 0; w->again && k < works->count; k++) {
		const struct experiment *e = &works->experiment[k];

		for (int j = 0; e->wanted && j < e->steps; j++) {
			if (!is_forgotten(store, w, &e->step[j]))
				continue;
			command = need(realloc(command, (size_t)(count + 1) * sizeof *command),
			               "steps");
			command[count++] = e->step[j].command;
		}
	}
	const int code = count ? store_forget(store, command, count) : TOOL_OK;

	free(command);
	return code;
}

/* Says what an interrupt would leave now. */
static void foresee_interrupt(const struct store *store, const struct wanted *w)
{
	if (!w->common.quiet)
		tool_interrupted(keep("%s kept in %s; the same command goes on with the others",
		                      text_many((double)json_object_size(store->records), "step"),
		                      store->path));
}

/* Measures the steps of an experiment that are not there yet, until the time `end`. */
static int measure(const struct experiment *e, struct store *store, const struct wanted *w,
                   double end, const char *what, struct tally *tally)
{
	struct tool_progress *progress = tool_progress_start(&w->common, what);
	int code = TOOL_OK, of = 0;

	for (int k = 0; k < e->steps; k++)
		of += is_to_measure(store, w, &e->step[k]);
	for (int k = 0, at = 0; !code && k < e->steps; k++) {
		const struct step *step = &e->step[k];

		tool_progress_step(progress, at, of);
		at += is_to_measure(store, w, step);
		foresee_interrupt(store, w);
		if (is_there(store, step))
			tally->there++;
		else if (step->device && !w->common.device)
			tally->device++;
		else if (is_failed(store, w, step))
			tally->failed++;
		else if (end > 0 && tool_seconds() > end)
			tally->later++;
		else
			code = measure_step(step, store, w, end, tally);
	}
	tool_progress_end(progress);
	return code;
}

/* ---- The command ----------------------------------------------------------------------------- */

/* Returns an exit code if the device that the user named cannot be used. */
static int check_device(const struct wanted *w)
{
	int code = TOOL_OK;

	if (!w->common.device)
		return code;
	ek_context_destroy(tool_context(&(struct tool_options){.device = w->common.device}, &code));
	return code;
}

static int run(const struct works *works, struct store *store, const struct wanted *w)
{
	const double end = w->minutes > 0 ? tool_seconds() + 60 * w->minutes : 0;
	int count[VERDICTS] = {0}, of = 0, at = 0, failed = 0, code = store_ask(store, works);

	tell_start(works, store, w);
	for (int k = 0; k < works->count; k++)
		of += works->experiment[k].wanted;
	for (int k = 0; !code && k < works->count; k++) {
		const struct experiment *e = &works->experiment[k];
		struct tally tally = {0};

		if (!e->wanted)
			continue;
		code = measure(e, store, w, end, keep("%s (%d of %d)", e->name, ++at, of), &tally);
		code = code ? code : tell_experiment(e, store, w, &tally, count);
		code = code || tally.measured == 0 ? code : page_write(works, store, w);
		failed += tally.failed;
	}
	code = code ? code : page_write(works, store, w);
	if (!code && w->plots)
		code = plots_write(works, store, w);
	if (!code) {
		tell_peers(store, w);
		failed += tell_end(works, store, w, count);
	}
	return code || !failed ? code : TOOL_FAILED;
}

int cmd_reproduce(int argc, char **argv)
{
	struct wanted wanted = {0};
	struct works works;
	struct store store = {0};
	int code, closed;

	tool_parse(&argp, argc, argv, &wanted);
	code = works_read(&works, &wanted);
	code = code ? code : settle_variables(&wanted);
	code = code ? code : check_device(&wanted);
	code = code ? code : store_open(&store, &wanted);
	wanted.device = wanted.common.device ? wanted.common.device : store_device(&store);
	for (int k = 0; !code && k < works.count; k++)
		code = steps_make(&works.experiment[k], &wanted);
	code = code ? code : forget(&works, &store, &wanted);
	code = code ? code : tool_json_open(&wanted.common);
	if (!code)
		code = wanted.list ? tell_list(&works, &store, &wanted)
		                   : run(&works, &store, &wanted);
	closed = tool_json_close(&wanted.common);
	store_close(&store);
	works_free(&works);
	return code ? code : closed;
}
