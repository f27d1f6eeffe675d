/* SPDX-License-Identifier: BSD-3-Clause
 * A fake that replaces libcuda.so.1 in tests. Its devices do no arithmetic, and their memory is
 * host memory. Launches are recorded, not run. Copies to the host are delayed until the stream gets
 * its next command or is waited for. Every call is checked against a strict reading of the manual:
 * handles must be live and belong to the current context, and copies must stay within their blocks.
 * Any call can be made to fail. A program is ELF or PTX. The parameters of a PTX program are read
 * from its text. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake/fake_things.h"

struct fake_cuda fake_cuda = {
	.devices = 3, .arch = {75, 80, 90}, .version = 13000, .fail_at = -1, .broken = -1};

pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;
thing *fake_things;
static thing *context[FAKE_DEVICES];
static _Thread_local thing *stack[DEPTH];
static _Thread_local int depth;
int fake_started;

/* ---- Faults ---------------------------------------------------------------------------------- */

int fake_misuse(int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (!*fake_cuda.misuse)
		vsnprintf(fake_cuda.misuse, sizeof fake_cuda.misuse, format, args);
	va_end(args);
	return error;
}

/* Counts the call `name`. Returns `error` if it is this call's turn to fail, else 0. */
int fake_fails(const char *name, int error)
{
	int failed;

	pthread_mutex_lock(&fake_lock);
	const long n = fake_cuda.calls++;

	failed = fake_cuda.fail_at >= 0 &&
	         (n == fake_cuda.fail_at || (n > fake_cuda.fail_at && fake_cuda.persistent));
	if (failed)
		fake_cuda.last_failed = name;
	if (failed && !fake_cuda.failed)
		fake_cuda.failed = name;
	pthread_mutex_unlock(&fake_lock);
	return failed ? error : 0;
}

/* ---- Objects --------------------------------------------------------------------------------- */

thing *fake_make(enum kind kind, int device)
{
	thing *t = calloc(1, sizeof *t);

	if (!t)
		abort();
	t->kind = kind;
	t->device = device;
	pthread_mutex_lock(&fake_lock);
	t->next = fake_things;
	fake_things = t;
	fake_cuda.live += kind != FUNCTION;
	pthread_mutex_unlock(&fake_lock);
	return t;
}

void fake_destroy(thing *t)
{
	pthread_mutex_lock(&fake_lock);
	for (thing **at = &fake_things; *at; at = &(*at)->next)
		if (*at == t) {
			*at = t->next;
			break;
		}
	fake_cuda.live -= t->kind != FUNCTION;
	pthread_mutex_unlock(&fake_lock);
	free(t->data);
	free(t);
}

/* Returns the current context. If there is none, records a misuse and returns NULL. */
thing *fake_current(const char *call)
{
	if (depth == 0)
		fake_misuse(INVALID_CONTEXT, "%s without a current context", call);
	return depth ? stack[depth - 1] : NULL;
}

/* Returns 0 if `handle` is live, has the given kind and belongs to the current context. Otherwise
 * records a misuse and returns an error. */
int fake_check(const char *call, const void *handle, enum kind kind)
{
	const thing *c = fake_current(call), *t;

	if (!c)
		return INVALID_CONTEXT;
	pthread_mutex_lock(&fake_lock);
	for (t = fake_things; t && t != handle;)
		t = t->next;
	pthread_mutex_unlock(&fake_lock);
	if (!t || t->kind != kind)
		return fake_misuse(INVALID_HANDLE, "%s: a handle that is none, of kind %d", call,
		                   kind);
	if (t->device != c->device)
		return fake_misuse(INVALID_HANDLE, "%s: a handle of another device", call);
	return 0;
}

int fake_drop(const char *call, void *handle, enum kind kind)
{
	const int error = fake_check(call, handle, kind);

	if (!error)
		fake_destroy(handle);
	return error;
}

int fake_stream(const char *call, void *stream)
{
	const int error = fake_check(call, stream, STREAM);
	thing *t = stream;

	if (!error && t->copy.bytes)
		memcpy(t->copy.to, t->copy.from, t->copy.bytes);
	if (!error)
		t->copy.bytes = 0;
	return error;
}

/* ---- Start, devices, contexts ---------------------------------------------------------------- */

int cuInit(unsigned flags)
{
	if (flags)
		return fake_misuse(INVALID_VALUE, "cuInit: flags");
	if (fake_fails(__func__, UNKNOWN))
		return UNKNOWN;
	if (getenv("EK_FAKE_BROKEN"))
		fake_cuda.broken = atoi(getenv("EK_FAKE_BROKEN"));
	fake_started = fake_cuda.init == 0;
	return fake_cuda.init;
}

int cuGetErrorName(int error, const char **name)
{
	*name = error == MEMORY_OUT      ? "CUDA_ERROR_OUT_OF_MEMORY"
	        : error == 100           ? "CUDA_ERROR_NO_DEVICE"
	        : error == UNKNOWN       ? "CUDA_ERROR_UNKNOWN"
	        : error == NOT_FOUND     ? "CUDA_ERROR_NOT_FOUND"
	        : error == INVALID_IMAGE ? "CUDA_ERROR_INVALID_IMAGE"
	                                 : NULL;
	return *name ? 0 : INVALID_VALUE;
}

int cuDriverGetVersion(int *version)
{
	TURN(UNKNOWN);
	*version = fake_cuda.version;
	return 0;
}

int cuDeviceGetCount(int *count)
{
	TURN(UNKNOWN);
	*count = fake_cuda.devices;
	return 0;
}

int cuDeviceGet(int *device, int k)
{
	TURN(UNKNOWN);
	if (k < 0 || k >= fake_cuda.devices)
		return fake_misuse(101, "cuDeviceGet: number %d", k);
	*device = k;
	return 0;
}

int cuDeviceGetName(char *name, int size, int device)
{
	TURN(UNKNOWN);
	if (device == fake_cuda.broken)
		return UNKNOWN;
	snprintf(name, (size_t)size, "fake card %d", device);
	return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
	TURN(UNKNOWN);
	*value = attribute == EKI_CUDA_LOCAL        ? 49152
	         : attribute == EKI_CUDA_LOCAL_MOST ? FAKE_LOCAL_MOST
	         : attribute == EKI_CUDA_WARP       ? 32
	         : attribute == EKI_CUDA_UNITS      ? 4
	         : attribute == EKI_CUDA_INTEGRATED ? 0
	         : attribute == EKI_CUDA_MAJOR      ? fake_cuda.arch[device] / 10
	         : attribute == EKI_CUDA_MINOR      ? fake_cuda.arch[device] % 10
	                                            : 1;
	return 0;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
	(void)device;
	TURN(UNKNOWN);
	*bytes = (size_t)1 << 30;
	return 0;
}

int cuDevicePrimaryCtxRetain(void **out, int device)
{
	TURN(UNKNOWN);
	if (!context[device])
		context[device] = fake_make(CONTEXT, device);
	context[device]->count++;
	*out = context[device];
	return 0;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
	if (!context[device])
		return fake_misuse(INVALID_CONTEXT,
		                   "cuDevicePrimaryCtxRelease: nothing is retained");
	if (depth > 0)
		fake_misuse(0, "a context is released while one is current");
	if (--context[device]->count > 0)
		return 0;
	for (const thing *t = fake_things; t; t = t->next)
		if (t->kind != CONTEXT && t->kind != FUNCTION && t->device == device)
			fake_misuse(0, "a context goes with a thing of kind %d in it", t->kind);
	fake_destroy(context[device]);
	context[device] = NULL;
	return 0;
}

int cuCtxPushCurrent_v2(void *handle)
{
	thing *c = handle;

	if (!c || c != context[c->device] || depth == DEPTH)
		return fake_misuse(INVALID_CONTEXT, "cuCtxPushCurrent: no context, or too many");
	stack[depth++] = c;
	return 0;
}

int cuCtxPopCurrent_v2(void **out)
{
	if (depth == 0)
		return fake_misuse(INVALID_CONTEXT, "cuCtxPopCurrent: there is none");
	*out = stack[--depth];
	return 0;
}

/* ---- Streams and events ---------------------------------------------------------------------- */

int cuStreamCreate(void **stream, unsigned flags)
{
	thing *c = fake_current(__func__);

	TURN(UNKNOWN);
	if (!c || flags > 1)
		return INVALID_CONTEXT;
	*stream = fake_make(STREAM, c->device);
	return 0;
}

int cuStreamDestroy_v2(void *stream)
{
	return fake_drop(__func__, stream, STREAM);
}

/* Waits for the stream. If that fails, drops the stream's pending copy. */
int cuStreamSynchronize(void *stream)
{
	if (fake_fails(__func__, UNKNOWN)) {
		if (!fake_check(__func__, stream, STREAM))
			((thing *)stream)->copy.bytes = 0;
		return UNKNOWN;
	}
	return fake_stream(__func__, stream);
}

int cuStreamWaitEvent(void *stream, void *event, unsigned flags)
{
	int error;

	TURN(UNKNOWN);
	if (flags)
		return fake_misuse(INVALID_VALUE, "cuStreamWaitEvent: flags");
	error = fake_stream(__func__, stream);
	if (!error)
		error = fake_check(__func__, event, EVENT);
	if (!error && ((thing *)event)->count == 0)
		fake_misuse(0, "cuStreamWaitEvent: an event that was never recorded");
	return error;
}

int cuEventCreate(void **event, unsigned flags)
{
	thing *c = fake_current(__func__);

	TURN(UNKNOWN);
	if (!c || flags)
		return INVALID_CONTEXT;
	*event = fake_make(EVENT, c->device);
	return 0;
}

int cuEventDestroy_v2(void *event)
{
	return fake_drop(__func__, event, EVENT);
}

int cuEventRecord(void *event, void *stream)
{
	int error;

	TURN(UNKNOWN);
	error = fake_stream(__func__, stream);
	if (!error)
		error = fake_check(__func__, event, EVENT);
	if (!error)
		((thing *)event)->count++;
	return error;
}

int cuEventSynchronize(void *event)
{
	TURN(UNKNOWN);
	return fake_check(__func__, event, EVENT);
}

int cuEventElapsedTime(float *milliseconds, void *from, void *to)
{
	int error = fake_check(__func__, from, EVENT);

	TURN(UNKNOWN);
	if (!error)
		error = fake_check(__func__, to, EVENT);
	if (!error && (!((thing *)from)->count || !((thing *)to)->count))
		error = fake_misuse(INVALID_HANDLE, "cuEventElapsedTime: nothing was recorded");
	if (!error)
		*milliseconds = 1.5f;
	return error;
}
