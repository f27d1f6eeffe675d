/* SPDX-License-Identifier: BSD-3-Clause
 * The speculative segmented sum, stage by stage, for methods that do other work between the stages,
 * or do the second stage in another way. */
#ifndef EK_GPU_SPMV_CSR_SPECULATIVE_H
#define EK_GPU_SPMV_CSR_SPECULATIVE_H

#include "gpu/gpu.h"

/* Maximum work-items of a group; not all devices allow more. */
enum { EKI_SPECULATIVE_GROUP = 256 };
/* Number of parameters: T, W, B and S, all integers. A parameter that is 0 means the device's
 * default. */
#define EKI_SPECULATIVE_PARAMS 4
/* clang-format off */
#define EKI_SPECULATIVE_ROWS \
	{"t", 1, EKI_SPECULATIVE_GROUP, "lanes of a bunch"}, \
	{"w", 1, 1024, "entries of a tile for each lane"}, \
	{"b", 1, 32, "bunches of a work-group"}, \
	{"s", 1, 64, "tiles of a bunch, one after the other"}
#define EKI_SPECULATIVE_PARAMETERS {EKI_SPECULATIVE_ROWS}
/* clang-format on */

extern const ek_method ek_spmv_gpu_csr_speculative;

/* The state of a prepared step. */
typedef struct eki_speculative {
	int64_t t, w, b, s;
	int64_t leading; /* number of empty rows before the first entry */
	bool published;  /* whether stage 2 is that of csr_speculative_published.c */
	/* notes: the counter of dirty tiles, padded to 16 bytes, then the rows and the partial sums
	 * that bunches note. speculator: rows of dirty tiles. The last two buffers are NULL if
	 * `published`: scratch for sums that may be in wrong rows, and pieces of rows. */
	eki_buffer *notes, *speculator, *sum, *pieces;
	int64_t piece, moving; /* if `published`: offsets in a run's scratch */
	void *speculate, *complete;
} eki_speculative;

/* Moves the sums of a dirty tile to the rows, from `start` to stop - 1, to which they belong; sets
 * those of empty rows to 0. */
typedef void eki_rearrange_fn(const void *row_ptr, int64_t start, int64_t stop, int64_t segments,
                              void *sums);
extern eki_rearrange_fn *const eki_rearrange[EK_NTYPE];

/* Prepares a step, whose refresh function has to be eki_gpu_refresh. Runs may be given a copy of
 * the step that has only the first rows of its store, with `rows`, nnz and y_len reduced
 * accordingly. There, nnz must not be 0. */
ek_status eki_speculative_prepare(eki_step *step, const int64_t param[EKI_SPECULATIVE_PARAMS],
                                  bool published);
/* Returns the bytes of s->notes that a matrix needs. */
int64_t eki_speculative_notes(const ek_store *A, const eki_speculative *s);
/* Puts stage 1 into the device's queue and starts it. After eki_gpu_enter, call this function and
 * then, unless s->published, eki_speculative_finish, before eki_gpu_leave. */
ek_status eki_speculative_start(const eki_step *step, const eki_run *v, const eki_gpu_vectors *on);
/* Waits for stage 1, does the processor's part of stage 2, and puts the device's part of stage 2
 * into the queue. */
ek_status eki_speculative_finish(const eki_step *step, const eki_run *v, const eki_gpu_vectors *on);
/* Waits for the device, and makes the first `bytes` bytes of a buffer accessible to the host, for
 * reading and writing. */
ek_status eki_speculative_take(const eki_step *step, eki_buffer *b, int64_t bytes);
/* Gives a buffer back to the device. The host may have written its first `bytes` bytes. */
ek_status eki_speculative_give(const eki_step *step, eki_buffer *b, int64_t bytes);

#endif
