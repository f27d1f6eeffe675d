/* SPDX-License-Identifier: BSD-3-Clause
 * ek multiply, ek add, ek triple and ek transpose: what their files share. Each makes a plan, times
 * the run that makes a sparse matrix C, and times later runs into C. */
#ifndef EK_TOOL_COMPUTE_H
#define EK_TOOL_COMPUTE_H

#include "measured.h"
#include "multiply.h"

struct compute_options {
	struct tool_options common; /* must be the first member, see tool_init */
	const char *output;
	int64_t memory, repeat;
	bool check, explain;
	struct measured_options measured; /* of ek multiply */
};

/* Keys of options; those of one subcommand alone start at COMPUTE_OWN. */
enum { COMPUTE_MEMORY = 512, COMPUTE_REPEAT, COMPUTE_CHECK, COMPUTE_EXPLAIN, COMPUTE_OWN };

/* Parses an option that these subcommands share. */
error_t compute_parse(int key, char *arg, struct compute_options *o);
/* Ends the program if options conflict, and completes the name of the method. */
void compute_check_options(ek_operation operation, struct compute_options *o);

struct compute {
	const struct compute_options *o;
	struct multiply_case what;
	ek_matrix *C;
	ek_plan *plan;
	double plan_seconds, first_seconds, best_seconds, mean_seconds;
	struct multiply_error error; /* of compute_check */
};

/* Makes the plan, runs it, and checks C; return exit codes. If values of C are wrong, compute_check
 * returns TOOL_OK: compute_verdict then reports it and returns TOOL_FAILED. */
int compute_plan(struct compute *c);
int compute_runs(struct compute *c);
int compute_check(struct compute *c);
int compute_verdict(const struct compute *c);

/* ---- Results --------------------------------------------------------------------------------- */

ek_matrix_info compute_info(const ek_matrix *M);
void compute_print_matrix(FILE *out, const char *name, const ek_matrix *M);
/* Prints the method and the times. `work` is what a run does, in the units of `unit` times seconds;
 * if `unit` is NULL, no speeds are printed. */
void compute_print(const struct compute *c, double work, const char *unit, FILE *out);
void compute_print_error(const struct compute *c, FILE *out);
void compute_print_explain(const struct compute *c, FILE *out); /* if the options ask for it */
/* Add members to a JSON record: the method, threads and instruction set; the times, and the speed
 * of the first run by the name `unit`, unless that is NULL; and the error of compute_check, if it
 * ran. */
void compute_json_method(json_t *record, const struct compute *c);
void compute_json_times(json_t *record, const struct compute *c, double work, const char *unit);
void compute_json_error(json_t *record, const struct compute *c);

#endif
