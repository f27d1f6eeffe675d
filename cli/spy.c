/* SPDX-License-Identifier: BSD-3-Clause
 * ek spy: draws a picture of the pattern. The entries in each cell of a grid over the matrix are
 * counted, so that a large matrix shows densities, not a black square. gnuplot draws the picture to
 * a file (PNG or SVG). Without -o the picture is text, in which each cell with an entry is a
 * Braille dot (2 x 4 dots to a character), so that no entry is lost. Numbers of entries are shown
 * only on a terminal with colour, by characters from faint to bold. Without UTF-8 each cell is a
 * character that shows how many entries it has. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spy.h"

struct spy_options {
	struct tool_options common; /* must be the first member, see tool_init */
	const char *input, *output;
	int size;
};

enum { KEY_SIZE = 512 };

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0, "the picture, .png or .svg (- is SVG on standard output)", 0},
	{"size", KEY_SIZE, "N", 0, "most cells in a direction (512; as text: the terminal)", 0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct spy_options *o = state->input;

	tool_init(key, state, &o->common);
	switch (key) {
	case 'o': o->output = arg; break;
	case KEY_SIZE: o->size = (int)tool_integer("--size", arg, 1, 4096); break;
	case ARGP_KEY_ARG:
		if (o->input)
			tool_usage("%s: one matrix at a time is expected", arg);
		o->input = arg;
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {options,
                                 parse,
                                 "A",
                                 "Draws the pattern of a matrix: into a file, or as text when "
                                 "there is no -o.",
                                 tool_common_children,
                                 NULL,
                                 NULL};

/* ---- The grid -------------------------------------------------------------------------------- */

static int64_t index_at(const ek_view *v, int64_t k)
{
	return v->elem_size == 4 ? ((const int32_t *)v->data)[k] : ((const int64_t *)v->data)[k];
}

/* Returns the number of the cell, out of `cells`, that row or column i of n belongs to. */
static int cell_of(int64_t i, int64_t n, int cells)
{
	return n <= cells ? (int)i : (int)((double)i / (double)n * cells);
}

static int fill(const ek_matrix *A, struct grid *g)
{
	ek_view ptr = {.size = sizeof ptr}, idx = {.size = sizeof idx};
	int code = tool_check(ek_matrix_array(A, "row_ptr", &ptr));

	if (code == TOOL_OK)
		code = tool_check(ek_matrix_array(A, "col_idx", &idx));
	if (code != TOOL_OK)
		return code;
	g->count = calloc((size_t)g->height * (size_t)g->width + 1, sizeof *g->count);
	if (!g->count)
		return tool_fail(TOOL_FAILED, "out of memory for the picture");
	for (int64_t i = 0; i < ptr.len - 1; i++)
		for (int64_t k = index_at(&ptr, i); k < index_at(&ptr, i + 1); k++) {
			int64_t j = index_at(&idx, k);
			int64_t *cell = &g->count[cell_of(i, g->rows, g->height) * g->width +
			                          cell_of(j, g->cols, g->width)];

			if (++*cell > g->most)
				g->most = *cell;
		}
	return TOOL_OK;
}

/* Chooses the largest grid within height x width that has the shape of the matrix, but whose sides
 * are at least a tenth of their limits. */
static void shape(struct grid *g, int height, int width)
{
	double tall = (double)g->rows / (g->cols > 0 ? (double)g->cols : 1);

	if (tall * width > height)
		width = (int)fmax(height / tall, width / 10.0);
	else
		height = (int)fmax(tall * width, height / 10.0);
	g->height = (int)fmin(fmax(height, 1), fmax((double)g->rows, 1));
	g->width = (int)fmin(fmax(width, 1), fmax((double)g->cols, 1));
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* Returns how dark a cell is: 0 without entries, else from 0.15 for one entry to 1 for the most
 * that any cell has. */
static double darkness(const struct grid *g, int row, int col)
{
	int64_t n = row < g->height && col < g->width ? g->count[row * g->width + col] : 0;

	if (n == 0)
		return 0;
	return g->most < 2 ? 1 : 0.15 + 0.85 * log((double)n) / log((double)g->most);
}

static void put_braille(unsigned bits, FILE *out)
{
	unsigned code = 0x2800 + bits;

	fputc(0xe0 | (int)(code >> 12), out);
	fputc(0x80 | (int)(code >> 6 & 63), out);
	fputc(0x80 | (int)(code & 63), out);
}

/* Switches the terminal to faint, plain or bold for a character of 2 x 4 cells, depending on the
 * darkest cell. Writes nothing if the previous character had the same weight. Returns the new
 * weight. */
static int put_weight(const struct grid *g, int row, int col, int before, FILE *out)
{
	static const char *const escape[] = {"\033[0;2m", "\033[0m", "\033[0;1m"};
	double most = 0;

	for (int k = 0; k < 8; k++)
		most = fmax(most, darkness(g, row + k / 2, col + k % 2));
	const int weight = most == 0 ? before : most < 0.4 ? 0 : most < 0.75 ? 1 : 2;

	if (weight != before)
		fputs(escape[weight], out);
	return weight;
}

static void print_dots(const struct grid *g, FILE *out)
{
	static const unsigned bit[4][2] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};
	const bool color = tool_color(out) && g->most > 1;
	int weight = 1;

	for (int row = 0; row < g->height; row += 4) {
		for (int col = 0; col < g->width; col += 2) {
			unsigned bits = 0;

			for (int r = 0; r < 4; r++)
				for (int c = 0; c < 2; c++)
					if (darkness(g, row + r, col + c) > 0)
						bits |= bit[r][c];
			if (color)
				weight = put_weight(g, row, col, weight, out);
			put_braille(bits, out);
		}
		fputc('\n', out);
	}
	if (color)
		fputs("\033[0m", out);
}

static void print_letters(const struct grid *g, FILE *out)
{
	static const char ramp[] = " .:-=+*#%@";

	for (int row = 0; row < g->height; row++) {
		for (int col = 0; col < g->width; col++)
			fputc(ramp[(int)ceil(9 * darkness(g, row, col))], out);
		fputc('\n', out);
	}
}

/* Tells whether the terminal's characters are UTF-8, according to the environment variables of the
 * locale. */
static bool is_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	const char *text = NULL;

	for (int k = 0; k < 3 && !(text && text[0]); k++)
		text = getenv(names[k]);
	return text && (strstr(text, "UTF-8") || strstr(text, "utf8") || strstr(text, "UTF8"));
}

static void text_size(int *lines, int *columns)
{
	struct winsize size;
	const char *env = getenv("COLUMNS");
	int n = env ? atoi(env) : 0;
	bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col;

	*columns = known ? size.ws_col : n > 0 && n < 1000 ? n : 80;
	*lines = known && size.ws_row > 8 ? size.ws_row - 3 : 40;
}

/* ---- gnuplot --------------------------------------------------------------------------------- */

/* What gnuplot is to draw. */
struct picture {
	const struct grid *g;
	const char *name;
	bool svg;
};

static void write_picture(const void *picture, FILE *out)
{
	const struct picture *p = picture;

	spy_plot(p->g, p->name, p->svg, out);
}

static int draw_file(const struct spy_options *o, const struct grid *g, const char *name)
{
	const size_t len = strlen(o->output);
	const bool svg = strcmp(o->output, "-") == 0 ||
	                 (len > 4 && strcmp(o->output + len - 4, ".svg") == 0);
	const struct picture picture = {g, name, svg};

	return tool_gnuplot(o->output, "-o needs it; without -o the picture is drawn as text",
	                    write_picture, &picture);
}

static int draw(const struct spy_options *o, struct tool_source *source, const ek_matrix *A)
{
	ek_matrix_info info = {.size = sizeof info};
	bool braille = is_utf8();
	struct grid g = {0};
	int lines, columns, code = tool_check(ek_matrix_get_info(A, &info));

	if (code != TOOL_OK)
		return code;
	g.rows = info.rows;
	g.cols = info.cols;
	g.nnz = info.nnz;
	text_size(&lines, &columns);
	if (o->output)
		shape(&g, o->size ? o->size : 512, o->size ? o->size : 512);
	else if (braille)
		shape(&g, o->size ? o->size : 4 * lines, o->size ? o->size : 2 * columns);
	else
		shape(&g, o->size ? o->size : lines, o->size ? o->size : columns);
	code = fill(A, &g);
	if (code == TOOL_OK && o->output)
		code = draw_file(o, &g, source->name);
	else if (code == TOOL_OK)
		(braille ? print_dots : print_letters)(&g, tool_people(&o->common));
	if (code == TOOL_OK && o->common.json) {
		json_t *record = tool_record(source, A);

		json_object_set_new(record, "height", json_integer(g.height));
		json_object_set_new(record, "width", json_integer(g.width));
		json_object_set_new(record, "most", json_integer(g.most));
		code = tool_json_one(&o->common, record);
	}
	free(g.count);
	return code;
}

int cmd_spy(int argc, char **argv)
{
	static struct spy_options o;
	static struct tool_source source;
	ek_matrix *A = NULL;
	int code;

	tool_parse(&argp, argc, argv, &o);
	if (!o.input)
		tool_usage("a matrix is expected: a file, -, a generator or a twin");
	size_t len = o.output ? strlen(o.output) : 0;

	if (o.output && strcmp(o.output, "-") != 0 &&
	    !(len > 4 &&
	      (strcmp(o.output + len - 4, ".png") == 0 || strcmp(o.output + len - 4, ".svg") == 0)))
		tool_usage("-o %s: a name that ends in .png or .svg is expected, or -", o.output);
	tool_one_output(&o.common, o.output, "the picture");
	ek_context *ctx = tool_context(&o.common, &code);

	if (!ctx)
		return code;
	code = tool_matrix(ctx, &o.common, o.input, &source, &A);
	if (code == TOOL_OK)
		code = tool_csr(&A);
	if (code == TOOL_OK)
		code = draw(&o, &source, A);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
	return code;
}
