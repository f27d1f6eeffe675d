/* SPDX-License-Identifier: BSD-3-Clause
 * Memory, modules and launches of the fake libcuda.so.1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake/fake_things.h"

/* Returns the block that contains [address, address + bytes). If there is none, records a misuse
 * and returns NULL. */
static thing *memory_at(const char *call, uint64_t address, size_t bytes)
{
	const thing *c = fake_current(call);
	thing *t;

	if (!c)
		return NULL;
	pthread_mutex_lock(&fake_lock);
	for (t = fake_things; t; t = t->next) {
		const uint64_t begin = (uint64_t)(uintptr_t)t->data;

		if (t->kind == MEMORY && t->device == c->device && address >= begin &&
		    address - begin <= t->bytes && bytes <= t->bytes - (address - begin))
			break;
	}
	pthread_mutex_unlock(&fake_lock);
	if (!t)
		fake_misuse(INVALID_VALUE, "%s: memory that is not the device's", call);
	return t;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static int allocate(const char *call, uint64_t *address, size_t bytes)
{
	const thing *c = fake_current(call);
	thing *t;

	if (!c || bytes == 0)
		return c ? fake_misuse(INVALID_VALUE, "%s: no bytes", call) : INVALID_CONTEXT;
	t = fake_make(MEMORY, c->device);
	t->bytes = bytes;
	t->data = aligned_alloc(256, (bytes + 255) / 256 * 256);
	if (!t->data)
		abort();
	memset(t->data, 0, bytes);
	*address = (uint64_t)(uintptr_t)t->data;
	return 0;
}

int cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
	TURN(MEMORY_OUT);
	return allocate(__func__, address, bytes);
}

int cuMemAllocManaged(uint64_t *address, size_t bytes, unsigned flags)
{
	TURN(MEMORY_OUT);
	if (flags != EKI_CUDA_ATTACH_GLOBAL)
		return fake_misuse(INVALID_VALUE, "cuMemAllocManaged: flags");
	return allocate(__func__, address, bytes);
}

int cuMemFree_v2(uint64_t address)
{
	thing *t = memory_at(__func__, address, 0);

	if (!t || address != (uint64_t)(uintptr_t)t->data)
		return fake_misuse(INVALID_VALUE, "cuMemFree: not a block");
	fake_destroy(t);
	return 0;
}

int cuMemHostRegister_v2(void *host, size_t bytes, unsigned flags)
{
	const thing *c = fake_current(__func__);
	thing *t;

	TURN(MEMORY_OUT);
	if (!c || !bytes || flags != EKI_CUDA_PORTABLE)
		return fake_misuse(INVALID_VALUE, "cuMemHostRegister: no bytes, or flags");
	pthread_mutex_lock(&fake_lock);
	for (t = fake_things; t && (t->kind != PINNED || t->pinned != host);)
		t = t->next;
	pthread_mutex_unlock(&fake_lock);
	if (t)
		return ALREADY_PINNED;
	t = fake_make(PINNED, c->device);
	t->pinned = host;
	t->bytes = bytes;
	return 0;
}

int cuMemHostUnregister(void *host)
{
	thing *t;

	pthread_mutex_lock(&fake_lock);
	for (t = fake_things; t && (t->kind != PINNED || t->pinned != host);)
		t = t->next;
	pthread_mutex_unlock(&fake_lock);
	if (!t)
		return fake_misuse(INVALID_VALUE, "cuMemHostUnregister: memory that is not pinned");
	fake_destroy(t);
	return 0;
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream)
{
	TURN(UNKNOWN);
	if (fake_stream(__func__, stream) || !memory_at(__func__, to, bytes))
		return INVALID_VALUE;
	memcpy((void *)(uintptr_t)to, from, bytes);
	return 0;
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream)
{
	TURN(UNKNOWN);
	if (fake_stream(__func__, stream) || !memory_at(__func__, from, bytes))
		return INVALID_VALUE;
	((thing *)stream)->copy.to = to;
	((thing *)stream)->copy.from = (const void *)(uintptr_t)from;
	((thing *)stream)->copy.bytes = bytes;
	return 0;
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream)
{
	if (fake_captures(__func__, stream))
		return fake_capture(stream, 0);
	TURN(UNKNOWN);
	if (fake_stream(__func__, stream) || !memory_at(__func__, from, bytes) ||
	    !memory_at(__func__, to, bytes))
		return INVALID_VALUE;
	memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
	return 0;
}

int cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes, void *stream)
{
	if (fake_captures(__func__, stream))
		return fake_capture(stream, 0);
	TURN(UNKNOWN);
	if (fake_stream(__func__, stream) || !memory_at(__func__, to, bytes))
		return INVALID_VALUE;
	memset((void *)(uintptr_t)to, value, bytes);
	return 0;
}

/* ---- Modules --------------------------------------------------------------------------------- */

/* Returns the length of an ELF file, which ends with its section or segment table. */
static size_t elf_bytes(const unsigned char *image)
{
	uint64_t segments, sections;
	uint16_t size[4]; /* for segments, then sections: bytes of an entry, number of entries */

	memcpy(&segments, image + 32, sizeof segments);
	memcpy(&sections, image + 40, sizeof sections);
	memcpy(size, image + 54, sizeof size);
	segments += (uint64_t)size[0] * size[1];
	sections += (uint64_t)size[2] * size[3];
	return (size_t)(segments > sections ? segments : sections);
}

int cuModuleLoadDataEx(void **module, const void *image, unsigned options, int *option,
                       void **value)
{
	const thing *c = fake_current(__func__);
	const int elf = memcmp(image, "\177ELF", 4) == 0;
	thing *t;

	TURN(UNKNOWN);
	if (!c)
		return INVALID_CONTEXT;
	if (!elf && !strstr(image, ".entry ")) {
		if (options > 0 && option[0] == EKI_CUDA_ERROR_LOG)
			strcpy(value[0], "fake: neither PTX\nnor ELF");
		return INVALID_IMAGE;
	}
	t = fake_make(MODULE, c->device);
	t->bytes = elf ? elf_bytes(image) : strlen(image) + 1;
	t->data = malloc(t->bytes);
	if (!t->data)
		abort();
	memcpy(t->data, image, t->bytes);
	*module = t;
	return 0;
}

int cuModuleUnload(void *module)
{
	const int error = fake_check(__func__, module, MODULE);

	for (thing *t = fake_things, *next; t && !error; t = next) {
		next = t->next;
		if (t->kind == FUNCTION && t->module == module)
			fake_destroy(t);
	}
	if (!error)
		fake_destroy(module);
	return error;
}

/* Returns the text that follows `what` in the module, or NULL if `what` is not there. */
static const char *find(const thing *module, const char *what, size_t length)
{
	for (size_t k = 0; k + length <= module->bytes; k++)
		if (memcmp(module->data + k, what, length) == 0)
			return module->data + k + length;
	return NULL;
}

static const char *find_function(const thing *module, const char *name)
{
	char text[128];

	if (memcmp(module->data, "\177ELF", 4) == 0) /* each kernel has a section */
		return find(module, text,
		            (size_t)snprintf(text, sizeof text, ".text.%s", name) + 1);
	return find(module, text, (size_t)snprintf(text, sizeof text, ".entry %s(", name));
}

/* Returns the function of the module that was asked for by this name before, or NULL. */
static thing *known_function(const thing *module, const char *name)
{
	thing *t;

	pthread_mutex_lock(&fake_lock);
	for (t = fake_things; t; t = t->next)
		if (t->kind == FUNCTION && t->module == module && strcmp(t->name, name) == 0)
			break;
	pthread_mutex_unlock(&fake_lock);
	return t;
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
	const int error = fake_check(__func__, module, MODULE);
	thing *t;

	TURN(UNKNOWN);
	if (error)
		return error;
	if (!find_function(module, name))
		return NOT_FOUND;
	t = known_function(module, name);
	if (!t) {
		t = fake_make(FUNCTION, ((thing *)module)->device);
		t->module = module;
		snprintf(t->name, sizeof t->name, "%s", name);
	}
	*function = t;
	return 0;
}

int cuFuncGetAttribute(int *value, int attribute, void *function)
{
	if (fake_capturing && fake_fails("a captured command", UNKNOWN))
		return UNKNOWN;
	TURN(UNKNOWN);
	if (fake_check(__func__, function, FUNCTION))
		return INVALID_HANDLE;
	if (attribute != EKI_CUDA_FUNCTION_LOCAL)
		return fake_misuse(INVALID_VALUE, "cuFuncGetAttribute: %d", attribute);
	*value = ((thing *)function)->local ? ((thing *)function)->local : 49152;
	return 0;
}

int cuFuncSetAttribute(void *function, int attribute, int value)
{
	thing *f = function;

	if (fake_capturing && fake_fails("a captured command", UNKNOWN))
		return UNKNOWN;
	TURN(UNKNOWN);
	if (fake_check(__func__, function, FUNCTION))
		return INVALID_HANDLE;
	if (attribute != EKI_CUDA_FUNCTION_LOCAL || value < 0)
		return fake_misuse(INVALID_VALUE, "cuFuncSetAttribute: %d is %d", attribute, value);
	if (value > FAKE_LOCAL_MOST)
		return INVALID_VALUE;
	f->local = value;
	return 0;
}

/* Records the size and the bits of each parameter that the PTX text declares. Declarations look
 * like ".param .u64 name,\n ..."; a ")" ends their list. */
static void record(const thing *f, void **parameters)
{
	const char *at = find_function(f->module, f->name);
	const char *end = strchr(at, ')');
	int k = 0;

	for (; end && (at = strstr(at, ".param .")) && at < end && k < FAKE_ARGUMENTS; k++) {
		at += strlen(".param .") + 1; /* + 1 skips the letter of the type */
		fake_cuda.last.size[k] = atoi(at) / 8;
		fake_cuda.last.value[k] = fake_cuda.last.size[k] == 4
		                                  ? *(const uint32_t *)parameters[k]
		                                  : *(const uint64_t *)parameters[k];
	}
	fake_cuda.last.arguments = k;
}

int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned local,
                   void *stream, void **parameters, void **extra)
{
	const thing *f = function;

	if (fake_captures(__func__, stream))
		return fake_capture(stream, 1);
	TURN(UNKNOWN);
	if (fake_check(__func__, function, FUNCTION) || fake_stream(__func__, stream))
		return INVALID_HANDLE;
	if (grid_x == 0 || grid_y != 1 || grid_z != 1 || block_x == 0 || block_x > 1024 ||
	    block_y != 1 || block_z != 1 || extra)
		return fake_misuse(INVALID_VALUE, "cuLaunchKernel: %u groups of %u", grid_x,
		                   block_x);
	if (local > 49152 && local > (unsigned)f->local)
		return fake_misuse(INVALID_VALUE, "cuLaunchKernel: %u bytes of shared memory",
		                   local);
	fake_cuda.launches++;
	fake_cuda.last.groups = grid_x;
	fake_cuda.last.group_size = block_x;
	fake_cuda.last.local = local;
	snprintf(fake_cuda.last.name, sizeof fake_cuda.last.name, "%s", f->name);
	fake_cuda.last.arguments = -1;
	if (memcmp(f->module->data, "\177ELF", 4) != 0)
		record(f, parameters);
	return 0;
}
