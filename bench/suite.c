/* SPDX-License-Identifier: BSD-3-Clause
 * Suites: text files with a matrix in each line, written as on the command line. "#" begins a
 * comment. Two kinds of lines name many matrices:
 *     @twins WORD    the twins whose list of works has WORD, or all twins if there is no WORD
 *     @matrices      every matrix in the folder EK_MATRICES
 * Suites are looked for relative to the program: where they are installed, then in the folder
 * `suites` beside the program, which is in the build folder. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#ifndef EK_TO_SUITES
#define EK_TO_SUITES "../share/evenkeel/suites"
#endif

static FILE *open_suite(const char *name)
{
	char path[PATH_BYTES];
	const char *const near[] = {keep(EK_TO_SUITES "/%s.txt", name), keep("suites/%s.txt", name),
	                            NULL};

	if (strchr(name, '/') || strchr(name, '.'))
		return fopen(name, "r");
	return path_beside(near, path) ? fopen(path, "r") : NULL;
}

static void append(const char *text, char ***list, int *count)
{
	*list = need(realloc(*list, (size_t)(*count + 1) * sizeof **list), "a suite");
	(*list)[(*count)++] = need(strdup(text), "a suite");
}

static void append_twins(const char *work, char ***list, int *count)
{
	for (const ek_twin *t = NULL; (t = ek_twin_next(t));)
		if (!*work || has_word(t->works, work))
			append(t->name, list, count);
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
	char path[PATH_BYTES];
	int files;

	if (!folder || (files = scandir(folder, &entry, is_matrix, alphasort)) < 0)
		return tool_fail(TOOL_INPUT,
		                 "EK_MATRICES does not name a folder with matrices, which this "
		                 "suite needs");
	for (int k = 0; k < files; k++) {
		snprintf(path, sizeof path, "%s/%s", folder, entry[k]->d_name);
		append(path, list, count);
		free(entry[k]);
	}
	free(entry);
	return TOOL_OK;
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

static int suite_read(const char *name, char ***list, int *count)
{
	FILE *file = open_suite(name);
	char *line = NULL;
	size_t size = 0;
	int code = TOOL_OK;

	if (!file)
		return no_suite(name);
	while (!code && getline(&line, &size, file) >= 0) {
		line[strcspn(line, "#\n")] = 0;
		char *word = strtok(line, " \t"), *second = word ? strtok(NULL, " \t") : NULL;

		if (!word)
			continue;
		if (strcmp(word, "@twins") == 0)
			append_twins(second ? second : "", list, count);
		else if (strcmp(word, "@matrices") == 0)
			code = append_real(list, count);
		else
			append(word, list, count);
	}
	free(line);
	fclose(file);
	return code;
}

/* ---- One after the other --------------------------------------------------------------------- */

/* What has happened to the matrices so far. */
struct tally {
	int count, left_out, code;
	bool stopped;    /* options are wrong for all matrices */
	char names[160]; /* names of the first matrices that were left out */
};

static void add(struct tally *t, const char *text, bool loaded, int code)
{
	const size_t used = strlen(t->names);

	t->count++;
	t->code = code ? code : t->code;
	if (!code ||
	    (loaded && code == TOOL_FAILED)) /* it was measured, perhaps with a wrong result */
		return;
	t->stopped = loaded && code == TOOL_USAGE;
	if (!t->stopped && t->left_out++ < 4)
		snprintf(t->names + used, sizeof t->names - used, "%s%.36s", used ? ", " : "",
		         text);
}

static int end(const struct tally *t, struct bench *b)
{
	if (t->count < 2 || t->code == TOOL_OK)
		return t->code;
	if (t->left_out) {
		snprintf(b->left_out, sizeof b->left_out,
		         "%d of %d matrices could not be used: %s%s", t->left_out, t->count,
		         t->names, t->left_out > 4 ? " ..." : "");
		tool_fail(TOOL_FAILED, "%s", b->left_out);
	}
	return t->stopped ? TOOL_USAGE : TOOL_FAILED;
}

static void one(struct bench *b, const char *text, struct tally *tally)
{
	static struct tool_source source;
	ek_matrix *A = NULL;
	int code = tool_matrix(b->ctx, &b->o.common, text, &source, &A);

	if (!code)
		code = tool_csr(&A);
	const bool loaded = !code;

	if (loaded)
		code = b->op->matrix(b, &source, A);
	ek_matrix_destroy(A);
	add(tally, text, loaded, code);
}

int walk_matrices(struct bench *b)
{
	struct tally tally = {0};
	char **suite = NULL;
	int count = 0, code = TOOL_OK;

	if (b->o.suite)
		code = suite_read(b->o.suite, &suite, &count);
	for (int k = 0; !code && !tally.stopped && k < b->o.arguments; k++)
		one(b, b->o.argument[k], &tally);
	for (int k = 0; !code && !tally.stopped && k < count; k++)
		one(b, suite[k], &tally);
	for (int k = 0; k < count; k++)
		free(suite[k]);
	free(suite);
	return code ? code : end(&tally, b);
}

struct bench_case *case_of_matrix(struct bench *b, const struct tool_source *source,
                                  const ek_matrix *A, int *code)
{
	ek_matrix_info info = {.size = sizeof info};
	ek_stats stats = {.size = sizeof stats};
	struct bench_case *c;

	*code = tool_check(ek_matrix_get_info(A, &info));
	if (!*code)
		*code = tool_check(ek_matrix_stats(A, &stats));
	if (*code)
		return NULL;
	c = case_add(b);
	c->name = c->matrix = keep("%s", source->name);
	c->source = source->kind;
	c->value = ek_value_name(info.value);
	c->index = ek_index_name(info.index);
	c->group = group_of((double)stats.row_max, stats.row_mean);
	c->v[V_ROWS] = (double)info.rows;
	c->v[V_COLS] = (double)info.cols;
	c->v[V_NNZ] = (double)info.nnz;
	c->v[V_ROW_MAX] = (double)stats.row_max;
	c->v[V_ROW_MEAN] = stats.row_mean;
	c->v[V_ROW_STDDEV] = stats.row_stddev;
	c->v[V_CSR_BYTES] = (double)info.bytes;
	c->v[V_THREADS] = ek_context_threads(b->ctx);
	return c;
}
