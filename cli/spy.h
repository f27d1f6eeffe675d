/* SPDX-License-Identifier: BSD-3-Clause
 * The picture of `ek spy`: spy.c counts and draws text, spy_plot.c writes what gnuplot draws. */
#ifndef EK_TOOL_SPY_H
#define EK_TOOL_SPY_H

#include "ek.h"

struct grid {
	int64_t rows, cols, nnz; /* of the matrix */
	int height, width;       /* of the grid */
	int64_t *count, most;
};

/* Commands and data for gnuplot, whose output is PNG or SVG. */
void spy_plot(const struct grid *g, const char *name, bool svg, FILE *out);

#endif
