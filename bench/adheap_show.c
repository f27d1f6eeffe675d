/* SPDX-License-Identifier: BSD-3-Clause
 * The output of ek bench kselect --model: for each arity a table with a line for each case, with
 * the rates of all heaps and the parts of the model (Liu 2015, Figures 4.11 and 4.12, (a) to (e)),
 * then the best of each kind beside fast selections ((f) of the same). The page has charts of the
 * same figures (charts.rates and charts.parts of chart.js). */
#include <math.h>
#include <string.h>

#include "adheap.h"

static const char legend[] =
	"Rates in millions of keys a second. adheap.model: the simulated ad-heap, compare + "
	"heapify + max(T_cc + T_cq, T_gc).\n"
	"compare: the processor compares all entries with the roots. heapify: the device makes the "
	"heaps. T_cc: the processor crosses the bridges. T_cq: threads push and pop 2 N_u / 16 "
	"packets in each direction. T_gc: the device searches and writes the bridges. Each was "
	"timed alone, with the operations of a selection that was made before; copies and launches "
	"do not count. longer: the side that the other one waits for.\n"
	"transactions: of 32 words with the device's memory, for an update through all levels: "
	"ad-heap, d-heap.\n"
	"scheduling: the fastest d-heaps of both sides at the same time, each with its share of "
	"the lists, computed from their times.\n";

/* Writes the rate of a record to a cell; "-" if there is none. */
static void add_rate(struct tool_table *t, const struct record *r)
{
	tool_table_add(t, "%s", number_text("%.1f", r ? r->v[V_MKEYS] : NAN));
}

static void add_ms(struct tool_table *t, const struct record *r, enum value value)
{
	tool_table_add(t, "%s", number_text(NULL, r ? r->v[value] : NAN));
}

static void add_case(struct tool_table *t, const struct bench_case *c)
{
	tool_table_add(t, "%s%s", text_size((int64_t)c->v[V_LENGTH]),
	               disturbed_much(c->v[V_DISTURBED]) ? " (disturbed)" : "");
}

static void add_heads(struct tool_table *t, const char *const *heads, const char *align)
{
	tool_table_start(t, align);
	for (; *heads; heads++)
		tool_table_add(t, "%s", *heads);
}

static void end_table(struct tool_table *t, FILE *out)
{
	tool_table_print(t, TOOL_TEXT, out);
	tool_table_free(t);
	fputc('\n', out);
}

/* ---- One arity ------------------------------------------------------------------------------- */

static void add_parts(struct tool_table *t, const struct record *model)
{
	static const enum value parts[] = {V_COMPARE_MS, V_HEAPIFY_MS, V_T_CC, V_T_CQ, V_T_GC};
	const double *v = model ? model->v : NULL;

	for (int k = 0; k < 5; k++)
		add_ms(t, model, parts[k]);
	tool_table_add(t, "%s",
	               !v                                  ? "-"
	               : v[V_T_CC] + v[V_T_CQ] > v[V_T_GC] ? "processor"
	                                                   : "device");
	tool_table_add(t, "%s", number_text("%.0f", v ? v[V_LEVELS] : NAN));
	tool_table_add(t, "%s",
	               v ? keep("%.0f, %.0f", v[V_TRANSACTIONS], v[V_DHEAP_TRANSACTIONS]) : "-");
}

static void arity_table(const struct bench *b, int arity, FILE *out)
{
	static const char *const heads[] = {
		"l",          "heap",       "heap.gpu",     "adheap.gpu", "adheap.model",
		"compare ms", "heapify ms", "T_cc ms",      "T_cq ms",    "T_gc ms",
		"longer",     "levels",     "transactions", NULL};
	static const char *const names[] = {"heap", "heap.gpu", "adheap.gpu", "adheap.model"};
	struct tool_table t;

	fprintf(out, "d = %d\n", arity);
	add_heads(&t, heads, "lrrrrrrrrrlrl");
	for (const struct bench_case *c = b->cases; c < b->cases + b->count; c++) {
		const struct record *model = NULL;

		add_case(&t, c);
		for (int k = 0; k < 4; k++) {
			model = case_record(c, keep("%s d=%d", names[k], arity));
			add_rate(&t, model);
		}
		add_parts(&t, model);
	}
	end_table(&t, out);
}

/* ---- The best of all arities ----------------------------------------------------------------- */

/* Writes the highest rate of the records called `name`, with or without an arity, and which arity
 * that is. Returns its record. */
static const struct record *add_best(struct tool_table *t, const struct bench_case *c,
                                     const char *name)
{
	const size_t length = strlen(name);
	const struct record *best = NULL;

	for (const struct record *r = c->record; r < c->record + c->count; r++)
		if (strncmp(r->name, name, length) == 0 &&
		    (!r->name[length] || strncmp(r->name + length, " d=", 3) == 0) &&
		    r->v[V_MKEYS] > (best ? best->v[V_MKEYS] : 0))
			best = r;
	if (best && best->v[V_ARITY] > 0)
		tool_table_add(t, "%.1f (d=%.0f)", best->v[V_MKEYS], best->v[V_ARITY]);
	else
		add_rate(t, best);
	return best;
}

static void best_table(const struct bench *b, FILE *out)
{
	static const char *const heads[] = {
		"l",      "heap",      "heap.gpu",     "scheduling",    "adheap.gpu",
		"sample", "radix.gpu", "adheap.model", "vs scheduling", NULL};
	struct tool_table t;

	fputs("The best of each, all d\n", out);
	add_heads(&t, heads, "lrrrrrrrr");
	for (const struct bench_case *c = b->cases; c < b->cases + b->count; c++) {
		const struct record *model = NULL;

		add_case(&t, c);
		for (int k = 1; heads[k + 1]; k++)
			model = add_best(&t, c, heads[k]);
		tool_table_add(&t, "%s",
		               number_text("%.2f", model ? model->v[V_VS_SCHEDULING] : NAN));
	}
	end_table(&t, out);
}

void model_end(const struct bench *b, FILE *out)
{
	ek_device_info device = {.size = sizeof device};

	if (ek_context_get_device(b->ctx, &device) != EK_OK || !b->count)
		return;
	tool_paragraph(out, "kselect, k-th of lists of l, with ad-heaps simulated on %s: %s, %s%s",
	               device.name, device.text, device.driver,
	               strcmp(device.kind, "cpu") == 0
	                       ? "; this device is the processor itself, so both sides of the "
	                         "model are the same cores"
	                       : "");
	fputc('\n', out);
	for (int k = 0; k < b->o.arity.count; k++)
		arity_table(b, (int)b->o.arity.value[k], out);
	best_table(b, out);
	array_counts(b, out);
	paragraphs(legend, out);
}
