/* SPDX-License-Identifier: BSD-3-Clause
 * Outputs that appear only when they are complete. A file is written under a temporary name in its
 * folder and renamed at the end. A thread waits for SIGINT, SIGTERM and SIGHUP and removes
 * unfinished files before the signal ends the program. A signal handler could not do that, because
 * it would have to search a folder for an unfinished file of the library.
 *
 * JSON records are an exception, since a long run must not lose what it has measured. Their file
 * gets its name with the first record, and one write appends each record. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ek.h"

enum { MOST_OUTPUTS = 8, PATH_BYTES = 4096 };

struct output {
	FILE *stream; /* NULL if this element is free */
	char path[PATH_BYTES], temp[PATH_BYTES];
};

static struct output outputs[MOST_OUTPUTS];
static char library_path[PATH_BYTES]; /* file that the library is writing, or "" */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static char made_path[PATH_BYTES]; /* file that tool_temporary has made, or "" */

/* ---- Interrupts ------------------------------------------------------------------------------ */

/* Removes the library's unfinished files, which are called PATH.tmp<process id>-<number>. */
static void remove_library_temps(void)
{
	char folder[PATH_BYTES], prefix[PATH_BYTES + 32];
	const char *slash = strrchr(library_path, '/');
	struct dirent *entry;

	if (!library_path[0])
		return;
	if (slash)
		snprintf(folder, sizeof folder, "%.*s", (int)(slash - library_path) + 1,
		         library_path);
	else
		snprintf(folder, sizeof folder, ".");
	snprintf(prefix, sizeof prefix, "%s.tmp%ld-", slash ? slash + 1 : library_path,
	         (long)getpid() % 1000000);
	DIR *dir = opendir(folder);

	while (dir && (entry = readdir(dir)))
		if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
			unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
}

static void remove_unfinished(void)
{
	pthread_mutex_lock(&lock);
	for (int k = 0; k < MOST_OUTPUTS; k++)
		if (outputs[k].stream && outputs[k].temp[0])
			unlink(outputs[k].temp);
	remove_library_temps();
	if (made_path[0])
		unlink(made_path);
	pthread_mutex_unlock(&lock);
}

static const char *_Atomic interrupted; /* what a signal says, or NULL */

void tool_interrupted(const char *text)
{
	atomic_store(&interrupted, text);
}

static void *wait_for_signal(void *arg)
{
	sigset_t *set = arg;
	int number;

	if (sigwait(set, &number) != 0)
		return NULL;
	remove_unfinished();
	const char *text = atomic_load(&interrupted);

	if (text) /* in place of a progress bar, if there is one */
		fprintf(stderr, "%s%s: interrupted: %s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "",
		        tool_name, text);
	signal(number, SIG_DFL);
	pthread_sigmask(SIG_UNBLOCK, set, NULL);
	raise(number);
	return NULL;
}

void tool_signals(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	static sigset_t set;
	struct sigaction old;
	pthread_t thread;

	sigemptyset(&set);
	for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
		if (sigaction(numbers[k], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaddset(&set, numbers[k]); /* ignored signals (nohup) stay ignored */
	/* The signals are blocked before any other thread exists, so that only the waiting thread
	 * gets them. */
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (pthread_create(&thread, NULL, wait_for_signal, &set) != 0) {
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
		return;
	}
	pthread_detach(thread);
	atexit(remove_unfinished);
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Copies `path` to `out`. If `path` is a link, copies its target instead. Returns false if the name
 * is too long. */
static bool resolve(const char *path, char *out)
{
	char *real = realpath(path, NULL);
	int len = snprintf(out, PATH_BYTES, "%s", real ? real : path);

	free(real);
	return len < PATH_BYTES;
}

/* Makes a new file in the folder of `o->path`. Its permissions are `mode`, those of the file that
 * it will replace, or if that is 0, those that fopen would give. */
static FILE *open_temp(struct output *o, mode_t mode)
{
	mode_t mask = umask(0);

	umask(mask);
	size_t len = strlen(o->path);

	if (len + sizeof ".XXXXXX" > sizeof o->temp) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	memcpy(o->temp, o->path, len);
	strcpy(o->temp + len, ".XXXXXX");
	int fd = mkstemp(o->temp);

	if (fd < 0)
		return NULL;
	fchmod(fd, mode ? mode & 07777 : 0666 & ~mask);
	return fdopen(fd, "w");
}

static struct output *find(const FILE *stream)
{
	for (int k = 0; k < MOST_OUTPUTS; k++)
		if (outputs[k].stream == stream)
			return &outputs[k];
	return NULL;
}

FILE *tool_open(const char *path)
{
	struct stat st;

	if (strcmp(path, "-") == 0)
		return stdout;
	bool exists = stat(path, &st) == 0;

	pthread_mutex_lock(&lock);
	struct output *o = find(NULL);

	if (!o) {
		errno = EMFILE;
	} else if (!resolve(path, o->path)) {
		errno = ENAMETOOLONG;
	} else if (exists && !S_ISREG(st.st_mode)) {
		o->temp[0] = 0; /* a device or a pipe is written directly */
		o->stream = fopen(path, "w");
	} else {
		o->stream = open_temp(o, exists ? st.st_mode : 0);
	}
	FILE *stream = o ? o->stream : NULL;
	int error = errno;

	pthread_mutex_unlock(&lock);
	if (!stream)
		tool_fail(TOOL_FAILED, "%s: cannot be written: %s", path, strerror(error));
	return stream;
}

/* Gives an unfinished file its final name. Returns 0 or an errno value. */
static int rename_output(struct output *o)
{
	if (o->temp[0] && rename(o->temp, o->path) != 0)
		return errno;
	o->temp[0] = 0;
	return 0;
}

int tool_close(FILE *stream)
{
	struct output *o = find(stream);
	int error = 0;

	if (stream == stdout)
		return fflush(stdout) == 0
		               ? TOOL_OK
		               : tool_fail(TOOL_FAILED, "standard output: cannot write: %s",
		                           strerror(errno));
	errno = 0;
	bool bad = ferror(stream) != 0;

	pthread_mutex_lock(&lock);
	if (fclose(stream) != 0 || bad)
		error = errno ? errno : EIO;
	else
		error = rename_output(o);
	if (error && o->temp[0])
		unlink(o->temp);
	o->stream = NULL;
	pthread_mutex_unlock(&lock);
	return error ? tool_fail(TOOL_FAILED, "%s: cannot be written: %s", o->path, strerror(error))
	             : TOOL_OK;
}

void tool_cancel(FILE *stream)
{
	struct output *o = find(stream);

	if (stream == stdout)
		return;
	pthread_mutex_lock(&lock);
	fclose(stream);
	if (o->temp[0])
		unlink(o->temp);
	o->stream = NULL;
	pthread_mutex_unlock(&lock);
}

void tool_will_write(const char *path)
{
	pthread_mutex_lock(&lock);
	if (strcmp(path, "-") == 0 || !resolve(path, library_path))
		library_path[0] = 0;
	pthread_mutex_unlock(&lock);
}

int tool_temporary(char *path, int suffix)
{
	pthread_mutex_lock(&lock);
	int file = mkstemps(path, suffix);

	if (file >= 0)
		snprintf(made_path, sizeof made_path, "%s", path);
	pthread_mutex_unlock(&lock);
	return file;
}

void tool_temporary_remove(void)
{
	pthread_mutex_lock(&lock);
	if (made_path[0])
		unlink(made_path);
	made_path[0] = 0;
	pthread_mutex_unlock(&lock);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static FILE *json_stream;

int tool_json_open(const struct tool_options *options)
{
	static bool failed; /* whether opening the file has failed, and was reported */

	if (options->json && !json_stream && !failed) {
		json_stream = tool_open(options->json);
		failed = !json_stream;
	}
	return options->json && !json_stream ? TOOL_FAILED : TOOL_OK;
}

/* Gives the JSON file its final name, unless it has it already. Called when the file has a record.
 * Returns 0 or an errno value. */
static int name_json(void)
{
	struct output *o = find(json_stream);
	int error;

	if (json_stream == stdout || !o)
		return 0;
	pthread_mutex_lock(&lock);
	error = rename_output(o);
	pthread_mutex_unlock(&lock);
	return error;
}

/* Writes a line to the JSON file in one piece, bypassing the buffer of the stream, so that a killed
 * run has written either the whole line or nothing. Returns 0 or an errno value. */
static int write_line(const char *text)
{
	size_t len = strlen(text), done = 0;

	if (fflush(json_stream) != 0)
		return errno;
	while (done < len) {
		ssize_t n = write(fileno(json_stream), text + done, len - done);

		if (n < 0 && errno != EINTR)
			return errno;
		done += n < 0 ? 0 : (size_t)n;
	}
	return name_json();
}

int tool_json(const struct tool_options *options, json_t *record)
{
	int code = tool_json_open(options), error;
	char *text = json_stream && record ? json_dumps(record, JSON_COMPACT) : NULL;
	size_t len = text ? strlen(text) : 0;
	char *line = text ? realloc(text, len + 2) : NULL;

	if (line) {
		memcpy(line + len, "\n", 2);
		error = write_line(line);
		if (error)
			code = tool_fail(TOOL_FAILED, "%s: cannot write the JSON record: %s",
			                 options->json, strerror(error));
	} else if (json_stream) {
		code = tool_fail(TOOL_FAILED, "%s: cannot write the JSON record", options->json);
		free(text);
	}
	free(line);
	json_decref(record);
	return code;
}

int tool_json_close(const struct tool_options *options)
{
	int code = tool_json_open(options);
	FILE *stream = json_stream;

	json_stream = NULL;
	return stream ? tool_close(stream) : code;
}

int tool_json_one(const struct tool_options *options, json_t *record)
{
	int code = tool_json(options, record);
	int closed = tool_json_close(options);

	return code ? code : closed;
}

static bool is_standard(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

FILE *tool_people(const struct tool_options *options)
{
	return is_standard(options->json) ? stderr : stdout;
}

FILE *tool_people_beside(const struct tool_options *options, const char *output)
{
	return is_standard(output) ? stderr : tool_people(options);
}

void tool_one_output(const struct tool_options *options, const char *output, const char *what)
{
	if (is_standard(options->json) && is_standard(output))
		tool_usage("--json -: standard output takes %s; name a file for one of them", what);
}
