/* SPDX-License-Identifier: BSD-3-Clause
 * Memory that kernels use: its kinds, buffers, mirrors of host arrays, and the heap of a context
 * whose device shares memory with the host (memory.c). Part of gpu.h. */
#ifndef EK_GPU_MEMORY_H
#define EK_GPU_MEMORY_H

#include "plan/plan.h"

/* Ways to hold an array that both host and device use. */
typedef enum eki_memory {
	EKI_MEMORY_COPY = 1,   /* two copies, one of them in the device's own memory */
	EKI_MEMORY_MAPPED = 2, /* one copy, used by host and device in turn: coarse-grained SVM */
	/* one copy, used by host and device at once: fine-grained SVM, CUDA managed memory */
	EKI_MEMORY_SHARED = 3,
	/* The same, and atomic operations of host and device order each other's accesses to it.
	 * Devices with info.atomics have it: fine-grained SVM with atomics, CUDA managed memory. No
	 * context has it for all its arrays; methods take it for what both sides change. */
	EKI_MEMORY_ATOMIC = 4
} eki_memory;

/* Tells whether host and device use memory of a kind at once. */
static inline bool eki_memory_at_once(eki_memory memory)
{
	return memory >= EKI_MEMORY_SHARED;
}

/* A piece of memory that kernels take as an argument. */
typedef struct eki_buffer {
	void *device; /* handle that the driver passes to kernels: a pointer or an OpenCL buffer */
	void *host;   /* host address of the memory or of its copy, or NULL if there is none */
	int64_t bytes;
	eki_memory memory; /* kind of memory; with EKI_MEMORY_COPY, the host cannot use `device` */
	bool foreign;      /* true if the caller or the context's heap owns the memory */
	bool mapped;       /* true while memory of kind EKI_MEMORY_MAPPED is mapped to the host */
} eki_buffer;

/* Allocates a buffer of `count` elements of `size` bytes on the device. If `both` is true, the host
 * uses the buffer too, through eki_buffer_host and eki_buffer_device, and the buffer's kind is
 * device->memory. If that kind is EKI_MEMORY_COPY, the buffer has a copy on the host. */
ek_status eki_buffer_alloc(eki_device *, int64_t count, size_t size, bool both, eki_buffer *out);
/* Allocates a buffer in memory of a kind, which the device must have. Of EKI_MEMORY_COPY it has no
 * copy on the host. If memory runs out, frees temporary buffers that no job uses, and tries again.
 * dev->lock must not be held. */
ek_status eki_buffer_alloc_in(eki_device *, eki_memory memory, int64_t count, size_t size,
                              eki_buffer *out);
void eki_buffer_free(eki_device *, eki_buffer *buffer);
/* eki_buffer_host waits for the device and makes its results available at buffer->host. The host
 * may use these results until eki_buffer_device is called. Together the two calls cost one wait
 * with memory that both use at once, and one copy in each direction with EKI_MEMORY_COPY. */
ek_status eki_buffer_host(eki_device *, eki_buffer *buffer);
ek_status eki_buffer_device(eki_device *, eki_buffer *buffer);
/* Copy `bytes` bytes from a host array to the start of a buffer, and back. */
ek_status eki_buffer_write(eki_device *, const eki_buffer *to, const void *from, int64_t bytes);
ek_status eki_buffer_read(eki_device *, const eki_buffer *from, void *to, int64_t bytes);
/* Copies `bytes` bytes, of which there are some, from byte `at` on of a buffer of kind
 * EKI_MEMORY_COPY. */
ek_status eki_buffer_read_part(eki_device *, const eki_buffer *from, int64_t at, void *to,
                               int64_t bytes);
/* Tells whether `array` is in the context's shared heap. If so, sets *out to a buffer that refers
 * to it. */
bool eki_buffer_around(eki_device *, const void *array, int64_t bytes, eki_buffer *out);
/* Allocate and free memory that host and device share. They are the functions `alloc` and `dealloc`
 * of ek_options in a context whose device shares memory; `user` is the device. eki_shared_dealloc
 * also frees arrays that the context adopted from the caller, which come from another heap. */
void *eki_shared_alloc(void *user, size_t alignment, size_t bytes);
void eki_shared_dealloc(void *user, void *block, size_t bytes);
/* Forgets the blocks that the caller did not free. The driver frees their memory when it closes the
 * device. */
void eki_shared_close(eki_device *);

/* Finds or makes the mirror of a host array: a copy on the device, shared by all plans that use the
 * array. An array in shared memory is its own mirror and is not copied. `state` is the state number
 * of the array's values, or 0 if it never changes. If it differs from that of the last copy, the
 * array is copied again. */
ek_status eki_mirror_get(eki_device *, const void *array, int64_t bytes, uint64_t state,
                         const eki_buffer **buffer);
ek_status eki_mirror_renew(eki_device *, const eki_buffer *buffer, uint64_t state);
void eki_mirror_put(eki_device *, const eki_buffer *buffer); /* removes one user of the mirror */

#endif
