/* SPDX-License-Identifier: BSD-3-Clause
 * Helpers to test products with one shape: its arrays in all index types, held as CSR and as CSC,
 * vectors, references, and a checked run. */
#ifndef TEST_PRODUCT_H
#define TEST_PRODUCT_H

#include "support/bound.h"
#include "support/heap.h"
#include "support/shapes.h"

enum { HELD_CSR, HELD_CSC };
enum { VALUES_FIRST, VALUES_SECOND };

struct product {
	enum data data;
	ek_value value;
	struct shape A, T;       /* the shape and its transpose */
	struct typed held[2][3]; /* arrays of the shape: [HELD_...][index - 1] */
	int64_t n[2];            /* length of y for each op; x has length n[1 - op] */
	const void *x[2][2];     /* vectors, [op][variant]: NaN where op(A) has an empty column */
	const void *nan[2];      /* vectors of NaN: [op] */
	struct guard x_guard[2][3];
	void *y0[2]; /* y before a run, long enough for op N and op T: [variant] */
	struct reference ref[2][2][2]; /* references: [op][x][values] */
	struct guard y_guard, z_guard;
	struct guard y0_guard[3]; /* read-only memory that begins with y0[0], y0[1] and NaN */
	void *again;
};

/* Makes the data. `seed` determines the vectors, and which arrays end at a guard page and which
 * begin after one. */
void product_make(struct product *p, int shape, enum data data, ek_value value, int seed);
void product_free(struct product *p);
/* Overwrites the values of one set of arrays, which matrices borrow. `which` is VALUES_FIRST or
 * VALUES_SECOND. */
void product_values(struct product *p, int held, ek_index index, int which);
/* Makes the matrix, held as HELD_CSR or HELD_CSC. */
ek_status product_matrix(const struct product *p, ek_context *ctx, int held, ek_index index,
                         unsigned flags, ek_matrix **A);

struct run {
	int op;     /* 0 for op N, 1 for op T */
	int x, y0;  /* variants of x and of y before the run */
	int values; /* VALUES_FIRST or VALUES_SECOND, as in the matrix now */
	double alpha, beta;
	int at_end;         /* whether y ends at a guard page; otherwise it begins after one */
	ek_context *device; /* x and y are on the device of this context, or on the host if NULL */
};

/* Runs the plan. Checks the status, every entry of y, that nothing beside y changed and, unless
 * `heap` is NULL, that the run took no memory from `heap`. Before the run, y is poisoned if beta =
 * 0, and x if alpha = 0. If run->at_end is true, repeats the run with ek_spmv_add and a result in
 * other memory, which must have the same bits. Sets *y to the result. If a check fails, writes a
 * message to `text` and returns 0. */
int product_run(struct product *p, struct heap *heap, ek_plan *plan, const struct run *run,
                const void **y, char *text, size_t size);
/* Sets alpha and beta to pair number k, modulo their number, of those that the data allow. */
void product_pair(enum data data, unsigned k, double *alpha, double *beta);

/* Tells whether the method (NULL for `auto`) may refuse the matrix with this status, because its
 * format would be too large or cannot hold two entries at the same place. */
bool shape_may_refuse(const struct shape *s, const ek_method *m, ek_status status);

/* Text printed if the program crashes. From product_make to the end of the test, a handler that
 * prints it replaces cmocka's. */
extern char product_where[512];
void product_catch_crashes(void); /* for tests that do not call product_make */

#endif
