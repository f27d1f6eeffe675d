/* SPDX-License-Identifier: BSD-3-Clause
 * Runs `ek bench` as a process of its own for each step: one that crashes, runs out of memory or
 * does not end is a step that failed, and no more. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reproduce.h"

/* What comes from one of a process's outputs. */
struct output {
	int from;
	char *text;
	size_t size;
};

/* Reads what is there. Returns false at the end. */
static bool take(struct output *o)
{
	enum { PIECE = 1 << 16 };

	o->text = need(realloc(o->text, o->size + PIECE + 1), "records");
	const ssize_t count = read(o->from, o->text + o->size, PIECE);

	if (count < 0 && errno == EINTR)
		return true;
	o->size += count > 0 ? (size_t)count : 0;
	o->text[o->size] = 0;
	return count > 0;
}

/* Reads both outputs until they end. Returns false if that takes longer than `limit` seconds. */
static bool take_all(struct output output[2], double limit)
{
	const double end = tool_seconds() + limit;
	bool ended[2] = {false, false};

	while (!ended[0] || !ended[1]) {
		struct pollfd poll_of[2];
		const double left = end - tool_seconds();

		for (int k = 0; k < 2; k++)
			poll_of[k] = (struct pollfd){.fd = ended[k] ? -1 : output[k].from,
			                             .events = POLLIN};
		if (left <= 0)
			return false;
		if (poll(poll_of, 2, (int)(left < 1e6 ? left * 1000 : 1e9) + 1) <= 0)
			continue;
		for (int k = 0; k < 2; k++)
			if (!ended[k] && poll_of[k].revents)
				ended[k] = !take(&output[k]);
	}
	return true;
}

/* In the new process: becomes `ek bench`, which ends when this program does, however it ends. */
static void become(char **word, const int out, const int err)
{
	const int null = open("/dev/null", O_RDONLY);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (dup2(null, 0) == 0 && dup2(out, 1) == 1 && dup2(err, 2) == 2)
		execv("/proc/self/exe", word);
	_exit(127);
}

/* Starts the process with its outputs in pipes. Returns its number, or -1 and sets errno. */
static pid_t start(char **word, struct output output[2])
{
	int pipe_of[2][2];
	pid_t child;

	fflush(NULL);
	if (pipe2(pipe_of[0], O_CLOEXEC) != 0 || pipe2(pipe_of[1], O_CLOEXEC) != 0)
		return -1;
	child = fork();
	if (child == 0)
		become(word, pipe_of[0][1], pipe_of[1][1]);
	for (int k = 0; k < 2; k++) {
		close(pipe_of[k][1]);
		if (child < 0)
			close(pipe_of[k][0]);
		output[k] = (struct output){.from = pipe_of[k][0]};
	}
	return child;
}

/* Returns the records in the lines of a text. */
static json_t *records_in(char *text)
{
	json_t *records = json_array();

	for (char *line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n")) {
		json_t *record = json_loads(line, 0, NULL);

		if (record)
			json_array_append_new(records, record);
	}
	return records;
}

/* Returns the error message among the lines that a process wrote: the last that begins as messages
 * of the tool do, else the last of all. */
static const char *message_in(char *text)
{
	const char *last = "no message", *message = NULL;

	for (char *line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n")) {
		last = line;
		if (strncmp(line, "ek bench", 8) == 0)
			message = line;
	}
	return keep("%s", message ? message : last);
}

/* Returns why a process that ended with `status` failed, or NULL if its records can be used. A
 * wrong result of one method is no failure of the step: its record tells. */
static const char *failure(int status, bool in_time, double limit, char *text, size_t records)
{
	if (!in_time)
		return keep("took longer than %.0f s", limit);
	if (WIFSIGNALED(status))
		return keep("ended by signal %d, %s", WTERMSIG(status),
		            strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status) == TOOL_OK || (WEXITSTATUS(status) == TOOL_FAILED && records > 0))
		return records ? NULL : "no records";
	return message_in(text);
}

json_t *child_run(const char *command, double limit, const char **why)
{
	char *word[MOST_WORDS], *line;
	struct output output[2];
	int status = 0;

	line = need(strdup(keep("ek bench %s --json - --quiet", command)), "a step");
	*why = words_split(line, word);
	const pid_t child = *why ? -1 : start(word, output);

	if (child < 0 && !*why)
		*why = keep("cannot be started: %s", strerror(errno));
	free(line);
	if (child < 0)
		return NULL;
	const bool in_time = take_all(output, limit);

	if (!in_time)
		kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	json_t *records = records_in(output[0].text);

	*why = failure(status, in_time, limit, output[1].text, json_array_size(records));
	for (int k = 0; k < 2; k++) {
		close(output[k].from);
		free(output[k].text);
	}
	if (!*why)
		return records;
	json_decref(records);
	return NULL;
}
