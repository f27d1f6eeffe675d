/* SPDX-License-Identifier: BSD-3-Clause
 * Sparse products for tests of plans with hints.measure: small operands, and runs whose results are
 * compared with those of the serial method. Values are small integers, so that every method gives
 * the same bits. */
#ifndef TEST_TRIALS_SPARSE_H
#define TEST_TRIALS_SPARSE_H

#include "support/trials.h"

enum {
	SPARSE_ROWS = 300,
	SPARSE_NARROW = 5000,
	SPARSE_WIDE = 1 << 30 /* columns whose sums no cache holds */
};

#define SPARSE_FLAGS "spgemm.csr.flags"
#define SPARSE_BINS  "spgemm.csr.bins"

extern struct trials_sparse {
	ek_matrix *A, *B, *D;
	ek_plan *right[2]; /* by the serial method, without and with D */
} trials_sparse;

/* Makes A, square, and B and D with `cols` columns. */
void trials_sparse_open(ek_context *c, int64_t cols);
void trials_sparse_close(void);
/* Makes a matrix with `each` entries in a row. Other values of `seed` give other columns. */
ek_matrix *trials_sparse_matrix(ek_context *c, int64_t cols, int each, int seed);
/* Gives a matrix other small integers as values. */
void trials_sparse_values(ek_matrix *M, int seed);
/* Makes a plan for A B or A B + D with hints.measure. */
ek_plan *trials_sparse_plan(bool with_d, int64_t calls);
/* Runs a plan, and checks C. */
void trials_sparse_run(ek_plan *plan, double beta, ek_matrix **C);
/* Checks C, the result of a run with alpha = 1.5. */
void trials_sparse_check(const ek_plan *plan, double beta, const ek_matrix *C);

/* Set-up and tear-down of tests on the processor, with B and D of SPARSE_WIDE columns. */
int trials_sparse_setup(void **state);
int trials_sparse_teardown(void **state);
/* Makes a plan whose trials are to choose csr.bins, in place of csr.flags. */
ek_plan *trials_sparse_for_bins(bool with_d);
/* Runs a plan until it is decided: into the C of the first run if `into` is true, else each run
 * makes a C. */
void trials_sparse_decide(ek_plan *plan, double beta, bool into, ek_matrix **C);
/* Checks what a plan that has decided says and computes, and that a second one for the same
 * follows its decision. Destroys the plan and C, the result of a run. */
void trials_sparse_end(ek_plan *plan, ek_matrix *C);

#endif
