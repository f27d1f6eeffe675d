/* SPDX-License-Identifier: BSD-3-Clause
 * The functions of src/gpu in a build without devices (EK_NO_GPU). Every request for a device
 * fails. */
#include <string.h>

#include "gpu/gpu.h"

#ifdef EK_NO_GPU

static ek_status none(void)
{
	return eki_fail(EK_EUNSUPPORTED, "this build has no devices (EK_NO_GPU)");
}

ek_status eki_device_attach(ek_context *ctx, const char *name)
{
	(void)ctx;
	return !name || strcmp(name, "cpu") == 0 ? EK_OK : none();
}

void eki_device_detach(ek_context *ctx)
{
	(void)ctx;
}

unsigned eki_device_backend(const ek_context *ctx, ek_value value)
{
	(void)ctx;
	(void)value;
	return 0;
}

bool eki_device_is_processor(const ek_context *ctx)
{
	(void)ctx;
	return false;
}

ek_status eki_device_room(const ek_context *ctx, int64_t bytes, int64_t array)
{
	(void)ctx;
	(void)bytes;
	(void)array;
	return none();
}

const char *eki_device_name(const ek_context *ctx)
{
	(void)ctx;
	return "";
}

bool eki_can_run(const ek_context *ctx, const ek_method *m)
{
	(void)ctx;
	return m->backend & EKI_CPU;
}

ek_status eki_device_settle(const ek_context *ctx)
{
	(void)ctx;
	return EK_OK;
}

ek_status eki_device_finish(const ek_context *ctx)
{
	(void)ctx;
	return EK_OK;
}

eki_compiling *eki_device_compiling(void)
{
	static _Thread_local eki_compiling none = {.may = true};

	return &none;
}

void eki_device_identity(const ek_context *ctx, char *text, size_t size)
{
	(void)ctx;
	if (size)
		*text = 0;
}

bool eki_device_addresses(const ek_context *ctx)
{
	(void)ctx;
	return false;
}

int64_t eki_gpu_bytes(const eki_step *step)
{
	(void)step;
	return 0;
}

bool eki_buffer_around(eki_device *device, const void *array, int64_t bytes, eki_buffer *out)
{
	(void)device;
	(void)array;
	(void)bytes;
	(void)out;
	return false;
}

ek_status eki_gpu_scale(const eki_step *step, eki_run *v)
{
	(void)step;
	(void)v;
	return none();
}

ek_status eki_gpu_run(const eki_step *step, eki_run *v)
{
	(void)step;
	(void)v;
	return none();
}

void eki_gpu_release(eki_step *step)
{
	(void)step;
}

ek_status ek_device_drivers(char *text, size_t bytes)
{
	(void)text;
	(void)bytes;
	return none();
}

ek_status ek_device_get_info(int k, ek_device_info *info)
{
	(void)k;
	(void)info;
	return none();
}

ek_status ek_context_get_device(const ek_context *ctx, ek_device_info *info)
{
	(void)ctx;
	(void)info;
	return none();
}

ek_status ek_device_get_counters(const ek_context *ctx, ek_device_counters *counters)
{
	const ek_device_counters zero = {.size = sizeof zero};

	EK_RETURN_IF(eki_context_check(ctx));
	EK_RETURN_IF(EKI_STRUCT_CHECK("counters", ek_device_counters, counters));
	EKI_STRUCT_OUT(ek_device_counters, &zero, counters);
	return EK_OK;
}

ek_status ek_device_alloc(ek_context *ctx, int64_t bytes, void **data)
{
	(void)ctx;
	(void)bytes;
	(void)data;
	return none();
}

void ek_device_free(ek_context *ctx, void *data)
{
	(void)ctx;
	(void)data;
}

ek_status ek_device_write(ek_context *ctx, void *to_device, const void *from, int64_t bytes)
{
	(void)ctx;
	(void)to_device;
	(void)from;
	(void)bytes;
	return none();
}

ek_status ek_device_read(ek_context *ctx, const void *from_device, void *to, int64_t bytes)
{
	(void)ctx;
	(void)from_device;
	(void)to;
	(void)bytes;
	return none();
}

ek_status ek_device_copy(ek_context *ctx, void *to, const void *from, int64_t bytes)
{
	(void)ctx;
	(void)to;
	(void)from;
	(void)bytes;
	return none();
}

ek_status ek_device_wait(ek_context *ctx)
{
	(void)ctx;
	return none();
}

ek_status ek_device_timer_start(ek_context *ctx)
{
	(void)ctx;
	return none();
}

ek_status ek_device_timer_stop(ek_context *ctx, double *seconds)
{
	(void)ctx;
	(void)seconds;
	return none();
}
#endif
