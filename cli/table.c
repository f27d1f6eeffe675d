/* SPDX-License-Identifier: BSD-3-Clause
 * Prints tables for the user (aligned, as wide as the terminal), for the README (Markdown) and for
 * scripts (separated by tabs). Widths are counted in code points, which is right for what the tool
 * prints. */
#define _GNU_SOURCE
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "ek.h"

void tool_table_start(struct tool_table *t, const char *align)
{
	*t = (struct tool_table){.align = align, .cols = (int)strlen(align), .first = 1};
	t->end = t->cols;
}

static _Noreturn void out_of_memory(void)
{
	exit(tool_fail(TOOL_FAILED, "out of memory for a table"));
}

void tool_table_add(struct tool_table *t, const char *format, ...)
{
	va_list args;

	if (t->cells == t->capacity) {
		int capacity = t->capacity ? 2 * t->capacity : 64;
		char **cell = realloc(t->cell, (size_t)capacity * sizeof *cell);

		if (!cell)
			out_of_memory();
		t->cell = cell;
		t->capacity = capacity;
	}
	va_start(args, format);
	int len = vasprintf(&t->cell[t->cells], format, args);

	va_end(args);
	if (len < 0)
		out_of_memory();
	t->cells++;
}

/* ---- Aligned lines --------------------------------------------------------------------------- */

int tool_width(FILE *out)
{
	const char *text = getenv("COLUMNS");
	int columns = text ? atoi(text) : 0;
	struct winsize size;

	if (columns <= 0 && ioctl(fileno(out), TIOCGWINSZ, &size) == 0)
		columns = size.ws_col;
	return columns > 0 ? columns : 100;
}

/* Returns the number of code points in the first `len` bytes of a text. */
static int width_of(const char *text, int len)
{
	int n = 0;

	for (int k = 0; k < len; k++)
		n += ((unsigned char)text[k] & 0xc0) != 0x80;
	return n;
}

/* Returns the number of bytes of the first word. A word ends before a blank and, if `commas` is
 * true, also after a comma, except inside a number such as 65,536. */
static int word_of(const char *text, bool commas)
{
	int len = (int)strcspn(text, " ");

	for (int k = 0; commas && k + 1 < len; k++)
		if (text[k] == ',' && !(text[k + 1] >= '0' && text[k + 1] <= '9'))
			return k + 1;
	return len;
}

/* Returns the number of code points of the longest cell of a column, or of its longest word if
 * `word` is true. The names in the first column are not broken at commas. */
static int column_width(const struct tool_table *t, int col, bool word)
{
	int width = 0;

	for (int k = col; k < t->cells; k += t->cols) {
		const char *text = t->cell[k];

		for (int len; *text; text += len + (text[len] == ' ')) {
			int n;

			len = word ? word_of(text, col > 0) : (int)strlen(text);
			n = width_of(text, len);
			width = n > width ? n : width;
		}
	}
	return width;
}

static bool left_out(const struct tool_table *t, int col)
{
	return (col && (col < t->first || col >= t->end)) || (col < 32 && t->left_out >> col & 1);
}

static int total_of(const struct tool_table *t, const int *width)
{
	int total = -2;

	for (int col = 0; col < t->cols; col++)
		total += left_out(t, col) ? 0 : width[col] + 2;
	return total;
}

/* Returns the least width of a column: words and short cells such as "N T" are not broken. Numbers
 * are not either, but if `heads` is true, what stands above them. */
static int least_width(const struct tool_table *t, int col, bool heads)
{
	enum { SHORT = 3 };
	struct tool_table body = *t, head = *t;

	if (t->align[col] == 'l') {
		const int full = column_width(t, col, false), word = column_width(t, col, true);
		const int least = full < SHORT ? full : SHORT;

		return word > least ? word : least;
	}
	if (!heads)
		return column_width(t, col, false);
	body.cell += t->cols;
	body.cells -= t->cols;
	head.cells = t->cols;
	const int numbers = column_width(&body, col, false), word = column_width(&head, col, true);

	return numbers > word ? numbers : word;
}

/* Makes the widest columns narrower, one code point at a time, until lines have at most `most` code
 * points or all columns have their least widths. */
static void shrink(const struct tool_table *t, int most, const int *least, int *width)
{
	for (int total = total_of(t, width); total > most; total--) {
		int widest = -1;

		for (int col = 0; col < t->cols; col++)
			if (!left_out(t, col) && width[col] > least[col] &&
			    (widest < 0 || width[col] > width[widest]))
				widest = col;
		if (widest < 0)
			return;
		width[widest]--;
	}
}

/* Returns the number of bytes of the first words of a text: as many as fit into `width` code
 * points, but at least one. */
static int line_of(const char *text, int width, bool commas)
{
	int len = word_of(text, commas);

	while (text[len]) {
		int blank = text[len] == ' ',
		    next = len + blank + word_of(text + len + blank, commas);

		if (width_of(text, next) > width)
			break;
		len = next;
	}
	return len;
}

void tool_paragraph(FILE *out, const char *format, ...)
{
	const int width = tool_width(out);
	char text[1024], *at = text;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	for (int indent = 0; *at; indent = 2) {
		int len = line_of(at, width - indent, false);

		fprintf(out, "%*s%.*s\n", indent, "", len, at);
		at += len + (at[len] == ' ');
	}
}

void tool_lines(FILE *out, const char *text)
{
	enum { INDENT = 11 }; /* two more than the reasons of a choice have */
	const int width = isatty(fileno(out)) ? tool_width(out) : INT_MAX;

	while (*text) {
		const char *end = text + strcspn(text, "\n");
		int at = 0;

		do {
			char line[512];
			const int rest = (int)(end - text);

			snprintf(line, sizeof line, "%.*s", rest, text);
			const int len = rest < width - at ? rest : line_of(line, width - at, false);

			fprintf(out, "%*s%.*s\n", at, "", len, text);
			text += len + (text[len] == ' ');
			at = width > 2 * INDENT ? INDENT : 0;
		} while (text < end);
		text = end + (*end == '\n');
	}
}

/* Prints one row of the table, on as many lines as its cells need. No line ends with blanks. `at`
 * is scratch: for each column, a pointer to the rest of the cell. */
static void print_row(const struct tool_table *t, int row, const int *width, const char **at,
                      FILE *out)
{
	bool more = true;

	memcpy(at, t->cell + row, (size_t)t->cols * sizeof *at);
	while (more) {
		int blanks = 0;

		more = false;
		for (int col = 0; col < t->cols; col++) {
			if (left_out(t, col))
				continue;
			int len = line_of(at[col], width[col], col > 0);
			int pad = width[col] - width_of(at[col], len);
			int before = t->align[col] == 'r' ? pad : 0;

			if (len) {
				fprintf(out, "%*s%.*s", blanks + before, "", len, at[col]);
				blanks = -before;
			}
			blanks += pad + 2;
			at[col] += len + (at[col][len] == ' ');
			more |= *at[col] != 0;
		}
		fputc('\n', out);
	}
}

/* Prints the columns that are not left out, in lines of at most `most` code points if possible.
 * `least` has the least widths of all columns. */
static void print_columns(const struct tool_table *t, int most, const int *least, FILE *out)
{
	int *width = calloc((size_t)t->cols, sizeof *width);
	const char **at = calloc((size_t)t->cols, sizeof *at);

	if (!width || !at)
		out_of_memory();
	for (int col = 0; col < t->cols; col++)
		width[col] = column_width(t, col, false);
	shrink(t, most, least, width);
	for (int row = 0; row < t->cells; row += t->cols) {
		print_row(t, row, width, at, out);
		for (int col = 0; col < t->cols && !row; col++) {
			if (left_out(t, col))
				continue;
			fputs(col && width[col] ? "  " : "", out);
			for (int n = 0; n < width[col]; n++)
				fputc('-', out);
		}
		if (!row)
			fputc('\n', out);
	}
	free(width);
	free(at);
}

/* Prints the table; on a terminal that is too narrow, one part of its columns below the other, each
 * with the first column. */
static void print_text(const struct tool_table *t, FILE *out)
{
	const bool terminal = isatty(fileno(out));
	const int most = tool_width(out);
	struct tool_table part = *t;
	int *least = calloc((size_t)t->cols, sizeof *least);

	if (!least)
		out_of_memory();
	for (int col = 0; col < t->cols; col++)
		least[col] = least_width(t, col, terminal);
	do {
		int total = least[0], end = part.first;

		for (; end < t->cols; end++) {
			if (left_out(t, end) || least[end] == 0)
				continue;
			total += least[end] + 2;
			if (terminal && total > most && end > part.first)
				break;
		}
		part.end = end;
		if (part.first > 1)
			fputc('\n', out);
		print_columns(&part, most, least, out);
		part.first = end;
	} while (part.first < t->cols);
	free(least);
}

void tool_table_fit(struct tool_table *t, const char *const *names, FILE *out)
{
	int *width = calloc((size_t)t->cols, sizeof *width);

	if (!width)
		out_of_memory();
	for (int col = 0; col < t->cols; col++)
		width[col] = column_width(t, col, false);
	for (; *names && total_of(t, width) > tool_width(out); names++)
		for (int col = 0; col < t->cols; col++)
			if (col < 32 && strcmp(t->cell[col], *names) == 0)
				t->left_out |= 1u << col;
	free(width);
}

/* ---- Markdown and tabs ----------------------------------------------------------------------- */

static void print_markdown(const struct tool_table *t, FILE *out)
{
	for (int k = 0; k < t->cells; k++) {
		int col = k % t->cols;

		fputs(col ? " | " : "| ", out);
		for (const char *c = t->cell[k]; *c; c++)
			fprintf(out, *c == '|' ? "\\%c" : "%c", *c);
		if (col == t->cols - 1)
			fputs(" |\n", out);
		if (k != t->cols - 1)
			continue;
		for (col = 0; col < t->cols; col++)
			fputs(t->align[col] == 'r' ? "|---:" : "|---", out);
		fputs("|\n", out);
	}
}

/* Prints cells for programs, so numbers have no commas. */
static void print_plain(const struct tool_table *t, FILE *out)
{
	for (int k = t->cols; k < t->cells; k++) {
		const bool number = t->align[k % t->cols] == 'r';

		for (const char *c = t->cell[k]; *c; c++)
			if (!number || *c != ',')
				fputc(*c, out);
		fputc(k % t->cols == t->cols - 1 ? '\n' : '\t', out);
	}
}

void tool_table_print(const struct tool_table *t, enum tool_style style, FILE *out)
{
	(style == TOOL_MARKDOWN ? print_markdown
	 : style == TOOL_PLAIN  ? print_plain
	                        : print_text)(t, out);
}

void tool_table_free(struct tool_table *t)
{
	for (int k = 0; k < t->cells; k++)
		free(t->cell[k]);
	free(t->cell);
	*t = (struct tool_table){0};
}
