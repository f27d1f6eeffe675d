/* SPDX-License-Identifier: BSD-3-Clause
 * What solvers share: which entries of a matrix are strong, and aggregates of the rows that they
 * couple. */
#ifndef EK_SOLVER_H
#define EK_SOLVER_H

#include "plan/plan.h"

/* A square matrix in CSR with columns that ascend strictly, and which of its entries are strong.
 * Entry (i, j) off the diagonal is strong if it is not 0 and |a_ij| >= strength sqrt(|a_ii
 * a_jj|). */
typedef struct eki_coupling {
	const ek_context *ctx;
	const ek_store *A;
	ek_store copy;   /* what A points to, unless that is the caller's matrix */
	double strength; /* the threshold */
	double omega;    /* damping in the smoothing of prolongators */
	double *diagonal;
} eki_coupling;

/* Reads the options, and finds the diagonal. Errors: EK_EINVAL if A is not square, if a diagonal
 * entry is 0 or not finite, or if an option is out of range; the message names the row. */
ek_status eki_coupling_open(const ek_matrix *A, const ek_aggregation *options, eki_coupling *c);
void eki_coupling_close(eki_coupling *c);

/* Tells whether an entry a in row i and column j, where i and j differ, is strong. */
static inline bool eki_is_strong(const eki_coupling *c, int64_t i, int64_t j, double a)
{
	return a != 0 && (c->strength == 0 || fabs(a) >= c->strength * sqrt(fabs(c->diagonal[i])) *
	                                                         sqrt(fabs(c->diagonal[j])));
}

/* The aggregates of the rows of a matrix: row i belongs to aggregate of[i], or to none if of[i] is
 * -1. `of` has the type of column indices. */
typedef struct eki_aggregates {
	void *of;
	int64_t count;
} eki_aggregates;

/* Makes the aggregates. The caller frees them, even after an error; before the call *g must be
 * {0}. */
ek_status eki_aggregates_make(const eki_coupling *c, eki_aggregates *g);
void eki_aggregates_free(const eki_coupling *c, eki_aggregates *g);

#endif
