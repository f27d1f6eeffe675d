/* SPDX-License-Identifier: BSD-3-Clause
 * The options of `ek bench`. A table has the options that several operations share, and each
 * operation selects from it by name. Options of one operation only are in its own file and come
 * first in the help. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { FIRST_KEY = 1024 };

/* ---- Setters --------------------------------------------------------------------------------- */

static const char *dashed(const struct bench_option *option)
{
	static char text[40];

	snprintf(text, sizeof text, "--%s", option->name);
	return text;
}

static int64_t number(const struct bench_option *option, const char *what, const char *text)
{
	return option->choices ? tool_choose(what, text, option->choices)
	       : option->max   ? tool_integer(what, text, option->min, option->max)
	       : option->value ? option->value(what, text)
	                       : 0;
}

void set_flag(const struct bench_option *option, const char *arg, void *to)
{
	(void)option;
	(void)arg;
	*(bool *)to = true;
}

void set_text(const struct bench_option *option, const char *arg, void *to)
{
	number(option, dashed(option), arg); /* ends the program if the argument is invalid */
	*(const char **)to = arg;
}

void set_int(const struct bench_option *option, const char *arg, void *to)
{
	*(int *)to = (int)number(option, dashed(option), arg);
}

void set_whole(const struct bench_option *option, const char *arg, void *to)
{
	*(int64_t *)to = number(option, dashed(option), arg);
}

static void set_time(const struct bench_option *option, const char *arg, void *to)
{
	*(double *)to = tool_duration(dashed(option), arg);
}

void set_list(const struct bench_option *option, const char *arg, void *to)
{
	const char *what = dashed(option);
	struct list *list = to;
	char word[64];

	list->count = 0;
	do {
		size_t len = strcspn(arg, ",");

		if (len >= sizeof word || list->count == MOST_ITEMS)
			tool_usage("%s %s: at most %d numbers are expected", what, arg, MOST_ITEMS);
		snprintf(word, sizeof word, "%.*s", (int)len, arg);
		list->value[list->count] = number(option, what, word);
		for (int k = 0; k < list->count; k++)
			if (list->value[k] == list->value[list->count])
				tool_usage("%s: %s is given twice", what, word);
		list->count++;
		arg += len;
	} while (*arg++);
}

void list_fill(struct list *list, int count, const int64_t *values)
{
	list->count = count;
	memcpy(list->value, values, (size_t)count * sizeof *values);
}

/* ---- Table ----------------------------------------------------------------------------------- */

static int64_t file_value(const char *what, const char *text)
{
	if (strcmp(text, "-") == 0)
		tool_usage("%s -: the name of a file is expected", what);
	return 0;
}

static const struct tool_choice types[] = {
	{"f32", EK_F32}, {"f64", EK_F64}, {"i32", EK_INT32}, {"i64", EK_INT64}, {NULL, 0}};
static const struct tool_choice sizes[] = {{"0", 0}, {"4", 4}, {"8", 8}, {NULL, 0}};
static const struct tool_choice places[] = {{"device", 0}, {"host", 0}, {NULL, 0}};
const struct tool_choice option_ops[] = {
	{"sum", EK_SUM}, {"max", EK_MAX}, {"min", EK_MIN}, {"or", EK_OR}, {NULL, 0}};

static const struct bench_option shared[] = {
	{"suite", "NAME",
         "Measure the matrices of a suite: twins, paper, real, nasty, small, demo, or a file",
         set_text, AT(suite), AS_IT_IS},
	{"n", "LIST", "Numbers, such as 1000,4M,2^25,96x2^16; K, M, G are 2^10 ...", set_list,
         AT(n), BY(tool_size)},
	{"total", "LIST", "Keys in all (2^24)", set_list, AT(n), BY(tool_size)},
	{"type", "LIST", "Types: i32, i64, f32, f64", set_list, AT(type), CHOICE(types)},
	{"value-size", "LIST", "Bytes of the values: 0, 4, 8", set_list, AT(value_size),
         CHOICE(sizes)},
	{"op", "sum|max|min|or", "Operator (sum)", set_int, AT(op), CHOICE(option_ops)},
	{"method", "LIST", "All, or names, also without the operation", set_text, AT(common.method),
         AS_IT_IS},
	{"rounds", "N", "Make exactly N rounds", set_int, AT(rounds), RANGE(1, 100000)},
	{"time", "SECONDS",
         "Time to spend on each matrix (default 3) or case of arrays (1); without --rounds at "
         "least 5 rounds are made",
         set_time, AT(seconds), AS_IT_IS},
	{"k-best", NULL, "Give K-best times too: K = 5, epsilon = 0.001, M = 20 (Zhang 2012)",
         set_flag, AT(k_best), AS_IT_IS},
	{"peers", NULL, "Measure the other libraries that were found, too", set_flag, AT(peers),
         AS_IT_IS},
	{"peer-dir", "FOLDER", "Take the modules of the peers from there", set_text,
         AT(peer_folder), AS_IT_IS},
	{"vectors", "device|host",
         "With --device: where x and y lie (device); from the host they are copied in each product",
         set_text, AT(vectors), CHOICE(places)},
	{"sweep", "KEY=VALUES",
         "Measure the one --method with each of these values of its parameter: w=4,8,16; s=1..8; "
         "block=256..2048*2",
         set_text, AT(sweep), AS_IT_IS},
	{"html", "FILE", "Write a page with tables and charts", set_text, AT(html), BY(file_value)},
};

/* ---- Parsing --------------------------------------------------------------------------------- */

static const struct bench_option **chosen; /* options of this operation, as --help lists them */
static int options;
static const struct operation *current; /* operation whose options are parsed */

bool has_word(const char *words, const char *word)
{
	const size_t len = strlen(word);

	for (const char *at = words; (at = strstr(at, word)); at += len)
		if ((at == words || at[-1] == ' ') && (at[len] == 0 || at[len] == ' '))
			return true;
	return false;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct bench_options *o = state->input;

	tool_init(key, state, &o->common);
	if (key >= FIRST_KEY && key < FIRST_KEY + options) {
		const struct bench_option *option = chosen[key - FIRST_KEY];

		option->set(option, arg, option->own ? option->own : (char *)o + option->at);
	} else if (key == ARGP_KEY_INIT) {
		o->seconds = current->seconds;
		if (current->defaults)
			current->defaults(o);
	} else if (key == ARGP_KEY_ARGS) {
		o->argument = state->argv + state->next;
		o->arguments = state->argc - state->next;
	} else if (key == ARGP_KEY_END) {
		if (o->arguments && !current->usage)
			tool_usage("%s: no argument is expected; %s --help lists the options",
			           o->argument[0], tool_name);
		o->peers |= o->peer_folder != NULL;
		if (current->check)
			current->check(o);
	} else {
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* Appends the legend of the tables to the text of --help. */
static char *end_of_help(int key, const char *text, void *input)
{
	(void)input;
	return key == ARGP_KEY_HELP_EXTRA ? legend_text(current) : (char *)text;
}

static void choose(const struct bench_option *option)
{
	chosen = need(realloc(chosen, (size_t)(options + 1) * sizeof *chosen), "options");
	chosen[options++] = option;
}

void options_parse(struct bench *bench, int argc, char **argv)
{
	static struct argp_option *own;
	struct argp argp = {
		NULL,        parse, bench->op->usage, bench->op->help, bench->op->children,
		end_of_help, NULL};

	current = bench->op;
	for (const struct bench_option *o = current->own; o && o->name; o++)
		choose(o);
	for (size_t k = 0; k < sizeof shared / sizeof *shared; k++)
		if (has_word(current->options, shared[k].name))
			choose(&shared[k]);
	argp.options = own = need(calloc((size_t)options + 1, sizeof *own), "options");
	for (int k = 0; k < options; k++)
		own[k] = (struct argp_option){.name = chosen[k]->name,
		                              .key = FIRST_KEY + k,
		                              .arg = chosen[k]->arg,
		                              .doc = chosen[k]->text,
		                              .group = 1};
	tool_parse(&argp, argc, argv, &bench->o);
}

const char *methods_named(const struct bench *bench)
{
	const char *names = bench->o.common.method;

	return names && strcmp(names, "all") != 0 ? names : NULL;
}

/* Checks names early, before a matrix is read or a kernel is compiled. */
void check_matrices(struct bench_options *o)
{
	char word[TOOL_METHOD];
	const char *list = o->common.method;

	if (!o->arguments && !o->suite && !o->records)
		tool_usage("a matrix or --suite NAME is expected");
	tool_format_list("--format", o->common.format);
	if (list && strcmp(list, "all") != 0)
		while (tool_method_next_of(current->operation, &list, word))
			;
}
