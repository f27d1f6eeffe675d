/* SPDX-License-Identifier: BSD-3-Clause
 * ek convert: reads a matrix and writes it in another form (Matrix Market, binary), with other
 * types of values and indices, or, in the binary form, in another storage format. For example, it
 * turns compressed or symmetric files into files that load fast. */
#include <string.h>

#include "ek.h"

struct convert_options {
	struct tool_options common; /* must be the first member, see tool_init */
	const char *input, *output, *form, *format;
	int64_t max_bytes; /* as in ek_convert_options */
};

enum { KEY_FORMAT = 512, KEY_MAX_BYTES };

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0,
         "where to write; - is standard output. The name ends in .mtx or .ekm, or has no ending; "
         "a further .gz, .xz or .zst compresses the file",
         0},
	{"form", 'f', "mtx|ekm", 0,
         "form of the file (by the ending of its name; without one mtx, with --format ekm)", 0},
	{"format", KEY_FORMAT, "NAME[:KEY=N,...]", 0,
         "how an .ekm file stores it, such as csr5 or sell:c=8 (ek list formats)", 0},
	{"max-bytes", KEY_MAX_BYTES, "SIZE|none", 0,
         "most bytes of its arrays, such as 500M or 2^33 (8 times those in CSR, and 1M)", 0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct convert_options *o = state->input;

	tool_init(key, state, &o->common);
	switch (key) {
	case 'o': o->output = arg; break;
	case 'f': o->form = arg; break;
	case KEY_FORMAT: o->format = tool_format("--format", arg); break;
	case KEY_MAX_BYTES:
		o->max_bytes = strcmp(arg, "none") == 0 ? -1 : tool_size("--max-bytes", arg);
		break;
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
                                 "Writes a matrix in another form, with other types, or in "
                                 "another storage format. Matrix Market files are written "
                                 "as general ones with values: mirror images of symmetric "
                                 "matrices and the ones of patterns stand in them, comments "
                                 "do not.",
                                 tool_common_children,
                                 NULL,
                                 NULL};

static int report(const struct convert_options *o, const struct tool_source *source,
                  const ek_matrix *A, double convert_seconds, double write_seconds)
{
	ek_matrix_info info = {.size = sizeof info};
	json_t *record = tool_record(source, A);

	ek_matrix_get_info(A, &info);
	json_object_set_new(record, "bytes", json_integer(info.bytes));
	json_object_set_new(record, "output", json_string(o->output));
	json_object_set_new(record, "read_seconds", json_real(source->seconds));
	json_object_set_new(record, "convert_seconds", json_real(convert_seconds));
	json_object_set_new(record, "write_seconds", json_real(write_seconds));
	return tool_json_one(&o->common, record);
}

/* Refuses --format for Matrix Market text, and chooses the form "ekm" if only --format is given.
 * Text holds entries, not arrays, so the format would be silently lost. */
static void check_form(struct convert_options *o)
{
	const char *form = tool_output_form(o->output, o->form);

	if (!o->format) {
		if (o->max_bytes)
			tool_usage("--max-bytes is for --format NAME");
		return;
	}
	if (form && strcmp(form, "mtx") == 0)
		tool_usage("--format %s: Matrix Market files hold entries only; a name in .ekm, or "
		           "--form ekm, is expected",
		           o->format);
	if (!o->form)
		o->form = "ekm";
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
	check_form(&o);
	ek_context *ctx = tool_context(&o.common, &code);

	if (!ctx)
		return code;
	code = tool_matrix(ctx, &o.common, o.input, &source, &A);
	double start = tool_seconds();

	if (code == TOOL_OK && o.format)
		code = tool_convert(o.format, o.max_bytes, "--max-bytes SIZE|none raises it", &A);
	double converted = tool_seconds();

	if (code == TOOL_OK)
		code = tool_write(&o.common, A, o.output, o.form);
	if (code == TOOL_OK)
		code = report(&o, &source, A, converted - start, tool_seconds() - converted);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
	return code;
}
