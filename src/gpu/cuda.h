/* SPDX-License-Identifier: BSD-3-Clause
 * Declarations shared by cuda.c and cuda_load.c, which together are our CUDA driver: the functions
 * of NVIDIA's driver library, and the check of their results. */
#ifndef EK_GPU_CUDA_H
#define EK_GPU_CUDA_H

#include "gpu/cuda_api.h"
#include "gpu/gpu.h"

/* Pointers to the functions of CUDA's driver interface. They are valid once eki_cuda_count has
 * returned EK_OK. */
extern struct eki_cuda_api {
	EKI_CUDA_FUNCTIONS(EKI_FUNCTION_POINTER)
} eki_cuda_api;

/* Returns EK_OK if `result` is 0. Otherwise fails with a message that names the call and the
 * error. */
ek_status eki_cuda_check(int result, const char *call);
#define CALL(function, ...) eki_cuda_check(eki_cuda_api.function(__VA_ARGS__), #function)

/* Implement the members `count` and `info` of eki_driver for CUDA. */
ek_status eki_cuda_count(int *count);
ek_status eki_cuda_info(int k, ek_device_info *info);
/* Returns the newest CUDA version that the installed driver supports, as a number: 13000 for
 * 13.0. */
int eki_cuda_version(void);

#endif
