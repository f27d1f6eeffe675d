/* SPDX-License-Identifier: BSD-3-Clause
 * Tables for people (aligned), for the README (Markdown) and for scripts (tabs). Widths are counted
 * in code points, which is right for the text that the tool prints. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ek.h"

void tool_table_start(struct tool_table *t, const char *align)
{
	*t = (struct tool_table){.align = align, .cols = (int)strlen(align)};
}

static _Noreturn void out_of_memory(void)
{
	exit(tool_fail(TOOL_FAILED, "out of memory for a table"));
}

void tool_table_add(struct tool_table *t, const char *format, ...)
{
	va_list args;

	if (t->cells == t->room) {
		int room = t->room ? 2 * t->room : 64;
		char **cell = realloc(t->cell, (size_t)room * sizeof *cell);

		if (!cell)
			out_of_memory();
		t->cell = cell;
		t->room = room;
	}
	va_start(args, format);
	int len = vasprintf(&t->cell[t->cells], format, args);

	va_end(args);
	if (len < 0)
		out_of_memory();
	t->cells++;
}

static int width_of(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static int column_width(const struct tool_table *t, int col)
{
	int width = 0;

	for (int k = col; k < t->cells; k += t->cols)
		width = width_of(t->cell[k]) > width ? width_of(t->cell[k]) : width;
	return width;
}

static void print_cell(const struct tool_table *t, int k, const int *width, enum tool_style style,
                       FILE *out)
{
	int col = k % t->cols, pad = width[col] - width_of(t->cell[k]);
	bool last = col == t->cols - 1, right = t->align[col] == 'r';

	if (style == TOOL_MARKDOWN)
		fputs(col ? " | " : "| ", out);
	else if (col)
		fputs(style == TOOL_PLAIN ? "\t" : "  ", out);
	if (style == TOOL_TEXT && right)
		fprintf(out, "%*s", pad, "");
	if (style == TOOL_MARKDOWN)
		for (const char *c = t->cell[k]; *c; c++)
			fprintf(out, *c == '|' ? "\\%c" : "%c", *c);
	else
		fputs(t->cell[k], out);
	if (style == TOOL_TEXT && !right && !last)
		fprintf(out, "%*s", pad, "");
	if (last)
		fputs(style == TOOL_MARKDOWN ? " |\n" : "\n", out);
}

void tool_table_print(const struct tool_table *t, enum tool_style style, FILE *out)
{
	int *width = calloc((size_t)t->cols, sizeof *width);

	if (!width)
		out_of_memory();
	for (int col = 0; col < t->cols; col++)
		width[col] = column_width(t, col);
	for (int k = style == TOOL_PLAIN ? t->cols : 0; k < t->cells; k++) {
		print_cell(t, k, width, style, out);
		if (k != t->cols - 1 || style == TOOL_PLAIN)
			continue;
		for (int col = 0; col < t->cols; col++) {
			if (style == TOOL_MARKDOWN) {
				fputs(t->align[col] == 'r' ? "|---:" : "|---", out);
				continue;
			}
			for (int n = 0; n < width[col]; n++)
				fputc('-', out);
			fputs(col < t->cols - 1 ? "  " : "", out);
		}
		fputs(style == TOOL_MARKDOWN ? "|\n" : "\n", out);
	}
	free(width);
}

void tool_table_free(struct tool_table *t)
{
	for (int k = 0; k < t->cells; k++)
		free(t->cell[k]);
	free(t->cell);
	*t = (struct tool_table){0};
}
