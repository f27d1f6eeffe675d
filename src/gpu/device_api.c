/* SPDX-License-Identifier: BSD-3-Clause
 * The public functions for the device of a context. They query the device, allocate its memory,
 * copy to and from that memory, and time the device's work. */
#include <string.h>

#include "gpu/gpu.h"

#ifndef EK_NO_GPU

static ek_status device_of(const ek_context *ctx, eki_device **device)
{
	*device = NULL;
	EK_RETURN_IF(eki_context_check(ctx));
	if (!ctx->device)
		return eki_fail(EK_EDEVICE, "the context has no device (ek_options.device, "
		                            "environment variable EK_DEVICE)");
	*device = ctx->device;
	return EK_OK;
}

ek_status ek_context_get_device(const ek_context *ctx, ek_device_info *info)
{
	eki_device *dev;

	EK_RETURN_IF(EKI_STRUCT_CHECK("info", ek_device_info, info));
	EK_RETURN_IF(device_of(ctx, &dev));
	EKI_STRUCT_OUT(ek_device_info, &dev->info, info);
	return EK_OK;
}

/* ---- Memory, waiting, time ------------------------------------------------------------------- */

/* Describes memory of the device as a buffer. If the device shares memory with the host, the
 * buffer's host address is set too. */
eki_buffer eki_device_memory(const eki_device *dev, const void *data, int64_t bytes)
{
	const bool shared = dev->memory == EKI_MEMORY_SHARED;

	return (eki_buffer){.device = (void *)(uintptr_t)data,
	                    .host = shared ? (void *)(uintptr_t)data : NULL,
	                    .bytes = bytes,
	                    .memory = shared ? EKI_MEMORY_SHARED : EKI_MEMORY_COPY,
	                    .foreign = true};
}

ek_status ek_device_alloc(ek_context *ctx, int64_t bytes, void **data)
{
	eki_device *dev;
	eki_buffer b = {0};

	EK_RETURN_IF(device_of(ctx, &dev));
	if (!data || bytes < 0)
		return eki_fail(EK_EINVAL, "data is NULL or bytes, %lld, is negative",
		                (long long)bytes);
	EK_RETURN_IF(eki_buffer_alloc(dev, bytes, 1, dev->memory == EKI_MEMORY_SHARED, &b));
	*data = b.device;
	return EK_OK;
}

void ek_device_free(ek_context *ctx, void *data)
{
	eki_device *dev;

	if (data && device_of(ctx, &dev) == EK_OK) {
		eki_buffer b = eki_device_memory(dev, data, 0);

		b.foreign = false;
		eki_buffer_free(dev, &b);
	}
}

static ek_status copy_check(const void *a, const void *b, int64_t bytes)
{
	if (bytes < 0 || (bytes > 0 && (!a || !b)))
		return eki_fail(EK_EINVAL,
		                "a copy of %lld bytes: the number is negative or a pointer NULL",
		                (long long)bytes);
	return EK_OK;
}

ek_status ek_device_write(ek_context *ctx, void *to_device, const void *from, int64_t bytes)
{
	eki_device *dev;

	EK_RETURN_IF(device_of(ctx, &dev));
	EK_RETURN_IF(copy_check(to_device, from, bytes));
	const eki_buffer b = eki_device_memory(dev, to_device, bytes);

	return eki_buffer_write(dev, &b, from, bytes);
}

ek_status ek_device_read(ek_context *ctx, const void *from_device, void *to, int64_t bytes)
{
	eki_device *dev;

	EK_RETURN_IF(device_of(ctx, &dev));
	EK_RETURN_IF(copy_check(from_device, to, bytes));
	const eki_buffer b = eki_device_memory(dev, from_device, bytes);

	return eki_buffer_read(dev, &b, to, bytes);
}

ek_status ek_device_copy(ek_context *ctx, void *to, const void *from, int64_t bytes)
{
	eki_device *dev;

	EK_RETURN_IF(device_of(ctx, &dev));
	EK_RETURN_IF(copy_check(to, from, bytes));
	const eki_buffer a = eki_device_memory(dev, from, bytes),
			 b = eki_device_memory(dev, to, bytes);

	if (bytes == 0)
		return EK_OK;
	EK_RETURN_IF(dev->driver->copy(dev, &b, 0, &a, 0, bytes));
	return dev->driver->flush(dev);
}

ek_status ek_device_wait(ek_context *ctx)
{
	eki_device *dev;

	EK_RETURN_IF(device_of(ctx, &dev));
	return dev->driver->wait(dev);
}

ek_status ek_device_timer_start(ek_context *ctx)
{
	eki_device *dev;

	EK_RETURN_IF(device_of(ctx, &dev));
	EK_RETURN_IF(dev->driver->mark(dev, 0));
	atomic_store(&dev->timing, true);
	return EK_OK;
}

ek_status ek_device_timer_stop(ek_context *ctx, double *seconds)
{
	eki_device *dev;

	EK_RETURN_IF(device_of(ctx, &dev));
	if (!seconds)
		return eki_fail(EK_EINVAL, "seconds is NULL");
	if (!atomic_exchange(&dev->timing, false))
		return eki_fail(EK_EINVAL, "the timer was not started");
	EK_RETURN_IF(dev->driver->mark(dev, 1));
	return dev->driver->elapsed(dev, seconds);
}

ek_status ek_device_get_counters(const ek_context *ctx, ek_device_counters *counters)
{
	ek_device_counters c = {.size = sizeof c};
	const eki_device *dev;

	EK_RETURN_IF(eki_context_check(ctx));
	EK_RETURN_IF(EKI_STRUCT_CHECK("counters", ek_device_counters, counters));
	dev = ctx->device;
	if (dev) {
		c.to_device = atomic_load(&dev->counted.to_device);
		c.from_device = atomic_load(&dev->counted.from_device);
		c.launches = atomic_load(&dev->counted.launches);
		c.compiled = atomic_load(&dev->counted.compiled);
		c.loaded = atomic_load(&dev->counted.loaded);
	}
	EKI_STRUCT_OUT(ek_device_counters, &c, counters);
	return EK_OK;
}

#endif
