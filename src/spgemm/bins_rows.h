/* SPDX-License-Identifier: BSD-3-Clause
 * Rows of a sparse product by heap, bitonic ESC and merge, for spgemm/csr_bins.c. */
#ifndef EK_SPGEMM_BINS_ROWS_H
#define EK_SPGEMM_BINS_ROWS_H

#include "prim/network.h"
#include "spgemm/b_pattern.h"
#include "spgemm/bins.h"
#include "spgemm/heap_fuse.h"
#include "spgemm/output.h"

enum {
	EKI_ESC_BITS = 9,      /* low bits of a key, for the number of a product */
	EKI_MERGE_INPUT = 256, /* entries of a list that are merged at a time */
	EKI_MERGE_LEVEL = 1024 /* capacity of the sequence in the thread's scratch */
};

/* The scratch of one thread. Arrays have room for elements of 8 bytes. */
typedef struct eki_bins_scratch {
	union {
		struct {
			_Alignas(64) int64_t key[2][EKI_ESC_MOST + EKI_FUSE_ARITY];
			int64_t product[EKI_ESC_MOST], sum[EKI_ESC_MOST];
			uint8_t flag[EKI_ESC_MOST];
		} sort;
		struct {
			/* the short sequence: entries that are not merged into the row yet */
			int64_t col[EKI_MERGE_LEVEL], val[EKI_MERGE_LEVEL], rank[EKI_MERGE_LEVEL];
			/* place[e] says where entry e of the input goes; the new_ arrays have the
			 * entries that are new */
			int64_t place[EKI_MERGE_INPUT];
			int64_t new_col[EKI_MERGE_INPUT], new_val[EKI_MERGE_INPUT];
			int64_t new_rank[EKI_MERGE_INPUT], new_at[EKI_MERGE_INPUT];
		} merge;
	} of;
} eki_bins_scratch;

/* A row of group 5 in progress. */
typedef struct eki_long_row {
	void *col, *val;         /* its entries; no values if C is counted */
	int64_t n, capacity;     /* entries, and how many there is room for */
	int64_t bound;           /* greatest number of entries that it may get */
	int64_t uncapped;        /* room that it would have if that could pass its bound */
	int64_t list, entry;     /* checkpoint: a list, and its first entry not in the row */
	bool done;               /* false if it needs more room */
	void *old_col, *old_val; /* where its n entries still are after it got more room, or NULL */
} eki_long_row;

/* Functions for the instruction set and the size of keys. */
typedef struct eki_bins_tools {
	bool narrow; /* whether keys have 4 bytes */
	eki_heap_fuse_fn *fuse;
	eki_sort_short_fn *sort;
	int64_t short_most; /* number of keys that `sort` can sort */
	eki_merge_run_fn *merge;
} eki_bins_tools;

/* Rows of one bin that are computed in one call. */
typedef struct eki_bins_piece {
	/* has what all rows of the call share: step, run, mode, the arrays that they belong to, and
	 * C if it gets their lengths */
	const eki_rows_task *task;
	const eki_bins_tools *tools;
	eki_bins_scratch *scratch;
	void *counted; /* room for the columns of a row whose entries are only counted */
	eki_bin_group group;
	const int64_t *row;
	int64_t rows;
	const int64_t *at;       /* place of each row of C in the arrays; NULL: as in C */
	eki_long_row *long_rows; /* states of the rows, if they may grow, or NULL */
} eki_bins_piece;

/* Computes the rows of a piece. Returns the number of entries of those that are done. */
typedef int64_t eki_bins_rows_fn(const eki_bins_piece *piece);
extern eki_bins_rows_fn *const eki_bins_rows[EK_NTYPE];

#endif
