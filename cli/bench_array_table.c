/* SPDX-License-Identifier: BSD-3-Clause
 * What people see of benchmarks on arrays: a block for a case with a line for each method; a line
 * for each case with a column for each method; what heaps did. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_array.h"

int array_disturbed_cases(const struct array_bench *bench)
{
	int count = 0;

	for (int k = 0; k < bench->count; k++)
		count += disturbed_much(bench->cases[k].disturbed);
	return count;
}

const char *array_label(char label[96], const struct array_record *r)
{
	const char *dot = strchr(r->method, '.');
	const char *name = dot && r->kind == ARRAY_OURS ? dot + 1 : r->method;

	if (r->arity)
		snprintf(label, 96, "%s d=%d", name, r->arity);
	else
		snprintf(label, 96, "%s", name);
	return label;
}

/* ---- Legend ---------------------------------------------------------------------------------- */

enum { ANY = ~0 };

static const struct table_legend legend[] = {
	{(unsigned)ANY, "ms", "median time of one call"},
	{(unsigned)ANY, "k-best ms", "mean of the 5 shortest times, run by itself (--k-best)"},
	{OF_SORT | OF_MERGE | OF_KSELECT, "10^6/s", "millions of keys a second"},
	{OF_SCAN, "GB/s", "bytes of input and output over that time"},
	{OF_REDUCE | OF_KSELECT, "GB/s", "bytes of the input over that time"},
	{OF_SEGSUM, "GB/s", "bytes of values and flags or offsets over that time"},
	{OF_SORT | OF_MERGE, "GB/s", "bytes of keys and values, in and out, over that time"},
	{OF_SCAN, "of bound",
         "speed over the faster of two copies of the same arrays by the same threads, memcpy and "
         "stores past the caches (-: less than 1 MB)"},
	{OF_REDUCE | OF_SEGSUM | OF_KSELECT, "of bound",
         "GB/s over the bandwidth at which the same threads read as many bytes (-: less than 1 "
         "MB)"},
	{(unsigned)ANY, "vs serial", "speed over the plain method with one thread"},
	{(unsigned)ANY, "vs peer", "speed over the fastest other library (--peers)"},
	{OF_REDUCE | OF_SCAN | OF_SEGSUM, "error",
         "over its proven bound, must stay below 1 (integers: exact)"},
	{(unsigned)ANY, "last column", "* fastest of ours"},
};
enum { LEGENDS = sizeof legend / sizeof legend[0] };

char *array_legend_text(const struct array_operation *operation)
{
	return table_legend_text(legend, LEGENDS, operation->bit);
}

/* ---- A case ---------------------------------------------------------------------------------- */

const struct array_record *array_best(const struct array_case *c)
{
	const struct array_record *best = NULL;

	for (int k = 0; k < c->count; k++) {
		const struct array_record *r = &c->record[k];

		if (r->kind == ARRAY_OURS && !isnan(r->ms) && (!best || r->ms < best->ms))
			best = r;
	}
	return best;
}

static bool has_peers(const struct array_case *c)
{
	for (int k = 0; k < c->count; k++)
		if (c->record[k].kind == ARRAY_PEER)
			return true;
	return false;
}

static void head_line(const struct array_bench *bench, const struct array_case *c, FILE *out)
{
	bool bold = tool_color(out);
	char n[32], disturbed[DISTURBED_TEXT];

	disturbed_text(disturbed, c->disturbed);
	tool_paragraph(out, "%s%s %s%s%s%s  %s %s, %d thread%s, %d round%s%s%s",
	               bold ? "\033[1m" : "", bench->operation->name, c->line,
	               bold ? "\033[0m" : "", *c->variant ? "  " : "", c->variant,
	               tool_count(n, c->n), bench->operation->keys ? "keys" : "numbers", c->threads,
	               c->threads == 1 ? "" : "s", c->rounds, c->rounds == 1 ? "" : "s",
	               *disturbed ? "; " : "", disturbed);
}

void array_table_case(const struct array_bench *bench, const struct array_case *c, FILE *out)
{
	bool peers = has_peers(c), kbest = bench->options.k_best, keys = bench->operation->keys;
	bool bound = *c->bound;
	const struct {
		const char *name;
		bool shown;
	} all[] = {{"method", true}, {"ms", true},        {"k-best ms", kbest}, {"10^6/s", keys},
	           {"GB/s", true},   {"of bound", bound}, {"vs serial", true},  {"vs peer", peers},
	           {"error", !keys}, {"", true}};
	const char *names[12] = {0};
	const struct array_record *best = array_best(c);
	struct tool_table t;
	char label[96], align[12] = {0};
	int count = 0;

	for (size_t k = 0; k < sizeof all / sizeof *all; k++)
		if (all[k].shown) {
			align[count] = k == 0 || !*all[k].name ? 'l' : 'r';
			names[count++] = all[k].name;
		}
	head_line(bench, c, out);
	tool_table_start(&t, align);
	table_head(&t, names);
	for (int k = 0; k < c->count; k++) {
		const struct array_record *r = &c->record[k];

		tool_table_add(&t, "%s", array_label(label, r));
		table_ms(&t, r->ms);
		if (kbest)
			table_ms(&t, r->ms_kbest);
		if (keys)
			table_cell(&t, "%.1f", r->mkeys);
		table_cell(&t, "%.1f", r->gbps);
		if (bound)
			table_cell(&t, "%.3f", r->of_bound);
		table_cell(&t, "%.3f", r->vs_serial);
		if (peers)
			table_cell(&t, "%.3f", r->vs_peer);
		if (!keys)
			table_cell(&t, "%.3f", r->error);
		tool_table_add(&t, "%s%s", r->failed ? "FAILED: " : r == best ? "*" : "", r->why);
	}
	tool_table_print(&t, TOOL_TEXT, out);
	tool_table_free(&t);
	table_legend_once(legend, LEGENDS, bench->operation->bit, names, out);
	fputc('\n', out);
	fflush(out);
}

/* ---- All cases ------------------------------------------------------------------------------- */

int array_columns(const struct array_bench *bench, char label[ARRAY_COLUMNS][96])
{
	char name[96];
	int count = 0;

	for (int k = 0; k < bench->count; k++)
		for (int m = 0; m < bench->cases[k].count; m++) {
			int at = 0;

			array_label(name, &bench->cases[k].record[m]);
			while (at < count && strcmp(label[at], name) != 0)
				at++;
			if (at == count && count < ARRAY_COLUMNS)
				memcpy(label[count++], name, sizeof name);
		}
	return count;
}

const struct array_record *array_find(const struct array_case *c, const char *label)
{
	char name[96];

	for (int k = 0; k < c->count; k++)
		if (strcmp(array_label(name, &c->record[k]), label) == 0)
			return &c->record[k];
	return NULL;
}

double array_rate(const struct array_bench *bench, const struct array_record *r)
{
	return !r ? NAN : bench->operation->keys && !isnan(r->mkeys) ? r->mkeys : r->gbps;
}

void array_table_grid(const struct array_bench *bench, FILE *out)
{
	bool keys = bench->operation->keys;
	char label[ARRAY_COLUMNS][96], align[ARRAY_COLUMNS + 2];
	int count = array_columns(bench, label);
	struct tool_table t;

	memset(align, 'r', sizeof align);
	align[0] = 'l';
	align[count + 1] = 0;
	fprintf(out, "%s of all cases, * the fastest of ours\n",
	        keys ? "Millions of keys a second" : "GB/s");
	tool_table_start(&t, align);
	tool_table_add(&t, "%s", bench->operation->name);
	for (int m = 0; m < count; m++)
		tool_table_add(&t, "%s", label[m]);
	for (int k = 0; k < bench->count; k++) {
		const struct array_case *c = &bench->cases[k];

		tool_table_add(&t, "%s%s", c->line,
		               disturbed_much(c->disturbed) ? " (disturbed)" : "");
		for (int m = 0; m < count; m++) {
			const struct array_record *r = array_find(c, label[m]);
			double rate = array_rate(bench, r);

			if (isnan(rate))
				tool_table_add(&t, "-");
			else
				tool_table_add(&t, "%s%.1f", r == array_best(c) ? "*" : "", rate);
		}
	}
	tool_table_print(&t, TOOL_TEXT, out);
	tool_table_free(&t);
}

void array_table_counts(const struct array_bench *bench, FILE *out)
{
	static const char *const names[] = {"case",    "method", "update-key", "find-maxchild",
	                                    "compare", "swap",   NULL};
	struct tool_table t;
	char label[96];

	fputs("What heaps did, for each list\n", out);
	tool_table_start(&t, "llrrrr");
	table_head(&t, names);
	for (int k = 0; k < bench->count; k++)
		for (int m = 0; m < bench->cases[k].count; m++) {
			const struct array_case *c = &bench->cases[k];
			const struct array_record *r = &c->record[m];
			double lists = c->batch ? (double)c->batch : 1;

			if (!r->arity)
				continue;
			tool_table_add(&t, "%s", c->line);
			tool_table_add(&t, "%s", array_label(label, r));
			table_cell(&t, "%.1f", (double)r->counts.update_key / lists);
			table_cell(&t, "%.1f", (double)r->counts.find_maxchild / lists);
			table_cell(&t, "%.1f", (double)r->counts.compare / lists);
			table_cell(&t, "%.1f", (double)r->counts.swap / lists);
		}
	tool_table_print(&t, TOOL_TEXT, out);
	tool_table_free(&t);
}

void array_table_warning(const struct array_bench *bench, FILE *out)
{
	disturbed_warn(array_disturbed_cases(bench), bench->count, "cases", out);
}
