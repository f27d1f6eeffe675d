/* SPDX-License-Identifier: BSD-3-Clause
 * Matrices for the method that shares lists of offsets. They consist of groups of eight rows, and
 * record the kind that the method must find for each. They have every kind of group, every length
 * of a list, and both sides of every limit. */
#ifndef TEST_GROUPS_H
#define TEST_GROUPS_H

#include "support/shapes.h"

enum { GROUPS_MAX = 512, GROUPS_ANY = -1 };

struct groups {
	struct shape s; /* free it with shape_free */
	/* Kind that each group must have: RUN, EACH or CSR of spmv/patterns.h, or GROUPS_ANY. */
	int64_t kind[GROUPS_MAX];
	int64_t list[40000]; /* offsets of the columns of the row that is being built */
};

int groups_count(void);
/* Builds matrix number k, with integers of at most 8 as values. */
void groups_make(struct groups *b, int k);

#endif
