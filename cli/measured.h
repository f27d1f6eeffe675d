/* SPDX-License-Identifier: BSD-3-Clause
 * The options --measure and --wisdom of ek spmv, ek spmm and ek multiply (measured.c). */
#ifndef EK_TOOL_MEASURED_H
#define EK_TOOL_MEASURED_H

#include "ek.h"

struct measured_options {
	bool on;            /* --measure, or --wisdom */
	const char *wisdom; /* the file of --wisdom, or NULL */
};

/* The rows of the two in tables of options; `with` is the option that says how many runs there
 * are. */
#define MEASURED_ROWS(measure_key, wisdom_key, with)                                          \
	{"measure", measure_key, NULL, 0,                                                     \
         "with " with ": the first runs try several methods; the fastest stays", 0},          \
	{"wisdom", wisdom_key, "FILE", 0,                                                     \
         "as --measure, with decisions of earlier runs in FILE, which gets the new one", 0}

/* Ends the program if --measure conflicts with other options. `needs` is the option that is missing
 * so that there are several runs, or NULL. */
void measured_check(const struct measured_options *o, const struct tool_options *common,
                    const char *needs);
/* Reads the file of --wisdom, if it exists; returns an exit code. */
int measured_load(ek_context *ctx, const struct measured_options *o);
/* Writes the file of --wisdom; returns an exit code. */
int measured_save(ek_context *ctx, const struct measured_options *o);
/* Prints what the plan says about its trials, with --measure. */
void measured_print(const struct measured_options *o, const ek_plan *plan, FILE *out);

#endif
