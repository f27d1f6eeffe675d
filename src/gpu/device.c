/* SPDX-License-Identifier: BSD-3-Clause
 * The device of a context: found by name among those that the drivers have, opened with the
 * context, closed with it. A driver whose library is missing has no devices; the message then says
 * which and why. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu.h"

#ifndef EK_NO_GPU

static const eki_driver *const driver[] = {&eki_cuda, &eki_opencl};
enum { DRIVERS = sizeof driver / sizeof *driver };

/* ---- What there is --------------------------------------------------------------------------- */

/* "cuda: libcuda.so.1: cannot open ...; opencl: 1 device"; *count of all. */
static void survey(char *text, size_t size, int *count)
{
	size_t used = 0;

	*count = 0;
	for (int d = 0; d < DRIVERS; d++) {
		const size_t length = strlen(driver[d]->name);
		int n = 0;
		ek_status status = driver[d]->count(&n);
		const char *why = ek_error_text();

		*count += n;
		if (used >= size)
			continue;
		if (strncmp(why, driver[d]->name, length) == 0 && why[length] == ':')
			why += length + 2; /* it says who speaks */
		used += (size_t)snprintf(text + used, size - used, "%s%s: ", d ? "; " : "",
		                         driver[d]->name);
		if (used < size && status != EK_OK)
			used += (size_t)snprintf(text + used, size - used, "%s", why);
		else if (used < size)
			used += (size_t)snprintf(text + used, size - used, "%d device%s", n,
			                         n == 1 ? "" : "s");
	}
}

ek_status ek_device_drivers(char *text, size_t bytes)
{
	int count;

	if (!text || !bytes)
		return eki_fail(EK_EINVAL, "%s",
		                text ? "bytes is 0; room for a text is expected" : "text is NULL");
	survey(text, bytes, &count);
	return EK_OK;
}

/* A device that fails to describe itself still has its name. */
static ek_status get_info(int d, int number, ek_device_info *info)
{
	ek_device_info new = {.size = sizeof new};

	snprintf(new.name, sizeof new.name, "%s:%d", driver[d]->name, number);
	*info = new;
	EK_RETURN_IF(driver[d]->info(number, &new));
	*info = new;
	return EK_OK;
}

ek_status ek_device_get_info(int k, ek_device_info *info)
{
	char text[400];
	int left = k, count;

	EK_RETURN_IF(EKI_STRUCT_ROOM("info", ek_device_info, info));
	for (int d = 0; d < DRIVERS && left >= 0; d++) {
		int n = 0;

		if (driver[d]->count(&n) == EK_OK && left < n) {
			ek_device_info all;
			ek_status status = get_info(d, left, &all);

			EKI_STRUCT_OUT(ek_device_info, &all, info);
			return status;
		}
		left -= n;
	}
	survey(text, sizeof text, &count);
	return eki_fail(EK_EDEVICE, "there is no device number %d (%s)", k, text);
}

/* ---- The one of a context -------------------------------------------------------------------- */

static ek_status no_gpu(void)
{
	char text[400];
	int count;

	survey(text, sizeof text, &count);
	return eki_fail(EK_EDEVICE, "there is no GPU (%s)", text);
}

/* "cuda", "opencl:1", "gpu": the driver, and the number of the device. */
static ek_status find(const char *name, int *d, int *number)
{
	const size_t length = strcspn(name, ":");
	ek_device_info info;
	int n;

	if (strcmp(name, "gpu") == 0) {
		for (*d = 0; *d < DRIVERS; ++*d)
			for (*number = 0; driver[*d]->count(&n) == EK_OK && *number < n; ++*number)
				if (get_info(*d, *number, &info) == EK_OK &&
				    strcmp(info.kind, "gpu") == 0)
					return EK_OK;
		return no_gpu();
	}
	for (*d = 0; *d < DRIVERS; ++*d)
		if (strncmp(driver[*d]->name, name, length) == 0 && !driver[*d]->name[length])
			break;
	*number = 0;
	for (const char *c = name + length + 1; name[length] && *c; c++) {
		if (*c < '0' || *c > '9' || *number > 999)
			*d = DRIVERS;
		else
			*number = 10 * *number + (*c - '0');
	}
	if (*d == DRIVERS || (name[length] && !name[length + 1]))
		return eki_fail(EK_EINVAL,
		                "device \"%s\": cpu, gpu, cuda, opencl, or one of the last two "
		                "with a number, as opencl:1, is expected",
		                name);
	EK_RETURN_IF(driver[*d]->count(&n));
	if (*number >= n)
		return eki_fail(EK_EDEVICE, "there is no device \"%s\" (%s: %d device%s)", name,
		                driver[*d]->name, n, n == 1 ? "" : "s");
	return EK_OK;
}

static ek_status choose_memory(eki_device *dev, int memory)
{
	const ek_device_info *info = &dev->info;

	if (memory == EK_MEMORY_AUTO)
		memory = info->unified && info->shared ? EK_MEMORY_SHARED : EK_MEMORY_COPY;
	if ((memory == EK_MEMORY_SHARED && !info->shared) ||
	    (memory == EK_MEMORY_MAPPED && !info->mapped))
		return eki_fail(EK_EUNSUPPORTED, "device %s (%s) cannot share memory %s",
		                info->name, info->text,
		                memory == EK_MEMORY_SHARED ? "that both sides use at once"
		                                           : "in turn");
	dev->memory = (eki_memory)memory;
	return EK_OK;
}

ek_status eki_device_open(const ek_context *ctx, const char *name, int memory, eki_device **device)
{
	eki_device *dev;
	int d, number;
	void *block;
	ek_status status;

	*device = NULL;
	if (!name || strcmp(name, "cpu") == 0)
		return EK_OK;
	EK_RETURN_IF(find(name, &d, &number));
	EK_RETURN_IF(eki_calloc(ctx, 1, sizeof *dev, &block));
	dev = block;
	dev->ctx = ctx;
	dev->driver = driver[d];
	dev->number = number;
	EK_TRY(get_info(d, number, &dev->info));
	EK_TRY(choose_memory(dev, memory));
	EK_TRY(dev->driver->open(dev));
	pthread_mutex_init(&dev->lock, NULL);
	pthread_mutex_init(&dev->heap_lock, NULL);
	*device = dev;
done:
	if (status != EK_OK)
		eki_free(ctx, dev, 1, sizeof *dev);
	return status;
}

void eki_device_close(eki_device *dev)
{
	if (!dev)
		return;
	dev->driver->wait(dev);
	eki_programs_free(dev);
	eki_shared_close(dev);
	dev->driver->close(dev);
	pthread_mutex_destroy(&dev->heap_lock);
	pthread_mutex_destroy(&dev->lock);
}

bool eki_can_run(const ek_context *ctx, const ek_method *m)
{
	return (m->backend & EKI_CPU) ||
	       (ctx->device && (m->backend & ctx->device->driver->backend));
}

ek_status eki_device_settle(const ek_context *ctx)
{
	return ctx->device && ctx->device->memory == EKI_MEMORY_SHARED
	               ? ctx->device->driver->wait(ctx->device)
	               : EK_OK;
}

bool eki_device_addresses(const ek_context *ctx)
{
	return ctx->device && (ctx->device->memory == EKI_MEMORY_SHARED ||
	                       ctx->device->driver->backend == EKI_CUDA);
}

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

	EK_RETURN_IF(EKI_STRUCT_ROOM("info", ek_device_info, info));
	EK_RETURN_IF(device_of(ctx, &dev));
	EKI_STRUCT_OUT(ek_device_info, &dev->info, info);
	return EK_OK;
}

/* ---- Vectors, waiting, time ------------------------------------------------------------------ */

/* What memory of the device alone is: with shared memory the host may use it too. */
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
	EK_RETURN_IF(dev->driver->copy(dev, &b, &a, bytes));
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
	EK_RETURN_IF(EKI_STRUCT_ROOM("counters", ek_device_counters, counters));
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
