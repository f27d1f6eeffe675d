/* SPDX-License-Identifier: BSD-3-Clause
 * The functions and constants of CUDA's driver interface and of NVRTC that this library uses. They
 * are declared with types of our own, since NVIDIA's headers need not be installed. Handles are
 * opaque pointers, and a device address is 64 bits wide. Where a function's name ends in _v2,
 * NVIDIA's cuda.h defines the name without _v2 to mean the same function. Source: NVIDIA, CUDA
 * Driver API and NVRTC reference, 12.0 to 13.0. Drivers have had all these functions since version
 * 11.2. */
#ifndef EK_GPU_CUDA_API_H
#define EK_GPU_CUDA_API_H

#include <stddef.h>
#include <stdint.h>

/* Lists of functions, as X(name, parameters). Each function returns an int, which is 0 for
 * success. */
#define EKI_CUDA_FUNCTIONS(X)                                                                    \
	X(cuInit, (unsigned flags))                                                              \
	X(cuGetErrorName, (int error, const char **name))                                        \
	X(cuDriverGetVersion, (int *version))                                                    \
	X(cuDeviceGetCount, (int *count))                                                        \
	X(cuDeviceGet, (int *device, int k))                                                     \
	X(cuDeviceGetName, (char *name, int size, int device))                                   \
	X(cuDeviceGetAttribute, (int *value, int attribute, int device))                         \
	X(cuDeviceTotalMem_v2, (size_t * bytes, int device))                                     \
	X(cuDevicePrimaryCtxRetain, (void **context, int device))                                \
	X(cuDevicePrimaryCtxRelease_v2, (int device))                                            \
	X(cuCtxPushCurrent_v2, (void *context))                                                  \
	X(cuCtxPopCurrent_v2, (void **context))                                                  \
	X(cuStreamCreate, (void **stream, unsigned flags))                                       \
	X(cuStreamDestroy_v2, (void *stream))                                                    \
	X(cuStreamSynchronize, (void *stream))                                                   \
	X(cuStreamWaitEvent, (void *stream, void *event, unsigned flags))                        \
	X(cuEventCreate, (void **event, unsigned flags))                                         \
	X(cuEventDestroy_v2, (void *event))                                                      \
	X(cuEventRecord, (void *event, void *stream))                                            \
	X(cuEventSynchronize, (void *event))                                                     \
	X(cuEventElapsedTime, (float *milliseconds, void *from, void *to))                       \
	X(cuMemAlloc_v2, (uint64_t * address, size_t bytes))                                     \
	X(cuMemAllocManaged, (uint64_t * address, size_t bytes, unsigned flags))                 \
	X(cuMemFree_v2, (uint64_t address))                                                      \
	X(cuMemHostRegister_v2, (void *host, size_t bytes, unsigned flags))                      \
	X(cuMemHostUnregister, (void *host))                                                     \
	X(cuMemcpyHtoDAsync_v2, (uint64_t to, const void *from, size_t bytes, void *stream))     \
	X(cuMemcpyDtoHAsync_v2, (void *to, uint64_t from, size_t bytes, void *stream))           \
	X(cuMemcpyDtoDAsync_v2, (uint64_t to, uint64_t from, size_t bytes, void *stream))        \
	X(cuMemsetD8Async, (uint64_t to, unsigned char value, size_t bytes, void *stream))       \
	X(cuModuleLoadDataEx,                                                                    \
	  (void **module, const void *image, unsigned options, int *option, void **value))       \
	X(cuModuleUnload, (void *module))                                                        \
	X(cuModuleGetFunction, (void **function, void *module, const char *name))                \
	X(cuFuncGetAttribute, (int *value, int attribute, void *function))                       \
	X(cuFuncSetAttribute, (void *function, int attribute, int value))                        \
	X(cuLaunchKernel, (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,    \
	                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned local, \
	                   void *stream, void **parameters, void **extra))

/* Functions for graphs, which drivers before CUDA 11.4 lack. */
#define EKI_CUDA_GRAPHS(X)                                                               \
	X(cuStreamBeginCapture_v2, (void *stream, int mode))                             \
	X(cuStreamEndCapture, (void *stream, void **graph))                              \
	X(cuGraphInstantiateWithFlags, (void **executable, void *graph, uint64_t flags)) \
	X(cuGraphDestroy, (void *graph))                                                 \
	X(cuGraphLaunch, (void *executable, void *stream))                               \
	X(cuGraphExecDestroy, (void *executable))

#define EKI_NVRTC_FUNCTIONS(X)                                                                  \
	X(nvrtcVersion, (int *major, int *minor))                                               \
	X(nvrtcGetNumSupportedArchs, (int *count))                                              \
	X(nvrtcGetSupportedArchs, (int *arch))                                                  \
	X(nvrtcCreateProgram, (void **program, const char *text, const char *name, int headers, \
	                       const char *const *header, const char *const *include))          \
	X(nvrtcDestroyProgram, (void **program))                                                \
	X(nvrtcCompileProgram, (void *program, int options, const char *const *option))         \
	X(nvrtcGetPTXSize, (void *program, size_t *bytes))                                      \
	X(nvrtcGetPTX, (void *program, char *ptx))                                              \
	X(nvrtcGetCUBINSize, (void *program, size_t *bytes))                                    \
	X(nvrtcGetCUBIN, (void *program, char *cubin))                                          \
	X(nvrtcGetProgramLogSize, (void *program, size_t *bytes))                               \
	X(nvrtcGetProgramLog, (void *program, char *log))

#define EKI_FUNCTION_POINTER(name, parameters) int(*name) parameters;
#define EKI_FUNCTION_NAME(name, parameters)    #name,

/* Constants from NVIDIA's cuda.h and nvrtc.h. */
enum {
	EKI_CUDA_OUT_OF_MEMORY = 2, /* of type CUresult */
	/* The next 9 constants are of type CUdevice_attribute. EKI_CUDA_LOCAL is the maximum size
	 * in bytes of the static shared memory of a block, EKI_CUDA_LOCAL_MOST that of all its
	 * shared memory. */
	EKI_CUDA_LOCAL = 8,
	EKI_CUDA_WARP = 10,
	EKI_CUDA_UNITS = 16,
	EKI_CUDA_INTEGRATED = 18,
	EKI_CUDA_MAJOR = 75,
	EKI_CUDA_MINOR = 76,
	EKI_CUDA_MANAGED = 83,
	EKI_CUDA_CONCURRENT_MANAGED = 89,
	EKI_CUDA_LOCAL_MOST = 97,
	EKI_CUDA_FUNCTION_LOCAL = 8,  /* of type CUfunction_attribute: most dynamic shared memory */
	EKI_CUDA_ATTACH_GLOBAL = 1,   /* of type CUmemAttach_flags */
	EKI_CUDA_NON_BLOCKING = 1,    /* of type CUstream_flags */
	EKI_CUDA_CAPTURE_RELAXED = 2, /* of type CUstreamCaptureMode */
	EKI_CUDA_PORTABLE = 1,        /* bit of cuMemHostRegister: pinned in all contexts */
	EKI_CUDA_ERROR_LOG = 5,       /* of type CUjit_option, like the next constant */
	EKI_CUDA_ERROR_LOG_SIZE = 6
};
enum { EKI_NVRTC_OUT_OF_MEMORY = 1 }; /* of type nvrtcResult */

#endif
