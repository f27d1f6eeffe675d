/* SPDX-License-Identifier: BSD-3-Clause
 * Rows of a sparse product by sums and flags in a dense window, for spgemm/csr_flags.c. */
#ifndef EK_SPGEMM_FLAGS_H
#define EK_SPGEMM_FLAGS_H

#include "prim/network.h"
#include "spgemm/b_pattern.h"
#include "spgemm/output.h"

enum {
	EKI_FEW = 16, /* so many products are sorted even if their columns are near each other */
	/* maximum number of products that are sorted, and bits for their numbers */
	EKI_FEW_MOST = 64,
	EKI_FEW_BITS = 6,
	/* maximum number of products of a row whose columns are listed, and bits for numbers */
	EKI_LIST_BITS = 8,
	EKI_LIST_MOST = 1 << EKI_LIST_BITS,
	EKI_LIST_SPAN = INT32_MAX >> EKI_LIST_BITS /* columns that leave room for the bits */
};

/* The scratch of one thread: a window of `width` columns, a multiple of 4096. All but `at`
 * and `list` is 0 between rows. */
typedef struct eki_window {
	void *sum;      /* of each column */
	uint8_t *flag;  /* for each column: 1 if the row has an entry there */
	uint64_t *bits; /* the same for rows whose columns are far apart, as bits */
	uint8_t *group; /* for each 64 columns: 1 if one of them is marked */
	int64_t *at;    /* position within each row of B and D that the row of C needs */
	int64_t width;
	/* Runs into an existing C use sums only, and clear them as they need them: this many, from
	 * the first on, are clear. */
	int64_t *clean;
	/* sorts up to `few` keys of 64 bits */
	eki_sort_short_fn *sort;
	int64_t few;
	/* sorts up to `list_most` columns and their numbers */
	eki_sort_short_fn *sort_list;
	int64_t list_most;
	int64_t near; /* most columns between the first and the last of a row that is listed */
	void *list;   /* for unsorted rows: room for all columns and one more */
	const eki_b_pattern *b;
} eki_window;

/* How columns with entries are marked: not at all; by flags; by bits and flags of groups, for rows
 * whose columns are so far apart that most groups of 64 have none; or by flags of columns and of
 * groups. */
enum { EKI_MARK_NONE, EKI_MARK_FLAGS, EKI_MARK_BITS, EKI_MARK_BOTH };

/* Computes rows as eki_rows_fn does. */
typedef int64_t eki_flags_fn(const eki_rows_task *task, const eki_window *window);
/* Functions for all instruction sets and types. */
extern eki_flags_fn *const eki_flags_rows[EK_NISA][EK_NTYPE];

/* Returns the most columns of C whose sums fit into the cache: a wider C takes several windows. */
int64_t eki_flags_window(const eki_step *step);

#endif
