/* SPDX-License-Identifier: BSD-3-Clause
 * The page of `ek bench --html`: one self-contained file that says what was measured, where and
 * when. It consists of a style sheet, of all figures as one object, and of scripts, which make
 * tables (page.js) and charts (chart.js) from them. Without scripts, the page shows the tables of
 * the terminal. */
#define _GNU_SOURCE /* for open_memstream */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "page_text.h"

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Returns the name of the colour of a method in the style sheet; "best" only if `c` is not NULL and
 * `r` is our fastest record in it. */
static const char *role_of(const struct bench_case *c, const struct record *r)
{
	static const char *const roles[] = {[RECORD_AUTO] = "auto",
	                                    [RECORD_LEARNED] = "ours",
	                                    [RECORD_PEER] = "peer",
	                                    [RECORD_BOUND] = "bound",
	                                    [RECORD_MODEL] = "bound"};

	return r->kind != RECORD_OURS                                               ? roles[r->kind]
	       : c && r == case_best(c, 1u << RECORD_OURS)                          ? "best"
	       : strcmp(r->method, unit_method(strcmp(r->device, "cpu") != 0)) == 0 ? "csr"
	                                                                            : "ours";
}

/* Tells whether a column is in the table `where` of a case. A column that the terminal does not
 * show is left out if the case's first record has no value for it. */
static bool shown(const struct bench *b, const struct bench_case *c, const struct column *col,
                  unsigned where)
{
	return column_shown(b, c, col, where) &&
	       (where != PAGE || col->where & BLOCK || !isnan(c->record[0].v[col->value]));
}

/* Returns a cell: a number if it is a ratio, else a text; null if there is no value. */
static json_t *cell(const struct bench *b, const struct bench_case *c, const struct record *r,
                    const struct column *col)
{
	const double value = col->value == VALUES ? 0 : value_of(c, r, col->value);

	return isnan(value)         ? json_null()
	       : col->where & RATIO ? json_real(fmin(value, 1e300))
	                            : text_json(cell_text(b, c, r, col));
}

static json_t *row(const struct bench *b, const struct bench_case *c, const struct record *r,
                   unsigned where)
{
	const struct bench_case *one = where == PAGE ? c : NULL; /* in sums no method is best */
	const bool best = one && r == case_best(one, KINDS_OURS | KINDS_PEERS);
	json_t *cells = json_array();

	for (const struct column *col = b->op->columns; col->head; col++)
		if (shown(b, c, col, where))
			json_array_append_new(cells, cell(b, c, r, col));
	return json_pack("{s:o, s:s, s:s, s:s*, s:s*, s:s*, s:o}", "name", text_json(r->name),
	                 "role", role_of(one, r), "class",
	                 r->failed ? "failed"
	                 : best    ? "best"
	                           : "",
	                 "chosen", r->chosen && !r->refused ? method_short(r->chosen) : NULL,
	                 "version", where == PAGE_SUM && r->kind == RECORD_PEER ? r->version : NULL,
	                 "refused", r->refused ? r->why : NULL, "cells", cells);
}

/* Returns the heads and rows of the table `where` of a case. */
static json_t *table(const struct bench *b, const struct bench_case *c, unsigned where)
{
	json_t *columns = json_array(), *rows = json_array();

	for (const struct column *col = b->op->columns; col->head; col++)
		if (shown(b, c, col, where))
			json_array_append_new(columns,
			                      json_pack("{s:s, s:b, s:b, s:b, s:b}", "head",
			                                col->head, "left", col->where & LEFT, "up",
			                                col->where & (LEFT | LESS), "ratio",
			                                col->where & RATIO, "swatch",
			                                col->where & SWATCH));
	for (const struct record *r = c->record; r < c->record + c->count; r++)
		json_array_append_new(rows, row(b, c, r, where));
	return json_pack("{s:o, s:o}", "columns", columns, "rows", rows);
}

/* ---- All figures ----------------------------------------------------------------------------- */

/* Returns the cases: for each its title, its table, and the records that charts are drawn from. */
static json_t *cases(const struct bench *b)
{
	json_t *all = json_array();

	for (const struct bench_case *c = b->cases; c < b->cases + b->count; c++) {
		const bool disturbed = disturbed_much(c->v[V_DISTURBED]);
		json_t *records = json_array();

		for (const struct record *r = c->record; r < c->record + c->count; r++) {
			json_t *o = record_object(b, c, r, b->op->charts ? b->op->charts : "");

			json_object_set_new(o, "role", json_string(role_of(c, r)));
			json_array_append_new(records, o);
		}
		json_array_append_new(
			all,
			json_pack("{s:o, s:s*, s:o, s:o}", "title", text_json(case_title(b, c)),
		                  "disturbed", disturbed ? disturbed_text(c->v[V_DISTURBED]) : NULL,
		                  "table", table(b, c, PAGE), "records", records));
	}
	return all;
}

/* Returns the tables of sums of the groups that have matrices. */
static json_t *groups(const struct bench *b)
{
	json_t *all = json_array();
	const char *title;

	for (int group = 0; group < GROUPS; group++)
		if ((title = group_title(b, group)))
			json_array_append_new(all, json_pack("{s:s, s:o}", "title", title, "table",
			                                     table(b, &b->sums[group], SUM)));
	return all;
}

static json_t *warnings(const struct bench *b)
{
	const int count = bench_disturbed(b);
	json_t *all = json_array();

	if (b->left_out)
		json_array_append_new(all, text_json(keep("%s.", b->left_out)));
	if (count)
		json_array_append_new(
			all, json_string(keep(
				     "%s.%s", disturbed_warning(count, b->count, b->op->problem),
				     bench_memory_gbps(b) > 0 && b->count > 1
					     ? " Means in tiles leave out what was disturbed; the "
					       "tables have all."
					     : "")));
	return all;
}

/* Returns all that page.js shows. */
static json_t *figures(const struct bench *b)
{
	const struct operation *op = b->op;
	const char *meta =
		keep("%s · %s · %.16s UTC · evenkeel %s%s%s%s%s", b->machine, op->place(b), b->date,
	             ek_version(), b->commit ? ", commit " : "", b->commit ? b->commit : "",
	             b->state ? " · " : "", b->state ? b->state : "");
	char *legend = legend_text(op);
	json_t *all = json_pack(
		"{s:s, s:s, s:s, s:s, s:s, s:s*, s:b, s:b, s:f, s:o, s:o, s:o, s:o}", "layout",
		op->layout ? op->layout : "cards", "heading", op->heading, "meta", meta, "problem",
		op->problem, "rate", op->traits & KEYS ? "mkeys" : "gbps", "legend", legend,
		"blocks", op->operation == EK_SPMM, "device", b->device.size > 0, "memory_gbps",
		bench_memory_gbps(b), "warnings", warnings(b), "cases", cases(b), "groups",
		groups(b), "sums", table(b, &b->sums[ALL_GROUPS], PAGE_SUM));

	free(legend);
	return all;
}

/* ---- The page -------------------------------------------------------------------------------- */

/* Writes the tables of the terminal. */
static void plain(const struct bench *b, FILE *f)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	for (const struct bench_case *c = b->cases; b->op->each && c < b->cases + b->count; c++)
		b->op->each(b, c, out);
	if (b->op->end)
		b->op->end(b, out);
	fclose(out);
	fputs("<noscript><pre>", f);
	for (const char *at = text; *at; at++)
		fputs(*at == '<' ? "&lt;" : *at == '&' ? "&amp;" : (char[]){*at, 0}, f);
	fputs("</pre></noscript>\n", f);
	free(text);
}

PAGE_TEXT(page_style, "page.css");
PAGE_TEXT(chart_script, "chart.js");
PAGE_TEXT(sort_script, "sort.js");
PAGE_TEXT(key_script, "key.js");
PAGE_TEXT(page_script, "page.js");

int html_write(const struct bench *b, const char *path)
{
	FILE *f = tool_open(path);

	if (!f)
		return TOOL_FAILED;
	fprintf(f,
	        "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n"
	        "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n"
	        "<title>evenkeel: %s</title>\n<style>%s</style>\n<main></main>\n",
	        b->op->name, page_style);
	plain(b, f);
	json_t *all = figures(b);

	fputs("<script>const page = ", f);
	json_dumpf(all, f, JSON_COMPACT | JSON_ESCAPE_SLASH | JSON_REAL_PRECISION(6));
	fprintf(f, ";\n</script>\n<script>%s%s%s%s</script>\n</html>\n", chart_script, page_script,
	        key_script, sort_script);
	json_decref(all);
	return tool_close(f);
}
