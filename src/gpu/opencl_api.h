/* SPDX-License-Identifier: BSD-3-Clause
 * The part of OpenCL 1.2, and of the shared virtual memory (SVM) of OpenCL 2.0, that our OpenCL
 * driver uses: types, constants, and lists of the functions. No OpenCL header is needed to build,
 * and the library is loaded when it is first needed. The names are those of the standard. */
#ifndef EK_GPU_OPENCL_API_H
#define EK_GPU_OPENCL_API_H

#include "gpu/gpu.h"

typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_bits;
typedef intptr_t cl_property;
typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_program *cl_program;
typedef struct _cl_kernel *cl_kernel;
typedef struct _cl_event *cl_event;
typedef void cl_context_notify(const char *, const void *, size_t, void *);
typedef void cl_program_notify(cl_program, void *);

enum {
	CL_PLATFORM_VERSION = 0x0901,
	CL_PLATFORM_NAME = 0x0902,
	CL_DEVICE_TYPE = 0x1000,
	CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
	CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
	CL_DEVICE_LOCAL_MEM_SIZE = 0x1023,
	CL_DEVICE_NAME = 0x102B,
	CL_DRIVER_VERSION = 0x102D,
	CL_DEVICE_VERSION = 0x102F,
	CL_DEVICE_EXTENSIONS = 0x1030,
	CL_DEVICE_DOUBLE_FP_CONFIG = 0x1032,
	CL_DEVICE_HOST_UNIFIED_MEMORY = 0x1035,
	CL_DEVICE_OPENCL_C_VERSION = 0x103D,
	CL_DEVICE_SVM_CAPABILITIES = 0x1053,
	CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES = 0x1063,
	CL_DEVICE_WARP_SIZE_NV = 0x4003,
	CL_DEVICE_WAVEFRONT_WIDTH_AMD = 0x4043,
	CL_DEVICE_SUB_GROUP_SIZES_INTEL = 0x4108,
	CL_CONTEXT_PLATFORM = 0x1084,
	CL_PROGRAM_BINARY_SIZES = 0x1165,
	CL_PROGRAM_BINARIES = 0x1166,
	CL_PROGRAM_BUILD_LOG = 0x1183,
	CL_EVENT_COMMAND_EXECUTION_STATUS = 0x11D3,
	CL_PROFILING_COMMAND_END = 0x1283
};

enum { /* bit flags */
       CL_DEVICE_TYPE_CPU = 1 << 1,
       CL_DEVICE_TYPE_GPU = 1 << 2,
       CL_DEVICE_SVM_COARSE_GRAIN_BUFFER = 1 << 0,
       CL_DEVICE_SVM_FINE_GRAIN_BUFFER = 1 << 1,
       CL_DEVICE_SVM_ATOMICS = 1 << 3,
       CL_DEVICE_ATOMIC_ORDER_ACQ_REL = 1 << 1,
       CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES = 1 << 6,
       CL_QUEUE_PROFILING_ENABLE = 1 << 1,
       CL_MEM_READ_WRITE = 1 << 0,
       CL_MEM_SVM_FINE_GRAIN_BUFFER = 1 << 10,
       CL_MEM_SVM_ATOMICS = 1 << 11,
       CL_MAP_READ = 1 << 0,
       CL_MAP_WRITE = 1 << 1
};
#define CL_DEVICE_TYPE_ALL 0xFFFFFFFFu

/* Result codes that our driver tests for. opencl_api.c has the names of all codes. */
enum {
	CL_SUCCESS = 0,
	CL_COMPLETE = 0, /* status of a command that has ended */
	CL_DEVICE_NOT_FOUND = -1,
	CL_MEM_OBJECT_ALLOCATION_FAILURE = -4,
	CL_OUT_OF_RESOURCES = -5,
	CL_OUT_OF_HOST_MEMORY = -6,
	CL_INVALID_VALUE = -30,
	CL_INVALID_BUFFER_SIZE = -61,
	CL_PLATFORM_NOT_FOUND_KHR = -1001
};

#define CL_WAITS cl_uint, const cl_event *, cl_event *

/* Lists of functions, as X(type of the result, name, parameters). */
#define EKI_CL_CORE(X)                                                                            \
	X(cl_int, clGetPlatformIDs, (cl_uint, cl_platform_id *, cl_uint *))                       \
	X(cl_int, clGetPlatformInfo, (cl_platform_id, cl_uint, size_t, void *, size_t *))         \
	X(cl_int, clGetDeviceIDs, (cl_platform_id, cl_bits, cl_uint, cl_device_id *, cl_uint *))  \
	X(cl_int, clGetDeviceInfo, (cl_device_id, cl_uint, size_t, void *, size_t *))             \
	X(cl_context, clCreateContext,                                                            \
	  (const cl_property *, cl_uint, const cl_device_id *, cl_context_notify *, void *,       \
	   cl_int *))                                                                             \
	X(cl_int, clReleaseContext, (cl_context))                                                 \
	X(cl_command_queue, clCreateCommandQueue, (cl_context, cl_device_id, cl_bits, cl_int *))  \
	X(cl_int, clReleaseCommandQueue, (cl_command_queue))                                      \
	X(cl_mem, clCreateBuffer, (cl_context, cl_bits, size_t, void *, cl_int *))                \
	X(cl_int, clReleaseMemObject, (cl_mem))                                                   \
	X(cl_program, clCreateProgramWithSource,                                                  \
	  (cl_context, cl_uint, const char **, const size_t *, cl_int *))                         \
	X(cl_program, clCreateProgramWithBinary,                                                  \
	  (cl_context, cl_uint, const cl_device_id *, const size_t *, const unsigned char **,     \
	   cl_int *, cl_int *))                                                                   \
	X(cl_int, clBuildProgram,                                                                 \
	  (cl_program, cl_uint, const cl_device_id *, const char *, cl_program_notify *, void *)) \
	X(cl_int, clGetProgramBuildInfo,                                                          \
	  (cl_program, cl_device_id, cl_uint, size_t, void *, size_t *))                          \
	X(cl_int, clGetProgramInfo, (cl_program, cl_uint, size_t, void *, size_t *))              \
	X(cl_int, clReleaseProgram, (cl_program))                                                 \
	X(cl_kernel, clCreateKernel, (cl_program, const char *, cl_int *))                        \
	X(cl_int, clReleaseKernel, (cl_kernel))                                                   \
	X(cl_int, clSetKernelArg, (cl_kernel, cl_uint, size_t, const void *))                     \
	X(cl_int, clEnqueueNDRangeKernel,                                                         \
	  (cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *,  \
	   CL_WAITS))                                                                             \
	X(cl_int, clEnqueueReadBuffer,                                                            \
	  (cl_command_queue, cl_mem, cl_uint, size_t, size_t, void *, CL_WAITS))                  \
	X(cl_int, clEnqueueWriteBuffer,                                                           \
	  (cl_command_queue, cl_mem, cl_uint, size_t, size_t, const void *, CL_WAITS))            \
	X(cl_int, clEnqueueFillBuffer,                                                            \
	  (cl_command_queue, cl_mem, const void *, size_t, size_t, size_t, CL_WAITS))             \
	X(cl_int, clEnqueueCopyBuffer,                                                            \
	  (cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, CL_WAITS))                   \
	X(cl_int, clEnqueueMarkerWithWaitList, (cl_command_queue, CL_WAITS))                      \
	X(cl_int, clEnqueueBarrierWithWaitList, (cl_command_queue, CL_WAITS))                     \
	X(cl_int, clFlush, (cl_command_queue))                                                    \
	X(cl_int, clFinish, (cl_command_queue))                                                   \
	X(cl_int, clWaitForEvents, (cl_uint, const cl_event *))                                   \
	X(cl_int, clGetEventInfo, (cl_event, cl_uint, size_t, void *, size_t *))                  \
	X(cl_int, clGetEventProfilingInfo, (cl_event, cl_uint, size_t, void *, size_t *))         \
	X(cl_int, clReleaseEvent, (cl_event))

/* Functions of OpenCL 2.0. A library of OpenCL 1.2 lacks them; then host and device cannot share
 * memory. */
#define EKI_CL_SVM(X)                                                                              \
	X(void *, clSVMAlloc, (cl_context, cl_bits, size_t, cl_uint))                              \
	X(void, clSVMFree, (cl_context, void *))                                                   \
	X(cl_int, clSetKernelArgSVMPointer, (cl_kernel, cl_uint, const void *))                    \
	X(cl_int, clEnqueueSVMMap, (cl_command_queue, cl_uint, cl_bits, void *, size_t, CL_WAITS)) \
	X(cl_int, clEnqueueSVMUnmap, (cl_command_queue, void *, CL_WAITS))                         \
	X(cl_int, clEnqueueSVMMemFill,                                                             \
	  (cl_command_queue, void *, const void *, size_t, size_t, CL_WAITS))                      \
	X(cl_int, clEnqueueSVMMemcpy,                                                              \
	  (cl_command_queue, cl_uint, void *, const void *, size_t, CL_WAITS))

/* Pointers to OpenCL's functions, in the order of EKI_CL_CORE and EKI_CL_SVM. Tests replace some of
 * them. */
struct eki_cl {
#define EKI_CL_POINTER(type, name, params) type(*name) params;
	EKI_CL_CORE(EKI_CL_POINTER)
	EKI_CL_SVM(EKI_CL_POINTER)
#undef EKI_CL_POINTER
	bool svm; /* true if the library has all functions of EKI_CL_SVM */
};
extern struct eki_cl eki_cl;

/* Loads the OpenCL library and fills eki_cl. The caller must hold a lock. */
ek_status eki_cl_load(void);
/* Returns EK_OK if `code` is not negative. Otherwise fails with a message that names the call and
 * the code. */
ek_status eki_cl_check(const char *call, cl_int code);
#define EKI_CL(name, ...) eki_cl_check(#name, eki_cl.name(__VA_ARGS__))

#define EKI_CL_HINT "install an OpenCL driver, for the processor pocl-opencl-icd"

/* ---- opencl_queue.c -------------------------------------------------------------------------- */

enum { EKI_CL_PENDING = 64 }; /* maximum number of commands whose results are not yet checked */

/* The OpenCL driver's data about an open device. eki_device.own points to it. */
typedef struct eki_cl_own {
	cl_device_id id;
	cl_context context;
	cl_command_queue queue;
	cl_command_queue copies; /* queue of eki_cl_send and eki_cl_fetch */
	_Atomic bool copied;     /* true once `copies` has had a command */
	const char *options;     /* options for the compiler */
	char host_options[128];  /* those for programs with EKI_HOST_ATOMICS */
	bool host_clock; /* true if marks use the host's clock, as the device gives no times */
	cl_event mark[2];
	double mark_time[2];  /* times of the two marks in seconds, if host_clock is true */
	pthread_mutex_t lock; /* protects the fields below */
	cl_event pending[EKI_CL_PENDING];
	int count;
	cl_int failed; /* code of the first command that failed while it ran, or CL_SUCCESS */
} eki_cl_own;

void eki_cl_forget(eki_cl_own *o); /* releases the events of all pending commands */
ek_status eki_cl_alloc(eki_device *d, eki_memory memory, int64_t bytes, void **device, void **host);
void eki_cl_free(eki_device *d, eki_memory memory, void *device);
ek_status eki_cl_write(eki_device *d, const eki_buffer *to, int64_t offset, const void *from,
                       int64_t bytes);
ek_status eki_cl_read(eki_device *d, const eki_buffer *from, int64_t offset, void *to,
                      int64_t bytes);
ek_status eki_cl_send(eki_device *d, const eki_buffer *to, int64_t offset, const void *from,
                      int64_t bytes);
ek_status eki_cl_fetch(eki_device *d, const eki_buffer *from, int64_t offset, void *to,
                       int64_t bytes);
ek_status eki_cl_follow(eki_device *d, bool copies);
ek_status eki_cl_copy(eki_device *d, const eki_buffer *to, int64_t to_offset,
                      const eki_buffer *from, int64_t from_offset, int64_t bytes);
ek_status eki_cl_clear(eki_device *d, const eki_buffer *buffer);
ek_status eki_cl_map(eki_device *d, eki_buffer *buffer);
ek_status eki_cl_unmap(eki_device *d, eki_buffer *buffer);
ek_status eki_cl_launch(eki_device *d, void *kernel, int64_t groups, int group_size,
                        const eki_arg *args, int count);
ek_status eki_cl_flush(eki_device *d);
ek_status eki_cl_wait(eki_device *d);
ek_status eki_cl_mark(eki_device *d, int which);
ek_status eki_cl_elapsed(eki_device *d, double *seconds);

/* ---- opencl_program.c ------------------------------------------------------------------------ */

ek_status eki_cl_build(eki_device *d, const char *name, const char *text, const void *binary,
                       size_t bytes, void **program);
ek_status eki_cl_save(eki_device *d, void *program, void **binary, int64_t *bytes);
void eki_cl_unload(eki_device *d, void *program);
ek_status eki_cl_kernel(eki_device *d, void *program, const char *name, void **kernel);
void eki_cl_drop(eki_device *d, void *kernel);

#endif
