/* SPDX-License-Identifier: BSD-3-Clause
 * The state and the runs of SpGEMM by batches of rows of A on a device (csr_batches.c). */
#ifndef EK_SPGEMM_GPU_CSR_BATCHES_H
#define EK_SPGEMM_GPU_CSR_BATCHES_H

#include "both/sparse.h"

typedef struct eki_batched {
	const ek_method *method; /* that computes a batch */
	int64_t rows_room;       /* bytes for the rows of A and D of a batch */
	int64_t limit;           /* bytes for B or a slice of it, a batch, and its rows of C */
	int64_t count;           /* batches */
	eki_slices slices;       /* of columns of B; none if B stays on the device */
} eki_batched;

/* Returns the bytes that `rows` rows take, with `entries` entries in A and D. */
int64_t eki_batched_bytes(const ek_store *A, int64_t rows, int64_t entries);
/* Returns the end of the batch that begins with row `begin`: as many rows as have room, or one. */
int64_t eki_batched_end(const eki_step *step, int64_t begin);
/* Does a run of the method. */
ek_status eki_batched_run(const eki_step *step, const eki_run *v);

#endif
