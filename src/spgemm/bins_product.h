/* SPDX-License-Identifier: BSD-3-Clause
 * The state and the runs of SpGEMM by bins, for spgemm/csr_bins.c. */
#ifndef EK_SPGEMM_BINS_PRODUCT_H
#define EK_SPGEMM_BINS_PRODUCT_H

#include "spgemm/bins_rows.h"

typedef struct eki_bins_state {
	eki_bins bins;
	eki_bins_tools tools;
	eki_bin_memory memory;
	bool keys;         /* whether groups 3 and 4 have methods of their own */
	int64_t temporary; /* entries of the temporary rows */
	/* rows of a piece of each bin; pieces of this bin and of all bins after it */
	int64_t piece_rows[EKI_BINS], piece_end[EKI_BINS];
	int64_t scratch, counted, counted_bytes; /* in the scratch of a run */
	/* of the last run that made C: temporary bytes, these without the bounds, launches */
	_Atomic int64_t bytes, uncapped, launches;
} eki_bins_state;

/* Computes C: stages 3 and 4. */
ek_status eki_bins_run(const eki_step *step, const eki_run *v);

#endif
