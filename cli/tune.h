/* SPDX-License-Identifier: BSD-3-Clause
 * What the two measurements of ek tune share: that of the profile of this machine or of a device
 * (tune.c), and that of the tile heights of CSR5 (tune_tiles.c). */
#ifndef EK_CLI_TUNE_H
#define EK_CLI_TUNE_H

#include "ek.h"

struct tune_options {
	struct tool_options common; /* must be the first member, see tool_init */
	bool tiles, show, dry, quick;
	bool for_tiles; /* whether an option was given that only --tiles has */
	const char *output;
	double seconds;
	int64_t nnz;
};

/* Measures the tile heights and prints the line for the shell. Returns an exit code. */
int tune_tiles(const struct tune_options *o, ek_context *ctx);

#endif
