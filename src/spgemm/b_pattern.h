/* SPDX-License-Identifier: BSD-3-Clause
 * What the rows of the right factor of a sparse product have in common. */
#ifndef EK_SPGEMM_B_PATTERN_H
#define EK_SPGEMM_B_PATTERN_H

#include "plan/plan.h"

enum { EKI_RUN = 8 }; /* maximum length of a run */

/* What preparation finds out about B. */
typedef struct eki_b_pattern {
	/* Runs of up to EKI_RUN entries in consecutive columns: those of row i are run_ptr[i] ..
	 * run_ptr[i + 1] - 1, each with its first column and its length. NULL if there are hardly
	 * any. */
	void *run_ptr, *run_col;
	uint8_t *run_len;
	/* Bit i is 1 if row i has the columns of row i - 1, each plus 1. NULL if few rows do. */
	uint64_t *shifted;
	bool far; /* whether B is too large for the cache of a core */
} eki_b_pattern;

/* Examines the rows of B of a step. */
ek_status eki_b_pattern_make(eki_step *step, eki_b_pattern *b);

#endif
