/* SPDX-License-Identifier: BSD-3-Clause
 * Transpositions, which the methods of the operation `transpose` and the conversions of matrices
 * share. The algorithms write to arrays of the caller, use scratch of the caller and cannot
 * fail. */
#ifndef EK_TRANSPOSE_TRANSPOSE_H
#define EK_TRANSPOSE_TRANSPOSE_H

#include "plan/plan.h"

/* What is transposed, and where the result goes. */
typedef struct eki_flip {
	const ek_context *ctx;
	int threads;
	const ek_store *in;
	ek_store *out; /* CSR with arrays of the right lengths */
	bool values;   /* whether `out` has the pattern already, so that only values are written */
	/* gets nnz positions, of the type of row pointers: entry k of `out` came from entry from[k]
	 * of `in`. May be NULL */
	void *from;
} eki_flip;

/* Sets *flip to the transposition that a run does, from step->in[0] to run->C. First allocates the
 * arrays of run->C if it has none. */
ek_status eki_flip_begin(const eki_step *step, const eki_run *run, eki_flip *flip);
/* Returns the number of parts for a transposition of `in` on `threads` threads: 1 if there is
 * little work. */
int eki_flip_parts(const ek_context *ctx, const ek_store *in, int threads);

/* ---- csr_scan.c ------------------------------------------------------------------------------ */

/* Returns the largest number of parts, at most `parts`, with which there are not more counters than
 * entries. */
int eki_scan_parts(const ek_store *in, int parts);
/* Returns the bytes of scratch that eki_scan_flip needs, also for an existing pattern if
 * `values`. */
int64_t eki_scan_bytes(const ek_store *in, int parts, bool values);
void eki_scan_flip(const eki_flip *flip, int parts, void *scratch);
/* Predicts the time of a transposition by scanned counters, in nanoseconds. */
double eki_scan_cost(const eki_features *f);

#endif
