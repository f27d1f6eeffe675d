/* SPDX-License-Identifier: BSD-3-Clause
 * Sparse products C = alpha A B + beta D whose rows processor and device divide between them, for
 * methods with the trait EKI_TOGETHER.
 *
 *   sparse.c       pieces of the rows, and which piece is whose
 *   sparse_run.c   a run: both sides at the same time, then the parts of C are put together */
#ifndef EK_BOTH_SPARSE_H
#define EK_BOTH_SPARSE_H

#include "both/both.h"
#include "spgemm/output.h"

/* A piece of the rows of C, which ends where the next one begins. */
typedef struct eki_sparse_piece {
	int64_t begin;
	ek_store A, D;             /* views of the rows */
	eki_step *step[EKI_SIDES]; /* NULL if the piece has no rows, or is never done there */
} eki_sparse_piece;

typedef struct eki_sparse_both {
	eki_mark mark; /* the plan before pieces were made */
	int pieces;
	int first; /* number of pieces that the device does */
	eki_sparse_piece piece[EKI_PIECES + 1]; /* the last one only tells where the rows end */
	bool moves; /* whether runs may change `first`, as `balance` says */
	eki_balance balance;
} eki_sparse_both;

int64_t eki_sparse_rows(const eki_sparse_both *s, int k);

/* Prepares a step with the parameters EKI_SPARSE_BOTH_PARAMS. */
ek_status eki_sparse_both_prepare(eki_step *step);
ek_status eki_sparse_both_run(const eki_step *step, const eki_run *v);
void eki_sparse_both_report(const eki_step *step, char *text, size_t size);
/* The parameters of the methods, in this order. */
#define EKI_SPARSE_BOTH_PARAMS                                                            \
	{                                                                                 \
		{"share", 1, 999, "thousandths of the products that the processor does"}, \
		{                                                                         \
			"side", 1, 2, "1: the device does all, 2: the processor"          \
		}                                                                         \
	}
enum { EKI_SPARSE_SHARE_PARAM, EKI_SPARSE_SIDE_PARAM };

#endif
