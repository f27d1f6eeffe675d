/* SPDX-License-Identifier: BSD-3-Clause
 * Pages of benchmarks that are tables: what the terminal shows, in the style of the other pages. */
#include <math.h>
#include <string.h>

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

void html_head(FILE *f, const char *name, bool left)
{
	static const char *const small[] = {
		"ms",     "prep. ms", "calls",  "error",    "error / bound", "ns over bare loop",
		"COO ms", "COO cost", "CSR ms", "CSR cost", "own calls",     "size",
		"refused"};
	bool up = left;

	for (size_t k = 0; k < sizeof small / sizeof *small; k++)
		up |= strcmp(name, small[k]) == 0;
	fprintf(f, "<th%s%s>", left ? " class=l" : "", up ? " data-first=up" : "");
	html_text(f, name);
}

void html_number(FILE *f, const char *format, double value)
{
	fputs("<td>", f);
	if (isnan(value))
		fputs("–", f);
	else
		fprintf(f, format, value);
	fputs("</td>", f);
}

void html_ratio(FILE *f, double value)
{
	const char *mark = value >= 1.05 ? " class=good" : value <= 0.95 ? " class=bad" : "";

	if (isnan(value))
		fputs("<td>–</td>", f);
	else
		fprintf(f, "<td%s>%.2f</td>", mark, value);
}

void html_left_out(FILE *f, const struct report *report)
{
	if (!*report->left_out)
		return;
	fputs("<p class=warn>", f);
	html_text(f, report->left_out);
	fputs(".</p>\n", f);
}

int html_tables_begin(struct html_tables *page, const char *path, const struct report *report,
                      const char *title, const char *line)
{
	FILE *f = page->file = tool_open(path);

	if (!f)
		return TOOL_FAILED;
	html_begin(f, report->operation);
	fprintf(f, "<h1>%s</h1>\n<p class=meta>", title);
	html_text(f, report->machine);
	fputs(" · ", f);
	html_text(f, line);
	fprintf(f, " · %.16s UTC · evenkeel %s, commit ", report->date, ek_version());
	html_text(f, report_commit());
	fputs("</p>\n", f);
	html_left_out(f, report);
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
		const bool text = t->align[col] == 'l', reason = strchr(t->cell[k], ' ');

		fputs(col ? "" : "<tr>", f);
		if (k < t->cols)
			html_head(f, t->cell[k], text);
		else
			fprintf(f, "<td%s>",
			        !col || !text ? ""
			        : reason      ? " class=\"l wrap\""
			                      : " class=l");
		if (k >= t->cols)
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
