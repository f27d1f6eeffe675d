/* SPDX-License-Identifier: BSD-3-Clause
 * Small matrices of awkward shapes, built without the library's generators, and their arrays in
 * every type, between guard pages. */
#ifndef TEST_SHAPES_H
#define TEST_SHAPES_H

#include "evenkeel/ek.h"
#include "support/guard.h"
#include "support/random.h"

enum data { DATA_EXACT, DATA_REAL };

/* A matrix in CSR in the widest types. `val2` holds other values for the same pattern. */
struct shape {
	char name[48];
	int64_t rows, cols, nnz, room;
	int64_t *ptr, *col;
	double *val, *val2;
};

int shape_count(void);
/* Builds shape `k`. With DATA_EXACT, values are small nonzero integers. Every order of summation is
 * then exact in f32 if |x_j| <= SHAPE_X, |y_i| <= SHAPE_Y, and alpha and beta are multiples of 1/2
 * of at most 2.5. With DATA_REAL, values have both signs, and their magnitudes are spread over a
 * factor of 2^40. */
enum { SHAPE_X = 4, SHAPE_Y = 100 };
void shape_make(struct shape *s, int k, enum data data);
const char *shape_name(int k);
/* Tells whether the shape is one of the few that are tested in every combination. */
int shape_is_core(int k);
/* Makes the CSR of the transpose. The entries of a column stay in the order of their rows. */
void shape_transpose(const struct shape *s, struct shape *out);
/* Tells whether columns ascend in each row. */
bool shape_ascending(const struct shape *s);
/* Tells whether a row has two entries in one column. */
bool shape_repeats(const struct shape *s);
void shape_free(struct shape *s);

/* The arrays of a shape in the library's types, and their lengths in bytes. */
struct typed {
	ek_value value;
	ek_index index;
	int64_t rows, cols, nnz;
	void *ptr, *idx, *val;
	size_t ptr_bytes, idx_bytes, val_bytes;
	struct guard guard[3];
};

/* Makes the arrays. They end at a guard page if `at_end` is nonzero; otherwise they begin right
 * after one. All are read-only until typed_values is called. */
void typed_make(struct typed *t, const struct shape *s, ek_value value, ek_index index, int at_end);
/* Overwrites the values in place. */
void typed_values(struct typed *t, const double *val);
void typed_free(struct typed *t);
int64_t typed_ptr(const struct typed *t, int64_t i);
int64_t typed_idx(const struct typed *t, int64_t k);

/* Make a matrix that borrows the arrays: typed_csr in CSR, typed_csc in CSC, for which the arrays
 * must be those of the transpose. */
ek_status typed_csr(ek_context *ctx, const struct typed *t, unsigned flags, ek_matrix **A);
ek_status typed_csc(ek_context *ctx, const struct typed *t, unsigned flags, ek_matrix **A);

#endif
