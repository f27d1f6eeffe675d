/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench scenario: what a method is worth to a program that makes n products, preparation
 * included:
 *     (n T_csr) / (T_prepare + n T_method)
 * as an average and at best over the regular and over the irregular matrices (Liu 2015, Tables 8.5
 * and 8.6). It is computed from what `ek bench spmv` measures, in this run or, with --from, in an
 * earlier one: both figures are kept as ratios to plain CSR of the same rounds, so a drifting
 * machine does not matter. */
#define _GNU_SOURCE /* strdup */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define MOST_CALLS 8 /* numbers in --calls */

enum { KEY_CALLS = 1100, KEY_BASELINE, KEY_FROM };

static const struct argp_option options[] = {
	{"calls", KEY_CALLS, "LIST", 0, "Numbers of products (50,500)", 1},
	{"baseline", KEY_BASELINE, "METHOD", 0,
         "What stands for CSR: a method or a peer (spmv.csr.rows; spmv.csr.vector.gpu)", 1},
	{"from", KEY_FROM, "FILE", 0, "Take the records of ek bench spmv --json FILE", 1},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct bench_options *o = state->input;

	tool_init(key, state, &o->common);
	switch (key) {
	case KEY_CALLS: o->runs = arg; break;
	case KEY_BASELINE: o->baseline = arg; break;
	case KEY_FROM: o->records = arg; break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_child children[] = {{&bench_suite_argp, 0, NULL, 1},
                                             {&bench_peer_argp, 0, NULL, 1},
                                             {&bench_device_argp, 0, NULL, 1},
                                             {&tool_common_argp, 0, "Common options:", 3},
                                             {&tool_product_argp, 0, "The product:", 2},
                                             {0}};

static const char *const legend =
	"preparation: time from CSR to a plan, in products of the method itself.\n"
	"avg, best: (n T_csr) / (T_prepare + n T_method), its arithmetic mean and largest value "
	"over the matrices.\n"
	"regular, irregular: groups of Table 8.4; a matrix is irregular if its longest row has "
	"more than 1000 entries and more than ten times the mean.\n";

static char *end_of_help(int key, const char *text, void *input)
{
	(void)input;
	return key == ARGP_KEY_HELP_EXTRA ? strdup(legend) : (char *)text;
}

static const struct argp argp = {
	options,
	parse,
	"[MATRIX...]",
	"Measures as ek bench spmv does and says what each method is worth when its preparation is "
	"paid by so many products.",
	children,
	end_of_help,
	NULL};

struct scenario {
	const struct bench_options *options;
	const char *baseline; /* NULL: plain CSR */
	struct report report;
	int64_t calls[MOST_CALLS];
	int count;
};

static void read_calls(struct scenario *s)
{
	char word[32];

	for (const char *at = s->options->runs ? s->options->runs : "50,500";; at++) {
		size_t len = strcspn(at, ",");

		if (s->count == MOST_CALLS)
			tool_usage("--calls: at most %d numbers are expected", MOST_CALLS);
		snprintf(word, sizeof word, "%.*s", (int)len, at);
		s->calls[s->count] = tool_integer("--calls", word, 1, INT64_C(1) << 40);
		for (int k = 0; k < s->count; k++)
			if (s->calls[k] == s->calls[s->count])
				tool_usage("--calls: %s is given twice", word);
		s->count++;
		at += len;
		if (!*at)
			return;
	}
}

/* ---- Figures --------------------------------------------------------------------------------- */

static const struct record *record_of(const struct bench_case *c, const char *method)
{
	for (int k = 0; k < c->count; k++)
		if (strcmp(c->record[k].method, method) == 0)
			return &c->record[k];
	return NULL;
}

/* In products of plain CSR T_csr is 1, T_prepare is prepare_calls and T_method 1 / vs_csr; another
 * baseline takes 1 / vs_csr of its own. */
static double speedup(const struct scenario *s, const struct bench_case *c, const struct record *r,
                      int64_t n)
{
	const struct record *base = s->baseline ? record_of(c, s->baseline) : NULL;
	double csr = !s->baseline ? 1 : base ? 1 / base->vs_csr : NAN;

	return (double)n * csr / (r->prepare_calls + (double)n / r->vs_csr);
}

/* The mean and the largest over a group. */
struct sum {
	double total, best;
	int count;
};

static void add(struct sum *sum, double value)
{
	if (isnan(value))
		return;
	sum->best = sum->count++ && sum->best > value ? sum->best : value;
	sum->total += value;
}

static void line(struct tool_table *t, const struct scenario *s, int group, const char *method)
{
	struct sum prepare = {0}, sum[MOST_CALLS] = {0};

	for (int k = 0; k < s->report.count; k++) {
		const struct bench_case *c = &s->report.cases[k];
		const struct record *r = record_of(c, method);

		if (!r || group_of(c->row_max, c->row_mean) != group)
			continue;
		add(&prepare, r->prepare_calls * r->vs_csr);
		for (int n = 0; n < s->count; n++)
			add(&sum[n], speedup(s, c, r, s->calls[n]));
	}
	tool_table_add(t, "%s", method);
	tool_table_add(t, "%d", prepare.count);
	table_cell(t, "%.2f", prepare.count ? prepare.total / prepare.count : NAN);
	for (int n = 0; n < s->count; n++) {
		table_cell(t, "%.2f", sum[n].count ? sum[n].total / sum[n].count : NAN);
		table_cell(t, "%.2f", sum[n].count ? sum[n].best : NAN);
	}
}

/* Is it the first record of that method in the group? */
static bool first(const struct scenario *s, int group, int k, const char *method)
{
	for (int j = 0; j < k; j++) {
		const struct bench_case *c = &s->report.cases[j];

		if (group_of(c->row_max, c->row_mean) == group && record_of(c, method))
			return false;
	}
	return true;
}

/* The table of a group; the number of its matrices. */
static int table_of(struct tool_table *t, const struct scenario *s, int group)
{
	int matrices = 0;

	tool_table_start(t, "lrrrrrrrrrrrrrrrrrr"); /* 3 + 2 MOST_CALLS */
	t->cols = 3 + 2 * s->count;
	tool_table_add(t, "method");
	tool_table_add(t, "matrices");
	tool_table_add(t, "preparation");
	for (int n = 0; n < s->count; n++) {
		tool_table_add(t, "n=%lld avg", (long long)s->calls[n]);
		tool_table_add(t, "best");
	}
	for (int k = 0; k < s->report.count; k++) {
		const struct bench_case *c = &s->report.cases[k];

		if (group_of(c->row_max, c->row_mean) != group)
			continue;
		matrices++;
		for (int m = 0; m < c->count; m++)
			if (first(s, group, k, c->record[m].method))
				line(t, s, group, c->record[m].method);
	}
	return matrices;
}

static const char *baseline_of(const struct scenario *s)
{
	return s->baseline ? s->baseline : unit_method(s->report.device.size > 0);
}

/* ---- Results --------------------------------------------------------------------------------- */

static int json(const struct scenario *s, const struct report *report, const struct bench_case *c)
{
	int code = TOOL_OK;

	for (int m = 0; m < c->count && !code; m++) {
		const struct record *r = &c->record[m];
		json_t *o = json_object(), *each = json_object();
		char key[24];

		record_text(o, "op", "scenario");
		record_text(o, "method", r->method);
		record_text(o, "matrix", c->matrix);
		record_text(o, "group", group_name[group_of(c->row_max, c->row_mean)]);
		record_text(o, "baseline", baseline_of(s));
		record_number(o, "preparation", r->prepare_calls * r->vs_csr);
		for (int n = 0; n < s->count; n++) {
			snprintf(key, sizeof key, "%lld", (long long)s->calls[n]);
			record_number(each, key, speedup(s, c, r, s->calls[n]));
		}
		json_object_set_new(o, "speedup", each);
		record_number(o, "disturbed", c->disturbed);
		if (r->failed || r->refused) {
			json_object_set_new(o, r->failed ? "failed" : "refused", json_true());
			record_text(o, "why", r->why);
		}
		if (!s->options->records)
			record_text(o, "commit", report_commit());
		record_text(o, "machine", report->machine);
		record_text(o, "date", report->date);
		code = tool_json(&s->options->common, o);
	}
	return code;
}

static int show(const struct scenario *s)
{
	const struct bench_options *o = s->options;
	FILE *out = tool_people(&o->common);
	struct html_tables page;
	struct tool_table t;
	char title[128];
	int code = TOOL_OK;

	if (o->html)
		code = html_tables_begin(&page, o->html, &s->report,
		                         "Products with their preparation", baseline_of(s));
	for (int group = 0; group < GROUPS && !code; group++) {
		int matrices = table_of(&t, s, group);

		snprintf(title, sizeof title, "%d %s matri%s: speed-up over %s", matrices,
		         group_name[group], matrices == 1 ? "x" : "ces",
		         s->baseline ? s->baseline : "plain CSR");
		if (matrices) {
			fprintf(out, "%s\n", title);
			tool_table_print(&t, TOOL_TEXT, out);
			fputc('\n', out);
			if (o->html)
				html_table(&page, title, &t);
		}
		tool_table_free(&t);
	}
	if (o->html && !code)
		code = html_tables_end(&page, legend);
	for (const char *line = legend; *line; line += strcspn(line, "\n") + 1)
		tool_paragraph(out, "%.*s", (int)strcspn(line, "\n"), line);
	table_warning(&s->report, out);
	return code;
}

/* Every matrix must have the baseline, or its figures would be missing without a word. */
static int check_baseline(const struct scenario *s, const struct bench_case *c)
{
	if (!s->baseline || record_of(c, s->baseline))
		return TOOL_OK;
	return tool_fail(TOOL_USAGE,
	                 "--baseline %s: has no record for %s; a method or peer that was measured "
	                 "is expected",
	                 s->baseline, c->matrix);
}

static int case_done(void *user, const struct report *report, const struct bench_case *c)
{
	const struct scenario *s = user;
	int code = check_baseline(s, c);

	return code ? code : json(s, report, c);
}

/* The same for records of an earlier run, which are all there. */
static int from_records(struct scenario *s, const char *path)
{
	int code = records_read(&s->report, path);

	for (int k = 0; k < s->report.count && !code; k++)
		code = check_baseline(s, &s->report.cases[k]);
	for (int k = 0; k < s->report.count && !code; k++)
		code = json(s, &s->report, &s->report.cases[k]);
	return code;
}

int bench_scenario(int argc, char **argv)
{
	struct bench_options o = {0};
	struct scenario s = {.options = &o};
	int code, shown = TOOL_OK, closed;

	tool_parse(&argp, argc, argv, &o);
	sweep_apply(&o);
	read_calls(&s);
	s.baseline = !o.baseline || strncmp(o.baseline, "peer.", 5) == 0 ? o.baseline
	                                                                 : tool_method(o.baseline);
	code = o.records ? from_records(&s, o.records)
	                 : bench_measure(&o, &s.report, case_done, &s);
	if ((code == TOOL_OK || code == TOOL_FAILED) && s.report.count)
		shown = show(&s);
	closed = tool_json_close(&o.common);
	report_free(&s.report);
	return code ? code : shown ? shown : closed;
}
