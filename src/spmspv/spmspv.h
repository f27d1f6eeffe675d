/* SPDX-License-Identifier: BSD-3-Clause
 * What the methods for sparse matrix x sparse vector share: the arguments of a run, op(A) by rows
 * and by columns, and the number of products.
 *
 * All methods compute y_i = alpha (((0 + a_ij x_j) + a_ij' x_j') + ...), where j < j' < ... are the
 * columns in which row i of op(A) and x both have an entry. So all give the same bits. */
#ifndef EK_SPMSPV_H
#define EK_SPMSPV_H

#include "vec/vec.h"

enum { EKI_SPMSPV_PARTS = 64 }; /* largest number of parts of a run */

/* The arguments of a run. y has space for y.nnz entries. The run sets `count` to the number of
 * entries of the result, and writes the result if it fits. */
typedef struct eki_sparse_run {
	ek_sparse x, y;
	int64_t count;
} eki_sparse_run;

/* ---- A by rows and by columns ---------------------------------------------------------------- */

/* op(A) by rows and by columns; NULL for a side that the method does not use. The columns of the
 * entries of a row ascend, with duplicates in the order in which A has them. The rows of the
 * entries of a column ascend if EKI_COLS_ASCENDING was asked for. Each side is A itself or a
 * copy. */
typedef struct eki_sides {
	const ek_store *rows; /* op(A) in CSR */
	const ek_store *cols; /* op(A)^T in CSR */
	eki_transposed copy[2];
	int copies;
} eki_sides;
enum { EKI_ROWS = 1, EKI_COLS = 2, EKI_COLS_ASCENDING = 6 };

/* Finds or makes the sides that a method uses. The method's state begins with `sides`. Fails if the
 * method does not apply to the matrix. */
ek_status eki_sides_prepare(eki_step *step, int which, eki_sides *sides);
/* Takes over new values; the `refresh` of all methods. */
ek_status eki_sides_refresh(eki_step *step);
/* Tells whether arrays as long as x and y are in proportion to A: the `applies` of methods that
 * have such arrays. */
bool eki_sides_applies(const ek_store *store, ek_op op);

/* ---- Numbers of products --------------------------------------------------------------------- */

/* The products of a run, counted in chunks of the entries of x: before[c] is the number of products
 * before chunk c. */
enum { EKI_CHUNKS = 256 };
typedef struct eki_products {
	int64_t total;
	int chunks;
	int64_t before[EKI_CHUNKS + 1];
} eki_products;
void eki_products_count(const eki_step *step, const ek_store *cols, const ek_sparse *x,
                        eki_products *p);
/* Finds product number k: it is number *within of the products with entry *entry of x. */
void eki_products_find(const ek_store *cols, const ek_sparse *x, const eki_products *p, int64_t k,
                       int64_t *entry, int64_t *within);

/* Returns index k of x, the number of a column of op(A). */
static inline int64_t eki_sparse_index(const ek_sparse *x, int64_t k)
{
	return x->index == EK_INT64 ? ((const int64_t *)x->idx)[k] : ((const int32_t *)x->idx)[k];
}

/* Turns counts into positions: at[p] becomes the sum of the counts before p. Returns their sum. */
static inline int64_t eki_positions(const int64_t *count, int64_t n, int64_t *at)
{
	int64_t sum = 0;

	for (int64_t p = 0; p < n; p++) {
		at[p] = sum;
		sum += count[p];
	}
	return sum;
}

/* Copies n entries to y, from its entry `at` on. */
void eki_entries_to(const ek_sparse *y, int64_t at, int64_t n, const void *idx, const void *val);

#endif
