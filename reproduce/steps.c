/* SPDX-License-Identifier: BSD-3-Clause
 * Makes the steps of an experiment: for each of its runs, the commands for all combinations of the
 * options in "each" and for all matrices. One matrix is one step, so that a run that is cut off
 * loses no more than that. */
#include <stdlib.h>
#include <string.h>

#include "reproduce.h"

const char *const mode_name[MODES] = {"full", "quick", "toy"};

/* What is added to all commands of a mode. */
static const char *const mode_options[MODES] = {"", " --rounds 5 --time 0.3", " --rounds 1"};

/* Matrices that stand for all others in the mode "toy". */
static const char *const toys[] = {"uniform:rows=300,cols=300,k=5", NULL};

static void add_step(struct experiment *e, const char *command, struct step like)
{
	for (int k = 0; k < e->steps; k++)
		if (strcmp(e->step[k].command, command) == 0) {
			e->step[k].beside = e->step[k].beside && like.beside;
			return;
		}
	e->step = need(realloc(e->step, (size_t)(e->steps + 1) * sizeof *e->step), "steps");
	like.command = command;
	e->step[e->steps++] = like;
}

/* Returns the names of the matrices of a run in this mode; none if it has no matrices. */
static int matrices_of(const json_t *run, enum mode mode, struct names *names)
{
	const json_t *all = json_object_get(run, "matrices");
	const json_t *list = json_object_get(all, mode_name[mode]);
	int code = TOOL_OK;

	if (!list && mode == MODE_TOY && all) {
		for (int k = 0; toys[k]; k++)
			names_add(names, toys[k]);
		return TOOL_OK;
	}
	if (!list)
		list = json_object_get(all, mode_name[MODE_FULL]);
	for (size_t k = 0; !code && k < json_array_size(list); k++)
		code = names_expand(names, json_string_value(json_array_get(list, k)));
	return code;
}

/* Returns "twin:" for the name of a twin whose real matrix is not there, so that the records of the
 * twin are not taken for those of the matrix when it is. */
static const char *source_of(const char *name)
{
	char path[PATH_BYTES];

	for (const ek_twin *t = NULL; (t = ek_twin_next(t));)
		if (strcmp(t->name, name) == 0)
			return tool_real_path(name, path, sizeof path) ? "" : "twin:";
	return "";
}

/* Adds the steps of a command: one for each matrix, or one if there are none. */
static void add_matrices(struct experiment *e, const char *command, const struct names *names,
                         struct step like)
{
	for (int k = 0; k < names->count; k++)
		add_step(e,
		         keep("%s %s%s", command, source_of(names->name[k]),
		              word_quoted(names->name[k])),
		         like);
	if (!names->count)
		add_step(e, command, like);
}

/* Adds the steps of all combinations of the options from `option` on. */
static void add_each(struct experiment *e, const char *command, json_t *each, void *option,
                     const struct names *names, struct step like)
{
	if (!option) {
		add_matrices(e, command, names, like);
		return;
	}
	const json_t *values = json_object_iter_value(option);

	for (size_t k = 0; k < json_array_size(values); k++)
		add_each(e,
		         keep("%s %s %s", command, json_object_iter_key(option),
		              word_quoted(json_string_value(json_array_get(values, k)))),
		         each, json_object_iter_next(each, option), names, like);
}

/* Adds an option, unless the run has its own. */
static const char *add_option(const char *command, const json_t *run, const char *option,
                              const char *value)
{
	const bool own = strstr(command, option) ||
	                 json_object_get(json_object_get(run, "each"), option);

	return own ? command : keep("%s %s%s%s", command, option, *value ? " " : "", value);
}

/* Adds what the user wants of all steps. */
static const char *add_options(const char *command, const json_t *run, const struct wanted *wanted)
{
	const struct tool_options *o = &wanted->common;

	if (o->threads)
		command = add_option(command, run, "--threads", keep("%d", o->threads));
	if (wanted->isa)
		command = add_option(command, run, "--isa", wanted->isa);
	if (wanted->bind)
		command = add_option(command, run, "--bind", "");
	if (o->memory_given && json_is_true(json_object_get(run, "device")))
		command = add_option(command, run, "--device-memory",
		                     tool_memory_name(o->device_memory));
	return command;
}

static int add_run(struct experiment *e, json_t *run, const struct wanted *wanted)
{
	const struct step like = {.device = json_is_true(json_object_get(run, "device")),
	                          .beside = json_is_true(json_object_get(run, "beside"))};
	const bool both = json_is_true(json_object_get(run, "both"));
	const char *more = json_string_value(json_object_get(run, mode_name[wanted->mode]));
	json_t *each = json_object_get(run, "each");
	struct names names = {NULL, 0};
	int code = matrices_of(run, wanted->mode, &names);

	if (!more)
		more = json_string_value(json_object_get(run, mode_name[MODE_FULL]));
	const char *command = keep("%s%s%s%s", json_string_value(json_object_get(run, "bench")),
	                           mode_options[wanted->mode], more ? " " : "", more ? more : "");

	command = add_options(command, run, wanted);
	/* Without a device the step is not run, but it is not one of the processor, either. */
	if (like.device)
		command = keep("%s --device %s%s", command, both ? "cpu+" : "",
		               wanted->device ? word_quoted(wanted->device) : "NAME");
	/* A run of matrices that has none in this mode has no step. */
	if (!code && (names.count || !json_object_get(run, "matrices")))
		add_each(e, command, each, json_object_iter(each), &names, like);
	free(names.name);
	return code;
}

int steps_make(struct experiment *e, const struct wanted *wanted)
{
	const json_t *runs = json_object_get(e->json, "runs");
	int code = TOOL_OK;

	for (size_t k = 0; !code && k < json_array_size(runs); k++)
		code = add_run(e, json_array_get(runs, k), wanted);
	return code;
}
