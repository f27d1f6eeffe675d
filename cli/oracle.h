/* SPDX-License-Identifier: BSD-3-Clause
 * Checks products against their proven error bound, independently of the library's own loops. */
#ifndef EK_TOOL_ORACLE_H
#define EK_TOOL_ORACLE_H

#include "ek.h"

/* The product alpha op(A) x + beta y0 in quadruple precision, and the largest error that each entry
 * of y may have. */
struct oracle;
struct oracle_result {
	double worst;    /* largest error / bound: above 1 if y is wrong, 0 if y is exact */
	int64_t row;     /* row in which error / bound is largest, counted from 0 */
	double expected; /* right value of y in that row */
};

/* Computes the oracle of a product and returns an exit code. With beta = 0 the entries of y0 are
 * not read. The oracle holds no pointer to the arguments. */
int oracle_make(const ek_matrix *A, ek_op op, double alpha, const ek_dense *x, double beta,
                const ek_dense *y0, int threads, struct oracle **oracle);
void oracle_free(struct oracle *oracle);
struct oracle_result oracle_check(const struct oracle *oracle, const void *y);

#endif
