/* SPDX-License-Identifier: BSD-3-Clause
 * Charts drawn by gnuplot, as SVG inside the page. gnuplot only knows fixed colours, but the page
 * has a light and a dark theme. So each role has a colour that nothing else uses, rgb(1, 2, ROLE),
 * and while the SVG is copied into the page this colour is replaced by a variable of the style
 * sheet. In commands for gnuplot the colour is a variable with the name of the role. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "html.h"

static const struct {
	const char *name, *variable;
} roles[] = {
	[AXIS] = {"AXIS", "--axis"}, [TEXT] = {"TEXT", "--ink2"},  [GRID] = {"GRID", "--grid"},
	[OURS] = {"OURS", "--ours"}, [BEST] = {"BEST", "--best"},  [AUTO] = {"AUTO", "--auto"},
	[PEER] = {"PEER", "--peer"}, [PLAIN] = {"PLAIN", "--csr"}, [BOUND] = {"BOUND", "--bound"}};

bool chart_possible(void)
{
	const char *folders = getenv("PATH");
	char path[4096];

	while (folders && *folders) {
		size_t len = strcspn(folders, ":");

		snprintf(path, sizeof path, "%.*s/gnuplot", (int)len, folders);
		if (access(path, X_OK) == 0)
			return true;
		folders += len + (folders[len] == ':');
	}
	return false;
}

bool chart_begin(struct chart *c, int width, int height)
{
	static int number;
	char command[128];
	int file;

	*c = (struct chart){.width = width};
	snprintf(c->path, sizeof c->path, "/tmp/ek-chart-XXXXXX");
	file = tool_temporary(c->path, 0);
	if (file < 0)
		return false;
	close(file);
	snprintf(command, sizeof command, "gnuplot >%s 2>/dev/null", c->path);
	c->gnuplot = popen(command, "w");
	c->data = open_memstream(&c->points, &c->size);
	if (!c->gnuplot || !c->data) {
		tool_temporary_remove();
		return false;
	}
	for (enum role role = AXIS; role < ROLES; role++)
		fprintf(c->gnuplot, "%s = %d\n", roles[role].name, COLOUR(role));
	fprintf(c->gnuplot,
	        "set terminal svg size %d,%d dynamic noenhanced font 'sans-serif,13' name 'c%d'\n"
	        "set border 1 lc rgb AXIS\nset tics nomirror scale 0.4 textcolor rgb TEXT\n"
	        "set grid x lt 1 lw 0.7 lc rgb GRID\nset key textcolor rgb TEXT\n"
	        "set xlabel textcolor rgb TEXT\nset ylabel textcolor rgb TEXT\n",
	        width, height, ++number);
	return true;
}

void chart_series(struct chart *c, const char *title, const char *how, ...)
{
	va_list args;

	fputs(c->series ? ", '-' " : "plot '-' ", c->gnuplot);
	fputs(c->series++ ? "e\n" : "", c->data);
	va_start(args, how);
	vfprintf(c->gnuplot, how, args);
	va_end(args);
	fputs(title ? " title " : " notitle", c->gnuplot);
	if (title)
		chart_quoted(c->gnuplot, title);
}

/* Copies the SVG from its "<svg" to the page, with the colours of roles replaced by variables. */
static void copy_svg(const char *svg, FILE *page)
{
	const char *at = strstr(svg, "<svg"), *next;
	int red, green, role, used;

	for (; at && (next = strstr(at, "rgb(")); at = next + used) {
		fwrite(at, 1, (size_t)(next - at), page);
		used = 0;
		if (sscanf(next, "rgb(%d ,%d ,%d )%n", &red, &green, &role, &used) == 3 && used &&
		    red == 1 && green == 2 && role >= AXIS && role < ROLES) {
			fprintf(page, "var(%s)", roles[role].variable);
			continue;
		}
		used = 4;
		fputs("rgb(", page);
	}
	if (at)
		fputs(at, page);
}

void chart_end(struct chart *c, FILE *page)
{
	char *svg = NULL;
	size_t size = 0;
	FILE *file;

	fclose(c->data);
	fprintf(c->gnuplot, "\n%se\n", c->points);
	free(c->points);
	pclose(c->gnuplot);
	file = fopen(c->path, "r");
	if (file && getdelim(&svg, &size, 0, file) > 0) {
		fprintf(page, "<div class=chart style=\"--w:%dpx\">", c->width);
		copy_svg(svg, page);
		fputs("</div>", page);
	}
	free(svg);
	if (file)
		fclose(file);
	tool_temporary_remove();
}

void chart_tic(struct chart *c, const char *name, int at)
{
	fputs(at ? "," : "set ytics (", c->gnuplot);
	chart_quoted(c->gnuplot, name);
	fprintf(c->gnuplot, " %d", at);
}

void chart_quoted(FILE *gnuplot, const char *text)
{
	fputc('"', gnuplot);
	for (; *text; text++)
		if (*text != '"' && *text != '\\')
			fputc(*text, gnuplot);
	fputc('"', gnuplot);
}
