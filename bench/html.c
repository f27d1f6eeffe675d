/* SPDX-License-Identifier: BSD-3-Clause
 * The page of `ek bench --html`: one self-contained file that says what was measured, where and
 * when, in tables and charts. This source file has the parts that all pages share. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* ---- Text ------------------------------------------------------------------------------------ */

static void escaped(FILE *f, const char *s)
{
	for (; s && *s; s++)
		switch (*s) {
		case '<': fputs("&lt;", f); break;
		case '>': fputs("&gt;", f); break;
		case '&': fputs("&amp;", f); break;
		case '"': fputs("&quot;", f); break;
		default: fputc(*s, f); break;
		}
}

static void number(FILE *f, const char *format, double value)
{
	if (isnan(value))
		fputs("–", f);
	else
		fprintf(f, format, value);
}

void html(FILE *f, const char *format, ...)
{
	char one[16]; /* a single conversion of the format, such as "%.1f" */
	va_list args;

	va_start(args, format);
	for (const char *at = format; *at;) {
		const size_t plain = strcspn(at, "%"), length = strcspn(at + plain, "sdfg") + 1;

		fwrite(at, 1, plain, f);
		at += plain;
		if (!*at)
			break;
		snprintf(one, sizeof one, "%.*s", (int)length, at);
		at += length;
		switch (one[length - 1]) {
		case 's': escaped(f, va_arg(args, const char *)); break;
		case 'd': fprintf(f, one, va_arg(args, int)); break;
		default: number(f, one, va_arg(args, double)); break;
		}
	}
	va_end(args);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Returns the name of the colour of a method in the style sheet; "best" only if `c` is not NULL and
 * `r` is our fastest record of it. */
static const char *role_of(const struct bench_case *c, const struct record *r)
{
	static const char *const roles[] = {
		[RECORD_AUTO] = "auto", [RECORD_PEER] = "peer", [RECORD_BOUND] = "bound"};

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

/* Begins a row with the cell of the method, which has what auto chose and, in sums, the version of
 * a peer. */
static void name(FILE *f, const struct bench_case *c, const struct record *r,
                 const struct column *col, unsigned where)
{
	const bool swatch = col->where & SWATCH;

	c = where == PAGE ? c : NULL; /* no method of sums is best */
	html(f, "<tr%s><td>",
	     r->failed                                                    ? " class=failed"
	     : c && swatch && r == case_best(c, KINDS_OURS | KINDS_PEERS) ? " class=best"
	                                                                  : "");
	if (swatch)
		html(f, "<i style=\"background:var(--%s)\"></i>", role_of(c, r));
	html(f, "%s", r->name);
	if (r->chosen && !r->refused)
		html(f, " <small>→ %s</small>", method_short(r->chosen));
	if (where == PAGE_SUM && r->kind == RECORD_PEER)
		html(f, " <small>%s</small>", r->version);
	fputs("</td>", f);
}

static void figure(FILE *f, const struct column *col, double value, const char *text, bool dash)
{
	if (col->where & RATIO)
		html(f, "<td%s>%.2f</td>",
		     value >= 1.05   ? " class=good"
		     : value <= 0.95 ? " class=bad"
		                     : "",
		     value);
	else
		html(f, "<td%s>%s</td>", col->where & LEFT ? " class=l" : "",
		     isnan(value) && dash ? "–" : text);
}

void html_table(FILE *f, const struct bench *b, const struct bench_case *c, unsigned where)
{
	int columns = 0;

	fputs("<div class=scroll><table>\n<tr>", f);
	for (const struct column *col = b->op->columns; col->head; col++)
		if (shown(b, c, col, where)) {
			columns++;
			html(f, "<th%s%s>%s", col->where & LEFT ? " class=l" : "",
			     col->where & (LEFT | LESS) ? " data-first=up" : "", col->head);
		}
	fputs("</tr>\n", f);
	for (const struct record *r = c->record; r < c->record + c->count; r++) {
		int at = 0;

		for (const struct column *col = b->op->columns; col->head; col++) {
			if (!shown(b, c, col, where))
				continue;
			if (!at++)
				name(f, c, r, col, where);
			else if (!r->refused)
				figure(f, col,
				       col->value == VALUES ? 0 : value_of(c, r, col->value),
				       cell_text(b, c, r, col), where != SUM);
		}
		if (r->refused)
			html(f, "<td class=why colspan=%d><div>refused: %s</div></td>", columns - 1,
			     r->why);
		fputs("</tr>\n", f);
	}
	fputs("</table></div>\n", f);
}

void html_card(FILE *f, const struct bench *b, const char *title, const struct bench_case *c,
               unsigned where)
{
	html(f, "<div class=card><h3>%s</h3>\n", title);
	html_table(f, b, c, where);
	fputs("</div>\n", f);
}

void html_legend(FILE *f, const struct bench *b)
{
	char *text = legend_text(b->op);

	html(f, "<div class=card><pre>%s</pre></div>\n", text);
	free(text);
}

void html_cards(FILE *f, const struct bench *b)
{
	for (int k = 0; k < b->count; k++)
		html_card(f, b, case_title(b, &b->cases[k]), &b->cases[k], PAGE);
	html_legend(f, b);
}

void html_chart(FILE *f, const char *title, const char *chart)
{
	html(f, "<div class=card><h3>%s</h3>\n<div class=chart data-chart=%s></div></div>\n", title,
	     chart);
}

/* ---- The page -------------------------------------------------------------------------------- */

/* Defines the string `name`, whose text the assembler takes from a file of this folder. */
#define PAGE_TEXT(name, file)                                                             \
	__asm__(".pushsection .rodata\n.globl " #name "\n.hidden " #name "\n" #name ":\n" \
	        ".incbin \"" EK_PAGE_DIR "/" file "\"\n.byte 0\n.popsection\n");          \
	extern const char name[]
PAGE_TEXT(page_style, "page.css");
PAGE_TEXT(page_script, "page.js");

static void head(FILE *f, const struct bench *b)
{
	const int count = bench_disturbed(b);

	fprintf(f,
	        "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n"
	        "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n"
	        "<title>evenkeel: %s</title>\n<style>%s</style>\n<main>\n",
	        b->op->name, page_style);
	html(f, "<h1>%s</h1>\n<p class=meta>%s · %s · %s UTC · evenkeel %s%s%s</p>\n",
	     b->op->heading, b->machine, b->op->place(b), keep("%.16s", b->date), ek_version(),
	     b->commit ? ", commit " : "", b->commit);
	if (b->left_out)
		html(f, "<p class=warn>%s.</p>\n", b->left_out);
	if (count)
		html(f, "<p class=warn>%s.%s</p>\n",
		     disturbed_warning(count, b->count, b->op->problem),
		     b->memory_gbps > 0 && b->count > 1 ? " Means in tiles leave out what was "
		                                          "disturbed; the tables have all."
		                                        : "");
}

/* Writes what the script draws charts from: for each case an array of its records. */
static void data(FILE *f, const struct bench *b)
{
	json_t *cases = json_array();

	for (const struct bench_case *c = b->cases; c < b->cases + b->count; c++) {
		json_t *records = json_array();

		for (const struct record *r = c->record; r < c->record + c->count; r++) {
			json_t *o = record_object(b, c, r, b->op->charts);

			json_object_set_new(o, "role", json_string(role_of(c, r)));
			json_array_append_new(records, o);
		}
		json_array_append_new(cases, records);
	}
	fputs("<script>const cases = ", f);
	json_dumpf(cases, f, JSON_COMPACT | JSON_ESCAPE_SLASH | JSON_REAL_PRECISION(6));
	fputs(";\n</script>\n", f);
	json_decref(cases);
}

int html_write(const struct bench *b, const char *path)
{
	FILE *f = tool_open(path);

	if (!f)
		return TOOL_FAILED;
	head(f, b);
	if (b->op->page)
		b->op->page(b, f);
	else
		html_cards(f, b);
	if (b->op->charts)
		data(f, b);
	fprintf(f,
	        "<footer>Made by <b>ek bench</b>. Peers are other libraries, called as their "
	        "manuals recommend "
	        "for many calls with one preparation.</footer>\n</main>\n"
	        "<script>%s</script>\n</html>\n",
	        page_script);
	return tool_close(f);
}
