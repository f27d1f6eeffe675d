/* SPDX-License-Identifier: BSD-3-Clause
 * Products on a device with a matrix that is a sum of parts, each in a format of its own. */
#ifndef EK_SPMV_GPU_COMPOSE_H
#define EK_SPMV_GPU_COMPOSE_H

#include "gpu/gpu.h"

/* Copies the parts of a store to `part`, which has room for EKI_GPU_PARTS, and returns their
 * number. The parts borrow the arrays of the store. */
typedef int eki_gpu_parts_fn(const ek_store *store, ek_store *part);
enum { EKI_GPU_PARTS = 9 };

/* Prepares a step: replaces op T by op N on a transposed copy, then chooses and prepares a method
 * of the device for each part. */
ek_status eki_gpu_compose_prepare(eki_step *step, eki_gpu_parts_fn *parts);
ek_status eki_gpu_compose_run(const eki_step *step, const eki_run *v);

#endif
