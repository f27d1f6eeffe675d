/* SPDX-License-Identifier: BSD-3-Clause
 * Memory and copies of the CUDA driver. Copies that block use the stream of the kernels. Those that
 * may run beside kernels have a stream of their own, and an event orders the two streams where one
 * must wait for the other. CUDA lets the host go on during such a copy only if the memory of the
 * host is pinned. */
#include "gpu/cuda.h"

#ifndef EK_NO_GPU

static uint64_t address(const eki_buffer *buffer, int64_t offset)
{
	return (uint64_t)(uintptr_t)buffer->device + (uint64_t)offset;
}

static ek_status take(eki_memory memory, int64_t bytes, void **at, void **host)
{
	uint64_t new;

	if (eki_memory_at_once(memory))
		EK_RETURN_IF(CALL(cuMemAllocManaged, &new, (size_t)bytes, EKI_CUDA_ATTACH_GLOBAL));
	else
		EK_RETURN_IF(CALL(cuMemAlloc_v2, &new, (size_t)bytes));
	*at = (void *)(uintptr_t) new;
	*host = eki_memory_at_once(memory) ? *at : NULL;
	return EK_OK;
}

ek_status eki_cuda_alloc(eki_device *device, eki_memory memory, int64_t bytes, void **at,
                         void **host)
{
	if (memory == EKI_MEMORY_MAPPED)
		return eki_fail(EK_EUNSUPPORTED,
		                "CUDA has no memory that host and device use in turn");
	EK_RETURN_IF(eki_cuda_enter(device));
	return eki_cuda_leave(take(memory, bytes, at, host));
}

void eki_cuda_free(eki_device *device, eki_memory memory, void *at)
{
	(void)memory;
	if (eki_cuda_push(device) != EK_OK)
		return;
	eki_cuda_api.cuMemFree_v2((uint64_t)(uintptr_t)at);
	eki_cuda_leave(EK_OK);
}

static ek_status write_all(const eki_card *c, uint64_t to, const void *from, int64_t bytes)
{
	EK_RETURN_IF(CALL(cuMemcpyHtoDAsync_v2, to, from, (size_t)bytes, c->stream));
	return CALL(cuStreamSynchronize, c->stream);
}

ek_status eki_cuda_write(eki_device *device, const eki_buffer *to, int64_t offset, const void *from,
                         int64_t bytes)
{
	EK_RETURN_IF(eki_cuda_enter(device));
	return eki_cuda_leave(write_all(device->own, address(to, offset), from, bytes));
}

static ek_status read_all(const eki_card *c, uint64_t from, void *to, int64_t bytes)
{
	EK_RETURN_IF(CALL(cuMemcpyDtoHAsync_v2, to, from, (size_t)bytes, c->stream));
	return CALL(cuStreamSynchronize, c->stream);
}

ek_status eki_cuda_read(eki_device *device, const eki_buffer *from, int64_t offset, void *to,
                        int64_t bytes)
{
	EK_RETURN_IF(eki_cuda_enter(device));
	return eki_cuda_leave(read_all(device->own, address(from, offset), to, bytes));
}

ek_status eki_cuda_send(eki_device *device, const eki_buffer *to, int64_t offset, const void *from,
                        int64_t bytes)
{
	const eki_card *c = device->own;

	EK_RETURN_IF(eki_cuda_enter(device));
	return eki_cuda_leave(
		CALL(cuMemcpyHtoDAsync_v2, address(to, offset), from, (size_t)bytes, c->copies));
}

ek_status eki_cuda_fetch(eki_device *device, const eki_buffer *from, int64_t offset, void *to,
                         int64_t bytes)
{
	const eki_card *c = device->own;

	EK_RETURN_IF(eki_cuda_enter(device));
	return eki_cuda_leave(
		CALL(cuMemcpyDtoHAsync_v2, to, address(from, offset), (size_t)bytes, c->copies));
}

static ek_status order(void *first, void *point, void *second)
{
	EK_RETURN_IF(CALL(cuEventRecord, point, first));
	return CALL(cuStreamWaitEvent, second, point, 0);
}

ek_status eki_cuda_follow(eki_device *device, bool copies)
{
	const eki_card *c = device->own;

	EK_RETURN_IF(eki_cuda_enter(device));
	return eki_cuda_leave(copies ? order(c->stream, c->point[0], c->copies)
	                             : order(c->copies, c->point[1], c->stream));
}

ek_status eki_cuda_pin(eki_device *device, void *host, int64_t bytes)
{
	EK_RETURN_IF(eki_cuda_enter(device));
	return eki_cuda_leave(CALL(cuMemHostRegister_v2, host, (size_t)bytes, EKI_CUDA_PORTABLE));
}

void eki_cuda_unpin(eki_device *device, void *host)
{
	if (eki_cuda_enter(device) != EK_OK)
		return;
	eki_cuda_api.cuMemHostUnregister(host);
	eki_cuda_leave(EK_OK);
}

ek_status eki_cuda_clear(eki_device *device, const eki_buffer *buffer)
{
	const eki_card *c = device->own;
	const size_t bytes = (size_t)buffer->bytes;

	EK_RETURN_IF(eki_cuda_enter_command(device));
	return eki_cuda_leave(
		CALL(cuMemsetD8Async, address(buffer, 0), 0, bytes, eki_cuda_stream(c)));
}

ek_status eki_cuda_copy(eki_device *device, const eki_buffer *to, int64_t to_offset,
                        const eki_buffer *from, int64_t from_offset, int64_t bytes)
{
	const eki_card *c = device->own;

	EK_RETURN_IF(eki_cuda_enter_command(device));
	return eki_cuda_leave(CALL(cuMemcpyDtoDAsync_v2, address(to, to_offset),
	                           address(from, from_offset), (size_t)bytes, eki_cuda_stream(c)));
}

ek_status eki_cuda_no_map(eki_device *device, eki_buffer *buffer)
{
	(void)device, (void)buffer;
	return eki_fail(EK_EUNSUPPORTED, "CUDA has no memory that host and device use in turn");
}

#endif
