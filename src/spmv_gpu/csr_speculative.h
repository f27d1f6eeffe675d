/* SPDX-License-Identifier: BSD-3-Clause
 * The speculative segmented sum, stage by stage, for methods that do other work between the
 * stages. */
#ifndef EK_GPU_SPMV_CSR_SPECULATIVE_H
#define EK_GPU_SPMV_CSR_SPECULATIVE_H

#include "gpu/gpu.h"

/* Number of parameters: T, W, B and S, all integers. A parameter that is 0 means the device's
 * default. */
#define EKI_SPECULATIVE_PARAMS 4

extern const ek_method ek_spmv_gpu_csr_speculative;

/* Prepares a step, whose refresh function has to be eki_gpu_refresh. Runs may be given a copy of
 * the step that has only the first rows of its store, with `rows`, nnz and y_len reduced
 * accordingly. There, nnz must not be 0. */
ek_status eki_speculative_prepare(eki_step *step, const int64_t param[EKI_SPECULATIVE_PARAMS]);
/* Puts stage 1 into the device's queue and starts it. After eki_gpu_enter, call this function and
 * then eki_speculative_finish, before eki_gpu_leave. */
ek_status eki_speculative_start(const eki_step *step, const eki_run *v, const eki_gpu_vectors *on);
/* Waits for stage 1, does the processor's part of stage 2, and puts the device's part of stage 2
 * into the queue. */
ek_status eki_speculative_finish(const eki_step *step, const eki_run *v, const eki_gpu_vectors *on);

#endif
