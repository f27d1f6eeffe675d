/* SPDX-License-Identifier: BSD-3-Clause
 * Decides whether y is right. If the sums of the data are exact in every order, y must equal
 * integer sums. For real data, the error is the difference from a sum in quadruple precision. It is
 * divided by a proven bound: a ratio above 1 is a bug, never bad luck. */
#ifndef TEST_BOUND_H
#define TEST_BOUND_H

#include "../cli/quad.h"
#include "support/shapes.h"

/* The exact sums of one product op(A) x, without alpha and beta. op(A) has `n` rows. */
struct reference {
	int64_t n;
	ek_value value;
	int64_t *count; /* number of entries of each row of op(A) */
	quad *sum;      /* sum of a_ij x_j for each row; exact for DATA_EXACT */
	quad *size;     /* sum of |a_ij x_j| for each row */
};

/* Computes the reference of op(A) x; `t` holds A in CSR. */
void reference_make(struct reference *r, const struct typed *t, ek_op op, const void *x);
void reference_free(struct reference *r);

/* Returns the first row where y is not exactly alpha op(A) x + beta y0, or -1 if there is none. 0
 * and -0 are equal. alpha and beta must be multiples of 1/2. */
int64_t exact_fault(const struct reference *r, double alpha, double beta, const void *y0,
                    const void *y);

/* Returns the largest ratio error/bound of all rows, and stores the number of its row in *row. The
 * ratio is infinite for NaN, and for an error where the bound is 0. y0 is not read if beta = 0. The
 * bound is
 *   |error_i| <= gamma(k + 2) (|alpha| size_i + |beta y0_i|) + (2 k + 2) max(1, |alpha|) eta
 *   |error_i| <= k u size_i + 2 k eta                                  for alpha = 1 and beta = 0
 * where u is the unit roundoff, gamma(k) = k u / (1 - k u), and eta is half of the smallest
 * subnormal number (Higham 2002, section 3.1; Jeannerod and Rump 2013 for the second bound). */
double bound_ratio(const struct reference *r, double alpha, double beta, const void *y0,
                   const void *y, int64_t *row);

#endif
