/* SPDX-License-Identifier: BSD-3-Clause
 * ek multiply and ek triple: what their files share. */
#ifndef EK_TOOL_MULTIPLY_H
#define EK_TOOL_MULTIPLY_H

#include "ek.h"

/* One product C = alpha op(A) op(B) + beta D or, for EK_TRIPLE, alpha op(B)^T op(A) op(B). */
struct multiply_case {
	ek_operation operation;
	ek_context *ctx;
	const ek_matrix *A, *B, *D; /* D may be NULL */
	ek_op op, op_b;
	ek_index index; /* type of the indices of C, or 0 */
	double alpha, beta;
};

/* The largest quotient of an error and its bound, and where it is. */
struct multiply_error {
	double worst, value, expected;
	int64_t row, col;
};

/* Sets *products to the number of products of an entry of op(A) and an entry of op(B). Returns an exit
 * code. */
int multiply_products(const struct multiply_case *m, double *products);
/* Compares C with the product by the reference of the operation, such as spgemm.csr.serial: the patterns must be the same, and the difference
 * of two values at most the sum of their bounds (ek_spgemm, ek_triple). Returns an exit code. */
int multiply_check(const struct multiply_case *m, const ek_matrix *C, struct multiply_error *error);

#endif
