/* SPDX-License-Identifier: BSD-3-Clause
 * Runs gnuplot, which draws pictures for ek spy and ek reproduce. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ek.h"

/* Starts gnuplot, which writes to `file` and reads commands from a pipe, to which *pipe_end is set.
 * Returns an exit code. */
static int start(FILE *file, const char *hint, FILE **pipe_end, pid_t *pid)
{
	char *words[] = {(char *)"gnuplot", NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return tool_fail(TOOL_FAILED, "no pipe to gnuplot: %s", strerror(errno));
	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fileno(file), STDOUT_FILENO);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	int error = posix_spawnp(pid, words[0], &actions, &attr, words, environ);

	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	close(ends[0]);
	if (error) {
		close(ends[1]);
		return error == ENOENT ? tool_fail(TOOL_UNSUPPORTED,
		                                   "gnuplot is not installed, and %s", hint)
		                       : tool_fail(TOOL_FAILED, "gnuplot cannot be started: %s",
		                                   strerror(error));
	}
	*pipe_end = fdopen(ends[1], "w");
	return TOOL_OK;
}

int tool_gnuplot(const char *path, const char *hint, void (*write)(const void *user, FILE *out),
                 const void *user)
{
	FILE *file = tool_open(path), *pipe_end = NULL;
	int status = 0;
	pid_t pid;

	if (!file)
		return TOOL_FAILED;
	fflush(file);
	const int code = start(file, hint, &pipe_end, &pid);

	if (code != TOOL_OK) {
		tool_cancel(file);
		return code;
	}
	signal(SIGPIPE, SIG_IGN); /* if gnuplot dies, its exit status tells more than the signal */
	write(user, pipe_end);
	fclose(pipe_end);
	waitpid(pid, &status, 0);
	if (status != 0) {
		tool_cancel(file);
		return tool_fail(TOOL_FAILED, "%s: gnuplot failed", path);
	}
	return tool_close(file);
}
