/* SPDX-License-Identifier: BSD-3-Clause
 * Reads the descriptions of the works: a JSON file for each, in a folder that is found relative to
 * the program, as suites are. doc/reproduction.md describes the format. All keys are checked, so
 * that a misspelt one is not silently ignored. */
#define _GNU_SOURCE /* for scandir, alphasort */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "reproduce.h"

#ifndef EK_TO_WORKS
#define EK_TO_WORKS "../share/evenkeel/works"
#endif

/* ---- Checks ---------------------------------------------------------------------------------- */

/* The keys that objects may have, separated by blanks, and those among them that they must have. */
static const struct shape {
	const char *keys, *must;
} work_shape = {"work number authors year title venue machines experiments",
                "work number authors year title experiments"},
  experiment_shape = {"id what page title note cannot runs charts published claims numbers",
                      "id what title"},
  run_shape = {"bench each device both beside matrices full quick toy", "bench"},
  chart_shape = {"title kind x y series split where mean log label over across reduce parts best "
                 "beside",
                 "kind x"},
  table_shape = {"caption columns rows", "caption columns rows"},
  claim_shape = {"text page section published ours of over where across value over_value better "
                 "mean stand_in per_thread",
                 "text of over"},
  number_shape = {"text page section published value where exact below mean stand_in",
                  "text published value where"};

/* Returns the words that a key may have as its value; NULL if it may have others. */
static const char *words_of(const struct shape *shape, const char *key)
{
	static const char means[] = "harmonic geometric arithmetic median max",
			  of_chart[] = "harmonic geometric arithmetic median max none";

	return strcmp(key, "kind") == 0     ? "bars lines points profile stack"
	       : strcmp(key, "reduce") == 0 ? means
	       : strcmp(key, "mean") == 0   ? (shape == &chart_shape ? of_chart : means)
	                                    : NULL;
}

/* Checks the keys of an object. `where` names it in messages. Returns an exit code. */
static int check_shape(const json_t *o, const struct shape *shape, const char *where)
{
	const char *key;
	json_t *value;
	char name[32];

	if (!json_is_object(o))
		return tool_fail(TOOL_INPUT, "%s: an object is expected", where);
	json_object_foreach((json_t *)o, key, value) {
		const char *words = words_of(shape, key), *word = json_string_value(value);

		if (!has_word(shape->keys, key))
			return tool_fail(TOOL_INPUT,
			                 "%s: unknown key \"%s\"; "
			                 "these exist: %s",
			                 where, key, shape->keys);
		if (words && !(word && has_word(words, word)))
			return tool_fail(TOOL_INPUT,
			                 "%s: the key \"%s\" has an unknown value; "
			                 "these exist: %s",
			                 where, key, words);
	}
	const char *must = shape->must;

	for (int used; sscanf(must, "%31s%n", name, &used) == 1; must += used)
		if (!json_object_get(o, name))
			return tool_fail(TOOL_INPUT, "%s: the key \"%s\" is missing", where, name);
	return TOOL_OK;
}

/* Checks all objects of the array o[key], which may be missing. */
static int check_array(const json_t *o, const char *key, const struct shape *shape,
                       const char *where)
{
	const json_t *array = json_object_get(o, key);
	int code = TOOL_OK;

	if (array && !json_is_array(array))
		return tool_fail(TOOL_INPUT, "%s: an array \"%s\" is expected", where, key);
	for (size_t k = 0; !code && k < json_array_size(array); k++)
		code = check_shape(json_array_get(array, k), shape,
		                   keep("%s, %s %zu", where, key, k + 1));
	return code;
}

/* Checks that all charts have values: of series, or parts of values. */
static int check_values(const json_t *o, const char *where)
{
	json_t *chart;
	size_t k;

	json_array_foreach(json_object_get(o, "charts"), k, chart)
		if (!json_object_get(chart, "parts") &&
		    (!json_object_get(chart, "y") || !json_object_get(chart, "series")))
			return tool_fail(TOOL_INPUT,
			                 "%s, charts %zu: \"parts\", or \"y\" and \"series\", "
			                 "are missing",
			                 where, k + 1);
	return TOOL_OK;
}

static int check_experiment(const json_t *o, const char *where)
{
	int code = check_shape(o, &experiment_shape, where);

	if (code)
		return code;
	where = keep("%s, experiment %s", where, json_string_value(json_object_get(o, "id")));
	code = check_array(o, "runs", &run_shape, where);
	code = code ? code : check_array(o, "charts", &chart_shape, where);
	code = code ? code : check_values(o, where);
	code = code ? code : check_array(o, "published", &table_shape, where);
	code = code ? code : check_array(o, "claims", &claim_shape, where);
	code = code ? code : check_array(o, "numbers", &number_shape, where);
	if (!code && !json_object_get(o, "runs") == !json_object_get(o, "cannot"))
		return tool_fail(TOOL_INPUT, "%s: either \"runs\" or \"cannot\" is expected",
		                 where);
	return code;
}

/* ---- Reading --------------------------------------------------------------------------------- */

const char *experiment_text(const struct experiment *e, const char *key)
{
	const char *text = json_string_value(json_object_get(e->json, key));

	return text ? text : "";
}

/* Tells whether the user wants an experiment: by its work's name or number alone, or followed by
 * its own name or by the chapter that its name begins with. Letters may be small or capital. */
static bool is_wanted(const struct wanted *wanted, const char *work, const char *number,
                      const char *id)
{
	for (int k = 0; k < wanted->count; k++) {
		const char *name = wanted->names[k], *own;
		const size_t length = strcspn(name, ".");
		const bool this =
			(strlen(work) == length && strncasecmp(name, work, length) == 0) ||
			(strlen(number) == length && strncmp(name, number, length) == 0);

		if (!this)
			continue;
		if (!name[length])
			return true;
		own = name + length + 1;
		if (strncasecmp(id, own, strlen(own)) == 0 &&
		    (!id[strlen(own)] || id[strlen(own)] == '.'))
			return true;
	}
	return wanted->count == 0;
}

/* Adds the experiments of a work. */
static int add_work(struct works *works, json_t *file, const struct wanted *wanted,
                    const char *path)
{
	const json_t *all = json_object_get(file, "experiments");
	int code = check_shape(file, &work_shape, path);

	if (code)
		return code;
	const char *work = json_string_value(json_object_get(file, "work")),
		   *number = json_string_value(json_object_get(file, "number"));

	if (!work || !number || !json_is_array(all))
		return tool_fail(TOOL_INPUT,
		                 "%s: \"work\" and \"number\" must be texts, "
		                 "\"experiments\" an array",
		                 path);
	for (size_t k = 0; k < json_array_size(all); k++) {
		json_t *o = json_array_get(all, k);
		const char *id = json_string_value(json_object_get(o, "id"));

		code = check_experiment(o, path);
		if (code)
			return code;
		works->experiment =
			need(realloc(works->experiment,
		                     (size_t)(works->count + 1) * sizeof *works->experiment),
		             "experiments");
		works->experiment[works->count++] =
			(struct experiment){.name = keep("%s.%s", work, id),
		                            .work = file,
		                            .json = o,
		                            .wanted = is_wanted(wanted, work, number, id)};
	}
	return TOOL_OK;
}

static int is_json(const struct dirent *entry)
{
	const size_t length = strlen(entry->d_name);

	return length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0;
}

static int read_file(struct works *works, const char *path, const struct wanted *wanted)
{
	json_error_t error;
	json_t *file = json_load_file(path, JSON_REJECT_DUPLICATES, &error);

	if (!file)
		return tool_fail(TOOL_INPUT, "%s:%d: %s", path, error.line, error.text);
	json_array_append_new(works->files, file);
	return add_work(works, file, wanted, path);
}

/* Reports names that no experiment has, with the nearest name. */
static int check_names(const struct works *works, const struct wanted *wanted)
{
	struct wanted all = *wanted;

	for (int k = 0; k < wanted->count; k++) {
		const char *near = NULL;
		bool found = false;

		all.names = wanted->names + k;
		all.count = 1;
		for (size_t f = 0; f < json_array_size(works->files); f++) {
			const json_t *file = json_array_get(works->files, f), *list;
			const char *work = json_string_value(json_object_get(file, "work")),
				   *number = json_string_value(json_object_get(file, "number"));

			near = tool_nearer(wanted->names[k], near, work);
			list = json_object_get(file, "experiments");
			for (size_t e = 0; e < json_array_size(list); e++) {
				const char *id = json_string_value(
					json_object_get(json_array_get(list, e), "id"));

				found = found || is_wanted(&all, work, number, id);
				near = tool_nearer(wanted->names[k], near, keep("%s.%s", work, id));
			}
		}
		if (!found)
			return tool_fail(TOOL_USAGE,
			                 "there is no experiment \"%s\"%s%s; ek "
			                 "reproduce --list has all",
			                 wanted->names[k], near ? "; did you mean " : "",
			                 near ? keep("%s?", near) : "");
	}
	return TOOL_OK;
}

int works_read(struct works *works, const struct wanted *wanted)
{
	static const char *const places[] = {EK_TO_WORKS, "works", NULL};
	char folder[PATH_BYTES];
	struct dirent **entry = NULL;
	int code = TOOL_OK, files = -1;

	*works = (struct works){.files = json_array()};
	if (wanted->works)
		snprintf(folder, sizeof folder, "%s", wanted->works);
	if (wanted->works || path_beside(places, folder))
		files = scandir(folder, &entry, is_json, alphasort);
	if (files <= 0)
		return tool_fail(TOOL_INPUT,
		                 "the descriptions of the works cannot be read: "
		                 "%s has no files *.json",
		                 wanted->works ? wanted->works
		                               : EK_TO_WORKS " beside this program");
	for (int k = 0; k < files; k++) {
		code = code ? code
		            : read_file(works, keep("%s/%s", folder, entry[k]->d_name), wanted);
		free(entry[k]);
	}
	free(entry);
	return code ? code : check_names(works, wanted);
}

void works_free(struct works *works)
{
	for (int k = 0; k < works->count; k++)
		free(works->experiment[k].step);
	free(works->experiment);
	json_decref(works->files);
}
