/* SPDX-License-Identifier: BSD-3-Clause
 * A product of a matrix and a sparse vector, its result by brute force, and checked runs of
 * plans. */
#ifndef TEST_SPARSE_PROBLEM_H
#define TEST_SPARSE_PROBLEM_H

#include "support/shapes.h"

/* op(A) with ascending columns in each row, and a vector. */
struct sparse_problem {
	const struct shape *A;
	struct shape rows, T;
	int op;
	ek_value value;
	int64_t n, nnz;      /* of x */
	unsigned char *in;   /* in[j] is 1 if x has an entry there */
	double *x, *y;       /* values by index */
	unsigned char *has;  /* has[i] is 1 if y must have an entry */
	int64_t count, most; /* entries of y; entries of A in the columns of x */
};

void sparse_problem_make(struct sparse_problem *p, const struct shape *A, int op, ek_value value);
void sparse_problem_free(struct sparse_problem *p);
/* Draws x, in which each entry exists with probability px / 1024. Values are small integers, or
 * random if `real`. */
void sparse_problem_x(struct sparse_problem *p, struct rng *r, int64_t px, bool real);
/* Computes the result in the order that ek.h promises, each step rounded to the type of the values.
 * `second` takes the second values of A. */
void sparse_problem_reference(struct sparse_problem *p, double alpha, bool second);
/* Lays out the arrays of x in g[0] and g[1]. */
ek_sparse sparse_problem_lay(const struct sparse_problem *p, const struct guard *g, struct rng *r,
                             ek_index index);
/* Runs a plan with space for `room` entries of y, in g[2] and g[3], and checks the result. If there
 * is too little space, y and the count must be untouched. Returns false, with a message in `text`,
 * if something is wrong. */
bool sparse_problem_run(const struct sparse_problem *p, const struct guard *g, struct rng *r,
                        ek_plan *plan, double alpha, const ek_sparse *x, int64_t room, char *text,
                        size_t size);

#endif
