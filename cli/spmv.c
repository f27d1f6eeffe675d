/* SPDX-License-Identifier: BSD-3-Clause
 * ek spmv: computes y = alpha op(A) x + beta y0 with vectors read from and written to files
 * (product.c). */
#include "product.h"

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0,
         "where to write y (-, standard output; nowhere with --calls or --check)", 0},
	{"y0", PRODUCT_Y0, "FILE", 0, "the old y, for --beta", 0},
	{"check", PRODUCT_CHECK, NULL, 0,
         "compare with a plain loop in extended precision; prints error/bound", 0},
	PRODUCT_MEASURE_OPTIONS,
	{0}};

static const struct argp argp = {
	options,
	product_parse,
	"A [X]",
	"y = alpha op(A) x + beta y. Without X, x_j = 1 + (j mod 7) / 8. "
	"Vectors are Matrix Market files: arrays with one column, or vector objects.",
	tool_product_children,
	NULL,
	NULL};

int cmd_spmv(int argc, char **argv)
{
	static const struct product_kind kind = {EK_SPMV, ek_spmv, "y"};
	static struct product_options o;

	tool_parse(&argp, argc, argv, &o);
	o.columns = 1;
	return product_command(&kind, &o);
}
