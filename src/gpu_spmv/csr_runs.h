/* SPDX-License-Identifier: BSD-3-Clause
 * Rows cut into stretches, of which those with rows of shared shapes are described by runs: for
 * csr_patterns.c, whose kernel file says how a description looks. */
#ifndef EK_GPU_SPMV_CSR_RUNS_H
#define EK_GPU_SPMV_CSR_RUNS_H

#include "core/ek_core.h"

enum { CSR_FLIGHT = 8 }; /* entries of a row that a work-item takes at once */

typedef struct csr_runs {
	int64_t *first;        /* row of each stretch, and the end */
	int64_t *what, *where; /* of shaped ones: numbers of the item; where it is described */
	int64_t count, most;   /* stretches; room for them, and one */
	int32_t *shape;        /* descriptions */
	int64_t used, room;    /* of these */
	uint16_t *offset;      /* lists, and CSR_FLIGHT zeros behind */
	int64_t offsets;       /* how long that is */
	int64_t rows, entries; /* in shaped stretches */
} csr_runs;

/* Of the plan's store, for groups of w work-items. Stretches have at most `tile` entries, or one
 * row; shaped ones at most w rows, others tile / 2. After an error, too, it has to be freed. */
ek_status csr_runs_make(const ek_plan *p, int w, int64_t tile, csr_runs *runs);
void csr_runs_free(const ek_context *, csr_runs *runs);

#endif
