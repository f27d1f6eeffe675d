/* SPDX-License-Identifier: BSD-3-Clause
 * Jobs: work on a device that no plan has prepared, such as a primitive on arrays, or a product
 * whose temporary memory is known only when it runs.
 *
 * Programs are found by the address of their text and their parameters, so that a call need not
 * make the full text first; kernels by their names. They stay until the device is closed. A kernel
 * is shared by all jobs, so its arguments are set and its launch is put into the queue under a
 * lock.
 *
 * Temporary buffers that no job holds are kept for the next job, since allocating memory on a
 * device takes longer than many kernels. A buffer serves a request if it is at most twice as large.
 * Limits for what is kept unused are a number of buffers and a share of the device's memory; if
 * memory runs out, also for other buffers, all unused ones are freed (memory.c). */
#include <string.h>

#include "gpu/job.h"

#ifndef EK_NO_GPU

/* Buffers that are kept unused at most, and the share of the device's memory that they may take. */
enum { MOST_UNUSED = 32, SHARE_UNUSED = 8 };

typedef struct eki_job_kernel {
	struct eki_job_kernel *next;
	const char *name;
	void *handle;
} eki_job_kernel;

typedef struct eki_job_code {
	struct eki_job_code *next;
	const char *text;
	char *defines;
	void *program;
	eki_job_kernel *kernels;
} eki_job_code;

typedef struct eki_temporary {
	struct eki_temporary *next; /* in the list of the device or of a job */
	eki_buffer buffer;          /* its `bytes` are those that were asked for */
	int64_t capacity;
} eki_temporary;

void eki_job_begin(eki_device *dev, eki_job *job)
{
	*job = (eki_job){.device = dev};
}

void eki_job_begin_for(const eki_step *step, eki_job *job)
{
	eki_job_begin(step->gpu->device, job);
	job->frees = step->problem->memory > 0;
}

/* ---- Programs and kernels -------------------------------------------------------------------- */

/* Returns the program with this text and these parameters, or NULL if there is none yet. The caller
 * must hold dev->lock. */
static eki_job_code *find(const eki_device *dev, const char *defines, const char *text)
{
	eki_job_code *p = dev->job_programs;

	while (p && (p->text != text || strcmp(p->defines, defines) != 0))
		p = p->next;
	return p;
}

static void free_program(const eki_device *dev, eki_job_code *p)
{
	if (!p)
		return;
	while (p->kernels) {
		eki_job_kernel *k = p->kernels;

		p->kernels = k->next;
		dev->driver->drop((eki_device *)(uintptr_t)dev, k->handle);
		eki_free(dev->ctx, k, 1, sizeof *k);
	}
	eki_free(dev->ctx, p->defines, (int64_t)strlen(p->defines) + 1, 1);
	eki_free(dev->ctx, p, 1, sizeof *p);
}

static ek_status make_program(eki_device *dev, const char *name, const char *defines,
                              const char *text, eki_job_code **made)
{
	const size_t bytes = strlen(defines) + 1;
	eki_job_code *p;
	void *block;
	ek_status status;

	EK_RETURN_IF(eki_calloc(dev->ctx, 1, sizeof *p, &block));
	p = block;
	p->text = text;
	status = eki_alloc(dev->ctx, (int64_t)bytes, 1, &block);
	if (status != EK_OK) {
		eki_free(dev->ctx, p, 1, sizeof *p);
		return status;
	}
	p->defines = memcpy(block, defines, bytes);
	status = eki_program_get(dev, name, defines, text, &p->program);
	if (status == EK_OK)
		*made = p;
	else
		free_program(dev, p);
	return status;
}

ek_status eki_job_program(eki_job *job, const char *name, const char *defines, const char *text)
{
	eki_device *dev = job->device;
	eki_job_code *p, *made = NULL;

	pthread_mutex_lock(&dev->lock);
	p = find(dev, defines, text);
	pthread_mutex_unlock(&dev->lock);
	if (!p) {
		EK_RETURN_IF(make_program(dev, name, defines, text, &made));
		pthread_mutex_lock(&dev->lock);
		p = find(dev, defines, text); /* another thread may have been faster */
		if (!p) {
			p = made;
			made = NULL;
			p->next = dev->job_programs;
			dev->job_programs = p;
		}
		pthread_mutex_unlock(&dev->lock);
		free_program(dev, made);
	}
	job->program = p;
	return EK_OK;
}

/* Finds or makes a kernel of the job's program. The caller must hold dev->launch_lock. */
static ek_status get_kernel(eki_device *dev, eki_job_code *p, const char *name, void **handle)
{
	eki_job_kernel *k = p->kernels;
	void *block;
	ek_status status;

	while (k && strcmp(k->name, name) != 0)
		k = k->next;
	if (!k) {
		EK_RETURN_IF(eki_calloc(dev->ctx, 1, sizeof *k, &block));
		k = block;
		status = dev->driver->kernel(dev, p->program, name, &k->handle);
		if (status != EK_OK) {
			eki_free(dev->ctx, k, 1, sizeof *k);
			return status;
		}
		k->name = name;
		k->next = p->kernels;
		p->kernels = k;
	}
	*handle = k->handle;
	return EK_OK;
}

ek_status eki_job_launch(eki_job *job, const char *kernel, int64_t groups, int group_size,
                         const eki_arg *args, int count)
{
	eki_device *dev = job->device;
	void *handle;
	ek_status status;

	if (groups == 0)
		return EK_OK;
	EK_RETURN_IF(eki_not_recording()); /* other jobs will get the buffers of this one */
	pthread_mutex_lock(&dev->launch_lock);
	EK_TRY(get_kernel(dev, (eki_job_code *)(uintptr_t)job->program, kernel, &handle));
	atomic_fetch_add(&dev->counted.launches, 1);
	status = dev->driver->launch(dev, handle, groups, group_size, args, count);
done:
	pthread_mutex_unlock(&dev->launch_lock);
	return status;
}

/* ---- Temporary buffers ----------------------------------------------------------------------- */

static void free_temporary(eki_device *dev, eki_temporary *t)
{
	eki_buffer_free(dev, &t->buffer);
	eki_free(dev->ctx, t, 1, sizeof *t);
}

/* Takes an unused buffer for `bytes` bytes out of the device's list, or returns NULL. */
static eki_temporary *take_unused(eki_device *dev, int64_t bytes)
{
	eki_temporary **at, **best = NULL, *t = NULL;

	pthread_mutex_lock(&dev->lock);
	for (at = &dev->temporaries; *at; at = &(*at)->next)
		if ((*at)->capacity >= bytes && (*at)->capacity / 2 <= bytes &&
		    (!best || (*at)->capacity < (*best)->capacity))
			best = at;
	if (best) {
		t = *best;
		*best = t->next;
	}
	pthread_mutex_unlock(&dev->lock);
	return t;
}

/* Frees the device's unused buffers except the first of its list: up to `kept` buffers of `bytes`
 * bytes in all. Waits for the device before, as drivers may free memory that kernels still use.
 * Tells whether it freed any. */
static bool free_unused(eki_device *dev, int kept, int64_t bytes)
{
	eki_temporary **at = &dev->temporaries, *rest;
	bool any;

	pthread_mutex_lock(&dev->lock);
	while (*at && kept-- > 0 && (*at)->capacity <= bytes) {
		bytes -= (*at)->capacity;
		at = &(*at)->next;
	}
	rest = *at;
	*at = NULL;
	pthread_mutex_unlock(&dev->lock);
	any = rest != NULL;
	if (any)
		dev->driver->wait(dev);
	while (rest) {
		eki_temporary *t = rest;

		rest = t->next;
		free_temporary(dev, t);
	}
	return any;
}

bool eki_jobs_trim(eki_device *dev)
{
	return free_unused(dev, 0, 0);
}

static ek_status make_temporary(eki_device *dev, int64_t bytes, eki_temporary **out)
{
	eki_temporary *t;
	void *block;
	ek_status status;

	EK_RETURN_IF(eki_calloc(dev->ctx, 1, sizeof *t, &block));
	t = block;
	t->capacity = bytes;
	status = eki_buffer_alloc(dev, bytes, 1, false, &t->buffer);
	if (status == EK_OK)
		*out = t;
	else
		eki_free(dev->ctx, t, 1, sizeof *t);
	return status;
}

ek_status eki_job_buffer(eki_job *job, int64_t count, size_t size, eki_buffer **out)
{
	const int64_t bytes = eki_times(count, (int64_t)size);
	const int64_t least = bytes < EKI_JOB_LEAST ? EKI_JOB_LEAST : bytes;
	eki_temporary *t = take_unused(job->device, least);

	if (!t)
		EK_RETURN_IF(make_temporary(job->device, least, &t));
	t->buffer.bytes = bytes;
	t->next = job->temporaries;
	job->temporaries = t;
	job->bytes += bytes;
	job->most = job->bytes > job->most ? job->bytes : job->most;
	*out = &t->buffer;
	return EK_OK;
}

ek_status eki_job_place(eki_job *job, const void *array, int64_t bytes, eki_buffer *buffer)
{
	eki_buffer *there;

	if (bytes > 0 && eki_buffer_around(job->device, array, bytes, buffer))
		return EK_OK;
	EK_RETURN_IF(eki_job_buffer(job, bytes, 1, &there));
	*buffer = *there;
	return EK_OK;
}

static void give_back(eki_job *job, eki_temporary *t)
{
	eki_device *dev = job->device;

	job->bytes -= t->buffer.bytes;
	if (job->frees) {
		dev->driver->wait(dev); /* kernels may still use it */
		free_temporary(dev, t);
		return;
	}
	pthread_mutex_lock(&dev->lock);
	t->next = dev->temporaries;
	dev->temporaries = t;
	pthread_mutex_unlock(&dev->lock);
	free_unused(dev, MOST_UNUSED, dev->info.memory / SHARE_UNUSED);
}

void eki_job_drop(eki_job *job, eki_buffer *buffer)
{
	eki_temporary **at = &job->temporaries, *t;

	while (*at && &(*at)->buffer != buffer)
		at = &(*at)->next;
	t = *at;
	if (!t)
		return;
	*at = t->next;
	give_back(job, t);
}

void eki_job_end(eki_job *job)
{
	while (job->temporaries) {
		eki_temporary *t = job->temporaries;

		job->temporaries = t->next;
		give_back(job, t);
	}
}

void eki_jobs_free(eki_device *dev)
{
	eki_jobs_trim(dev);
	while (dev->job_programs) {
		eki_job_code *p = dev->job_programs;

		dev->job_programs = p->next;
		free_program(dev, p);
	}
}

#endif
