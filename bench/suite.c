/* SPDX-License-Identifier: BSD-3-Clause
 * Suites: text files with a matrix in each line, written as on the command line. "#" begins a
 * comment. Two kinds of lines name many matrices:
 *     @twins WORD    the twins whose list of papers has WORD, or all twins without WORD
 *     @matrices      every matrix in the folder EK_MATRICES
 * Suites are looked for relative to the program: where they are installed, then in the folder
 * `suites` beside the program, which is in the build folder. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

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

void names_add(struct names *names, const char *text)
{
	names->name = need(realloc(names->name, (size_t)(names->count + 1) * sizeof *names->name),
	                   "a suite");
	names->name[names->count++] = text;
}

static int append_twins(struct names *names, const char *work)
{
	const int before = names->count;

	for (const ek_twin *t = NULL; (t = ek_twin_next(t));)
		if (!*work || has_word(t->works, work))
			names_add(names, t->name);
	if (names->count == before)
		return tool_fail(TOOL_INPUT,
		                 "@twins %s: no twin is in a table of that name (ek list twins)",
		                 work);
	return TOOL_OK;
}

static int is_matrix(const struct dirent *entry)
{
	return strstr(entry->d_name, ".mtx") || strstr(entry->d_name, ".tar.gz") ||
	       strstr(entry->d_name, ".ekm");
}

static int append_real(struct names *names)
{
	const char *folder = getenv("EK_MATRICES");
	struct dirent **entry;
	const int files = folder ? scandir(folder, &entry, is_matrix, alphasort) : -1;

	if (files < 0)
		return tool_fail(TOOL_INPUT,
		                 "EK_MATRICES does not name a folder with matrices, which this "
		                 "suite needs");
	for (int k = 0; k < files; k++) {
		names_add(names, keep("%s/%s", folder, entry[k]->d_name));
		free(entry[k]);
	}
	free(entry);
	return TOOL_OK;
}

static int is_suite(const struct dirent *entry)
{
	const size_t length = strlen(entry->d_name);

	return length > 4 && strcmp(entry->d_name + length - 4, ".txt") == 0;
}

/* Finds the names of the suites in their folder. */
static struct names all_suites(void)
{
	static const char *const folders[] = {EK_TO_SUITES, "suites", NULL};
	char path[PATH_BYTES];
	struct dirent **entry;
	struct names suites = {NULL, 0};
	const int files =
		path_beside(folders, path) ? scandir(path, &entry, is_suite, alphasort) : -1;

	for (int k = 0; k < files; k++) {
		names_add(&suites,
		          keep("%.*s", (int)strlen(entry[k]->d_name) - 4, entry[k]->d_name));
		free(entry[k]);
	}
	if (files >= 0)
		free(entry);
	return suites;
}

static int no_suite(const char *name)
{
	struct names suites = all_suites();
	const char *near = tool_nearest(name, suites.name, suites.count);

	free(suites.name);

	if (!suites.count)
		return tool_fail(TOOL_INPUT,
		                 "the suite %s cannot be read: there is neither a folder suites "
		                 "nor " EK_TO_SUITES
		                 " beside this program; the path of a file is accepted, too",
		                 name);
	if (near && strcmp(near, name) == 0)
		return tool_fail(TOOL_INPUT, "the suite %s cannot be read", name);
	if (near)
		return tool_fail(TOOL_INPUT,
		                 "there is no suite \"%s\"; did you mean %s? The path of a file is "
		                 "accepted, too",
		                 name, near);
	return tool_fail(TOOL_INPUT,
	                 "there is no suite \"%s\"; --help names them, and a path is accepted, too",
	                 name);
}

int names_expand(struct names *names, const char *line)
{
	char word[64], second[64] = "";

	line += strspn(line, " \t");
	if (sscanf(line, "%63s %63s", word, second) < 1)
		return TOOL_OK;
	if (strcmp(word, "@twins") == 0)
		return append_twins(names, second);
	if (strcmp(word, "@matrices") == 0)
		return append_real(names);
	int length = (int)strlen(line); /* a path may have blanks inside */

	while (length && strchr(" \t", line[length - 1]))
		length--;
	names_add(names, keep("%.*s", length, line));
	return TOOL_OK;
}

static int suite_read(const char *name, struct names *names)
{
	FILE *file = open_suite(name);
	char *line = NULL;
	size_t size = 0;
	int code = TOOL_OK;

	if (!file)
		return no_suite(name);
	while (!code && getline(&line, &size, file) >= 0) {
		line[strcspn(line, "#\n")] = 0;
		code = names_expand(names, line);
	}
	free(line);
	fclose(file);
	return code;
}

/* ---- Walking the matrices -------------------------------------------------------------------- */

/* Measures one matrix. Sets *loaded if the matrix could be used. Returns an exit code. */
static int one(struct bench *b, const char *text, bool *loaded)
{
	static struct tool_source source;
	ek_matrix *A = NULL;
	int code = tool_matrix(b->ctx, &b->o.common, text, &source, &A);

	if (!code)
		code = tool_csr(&A);
	*loaded = !code;
	if (*loaded)
		code = b->op->matrix(b, &source, A);
	ek_matrix_destroy(A);
	return code;
}

static void leave_out(struct bench *b, const struct names *names, int of)
{
	const char *list = names->name[0];

	for (int k = 1; k < names->count && k < 4; k++)
		list = keep("%s, %.36s", list, names->name[k]);
	b->left_out = keep("%d of %d matrices could not be used: %s%s", names->count, of, list,
	                   names->count > 4 ? " ..." : "");
	tool_fail(TOOL_FAILED, "%s", b->left_out);
}

int walk_matrices(struct bench *b)
{
	struct names names = {NULL, 0}, left_out = {NULL, 0};
	bool loaded, stopped = false; /* stopped: options are wrong for all matrices */
	int code = TOOL_OK, worst = TOOL_OK, count = 0;

	for (int k = 0; k < b->o.arguments; k++)
		names_add(&names, b->o.argument[k]);
	if (b->o.suite)
		code = suite_read(b->o.suite, &names);
	while (!code && !stopped && count < names.count) {
		const char *name = names.name[count++];
		const int this = one(b, name, &loaded);

		worst = this ? this : worst;
		stopped = loaded && this == TOOL_USAGE;
		/* A loaded matrix that failed was measured, perhaps with a wrong result. */
		if (this && !stopped && !(loaded && this == TOOL_FAILED))
			names_add(&left_out, keep("%.36s", name));
	}
	if (left_out.count && count > 1)
		leave_out(b, &left_out, count);
	free(names.name);
	free(left_out.name);
	return code ? code : count < 2 || !worst ? worst : stopped ? TOOL_USAGE : TOOL_FAILED;
}

int case_describe(struct bench_case *c, const ek_matrix *A)
{
	ek_matrix_info info = {.size = sizeof info};
	ek_stats stats = {.size = sizeof stats};
	int code = tool_check(ek_matrix_get_info(A, &info));

	if (!code)
		code = tool_check(ek_matrix_stats(A, &stats));
	if (code)
		return code;
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
	return TOOL_OK;
}

struct bench_case *case_of_matrix(struct bench *b, const struct tool_source *source,
                                  const ek_matrix *A, int *code)
{
	struct bench_case *c = case_add(b);

	c->name = c->matrix = keep("%s", source->name);
	c->source = source->kind;
	c->v[V_THREADS] = ek_context_threads(b->ctx);
	*code = case_describe(c, A);
	b->count -= *code != TOOL_OK;
	return *code ? NULL : c;
}

static int combination(void *at, const int64_t value[MOST_LISTS])
{
	const struct matrix_at *m = at;

	return m->b->op->one(m, value);
}

int matrix_lists(struct bench *b, const struct tool_source *source, ek_matrix *A)
{
	struct matrix_at at = {b, source, A, {.size = sizeof at.info}};
	const int code = tool_check(ek_matrix_get_info(A, &at.info));

	return code ? code : walk_lists(b, &at, combination);
}

struct bench_case *case_of_op(const struct matrix_at *at, ek_op op, const char *variant, int *code)
{
	struct bench_case *c = case_of_matrix(at->b, at->source, at->A, code);

	if (c) {
		c->op = op == EK_OP_T ? "t" : "n";
		c->variant = variant;
		c->name = keep("%s%s, %s", c->matrix, op == EK_OP_T ? "^T" : "", variant);
	}
	return c;
}

const char *text_matrix(const struct bench_case *c)
{
	return keep("%s x %s, %s nonzeros", text_count(c->v[V_ROWS]), text_count(c->v[V_COLS]),
	            text_count(c->v[V_NNZ]));
}

const char *text_run(const struct bench_case *c)
{
	return keep("%s, index %s, %s, %s", c->value, c->index,
	            text_many(c->v[V_THREADS], "thread"), text_many(c->v[V_ROUNDS], "round"));
}

const char *text_place(const struct bench *b)
{
	return keep("%s · %s", text_many(ek_context_threads(b->ctx), "thread"),
	            ek_isa_name(ek_context_isa(b->ctx)));
}

const struct argp_child matrix_children[] = {{&tool_common_argp, 0, "Common options:", 3}, {0}};
