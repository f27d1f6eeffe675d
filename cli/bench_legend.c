/* SPDX-License-Identifier: BSD-3-Clause
 * What the columns of a benchmark mean: all of them in --help, and below the first table those that
 * it has. */
#define _GNU_SOURCE /* open_memstream */
#include <string.h>

#include "bench.h"

/* Word by word, on lines of `room` characters, those after the first indented; *at is where the last
 * one ended. */
static void wrapped(const char *text, int room, int indent, int *at, FILE *out)
{
	while (*text) {
		int len = (int)strcspn(text, " ");
		const bool next = *at && *at + 1 + len > room;

		if (next)
			*at = fprintf(out, "\n%*s", indent, "") - 1;
		*at += fprintf(out, "%s%.*s", *at && !next ? " " : "", len, text);
		text += len + (text[len] == ' ');
	}
}

/* A line of --help, which is broken here because argp would begin the rest at the margin. */
static void put_line(const struct table_legend *line, FILE *out)
{
	char text[256];
	int at = 1;

	snprintf(text, sizeof text, "%s: %s", line->column, line->text);
	fputc(' ', out);
	wrapped(text, 77, 4, &at, out);
	fputc('\n', out);
}

char *table_legend_text(const struct table_legend *legend, int count, unsigned of)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs("Columns:\n", out);
	for (int k = 0; k < count; k++)
		if (legend[k].of & of)
			put_line(&legend[k], out);
	return fclose(out) == 0 ? text : NULL;
}

void table_legend_once(const struct table_legend *legend, int count, unsigned of,
                       const char *const *names, FILE *out)
{
	static bool told;
	char text[256];
	int at = 0;

	for (int k = 0; k < count && !told; k++) {
		const char *const *name = names;

		while (*name && strcmp(*name, legend[k].column) != 0 &&
		       (**name || strcmp(legend[k].column, "last column") != 0))
			name++;
		if (!*name || !(legend[k].of & of))
			continue;
		snprintf(text, sizeof text, "%s: %s.", legend[k].column, legend[k].text);
		wrapped(text, 98, 0, &at, out);
	}
	if (at)
		fputc('\n', out);
	told = true;
}
