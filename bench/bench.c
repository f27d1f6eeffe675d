/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench OPERATION: the steps of a measurement, which are the same for all operations. */
#define _GNU_SOURCE /* for gmtime_r */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

#define OPERATION(name) extern const struct operation bench_##name;
#define ALIAS(name, of)
#include "operations.def"
#undef OPERATION
#undef ALIAS

/* The names of the operations, with other names for some. */
static const struct name {
	const char *name;
	const struct operation *of;
} names[] = {
#define OPERATION(name) {#name, &bench_##name},
#define ALIAS(name, of) {#name, &bench_##of},
#include "operations.def"
#undef OPERATION
#undef ALIAS
};
enum { NAMES = sizeof names / sizeof *names };

/* ---- Operations ------------------------------------------------------------------------------ */

static int help(void)
{
	printf("Usage: ek bench OPERATION [ARGUMENT...]\n"
	       "Measures operations against each other, against other libraries and against the\n"
	       "bandwidth of the memory.\n"
	       "\n");
	for (const struct name *n = names; n < names + NAMES; n++)
		if (strcmp(n->name, n->of->name) == 0)
			printf("  ek bench %-15s %s\n", n->name, n->of->text);
	printf("\nek bench OPERATION --help has the options.\n");
	return TOOL_OK;
}

/* Fills in the machine, the date and the commit of the library. */
static void start(struct bench *b)
{
	const time_t now = time(NULL);
	ek_build_info info = {.size = sizeof info};
	char processor[TOOL_PROCESSOR], date[32];
	struct tm utc;

	b->machine = keep("%s, %ld processors", tool_processor(processor),
	                  sysconf(_SC_NPROCESSORS_ONLN));
	b->state = machine_state();
	gmtime_r(&now, &utc);
	strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
	b->date = keep("%s", date);
	b->commit = ek_build_get_info(&info) == EK_OK ? info.commit : "unknown";
}

/* Says what an interrupt would leave, now that `more` cases have ended. */
static void foresee_interrupt(const struct bench *b, int more)
{
	static int ended;
	const char *file = b->o.common.json, *cases = text_many(ended += more, "case");

	if (b->o.common.quiet)
		return;
	tool_interrupted(!file ? "nothing is kept; --json FILE keeps the records of what has ended"
	                 : strcmp(file, "-") == 0
	                         ? keep("the records of %s were written", cases)
	                         : keep("%s keeps the records of %s; to go on, name what is "
	                                "missing and another file",
	                                file, cases));
}

int case_done(struct bench *b, struct bench_case *c, int code)
{
	int written;

	if (!c->count || (code != TOOL_OK && code != TOOL_FAILED)) {
		free(c->record);
		b->count--;
		return code;
	}
	written = b->op->finish ? b->op->finish(b, c) : TOOL_OK;
	if (!written)
		written = record_json(b, c);
	foresee_interrupt(b, 1);
	if (b->op->each)
		b->op->each(b, c, tool_people(&b->o.common));
	return code ? code : written;
}

static int results(struct bench *b)
{
	FILE *out = tool_people(&b->o.common);
	int page = TOOL_OK;

	if (b->op->sums)
		b->op->sums(b);
	else
		bench_sum_up(b);
	if (b->op->end)
		b->op->end(b, out);
	disturbed_warn(bench_disturbed(b), b->count, b->op->problem, out);
	if (b->o.html) {
		page = html_write(b, b->o.html);
		if (!page)
			tool_remark(&b->o.common, "the page is %s", b->o.html);
	}
	return page;
}

/* Measures all cases in the context b->ctx, and shows the results. Returns an exit code. */
static int pass(struct bench *b)
{
	ek_device_info device = {.size = sizeof device};
	int code = TOOL_OK, shown = TOOL_OK;

	start(b);
	foresee_interrupt(b, 0);
	measure_crowded((ek_context_get_device(b->ctx, &device) == EK_OK &&
	                 strcmp(device.kind, "cpu") == 0) ||
	                more_than_processors(ek_context_threads(b->ctx)));
	if (b->op->begin)
		code = b->op->begin(b);
	if (!code)
		code = b->op->walk(b);
	if ((code == TOOL_OK || code == TOOL_FAILED) && b->count)
		shown = results(b);
	for (int k = 0; k < b->count; k++)
		free(b->cases[k].record);
	for (int group = 0; group <= ALL_GROUPS; group++)
		free(b->sums[group].record);
	free(b->cases);
	ek_context_destroy(b->ctx);
	return code ? code : shown;
}

/* Makes a pass for each number of threads and each type of values. */
static int measure(const struct operation *op, int argc, char **argv)
{
	struct bench all = {.op = op};
	const struct list *threads = &all.o.threads, *values = &all.o.values;
	int code = TOOL_OK, closed;

	options_parse(&all, argc, argv);
	for (int k = 0; k < threads->count * values->count && (!code || code == TOOL_FAILED); k++) {
		struct bench b = all;
		int this;

		b.o.common.threads = (int)threads->value[k % threads->count];
		b.o.common.value = (ek_value)values->value[k / threads->count];
		b.ctx = tool_context(&b.o.common, &this);
		if (!b.ctx)
			return this;
		if (b.o.peers && k == 0)
			peers_load(&b);
		all.peers = b.peers;
		this = pass(&b);
		code = this ? this : code;
	}
	closed = tool_json_close(&all.o.common);
	return code ? code : closed;
}

int cmd_bench(int argc, char **argv)
{
	static char name[64];
	const char *known[NAMES];

	if (argc < 2)
		tool_usage("an operation is expected; ek bench --help lists them");
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0)
		return help();
	for (int k = 0; k < NAMES; k++) {
		known[k] = names[k].name;
		if (strcmp(argv[1], known[k]) != 0)
			continue;
		snprintf(name, sizeof name, "ek bench %s", names[k].of->name);
		tool_name = argv[1] = name;
		return measure(names[k].of, argc - 1, argv + 1);
	}
	const char *near = tool_nearest(argv[1], known, NAMES);

	if (near)
		tool_usage("there is no operation \"%s\"; did you mean %s?", argv[1], near);
	tool_usage("there is no operation \"%s\"; ek bench --help lists them", argv[1]);
}
