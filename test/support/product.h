/* SPDX-License-Identifier: BSD-3-Clause
 * Everything to test products with one shape: its arrays in all index types, held as CSR and as
 * CSC, vectors, references, and a checked run. */
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
	struct typed held[2][3]; /* [HELD_...][index - 1] */
	int64_t n[2];            /* length of y for op N, T; that of x is n[1 - op] */
	const void *x[2][2];     /* [op][variant], NaN where op(A) has an empty column */
	const void *nan[2];      /* [op], all NaN */
	struct guard x_guard[2][3];
	void *y0[2];                   /* variants, as long as the longer y */
	struct reference ref[2][2][2]; /* [op][x][values] */
	struct guard y_guard, z_guard;
	struct guard y0_guard[3]; /* begins with y0, and with NaN; read-only */
	void *again;
};

/* `seed` decides the vectors and which arrays end at a guard page and which begin behind one. */
void product_make(struct product *p, int shape, enum data data, ek_value value, int seed);
void product_free(struct product *p);
/* Overwrites the values of one borrowed set of arrays. */
void product_values(struct product *p, int held, ek_index index, int which);
/* The matrix as HELD_CSR or HELD_CSC. */
ek_status product_matrix(const struct product *p, ek_context *ctx, int held, ek_index index,
                         unsigned flags, ek_matrix **A);

struct run {
	int op;     /* 0: N, 1: T */
	int x, y0;  /* variants */
	int values; /* VALUES_FIRST or VALUES_SECOND: what the matrix has now */
	double alpha, beta;
	int at_end;         /* y ends at a guard page, or begins behind one */
	ek_context *device; /* x and y lie on its device during the run; NULL: with the host */
};

/* Runs the plan and checks, if at_end also with a result that lies elsewhere than what beta
 * multiplies (ek_spmv_add), which gives the same bits: status, no memory asked for (from `heap`, if that is not NULL), every entry of y, nothing beside y
 * changed. y is poisoned for beta = 0, x for alpha = 0. *y is where the result lies. On a fault: 0
 * and a text.
 */
int product_run(struct product *p, struct heap *heap, ek_plan *plan, const struct run *run,
                const void **y, char *text, size_t size);
/* The pair (alpha, beta) number k of all that the data allow, in turn. */
void product_pair(enum data data, unsigned k, double *alpha, double *beta);

/* May the method, NULL for `auto`, refuse the matrix: its format too large, or with one place for two
 * entries? */
bool shape_may_refuse(const struct shape *s, const ek_method *m, ek_status status);

/* A crash prints this text before the program ends, from product_make on to the end of the test, in
 * place of what cmocka does. */
extern char product_where[512];
void product_catch_crashes(void); /* for tests without a product */

#endif
