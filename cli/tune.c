/* SPDX-License-Identifier: BSD-3-Clause
 * ek tune: measures the profile of this machine or of a device, from which the library predicts
 * times, and stores it for later processes of this user. Shows what was measured next to the table
 * that is built in. */
#include <stdlib.h>
#include <string.h>

#include "tune.h"

enum { KEY_SHOW = 1, KEY_DRY, KEY_QUICK, KEY_TILES };

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0,
         "write the profile there, for EK_PROFILE; digits for a device follow the name", 0},
	{"dry-run", KEY_DRY, NULL, 0, "measure, but write nothing", 0},
	{"quick", KEY_QUICK, NULL, 0, "one short pass, for rough numbers", 0},
	{"show", KEY_SHOW, NULL, 0, "measure nothing; show the numbers that are in force", 0},
	{"tiles", KEY_TILES, NULL, 0,
         "measure the tile heights of the format csr5 instead, with --device on that device", 0},
	{"nnz", 'n', "N", 0, "with --tiles: entries of the matrices (1000000)", 0},
	{"time", 't', "SECONDS", 0, "with --tiles: time to spend on each of the 20 matrices (1)",
         0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct tune_options *o = state->input;

	tool_init(key, state, &o->common);
	switch (key) {
	case ARGP_KEY_INIT:
		o->seconds = 1;
		o->nnz = 1000000;
		break;
	case 'o': o->output = arg; break;
	case KEY_DRY: o->dry = true; break;
	case KEY_QUICK: o->quick = true; break;
	case KEY_SHOW: o->show = true; break;
	case KEY_TILES: o->tiles = true; break;
	case 'n':
		o->nnz = tool_integer("--nnz", arg, 1000, 1000000000);
		o->for_tiles = true;
		break;
	case 't':
		o->seconds = tool_duration("--time", arg);
		o->for_tiles = true;
		break;
	case ARGP_KEY_END:
		if (o->for_tiles && !o->tiles)
			tool_usage("--nnz and --time are for --tiles");
		if (o->show + o->tiles + (o->output || o->dry || o->quick) > 1)
			tool_usage("--show and --tiles do not go together, nor with --output, "
			           "--dry-run or --quick");
		if (o->output && o->dry)
			tool_usage("--output and --dry-run do not go together");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {options,
                                 parse,
                                 "",
                                 "Measures how fast this machine's memory, caches and inner loops "
                                 "are, and stores the numbers "
                                 "for the library, which predicts times from them when it chooses "
                                 "methods. With --device, measures that device, whose numbers have "
                                 "a file of their own. Takes less than 20 "
                                 "seconds; other programs should rest meanwhile.\vThe profile is "
                                 "the file that EK_PROFILE names, "
                                 "else $XDG_CACHE_HOME/evenkeel/profile, else "
                                 "~/.cache/evenkeel/profile, and for a device a dot and 16 digits "
                                 "follow; EK_PROFILE=none switches "
                                 "both off. With --tiles the last line is for the shell or its "
                                 "start-up file; it is left out where "
                                 "other processes disturbed the measurement.",
                                 NULL, /* cmd_tune sets the children */
                                 NULL,
                                 NULL};

/* Where the rows of a profile go: a table for people, an object for programs. */
struct numbers {
	struct tool_table table;
	json_t *json;
};

static void add_cell(struct tool_table *table, const double *value, int count)
{
	char text[3 * 16] = "";
	size_t used = 0;

	for (int k = 0; k < count; k++)
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%.3g", k ? "  " : "",
		                         value[k]);
	tool_table_add(table, "%s", text);
}

static void add_number(void *user, const ek_profile_number *n)
{
	struct numbers *to = user;
	json_t *value = json_array(), *family = json_array();

	tool_table_add(&to->table, "%s", n->name);
	add_cell(&to->table, n->value, n->count);
	add_cell(&to->table, n->family, n->count);
	for (int k = 0; k < n->count; k++) {
		json_array_append_new(value, json_real(n->value[k]));
		json_array_append_new(family, json_real(n->family[k]));
	}
	json_object_set_new(to->json, n->name,
	                    json_pack("{s:o, s:o}", "value", value, "family", family));
}

/* What the calls from ek_tune get. */
struct step {
	struct tool_progress *progress;
	struct numbers *numbers;
};

static void on_progress(void *user, int done, int of)
{
	tool_progress_step(((struct step *)user)->progress, done, of);
}

static void on_number(void *user, const ek_profile_number *n)
{
	add_number(((struct step *)user)->numbers, n);
}

static int measure(const struct tune_options *o, ek_context *ctx, struct numbers *numbers)
{
	struct step step = {tool_progress_start(&o->common, "measuring"), numbers};
	const ek_tune_options tune = {.size = sizeof tune,
	                              .path = o->output,
	                              .dry = o->dry,
	                              .quick = o->quick,
	                              .progress = on_progress,
	                              .number = on_number,
	                              .user = &step};
	const ek_status status = ek_tune(ctx, &tune);

	tool_progress_end(step.progress);
	return tool_check(status);
}

/* Says what the numbers mean whose names do not. */
static void explain(const ek_context *ctx, FILE *out)
{
	fputs(tool_on_device(ctx)
	              ? "launch: of a kernel. lane_gather: an entry, for a lane that is alone. "
	                "loop_gbps: by kernels that become plain loops.\n"
	              : "loop: row, entry, misprediction. block: row of blocks, block, step in "
	                "it.\n",
	      out);
}

/* Returns what ek list devices says about the device, of which only the name is set if it is the
 * processor. */
static ek_device_info device_of(const ek_context *ctx)
{
	ek_device_info info = {.size = sizeof info};

	if (!tool_on_device(ctx) || ek_context_get_device(ctx, &info) != EK_OK)
		snprintf(info.name, sizeof info.name, "cpu");
	return info;
}

static void tell_in_force(const ek_context *ctx, FILE *out)
{
	const char *name = ek_context_profile_name(ctx);

	fprintf(out, "in force: %s", name);
	if (strncmp(name, "measured", 8) == 0)
		fputs("\n", out);
	else if (!tool_on_device(ctx))
		fputs(", built in, since no stored profile is used; ek tune stores one\n", out);
	else
		fprintf(out,
		        ", since no stored profile of %s is used; ek tune --device stores one\n",
		        device_of(ctx).name);
}

static int profile(const struct tune_options *o, ek_context *ctx)
{
	struct numbers numbers = {.json = json_object()};
	FILE *out = tool_people(&o->common);
	int code;

	tool_table_start(&numbers.table, "lrr");
	tool_table_add(&numbers.table, "GB/s, or ns");
	tool_table_add(&numbers.table, o->show ? "in force" : "measured");
	tool_table_add(&numbers.table, "built in");
	code = o->show ? tool_check(ek_context_profile_numbers(ctx, add_number, &numbers))
	               : measure(o, ctx, &numbers);
	if (!code) {
		tool_table_print(&numbers.table, TOOL_TEXT, out);
		explain(ctx, out);
		if (o->show)
			tell_in_force(ctx, out);
		code = tool_json(&o->common, json_pack("{s:s, s:s, s:s, s:b, s:O}", "op", "tune",
		                                       "device", device_of(ctx).name, "in_force",
		                                       ek_context_profile_name(ctx), "show",
		                                       o->show, "numbers", numbers.json));
	}
	json_decref(numbers.json);
	tool_table_free(&numbers.table);
	return code;
}

int cmd_tune(int argc, char **argv)
{
	const struct argp_child children[] = {
		tool_general_children[0], {&tool_device_argp, 0, "What is measured:", 1}, {0}};
	struct argp with_children = argp;
	struct tune_options o = {0};
	ek_context *ctx;
	int code = TOOL_OK, closed;

	with_children.children = children;
	tool_parse(&with_children, argc, argv, &o);
	ctx = tool_context(&o.common, &code);
	if (code)
		return code;
	code = o.tiles ? tune_tiles(&o, ctx) : profile(&o, ctx);
	ek_context_destroy(ctx);
	closed = tool_json_close(&o.common);
	return code ? code : closed;
}
