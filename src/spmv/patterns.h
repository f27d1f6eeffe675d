/* SPDX-License-Identifier: BSD-3-Clause
 * Shared shapes of rows, which patterns.c finds: in groups, as csr_patterns.c multiplies with them,
 * or of each row, for devices (gpu_spmv/csr_patterns.c). */
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

/* Without groups. */
typedef struct row_shapes {
	row_shape *of_row; /* of all rows */
	uint16_t *list;
	int64_t lists; /* how long that is */
	void *work;
	int64_t work_bytes;
} row_shapes;
/* The shapes of all rows; rows + nnz < 2^31. Zeros may be given to free. */
ek_status eki_row_shapes_find(const ek_context *, const ek_store *csr, int threads,
                              row_shapes *out);
void eki_row_shapes_free(const ek_context *, row_shapes *shapes);

#endif
