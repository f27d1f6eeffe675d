/* SPDX-License-Identifier: BSD-3-Clause
 * ek multiply, ek add and ek triple: what their files share. */
#ifndef EK_TOOL_MULTIPLY_H
#define EK_TOOL_MULTIPLY_H

#include "ek.h"

/* A product C = alpha op(A) op(B) + beta D, for EK_SPADD a sum C = alpha op(A) + beta op(B), and
 * for EK_TRIPLE a product C = alpha op(B)^T op(A) op(B). */
struct multiply_case {
	ek_operation operation;
	ek_context *ctx;
	ek_matrix *A;
	const ek_matrix *B, *D; /* D may be NULL */
	ek_op op, op_b;
	ek_index index; /* type of the indices of C, or 0 */
	bool unsorted;  /* whether columns in a row of C may have any order */
	double alpha, beta;
};

/* The largest quotient of an error and its bound, and where it is. */
struct multiply_error {
	double worst, value, expected;
	int64_t row, col;
};

/* Runs a plan for the case. */
ek_status multiply_run(const struct multiply_case *m, ek_plan *plan, double alpha, double beta,
                       ek_matrix **C);
/* Returns the name of the reference method. */
const char *multiply_reference(const struct multiply_case *m);
/* Sets *products to the number of products of an entry of op(A) and an entry of op(B). Returns an
 * exit code. */
int multiply_products(const struct multiply_case *m, double *products);
/* Compares C with that of the reference: the patterns must be the same, and the difference between
 * two values at most the sum of their bounds (ek_spgemm, ek_spadd, ek_triple). Returns an exit
 * code. */
int multiply_check(const struct multiply_case *m, const ek_matrix *C, struct multiply_error *error);

#endif
