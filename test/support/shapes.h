/* SPDX-License-Identifier: BSD-3-Clause
 * Small matrices of awkward shapes, built here and not by the library's generators, and their
 * arrays in every type, between guard pages. */
#ifndef TEST_SHAPES_H
#define TEST_SHAPES_H

#include "evenkeel/ek.h"
#include "support/guard.h"
#include "support/random.h"

enum data { DATA_EXACT, DATA_REAL };

/* CSR in the widest types. `val2` are other values for the same pattern. */
struct shape {
	char name[48];
	int64_t rows, cols, nnz, room;
	int64_t *ptr, *col;
	double *val, *val2;
};

int shape_count(void);
/* Builds shape `k`. DATA_EXACT: nonzero integers so small that every order of summation is exact in
 * f32 with x of at most SHAPE_X, y of at most SHAPE_Y and factors that are halves of at most 2.5.
 * DATA_REAL: values of both signs spread over 2^40. */
enum { SHAPE_X = 4, SHAPE_Y = 100 };
void shape_make(struct shape *s, int k, enum data data);
const char *shape_name(int k);
/* 1 if the shape is one of a few that are tested in every combination. */
int shape_is_core(int k);
/* The CSR of the transpose, entries of a column in the order of rows. */
void shape_transpose(const struct shape *s, struct shape *out);
/* Do columns ascend in each row? */
bool shape_ascending(const struct shape *s);
/* Has a row two entries in one column? */
bool shape_repeats(const struct shape *s);
void shape_free(struct shape *s);

/* The arrays of a shape in types of the library; `bytes` as long as the arrays. */
struct typed {
	ek_value value;
	ek_index index;
	int64_t rows, cols, nnz;
	void *ptr, *idx, *val;
	size_t ptr_bytes, idx_bytes, val_bytes;
	struct guard guard[3];
};

/* at_end: the arrays end at a guard page; otherwise they begin right behind one. All are read-only
 * until typed_values. */
void typed_make(struct typed *t, const struct shape *s, ek_value value, ek_index index, int at_end);
/* Overwrites the values in place. */
void typed_values(struct typed *t, const double *val);
void typed_free(struct typed *t);
int64_t typed_ptr(const struct typed *t, int64_t i);
int64_t typed_idx(const struct typed *t, int64_t k);

/* A borrowed matrix around the arrays: CSR, or CSC where the arrays are those of the transpose. */
ek_status typed_csr(ek_context *ctx, const struct typed *t, unsigned flags, ek_matrix **A);
ek_status typed_csc(ek_context *ctx, const struct typed *t, unsigned flags, ek_matrix **A);

#endif
