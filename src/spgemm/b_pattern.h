/* SPDX-License-Identifier: BSD-3-Clause
 * What the rows of the right factor of a sparse product have in common. */
#ifndef EK_SPGEMM_B_PATTERN_H
#define EK_SPGEMM_B_PATTERN_H

#include "spgemm/batches.h"

enum {
	EKI_RUN = 8, /* maximum length of a run */
	EKI_SAME = 4 /* maximum number of rows with the same columns that are added at once */
};

/* What preparation finds out about B. */
typedef struct eki_b_pattern {
	/* Runs of entries in consecutive columns, which are cut at the multiples of EKI_RUN: those
	 * of row i are run_ptr[i] .. run_ptr[i + 1] - 1, each with the multiple of EKI_RUN that it
	 * follows, and a bit for each of the EKI_RUN columns from there on. NULL if runs are
	 * short. */
	void *run_ptr, *run_col;
	uint8_t *run_bits;
	/* Bit i is 1 if row i has the columns of row i - 1, each plus 1. NULL if few rows do. */
	uint64_t *shifted;
	/* Bit i is 1 if row i has the columns of row i - 1. NULL if few rows do. */
	uint64_t *same;
	bool far;   /* whether B is too large for the cache of a core */
	bool brief; /* whether no row has more entries than half a vector */
} eki_b_pattern;

/* Examines the rows of B of a step, whose batches are known, unless the products of all announced
 * runs are too few to make up for it. */
ek_status eki_b_pattern_make(eki_step *step, const eki_batches *batches, eki_b_pattern *b);

#endif
