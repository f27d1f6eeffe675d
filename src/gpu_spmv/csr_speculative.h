/* SPDX-License-Identifier: BSD-3-Clause
 * The speculative segmented sum by its stages, for methods that do something else in between. */
#ifndef EK_GPU_SPMV_CSR_SPECULATIVE_H
#define EK_GPU_SPMV_CSR_SPECULATIVE_H

#include "gpu/gpu.h"

/* Whole numbers T, W, B and S; 0: as the device wants it. */
#define EKI_SPECULATIVE_PARAMS 4

/* A method's prepare; its refresh is eki_gpu_refresh. Runs may be given a copy of the plan whose
 * store is that of the plan, cut off behind a row: fewer rows, y_len and nnz, nnz not 0. */
ek_status eki_speculative_prepare(ek_plan *plan, const int64_t param[EKI_SPECULATIVE_PARAMS]);
/* Between eki_gpu_enter and eki_gpu_leave: stage 1 is in the queue, and has started; */
ek_status eki_speculative_start(const ek_plan *plan, const ek_args *args, const eki_gpu_vectors *v);
/* waits for it, does the processor's part of stage 2, and puts the end of it into the queue. */
ek_status eki_speculative_finish(const ek_plan *plan, const ek_args *args,
                                 const eki_gpu_vectors *v);

#endif
