/* SPDX-License-Identifier: BSD-3-Clause
 * The options of `ek bench`. The table options.def has them all. Each operation selects from it by
 * keys, and writes defaults as on the command line. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { FIRST_KEY = 1024 };

/* ---- Table ----------------------------------------------------------------------------------- */

/* An option. The type of its member is a bool, const char *, int, int64_t, double or struct
 * list. */
struct bench_option {
	const char *key, *name, *arg, *text;
	size_t at;
	enum { FLAG, TEXT, INT, WHOLE, REAL, LIST } as;
	/* How the argument, or each item of a list, becomes a number: an integer from `min` to
	 * `max`, one of `choices`, or what a function returns. Else it stays text. */
	int64_t min, max;
	const struct tool_choice *choices;
	int64_t (*value)(const char *what, const char *text);
	double (*real)(const char *what, const char *text);
};

static int64_t file_value(const char *what, const char *text)
{
	if (strcmp(text, "-") == 0)
		tool_usage("%s -: the name of a file is expected", what);
	return 0;
}

static int64_t limit_value(const char *what, const char *text)
{
	return strcmp(text, "none") == 0 ? -1 : tool_size(what, text);
}

static double number_above_0(const char *what, const char *text)
{
	const double number = tool_number(what, text);

	if (!(number > 0))
		tool_usage("%s %s: a number above 0 is expected", what, text);
	return number;
}

static const struct tool_choice types[] = {
	{"f32", EK_F32}, {"f64", EK_F64}, {"i32", EK_INT32}, {"i64", EK_INT64}, {NULL, 0}};
static const struct tool_choice sizes[] = {{"0", 0}, {"4", 4}, {"8", 8}, {NULL, 0}};
static const struct tool_choice places[] = {{"device", 0}, {"host", 0}, {NULL, 0}};
static const struct tool_choice orders[] = {{"row", X_BY_ROWS | Y_BY_ROWS},
                                            {"col", 0},
                                            {"row:col", X_BY_ROWS},
                                            {"col:row", Y_BY_ROWS},
                                            {NULL, 0}};
static const struct tool_choice transposes[] = {{"n", EK_OP_N}, {"t", EK_OP_T}, {NULL, 0}};
static const struct tool_choice orders_a[] = {
	{"row", EK_ROW_MAJOR}, {"col", EK_COL_MAJOR}, {NULL, 0}};
static const struct tool_choice coordinates[] = {{"random", 0}, {"sorted", 1}, {NULL, 0}};
static const struct tool_choice kinds[] = {
	{"inclusive", EK_INCLUSIVE}, {"exclusive", EK_EXCLUSIVE}, {NULL, 0}};
const struct tool_choice option_ops[] = {
	{"sum", EK_SUM}, {"max", EK_MAX}, {"min", EK_MIN}, {"or", EK_OR}, {NULL, 0}};
const struct tool_choice option_shapes[] = {
	{"even", EVEN}, {"random", RANDOM}, {"power", POWER}, {NULL, 0}};

static const struct bench_option table[] = {
#define OPTION(called, word, argument, help, member, ...) \
	{.key = #called,                                  \
	 .name = word,                                    \
	 .arg = argument,                                 \
	 .text = help,                                    \
	 .at = offsetof(struct bench_options, member),    \
	 __VA_ARGS__},
#include "options.def"
#undef OPTION
};
enum { OPTIONS = sizeof table / sizeof *table };

/* ---- Arguments ------------------------------------------------------------------------------- */

static int64_t number(const struct bench_option *option, const char *what, const char *text)
{
	return option->choices ? tool_choose(what, text, option->choices)
	       : option->max   ? tool_integer(what, text, option->min, option->max)
	       : option->value ? option->value(what, text)
	                       : 0;
}

static void fill(const struct bench_option *option, const char *what, const char *arg,
                 struct list *list)
{
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

/* Stores the lists of --threads and --value, which belong to the tool. Unless these are given, they
 * have one item, 0. */
static void passes(struct bench_options *o)
{
	static const struct bench_option threads = {.min = 1, .max = TOOL_THREADS},
					 values = {.choices = tool_values};

	o->threads.count = o->values.count = 1;
	if (o->common.threads_list)
		fill(&threads, "--threads", o->common.threads_list, &o->threads);
	if (o->common.value_list)
		fill(&values, "--value", o->common.value_list, &o->values);
	if (o->html && o->threads.count * o->values.count > 1)
		tool_usage("--html: a page has one number of threads and one type of values");
}

/* Stores the argument of an option; ends the program if it is not valid. */
static void store(const struct bench_option *option, const char *arg, struct bench_options *o)
{
	void *to = (char *)o + option->at;
	char what[40];

	snprintf(what, sizeof what, "--%s", option->name);
	switch (option->as) {
	case FLAG: *(bool *)to = true; break;
	case TEXT:
		number(option, what, arg);
		*(const char **)to = arg;
		break;
	case INT: *(int *)to = (int)number(option, what, arg); break;
	case WHOLE: *(int64_t *)to = number(option, what, arg); break;
	case REAL: *(double *)to = option->real(what, arg); break;
	case LIST: fill(option, what, arg, to); break;
	}
}

/* ---- Parsing --------------------------------------------------------------------------------- */

static const struct operation *current; /* operation whose options are parsed */
static const struct bench_option *chosen[OPTIONS];
static int options; /* number of options of the operation */

bool has_word(const char *words, const char *word)
{
	const size_t len = strlen(word);

	for (const char *at = words; (at = strstr(at, word)); at += len)
		if ((at == words || at[-1] == ' ') && (at[len] == 0 || at[len] == ' '))
			return true;
	return false;
}

/* Stores the defaults of the operation, in words such as "n=2^16,2^20". */
static void defaults(struct bench_options *o)
{
	char name[16], value[128];
	int used;

	for (const char *at = current->defaults;
	     at && sscanf(at, "%15[^=]=%127s %n", name, value, &used) == 2; at += used)
		for (int k = 0; k < options; k++)
			if (strcmp(chosen[k]->name, name) == 0)
				store(chosen[k], value, o);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct bench_options *o = state->input;

	tool_init(key, state, &o->common);
	if (key >= FIRST_KEY && key < FIRST_KEY + options) {
		store(chosen[key - FIRST_KEY], arg, o);
	} else if (key == ARGP_KEY_INIT) {
		o->common.lists = true;
		defaults(o);
	} else if (key == ARGP_KEY_ARGS) {
		o->argument = state->argv + state->next;
		o->arguments = state->argc - state->next;
	} else if (key == ARGP_KEY_END) {
		if (o->arguments && !current->usage)
			tool_usage("%s: no argument is expected; %s --help lists the options",
			           o->argument[0], tool_name);
		o->peers |= o->peer_folder != NULL;
		passes(o);
		if (current->check)
			current->check(o);
		sweep_apply(current->operation, o);
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

void options_parse(struct bench *bench, int argc, char **argv)
{
	static struct argp_option own[OPTIONS + 1];
	const struct argp argp = {
		own,         parse, bench->op->usage, bench->op->help, bench->op->children,
		end_of_help, NULL};

	current = bench->op;
	for (const struct bench_option *option = table; option < table + OPTIONS; option++) {
		if (!has_word(current->options, option->key))
			continue;
		own[options] = (struct argp_option){.name = option->name,
		                                    .key = FIRST_KEY + options,
		                                    .arg = option->arg,
		                                    .doc = option->text,
		                                    .group = 1};
		chosen[options++] = option;
	}
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

/* ---- Combinations ---------------------------------------------------------------------------- */

int walk_lists(const struct bench *b, void *at,
               int (*measure)(void *at, const int64_t value[MOST_LISTS]))
{
	const struct list *list[MOST_LISTS];
	int lists = 0, count = 1, code = TOOL_OK;

	for (; lists < MOST_LISTS && b->op->lists[lists]; lists++) {
		list[lists] = (const void *)((const char *)&b->o + b->op->lists[lists]);
		count *= list[lists]->count ? list[lists]->count : 1;
	}
	for (int k = 0; k < count && (!code || code == TOOL_FAILED); k++) {
		int64_t value[MOST_LISTS] = {0};

		for (int l = 0, rest = k; l < lists; l++)
			if (list[l]->count) {
				value[l] = list[l]->value[rest % list[l]->count];
				rest /= list[l]->count;
			}
		const int this = measure(at, value);

		code = this ? this : code;
	}
	return code;
}
