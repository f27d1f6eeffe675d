/* SPDX-License-Identifier: BSD-3-Clause
 * ek generate: writes a synthetic matrix to a file or standard output. The words after the kind of
 * matrix are its parameters, so that both "poisson2d5:nx=9,ny=9" and "poisson2d5 nx=9 ny=9"
 * work. */
#include <string.h>

#include "ek.h"

struct generate_options {
	struct tool_options common; /* must be the first member, see tool_init */
	char spec[4096];
	const char *output, *form;
};

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0, "where to write (-, standard output)", 0},
	{"form", 'f', "mtx|ekm", 0, "form of the file (by the ending of its name, without one mtx)",
         0},
	{0}};

/* Adds a word to the parameters of the generator. The name of a twin may stand without its key, as
 * in "twin webbase-1M" and "twin:webbase-1M". */
static void add_word(struct generate_options *o, const char *word)
{
	if (!*o->spec && strncmp(word, "twin:", 5) == 0 && !strchr(word, '=')) {
		add_word(o, "twin");
		word += 5;
	}

	size_t used = strlen(o->spec);
	bool twin = strcmp(o->spec, "twin") == 0 && !strchr(word, '=');
	const char *joint = !used ? "" : strchr(o->spec, ':') ? "," : ":";

	if (used && !twin && !strchr(word, '='))
		tool_usage("%s: a parameter such as key=value is expected after %s", word, o->spec);
	if ((size_t)snprintf(o->spec + used, sizeof o->spec - used, "%s%s%s", joint,
	                     twin ? "name=" : "", word) >= sizeof o->spec - used)
		tool_usage("the parameters of the generator have more than %zu characters",
		           sizeof o->spec - 1);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct generate_options *o = state->input;

	tool_init(key, state, &o->common);
	switch (key) {
	case 'o': o->output = arg; break;
	case 'f': o->form = arg; break;
	case ARGP_KEY_ARG: add_word(o, arg); break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {options,
                                 parse,
                                 "KIND[:KEY=VALUE,...] [KEY=VALUE...]\ntwin NAME",
                                 "Makes a synthetic matrix. \"ek list generators\" shows the kinds "
                                 "and their parameters, \"ek list twins\" the twins.",
                                 tool_generate_children,
                                 NULL,
                                 NULL};

static int report(const struct generate_options *o, const struct tool_source *source,
                  const ek_matrix *A)
{
	json_t *record = tool_record(source, A);

	json_object_set_new(record, "output", json_string(o->output));
	json_object_set_new(record, "seconds", json_real(source->seconds));
	return tool_json_one(&o->common, record);
}

int cmd_generate(int argc, char **argv)
{
	static struct generate_options o;
	static struct tool_source source;
	ek_matrix_info info = {.size = sizeof info};
	ek_matrix *A = NULL;
	int code;

	tool_parse(&argp, argc, argv, &o);
	if (!o.spec[0])
		tool_usage("the name of a generator is expected; ek list generators has them");
	o.output = tool_output_or_standard(o.output);
	tool_output_form(o.output, o.form);
	tool_one_output(&o.common, o.output, "the matrix");
	ek_context *ctx = tool_context(&o.common, &code);

	if (!ctx)
		return code;
	code = tool_generate(ctx, &o.common, o.spec, &source, &A);
	if (code == TOOL_OK)
		code = tool_check(ek_matrix_get_info(A, &info));
	if (code == TOOL_OK)
		code = tool_refuse_flood(o.output, info.nnz);
	if (code == TOOL_OK)
		code = tool_write(&o.common, A, o.output, o.form);
	if (code == TOOL_OK)
		code = report(&o, &source, A);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
	return code;
}
