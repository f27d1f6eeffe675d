/* SPDX-License-Identifier: BSD-3-Clause
 * The matrix object that callers hold, and functions that change its shape. The arrays of a matrix
 * in one format are a store (matrix/store.h). Prototypes are grouped by the file that defines
 * them. */
#ifndef EK_MATRIX_H
#define EK_MATRIX_H

#include "base/base.h"
#include "matrix/store.h"

/* ---- matrix.c -------------------------------------------------------------------------------- */

struct ek_matrix {
	eki_life life;
	const ek_context *ctx;
	ek_store store;  /* A in its format or, for CSC, the transpose of A in CSR */
	bool transposed; /* whether A is in CSC; the store then has the transpose of A */
	/* the caller's row pointers if they are borrowed and start at 1, else NULL; `store` then
	 * has a copy that starts at 0 */
	const void *given_ptr;
	bool merged; /* whether the order in which the caller gave the values is lost */
	/* NULL without EK_KEEP_ORDER. Otherwise order[k] is the position in `store` of the caller's
	 * entry k, or -1 if a later entry replaced entry k. Elements have the row pointer type. */
	void *order;
	int64_t order_len;
	int64_t value_count; /* number of values that the caller gave */
	_Atomic uint64_t state;
	/* id of the plan whose runs may write values to this matrix, since a run of it made the
	 * pattern; 0 if there is none */
	uint64_t maker;
	/* key of the pattern (eki_matrix_pattern), or 0 if nobody has asked for it */
	_Atomic uint64_t pattern;
	_Atomic bool ascends; /* whether eki_matrix_ascends has found that they do */
};

/* eki_matrix_check checks a matrix, eki_matrix_hold adds a holder and eki_matrix_drop removes one,
 * as for contexts in base/hold.h. eki_matrix_plans returns the number of plans that hold a matrix;
 * the caller must not have destroyed this matrix. */
ek_status eki_matrix_check(const ek_matrix *A);
void eki_matrix_hold(const ek_matrix *A);
void eki_matrix_drop(const ek_matrix *A);
int64_t eki_matrix_plans(const ek_matrix *A);
/* Frees the order that EK_KEEP_ORDER recorded. */
void eki_matrix_forget_order(ek_matrix *A);
/* Returns a state number for new values of a matrix. No matrix has had this number before, since
 * several matrices may share an array, and a device may have a copy of that array. */
uint64_t eki_new_state(void);
/* Makes a matrix from a store whose arrays the library owns. The matrix takes over the arrays only
 * if the call succeeds. */
ek_status eki_matrix_from_store(ek_context *ctx, ek_store *store, ek_matrix **A);
/* Replaces the store of A by a store that a conversion has made. The arrays of the old store are
 * already gone. */
void eki_matrix_restore(ek_matrix *A, const ek_store *store, bool transposed);
/* Copies the store of A to *s, but with the row pointers that the caller gave: for inspection, not
 * for products. */
void eki_matrix_given(const ek_matrix *A, ek_store *s);
ek_status eki_type_check(ek_value value, ek_index index);
/* Checks that nnz row or column indices are in [base, base + n), by the check that CSR makes of its
 * columns. */
ek_status eki_coordinates_check(const ek_context *ctx, const char *name, const void *array,
                                ek_index index, int64_t nnz, int64_t n, int base);
/* Checks an array of `len` elements of `size` bytes. Returns EK_EINVAL if the array is NULL
 * although `len` > 0, or if it is not aligned to its type. */
ek_status eki_array_check(const char *name, const void *array, int64_t len, size_t size);

/* ---- pattern.c ------------------------------------------------------------------------------- */

/* Returns a hash, never 0, of the sizes, the format and all arrays of A except values. Matrices
 * with different patterns almost never have the same. */
uint64_t eki_matrix_pattern(const ek_matrix *A);
/* Tells whether the columns of each row of `csr`, which eki_matrix_csr made of A with `columns`,
 * ascend strictly. Remembers it if these are the arrays of A. */
bool eki_matrix_ascends(const ek_matrix *A, const ek_store *csr, bool columns);
/* Returns a hash of memory. Different seeds give different hashes. */
uint64_t eki_hash(const void *from, int64_t bytes, uint64_t seed);

/* ---- reshape/ -------------------------------------------------------------------------------- */

/* Makes a CSR store, with the columns of each row in ascending order, from coordinates in any
 * order. Entries with the same place are merged as `duplicates` says: EK_DUP_SUM, EK_DUP_LAST,
 * EK_DUP_ERROR, or 0 to keep all of them in the order given. EK_BASE1 (the caller counts from 1)
 * and EKI_COLUMNS (the caller's columns are the rows here) may be added to `duplicates`; these two
 * only change messages. Indices start at 0 and have been checked. If `order` is not NULL, *order
 * becomes an allocated array of nnz elements of the row pointer type: (*order)[k] is the position
 * of entry k in the result, or -1 if a later entry replaced it. */
#define EKI_COLUMNS 0x10000u
ek_status eki_assemble(const ek_context *ctx, ek_value value, ek_index index, int64_t rows,
                       int64_t cols, int64_t nnz, const void *row_idx, const void *col_idx,
                       const void *val, unsigned duplicates, ek_store *csr, void **order);
/* Sets `out` to the transpose of `csr`, in CSR with ascending columns. Entries with the same place
 * keep their order. If `from` is not NULL, *from becomes an allocated array of nnz elements of the
 * row pointer type: entry k of `out` came from entry (*from)[k] of `csr`. */
ek_status eki_transpose(const ek_context *ctx, const ek_store *csr, ek_store *out, void **from);

/* ---- partition.c ----------------------------------------------------------------------------- */

/* Returns the row of entry k: the last row i < rows for which row_ptr[i] <= k. */
int64_t eki_row_of(const ek_store *csr, int64_t k);
/* Sets bound[0] ... bound[parts] to the rows at which to cut, so that all parts have nearly the
 * same number of entries plus rows. */
void eki_partition_rows(const ek_store *csr, int parts, int64_t *bound);
/* Finds the point where diagonal `d` cuts the merge path (Merrill, Garland 2016) of row ends and
 * entries. Sets *row and *entry to the numbers of row ends and of entries before that point. */
void eki_merge_search(const ek_store *csr, int64_t d, int64_t *row, int64_t *entry);

#endif
