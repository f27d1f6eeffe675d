/* SPDX-License-Identifier: BSD-3-Clause
 * Segments of rows for csr_patterns.c. A segment whose rows have shared shapes may be described by
 * runs, and is then called shaped; csr_patterns.cl has the layout of a description. */
#ifndef EK_GPU_SPMV_CSR_RUNS_H
#define EK_GPU_SPMV_CSR_RUNS_H

#include "plan/plan.h"

enum { CSR_FLIGHT = 8 }; /* entries of a row that a work-item loads at once */

typedef struct csr_runs {
	int64_t *first; /* first row of each segment, then the number of rows */
	/* If segment b is shaped, what[b] is the last number of its item, and where[b] the position
	 * of its description in `shape`. Otherwise what[b] is 0. */
	int64_t *what, *where;
	int64_t count, most;    /* number of segments; capacity of the arrays above */
	int32_t *shape;         /* descriptions of all shaped segments */
	int64_t used, capacity; /* length and capacity of `shape` */
	uint16_t *offset;       /* lists of column offsets, followed by CSR_FLIGHT zeros */
	int64_t offsets;        /* length of `offset` */
	int64_t rows, entries;  /* numbers of rows and entries in shaped segments */
} csr_runs;

/* Cuts the rows of the plan's store into segments, for groups of w work-items. A segment has one
 * row, or at most `tile` entries. A shaped segment has at most w rows, any other at most tile / 2.
 * The result must be freed by csr_runs_free even after an error. */
ek_status csr_runs_make(const eki_step *step, int w, int64_t tile, csr_runs *runs);
void csr_runs_free(const ek_context *, csr_runs *runs);

#endif
