/* SPDX-License-Identifier: BSD-3-Clause
 * ek convert: reads a matrix and writes it in another form (Matrix Market, binary) or with other
 * types. It is how compressed or symmetric files become fast to load. */
#include <string.h>

#include "ek.h"

struct convert_options {
	struct tool_options common; /* first */
	const char *input, *output, *form;
};

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0,
         "where to write; - is standard output. A name that ends in .gz, .xz or .zst is compressed",
         0},
	{"format", 'f', "mtx|ekm", 0, "form of the file (by the ending of its name, else mtx)", 0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct convert_options *o = state->input;

	tool_init(key, state, &o->common);
	switch (key) {
	case 'o': o->output = arg; break;
	case 'f': o->form = arg; break;
	case ARGP_KEY_ARG:
		if (o->input)
			tool_usage("%s: one matrix is expected, and the output after -o", arg);
		o->input = arg;
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {options,
                                 parse,
                                 "A -o FILE",
                                 "Writes a matrix in another form, or with other types.",
                                 tool_common_children,
                                 NULL,
                                 NULL};

static int report(const struct convert_options *o, const struct tool_source *source,
                  const ek_matrix *A, double seconds)
{
	json_t *record = tool_record(source, A);

	json_object_set_new(record, "output", json_string(o->output));
	json_object_set_new(record, "read_seconds", json_real(source->seconds));
	json_object_set_new(record, "write_seconds", json_real(seconds));
	return tool_json_one(&o->common, record);
}

int cmd_convert(int argc, char **argv)
{
	static struct convert_options o;
	static struct tool_source source;
	ek_matrix *A = NULL;
	int code;

	tool_parse(&argp, argc, argv, &o);
	if (!o.input)
		tool_usage("a matrix is expected: %s A -o FILE", tool_name);
	if (!o.output)
		tool_usage("-o FILE is expected: where to write the matrix; - is standard output");
	if (o.common.json && strcmp(o.common.json, "-") == 0 && strcmp(o.output, "-") == 0)
		tool_usage("--json -: standard output takes the matrix; name a file for one of "
		           "them");
	ek_context *ctx = tool_context(&o.common, &code);

	if (!ctx)
		return code;
	code = tool_matrix(ctx, &o.common, o.input, &source, &A);
	double start = tool_seconds();

	if (code == TOOL_OK)
		code = tool_write(&o.common, A, o.output, o.form);
	if (code == TOOL_OK)
		code = report(&o, &source, A, tool_seconds() - start);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
	return code;
}
