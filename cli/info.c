/* SPDX-License-Identifier: BSD-3-Clause
 * ek info: describes a matrix, as text or as one JSON record. The description has the size, the
 * symmetry, the lengths of the rows with a histogram, the bandwidth, the duplicates, the arrays of
 * the format, and the method that the library would choose, with the reason. With --arrays it
 * prints only the contents of the arrays. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "info.h"

struct info_options {
	struct tool_options common; /* must be the first member, see tool_init */
	const char *input;
	int arrays;      /* --arrays: number of entries on a line, or 0 if not given */
	int64_t columns; /* --columns: number of columns of X for SpMM, or 0 for SpMV */
};

enum { KEY_ARRAYS = 512, KEY_COLUMNS };

static const struct argp_option options[] = {
	{"arrays", KEY_ARRAYS, "N", OPTION_ARG_OPTIONAL,
         "print the arrays, N entries on a line (16)", 0},
	{"columns", KEY_COLUMNS, "N", 0,
         "choose the method for SpMM with N columns in X (else for SpMV)", 0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct info_options *o = state->input;

	tool_init(key, state, &o->common);
	switch (key) {
	case KEY_ARRAYS: o->arrays = arg ? (int)tool_integer("--arrays", arg, 1, 1000) : 16; break;
	case KEY_COLUMNS: o->columns = tool_integer("--columns", arg, 1, INT64_MAX); break;
	case ARGP_KEY_ARG:
		if (o->input)
			tool_usage("%s: one matrix at a time is expected", arg);
		o->input = arg;
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {options,
                                 parse,
                                 "A",
                                 "Says what a matrix looks like, and which method fits it. A is a "
                                 "file, - for standard input, a generator or a twin; with "
                                 "--format it is put into that format first.",
                                 tool_choice_children,
                                 NULL,
                                 NULL};

/* ---- Facts ----------------------------------------------------------------------------------- */

struct facts {
	struct tool_source source;
	ek_matrix_info info;
	ek_stats stats;
	char method[128], *explain;
	int64_t plan_bytes, plan_memory;
};

/* Words for the values 0 to 3 of ek_stats.symmetric. */
static const char *const symmetries[] = {"none", "symmetric", "symmetric pattern, other values",
                                         "skew-symmetric"};

/* Sets *text to what ek_plan_explain writes; the caller frees it. Returns an exit code. */
static int explain(const ek_plan *plan, char **text)
{
	int code = TOOL_OK;

	for (size_t size = 4096;; size *= 2) {
		char *more = realloc(*text, size);

		if (!more)
			return tool_fail(TOOL_FAILED, "out of memory for the reasons of a choice");
		*text = more;
		code = tool_check(ek_plan_explain(plan, more, size));
		if (code || strlen(more) + 1 < size)
			return code;
	}
}

static ek_operation operation_of(const struct info_options *o)
{
	return o->columns ? EK_SPMM : EK_SPMV;
}

static int find_method(const struct info_options *all, const ek_context *ctx, const ek_matrix *A,
                       struct facts *f)
{
	const struct tool_options *o = &all->common;
	struct tool_progress *progress = tool_progress_start(o, tool_preparing(ctx));
	ek_hints hints = {.size = sizeof hints,
	                  .method = o->method,
	                  .op = o->op,
	                  .calls = o->calls,
	                  .width = all->columns,
	                  .reproducible = o->reproducible,
	                  .format = o->format};
	ek_plan *plan = NULL;
	ek_status status = ek_plan_create(operation_of(all), A, &hints, &plan);
	int code;

	tool_progress_end(progress);
	code = tool_check(status);
	if (code != TOOL_OK)
		return code;
	snprintf(f->method, sizeof f->method, "%s", ek_plan_method(plan));
	f->plan_bytes = ek_plan_bytes(plan);
	f->plan_memory = ek_plan_memory(plan);
	code = explain(plan, &f->explain);
	ek_plan_destroy(plan);
	return code;
}

static int look(const struct info_options *o, const ek_context *ctx, const ek_matrix *A,
                struct facts *f)
{
	f->info.size = sizeof f->info;
	f->stats.size = sizeof f->stats;
	int code = tool_check(ek_matrix_get_info(A, &f->info));

	if (code == TOOL_OK)
		code = tool_check(ek_matrix_stats(A, &f->stats));
	if (code == TOOL_OK)
		code = find_method(o, ctx, A, f);
	return code;
}

/* ---- Text ------------------------------------------------------------------------------------ */

static int histogram_length(const ek_stats *s)
{
	int last = 63;

	while (last > 0 && !s->histogram[last])
		last--;
	return last + 1;
}

/* Prints how many rows have length 0, 1, 2-3, 4-7, and so on. The bars are logarithmic, so that a
 * few long rows, which matter most, are visible. */
static void print_histogram(const ek_stats *s, FILE *out)
{
	int64_t most = 1;
	char low[32], high[32], rows[32], range[72];

	for (int k = 0; k < 64; k++)
		most = s->histogram[k] > most ? s->histogram[k] : most;
	fprintf(out, "\n      row length          rows            (bars: logarithm)\n");
	for (int k = 0; k < histogram_length(s); k++) {
		int bar = s->histogram[k] ? 1 + (int)(35 * log1p((double)s->histogram[k]) /
		                                      log1p((double)most))
		                          : 0;

		if (k < 2)
			snprintf(range, sizeof range, "%d", k);
		else
			snprintf(range, sizeof range, "%s - %s",
			         tool_count(low, (int64_t)1 << (k - 1)),
			         tool_count(high, ((int64_t)1 << (k - 1)) * 2 - 1));
		fprintf(out, "%16s  %12s %5.1f %%  %.*s\n", range,
		        tool_count(rows, s->histogram[k]),
		        s->rows ? 100.0 * (double)s->histogram[k] / (double)s->rows : 0, bar,
		        "####################################");
	}
}

static void line(FILE *out, const char *name, int64_t n, const char *remark)
{
	fprintf(out, "%-17s %s%s\n", name, tool_count((char[32]){0}, n), remark);
}

static void print_text(const struct facts *f, const ek_matrix *A, int64_t columns, FILE *out)
{
	const ek_stats *s = &f->stats;
	char a[32], b[32];
	double cells = (double)s->rows * (double)s->cols;

	fprintf(out, "%-17s %s (%s, %.3g s)\n", "matrix", f->source.name, f->source.kind,
	        f->source.seconds);
	fprintf(out, "%-17s %s x %s\n", "size", tool_count(a, s->rows), tool_count(b, s->cols));
	fprintf(out, "%-17s %s (%.3g %% of all places)\n", "entries", tool_count(a, s->nnz),
	        cells > 0 ? 100 * (double)s->nnz / cells : 0);
	fprintf(out, "%-17s values %s, indices %s, ", "storage", ek_value_name(f->info.value),
	        ek_index_name(f->info.index));
	info_storage(A, &f->info, out);
	fprintf(out, "%-17s %s\n", "symmetry", symmetries[s->symmetric & 3]);
	fprintf(out, "%-17s %s to %s", "row lengths", tool_count(a, s->row_min),
	        tool_count(b, s->row_max));
	fprintf(out, ", mean %.2f, median %s, standard deviation %.2f\n", s->row_mean,
	        tool_count(a, s->row_median), s->row_stddev);
	line(out, "empty rows", s->empty_rows, "");
	line(out, "empty columns", s->empty_cols, "");
	fprintf(out, "%-17s %s below the diagonal, %s above\n", "bandwidth",
	        tool_count(a, s->lower_bandwidth), tool_count(b, s->upper_bandwidth));
	line(out, "on the diagonal", s->diagonal, "");
	line(out, "duplicates", s->duplicates, "");
	fprintf(out, "%-17s %s\n", "columns sorted", s->sorted ? "yes" : "no");
	print_histogram(s, out);
	if (columns)
		fprintf(out, "\nThe product Y = A X, %lld column%s:\n", (long long)columns,
		        columns == 1 ? "" : "s");
	else
		fprintf(out, "\nThe product y = A x:\n");
	tool_lines(out, f->explain);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *record_of(const struct facts *f, const ek_matrix *A, int64_t columns)
{
	const ek_stats *s = &f->stats;
	const struct {
		const char *name;
		int64_t n;
	} counts[] = {
		{"bytes", f->info.bytes},
		{"row_min", s->row_min},
		{"row_max", s->row_max},
		{"row_median", s->row_median},
		{"empty_rows", s->empty_rows},
		{"empty_cols", s->empty_cols},
		{"lower_bandwidth", s->lower_bandwidth},
		{"upper_bandwidth", s->upper_bandwidth},
		{"diagonal", s->diagonal},
		{"duplicates", s->duplicates},
		{"plan_bytes", f->plan_bytes},
		{"plan_memory", f->plan_memory},
	};
	json_t *record = tool_record(&f->source, A), *histogram = json_array();

	for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++)
		json_object_set_new(record, counts[k].name, json_integer(counts[k].n));
	json_object_set_new(record, "row_mean", json_real(s->row_mean));
	json_object_set_new(record, "row_stddev", json_real(s->row_stddev));
	json_object_set_new(record, "sorted", json_boolean(s->sorted));
	json_object_set_new(record, "symmetry", json_string(symmetries[s->symmetric & 3]));
	for (int k = 0; k < histogram_length(s); k++)
		json_array_append_new(histogram, json_integer(s->histogram[k]));
	json_object_set_new(record, "histogram", histogram);
	info_storage_json(A, &f->info, record);
	if (columns)
		json_object_set_new(record, "columns", json_integer(columns));
	json_object_set_new(record, "method", json_string(f->method));
	json_object_set_new(record, "explain", json_string(f->explain));
	json_object_set_new(record, "seconds", json_real(f->source.seconds));
	return record;
}

int cmd_info(int argc, char **argv)
{
	static struct info_options o;
	static struct facts f;
	ek_matrix *A = NULL;
	int code;

	tool_parse(&argp, argc, argv, &o);
	if (!o.input)
		tool_usage("a matrix is expected: a file, -, a generator or a twin");
	o.common.method = tool_method_of(operation_of(&o), o.common.method);
	if (o.common.format)
		tool_format("--format", o.common.format);
	if (o.arrays && o.columns)
		tool_usage("--arrays prints no method, which --columns is for");
	if (o.arrays && o.common.json)
		tool_usage("--arrays prints text; --json without it has the bytes of each array");
	ek_context *ctx = tool_context(&o.common, &code);

	if (!ctx)
		return code;
	code = tool_matrix(ctx, &o.common, o.input, &f.source, &A);
	if (code == TOOL_OK && o.common.format)
		code = tool_convert(o.common.format, 0, "ek convert --max-bytes raises it", &A);
	if (code == TOOL_OK && o.arrays) {
		code = info_arrays(A, o.arrays, stdout);
		goto done;
	}
	if (code == TOOL_OK)
		code = look(&o, ctx, A, &f);
	if (code == TOOL_OK && !(o.common.json && strcmp(o.common.json, "-") == 0))
		print_text(&f, A, o.columns, stdout);
	if (code == TOOL_OK && o.common.json)
		code = tool_json_one(&o.common, record_of(&f, A, o.columns));
done:
	free(f.explain);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
	return code;
}
