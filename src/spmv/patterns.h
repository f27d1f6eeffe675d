/* SPDX-License-Identifier: BSD-3-Clause
 * Shapes that rows share, as patterns.c finds them: for groups of rows, which csr_patterns.c
 * multiplies, or for each row, which devices multiply (spmv_gpu/csr_patterns.c). */
#ifndef EK_SPMV_PATTERNS_H
#define EK_SPMV_PATTERNS_H

#include "plan/plan.h"

/* The shape of a row. `list` is the position of the row's list in an array of uint16_t. A list is
 * the number of entries of the row, then the offsets of their columns. If `list` is WIDE, the row
 * has no list and is read from CSR. If the offsets are 0, 1, 2, ..., STRAIGHT is added to the
 * number; x is then loaded, not gathered, as in dense rows. If TWO_WORDS is added to `list`, the
 * offsets of its list are numbers of 32 bits, each in two places of the array. */
#define WIDE      UINT32_MAX
#define TWO_WORDS (UINT32_C(1) << 31)
#define STRAIGHT  0x8000u
#define LENGTH    0x7fffu
typedef struct row_shape {
	uint32_t list;
	int32_t first; /* column of the first entry, from which the offsets are counted */
} row_shape;

enum { GROUP = 8, MAX_PARTS = 64 /* parts of the rows that have lists of their own */ };
/* Kinds of groups, in the highest two bits of patterns.group. */
#define RUN      (UINT32_C(0) << 30)
#define EACH     (UINT32_C(1) << 30)
#define CSR      (UINT32_C(2) << 30)
#define WIDE_RUN (UINT32_C(3) << 30)
#define KIND     (UINT32_C(3) << 30)

typedef struct patterns {
	/* for each group, its kind plus the index in `shape` of its first shape; a RUN or WIDE_RUN
	 * has 1 shape, an EACH has 8 */
	uint32_t *group;
	row_shape *shape; /* without TWO_WORDS, which the kind of the group tells */
	uint16_t *list;
} patterns;

/* Finds the patterns of step->in[0]; they belong to the plan. Changes step->bytes to the number of
 * bytes that a run with the patterns moves. */
ek_status eki_patterns_find(eki_step *step, patterns **out);

/* Shapes of the single rows of a matrix, without groups, and so without TWO_WORDS. */
typedef struct row_shapes {
	row_shape *of_row; /* shapes of all rows */
	uint16_t *list;
	int64_t lists; /* length of `list` */
	void *work;
	int64_t work_bytes;
} row_shapes;
/* Finds the shapes of all rows of a matrix with rows + nnz < 2^31. Free them with
 * eki_row_shapes_free, which also accepts a struct of zeros. */
ek_status eki_row_shapes_find(const ek_context *, const ek_store *csr, int threads,
                              row_shapes *out);
void eki_row_shapes_free(const ek_context *, row_shapes *shapes);

#endif
