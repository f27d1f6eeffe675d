/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench OPERATION: measures. An operation is a file of its own and a row of this table. */
#include <string.h>

#include "bench_array.h"

static const struct bench_operation operations[] = {
	{"spmv", "y = alpha op(A) x + beta y, method by method, with peers and the read bound",
         bench_spmv, NULL},
	{"scenario", "the same for so many products, preparation included (--calls 50,500)",
         bench_scenario, NULL},
	{"convert", "making each format, from COO and from CSR, in products and in bytes",
         bench_convert, NULL},
	{"reduce", "sums of arrays, with peers and the read bound", NULL, &array_reduce},
	{"scan", "prefix sums, with peers and copies as bounds", NULL, &array_scan},
	{"segsum", "sums of segments by flags and offsets, with the read bound", NULL,
         &array_segsum},
	{"sort", "sorting keys with and without values, with peers", NULL, &array_sort},
	{"merge", "merging many short sequences, with peers", NULL, &array_merge},
	{"kselect", "the k-th smallest of many lists, heaps of several arities, with peers", NULL,
         &array_kselect},
	{"read", "reading Matrix Market text, MB/s for each thread", bench_read, NULL},
	{0},
};

static int help(void)
{
	printf("Usage: ek bench OPERATION [ARGUMENT...]\n"
	       "Measures operations against each other, against other libraries and against the\n"
	       "bandwidth of the memory.\n"
	       "\n");
	for (const struct bench_operation *o = operations; o->name; o++)
		printf("  ek bench %-8s %s\n", o->name, o->text);
	printf("\nek bench OPERATION --help has the options.\n");
	return TOOL_OK;
}

int cmd_bench(int argc, char **argv)
{
	static char name[64];
	const char *names[16];
	int count = 0;

	if (argc < 2)
		tool_usage("an operation is expected; ek bench --help lists them");
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0)
		return help();
	for (const struct bench_operation *o = operations; o->name; o++) {
		names[count++] = o->name;
		if (strcmp(argv[1], o->name) != 0)
			continue;
		snprintf(name, sizeof name, "ek bench %s", o->name);
		tool_name = argv[1] = name;
		return o->run ? o->run(argc - 1, argv + 1)
		              : bench_array(o->array, argc - 1, argv + 1);
	}
	const char *near = tool_nearest(argv[1], names, count);

	if (near)
		tool_usage("there is no operation \"%s\"; did you mean %s?", argv[1], near);
	tool_usage("there is no operation \"%s\"; ek bench --help lists them", argv[1]);
}
