/* SPDX-License-Identifier: BSD-3-Clause
 * The device of a context: it is found by its name among the devices of all drivers, and opened and
 * closed with the context. A driver whose library is missing has no devices; error messages then
 * say which library is missing and why. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/job.h"

#ifndef EK_NO_GPU

static const eki_driver *const driver[] = {&eki_cuda, &eki_opencl};
enum { DRIVERS = sizeof driver / sizeof *driver };

/* ---- Which devices there are ----------------------------------------------------------------- */

/* Writes one line about all drivers, such as "cuda: there is no libcuda.so.1 ...; opencl: 1
 * device", and counts their devices. */
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
			why += length + 2; /* skip the driver's name, since it is printed below */
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

/* Describes device `number` of driver `d`. If that fails, *info has the device's name and nothing
 * else. */
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

	EK_RETURN_IF(EKI_STRUCT_CHECK("info", ek_device_info, info));
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

/* ---- The device of a context ----------------------------------------------------------------- */

static ek_status no_gpu(void)
{
	char text[400];
	int count;

	survey(text, sizeof text, &count);
	return eki_fail(EK_EDEVICE, "there is no GPU (%s)", text);
}

static ek_status no_device(const char *name)
{
	return eki_fail(EK_EINVAL,
	                "device \"%s\": cpu, gpu, cuda, opencl, opencl:1 ..., or cpu+gpu ... for "
	                "both at once, is expected",
	                name);
}

/* Finds the device that a name such as "cuda", "opencl:1" or "gpu" refers to. Sets *d to the index
 * of its driver, and *number to its number among the devices of that driver. */
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
		return no_device(name);
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

static ek_status open_device(const ek_context *ctx, const char *name, eki_device **device)
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
	EK_TRY(choose_memory(dev, (int)ctx->options.device_memory));
	EK_TRY(dev->driver->open(dev));
	pthread_mutex_init(&dev->lock, NULL);
	pthread_mutex_init(&dev->heap_lock, NULL);
	pthread_mutex_init(&dev->launch_lock, NULL);
	*device = dev;
done:
	if (status != EK_OK)
		eki_free(ctx, dev, 1, sizeof *dev);
	return status;
}

ek_status eki_device_attach(ek_context *ctx, const char *name)
{
	static const char both[] = "cpu+";
	const bool together = name && strncmp(name, both, strlen(both)) == 0;

	if (together && (!name[strlen(both)] || strcmp(name + strlen(both), "cpu") == 0))
		return no_device(name);
	EK_RETURN_IF(open_device(ctx, together ? name + strlen(both) : name, &ctx->device));
	ctx->together = together;
	ctx->machine = eki_machine_of(ctx);
	if (eki_device_profile_refused(ctx))
		eki_log(ctx, EK_LOG_WARNING, "%s", eki_device_profile_refused(ctx));
	if (ctx->device && ctx->device->memory == EKI_MEMORY_SHARED && eki_heap_is_default(ctx)) {
		ctx->options.alloc = eki_shared_alloc;
		ctx->options.dealloc = eki_shared_dealloc;
		ctx->options.user = ctx->device;
	}
	return EK_OK;
}

static void close_device(eki_device *dev)
{
	dev->driver->wait(dev);
	eki_jobs_free(dev);
	eki_programs_free(dev);
	eki_shared_close(dev);
	dev->driver->close(dev);
	pthread_mutex_destroy(&dev->launch_lock);
	pthread_mutex_destroy(&dev->heap_lock);
	pthread_mutex_destroy(&dev->lock);
}

void eki_device_detach(ek_context *ctx)
{
	eki_device *dev = ctx->device;

	if (!dev)
		return;
	close_device(dev);
	/* Restores the default heap, from which the context and the device themselves were
	 * allocated. */
	if (ctx->options.alloc == eki_shared_alloc)
		eki_heap_default(&ctx->options);
	eki_free(ctx, dev, 1, sizeof *dev);
	ctx->device = NULL;
}

unsigned eki_device_backend(const ek_context *ctx, ek_value value)
{
	const eki_device *d = ctx->device;

	return d && (value != EK_F64 || d->info.f64) ? d->driver->backend : 0;
}

bool eki_device_is_processor(const ek_context *ctx)
{
	return ctx->device && strcmp(ctx->device->info.kind, "cpu") == 0;
}

const char *eki_device_name(const ek_context *ctx)
{
	return ctx->device ? ctx->device->info.name : "";
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

ek_status eki_device_finish(const ek_context *ctx)
{
	return ctx->device ? ctx->device->driver->wait(ctx->device) : EK_OK;
}

void eki_device_identity(const ek_context *ctx, char *text, size_t size)
{
	static const char *const kinds[] = {[EKI_MEMORY_COPY] = "copy",
	                                    [EKI_MEMORY_MAPPED] = "mapped",
	                                    [EKI_MEMORY_SHARED] = "shared"};
	const eki_device *d = ctx->device;
	char all[400];

	*text = 0;
	if (!d)
		return;
	const int length = snprintf(all, sizeof all, "%s %s %s %d %s", d->driver->name,
	                            kinds[d->memory], d->info.driver, d->info.units, d->info.text);

	snprintf(text, size, "%s %s %016" PRIx64 " %s", d->driver->name, kinds[d->memory],
	         eki_hash(all, length, 0), d->info.text);
}

bool eki_device_addresses(const ek_context *ctx)
{
	return ctx->device && (ctx->device->memory == EKI_MEMORY_SHARED ||
	                       ctx->device->driver->backend == EKI_CUDA);
}

#endif
