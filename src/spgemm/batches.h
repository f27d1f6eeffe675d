/* SPDX-License-Identifier: BSD-3-Clause
 * Batches of rows of a sparse product, which threads take one after the other. */
#ifndef EK_SPGEMM_BATCHES_H
#define EK_SPGEMM_BATCHES_H

#include "plan/plan.h"

/* What C is, which bounds the number of entries in its rows. */
typedef enum eki_result_kind {
	EKI_PRODUCT, /* A B + D */
	EKI_SUM      /* A + B */
} eki_result_kind;

/* Consecutive rows of C that one thread computes at a time. Batch k has the rows begin[k] ..
 * begin[k + 1] - 1. */
typedef struct eki_batches {
	int64_t count, *begin;
	eki_result_kind kind;
	/* number of terms - products of entries, or entries that are only added - in all rows; an
	 * estimate if the batches are even */
	double products;
	double bound; /* upper bound on the entries of C */
	bool even;    /* whether all batches have the same number of rows */
	/* bounds for one row of C: on its products, its entries, and the rows of B and D that it
	 * needs */
	int64_t row_products, row_bound, row_lists;
	int64_t entries;                   /* upper bound on the entries of a batch */
	int64_t longest[EKI_MAX_MATRICES]; /* entries in the longest rows of A, B and D */
} eki_batches;

enum {
	EKI_BATCH_ROWS = 4096,  /* maximum number of rows of a batch */
	EKI_BATCH_PRODUCTS = 8, /* maximum number of products of a batch for each possible entry */
};

/* Returns how many products or entries are added up in rows [begin, end) of C. */
double eki_batch_terms(const eki_step *step, eki_result_kind kind, int64_t begin, int64_t end);

/* Cuts the rows of C into batches. Unless it has only one row, a batch has at most `entries`
 * entries by an upper bound on each row: its products, or the columns of C if these are fewer. */
ek_status eki_batches_make(eki_step *step, eki_result_kind kind, int64_t entries, eki_batches *b);

/* Returns the length of the longest row. */
int64_t eki_longest_row(const ek_context *ctx, const ek_store *csr);

/* What batches.c finds out about the rows of a part. */
typedef struct eki_batch_cut {
	const ek_store *A, *B, *D;
	eki_result_kind kind;
	int64_t entries, begin, end; /* limit for batches; rows of the part */
	uint64_t *first;             /* bit i is 1 if row i begins a batch */
	double products, bound;
	int64_t row_products;
} eki_batch_cut;

#endif
