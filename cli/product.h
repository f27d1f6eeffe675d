/* SPDX-License-Identifier: BSD-3-Clause
 * Declarations that ek spmv and ek spmm share. Both subcommands compute one product with operands
 * that come from files. */
#ifndef EK_TOOL_PRODUCT_H
#define EK_TOOL_PRODUCT_H

#include "measured.h"

typedef ek_status product_fn(ek_plan *plan, double alpha, const ek_dense *x, double beta,
                             const ek_dense *y);

struct product_options {
	struct tool_options common; /* must be the first member, see tool_init */
	const char *matrix, *x, *y0, *output;
	bool check;
	int64_t columns; /* number of columns of X and Y, or 0 if the file of X decides */
	int order;       /* order of X and Y in memory */
	struct measured_options measured;
};

enum { PRODUCT_Y0 = 512, PRODUCT_CHECK, PRODUCT_MEASURE, PRODUCT_WISDOM, PRODUCT_OWN };

/* The rows of --measure and --wisdom in tables of options. */
#define PRODUCT_MEASURE_OPTIONS MEASURED_ROWS(PRODUCT_MEASURE, PRODUCT_WISDOM, "--calls")

/* The operation of a subcommand, its function, and the name of its result in messages. */
struct product_kind {
	ek_operation operation;
	product_fn *multiply;
	const char *y; /* "y" or "Y" */
};

/* Parses an option or an argument that ek spmv and ek spmm share. */
error_t product_parse(int key, char *arg, struct argp_state *state);
/* Computes the product that the options ask for. Returns an exit code. */
int product_command(const struct product_kind *kind, struct product_options *o);

/* ---- Blocks (product_block.c) ---------------------------------------------------------------- */

/* Returns the size of a block in bytes. Its leading dimension must be the smallest possible, so
 * that there are no gaps. */
size_t block_bytes(const ek_dense *v);
double block_get(const ek_dense *v, int64_t i, int64_t j);
void block_set(const ek_dense *v, int64_t i, int64_t j, double number);
/* Makes a block of zeros; returns an exit code. */
int block_make(ek_value value, int64_t rows, int64_t cols, int order, ek_dense *v);
/* Copies column j to a new vector; returns an exit code. */
int block_column(const ek_dense *v, int64_t j, ek_dense *column);
/* Reads a block from a file. cols = 0 accepts any number of columns. Returns an exit code. */
int block_read(ek_context *ctx, const struct tool_options *common, const char *path, ek_value value,
               int64_t rows, int64_t cols, int order, ek_dense *v);
int block_write(ek_context *ctx, const char *path, const ek_dense *v);

#endif
