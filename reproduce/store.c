/* SPDX-License-Identifier: BSD-3-Clause
 * The records of steps, in the file records.jsonl of the output folder: the lines that ek bench
 * writes, each with the step that it belongs to, then a line that ends the step and says how many
 * records it has, or why it has none. Lines of a step are written at once and reach the disk before
 * the next step begins. A step without its last line was cut off and is measured again. Records
 * stay in the file when they are forgotten: a line says so, and those of the next time count.
 * Another line names the experiments that a call asked for. bench/compare.py reads such files,
 * too. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reproduce.h"

/* Ends a step: keeps its last `count` records, since those before may be of a step that was cut
 * off. A step with fewer has lost some, and is not kept. */
static void end_step(struct store *store, json_t *open, const char *step, size_t count)
{
	json_t *records = json_object_get(open, step), *all = json_array();
	const size_t there = json_array_size(records);

	for (size_t k = there - count; there >= count && k < there; k++)
		json_array_append(all, json_array_get(records, k));
	if (there >= count)
		json_object_set(store->records, step, all);
	json_decref(all);
	json_object_del(open, step);
}

static void forget_step(const struct store *store, const char *step)
{
	json_object_del(store->records, step);
	json_object_del(store->failed, step);
}

/* Reads one line. Records wait in `open` until the end of their step is read. */
static void take_line(struct store *store, json_t *open, const char *line)
{
	json_t *o = json_loads(line, 0, NULL);
	const char *step = json_string_value(json_object_get(o, "step"));
	json_t *records = step ? json_object_get(open, step) : NULL;
	json_t *why = json_object_get(o, "failed_step"), *name;
	size_t k;

	json_array_foreach(json_object_get(o, "asked"), k, name)
		json_object_set_new(store->asked, json_string_value(name), json_true());
	if (step && why) {
		json_object_set(store->failed, step, why);
	} else if (step && json_object_get(o, "forgotten")) {
		forget_step(store, step);
	} else if (step && json_object_get(o, "end")) {
		end_step(store, open, step,
		         (size_t)json_integer_value(json_object_get(o, "records")));
	} else if (step) {
		if (!records)
			json_object_set_new(open, step, records = json_array());
		json_array_append(records, o);
	}
	json_decref(o);
}

const char *store_first(const struct store *store, const char *key)
{
	const char *step, *text = NULL;
	json_t *records;

	json_object_foreach(store->records, step, records)
		if (!text)
			text = json_string_value(json_object_get(json_array_get(records, 0), key));
	return text;
}

/* Makes a folder and those above it. */
static bool make_folder(const char *path)
{
	char part[PATH_BYTES];

	for (const char *at = path; *at; at += strspn(at, "/")) {
		at += strcspn(at + 1, "/") + 1;
		snprintf(part, sizeof part, "%.*s", (int)(at - path), path);
		if (mkdir(part, 0777) != 0 && errno != EEXIST)
			return false;
	}
	return true;
}

/* Returns the model of the processor in the state of a record; NULL in that of older ones. */
static const char *model_in(const json_t *record)
{
	static const char key[] = "processor ";
	const char *state = json_string_value(json_object_get(record, "state"));
	const char *at =
		state && strncmp(state, key, strlen(key)) == 0 ? state + strlen(key) : NULL;

	return at ? keep("%.*s", (int)strcspn(at, ";"), at) : NULL;
}

/* Returns a model of the records that is not that of this machine, or NULL. */
static const char *other_model(const struct store *store)
{
	const char *own = machine_model(), *model, *step;
	json_t *records;

	json_object_foreach(store->records, step, records)
		if (own && (model = model_in(json_array_get(records, 0))) &&
		    strcmp(model, own) != 0)
			return model;
	return NULL;
}

/* Refuses records of another processor: of another name or, since virtual machines hide names, of
 * another model. */
static int check_machine(const struct store *store)
{
	char processor[TOOL_PROCESSOR];
	const char *machine = store_first(store, "machine"), *model = other_model(store);

	tool_processor(processor);
	if (model || (machine && strncmp(machine, processor, strlen(processor)) != 0))
		return tool_fail(TOOL_FAILED,
		                 "%s has records of another machine, %s%s%s; name "
		                 "another folder by --output",
		                 store->path, machine ? machine : "-", model ? ", " : "",
		                 model ? model : "");
	return TOOL_OK;
}

/* Opens the file, which only one run at a time may have open to write; makes it and its folder,
 * unless the run only lists. Returns an exit code. */
static int open_file(struct store *store, const struct wanted *wanted)
{
	if (snprintf(store->path, sizeof store->path, "%s/records.jsonl", wanted->folder) >=
	    (int)sizeof store->path)
		return tool_fail(TOOL_USAGE, "--output: the path is too long");
	if (wanted->list) {
		store->file = open(store->path, O_RDONLY | O_CLOEXEC);
		return TOOL_OK;
	}
	if (!make_folder(wanted->folder))
		return tool_fail(TOOL_FAILED, "%s: %s", wanted->folder, strerror(errno));
	store->file = open(store->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (store->file < 0)
		return tool_fail(TOOL_FAILED, "%s: %s", store->path, strerror(errno));
	if (flock(store->file, LOCK_EX | LOCK_NB) != 0)
		return tool_fail(TOOL_FAILED, "%s: another ek reproduce is at work in this folder",
		                 store->path);
	return TOOL_OK;
}

int store_open(struct store *store, const struct wanted *wanted)
{
	char *line = NULL;
	size_t size = 0;
	const int code = open_file(store, wanted);
	FILE *file = code || store->file < 0 ? NULL : fdopen(dup(store->file), "r");

	store->records = json_object();
	store->failed = json_object();
	store->asked = json_object();
	if (!file)
		return code;
	json_t *open = json_object();

	while (getline(&line, &size, file) >= 0)
		take_line(store, open, line);
	json_decref(open);
	free(line);
	fclose(file);
	return check_machine(store);
}

/* Appends `text` to the file. If the file ends in the middle of a line, as after a loss of power,
 * ends that line first. */
static int append(const struct store *store, const char *text, size_t length)
{
	const off_t end = lseek(store->file, 0, SEEK_END);
	char last = '\n';
	bool good = end >= 0;

	if (good && end > 0)
		good = pread(store->file, &last, 1, end - 1) == 1;
	if (good && last != '\n')
		good = write(store->file, "\n", 1) == 1;
	while (good && length) {
		const ssize_t written = write(store->file, text, length);

		good = written > 0;
		text += good ? written : 0;
		length -= good ? (size_t)written : 0;
	}
	good = good && fsync(store->file) == 0;
	return good ? TOOL_OK : tool_fail(TOOL_FAILED, "%s: %s", store->path, strerror(errno));
}

/* Writes a JSON value as a line, and frees it if `used`. */
static void put_line(json_t *o, bool used, FILE *out)
{
	json_dumpf(o, out, JSON_COMPACT | JSON_PRESERVE_ORDER);
	fputc('\n', out);
	if (used)
		json_decref(o);
}

/* Writes the records of a step, if it has some, and the line that ends it. */
static int write_step(const struct store *store, const char *command, const json_t *records,
                      json_t *end)
{
	char *text = NULL;
	size_t size = 0, k;
	FILE *out = need(open_memstream(&text, &size), "records");
	json_t *record;

	json_array_foreach(records, k, record) {
		json_object_set_new(record, "step", json_string(command));
		put_line(record, false, out);
	}
	put_line(end, true, out);
	fclose(out);
	const int code = append(store, text, size);

	free(text);
	return code;
}

int store_add(struct store *store, const char *command, json_t *records, double seconds)
{
	json_t *end = json_pack("{s:s, s:b, s:I, s:f}", "step", command, "end", 1, "records",
	                        (json_int_t)json_array_size(records), "seconds", seconds);
	const int code = write_step(store, command, records, end);

	json_object_set_new(store->records, command, records);
	return code;
}

int store_fail(struct store *store, const char *command, const char *why)
{
	return write_step(store, command, NULL,
	                  json_pack("{s:s, s:o}", "step", command, "failed_step", text_json(why)));
}

int store_forget(struct store *store, const char *const *command, int count)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = need(open_memstream(&text, &size), "records");

	for (int k = 0; k < count; k++) {
		put_line(json_pack("{s:s, s:b}", "step", command[k], "forgotten", 1), true, out);
		forget_step(store, command[k]);
	}
	fclose(out);
	const int code = append(store, text, size);

	free(text);
	return code;
}

int store_ask(struct store *store, const struct works *works)
{
	json_t *names = json_array();
	int code = TOOL_OK;

	for (int k = 0; k < works->count; k++) {
		const struct experiment *e = &works->experiment[k];

		if (!e->wanted || json_object_get(store->asked, e->name))
			continue;
		json_object_set_new(store->asked, e->name, json_true());
		json_array_append_new(names, text_json(e->name));
	}
	if (json_array_size(names))
		code = write_step(store, NULL, NULL, json_pack("{s:O}", "asked", names));
	json_decref(names);
	return code;
}

const char *store_device(const struct store *store)
{
	static const char option[] = "--device ";
	const char *step;
	json_t *unused;

	json_object_foreach(store->records, step, unused) {
		const char *at = strstr(step, option);

		if (at)
			at += strlen(option);
		if (at && strncmp(at, "cpu+", 4) != 0)
			return keep("%.*s", (int)strcspn(at, " "), at);
	}
	return NULL;
}

void store_close(struct store *store)
{
	json_decref(store->records);
	json_decref(store->failed);
	json_decref(store->asked);
	if (store->file > 0)
		close(store->file);
}
