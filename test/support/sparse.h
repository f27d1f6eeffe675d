/* SPDX-License-Identifier: BSD-3-Clause
 * A reference for products of sparse matrices, and a check of results. */
#ifndef TEST_SPARSE_H
#define TEST_SPARSE_H

#include "../cli/quad.h"
#include "support/shapes.h"

/* An operand: a shape or its transpose. */
struct operand {
	const struct shape *s;
	int op; /* 0 for op N, 1 for op T */
};

/* Entries of alpha op(A) op(B) + beta D, row by row, columns ascending. */
struct sparse_reference {
	int64_t rows, cols, nnz, room;
	int64_t *ptr, *col;
	quad *sum, *size, *addend; /* sums of products, and of their magnitudes; d_ij */
	int64_t *count;            /* number of products */
};

/* Returns the number of products of op(A) op(B), or -1 if the sizes do not fit. */
int64_t sparse_products(struct operand A, struct operand B);
/* Computes the reference, with the values rounded to `value`. D->s may be NULL. `second` takes the
 * second values of all shapes. */
void sparse_reference_make(struct sparse_reference *r, struct operand A, struct operand B,
                           const struct shape *D, ek_value value, bool second);
/* The same for op(P)^T op(A) op(P), whose terms are products of three. */
void sparse_reference_triple(struct sparse_reference *r, struct operand A, struct operand P,
                             ek_value value, bool second);
/* Returns the number of such products, or -1 if the sizes do not fit. */
int64_t sparse_triples(struct operand A, struct operand P);
void sparse_reference_free(struct sparse_reference *r);

/* Returns a copy of a matrix in CSR or CSC whose indices ascend. */
ek_matrix *sparse_sorted(const ek_matrix *C);

/* Checks the pattern of C, in CSR or CSC, and its values, exactly or by the bound in ek.h. If a
 * check fails, writes a message to `text` and returns false. */
bool sparse_check(const struct sparse_reference *r, const ek_matrix *C, enum data data,
                  double alpha, double beta, char *text, size_t size);

/* Makes a matrix of a given size with up to `most` entries in a row: small integers, in a few
 * clusters of columns. */
void sparse_random(struct rng *draw, struct shape *s, int64_t rows, int64_t cols, int64_t most);
/* Makes a matrix of nodes, which are 1 to 6 rows with the same columns: 1 to 12 runs of up to 20
 * consecutive columns. There must be at least 252 columns. Values are small integers. */
void sparse_nodes(struct rng *draw, struct shape *s, int64_t rows, int64_t cols);

#endif
