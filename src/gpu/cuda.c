/* SPDX-License-Identifier: BSD-3-Clause
 * The CUDA driver: implements the table of functions in gpu.h by calling the library that
 * cuda_load.c loads. cuda_memory.c has memory and copies, and nvrtc.c compiles the kernels.
 *
 * A device is the primary context of its card. The CUDA runtime uses the same context, so pointers
 * from the caller's own CUDA code are valid here, and ours are valid there. Each call into this
 * driver makes the primary context current. Before the call returns, the calling thread's own
 * context is current again. The queue is a stream that does not wait for the default stream. Memory
 * that host and device share is managed memory. It is offered only on cards where both may access
 * it at the same time. */
#include <stdio.h>

#include "gpu/cuda.h"
#include "gpu/nvrtc.h"

#ifndef EK_NO_GPU

enum { ARGUMENTS = 48, LOG = 1024 };

typedef struct program {
	void *module;
	void *code; /* output of NVRTC, or NULL if the caller gave a binary */
	int64_t bytes;
} program;

/* What a plan or a call holds of a function, which others may hold as well. */
typedef struct kernel {
	void *function;
	int local; /* bytes of dynamic shared memory that are known to be granted */
} kernel;

/* ---- Devices --------------------------------------------------------------------------------- */

static void card_free(const eki_device *device, eki_card *c)
{
	if (c->context && eki_cuda_api.cuCtxPushCurrent_v2(c->context) == 0) {
		void *const stream[] = {c->stream, c->copies};
		void *const event[] = {c->time[0], c->time[1], c->point[0], c->point[1]};

		for (int k = 0; k < EKI_COUNT(stream); k++)
			if (stream[k])
				eki_cuda_api.cuStreamSynchronize(stream[k]);
		for (int k = 0; k < EKI_COUNT(event); k++)
			if (event[k])
				eki_cuda_api.cuEventDestroy_v2(event[k]);
		for (int k = 0; k < EKI_COUNT(stream); k++)
			if (stream[k])
				eki_cuda_api.cuStreamDestroy_v2(stream[k]);
		eki_cuda_leave(EK_OK);
	}
	if (c->context)
		eki_cuda_api.cuDevicePrimaryCtxRelease_v2(c->device);
	eki_free(device->ctx, c, 1, sizeof *c);
}

static ek_status card_fill(eki_card *c)
{
	ek_status status = EK_OK;
	int major, minor;

	EK_RETURN_IF(CALL(cuDeviceGetAttribute, &major, EKI_CUDA_MAJOR, c->device));
	EK_RETURN_IF(CALL(cuDeviceGetAttribute, &minor, EKI_CUDA_MINOR, c->device));
	c->arch = major * 10 + minor;
	EK_RETURN_IF(CALL(cuCtxPushCurrent_v2, c->context));
	EK_TRY(CALL(cuStreamCreate, &c->stream, EKI_CUDA_NON_BLOCKING));
	EK_TRY(CALL(cuStreamCreate, &c->copies, EKI_CUDA_NON_BLOCKING));
	for (int k = 0; k < 2; k++) {
		EK_TRY(CALL(cuEventCreate, &c->time[k], 0));
		EK_TRY(CALL(cuEventCreate, &c->point[k], 0));
	}
done:
	return eki_cuda_leave(status);
}

static ek_status cuda_open(eki_device *device)
{
	ek_status status = EK_OK;
	void *block;
	eki_card *c;

	EK_RETURN_IF(eki_calloc(device->ctx, 1, sizeof *c, &block));
	c = block;
	EK_TRY(CALL(cuDeviceGet, &c->device, device->number));
	EK_TRY(CALL(cuDevicePrimaryCtxRetain, &c->context, c->device));
	EK_TRY(card_fill(c));
	device->own = c;
done:
	if (status != EK_OK)
		card_free(device, c);
	return status;
}

static void cuda_close(eki_device *device)
{
	card_free(device, device->own);
}

/* ---- Programs -------------------------------------------------------------------------------- */

/* Loads a module from machine code, or from PTX, which the driver compiles. If loading fails, the
 * error message contains the beginning of the driver's log. */
static ek_status module_load(const char *name, const void *code, void **module)
{
	char log[LOG] = "", line[LOG / 2];
	int option[] = {EKI_CUDA_ERROR_LOG, EKI_CUDA_ERROR_LOG_SIZE};
	void *value[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
	const ek_status status = CALL(cuModuleLoadDataEx, module, code, 2, option, value);
	char why[LOG / 2];

	if (status == EK_OK)
		return EK_OK;
	snprintf(why, sizeof why, "%s", ek_error_text());
	eki_nvrtc_one_line(log, line, 400);
	return eki_fail(status, "%s for %s%s%s", why, name, *line ? ": " : "", line);
}

static ek_status open_compiler(const eki_device *device, char target[EKI_NVRTC_TARGET])
{
	EK_RETURN_IF(eki_nvrtc_open(eki_cuda_version() / 1000));
	return eki_nvrtc_target(((const eki_card *)device->own)->arch, target);
}

static ek_status cuda_compiler(eki_device *device, char *text, size_t size)
{
	char target[EKI_NVRTC_TARGET];

	EK_RETURN_IF(open_compiler(device, target));
	return eki_nvrtc_describe(target, text, size);
}

static ek_status compile(eki_device *device, const char *name, const char *text, program *p)
{
	char target[EKI_NVRTC_TARGET];

	EK_RETURN_IF(open_compiler(device, target));
	return eki_nvrtc_compile(device->ctx, target, name, text, &p->code, &p->bytes);
}

static void cuda_unload(eki_device *device, void *of)
{
	program *p = of;

	if (p->module && eki_cuda_enter(device) == EK_OK) {
		eki_cuda_api.cuModuleUnload(p->module);
		eki_cuda_leave(EK_OK);
	}
	eki_free(device->ctx, p->code, p->bytes, 1);
	eki_free(device->ctx, p, 1, sizeof *p);
}

static ek_status cuda_build(eki_device *device, const char *name, const char *text,
                            const void *binary, size_t bytes, void **out)
{
	ek_status status = EK_OK;
	void *block;
	program *p;

	(void)bytes; /* not needed: machine code and PTX both contain their own length */
	EK_RETURN_IF(eki_calloc(device->ctx, 1, sizeof *p, &block));
	p = block;
	if (!binary)
		EK_TRY(compile(device, name, text, p));
	EK_TRY(eki_cuda_enter(device));
	EK_TRY(eki_cuda_leave(module_load(name, binary ? binary : p->code, &p->module)));
	*out = p;
done:
	if (status != EK_OK)
		cuda_unload(device, p);
	return status;
}

static ek_status cuda_save(eki_device *device, void *of, void **binary, int64_t *bytes)
{
	const program *p = of;
	void *copy = NULL;

	if (p->code)
		EK_RETURN_IF(eki_copy(device->ctx, p->code, p->bytes, 1, &copy));
	*binary = copy;
	*bytes = p->bytes;
	return EK_OK;
}

static void cuda_drop(eki_device *device, void *of)
{
	eki_free(device->ctx, of, 1, sizeof(kernel));
}

static ek_status cuda_kernel(eki_device *device, void *of, const char *name, void **out)
{
	enum { LITTLE = 1024 }; /* bytes that fit beside all arrays of fixed size */
	ek_status status = EK_OK;
	void *block;
	kernel *k;

	EK_RETURN_IF(eki_calloc(device->ctx, 1, sizeof *k, &block));
	k = block;
	k->local = LITTLE;
	EK_TRY(eki_cuda_enter(device));
	EK_TRY(eki_cuda_leave(
		CALL(cuModuleGetFunction, &k->function, ((program *)of)->module, name)));
	*out = k;
done:
	if (status != EK_OK)
		cuda_drop(device, k);
	return status;
}

/* ---- The queue ------------------------------------------------------------------------------- */

/* Lets a kernel have `local` bytes of dynamic shared memory, which takes a request beyond 48 KiB
 * with the arrays of fixed size. Other plans may hold the same function and need less or more, and
 * graphs have been made of it, so what was granted once is never taken back. */
static ek_status grant_local(kernel *k, int local)
{
	static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
	ek_status status;
	int granted;

	if (local <= k->local)
		return EK_OK;
	pthread_mutex_lock(&one);
	status = CALL(cuFuncGetAttribute, &granted, EKI_CUDA_FUNCTION_LOCAL, k->function);
	if (status == EK_OK && granted < local) {
		granted = local;
		status = CALL(cuFuncSetAttribute, k->function, EKI_CUDA_FUNCTION_LOCAL, local);
	}
	pthread_mutex_unlock(&one);
	if (status == EK_OK)
		k->local = granted;
	return status;
}

/* Starts a kernel in the thread's stream. */
static ek_status start(const eki_card *c, kernel *k, unsigned groups, unsigned group_size,
                       unsigned local, void **parameter)
{
	EK_RETURN_IF(grant_local(k, (int)local));
	return CALL(cuLaunchKernel, k->function, groups, 1, 1, group_size, 1, 1, local,
	            eki_cuda_stream(c), parameter, NULL);
}

static ek_status cuda_launch(eki_device *device, void *of, int64_t groups, int group_size,
                             const eki_arg *args, int count)
{
	const eki_card *c = device->own;
	void *parameter[ARGUMENTS];
	uint64_t address[ARGUMENTS]; /* device addresses; 64 bits even on 32-bit hosts */
	size_t local = 0;
	int parameters = 0;

	if (groups > INT32_MAX || count > ARGUMENTS)
		return eki_fail(EK_EUNSUPPORTED,
		                "a launch of %lld groups with %d arguments; CUDA takes %d groups, "
		                "this driver %d arguments",
		                (long long)groups, count, INT32_MAX, ARGUMENTS);
	/* cuLaunchKernel copies the arguments before it returns, and does not change them. */
	for (int k = 0; k < count; k++) {
		if (args[k].local) { /* a number of the launch, and no parameter */
			local = args[k].size;
			continue;
		}
		if (args[k].buffer)
			address[k] = (uintptr_t)args[k].buffer->device;
		parameter[parameters++] =
			args[k].buffer ? (void *)&address[k] : (void *)(uintptr_t)&args[k].u;
	}
	EK_RETURN_IF(eki_cuda_enter_command(device));
	return eki_cuda_leave(
		start(c, of, (unsigned)groups, (unsigned)group_size, (unsigned)local, parameter));
}

/* Does nothing, since a CUDA stream starts its launches without being flushed. */
static ek_status cuda_flush(eki_device *device)
{
	(void)device;
	return EK_OK;
}

static ek_status cuda_wait(eki_device *device)
{
	const eki_card *c = device->own;
	ek_status status, copied;

	EK_RETURN_IF(eki_cuda_enter(device));
	status = CALL(cuStreamSynchronize, c->stream);
	/* Waited for in any case, since copies go to memory that callers free if this fails. */
	copied = CALL(cuStreamSynchronize, c->copies);
	return eki_cuda_leave(status != EK_OK ? status : copied);
}

static ek_status cuda_mark(eki_device *device, int which)
{
	const eki_card *c = device->own;

	EK_RETURN_IF(eki_cuda_enter(device));
	return eki_cuda_leave(CALL(cuEventRecord, c->time[which], c->stream));
}

static ek_status between(const eki_card *c, double *seconds)
{
	float milliseconds;

	EK_RETURN_IF(CALL(cuEventSynchronize, c->time[1]));
	EK_RETURN_IF(CALL(cuEventElapsedTime, &milliseconds, c->time[0], c->time[1]));
	*seconds = milliseconds / 1e3;
	return EK_OK;
}

static ek_status cuda_elapsed(eki_device *device, double *seconds)
{
	EK_RETURN_IF(eki_cuda_enter(device));
	return eki_cuda_leave(between(device->own, seconds));
}

const eki_driver eki_cuda = {
	.name = "cuda",
	.backend = EKI_CUDA,
	.count = eki_cuda_count,
	.info = eki_cuda_info,
	.open = cuda_open,
	.close = cuda_close,
	.alloc = eki_cuda_alloc,
	.free = eki_cuda_free,
	.write = eki_cuda_write,
	.read = eki_cuda_read,
	.beside = true,
	.send = eki_cuda_send,
	.fetch = eki_cuda_fetch,
	.follow = eki_cuda_follow,
	.pin = eki_cuda_pin,
	.unpin = eki_cuda_unpin,
	.copy = eki_cuda_copy,
	.clear = eki_cuda_clear,
	.map = eki_cuda_no_map,
	.unmap = eki_cuda_no_map,
	.build = cuda_build,
	.compiler = cuda_compiler,
	.save = cuda_save,
	.unload = cuda_unload,
	.kernel = cuda_kernel,
	.drop = cuda_drop,
	.launch = cuda_launch,
	.record = eki_cuda_record,
	.recorded = eki_cuda_recorded,
	.replay = eki_cuda_replay,
	.erase = eki_cuda_erase,
	.flush = cuda_flush,
	.wait = cuda_wait,
	.mark = cuda_mark,
	.elapsed = cuda_elapsed,
};

#endif
