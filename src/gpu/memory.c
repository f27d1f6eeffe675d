/* SPDX-License-Identifier: BSD-3-Clause
 * Memory that host and device use: buffers in the three kinds of eki_memory, mirrors of the arrays
 * of a matrix, and the heap of a context whose device shares memory with the host.
 *
 * A mirror is the device's copy of a host array. It is found by the address of the array and lives
 * as long as a plan uses it, so plans of the same matrix share it. Arrays in the shared heap are
 * their own mirrors. */
#include <string.h>

#include "gpu/blocks.h"
#include "gpu/job.h"

#ifndef EK_NO_GPU

/* Size in bytes of the smallest allocation. It is not 0, since kernels may be given an array
 * without entries. */
enum { LEAST_BYTES = 64 };

/* Arrays that are taken at most to see whether there is memory for them. */
enum { ROOM_ARRAYS = 16 };

typedef struct eki_mirror {
	struct eki_mirror *next;
	const void *array;
	uint64_t state;
	int users;
	eki_buffer buffer;
} eki_mirror;

/* ---- Buffers --------------------------------------------------------------------------------- */

ek_status eki_buffer_alloc_in(eki_device *dev, eki_memory memory, int64_t count, size_t size,
                              eki_buffer *out)
{
	eki_buffer b = {.memory = memory};
	int64_t taken;
	ek_status status;

	b.bytes = eki_times(count, (int64_t)size);
	if (b.bytes > PTRDIFF_MAX - LEAST_BYTES)
		return eki_fail(EK_EOVERFLOW,
		                "an array of %lld entries of %zu bytes does not fit the device",
		                (long long)count, size);
	taken = b.bytes < LEAST_BYTES ? LEAST_BYTES : b.bytes;
	status = dev->driver->alloc(dev, memory, taken, &b.device, &b.host);
	if (status == EK_ENOMEM && eki_jobs_trim(dev))
		status = dev->driver->alloc(dev, memory, taken, &b.device, &b.host);
	if (status == EK_OK)
		*out = b;
	return status;
}

ek_status eki_buffer_alloc(eki_device *dev, int64_t count, size_t size, bool both, eki_buffer *out)
{
	ek_status status = EK_OK;
	eki_buffer b;

	EK_RETURN_IF(
		eki_buffer_alloc_in(dev, both ? dev->memory : EKI_MEMORY_COPY, count, size, &b));
	if (both && b.memory == EKI_MEMORY_COPY)
		EK_TRY(eki_alloc(dev->ctx, b.bytes, 1, &b.host));
	*out = b;
done:
	if (status != EK_OK)
		dev->driver->free(dev, b.memory, b.device);
	return status;
}

/* Takes the memory in arrays, and gives it back. OpenCL grants a buffer only a part of the memory,
 * often a quarter. */
ek_status eki_device_room(const ek_context *ctx, int64_t bytes, int64_t array)
{
	eki_buffer b[ROOM_ARRAYS] = {0};
	const int64_t least = bytes / ROOM_ARRAYS + 1, each = array > least ? array : least;
	ek_status status = EK_OK;

	for (int k = 0; k < ROOM_ARRAYS && bytes > 0 && status == EK_OK; k++, bytes -= each)
		status =
			eki_buffer_alloc(ctx->device, bytes < each ? bytes : each, 1, false, &b[k]);
	for (int k = 0; k < ROOM_ARRAYS; k++)
		eki_buffer_free(ctx->device, &b[k]);
	return status;
}

void eki_buffer_free(eki_device *dev, eki_buffer *b)
{
	if (b->mapped)
		dev->driver->unmap(dev, b);
	if (b->device && !b->foreign)
		dev->driver->free(dev, b->memory, b->device);
	if (b->memory == EKI_MEMORY_COPY && !b->foreign)
		eki_free(dev->ctx, b->host, b->bytes, 1);
	*b = (eki_buffer){0};
}

ek_status eki_buffer_host(eki_device *dev, eki_buffer *b)
{
	if (b->memory == EKI_MEMORY_COPY)
		return eki_buffer_read(dev, b, b->host, b->bytes);
	if (eki_memory_at_once(b->memory))
		return dev->driver->wait(dev);
	if (!b->mapped)
		EK_RETURN_IF(dev->driver->map(dev, b));
	b->mapped = true;
	return EK_OK;
}

ek_status eki_buffer_device(eki_device *dev, eki_buffer *b)
{
	if (b->memory == EKI_MEMORY_COPY)
		return eki_buffer_write(dev, b, b->host, b->bytes);
	if (b->mapped)
		EK_RETURN_IF(dev->driver->unmap(dev, b));
	b->mapped = false;
	return EK_OK;
}

ek_status eki_buffer_write(eki_device *dev, const eki_buffer *to, const void *from, int64_t bytes)
{
	if (bytes == 0 || to->device == from)
		return EK_OK;
	EK_RETURN_IF(eki_not_recording());
	atomic_fetch_add(&dev->counted.to_device, bytes);
	if (to->memory == EKI_MEMORY_COPY)
		return dev->driver->write(dev, to, 0, from, bytes);

	eki_buffer b = *to;

	/* A kernel in the queue may still read the old contents of the buffer. */
	EK_RETURN_IF(dev->driver->wait(dev));
	EK_RETURN_IF(eki_buffer_host(dev, &b));
	eki_copy_into(dev->ctx, b.host, from, bytes, 1);
	return to->mapped ? EK_OK : eki_buffer_device(dev, &b);
}

ek_status eki_buffer_read_part(eki_device *dev, const eki_buffer *from, int64_t at, void *to,
                               int64_t bytes)
{
	EK_RETURN_IF(eki_not_recording());
	atomic_fetch_add(&dev->counted.from_device, bytes);
	return dev->driver->read(dev, from, at, to, bytes);
}

ek_status eki_buffer_read(eki_device *dev, const eki_buffer *from, void *to, int64_t bytes)
{
	if (bytes == 0)
		return EK_OK;
	if (from->device == to)
		return dev->driver->wait(dev);
	if (from->memory == EKI_MEMORY_COPY)
		return eki_buffer_read_part(dev, from, 0, to, bytes);

	eki_buffer b = *from;

	EK_RETURN_IF(eki_not_recording());
	atomic_fetch_add(&dev->counted.from_device, bytes);
	EK_RETURN_IF(eki_buffer_host(dev, &b));
	eki_copy_into(dev->ctx, to, b.host, bytes, 1);
	return from->mapped ? EK_OK : eki_buffer_device(dev, &b);
}

/* ---- The shared heap ------------------------------------------------------------------------- */

/* Allocates the elements of dev->blocks outside the shared memory, so that a search of this tree
 * does not fetch pages from the device. */
void *eki_shared_alloc(void *user, size_t alignment, size_t bytes)
{
	eki_device *dev = user;
	eki_block *block = bytes <= PTRDIFF_MAX ? eki_bare_alloc(sizeof *block) : NULL;
	void *device, *host;

	(void)alignment; /* not needed: devices align memory more strictly */
	if (!block ||
	    dev->driver->alloc(dev, EKI_MEMORY_SHARED, (int64_t)bytes, &device, &host) != EK_OK) {
		eki_bare_free(block);
		return NULL;
	}
	*block = (eki_block){.host = host, .device = device, .bytes = bytes};
	pthread_mutex_lock(&dev->heap_lock);
	eki_blocks_add(&dev->blocks, block);
	pthread_mutex_unlock(&dev->heap_lock);
	return host;
}

void eki_shared_dealloc(void *user, void *host, size_t bytes)
{
	eki_device *dev = user;
	eki_block *block;

	(void)bytes;
	pthread_mutex_lock(&dev->heap_lock);
	block = eki_blocks_take(&dev->blocks, host);
	pthread_mutex_unlock(&dev->heap_lock);
	if (!block) { /* the context adopted the array from a caller */
		eki_bare_free(host);
		return;
	}
	dev->driver->free(dev, EKI_MEMORY_SHARED, block->device);
	eki_bare_free(block);
}

void eki_shared_close(eki_device *dev)
{
	while (dev->blocks)
		eki_bare_free(eki_blocks_take(&dev->blocks, dev->blocks->host));
}

bool eki_buffer_around(eki_device *dev, const void *array, int64_t bytes, eki_buffer *out)
{
	bool found;

	if (dev->memory != EKI_MEMORY_SHARED)
		return false;
	pthread_mutex_lock(&dev->heap_lock);
	found = eki_blocks_around(dev->blocks, array, (size_t)bytes) != NULL;
	pthread_mutex_unlock(&dev->heap_lock);
	if (found)
		*out = eki_device_memory(dev, array, bytes);
	return found;
}

/* ---- Mirrors --------------------------------------------------------------------------------- */

static ek_status make_mirror(eki_device *dev, const void *array, int64_t bytes, uint64_t state,
                             eki_mirror **out)
{
	eki_mirror *m;
	void *block;
	ek_status status = EK_OK;

	EK_RETURN_IF(eki_calloc(dev->ctx, 1, sizeof *m, &block));
	m = block;
	*m = (eki_mirror){.array = array, .state = state, .users = 1};
	if (bytes == 0 || !eki_buffer_around(dev, array, bytes, &m->buffer)) {
		EK_TRY(eki_buffer_alloc(dev, bytes, 1, false, &m->buffer));
		EK_TRY(eki_buffer_write(dev, &m->buffer, array, bytes));
	}
	*out = m;
done:
	if (status != EK_OK) {
		eki_buffer_free(dev, &m->buffer);
		eki_free(dev->ctx, m, 1, sizeof *m);
	}
	return status;
}

/* Makes a new mirror for each request if the array has no entries, since such an array has no
 * address of its own. */
ek_status eki_mirror_get(eki_device *dev, const void *array, int64_t bytes, uint64_t state,
                         const eki_buffer **buffer)
{
	eki_mirror *m;

	pthread_mutex_lock(&dev->lock);
	for (m = dev->mirrors; m; m = m->next)
		if (bytes > 0 && m->array == array && m->buffer.bytes == bytes)
			break;
	if (m)
		m->users++;
	pthread_mutex_unlock(&dev->lock);
	if (!m) {
		EK_RETURN_IF(make_mirror(dev, array, bytes, state, &m));
		pthread_mutex_lock(&dev->lock);
		m->next = dev->mirrors;
		dev->mirrors = m;
		pthread_mutex_unlock(&dev->lock);
	}
	*buffer = &m->buffer;
	return eki_mirror_renew(dev, &m->buffer, state);
}

static eki_mirror *mirror_of(const eki_buffer *buffer)
{
	return (eki_mirror *)((uintptr_t)buffer - offsetof(eki_mirror, buffer));
}

ek_status eki_mirror_renew(eki_device *dev, const eki_buffer *buffer, uint64_t state)
{
	eki_mirror *m = mirror_of(buffer);
	ek_status status = EK_OK;

	pthread_mutex_lock(&dev->lock); /* if two plans see new values, only one copies them */
	if (m->state != state && !m->buffer.foreign)
		status = eki_buffer_write(dev, &m->buffer, m->array, m->buffer.bytes);
	if (status == EK_OK)
		m->state = state;
	pthread_mutex_unlock(&dev->lock);
	return status;
}

void eki_mirror_put(eki_device *dev, const eki_buffer *buffer)
{
	eki_mirror *m = mirror_of(buffer), **at;
	bool last;

	pthread_mutex_lock(&dev->lock);
	last = --m->users == 0;
	for (at = &dev->mirrors; last && *at != m;)
		at = &(*at)->next;
	if (last)
		*at = m->next;
	pthread_mutex_unlock(&dev->lock);
	if (last) {
		eki_buffer_free(dev, &m->buffer);
		eki_free(dev->ctx, m, 1, sizeof *m);
	}
}
#endif
