/* SPDX-License-Identifier: BSD-3-Clause
 * The options of the benchmarks on arrays: one table, from which each operation has its part. */
#define _GNU_SOURCE /* open_memstream */
#include <stdlib.h>
#include <string.h>

#include "bench_array.h"

enum {
	KEY_N = 1024,
	KEY_TYPE,
	KEY_METHOD,
	KEY_ROUNDS,
	KEY_TIME,
	KEY_PEERS,
	KEY_PEER_DIR,
	KEY_KBEST,
	KEY_HTML,
	KEY_OP,
	KEY_KIND,
	KEY_IN_PLACE,
	KEY_BLOCK,
	KEY_LENGTH,
	KEY_SHAPE,
	KEY_FLAGS,
	KEY_OFFSETS,
	KEY_VALUE_SIZE,
	KEY_TOTAL,
	KEY_K,
	KEY_ARITY,
	KEY_COUNTS,
	KEY_SMALLEST
};

enum { ALL = OF_REDUCE | OF_SCAN | OF_SEGSUM | OF_SORT | OF_MERGE | OF_KSELECT };
enum { OPTIONS = 24 };

static const struct {
	unsigned of;
	struct argp_option option;
} table[] = {
	{OF_REDUCE | OF_SCAN | OF_SEGSUM | OF_SORT,
         {"n", KEY_N, "LIST", 0, "numbers, such as 1000,4M,2^25,96x2^16; K, M, G are 2^10 ...", 1}},
	{OF_MERGE | OF_KSELECT, {"total", KEY_TOTAL, "LIST", 0, "keys in all (2^24)", 1}},
	{ALL, {"type", KEY_TYPE, "LIST", 0, "types: i32, i64, f32, f64", 1}},
	{ALL, {"method", KEY_METHOD, "LIST", 0, "all, or names, also without the operation", 1}},
	{OF_REDUCE | OF_SCAN, {"op", KEY_OP, "sum|max|min|or", 0, "operator (sum)", 1}},
	{OF_SCAN, {"kind", KEY_KIND, "inclusive|exclusive", 0, "which scan (inclusive)", 1}},
	{OF_SCAN, {"in-place", KEY_IN_PLACE, NULL, 0, "over the input", 1}},
	{OF_SCAN, {"block", KEY_BLOCK, "N", 0, "entries of a block, for methods with blocks", 1}},
	{OF_SEGSUM, {"length", KEY_LENGTH, "LIST", 0, "mean lengths of segments (8,64,1024)", 1}},
	{OF_SEGSUM, {"shape", KEY_SHAPE, "even|random|power", 0, "how lengths vary (random)", 1}},
	{OF_SEGSUM, {"flags", KEY_FLAGS, NULL, 0, "segments by flags only", 1}},
	{OF_SEGSUM, {"offsets", KEY_OFFSETS, NULL, 0, "segments by offsets only", 1}},
	{OF_MERGE, {"length", KEY_LENGTH, "LIST", 0, "keys of each input (2^5 ... 2^12)", 1}},
	{OF_KSELECT, {"length", KEY_LENGTH, "LIST", 0, "keys of a list (2^11 ... 2^21)", 1}},
	{OF_SORT | OF_MERGE,
         {"value-size", KEY_VALUE_SIZE, "LIST", 0, "bytes of the values: 0, 4, 8", 1}},
	{OF_KSELECT, {"k", KEY_K, "K", 0, "a number, or below 1 a share of the length (0.1)", 1}},
	{OF_KSELECT,
         {"arity", KEY_ARITY, "LIST", 0, "d of methods with a d-heap (2,4,8,16,32,64)", 1}},
	{OF_KSELECT, {"counts", KEY_COUNTS, NULL, 0, "show what heaps did", 1}},
	{OF_KSELECT,
         {"smallest", KEY_SMALLEST, NULL, 0, "the k smallest of ours, not only the k-th", 1}},
	{ALL, {"rounds", KEY_ROUNDS, "N", 0, "make exactly N rounds", 1}},
	{ALL, {"time", KEY_TIME, "SECONDS", 0, "time to spend on each case (1)", 1}},
	{ALL,
         {"k-best", KEY_KBEST, NULL, 0, "K-best times too (K = 5, epsilon = 0.001, M = 20)", 1}},
	{ALL, {"peers", KEY_PEERS, NULL, 0, "measure the other libraries that were found, too", 1}},
	{ALL,
         {"peer-dir", KEY_PEER_DIR, "FOLDER", 0, "take the modules of the peers from there", 1}},
	{ALL, {"html", KEY_HTML, "FILE", 0, "write a page with tables and charts", 1}},
};

static const struct array_operation *current; /* whose options are parsed */

/* ---- Values ---------------------------------------------------------------------------------- */

static int named(const char *what, const char *text, const char *const *names)
{
	char list[128] = "";
	size_t used = 0;

	for (int k = 0; names[k]; k++) {
		if (strcmp(names[k], text) == 0)
			return k;
		used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "",
		                         names[k]);
	}
	tool_usage("%s %s: one of %s is expected", what, text, list);
}

static int64_t type_value(const char *what, const char *text)
{
	static const char *const names[] = {"f32", "f64", "i32", "i64", NULL};

	return EK_F32 + named(what, text, names);
}

static int64_t arity_value(const char *what, const char *text)
{
	return tool_integer(what, text, 2, 1024);
}

static int64_t bytes_value(const char *what, const char *text)
{
	static const char *const names[] = {"0", "4", "8", NULL};

	return 4 * named(what, text, names);
}

static void list_value(struct array_list *list, const char *what, const char *text,
                       int64_t (*value)(const char *, const char *))
{
	char word[64];

	list->count = 0;
	do {
		size_t len = strcspn(text, ",");

		if (len >= sizeof word || list->count == ARRAY_LIST)
			tool_usage("%s %s: at most %d numbers are expected", what, text,
			           ARRAY_LIST);
		snprintf(word, sizeof word, "%.*s", (int)len, text);
		list->value[list->count] = value(what, word);
		for (int k = 0; k < list->count; k++)
			if (list->value[k] == list->value[list->count])
				tool_usage("%s: %s is given twice", what, word);
		list->count++;
		text += len;
	} while (*text++);
}

void array_list_set(struct array_list *list, int count, const int64_t *values)
{
	list->count = count;
	memcpy(list->value, values, (size_t)count * sizeof *values);
}

/* ---- Parsing --------------------------------------------------------------------------------- */

static error_t parse_own(int key, char *arg, struct array_options *o)
{
	static const char *const ops[] = {"sum", "max", "min", "or", NULL};
	static const char *const kinds[] = {"inclusive", "exclusive", NULL};
	static const char *const shapes[] = {"even", "random", "power", NULL};

	switch (key) {
	case KEY_OP: o->op = EK_SUM + named("--op", arg, ops); break;
	case KEY_KIND: o->kind = EK_INCLUSIVE + named("--kind", arg, kinds); break;
	case KEY_IN_PLACE: o->in_place = true; break;
	case KEY_BLOCK: o->block = tool_size("--block", arg); break;
	case KEY_LENGTH: list_value(&o->length, "--length", arg, tool_size); break;
	case KEY_SHAPE: o->shape = named("--shape", arg, shapes); break;
	case KEY_FLAGS: o->flags = true; break;
	case KEY_OFFSETS: o->offsets = true; break;
	case KEY_VALUE_SIZE: list_value(&o->value_size, "--value-size", arg, bytes_value); break;
	case KEY_K:
		o->k = tool_number("--k", arg);
		if (!(o->k > 0))
			tool_usage("--k %s: a number above 0 is expected", arg);
		break;
	case KEY_ARITY: list_value(&o->arity, "--arity", arg, arity_value); break;
	case KEY_COUNTS: o->counts = true; break;
	case KEY_SMALLEST: o->smallest = true; break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct array_options *o = state->input;

	tool_init(key, state, &o->common);
	switch (key) {
	case ARGP_KEY_INIT:
		o->seconds = 1;
		o->op = EK_SUM;
		o->kind = EK_INCLUSIVE;
		o->shape = SHAPE_RANDOM;
		o->k = 0.1;
		current->defaults(o);
		break;
	case KEY_N:
	case KEY_TOTAL: list_value(&o->n, key == KEY_N ? "--n" : "--total", arg, tool_size); break;
	case KEY_TYPE: list_value(&o->type, "--type", arg, type_value); break;
	case KEY_METHOD: o->common.method = arg; break;
	case KEY_ROUNDS: o->rounds = (int)tool_integer("--rounds", arg, 1, 100000); break;
	case KEY_TIME: o->seconds = tool_duration("--time", arg); break;
	case KEY_PEER_DIR: o->peer_folder = arg; /* fall through */
	case KEY_PEERS: o->peers = true; break;
	case KEY_KBEST: o->k_best = true; break;
	case KEY_HTML:
		if (strcmp(arg, "-") == 0)
			tool_usage("--html -: the name of a file is expected");
		o->html = arg;
		break;
	case ARGP_KEY_ARG:
		tool_usage("%s: no argument is expected; %s --help lists the options", arg,
		           tool_name);
	case ARGP_KEY_END:
		for (int k = 0; k < o->type.count && o->op == EK_OR; k++)
			if (array_is_float((ek_value)o->type.value[k]))
				tool_usage("--op or is for integers: --type i32,i64 is expected");
		break;
	default: return parse_own(key, arg, o);
	}
	return 0;
}

static char *end_of_help(int key, const char *text, void *input)
{
	(void)input;
	return key == ARGP_KEY_HELP_EXTRA ? array_legend_text(current) : (char *)text;
}

void array_parse(const struct array_operation *operation, int argc, char **argv,
                 struct array_options *options)
{
	static struct argp_option own[OPTIONS + 1];
	struct argp argp = {own,         parse, NULL, operation->text, tool_array_children,
	                    end_of_help, NULL};
	int count = 0;

	for (size_t k = 0; k < sizeof table / sizeof *table && count < OPTIONS; k++)
		if (table[k].of & operation->bit)
			own[count++] = table[k].option;
	current = operation;
	tool_parse(&argp, argc, argv, options);
}
