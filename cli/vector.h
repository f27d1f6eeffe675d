/* SPDX-License-Identifier: BSD-3-Clause
 * Sparse vectors from files, for ek dot, ek vector-add and ek spmspv (vector.c). */
#ifndef EK_TOOL_VECTOR_H
#define EK_TOOL_VECTOR_H

#include "ek.h"

/* Keys of options that these subcommands share. */
enum { VECTOR_METHOD = 600, VECTOR_ALPHA, VECTOR_BETA, VECTOR_DENSE };

/* A sparse vector `v`, a view of the arrays of A, a matrix of one column in CSC. */
struct vector {
	ek_matrix *A;
	ek_sparse v;
	struct tool_source source;
};

/* Reads or generates a vector, a matrix of one column. Reports failures, returns an exit code. */
int vector_read(ek_context *ctx, const struct tool_options *o, const char *text, struct vector *v);
void vector_free(struct vector *v);
/* Makes Z, a matrix of one column with the first `count` entries of z, for writing. Reports
 * failures and returns an exit code. */
int vector_matrix(ek_context *ctx, const ek_sparse *z, int64_t count, ek_matrix **Z);
/* Checks that y is as long as x. Reports failures and returns an exit code. */
int vector_same_length(const struct vector *x, const char *name, int64_t rows);

#endif
