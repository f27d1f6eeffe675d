/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench regret: what the automatic choice, and the choice by learned rules, lose to the best
 * candidate in hindsight, preparation included, if a plan serves so many products. The regret of a
 * choice is its time divided by that of the best. All records have the times that the library
 * predicts, too (ek_plan_predict). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "regret.h"

/* ---- Tables ---------------------------------------------------------------------------------- */

static const char *cell_choice(const struct bench_case *c, const struct record *r)
{
	(void)c;
	return keep("%s: %s", r->name, r->chosen ? method_short(r->chosen) : cell_status(c, r));
}

static const char *cell_best_choice(const struct bench_case *c, const struct record *r)
{
	(void)r;
	return c->best ? method_short(c->best) : "-";
}

/* Returns the format without its parameters, which have a column of their own. */
static const char *cell_format(const struct bench_case *c, const struct record *r)
{
	(void)c;
	return r->format ? keep("%.*s", (int)strcspn(r->format, ":"), r->format) : "-";
}

static const char *cell_tie(const struct bench_case *c, const struct record *r)
{
	return r->failed || r->refused ? cell_status(c, r) : r->v[V_TIE] > 0 ? "tie" : "";
}

static const struct column columns[] = {
	{"matrix", LINE | LEFT, VALUES, "matrix", NULL, NULL},
	{"calls", LINE, V_PRODUCTS_EXPECTED, ",", NULL, NULL},
	{"method", BLOCK | PAGE | LEFT | SWATCH, VALUES, NULL, cell_method,
         "after ->, the method that auto or learned chose"},
	{"choice", LINE | LEFT, VALUES, NULL, cell_choice, NULL},
	{"format", BLOCK | PAGE | LEFT, VALUES, NULL, cell_format, NULL},
	{"ms", BLOCK | LINE | PAGE | LESS, V_MS, NULL, NULL,
         "time of one of so many calls: that of a run, and that of the preparation divided by the "
         "number of calls; the median over the rounds"},
	{"predicted", BLOCK | LINE | PAGE | LESS, V_PREDICTED_MS, NULL, NULL,
         "the same time as the library predicts it, in ms (-: it has no prediction)"},
	{"p10", BLOCK | PAGE | LESS, V_MS_P10, NULL, NULL, "10th percentile of ms"},
	{"p90", BLOCK | PAGE | LESS, V_MS_P90, NULL, NULL, "90th percentile of ms"},
	{"run ms", BLOCK | PAGE | LESS, V_RUN_MS, NULL, NULL, "time of a run"},
	{"prepare ms", BLOCK | PAGE | LESS, V_PREPARE_MS, NULL, NULL,
         "time of making the plan, conversion and choice included"},
	{"first ms", BLOCK | PAGE | LESS, V_FIRST_MS, NULL, NULL,
         "the same for the first plan of the method, which is not part of ms"},
	{"best", LINE | LEFT, VALUES, NULL, cell_best_choice, NULL},
	{"ms", LINE, V_BEST_MS, NULL, NULL, NULL},
	{"predicted", LINE, V_BEST_PREDICTED, NULL, NULL, NULL},
	{"regret", BLOCK | LINE | PAGE | LESS, V_REGRET, "%.3f", NULL,
         "time divided by that of the best of ours in hindsight, the median over the rounds; 1 if "
         "the intervals from p10 to p90 overlap (tie)"},
	{"vs peer", BLOCK | LINE | PAGE | RATIO | SOME, V_VS_PEER, "%.3f", NULL,
         "speed divided by that of the fastest other library, preparations included"},
	PARAMETERS_COLUMN(BLOCK | PAGE),
	{"", BLOCK | LINE | PAGE | LEFT, VALUES, NULL, cell_tie, NULL},
	{"plans for", SUM | PAGE_SUM | LEFT, VALUES, "name", NULL, NULL},
	{"matrices", SUM | PAGE_SUM, V_MATRICES, "%.0f", NULL, NULL},
	{"ties", SUM | PAGE_SUM, V_TIES, "%.0f", NULL, NULL},
	{"within 5 %", SUM | PAGE_SUM, V_WITHIN_5, "%.0f %%", NULL, NULL},
	{"within 20 %", SUM | PAGE_SUM, V_WITHIN_20, "%.0f %%", NULL, NULL},
	{"median", SUM | PAGE_SUM | LESS, V_MEDIAN, "%.3f", NULL, NULL},
	{"90th percentile", SUM | PAGE_SUM | LESS, V_NINETIETH, "%.3f", NULL, NULL},
	{"largest", SUM | PAGE_SUM | LESS, V_LARGEST, "%.3f", NULL, NULL},
	{"on", SUM | PAGE_SUM | LEFT, VALUES, "on", NULL, NULL},
	{"mean vs peer", SUM | PAGE_SUM | RATIO | SOME, V_VS_PEER, "%.3f", NULL, NULL},
	{.head = NULL}};

/* Returns the record of a choice, auto or learned, or NULL if it was not timed. */
static const struct record *choice_of(const struct bench_case *c, enum record_kind kind)
{
	for (const struct record *r = c->record; r < c->record + c->count; r++)
		if (r->kind == kind && !isnan(r->v[V_REGRET]))
			return r;
	return NULL;
}

/* Adds the record of a choice for n calls to the sums: quantiles of its regret over the
 * matrices. */
static void sum_up(struct bench *b, int64_t n, enum record_kind kind)
{
	struct record sum = record_start(kind, kind == RECORD_AUTO ? "auto, " : "learned, ",
	                                 text_many((double)n, "call"));
	double *regret = need(calloc((size_t)b->count + 1, sizeof *regret), "the sums");
	double *v = sum.v, within_5 = 0, within_20 = 0;
	struct mean vs_peer = {0};
	int count = 0;

	v[V_TIES] = 0;
	for (const struct bench_case *c = b->cases; c < b->cases + b->count; c++) {
		const struct record *r = choice_of(c, kind);

		if (!r || r->v[V_PRODUCTS_EXPECTED] != (double)n)
			continue;
		regret[count] = r->v[V_REGRET];
		within_5 += regret[count] <= 1.05;
		within_20 += regret[count] <= 1.2;
		v[V_TIES] += r->v[V_TIE] > 0;
		mean_add(&vs_peer, r->v[V_VS_PEER]);
		if (!(regret[count] <= v[V_LARGEST])) {
			v[V_LARGEST] = regret[count];
			sum.on = c->matrix;
		}
		count++;
	}
	v[V_MATRICES] = count;
	v[V_VS_PEER] = mean_value(vs_peer);
	v[V_WITHIN_5] = count ? 100 * within_5 / count : NAN;
	v[V_WITHIN_20] = count ? 100 * within_20 / count : NAN;
	v[V_MEDIAN] = measure_quantile(regret, count, 0.5);
	v[V_NINETIETH] = measure_quantile(regret, count, 0.9);
	free(regret);
	record_add(&b->sums[ALL_GROUPS], &sum);
}

static void sums(struct bench *b)
{
	for (int k = 0; k < VALUES; k++)
		b->sums[ALL_GROUPS].v[k] = NAN;
	for (int k = 0; k < b->o.calls.count; k++)
		for (int kind = RECORD_AUTO; kind <= RECORD_LEARNED; kind++)
			sum_up(b, b->o.calls.value[k], (enum record_kind)kind);
}

static bool one_matrix(const struct bench *b)
{
	return b->count <= b->o.calls.count && b->o.arguments < 2 && !b->o.suite;
}

static void each(const struct bench *b, const struct bench_case *c, FILE *out)
{
	if (one_matrix(b))
		table_case(b, c, out);
}

/* Prints a line for each choice in each case, then the sums. */
static void end(const struct bench *b, FILE *out)
{
	struct bench_case *lines = need(calloc((size_t)b->count, sizeof *lines), "the table");
	int count = 0;

	for (const struct bench_case *c = b->cases; c < b->cases + b->count; c++) {
		lines[count] = *c;
		lines[count].count = 0;
		while (lines[count].count < c->count &&
		       1u << c->record[lines[count].count].kind & KINDS_CHOICES)
			lines[count].count++;
		count++;
	}
	tool_paragraph(out, "The choices (ms of a call, as measured and as predicted), the best of "
	                    "ours in hindsight");
	table_full(b, lines, count, LINE, out);
	free(lines);
	fprintf(out, "\nRegret over all matrices\n");
	table_print(b, &b->sums[ALL_GROUPS], 1, SUM, out);
}

static const char *title(const struct bench *b, const struct bench_case *c)
{
	(void)b;
	return keep("%s, %s  %s, op %s, %s", c->matrix, c->variant, text_matrix(c), c->op,
	            text_run(c));
}

/* ---- The operation --------------------------------------------------------------------------- */

static void check(struct bench_options *o)
{
	const char *list = o->common.method;
	char name[TOOL_METHOD];

	if (o->calls.count > MOST_CALLS)
		tool_usage("--calls: at most %d numbers are expected", MOST_CALLS);
	if (o->common.format)
		tool_usage("--format %s: each method takes part with the format that the library "
		           "would choose for it",
		           o->common.format);
	check_matrices(o);
	while (list && strcmp(list, "all") != 0 && tool_method_next_of(EK_SPMV, &list, name))
		if (tool_chooses(name))
			tool_usage("--method: auto and learned always take part; names of methods "
			           "to compare them with are expected");
}

static int begin(struct bench *b)
{
	if (tool_on_device(b->ctx))
		tool_usage("--device: methods of the processor are compared; the name of a device "
		           "is not expected, nor EK_DEVICE");
	return TOOL_OK;
}

static const struct argp_child children[] = {{&tool_common_argp, 0, "Common options:", 3},
                                             {&tool_product_argp, 0, "The product:", 2},
                                             {0}};

const struct operation bench_regret = {
	.name = "regret",
	.text = "auto against the best of ours in hindsight (--calls 1,50,500)",
	.help = "Says what the automatic choice loses to the best method in hindsight. For each "
		"number of products it times plans of auto, of learned and of every method, "
		"preparation and runs in the same rounds, and compares them with the times that "
		"the library predicts. With --peers other libraries take part, too, with their "
		"preparations.\v"
		"Example: ek bench regret --suite small --threads 1 --html regret.html\n"
		"--method names the methods to compare with (all). Methods that are 20 times as "
		"slow as the best in their first calls, at every number of products, are not timed "
		"further. --format and --device are not taken: each method has the format that the "
		"library would choose, on the processor. With one matrix there is a table of all "
		"methods; the page and the JSON records always have them. Exit status 1: a result "
		"was wrong.",
	.options = "suite html rounds time peers peer_dir product_counts",
	.defaults = "time=3 calls=1,50,500",
	.usage = "[MATRIX...]",
	.children = children,
	.check = check,
	.fields =
		"op method chosen method_parameters format device isa version matrix source rows "
		"cols nnz row_max row_mean row_stddev group transpose value index threads "
		"expected_calls runs rounds disturbed ms ms_min ms_p10 ms_p90 run_ms prepare_ms "
                "first_ms predicted_ms "
		"predicted_convert_ms regret tie best best_ms best_predicted_ms vs_best_peer bytes "
		"error commit machine state date",
	.problem = "cases",
	.columns = columns,
	.begin = begin,
	.walk = walk_matrices,
	.matrix = regret_measure,
	.spoil = problem_reset,
	.error = problem_error,
	.operation = EK_SPMV,
	.each = each,
	.end = end,
	.sums = sums,
	.title = title,
	.heading = "The automatic choice against the best in hindsight",
	.place = text_place,
	.layout = "regret",
	.charts = "case name matrix expected_calls ms predicted_ms regret",
};
