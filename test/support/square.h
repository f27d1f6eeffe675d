/* SPDX-License-Identifier: BSD-3-Clause
 * A square matrix and its square, for tests of sparse products. */
#ifndef TEST_SQUARE_H
#define TEST_SQUARE_H

#include <stdbool.h>

#include "evenkeel/ek.h"

enum { SQUARE_ROWS = 1500, SQUARE_NNZ = 2 * SQUARE_ROWS + 40 };

/* The matrix. Most of its rows have two entries, as few kernels need to be compiled then. Rows at
 * both ends have none, and one row has many. */
extern struct square {
	int32_t ptr[SQUARE_ROWS + 1], col[SQUARE_NNZ];
	double val[SQUARE_NNZ];
	ek_matrix *A;
} square;

/* Makes square.A, which the caller destroys. */
void square_make(ek_context *ctx);
/* Makes a plan for A A, or A A + A. */
ek_plan *square_plan(const char *method, bool with_d, int64_t calls, int measure);
/* Runs a plan twice, into a new matrix and into that again, and compares with csr.serial. */
void square_check(ek_plan *plan, bool with_d);

#endif
