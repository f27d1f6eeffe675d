/* SPDX-License-Identifier: BSD-3-Clause
 * ek spmm: computes Y = alpha op(A) X + beta Y0 with blocks of vectors read from and written to
 * files (product.c). */
#include "product.h"

enum { KEY_COLUMNS = PRODUCT_OWN, KEY_ORDER };

static const struct argp_option options[] = {
	{"columns", KEY_COLUMNS, "N", 0, "columns of X and Y (those of the file X; else 8)", 0},
	{"order", KEY_ORDER, "row|col", 0, "how X and Y lie in memory (row)", 0},
	{"output", 'o', "FILE", 0,
         "where to write Y (-, standard output; nowhere with --calls or --check)", 0},
	{"y0", PRODUCT_Y0, "FILE", 0, "the old Y, for --beta", 0},
	{"check", PRODUCT_CHECK, NULL, 0,
         "compare with a plain loop in extended precision; prints error/bound", 0},
	PRODUCT_MEASURE_OPTIONS,
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const struct tool_choice orders[] = {
		{"row", EK_ROW_MAJOR}, {"col", EK_COL_MAJOR}, {0}};
	struct product_options *o = state->input;

	switch (key) {
	case KEY_COLUMNS: o->columns = tool_integer("--columns", arg, 1, INT64_MAX); break;
	case KEY_ORDER: o->order = tool_choose("--order", arg, orders); break;
	default: return product_parse(key, arg, state);
	}
	return 0;
}

static const struct argp argp = {options,
                                 parse,
                                 "A [X]",
                                 "Y = alpha op(A) X + beta Y, X and Y dense blocks. Without X, "
                                 "x_ij = 1 + ((i + j) mod 7) / 8. "
                                 "Blocks are Matrix Market files: arrays.",
                                 tool_product_children,
                                 NULL,
                                 NULL};

int cmd_spmm(int argc, char **argv)
{
	static const struct product_kind kind = {EK_SPMM, ek_spmm, "Y"};
	static struct product_options o = {.order = EK_ROW_MAJOR};

	tool_parse(&argp, argc, argv, &o);
	if (!o.columns && !o.x)
		o.columns = 8;
	return product_command(&kind, &o);
}
