/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench convert: the cost of making each format from coordinates and from CSR, in products and
 * in bytes, and the cost of what methods of plain CSR prepare in addition to CSR. Every format that
 * is made must convert back to CSR bit for bit. */
#include <stdlib.h>
#include <string.h>

#include "spmv.h"

/* ---- What is made ---------------------------------------------------------------------------- */

/* Adds a record for a format or, if `beside`, for what a method prepares beside CSR. */
static void add(const struct bench *b, struct bench_case *c, const char *name, bool beside)
{
	struct record r = record_start(RECORD_OURS, "", name);

	r.format = beside ? "csr" : r.name;
	r.isa = ek_isa_name(ek_context_isa(b->ctx));
	r.v[V_ROUNDS] = r.v[V_DISTURBED] = r.v[V_BYTES] = 0;
	record_add(c, &r);
}

static bool beside_csr(const ek_method *m)
{
	return m && ek_method_operation(m) == EK_SPMV && strcmp(ek_method_format(m), "csr") == 0 &&
	       ek_method_supports(m, EK_OP_N, EK_REPRO_RUN);
}

/* Adds records for the formats and methods that were named, or for all if none was. Returns how
 * many of the records are formats. */
static int add_all(const struct bench *b, struct bench_case *c)
{
	const char *formats = b->o.common.format, *methods = b->o.common.method;
	const char *device = tool_on_device(b->ctx) ? "gpu" : "cpu";
	const bool all = !formats && !methods;
	char word[TOOL_FORMAT], name[TOOL_METHOD];
	int count;

	while (formats && tool_format_next("--format", &formats, word))
		add(b, c, word, false);
	for (const ek_format *f = NULL; all && (f = ek_format_next(f));)
		add(b, c, ek_format_name(f), false);
	count = c->count;
	while (methods && tool_method_next(&methods, name)) {
		if (!beside_csr(tool_method_find(name)))
			tool_usage("--method %s: a method of plain CSR is expected; formats are "
			           "given by --format",
			           name);
		add(b, c, name, true);
	}
	for (const ek_method *m = NULL; all && (m = ek_method_next(m));)
		if (beside_csr(m) && strcmp(ek_method_device(m), device) == 0)
			add(b, c, ek_method_name(m), true);
	return count;
}

/* ---- A matrix -------------------------------------------------------------------------------- */

/* Measures all records of a case, of which the first `formats` are formats. */
static int make_all(struct bench *b, struct bench_case *c, int formats, const ek_matrix *A)
{
	struct tool_progress *progress = tool_progress_start(&b->o.common, c->name);
	int code = TOOL_OK, worst = TOOL_OK, count = 0;
	double disturbed = 0;

	for (int k = 0; k < c->count && !code; k++) {
		struct record *r = &c->record[k];

		code = convert_measure(b, c, A, k >= formats, r);
		if (r->failed)
			worst = tool_fail(TOOL_FAILED, "%s: %s: %s", c->name, r->name, r->why);
		if (!r->failed && !r->refused) {
			disturbed += r->v[V_DISTURBED];
			count++;
		}
		tool_progress_step(progress, k + 1, c->count);
	}
	tool_progress_end(progress);
	c->v[V_DISTURBED] = count ? disturbed / count : 0;
	return code ? code : worst;
}

static int matrix(struct bench *b, const struct tool_source *source, ek_matrix *A)
{
	int code, shown;
	struct bench_case *c = case_of_matrix(b, source, A, &code);

	if (!c)
		return code;
	code = make_all(b, c, add_all(b, c), A);
	if (code != TOOL_OK && code != TOOL_FAILED) {
		free(c->record);
		b->count--;
		return code;
	}
	shown = case_done(b, c);
	return code ? code : shown;
}

/* ---- What is shown --------------------------------------------------------------------------- */

static const struct column columns[] = {
	{"format", BLOCK | PAGE | SUM | LEFT, VALUES, "name", NULL, NULL},
	{"matrices", SUM, V_MATRICES, "%.0f", NULL, NULL},
	{"refused", SUM | LESS, V_REFUSED, "%.0f", NULL, NULL},
	{"COO ms", BLOCK | PAGE | LESS, V_COO_MS, NULL, NULL,
         "time of making it from coordinates, rows ascending"},
	{"COO cost", BLOCK | PAGE | SUM | LESS, V_COO_COST, "%.2f", NULL,
         "that over the time from COO to CSR (Greathouse and Daga 2014, Figure 11)"},
	{"CSR ms", BLOCK | PAGE | LESS, V_CSR_MS, NULL, NULL, "time of making it from CSR"},
	{"CSR cost", BLOCK | PAGE | SUM | LESS, V_CSR_COST, "%.2f", NULL,
         "that over the time from COO to CSR"},
	{"calls", BLOCK | PAGE | LESS, V_CALLS, "%.1f", NULL, "CSR ms in products of plain CSR"},
	{"calls", SUM | LESS, V_CALLS, "%.2f", NULL, NULL},
	{"own calls", BLOCK | PAGE | LESS, V_OWN_CALLS, "%.1f", NULL,
         "CSR ms in products of its own (Liu 2015, Figure 8.15)"},
	{"own calls", SUM | LESS, V_OWN_CALLS, "%.2f", NULL, NULL},
	{"size", BLOCK | PAGE | SUM | LESS, V_SIZE, "%.3f", NULL,
         "bytes of its arrays, for methods with those of CSR, over the bytes of CSR"},
	{"", BLOCK | LEFT, VALUES, NULL, cell_status, "why it was refused"},
	{.head = NULL}};

static const char *title(const struct bench *b, const struct bench_case *c)
{
	(void)b;
	return keep("%s (%s, %s)  %s x %s, %s nonzeros, %s in CSR", c->name, c->source, c->group,
	            text_count(c->v[V_ROWS]), text_count(c->v[V_COLS]), text_count(c->v[V_NNZ]),
	            text_bytes(c->v[V_CSR_BYTES]));
}

static const char *group_title(const struct bench *b)
{
	(void)b;
	return ", geometric means";
}

static void end(const struct bench *b, FILE *out)
{
	if (b->count > 1)
		table_groups(b, out, NULL);
}

/* ---- The page -------------------------------------------------------------------------------- */

static const char *place(const struct bench *b)
{
	return keep("%s, values %s, indices %s", text_many(ek_context_threads(b->ctx), "thread"),
	            b->cases[0].value, b->cases[0].index);
}

static void page(const struct bench *b, FILE *f)
{
	html_chart(f, "From coordinates", "costs");
	table_groups(b, NULL, f);
	html_cards(f, b);
}

/* ---- The operation --------------------------------------------------------------------------- */

static const struct argp_child children[] = {
	{&tool_common_argp, 0, "Common options:", 2}, {&tool_device_argp, 0, NULL, 2}, {0}};

const struct operation bench_convert = {
	.name = "convert",
	.text = "making each format, from COO and from CSR, in products and in bytes",
	.usage = "[MATRIX...]",
	.help = "Times the making of formats from COO and from CSR, and what methods of plain CSR "
		"prepare, in rounds with the way from COO to CSR and with products. What was made "
		"must go back to CSR without a lost bit.\v"
		"With --format alone no methods are measured, with --method alone no formats. "
		"Exit status 1: something did not go back.",
	.options = "suite html rounds time formats preparing max_bytes",
	.defaults = "time=3",
	.children = children,
	.check = check_matrices,
	.fields = "op method format matrix source group rows cols nnz value index threads isa "
		  "rounds disturbed coo_ms csr_ms coo_cost csr_cost calls own_calls ms bytes "
		  "csr_bytes size commit machine date",
	.problem = "matrices",
	.operation = EK_SPMV,
	.columns = columns,
	.walk = walk_matrices,
	.matrix = matrix,
	.each = table_case,
	.end = end,
	.title = title,
	.group_title = group_title,
	.heading = "The cost of formats",
	.charts = "name group coo_cost",
	.place = place,
	.page = page,
};
