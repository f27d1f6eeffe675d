/* SPDX-License-Identifier: BSD-3-Clause
 * The options that all benchmarks of operations on matrices share. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { KEY_SUITE = 1024, KEY_PEERS, KEY_PEER_DIR, KEY_HTML, KEY_ROUNDS, KEY_TIME, KEY_KBEST };

static const struct argp_option suite_options[] = {
	{"suite", KEY_SUITE, "NAME", 0,
         "Measure the matrices of a suite: twins, paper, real, nasty, small, demo, or a file", 1},
	{"html", KEY_HTML, "FILE", 0, "Write a page with tables and charts", 1},
	{"rounds", KEY_ROUNDS, "N", 0, "Make exactly N rounds", 1},
	{"time", KEY_TIME, "SECONDS", 0,
         "Time to spend on each matrix (default 3); without --rounds at least 5 rounds are made",
         1},
	{0}};

/* Before any matrix is read, and any kernel compiled. */
static void check_methods(const char *list)
{
	char word[TOOL_METHOD];

	if (list && strcmp(list, "all") != 0)
		while (tool_method_next(&list, word))
			;
}

static error_t parse_suite(int key, char *arg, struct argp_state *state)
{
	struct bench_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT: o->seconds = 3; break;
	case KEY_SUITE: o->suite = arg; break;
	case KEY_HTML: o->html = arg; break;
	case KEY_ROUNDS: o->rounds = (int)tool_integer("--rounds", arg, 1, 100000); break;
	case KEY_TIME: o->seconds = tool_duration("--time", arg); break;
	case ARGP_KEY_ARGS:
		o->matrix = state->argv + state->next;
		o->count = state->argc - state->next;
		break;
	case ARGP_KEY_END:
		if (!o->count && !o->suite && !o->records)
			tool_usage("a matrix or --suite NAME is expected");
		tool_format_list("--format", o->common.format);
		check_methods(o->common.method);
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_option peer_options[] = {
	{"peers", KEY_PEERS, NULL, 0, "Measure the other libraries that were found, too", 1},
	{"peer-dir", KEY_PEER_DIR, "FOLDER", 0, "Take the modules of the peers from there", 1},
	{0}};

static error_t parse_peers(int key, char *arg, struct argp_state *state)
{
	struct bench_options *o = state->input;

	switch (key) {
	case KEY_PEERS: o->peers = true; break;
	case KEY_PEER_DIR:
		o->peer_folder = arg;
		o->peers = true;
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const struct argp bench_suite_argp = {.options = suite_options, .parser = parse_suite};
const struct argp bench_peer_argp = {.options = peer_options, .parser = parse_peers};

/* ---- ek bench spmv --------------------------------------------------------------------------- */

static const struct argp_option options[] = {
	{"k-best", KEY_KBEST, NULL, 0,
         "Give K-best times too: K = 5, epsilon = 0.001, M = 20 (Zhang 2012)", 1},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct bench_options *o = state->input;

	(void)arg;
	tool_init(key, state, &o->common);
	if (key != KEY_KBEST)
		return ARGP_ERR_UNKNOWN;
	o->k_best = true;
	return 0;
}

/* The legend of the tables ends the help. */
static char *end_of_help(int key, const char *text, void *input)
{
	(void)input;
	return key == ARGP_KEY_HELP_EXTRA ? bench_legend_text() : (char *)text;
}

static const struct argp_child children[] = {{&bench_suite_argp, 0, NULL, 1},
                                             {&bench_peer_argp, 0, NULL, 1},
                                             {&bench_device_argp, 0, NULL, 1},
                                             {&tool_common_argp, 0, "Common options:", 3},
                                             {&tool_product_argp, 0, "The product:", 2},
                                             {&tool_calls_argp, 0, NULL, 2},
                                             {0}};

const struct argp bench_argp = {
	options,
	parse,
	"[MATRIX...]",
	"Times the product y = alpha op(A) x + beta y, method by method, in turn and in rounds of "
	"under a second, and compares it with plain CSR, with other libraries and with the read "
	"bandwidth of the memory. Every result is checked first.\v"
	"--method takes all (default), auto, or names separated by commas; the \"spmv.\" in front "
	"may be left out, and parameters may follow it; --format takes formats separated by "
	"commas. With both, methods are "
	"measured "
	"with the formats that they multiply with. A matrix in another format is taken to CSR "
	"first. "
	"With --device the methods that run there are measured, by its clock, with vectors that "
	"lie "
	"there, and the bound is the bandwidth at which it copies. Exit status 1: a result was "
	"wrong.",
	children,
	end_of_help,
	NULL};
