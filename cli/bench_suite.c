/* SPDX-License-Identifier: BSD-3-Clause
 * Suites: text files with one matrix a line, as on the command line, and what follows "#" ignored.
 * Two lines stand for many matrices:
 *     @twins WORD    the twins whose list of works has WORD; without a word, all
 *     @matrices      every matrix in the folder EK_MATRICES
 * They are looked for from where the program lies: as installed, then in the folder suites beside
 * it, as in the build folder. */
#define _GNU_SOURCE
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#ifndef EK_TO_SUITES
#define EK_TO_SUITES "../share/evenkeel/suites"
#endif

static FILE *open_suite(const char *name)
{
	char self[PATH_MAX], path[PATH_MAX + 64];
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	FILE *file = NULL;

	if (strchr(name, '/') || strchr(name, '.'))
		return fopen(name, "r");
	if (length <= 0)
		return NULL;
	self[length] = 0;
	*strrchr(self, '/') = 0;
	snprintf(path, sizeof path, "%s/" EK_TO_SUITES "/%s.txt", self, name);
	file = fopen(path, "r");
	if (!file) {
		snprintf(path, sizeof path, "%s/suites/%s.txt", self, name);
		file = fopen(path, "r");
	}
	return file;
}

static int append(const char *text, char ***list, int *count)
{
	char **more = realloc(*list, (size_t)(*count + 1) * sizeof *more);
	char *copy = strdup(text);

	if (more)
		*list = more;
	if (!more || !copy) {
		free(copy);
		return tool_fail(TOOL_FAILED, "out of memory for a suite");
	}
	more[(*count)++] = copy;
	return TOOL_OK;
}

/* Is `word` one of the words of `words`? */
static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = words; (at = strstr(at, word)); at += len)
		if ((at == words || at[-1] == ' ') && (at[len] == 0 || at[len] == ' '))
			return true;
	return false;
}

static int append_twins(const char *work, char ***list, int *count)
{
	int code = TOOL_OK;

	for (const ek_twin *t = NULL; !code && (t = ek_twin_next(t));)
		if (!*work || has_word(t->works, work))
			code = append(t->name, list, count);
	return code;
}

static int is_matrix(const struct dirent *entry)
{
	return strstr(entry->d_name, ".mtx") || strstr(entry->d_name, ".tar.gz") ||
	       strstr(entry->d_name, ".ekm");
}

static int append_real(char ***list, int *count)
{
	const char *folder = getenv("EK_MATRICES");
	struct dirent **entry;
	char path[PATH_MAX];
	int files, code = TOOL_OK;

	if (!folder || (files = scandir(folder, &entry, is_matrix, alphasort)) < 0)
		return tool_fail(TOOL_INPUT,
		                 "EK_MATRICES does not name a folder with matrices, which this "
		                 "suite needs");
	for (int k = 0; k < files; k++) {
		snprintf(path, sizeof path, "%s/%s", folder, entry[k]->d_name);
		if (!code)
			code = append(path, list, count);
		free(entry[k]);
	}
	free(entry);
	return code;
}

static int no_suite(const char *name)
{
	static const char *const names[] = {"twins", "paper", "real", "nasty", "small", "demo"};
	const char *near = tool_nearest(name, names, sizeof names / sizeof *names);

	if (near)
		return tool_fail(TOOL_INPUT,
		                 "there is no suite \"%s\"; did you mean %s? The path of a file is "
		                 "accepted, too",
		                 name, near);
	return tool_fail(TOOL_INPUT,
	                 "there is no suite \"%s\"; twins, paper, real, nasty, small, demo or the "
	                 "path of a file is expected",
	                 name);
}

int suite_read(const char *name, char ***list, int *count)
{
	FILE *file = open_suite(name);
	char *line = NULL;
	size_t room = 0;
	int code = TOOL_OK;

	if (!file)
		return no_suite(name);
	while (!code && getline(&line, &room, file) >= 0) {
		line[strcspn(line, "#\n")] = 0;
		char *word = strtok(line, " \t"), *second = word ? strtok(NULL, " \t") : NULL;

		if (!word)
			continue;
		if (strcmp(word, "@twins") == 0)
			code = append_twins(second ? second : "", list, count);
		else if (strcmp(word, "@matrices") == 0)
			code = append_real(list, count);
		else
			code = append(word, list, count);
	}
	free(line);
	fclose(file);
	return code;
}

/* ---- One after the other --------------------------------------------------------------------- */

bool bench_tally_add(struct bench_tally *t, const char *text, bool loaded, int code)
{
	const size_t used = strlen(t->names);

	t->count++;
	t->code = code ? code : t->code;
	if (!code || (loaded && code == TOOL_FAILED)) /* measured, with a wrong result at worst */
		return true;
	t->stopped = loaded && code == TOOL_USAGE;
	if (t->stopped)
		return false;
	if (t->left_out++ < 4)
		snprintf(t->names + used, sizeof t->names - used, "%s%.36s", used ? ", " : "",
		         text);
	return true;
}

int bench_tally_end(const struct bench_tally *t, struct report *report)
{
	if (t->count < 2 || t->code == TOOL_OK)
		return t->code;
	if (t->left_out) {
		snprintf(report->left_out, sizeof report->left_out,
		         "%d of %d matrices could not be used: %s%s", t->left_out, t->count,
		         t->names, t->left_out > 4 ? " ..." : "");
		tool_fail(TOOL_FAILED, "%s", report->left_out);
	}
	return t->stopped ? TOOL_USAGE : TOOL_FAILED;
}

static bool measure(const struct bench_options *options, ek_context *ctx, const char *text,
                    bench_one_fn *one, void *user, struct bench_tally *tally)
{
	static struct tool_source source;
	ek_matrix *A = NULL;
	int code = tool_matrix(ctx, &options->common, text, &source, &A);
	bool loaded;

	if (!code)
		code = tool_csr(&A);
	loaded = !code;
	if (loaded)
		code = one(user, &source, A);
	ek_matrix_destroy(A);
	return bench_tally_add(tally, text, loaded, code);
}

int bench_matrices(const struct bench_options *options, ek_context *ctx, bench_one_fn *one,
                   void *user, struct report *report)
{
	struct bench_tally tally = {0};
	char **suite = NULL;
	bool on = true;
	int count = 0, code = TOOL_OK;

	if (options->suite)
		code = suite_read(options->suite, &suite, &count);
	for (int k = 0; !code && on && k < options->count; k++)
		on = measure(options, ctx, options->matrix[k], one, user, &tally);
	for (int k = 0; !code && on && k < count; k++)
		on = measure(options, ctx, suite[k], one, user, &tally);
	for (int k = 0; k < count; k++)
		free(suite[k]);
	free(suite);
	return code ? code : bench_tally_end(&tally, report);
}
