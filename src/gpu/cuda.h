/* SPDX-License-Identifier: BSD-3-Clause
 * Declarations shared by cuda.c, cuda_memory.c, cuda_graph.c and cuda_load.c, which together are
 * our CUDA driver: the functions of NVIDIA's driver library, the check of their results, and an
 * open device. */
#ifndef EK_GPU_CUDA_H
#define EK_GPU_CUDA_H

#include "gpu/cuda_api.h"
#include "gpu/gpu.h"

/* Pointers to the functions of CUDA's driver interface. They are valid once eki_cuda_count has
 * returned EK_OK. */
extern struct eki_cuda_api {
	EKI_CUDA_FUNCTIONS(EKI_FUNCTION_POINTER)
	EKI_CUDA_GRAPHS(EKI_FUNCTION_POINTER)
	bool graphs; /* true if the driver has all functions of EKI_CUDA_GRAPHS */
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

/* An open device. eki_device.own points to it. */
typedef struct eki_card {
	int device;
	void *context, *stream, *time[2];
	void *copies;   /* stream of eki_cuda_send and eki_cuda_fetch */
	void *point[2]; /* events of eki_cuda_follow, for the two streams */
	int arch;       /* 10 times the compute capability: 90 for 9.0 */
} eki_card;

/* Makes the device's context current in this thread. eki_cuda_enter fails while the thread records;
 * eki_cuda_enter_command does not, and counts a command. */
static inline ek_status eki_cuda_push(const eki_device *device)
{
	return CALL(cuCtxPushCurrent_v2, ((const eki_card *)device->own)->context);
}
static inline ek_status eki_cuda_enter(const eki_device *device)
{
	EK_RETURN_IF(eki_not_recording());
	return eki_cuda_push(device);
}
static inline ek_status eki_cuda_enter_command(const eki_device *device)
{
	eki_recording.commands += eki_recording.on;
	return eki_cuda_push(device);
}
/* The stream from which this thread records, or NULL. */
extern _Thread_local void *eki_cuda_recorder;
/* Returns the stream for a command. */
static inline void *eki_cuda_stream(const eki_card *c)
{
	return eki_cuda_recorder ? eki_cuda_recorder : c->stream;
}
/* Makes the thread's own context current again. Returns `status`, the result of the calls since
 * eki_cuda_enter. */
static inline ek_status eki_cuda_leave(ek_status status)
{
	void *context;

	eki_cuda_api.cuCtxPopCurrent_v2(&context);
	return status;
}

/* ---- cuda_graph.c: members of eki_driver ----------------------------------------------------- */

ek_status eki_cuda_record(eki_device *device);
ek_status eki_cuda_recorded(eki_device *device, void **commands);
ek_status eki_cuda_replay(eki_device *device, void *commands);
void eki_cuda_erase(eki_device *device, void *commands);

/* ---- cuda_memory.c: members of eki_driver ---------------------------------------------------- */

ek_status eki_cuda_alloc(eki_device *device, eki_memory memory, int64_t bytes, void **at,
                         void **host);
void eki_cuda_free(eki_device *device, eki_memory memory, void *at);
ek_status eki_cuda_write(eki_device *device, const eki_buffer *to, int64_t offset, const void *from,
                         int64_t bytes);
ek_status eki_cuda_read(eki_device *device, const eki_buffer *from, int64_t offset, void *to,
                        int64_t bytes);
ek_status eki_cuda_send(eki_device *device, const eki_buffer *to, int64_t offset, const void *from,
                        int64_t bytes);
ek_status eki_cuda_fetch(eki_device *device, const eki_buffer *from, int64_t offset, void *to,
                         int64_t bytes);
ek_status eki_cuda_follow(eki_device *device, bool copies);
ek_status eki_cuda_pin(eki_device *device, void *host, int64_t bytes);
void eki_cuda_unpin(eki_device *device, void *host);
ek_status eki_cuda_copy(eki_device *device, const eki_buffer *to, int64_t to_offset,
                        const eki_buffer *from, int64_t from_offset, int64_t bytes);
ek_status eki_cuda_clear(eki_device *device, const eki_buffer *buffer);
ek_status eki_cuda_no_map(eki_device *device, eki_buffer *buffer);

#endif
