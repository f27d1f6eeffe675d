/* SPDX-License-Identifier: BSD-3-Clause
 * The output for people: for each case a table with a line for each method, or one table with a
 * line for each record of all cases; and tables of sums. A legend of its columns follows the first
 * table of a run; --help has the legend of all columns. */
#define _GNU_SOURCE /* for open_memstream */
#include <math.h>
#include <string.h>

#include "bench.h"

enum { MOST_COLUMNS = 48 };

/* ---- Cells ----------------------------------------------------------------------------------- */

double value_of(const struct bench_case *c, const struct record *r, enum value value)
{
	return isnan(r->v[value]) ? c->v[value] : r->v[value];
}

const char *number_text(const char *format, double value)
{
	if (!format)
		format = value < 0.1 ? "%.3g" : value < 10 ? "%.3f" : "%.1f";
	return isnan(value) ? "-" : *format == ',' ? text_count(value) : keep(format, value);
}

const char *cell_status(const struct bench_case *c, const struct record *r)
{
	(void)c;
	return r->failed ? "FAILED" : r->refused ? "refused" : "";
}

const char *cell_method(const struct bench_case *c, const struct record *r)
{
	(void)c;
	return r->chosen ? keep("%s->%s", r->name, method_short(r->chosen)) : r->name;
}

const char *cell_parameters(const struct bench_case *c, const struct record *r)
{
	const char *of = r->format ? strchr(r->format, ':') : NULL;
	const char *format = of ? of + 1 : "", *method = r->parameters ? r->parameters : "";

	(void)c;
	return keep("%s%s%s", format, *format && *method ? ", " : "", method);
}

const char *cell_interval(const struct bench_case *c, const struct record *r)
{
	const double error =
		median_error(r->v[V_MS], r->v[V_MS_P10], r->v[V_MS_P90], value_of(c, r, V_ROUNDS));

	return isfinite(error) ? keep("%.1f", 100 * error) : "";
}

const char *cell_best(const struct bench_case *c, const struct record *r)
{
	const char *best = r == case_best(c, KINDS_OURS) ? "*" : "";
	const double more = r->v[V_OVERHEAD_NS];

	if (r->failed || r->refused)
		return cell_status(c, r);
	return isnan(more) ? best : keep("%s%s%+.0f ns", best, *best ? " " : "", more);
}

const char *cell_text(const struct bench *b, const struct bench_case *c, const struct record *r,
                      const struct column *col)
{
	if (col->text)
		return col->text(c, r);
	if (col->value == VALUES)
		return text_of(b, c, r, col->format);
	return number_text(col->format, value_of(c, r, col->value));
}

/* ---- Columns --------------------------------------------------------------------------------- */

static bool has_traits(const struct operation *op, const struct column *col)
{
	return !(col->where & TRAITS) || col->where & op->traits;
}

/* Tells whether a record of a case has a text in a column. */
static bool is_said(const struct bench_case *c, const struct column *col)
{
	for (const struct record *r = c->record; r < c->record + c->count; r++)
		if (*col->text(c, r))
			return true;
	return false;
}

bool column_shown(const struct bench *b, const struct bench_case *c, const struct column *col,
                  unsigned where)
{
	return col->where & where && has_traits(b->op, col) &&
	       (!(col->where & PEERS) || case_has(c, RECORD_PEER)) &&
	       (!(col->where & KBEST) || b->o.k_best) &&
	       (!(col->where & SOME) || case_has_value(c, col->value)) &&
	       (!(col->where & SAID) || is_said(c, col));
}

/* ---- Legend ---------------------------------------------------------------------------------- */

/* Prints a text on lines of at most `width` characters, all but the first indented. *at is the
 * column in which the previous text ended, and becomes that in which this one ends. */
static void wrapped(const char *text, int width, int indent, int *at, FILE *out)
{
	while (*text) {
		int len = (int)strcspn(text, " ");
		const bool next = *at && *at + 1 + len > width;

		if (next)
			*at = fprintf(out, "\n%*s", indent, "") - 1;
		*at += fprintf(out, "%s%.*s", *at && !next ? " " : "", len, text);
		text += len + (text[len] == ' ');
	}
}

static const char *meaning(const struct operation *op, const struct column *col)
{
	return keep("%s: %s%s", *col->head ? col->head : "last column",
	            *col->legend ? col->legend : op->moves,
	            *col->legend ? "" : " divided by that time");
}

/* Makes the legend for --help. Its lines are broken here because argp would not indent the lines
 * that it breaks. */
char *legend_text(const struct operation *op)
{
	char *all = NULL;
	size_t size;
	FILE *out = open_memstream(&all, &size);

	if (!out)
		return NULL;
	fputs(op->legend ? op->legend : has_word(op->options, "time") ? "Columns:\n" : "", out);
	for (const struct column *col = op->columns; !op->legend && col && col->head; col++) {
		int at = 1;

		if (!col->legend || !has_traits(op, col))
			continue;
		fputc(' ', out);
		wrapped(meaning(op, col), 77, 4, &at, out);
		fputc('\n', out);
	}
	return fclose(out) == 0 ? all : NULL;
}

static void legend_once(const struct bench *b, const struct bench_case *c, unsigned where,
                        FILE *out)
{
	static bool told;
	int at = 0;

	for (const struct column *col = b->op->columns; col->head && !told; col++)
		if (col->legend && column_shown(b, c, col, where))
			wrapped(keep("%s.", meaning(b->op, col)), tool_width(out) - 2, 0,
			        &at, out);
	if (at)
		fputc('\n', out);
	told = true;
}

/* ---- Titles ---------------------------------------------------------------------------------- */

const char *case_title(const struct bench *b, const struct bench_case *c)
{
	const char *title = b->op->title ? b->op->title(b, c) : c->name;

	return disturbed_much(c->v[V_DISTURBED])
	               ? keep("%s; %s", title, disturbed_text(c->v[V_DISTURBED]))
	               : title;
}

void paragraphs(const char *text, FILE *out)
{
	for (const char *line = text; *line; line += strspn(line, "\n")) {
		const int length = (int)strcspn(line, "\n");

		tool_paragraph(out, "%.*s", length, line);
		line += length;
	}
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Prints the parameters of the records of a case, which had no place in its table. */
static void say_parameters(const struct bench_case *c, FILE *out)
{
	int at = fprintf(out, "parameters:");

	for (const struct record *r = c->record; r < c->record + c->count; r++)
		if (*cell_parameters(c, r))
			wrapped(keep("%s %s;", cell_method(c, r), cell_parameters(c, r)),
			        tool_width(out) - 2, 2, &at, out);
	fputc('\n', out);
}

void table_print(const struct bench *b, const struct bench_case *cases, int count, unsigned where,
                 FILE *out)
{
	char align[MOST_COLUMNS];
	const struct column *shown[MOST_COLUMNS];
	struct tool_table t;
	int columns = 0;

	for (const struct column *col = b->op->columns; col->head; col++)
		if (column_shown(b, cases, col, where)) {
			align[columns] = col->where & LEFT ? 'l' : 'r';
			shown[columns++] = col;
		}
	align[columns] = 0;
	tool_table_start(&t, align);
	for (int n = 0; n < columns; n++)
		tool_table_add(&t, "%s", shown[n]->head);
	for (const struct bench_case *c = cases; c < cases + count; c++)
		for (const struct record *r = c->record; r < c->record + c->count; r++)
			for (int n = 0; n < columns && (where != COUNTS || r->v[V_ARITY] > 0);
			     n++) {
				const char *text = cell_text(b, c, r, shown[n]);

				tool_table_add(&t, "%s", text ? text : "-");
			}
	tool_table_fit(&t, (const char *const[]){PARAMETERS, NULL}, out);
	tool_table_print(&t, TOOL_TEXT, out);
	if (t.left_out && where == BLOCK)
		say_parameters(cases, out);
	tool_table_free(&t);
}

void table_full(const struct bench *b, const struct bench_case *cases, int count, unsigned where,
                FILE *out)
{
	table_print(b, cases, count, where, out);
	for (const struct bench_case *c = cases; c < cases + count; c++)
		for (const struct record *r = c->record; r < c->record + c->count; r++)
			if (*r->why)
				tool_paragraph(out, "%s %s: %s", r->name, cell_status(c, r),
				               r->why);
	legend_once(b, cases, where, out);
}

void table_case(const struct bench *b, const struct bench_case *c, FILE *out)
{
	const char *title = case_title(b, c), *rest = strstr(title, "  ");

	if (rest && tool_color(out)) /* the name of the case is bold */
		title = keep("\033[1m%.*s\033[0m%s", (int)(rest - title), title, rest);
	paragraphs(title, out);
	table_full(b, c, 1, BLOCK, out);
	fputc('\n', out);
	fflush(out);
}

const char *group_title(const struct bench *b, int group)
{
	const double matrices = b->sums[group].v[V_MATRICES];

	return matrices > 0 ? keep("%.0f %s matri%s%s", matrices, group_name[group],
	                           matrices == 1 ? "x" : "ces",
	                           b->op->group_title ? b->op->group_title(b) : ", geometric means")
	                    : NULL;
}

void table_groups(const struct bench *b, FILE *out)
{
	const char *title;

	for (int group = 0; group < GROUPS; group++) {
		if (!(title = group_title(b, group)))
			continue;
		fprintf(out, "%s\n", title);
		table_print(b, &b->sums[group], 1, SUM, out);
		fputc('\n', out);
	}
}

void groups_end(const struct bench *b, FILE *out)
{
	if (b->count > 1)
		table_groups(b, out);
}
