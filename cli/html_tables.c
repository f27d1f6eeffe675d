/* SPDX-License-Identifier: BSD-3-Clause
 * Pages of benchmarks that are tables: what the terminal shows, in the style of the other pages. */
#include "html.h"

void html_text(FILE *f, const char *s)
{
	for (; s && *s; s++)
		switch (*s) {
		case '<': fputs("&lt;", f); break;
		case '>': fputs("&gt;", f); break;
		case '&': fputs("&amp;", f); break;
		case '"': fputs("&quot;", f); break;
		default: fputc(*s, f);
		}
}

int html_tables_begin(struct html_tables *page, const char *path, const struct report *report,
                      const char *title, const char *line)
{
	FILE *f = page->file = tool_open(path);

	if (!f)
		return TOOL_FAILED;
	fprintf(f,
	        "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n"
	        "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n"
	        "<title>evenkeel: %s</title>\n<style>%s</style>\n<main>\n<h1>%s</h1>\n"
	        "<p class=meta>",
	        report->operation, html_style, title);
	html_text(f, report->machine);
	fputs(" · ", f);
	html_text(f, line);
	fprintf(f, " · %.16s UTC · evenkeel %s, commit ", report->date, ek_version());
	html_text(f, report_commit());
	fputs("</p>\n", f);
	return TOOL_OK;
}

void html_table(struct html_tables *page, const char *title, const struct tool_table *t)
{
	FILE *f = page->file;

	fputs("<div class=card><h3>", f);
	html_text(f, title);
	fputs("</h3>\n<div class=scroll><table>\n", f);
	for (int k = 0; k < t->cells; k++) {
		int col = k % t->cols;

		fprintf(f, "%s<%s%s>", col ? "" : "<tr>", k < t->cols ? "th" : "td",
		        t->align[col] == 'l' && col ? " class=l" : "");
		html_text(f, t->cell[k]);
		fputs(col == t->cols - 1 ? "</tr>\n" : "", f);
	}
	fputs("</table></div></div>\n", f);
}

int html_tables_end(struct html_tables *page, const char *legend)
{
	fputs("<div class=card><pre>", page->file);
	html_text(page->file, legend);
	fprintf(page->file,
	        "</pre></div>\n<footer>Made by <b>ek bench</b>.</footer>\n</main>\n"
	        "<script>%s</script>\n</html>\n",
	        html_sort);
	return tool_close(page->file);
}
