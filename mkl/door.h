/* SPDX-License-Identifier: BSD-3-Clause
 * The door for programs that call the inspector-executor Sparse BLAS of Intel's MKL: its functions,
 * done by evenkeel through the public header. README.md says what is done and what is not.
 *
 * A handle has the caller's arrays and a matrix of evenkeel, the *hub*, in csr or csc. The hub
 * borrows the arrays where they are contiguous; else it has a copy (pack.c). Descriptors other than
 * general have matrices of their own, made from the hub (descr.c). Plans are made when a call first
 * needs them, and kept (plans.c). Every function that is exported is a macro's row for each type of
 * values and width of indices; what it calls takes both as arguments. */
#ifndef EKM_DOOR_H
#define EKM_DOOR_H

#include "evenkeel/ek.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#if defined(__GNUC__)
#define EKM_API __attribute__((visibility("default")))
#else
#define EKM_API
#endif

/* ROW(suffix, INT, wide) for both widths of indices. */
#define EKM_WIDTHS(ROW) ROW(, int32_t, false) ROW(_64, int64_t, true)
/* ROW(letter, VAL, value, suffix, INT, wide) for what handles may hold. */
#define EKM_TYPES(ROW)                            \
	ROW(s, float, EK_F32, , int32_t, false)   \
	ROW(d, double, EK_F64, , int32_t, false)  \
	ROW(s, float, EK_F32, _64, int64_t, true) \
	ROW(d, double, EK_F64, _64, int64_t, true)

/* The numbers of MKL's interface. */
typedef enum ekm_status {
	EKM_SUCCESS = 0,
	EKM_NOT_INITIALIZED = 1,
	EKM_ALLOC_FAILED = 2,
	EKM_INVALID_VALUE = 3,
	EKM_EXECUTION_FAILED = 4,
	EKM_INTERNAL_ERROR = 5,
	EKM_NOT_SUPPORTED = 6
} ekm_status;
enum { EKM_OP_N = 10, EKM_OP_T = 11, EKM_OP_H = 12 };
enum {
	EKM_GENERAL = 20,
	EKM_SYMMETRIC = 21,
	EKM_HERMITIAN = 22,
	EKM_TRIANGULAR = 23,
	EKM_DIAGONAL = 24,
	EKM_BLOCK_TRIANGULAR = 25,
	EKM_BLOCK_DIAGONAL = 26
};
enum { EKM_LOWER = 40, EKM_UPPER = 41 };
enum { EKM_NON_UNIT = 50, EKM_UNIT = 51 };
enum { EKM_MEMORY_NONE = 80, EKM_MEMORY_AGGRESSIVE = 81 };
enum {
	EKM_FULL_MULT = 90,
	EKM_NNZ_COUNT = 91,
	EKM_FINALIZE_MULT = 92,
	EKM_FULL_MULT_NO_VAL = 93,
	EKM_FINALIZE_MULT_NO_VAL = 94
};
enum { EKM_ROW_MAJOR = 101, EKM_COL_MAJOR = 102 };

typedef struct ekm_descr {
	int type, mode, diag;
} ekm_descr;

typedef enum ekm_shape { EKM_CSR, EKM_CSC, EKM_BSR, EKM_COO } ekm_shape;

/* The arrays of a matrix as the interface shows them. CSR, CSC, BSR: line i (row, column, row of
 * blocks) has entries start[i] .. end[i] - 1. COO: entry k is in row start[k]; there is no end. */
typedef struct ekm_arrays {
	ekm_shape shape;
	ek_value value;
	bool wide;          /* int64_t, not int32_t */
	int base;           /* 0 or 1 */
	int layout;         /* order of the entries of a block */
	int64_t block;      /* rows of a block; 1 unless BSR */
	int64_t rows, cols; /* of entries, not of blocks */
	int64_t lines;      /* COO: entries */
	void *start, *end, *idx, *val;
} ekm_arrays;

/* A matrix for a descriptor. Entry k has the value of entry from[k] of the hub; -1: it is 1. */
typedef struct ekm_derived {
	ekm_descr descr;
	ek_matrix *matrix;
	int64_t count, *from;
	struct ekm_derived *next;
} ekm_derived;

/* What a plan is for; `width` counts columns of a dense block, and is 0 for a vector. */
typedef struct ekm_key {
	int op;
	ekm_descr descr;
	int64_t width;
} ekm_key;

typedef struct ekm_plan {
	ekm_key key;
	ek_plan *plan;
	struct ekm_plan *next;
} ekm_plan;

typedef struct ekm_hint {
	ekm_key key;
	int64_t calls;
	struct ekm_hint *next;
} ekm_hint;

/* The product that a handle is the result of, kept for the stages that compute its values again. */
typedef struct ekm_product {
	ek_plan *plan;
	uint64_t A, B; /* numbers of their hubs */
	ekm_key key_a, key_b;
} ekm_product;

typedef struct ekm_handle {
	uint64_t number; /* of the hub: no two of a process have the same */
	ekm_arrays a;
	ek_matrix *hub;
	bool in_place; /* the hub borrows a.val */
	void *ptr;     /* pointers that the hub borrows, if they are not a.start */
	/* what holds the arrays of a matrix that a call made: a matrix, and up to three blocks */
	ek_matrix *own;
	void *block[3];
	ekm_product product;
	pthread_mutex_t lock; /* for making plans and derived matrices */
	_Atomic(ekm_plan *) plans;
	ekm_derived *derived;
	ekm_hint *hints;
	bool optimized; /* hints are in force */
	int memory;
} ekm_handle;

static inline size_t ekm_index_size(const ekm_arrays *a)
{
	return a->wide ? sizeof(int64_t) : sizeof(int32_t);
}

static inline int64_t ekm_get(bool wide, const void *array, int64_t k)
{
	return wide ? ((const int64_t *)array)[k] : ((const int32_t *)array)[k];
}

static inline void ekm_put(bool wide, void *array, int64_t k, int64_t number)
{
	if (wide)
		((int64_t *)array)[k] = number;
	else
		((int32_t *)array)[k] = (int32_t)number;
}

/* The place of row r and column c of a block among its values. */
static inline int64_t ekm_in_block(const ekm_arrays *a, int64_t r, int64_t c)
{
	return a->layout == EKM_ROW_MAJOR ? r * a->block + c : c * a->block + r;
}

/* Whether a function for these types may be called. */
static inline bool ekm_is_of(const ekm_arrays *a, ek_value value, bool wide)
{
	return a->value == value && a->wide == wide;
}

static inline bool ekm_is_layout(int layout)
{
	return layout == EKM_ROW_MAJOR || layout == EKM_COL_MAJOR;
}

/* Tells whether blocks can have so many rows and columns. */
static inline bool ekm_is_block(int64_t size)
{
	return size > 0 && size <= INT64_MAX / size;
}

static inline void *ekm_at(void *array, int64_t k, size_t size)
{
	return array ? (char *)array + k * (int64_t)size : NULL;
}

static inline ek_index ekm_index(const ekm_arrays *a)
{
	return a->wide ? EK_I64 : EK_I32;
}

/* context.c: the one context, and what a status of evenkeel is in the interface. */
ekm_status ekm_context(ek_context **ctx);
ekm_status ekm_status_of(ek_status status);
/* malloc for `count` (from 0) elements: never NULL for lack of a size. */
void *ekm_alloc(int64_t count, size_t size);

/* create.c: makes a handle on arrays; `trusted` if a call made them. ekm_destroy accepts NULL. */
ekm_status ekm_create(const ekm_arrays *arrays, bool trusted, ekm_handle **A);
void ekm_destroy(ekm_handle *A);

/* pack.c: makes the hub; brings new values from the arrays to hub and derived matrices; makes the
 * hub anew for other arrays, or another order of the entries, and forgets what came from it. */
ekm_status ekm_hub_create(ekm_handle *A, bool trusted);
ekm_status ekm_values_changed(ekm_handle *A);
ekm_status ekm_hub_renew(ekm_handle *A);
/* Sorts the entries, or blocks, of each line by their indices (values.c). */
ekm_status ekm_sort_lines(const ekm_arrays *a);
void ekm_forget(ekm_handle *A); /* plans and derived matrices */
/* A view of the arrays of a matrix in csr or csc; *base is that of the indices. */
typedef struct ekm_view {
	bool csc;
	int base;
	int64_t lines, nnz;
	const void *ptr, *idx, *val;
} ekm_view;
ekm_status ekm_view_of(const ek_matrix *M, ekm_view *view);

/* descr.c: the matrix for a descriptor, made if need be; A->lock is held. */
ekm_status ekm_descr_check(const ekm_arrays *a, int op, ekm_descr *descr);
ekm_status ekm_derive(ekm_handle *A, ekm_descr descr, const ek_matrix **M);
ekm_status ekm_derived_refresh(ekm_handle *A, ekm_derived *d);
/* The operand of a call: checks, and takes the lock itself. */
ekm_status ekm_operand(ekm_handle *A, int op, ekm_descr descr, const ek_matrix **M, ek_op *ek);

/* plans.c: the plan for a product with a dense vector or block. */
ekm_status ekm_plan_get(ekm_handle *A, ekm_key key, ek_plan **plan);
void ekm_plans_forget(ekm_handle *A);
bool ekm_key_same(const ekm_key *a, const ekm_key *b);

/* result.c: the format that has the arrays of a shape; for BSR, the one that blocks come from. */
const char *ekm_format(ekm_shape shape);
/* Makes a handle from M, which becomes the handle's: arrays of `like` in shape, base,
 * block and layout. After an error M still belongs to the caller. */
ekm_status ekm_result(ek_matrix *M, const ekm_arrays *like, ekm_handle **C);

#endif
