/* SPDX-License-Identifier: BSD-3-Clause
 * ek list: prints the tables of the library for the user, for the README (--markdown), for scripts
 * such as the shell completion (--plain), or as JSON. Each list is a function that fills one table;
 * the JSON records take their field names from the header of that table. */
#define _GNU_SOURCE /* for open_memstream */
#include <stdlib.h>
#include <string.h>

#include "list.h"

struct list_options {
	struct tool_options common; /* must be the first member, see tool_init */
	const char *what;
	enum tool_style style;
};

static const char *operations(const ek_method *m)
{
	bool n = ek_method_supports(m, EK_OP_N, EK_REPRO_RUN);
	bool t = ek_method_supports(m, EK_OP_T, EK_REPRO_RUN);

	return n && t ? "N T" : n ? "N" : t ? "T" : "-";
}

static const char *bits(const ek_method *m)
{
	ek_op op = ek_method_supports(m, (ek_op)0, EK_REPRO_RUN)  ? (ek_op)0
	           : ek_method_supports(m, EK_OP_N, EK_REPRO_RUN) ? EK_OP_N
	                                                          : EK_OP_T;

	return ek_method_supports(m, op, EK_REPRO_STRICT) ? "yes" : "no";
}

void list_header(struct tool_table *t, const char *const *names)
{
	for (; *names; names++)
		tool_table_add(t, "%s", *names);
}

/* Returns all parameters that `param` gives for the method or format `of`, as in "omega 2 to 64
 * (lanes of a tile), sigma ...", or "-" if there are none. The caller frees the text, which is NULL
 * if memory runs out. */
static char *parameters(const ek_format_param *(*param)(const void *, int), const void *of)
{
	const ek_format_param *p;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (int k = 0; out && (p = param(of, k)); k++)
		fprintf(out, "%s%s %lld to %lld (%s)", k ? ", " : "", p->name, (long long)p->min,
		        (long long)p->max, p->text);
	if (out && !param(of, 0))
		fputs("-", out);
	if (out)
		fclose(out);
	return text;
}

static const ek_format_param *method_param(const void *method, int k)
{
	return ek_method_get_param(method, k);
}

static const ek_format_param *format_param(const void *format, int k)
{
	return ek_format_get_param(format, k);
}

static void list_method(const ek_method *m, struct tool_table *t)
{
	const bool with = ek_method_get_param(m, 0);
	char *text = with ? parameters(method_param, m) : NULL;

	tool_table_add(t, "%s", ek_method_name(m));
	tool_table_add(t, "%s", operations(m));
	tool_table_add(t, "%s", bits(m));
	tool_table_add(t, "%s", ek_method_device(m));
	tool_table_add(t, "%s%s%s", ek_method_text(m), with ? "; parameters: " : "",
	               text ? text : "");
	tool_table_add(t, "%s", ek_method_source(m));
	free(text);
}

/* Lists the methods by operation. The library's own table has another order: the methods that come
 * with formats are at its end. */
static void list_methods(ek_context *ctx, struct tool_table *t)
{
	static const char *const names[] = {"method", "op", "reproducible", "device", "what",
	                                    "source", NULL};

	(void)ctx;
	tool_table_start(t, "llllll");
	list_header(t, names);
	for (int op = 1; ek_operation_name((ek_operation)op); op++)
		for (const ek_method *m = NULL; (m = ek_method_next(m));)
			if (ek_method_operation(m) == (ek_operation)op)
				list_method(m, t);
}

static void list_operations(ek_context *ctx, struct tool_table *t)
{
	static const char *const names[] = {"operation", "what", "methods", NULL};

	(void)ctx;
	tool_table_start(t, "llr");
	list_header(t, names);
	for (int op = 1; ek_operation_name((ek_operation)op); op++) {
		int methods = 0;

		for (const ek_method *m = NULL; (m = ek_method_next(m));)
			methods += ek_method_operation(m) == (ek_operation)op;
		tool_table_add(t, "%s", ek_operation_name((ek_operation)op));
		tool_table_add(t, "%s", ek_operation_text((ek_operation)op));
		tool_table_add(t, "%d", methods);
	}
}

static void list_generators(ek_context *ctx, struct tool_table *t)
{
	static const char *const names[] = {"generator", "what", "parameters", NULL};

	(void)ctx;
	tool_table_start(t, "lll");
	list_header(t, names);
	for (const ek_generator *g = NULL; (g = ek_generator_next(g));) {
		tool_table_add(t, "%s", ek_generator_name(g));
		tool_table_add(t, "%s", ek_generator_text(g));
		tool_table_add(t, "%s", ek_generator_example(g));
	}
}

static void list_twins(ek_context *ctx, struct tool_table *t)
{
	static const char *const names[] = {"twin",      "in the work", "rows", "cols",
	                                    "nnz",       "shortest",    "mean", "longest",
	                                    "structure", "tables",      "real", NULL};
	static const char *const spare[] = {"in the work", "mean", "shortest", "cols", NULL};
	char path[4096], buf[32];

	(void)ctx;
	tool_table_start(t, "llrrrrrrlll");
	list_header(t, names);
	for (const ek_twin *w = NULL; (w = ek_twin_next(w));) {
		tool_table_add(t, "%s", w->name);
		tool_table_add(t, "%s", w->paper_name);
		tool_table_add(t, "%s", tool_count(buf, w->rows));
		tool_table_add(t, "%s", tool_count(buf, w->cols));
		tool_table_add(t, "%s", tool_count(buf, w->nnz));
		tool_table_add(t, "%s", tool_count(buf, w->row_min));
		tool_table_add(t, "%.1f", (double)w->nnz / (double)w->rows);
		tool_table_add(t, "%s", tool_count(buf, w->row_max));
		tool_table_add(t, "%s", w->structure);
		tool_table_add(t, "%s", w->works);
		tool_table_add(t, "%s", tool_real_path(w->name, path, sizeof path) ? "yes" : "no");
	}
	tool_table_fit(t, spare, stdout);
}

static void list_formats(ek_context *ctx, struct tool_table *t)
{
	static const char *const names[] = {"format",     "methods", "what",
	                                    "parameters", "source",  NULL};

	(void)ctx;
	tool_table_start(t, "lrlll");
	list_header(t, names);
	for (const ek_format *f = NULL; (f = ek_format_next(f));) {
		char *text = parameters(format_param, f);
		int methods = 0;

		for (const ek_method *m = NULL; (m = ek_method_next(m));)
			methods += strcmp(ek_method_format(m), ek_format_name(f)) == 0;
		tool_table_add(t, "%s", ek_format_name(f));
		tool_table_add(t, "%d", methods);
		tool_table_add(t, "%s", ek_format_text(f));
		tool_table_add(t, "%s", text ? text : "");
		tool_table_add(t, "%s", ek_format_source(f));
		free(text);
	}
}

/* Adds the member "parameters" to a JSON record, as an object: {"omega": {"min": 2, "max": 64,
 * "text": "lanes ..."}}. */
static void parameters_json(const ek_format_param *(*param)(const void *, int), const void *of,
                            json_t *record)
{
	json_t *object = json_object();
	const ek_format_param *p;

	for (int k = 0; (p = param(of, k)); k++)
		json_object_set_new(object, p->name,
		                    json_pack("{s:I, s:I, s:s}", "min", (json_int_t)p->min, "max",
		                              (json_int_t)p->max, "text", p->text));
	json_object_set_new(record, "parameters", object);
}

static void method_json(json_t *record)
{
	const ek_method *m = ek_method_find(json_string_value(json_object_get(record, "method")));

	json_object_set_new(record, "what", json_string(ek_method_text(m)));
	parameters_json(method_param, m, record);
}

static void format_json(json_t *record)
{
	const char *name = json_string_value(json_object_get(record, "format"));

	parameters_json(format_param, ek_format_find(name), record);
}

static const struct list {
	const char *name;
	void (*fill)(ek_context *ctx, struct tool_table *t);
	void (*json)(json_t *record); /* changes or adds members of a record, or is NULL */
} lists[] = {
	{"operations", list_operations, NULL},
	{"methods", list_methods, method_json},
	{"generators", list_generators, NULL},
	{"twins", list_twins, NULL},
	{"formats", list_formats, format_json},
	{"devices", list_devices, list_devices_json},
	{"layout", list_layout, NULL},
};
enum { LISTS = sizeof lists / sizeof lists[0] };

/* Returns the number in a cell such as "1,234" or "3.1" as a JSON value. */
static json_t *number(const char *text)
{
	char digits[64];
	size_t used = 0;

	for (; *text && used < sizeof digits - 1; text++)
		if (*text != ',')
			digits[used++] = *text;
	digits[used] = 0;
	return strchr(digits, '.') ? json_real(atof(digits)) : json_integer(atoll(digits));
}

static int print_json(const struct tool_options *options, const struct list *list,
                      const struct tool_table *t)
{
	int code = TOOL_OK;

	for (int k = t->cols; k < t->cells && code == TOOL_OK; k += t->cols) {
		json_t *record = json_object();

		for (int col = 0; col < t->cols; col++) {
			json_object_set_new(record, t->cell[col],
			                    t->align[col] == 'r' ? number(t->cell[k + col])
			                                         : json_string(t->cell[k + col]));
		}
		if (list->json)
			list->json(record);
		code = tool_json(options, record);
	}
	int closed = tool_json_close(options);

	return code ? code : closed;
}

static const struct argp_option options[] = {
	{"markdown", 'm', NULL, 0, "as a Markdown table, as in doc/methods.md and doc/formats.md",
         0},
	{"plain", 'p', NULL, 0, "fields divided by tabs, without a header", 0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct list_options *o = state->input;

	tool_init(key, state, &o->common);
	switch (key) {
	case 'm': o->style = TOOL_MARKDOWN; break;
	case 'p': o->style = TOOL_PLAIN; break;
	case ARGP_KEY_ARG:
		if (o->what)
			tool_usage("%s: one list at a time is expected", arg);
		o->what = arg;
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {options,
                                 parse,
                                 "operations|methods|generators|twins|formats|devices|layout",
                                 "Lists the tables of the library.",
                                 tool_general_children,
                                 NULL,
                                 NULL};

static const struct list *find(const char *name)
{
	const char *names[LISTS], *near;

	for (int k = 0; k < LISTS; k++) {
		if (name && strcmp(lists[k].name, name) == 0)
			return &lists[k];
		names[k] = lists[k].name;
	}
	near = name ? tool_nearest(name, names, LISTS) : NULL;
	tool_usage(
		"%s%sone of operations, methods, generators, twins, formats, devices, layout is "
		"expected%s%s%s",
		name ? name : "", name ? ": " : "", near ? "; did you mean " : "", near ? near : "",
		near ? "?" : "");
}

int cmd_list(int argc, char **argv)
{
	struct list_options o = {.what = NULL};
	struct tool_table table;
	int code;

	tool_parse(&argp, argc, argv, &o);
	const struct list *list = find(o.what);

	if (list->fill != list_devices && (o.common.threads || o.common.isa_limit))
		tool_usage("--threads and --isa are for ek list devices");
	ek_context *ctx = tool_context(&o.common, &code);

	if (!ctx)
		return code;
	list->fill(ctx, &table);
	if (o.common.json)
		code = print_json(&o.common, list, &table);
	else
		tool_table_print(&table, o.style, stdout);
	if (list->fill == list_devices && code == TOOL_OK)
		code = list_devices_rest(&o.common);
	tool_table_free(&table);
	ek_context_destroy(ctx);
	return code;
}
