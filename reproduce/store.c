/* SPDX-License-Identifier: BSD-3-Clause
 * The records of steps, in the file records.jsonl of the output folder: the lines that ek bench
 * writes, each with the step that it belongs to, then a line that ends the step. Lines of a step
 * are written at once and reach the disk before the next step begins. A step without its last line
 * was cut off and is measured again. bench/compare.py reads such files, too. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reproduce.h"

/* Reads one line. Records wait in `open` until the end of their step is read. */
static void take_line(struct store *store, json_t *open, const char *line)
{
	json_t *o = json_loads(line, 0, NULL);
	const char *step = json_string_value(json_object_get(o, "step"));

	if (step && json_object_get(o, "end")) {
		json_t *records = json_object_get(open, step);

		json_object_set_new(store->records, step,
		                    records ? json_incref(records) : json_array());
		json_object_del(open, step);
	} else if (step) {
		json_t *records = json_object_get(open, step);

		if (!records)
			json_object_set_new(open, step, records = json_array());
		json_array_append(records, o);
	}
	json_decref(o);
}

/* Returns the machine that a record is from, or NULL for the first record of an empty store. */
static const char *machine_of(const json_t *steps)
{
	const char *step, *machine = NULL;
	json_t *records;

	json_object_foreach((json_t *)steps, step, records) if (!machine) machine =
		json_string_value(json_object_get(json_array_get(records, 0), "machine"));
	return machine;
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

static int check_machine(const struct store *store)
{
	char processor[TOOL_PROCESSOR];
	const char *machine = machine_of(store->records);

	tool_processor(processor);
	if (machine && strncmp(machine, processor, strlen(processor)) != 0)
		return tool_fail(TOOL_FAILED,
		                 "%s has records of another machine, %s; name "
		                 "another folder by --output",
		                 store->path, machine);
	return TOOL_OK;
}

int store_open(struct store *store, const struct wanted *wanted)
{
	char *line = NULL;
	size_t size = 0;

	store->records = json_object();
	store->failed = json_object();
	if (!make_folder(wanted->folder))
		return tool_fail(TOOL_FAILED, "%s: %s", wanted->folder, strerror(errno));
	if (snprintf(store->path, sizeof store->path, "%s/records.jsonl", wanted->folder) >=
	    (int)sizeof store->path)
		return tool_fail(TOOL_USAGE, "--output: the path is too long");
	if (wanted->again && unlink(store->path) != 0 && errno != ENOENT)
		return tool_fail(TOOL_FAILED, "%s: %s", store->path, strerror(errno));
	FILE *file = fopen(store->path, "r");

	if (!file)
		return errno == ENOENT
		               ? TOOL_OK
		               : tool_fail(TOOL_FAILED, "%s: %s", store->path, strerror(errno));
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
static int append(const char *path, const char *text, size_t length)
{
	const int file = open(path, O_RDWR | O_CREAT | O_APPEND, 0666);
	const off_t end = file < 0 ? 0 : lseek(file, 0, SEEK_END);
	char last = '\n';
	bool good = file >= 0 && end >= 0;

	if (good && end > 0)
		good = pread(file, &last, 1, end - 1) == 1;
	if (good && last != '\n')
		good = write(file, "\n", 1) == 1;
	while (good && length) {
		const ssize_t written = write(file, text, length);

		good = written > 0;
		text += good ? written : 0;
		length -= good ? (size_t)written : 0;
	}
	good = good && fsync(file) == 0;
	const int error = errno;

	if (file >= 0)
		close(file);
	return good ? TOOL_OK : tool_fail(TOOL_FAILED, "%s: %s", path, strerror(error));
}

int store_add(struct store *store, const char *command, json_t *records, double seconds)
{
	char *text = NULL;
	size_t size = 0, k;
	FILE *out = open_memstream(&text, &size);
	json_t *record,
		*end = json_pack("{s:s, s:b, s:f}", "step", command, "end", 1, "seconds", seconds);
	int code;

	need(out, "records");
	json_array_foreach(records, k, record)
	{
		json_object_set_new(record, "step", json_string(command));
		json_dumpf(record, out, JSON_COMPACT | JSON_PRESERVE_ORDER);
		fputc('\n', out);
	}
	json_dumpf(end, out, JSON_COMPACT | JSON_PRESERVE_ORDER);
	fputc('\n', out);
	fclose(out);
	code = append(store->path, text, size);
	free(text);
	json_decref(end);
	json_object_set_new(store->records, command, records);
	return code;
}

void store_close(struct store *store)
{
	json_decref(store->records);
	json_decref(store->failed);
}
