/* SPDX-License-Identifier: BSD-3-Clause
 * Is y right? For data whose sums are exact in every order: equality with integer sums. For real
 * data: the error against a sum in quadruple precision, divided by a proven bound; more than 1 is a
 * bug, never bad luck. */
#ifndef TEST_BOUND_H
#define TEST_BOUND_H

#include "../cli/quad.h"
#include "support/shapes.h"

/* Sums of one product op(A) x, without alpha and beta. */
struct reference {
	int64_t n;
	ek_value value;
	int64_t *count; /* entries of each row of op(A) */
	quad *sum;      /* of a_ij x_j; what is exact for DATA_EXACT */
	quad *size;     /* of |a_ij x_j| */
};

/* `t` holds the CSR of A. */
void reference_make(struct reference *r, const struct typed *t, ek_op op, const void *x);
void reference_free(struct reference *r);

/* The row where y is not exactly alpha op(A) x + beta y0, or -1. 0 and -0 are equal. alpha and beta
 * must be halves of integers. */
int64_t exact_fault(const struct reference *r, double alpha, double beta, const void *y0,
                    const void *y);

/* The largest error/bound over all rows; *row is where. Infinite for NaN, or an error where the
 * bound is 0. y0 is not read for beta = 0.
 *   |error_i| <= gamma(k + 2) (|alpha| size_i + |beta y0_i|) + (2 k + 2) max(1, |alpha|) eta
 *   |error_i| <= k u size_i + 2 k eta                                  for alpha = 1 and beta = 0
 * gamma(k) = k u / (1 - k u), u the unit roundoff, eta half of the smallest subnormal number
 * (Higham 2002, section 3.1; Jeannerod and Rump 2013 for the second). */
double bound_ratio(const struct reference *r, double alpha, double beta, const void *y0,
                   const void *y, int64_t *row);

#endif
