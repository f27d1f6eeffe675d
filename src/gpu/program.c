/* SPDX-License-Identifier: BSD-3-Clause
 * Programs. The text of a kernel file, preceded by its parameters and prelude.cl, is compiled once
 * for a device. The program is then found by its whole text: in memory as long as the context
 * lives, and later in the folder of compiled programs (program_cache.c). */
#include <stdio.h>
#include <string.h>

#include "base/pool.h"
#include "gpu/gpu.h"

#ifndef EK_NO_GPU

typedef struct eki_program {
	struct eki_program *next;
	char *text;
	int64_t bytes;
	void *handle;
} eki_program;

static void free_program(eki_device *dev, eki_program *p)
{
	if (p && p->handle)
		dev->driver->unload(dev, p->handle);
	if (p)
		eki_free(dev->ctx, p->text, p->bytes, 1);
	eki_free(dev->ctx, p, 1, sizeof *p);
}

eki_compiling *eki_device_compiling(void)
{
	static _Thread_local eki_compiling mine = {.may = true};

	return &mine;
}

/* Compiles a program, if this thread may do that. */
static ek_status build(eki_device *dev, const char *name, eki_program *p)
{
	eki_compiling *c = eki_device_compiling();
	const int64_t start = eki_now_ns();

	c->refused |= !c->may;
	if (!c->may)
		return eki_fail(EK_ELIMIT, "kernel %s is not compiled yet", name);
	const ek_status status = dev->driver->build(dev, name, p->text, NULL, 0, &p->handle);

	c->ns += eki_now_ns() - start;
	if (status == EK_OK)
		atomic_fetch_add(&dev->counted.compiled, 1);
	return status;
}

/* Loads the program's binary from the cache on disk. If there is none, or it cannot be loaded,
 * compiles the program and stores its binary there. */
static ek_status compile(eki_device *dev, const char *name, eki_program *p)
{
	void *binary = NULL;
	int64_t bytes = 0;
	ek_status status;

	eki_cache_load(dev, p->text, &binary, &bytes);
	if (binary &&
	    dev->driver->build(dev, name, p->text, binary, (size_t)bytes, &p->handle) == EK_OK) {
		atomic_fetch_add(&dev->counted.loaded, 1);
		status = EK_OK;
		goto done;
	}
	eki_free(dev->ctx, binary, bytes, 1);
	binary = NULL;
	EK_TRY(build(dev, name, p));
	eki_cache_store(dev, p->text, p->handle);
done:
	eki_free(dev->ctx, binary, bytes, 1);
	return status;
}

/* Returns the program that has the same text as `like`, or NULL if there is none. The caller must
 * hold dev->lock. */
static eki_program *find(const eki_device *dev, const eki_program *like)
{
	eki_program *p = dev->programs;

	while (p && (p->bytes != like->bytes || memcmp(p->text, like->text, (size_t)p->bytes) != 0))
		p = p->next;
	return p;
}

/* Holds no lock while compiling, since the context's log function may be called then and may create
 * plans. Two threads that want the same program may both compile it; only one result is kept. */
ek_status eki_program_get(eki_device *dev, const char *name, const char *defines, const char *text,
                          void **program)
{
	eki_program *mine, *p;
	void *block;
	ek_status status;

	EK_RETURN_IF(eki_calloc(dev->ctx, 1, sizeof *mine, &block));
	mine = block;
	EK_TRY(eki_program_text(dev->ctx, defines, text, &mine->text, &mine->bytes));
	pthread_mutex_lock(&dev->lock);
	p = find(dev, mine);
	pthread_mutex_unlock(&dev->lock);
	if (!p) {
		EK_TRY(compile(dev, name, mine));
		pthread_mutex_lock(&dev->lock);
		p = find(dev, mine);
		if (!p) {
			p = mine;
			mine = NULL;
			p->next = dev->programs;
			dev->programs = p;
		}
		pthread_mutex_unlock(&dev->lock);
	}
	*program = p->handle;
done:
	free_program(dev, mine);
	return status;
}

void eki_programs_free(eki_device *dev)
{
	while (dev->programs) {
		eki_program *p = dev->programs;

		dev->programs = p->next;
		free_program(dev, p);
	}
}
#endif
