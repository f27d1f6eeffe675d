/* SPDX-License-Identifier: BSD-3-Clause
 * The options that subcommands share, as argp parsers that the subcommands' parsers include as
 * children. argp parses the words, and writes the texts of --help and --usage. */
#define _GNU_SOURCE /* for asprintf */
#include <stdlib.h>
#include <string.h>

#include "ek.h"

enum {
	KEY_VALUE = 256,
	KEY_INDEX,
	KEY_THREADS,
	KEY_BIND,
	KEY_ISA,
	KEY_SEED,
	KEY_JSON,
	KEY_ALLOW_NAN,
	KEY_MIRROR,
	KEY_DUPLICATES,
	KEY_MAX_BYTES,
	KEY_MAX_RATIO,
	KEY_MAX_DIM,
	KEY_USAGE,
	KEY_METHOD,
	KEY_OP,
	KEY_ALPHA,
	KEY_BETA,
	KEY_CALLS,
	KEY_REPRODUCIBLE,
	KEY_FORMAT,
	KEY_DEVICE,
	KEY_DEVICE_MEMORY
};

const struct tool_choice tool_values[] = {{"f32", EK_F32}, {"f64", EK_F64}, {0}};
static const struct tool_choice indices[] = {
	{"32", EK_I32}, {"64/32", EK_I64_32}, {"64", EK_I64}, {0}};
static const struct tool_choice isas[] = {{"scalar", EK_ISA_LIMIT(EK_ISA_SCALAR)},
                                          {"avx2", EK_ISA_LIMIT(EK_ISA_AVX2)},
                                          {"avx512", EK_ISA_LIMIT(EK_ISA_AVX512)},
                                          {"avx2-loads", EK_ISA_LIMIT(EK_ISA_AVX2_LOADS)},
                                          {"avx512-loads", EK_ISA_LIMIT(EK_ISA_AVX512_LOADS)},
                                          {"neon", EK_ISA_LIMIT(EK_ISA_NEON)},
                                          {0}};
static const struct tool_choice memories[] = {{"auto", EK_MEMORY_AUTO},
                                              {"copy", EK_MEMORY_COPY},
                                              {"mapped", EK_MEMORY_MAPPED},
                                              {"shared", EK_MEMORY_SHARED},
                                              {0}};
static const struct tool_choice policies[] = {
	{"sum", EK_DUP_SUM}, {"last", EK_DUP_LAST}, {"error", EK_DUP_ERROR}, {0}};

const char *tool_memory_name(ek_device_memory memory)
{
	const struct tool_choice *m = memories;

	while (m->value != (int)memory)
		m++;
	return m->name;
}

/* ---- Parsers --------------------------------------------------------------------------------- */

/* Makes the child parsers of a parser fill the same struct as the parser itself. */
static void hand_on(struct argp_state *state, int children)
{
	for (int k = 0; k < children; k++)
		state->child_inputs[k] = state->input;
}

static _Noreturn void help(const struct argp_state *state, unsigned what)
{
	argp_help(state->root_argp, stdout, what, state->argv[0]);
	exit(TOOL_OK);
}

static error_t parse_general(int key, char *arg, struct argp_state *state)
{
	struct tool_options *o = state->input;

	switch (key) {
	case KEY_THREADS:
		o->threads_list = arg;
		if (!o->lists)
			o->threads = (int)tool_integer("--threads", arg, 1, TOOL_THREADS);
		break;
	case KEY_BIND: setenv("EK_BIND", "1", 1); break;
	case KEY_ISA: o->isa_limit = tool_choose("--isa", arg, isas); break;
	case KEY_JSON: o->json = arg; break;
	case 'q': o->quiet = true; break;
	case '?': help(state, ARGP_HELP_STD_HELP);
	case KEY_USAGE: help(state, ARGP_HELP_USAGE);
	case ARGP_KEY_ERROR: tool_wrong_usage(state);
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static error_t parse_seed(int key, char *arg, struct argp_state *state)
{
	struct tool_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT: hand_on(state, 1); break;
	case KEY_SEED: o->seed = tool_integer("--seed", arg, 0, INT64_MAX); break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static error_t parse_types(int key, char *arg, struct argp_state *state)
{
	struct tool_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT: hand_on(state, state->child_inputs ? 1 : 0); break;
	case KEY_VALUE:
		o->value_list = arg;
		if (!o->lists)
			o->value = (ek_value)tool_choose("--value", arg, tool_values);
		break;
	case KEY_INDEX: o->index = (ek_index)tool_choose("--index", arg, indices); break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static error_t parse_common(int key, char *arg, struct argp_state *state)
{
	struct tool_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT: hand_on(state, 2); break;
	case KEY_ALLOW_NAN: o->allow_nan = true; break;
	case KEY_MIRROR: o->mirror = true; break;
	case KEY_DUPLICATES:
		o->duplicates = (unsigned)tool_choose("--duplicates", arg, policies);
		break;
	case KEY_MAX_BYTES: o->max_bytes = tool_size("--read-max-bytes", arg); break;
	case KEY_MAX_RATIO: o->max_ratio = tool_size("--read-max-ratio", arg); break;
	case KEY_MAX_DIM: o->max_dim = tool_size("--read-max-dim", arg); break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* Parses --device and --device-memory. Only subcommands with these options use the device that
 * EK_DEVICE names; tool_init has set it to "cpu" for the others. */
static error_t parse_device(int key, char *arg, struct argp_state *state)
{
	struct tool_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT: o->device = NULL; break;
	case KEY_DEVICE: o->device = arg; break;
	case KEY_DEVICE_MEMORY:
		o->device_memory = (ek_device_memory)tool_choose("--device-memory", arg, memories);
		o->memory_given = true;
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static error_t parse_choice(int key, char *arg, struct argp_state *state)
{
	struct tool_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT: hand_on(state, 1); break;
	case KEY_METHOD: o->method = arg; break;
	case KEY_OP: o->op = tool_op("--op", arg); break;
	case KEY_FORMAT: o->format = arg; break;
	case KEY_REPRODUCIBLE: o->reproducible = EK_REPRO_STRICT; break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static error_t parse_product(int key, char *arg, struct argp_state *state)
{
	struct tool_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT: hand_on(state, 1); break;
	case KEY_ALPHA: o->alpha = tool_number("--alpha", arg); break;
	case KEY_BETA: o->beta = tool_number("--beta", arg); break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static error_t parse_calls(int key, char *arg, struct argp_state *state)
{
	struct tool_options *o = state->input;

	if (key != KEY_CALLS)
		return ARGP_ERR_UNKNOWN;
	o->calls = tool_integer("--calls", arg, 1, INT64_MAX);
	return 0;
}

static const struct argp_option general_options[] = {
	{"threads", KEY_THREADS, "N", 0, "most threads (EK_THREADS, else the processors)", 0},
	{"bind", KEY_BIND, NULL, 0, "bind the threads of the library to processors (EK_BIND)", 0},
	{"isa", KEY_ISA, "NAME", 0, "instruction set, such as avx2 (EK_ISA, else the fastest)", 0},
	{"json", KEY_JSON, "FILE", 0, "results as JSON, a record per line; - is standard output",
         0},
	{"quiet", 'q', NULL, 0, "no progress bar and no remarks", 0},
	{"help", '?', NULL, 0, "print this list", -1},
	{"usage", KEY_USAGE, NULL, 0, "print a short form of it", -1},
	{0}};
/* Changes the --help text of an option: "devices: " is in front of those of `ek list` that only `ek
 * list devices` uses, and `ek bench` takes lists. */
static char *general_text(int key, const char *text, void *input)
{
	const bool bench =
		strncmp(tool_name, "ek bench", 8) == 0 && (key == KEY_THREADS || key == KEY_VALUE);
	const bool devices = strcmp(tool_name, "ek list") == 0 && key != KEY_JSON && key != '?' &&
	                     key != KEY_USAGE;
	char *more = NULL;

	(void)input;
	if (!text || !(bench || devices))
		return (char *)text;
	return asprintf(&more, "%s%s%s", devices ? "devices: " : "", text,
	                bench ? "; of a list, each gives a pass" : "") > 0
	               ? more
	               : (char *)text;
}

const struct argp tool_general_argp = {
	.options = general_options, .parser = parse_general, .help_filter = general_text};

static const struct argp_option seed_options[] = {
	{"seed", KEY_SEED, "N", 0, "seed for what draws random numbers", 0}, {0}};
static const struct argp_child general_child[] = {{&tool_general_argp, 0, NULL, 0}, {0}};
static const struct argp array_argp = {seed_options, parse_seed, .children = general_child};

static const struct argp_option type_options[] = {
	{"value", KEY_VALUE, "f32|f64", 0, "type of the values (of .ekm files theirs, else f64)",
         0},
	{"index", KEY_INDEX, "32|64/32|64", 0,
         "types of row pointers and columns (of .ekm files theirs, else 32)", 0},
	{0}};
static const struct argp_child array_child[] = {{&array_argp, 0, NULL, 0}, {0}};
static const struct argp types_argp = {
	.options = type_options, .parser = parse_types, .help_filter = general_text};
static const struct argp type_argp = {
	.options = type_options, .parser = parse_types, .children = general_child};
static const struct argp generate_argp = {
	.options = type_options, .parser = parse_types, .children = array_child};

static const struct argp_option common_options[] = {
	{"allow-nan", KEY_ALLOW_NAN, NULL, 0, "accept nan and inf in files", 0},
	{"mirror", KEY_MIRROR, NULL, 0, "accept upper entries in symmetric files", 0},
	{"duplicates", KEY_DUPLICATES, "sum|last|error", 0, "entries given twice in files (sum)",
         0},
	{"read-max-bytes", KEY_MAX_BYTES, "SIZE", 0,
         "most bytes of a file after decompression, such as 500M or 2^33 (no limit)", 0},
	{"read-max-ratio", KEY_MAX_RATIO, "N", 0,
         "most of them for a byte of the compressed file (1024); of what an .ekm announces, 256M "
         "are free and the rest may be 32 times that",
         0},
	{"read-max-dim", KEY_MAX_DIM, "N", 0,
         "most rows or columns of a file (64 for each of its bytes, 2^20 always)", 0},
	{0}};
static const struct argp_child common_child[] = {
	{&types_argp, 0, NULL, 0}, {&array_argp, 0, NULL, 0}, {0}};
const struct argp tool_common_argp = {
	.options = common_options, .parser = parse_common, .children = common_child};

static const struct argp_option choice_options[] = {
	{"method", KEY_METHOD, "NAME", 0,
         "auto (EK_METHOD, else by the matrix), learned (spmv), or a name", 0},
	{"format", KEY_FORMAT, "NAME[:KEY=N,...]", 0,
         "how to store A for it (ek list formats); else as --method wants, else as A is", 0},
	{"op", KEY_OP, "n|t", 0, "op(A): A, or A transposed (n)", 0},
	{"reproducible", KEY_REPRODUCIBLE, NULL, 0,
         "the same bits for any number of threads and any instruction set", 0},
	{0}};
static const struct argp_option product_options[] = {
	{"alpha", KEY_ALPHA, "NUMBER", 0, "factor of the product or of A (1)", 0},
	{"beta", KEY_BETA, "NUMBER", 0, "factor of the old y (0), of D or B (1)", 0},
	{0}};
static const struct argp_option device_options[] = {
	{"device", KEY_DEVICE, "NAME", 0,
         "where to run: cpu, cuda, opencl, opencl:1, gpu; cpu+gpu: both (EK_DEVICE, else cpu)", 0},
	{"device-memory", KEY_DEVICE_MEMORY, "auto|copy|mapped|shared", 0,
         "how arrays that it shares with the processor are held (auto)", 0},
	{0}};
const struct argp tool_device_argp = {.options = device_options, .parser = parse_device};
static const struct argp_child device_child[] = {{&tool_device_argp, 0, NULL, 0}, {0}};
static const struct argp choice_argp = {
	.options = choice_options, .parser = parse_choice, .children = device_child};
static const struct argp_child choice_child[] = {{&choice_argp, 0, NULL, 0}, {0}};
const struct argp tool_product_argp = {
	.options = product_options, .parser = parse_product, .children = choice_child};

static const struct argp_option calls_options[] = {
	{"calls", KEY_CALLS, "N", 0,
         "number of products expected; ek spmv and ek spmm also run and time that many", 0},
	{0}};
const struct argp tool_calls_argp = {.options = calls_options, .parser = parse_calls};

static const char common_title[] = "Common options:";
const struct argp_child tool_general_children[] = {{&tool_general_argp, 0, common_title, 2}, {0}};
const struct argp_child tool_array_children[] = {
	{&array_argp, 0, common_title, 2}, {&tool_device_argp, 0, NULL, 2}, {0}};
const struct argp_child tool_type_children[] = {{&type_argp, 0, common_title, 2}, {0}};
const struct argp_child tool_generate_children[] = {{&generate_argp, 0, common_title, 2}, {0}};
const struct argp_child tool_common_children[] = {{&tool_common_argp, 0, common_title, 2}, {0}};
const struct argp_child tool_choice_children[] = {{&tool_common_argp, 0, common_title, 2},
                                                  {&choice_argp, 0, "The product:", 1},
                                                  {&tool_calls_argp, 0, NULL, 1},
                                                  {0}};
const struct argp_child tool_product_children[] = {{&tool_common_argp, 0, common_title, 2},
                                                   {&tool_product_argp, 0, "The product:", 1},
                                                   {&tool_calls_argp, 0, NULL, 1},
                                                   {0}};

void tool_init(int key, struct argp_state *state, struct tool_options *options)
{
	if (key != ARGP_KEY_INIT)
		return;
	*options = (struct tool_options){
		.seed = -1,
		.device = "cpu",
		.duplicates = EK_DUP_SUM,
		.op = EK_OP_N,
		.alpha = 1,
		.reproducible = EK_REPRO_RUN,
	};
	for (int k = 0; state->root_argp->children[k].argp; k++)
		state->child_inputs[k] = options;
}

void tool_parse(const struct argp *argp, int argc, char **argv, void *input)
{
	/* ARGP_NO_ERRS silences argp's own --help too, so parse_general handles --help. */
	if (argp_parse(argp, argc, argv, ARGP_NO_ERRS | ARGP_NO_HELP, NULL, input) != 0)
		tool_usage("wrong arguments; %s --help lists what is accepted", tool_name);
}
