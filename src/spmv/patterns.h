/* SPDX-License-Identifier: BSD-3-Clause
 * Shared shapes of rows: what csr_patterns.c multiplies with, and patterns.c finds. */
#ifndef EK_SPMV_PATTERNS_H
#define EK_SPMV_PATTERNS_H

#include "core/ek_core.h"

/* Where a row's list begins, counted in uint16_t: its length, then the offsets. WIDE: none, use
 * CSR. The length of a list 0, 1, 2, ... has STRAIGHT added: x is loaded, not gathered, as in dense
 * rows. */
#define WIDE     UINT32_MAX
#define STRAIGHT 0x8000u
#define LENGTH   0x7fffu
typedef struct row_shape {
	uint32_t list;
	int32_t first; /* column that the offsets count from */
} row_shape;

enum { GROUP = 8 };
/* Kinds of groups, in the highest two bits. */
#define RUN  (UINT32_C(0) << 30)
#define EACH (UINT32_C(1) << 30)
#define CSR  (UINT32_C(2) << 30)
#define KIND (UINT32_C(3) << 30)

typedef struct patterns {
	uint32_t
		*group; /* kind, and where the shapes of the group begin: 1 for a RUN, 8 for EACH */
	row_shape *shape;
	uint16_t *list;
} patterns;

/* Finds the patterns of the plan's store; they belong to the plan, whose `bytes` become what a run
 * moves. */
ek_status eki_patterns_find(ek_plan *plan, patterns **out);

#endif
