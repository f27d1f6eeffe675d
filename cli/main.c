/* SPDX-License-Identifier: BSD-3-Clause
 * ek: the command-line tool of evenkeel. This file only finds and runs subcommands; each has a row
 * in the table below and a file of its own. */
#include <stdlib.h>
#include <string.h>

#include "ek.h"

const struct tool_command tool_commands[] = {
	{"info", "what a matrix looks like, and which method fits it", cmd_info},
	{"list", "operations, methods, generators, twins, formats, devices, layout of structs",
         cmd_list},
	{"generate", "make a synthetic matrix, the same on every machine", cmd_generate},
	{"convert", "Matrix Market to and from the binary form, other types and formats",
         cmd_convert},
	{"spmv", "y = alpha op(A) x + beta y", cmd_spmv},
	{"spmm", "Y = alpha op(A) X + beta Y, X and Y blocks of vectors", cmd_spmm},
	{"spmspv", "y = alpha op(A) x, all sparse", cmd_spmspv},
	{"multiply", "C = alpha op(A) op(B) + beta D, all sparse", cmd_multiply},
	{"add", "C = alpha op(A) + beta op(B), all sparse", cmd_add},
	{"triple", "C = alpha op(P)^T op(A) op(P), all sparse", cmd_triple},
	{"transpose", "C = A^T, all sparse", cmd_transpose},
	{"dot", "dot product of two sparse vectors", cmd_dot},
	{"vector-add", "Z = alpha X + beta Y, X, Y and Z sparse vectors", cmd_vector_add},
	{"spy", "picture of the pattern", cmd_spy},
	{"bench", "measure: ek bench spmv, ek bench convert, ek bench read ...", cmd_bench},
	{"reproduce", "measure the tables and figures of the works again, and judge their claims",
         cmd_reproduce},
	{"tune", "measure what the library can be told about this machine", cmd_tune},
	{0},
};

static const struct tool_command *find(const char *name)
{
	const char *names[32];
	int count = 0;

	for (const struct tool_command *c = tool_commands; c->name; c++) {
		if (strcmp(c->name, name) == 0)
			return c;
		names[count++] = c->name;
	}
	names[count++] = "help";
	const char *near = tool_nearest(name, names, count);

	if (near)
		tool_usage("there is no subcommand \"%s\"; did you mean %s? ek --help lists them",
		           name, near);
	tool_usage("there is no subcommand \"%s\"; ek --help lists them", name);
}

static int run(const struct tool_command *command, int argc, char **argv)
{
	static char name[64];

	snprintf(name, sizeof name, "ek %s", command->name);
	tool_name = argv[0] = name;
	return command->run(argc, argv);
}

static int help(void)
{
	printf("Usage: ek SUBCOMMAND [ARGUMENT...]\n"
	       "Sparse linear algebra whose speed does not depend on how the nonzeros are spread.\n"
	       "\n");
	for (const struct tool_command *c = tool_commands; c->name; c++)
		printf("  ek %-10s %s\n", c->name, c->text);
	printf("  ek %-10s the same as ek SUBCOMMAND --help\n"
	       "\n"
	       "Where a matrix is expected: a file (Matrix Market, plain or compressed; .tar.gz "
	       "of\n"
	       "the SuiteSparse collection; .ekm), \"-\" for standard input, a generator such as\n"
	       "poisson2d5:nx=100,ny=100 (ek list generators), or the name of a twin (ek list "
	       "twins).\n"
	       "\n"
	       "Exit status: 0 success, 1 the operation failed, 2 usage, 3 bad input file,\n"
	       "4 not supported here. The manual page ek(1) has everything.\n",
	       "help SUB");
	return TOOL_OK;
}

static bool asks_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-?") == 0 || strcmp(word, "-h") == 0;
}

static int dispatch(int argc, char **argv)
{
	if (argc < 2)
		tool_usage("a subcommand is expected; ek --help lists them");
	const char *word = argv[1];

	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
		return tool_version();
	if (asks_help(word))
		return help();
	if (strcmp(word, "help") == 0) {
		static char option[] = "--help";
		char *words[] = {NULL, option, NULL};

		return argc < 3 || asks_help(argv[2]) ? help() : run(find(argv[2]), 2, words);
	}
	if (word[0] == '-')
		tool_usage("unknown option %s; a subcommand, --help or --version is expected",
		           word);
	return run(find(word), argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	tool_signals();
	int code = dispatch(argc, argv);

	if (fflush(stdout) != 0 && code == TOOL_OK)
		code = tool_fail(TOOL_FAILED, "standard output: cannot write");
	return code;
}
