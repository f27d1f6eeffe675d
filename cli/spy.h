/* SPDX-License-Identifier: BSD-3-Clause
 * The picture of `ek spy`: spy.c counts entries and draws text, spy_plot.c writes commands for
 * gnuplot. */
#ifndef EK_TOOL_SPY_H
#define EK_TOOL_SPY_H

#include "ek.h"

struct grid {
	int64_t rows, cols, nnz; /* sizes of the matrix */
	int height, width;       /* sizes of the grid in cells */
	int64_t *count, most;
};

/* Writes commands and data with which gnuplot draws the picture, as SVG or as PNG. */
void spy_plot(const struct grid *g, const char *name, bool svg, FILE *out);

#endif
