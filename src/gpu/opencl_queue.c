/* SPDX-License-Identifier: BSD-3-Clause
 * Memory, launches and times of the OpenCL driver. Memory of kind EKI_MEMORY_COPY is a buffer
 * object. The other kinds are shared virtual memory, whose pointers are passed to kernels as they
 * are.
 *
 * A command may fail while it runs, and only its event reports that. So each event is kept until
 * its result has been checked. The functions read, map and wait first finish the queue and check
 * all events. If the list of events is full, the next command first waits for the oldest event and
 * then checks all events. After the first failure all these functions fail, in every thread, since
 * any data on the device may depend on data that the failed command did not write. CUDA behaves in
 * the same way. */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "gpu/opencl_api.h"

#ifndef EK_NO_GPU

/* ---- Pending commands ------------------------------------------------------------------------ */

static ek_status failure(const eki_cl_own *o)
{
	return eki_cl_check("work in the queue", o->failed);
}

/* Releases the events of commands that have ended, and keeps the first failure in o->failed. An
 * event whose query fails stays in the list and is queried again later. */
static ek_status look(eki_cl_own *o)
{
	ek_status status = EK_OK;
	int left = 0;

	for (int k = 0; k < o->count; k++) {
		cl_event event = o->pending[k];
		cl_int code = 0;
		const ek_status asked =
			EKI_CL(clGetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS,
		               sizeof code, &code, NULL);

		if (asked != EK_OK || code > CL_COMPLETE) {
			status = asked != EK_OK ? asked : status;
			o->pending[left++] = event;
			continue;
		}
		if (o->failed == CL_SUCCESS)
			o->failed = code;
		eki_cl.clReleaseEvent(event);
	}
	o->count = left;
	return status;
}

/* Finds a place for the event of a command and locks o->lock. The caller then puts the command into
 * the queue and calls `end`, which unlocks o->lock. */
static ek_status begin(eki_cl_own *o, cl_event **event)
{
	ek_status status = EK_OK;

	pthread_mutex_lock(&o->lock);
	while (o->count == EKI_CL_PENDING) {
		const cl_int code = eki_cl.clWaitForEvents(1, o->pending);

		EK_TRY(look(o));
		if (o->count == EKI_CL_PENDING)
			EK_TRY(eki_cl_check("clWaitForEvents", code));
	}
	EK_TRY(failure(o));
	*event = &o->pending[o->count];
done:
	if (status != EK_OK)
		pthread_mutex_unlock(&o->lock);
	return status;
}

static ek_status end(eki_cl_own *o, ek_status status)
{
	if (status == EK_OK)
		o->count++;
	pthread_mutex_unlock(&o->lock);
	return status;
}

/* Waits until all commands in both queues are done. Fails if one of them, or an earlier command,
 * has failed. */
static ek_status settle(eki_cl_own *o)
{
	ek_status status = EKI_CL(clFinish, o->queue);
	/* Waited for in any case, since copies go to memory that callers free if this fails. */
	const ek_status copied = atomic_load(&o->copied) ? EKI_CL(clFinish, o->copies) : EK_OK;

	EK_RETURN_IF(status);
	EK_RETURN_IF(copied);
	pthread_mutex_lock(&o->lock);
	EK_TRY(look(o));
	status = failure(o);
done:
	pthread_mutex_unlock(&o->lock);
	return status;
}

void eki_cl_forget(eki_cl_own *o)
{
	for (int k = 0; k < o->count; k++)
		eki_cl.clReleaseEvent(o->pending[k]);
	o->count = 0;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* What clSVMAlloc is asked for, by kinds of memory. */
static const cl_bits svm_flags[] = {
	[EKI_MEMORY_MAPPED] = CL_MEM_READ_WRITE,
	[EKI_MEMORY_SHARED] = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER,
	[EKI_MEMORY_ATOMIC] = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS,
};

ek_status eki_cl_alloc(eki_device *d, eki_memory memory, int64_t bytes, void **device, void **host)
{
	const eki_cl_own *o = d->own;
	cl_int code;
	void *block;

	if (memory == EKI_MEMORY_COPY) {
		block = eki_cl.clCreateBuffer(o->context, CL_MEM_READ_WRITE, (size_t)bytes, NULL,
		                              &code);
		EK_RETURN_IF(eki_cl_check("clCreateBuffer", code));
		*device = block;
		*host = NULL;
		return EK_OK;
	}
	block = eki_cl.clSVMAlloc(o->context, svm_flags[memory], (size_t)bytes, 0);
	if (!block)
		return eki_fail(EK_ENOMEM, "opencl: clSVMAlloc gave no memory for %lld bytes",
		                (long long)bytes);
	*device = *host = block;
	return EK_OK;
}

void eki_cl_free(eki_device *d, eki_memory memory, void *device)
{
	const eki_cl_own *o = d->own;

	if (memory == EKI_MEMORY_COPY) {
		eki_cl.clReleaseMemObject(device);
	} else {
		/* clSVMFree frees the memory at once, while a buffer object lives until the last
		 * command that uses it is done. */
		eki_cl.clFinish(o->queue);
		eki_cl.clSVMFree(o->context, device);
	}
}

ek_status eki_cl_write(eki_device *d, const eki_buffer *to, int64_t offset, const void *from,
                       int64_t bytes)
{
	eki_cl_own *o = d->own;
	cl_event *event;

	/* The write blocks, so it needs no event. `begin` is called only because it fails if an
	 * earlier command has failed. */
	EK_RETURN_IF(begin(o, &event));
	pthread_mutex_unlock(&o->lock);
	return EKI_CL(clEnqueueWriteBuffer, o->queue, to->device, 1, (size_t)offset, (size_t)bytes,
	              from, 0, NULL, NULL);
}

ek_status eki_cl_read(eki_device *d, const eki_buffer *from, int64_t offset, void *to,
                      int64_t bytes)
{
	eki_cl_own *o = d->own;

	EK_RETURN_IF(settle(o));
	return EKI_CL(clEnqueueReadBuffer, o->queue, from->device, 1, (size_t)offset, (size_t)bytes,
	              to, 0, NULL, NULL);
}

ek_status eki_cl_send(eki_device *d, const eki_buffer *to, int64_t offset, const void *from,
                      int64_t bytes)
{
	eki_cl_own *o = d->own;
	cl_event *event;

	EK_RETURN_IF(begin(o, &event));
	atomic_store(&o->copied, true);
	return end(o, EKI_CL(clEnqueueWriteBuffer, o->copies, to->device, 0, (size_t)offset,
	                     (size_t)bytes, from, 0, NULL, event));
}

ek_status eki_cl_fetch(eki_device *d, const eki_buffer *from, int64_t offset, void *to,
                       int64_t bytes)
{
	eki_cl_own *o = d->own;
	cl_event *event;

	EK_RETURN_IF(begin(o, &event));
	atomic_store(&o->copied, true);
	return end(o, EKI_CL(clEnqueueReadBuffer, o->copies, from->device, 0, (size_t)offset,
	                     (size_t)bytes, to, 0, NULL, event));
}

/* Flushes the queue that is waited for, since a wait for a command of another queue starts
 * nothing. */
ek_status eki_cl_follow(eki_device *d, bool copies)
{
	eki_cl_own *o = d->own;
	const cl_command_queue first = copies ? o->queue : o->copies,
			       second = copies ? o->copies : o->queue;
	cl_event point, *event;
	ek_status status;

	EK_RETURN_IF(EKI_CL(clEnqueueMarkerWithWaitList, first, 0, NULL, &point));
	EK_TRY(EKI_CL(clFlush, first));
	EK_TRY(begin(o, &event));
	atomic_store(&o->copied, true);
	status = end(o, EKI_CL(clEnqueueBarrierWithWaitList, second, 1, &point, event));
done:
	eki_cl.clReleaseEvent(point);
	return status;
}

ek_status eki_cl_copy(eki_device *d, const eki_buffer *to, int64_t to_offset,
                      const eki_buffer *from, int64_t from_offset, int64_t bytes)
{
	eki_cl_own *o = d->own;
	const size_t size = (size_t)bytes, at = (size_t)to_offset, of = (size_t)from_offset;
	const bool to_object = to->memory == EKI_MEMORY_COPY,
		   from_object = from->memory == EKI_MEMORY_COPY;
	cl_event *event;

	EK_RETURN_IF(begin(o, &event));
	if (to_object && from_object)
		return end(o, EKI_CL(clEnqueueCopyBuffer, o->queue, from->device, to->device, of,
		                     at, size, 0, NULL, event));
	if (to_object)
		return end(o, EKI_CL(clEnqueueWriteBuffer, o->queue, to->device, 0, at, size,
		                     (char *)from->device + of, 0, NULL, event));
	if (from_object)
		return end(o, EKI_CL(clEnqueueReadBuffer, o->queue, from->device, 0, of, size,
		                     (char *)to->device + at, 0, NULL, event));
	return end(o, EKI_CL(clEnqueueSVMMemcpy, o->queue, 0, (char *)to->device + at,
	                     (char *)from->device + of, size, 0, NULL, event));
}

ek_status eki_cl_clear(eki_device *d, const eki_buffer *buffer)
{
	static const char zeros[16];
	eki_cl_own *o = d->own;
	const size_t bytes = (size_t)buffer->bytes;
	/* The fill is faster with a wider pattern, so the pattern is as wide as `bytes` allows. */
	const size_t size = bytes % 16 == 0 ? 16 : bytes % 4 == 0 ? 4 : 1;
	cl_event *event;

	EK_RETURN_IF(begin(o, &event));
	if (buffer->memory == EKI_MEMORY_COPY)
		return end(o, EKI_CL(clEnqueueFillBuffer, o->queue, buffer->device, zeros, size, 0,
		                     bytes, 0, NULL, event));
	return end(o, EKI_CL(clEnqueueSVMMemFill, o->queue, buffer->device, zeros, size, bytes, 0,
	                     NULL, event));
}

ek_status eki_cl_map(eki_device *d, eki_buffer *buffer)
{
	eki_cl_own *o = d->own;

	EK_RETURN_IF(settle(o));
	EK_RETURN_IF(EKI_CL(clEnqueueSVMMap, o->queue, 1, CL_MAP_READ | CL_MAP_WRITE,
	                    buffer->device, (size_t)buffer->bytes, 0, NULL, NULL));
	buffer->mapped = true;
	return EK_OK;
}

ek_status eki_cl_unmap(eki_device *d, eki_buffer *buffer)
{
	eki_cl_own *o = d->own;
	cl_event *event;

	EK_RETURN_IF(begin(o, &event));
	EK_RETURN_IF(end(o, EKI_CL(clEnqueueSVMUnmap, o->queue, buffer->device, 0, NULL, event)));
	buffer->mapped = false;
	return EK_OK;
}

/* ---- Launches -------------------------------------------------------------------------------- */

static ek_status set_arg(cl_kernel kernel, cl_uint k, const eki_arg *arg)
{
	const eki_buffer *b = arg->buffer;

	if (arg->local)
		return EKI_CL(clSetKernelArg, kernel, k, arg->size, NULL);
	if (!b)
		return EKI_CL(clSetKernelArg, kernel, k, arg->size, &arg->u);
	if (b->memory == EKI_MEMORY_COPY || !b->device)
		return EKI_CL(clSetKernelArg, kernel, k, sizeof b->device, &b->device);
	return EKI_CL(clSetKernelArgSVMPointer, kernel, k, b->device);
}

ek_status eki_cl_launch(eki_device *d, void *kernel, int64_t groups, int group_size,
                        const eki_arg *args, int count)
{
	eki_cl_own *o = d->own;
	const size_t local = (size_t)group_size, global = (size_t)groups * local;
	cl_event *event;

	if (groups > (int64_t)(SIZE_MAX / 2 / local))
		return eki_fail(EK_EUNSUPPORTED,
		                "a launch of %lld groups of %d; OpenCL takes %zu work-items here",
		                (long long)groups, group_size, SIZE_MAX / 2);
	for (int k = 0; k < count; k++)
		EK_RETURN_IF(set_arg(kernel, (cl_uint)k, &args[k]));
	EK_RETURN_IF(begin(o, &event));
	return end(o, EKI_CL(clEnqueueNDRangeKernel, o->queue, kernel, 1, NULL, &global, &local, 0,
	                     NULL, event));
}

ek_status eki_cl_flush(eki_device *d)
{
	const eki_cl_own *o = d->own;

	if (atomic_load(&o->copied))
		EK_RETURN_IF(EKI_CL(clFlush, o->copies));
	return EKI_CL(clFlush, o->queue);
}

ek_status eki_cl_wait(eki_device *d)
{
	return settle(d->own);
}

/* ---- Times ----------------------------------------------------------------------------------- */

ek_status eki_cl_mark(eki_device *d, int which)
{
	eki_cl_own *o = d->own;
	struct timespec now;
	cl_event event;

	if (o->host_clock) {
		EK_RETURN_IF(EKI_CL(clFinish, o->queue));
		clock_gettime(CLOCK_MONOTONIC, &now);
		o->mark_time[which] = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
		return EK_OK;
	}
	EK_RETURN_IF(EKI_CL(clEnqueueMarkerWithWaitList, o->queue, 0, NULL, &event));
	if (o->mark[which])
		eki_cl.clReleaseEvent(o->mark[which]);
	o->mark[which] = event;
	return EK_OK;
}

ek_status eki_cl_elapsed(eki_device *d, double *seconds)
{
	const eki_cl_own *o = d->own;
	uint64_t nanosecond[2];

	if (o->host_clock) {
		*seconds = o->mark_time[1] - o->mark_time[0];
		return EK_OK;
	}
	EK_RETURN_IF(EKI_CL(clWaitForEvents, 2, o->mark));
	for (int k = 0; k < 2; k++)
		EK_RETURN_IF(EKI_CL(clGetEventProfilingInfo, o->mark[k], CL_PROFILING_COMMAND_END,
		                    sizeof nanosecond[k], &nanosecond[k], NULL));
	*seconds = 1e-9 * ((double)nanosecond[1] - (double)nanosecond[0]);
	return EK_OK;
}

#endif
