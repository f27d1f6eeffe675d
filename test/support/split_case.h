/* SPDX-License-Identifier: BSD-3-Clause
 * Products by both kinds of core (spmv.csr.split.gpu, spmm.csr.split.gpu), which must be exact, and
 * a driver of a device whose copies take long. */
#ifndef TEST_SPLIT_CASE_H
#define TEST_SPLIT_CASE_H

#include "gpu/gpu.h"

enum { SPLIT_ROWS = 3000, SPLIT_WIDTH = 3, SPLIT_COLUMNS = 7 };

/* A plan for `columns` vectors at once, at most SPLIT_COLUMNS, or SpMV if that is 0; it is made for
 * SPLIT_WIDTH of them, and for so many calls. Vectors are of the host, unless they are to be on the
 * device. */
struct split_case {
	ek_context *ctx;
	ek_matrix *A;
	int64_t columns, calls;
	double beta;
	bool x_there, y_there;
	ek_plan *plan;
	int64_t bytes; /* that the last run copied */
};

/* Makes a plan by the method for both kinds of core, with parameters such as ":chunks=2". */
void split_make(struct split_case *p, const char *parameters);
/* Runs the plan with blocks of which both are column after column, so that they are packed. Checks
 * Y if the run succeeds. If it does not, Y must not change any more. */
ek_status split_try(struct split_case *p);
/* Does the same with a plan whose run must succeed. */
void split_run(struct split_case *p);

/* Puts a driver between library and device whose copies that block take 5 ms. */
void slow_begin(ek_context *ctx);
void slow_end(ek_context *ctx);

#endif
