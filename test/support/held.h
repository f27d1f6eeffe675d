/* SPDX-License-Identifier: BSD-3-Clause
 * An operand of a test: a shape, how it is held, and its matrix. */
#ifndef TEST_HELD_H
#define TEST_HELD_H

#include "support/product.h"

struct held {
	const struct shape *s;
	struct shape T; /* the transpose, if the arrays are those of CSC */
	struct typed typed;
	ek_matrix *M;
	bool columns;
};

/* Makes the matrix, held as HELD_CSR or HELD_CSC. `at_end` is as in typed_make. The shape must
 * stay. */
void held_make(struct held *h, const struct shape *s, int held, ek_value value, ek_index index,
               int at_end, ek_context *ctx);
void held_free(struct held *h);
/* Gives the matrix the first or the second values of the shape. */
void held_values(struct held *h, bool second);

/* Copies the values of C, so that results can be compared bit for bit. The caller frees the
 * copy. */
void *values_copy(const ek_matrix *C, size_t *bytes);
/* Returns the name of an array that is not the same in A and B, bit for bit, or NULL if all are.
 * The matrices have the same format. */
const char *different_array(const ek_matrix *A, const ek_matrix *B);

#endif
