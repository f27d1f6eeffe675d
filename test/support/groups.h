/* SPDX-License-Identifier: BSD-3-Clause
 * Matrices for the method that shares lists of offsets, built in groups of eight rows so that it is
 * known what the method must make of each group: every kind of group, every length of a list, and
 * both sides of every limit. */
#ifndef TEST_GROUPS_H
#define TEST_GROUPS_H

#include "support/shapes.h"

enum { GROUPS_MAX = 512, GROUPS_ANY = -1 };

struct groups {
	struct shape s; /* free it with shape_free */
	int64_t kind
		[GROUPS_MAX]; /* of each group: RUN, EACH or CSR of spmv/patterns.h, or GROUPS_ANY */
	int64_t list[40000];  /* while building: the offsets of a row */
};

int groups_count(void);
/* Builds number k; values are integers of at most 8. */
void groups_make(struct groups *b, int k);

#endif
