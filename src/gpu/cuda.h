/* SPDX-License-Identifier: BSD-3-Clause
 * Calls into CUDA's driver interface, for the files of that driver. */
#ifndef EK_GPU_CUDA_H
#define EK_GPU_CUDA_H

#include "gpu/cuda_api.h"
#include "gpu/gpu.h"

/* There after eki_cuda_count said EK_OK. */
extern struct eki_cuda_api {
	EKI_CUDA_FUNCTIONS(EKI_FUNCTION_POINTER)
} eki_cuda_api;

/* EK_OK, or the message with the name of the call, and that of the error. */
ek_status eki_cuda_check(int result, const char *call);
#define CALL(function, ...) eki_cuda_check(eki_cuda_api.function(__VA_ARGS__), #function)

/* As in eki_driver. */
ek_status eki_cuda_count(int *count);
ek_status eki_cuda_info(int k, ek_device_info *info);
/* The newest CUDA that the driver understands: 13000 for 13.0. */
int eki_cuda_version(void);

#endif
