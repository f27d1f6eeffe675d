/* SPDX-License-Identifier: BSD-3-Clause
 * Functions of OpenCL that fail when a test asks for it. */
#include <stdio.h>

#include "gpu/opencl_api.h"
#include "support/cl_faults.h"

struct cl_faults cl_faults = {.fail_at = -1};

#ifndef EK_NO_GPU

static struct eki_cl real;

/* Events of commands that will fail. Their status is "running" until somebody has waited for them
 * or has finished the queue. */
enum { MOST = 256, RUNNING = 1, WAIT_LIST_FAILED = -14 };
static struct {
	cl_event event;
	bool over;
} dying[MOST];

static int find_dying(cl_event event)
{
	for (int k = 0; k < MOST; k++)
		if (dying[k].event == event)
			return k;
	return MOST;
}

static void let_die(cl_event event)
{
	dying[find_dying(NULL)].event = event;
}

static void all_over(void)
{
	for (int k = 0; k < MOST; k++)
		dying[k].over = dying[k].event != NULL;
}

static bool fails(const char *name)
{
	const long call = atomic_fetch_add(&cl_faults.calls, 1),
		   at = atomic_load(&cl_faults.fail_at);

	if (at < 0 || call < at || (call > at && !atomic_load(&cl_faults.persistent)))
		return false;
	if (call == at)
		snprintf(cl_faults.failed, sizeof cl_faults.failed, "%s", name);
	return true;
}

/* Defines the wrapper of a call that returns an error code. */
#define GIVES_CODE(name, params, args)                                 \
	static cl_int name##_ params                                   \
	{                                                              \
		return fails(#name) ? cl_faults.code : real.name args; \
	}

/* Defines the wrapper of a call that makes an object and returns the error code through its last
 * argument. */
#define MAKES(type, name, params, args)         \
	static type name##_ params              \
	{                                       \
		type made = NULL;               \
                                                \
		if (fails(#name))               \
			*code = cl_faults.code; \
		else                            \
			made = real.name args;  \
		cl_faults.live += made != NULL; \
		return made;                    \
	}

#define RELEASES(type, name)               \
	static cl_int name##_(type object) \
	{                                  \
		cl_faults.live--;          \
		return real.name(object);  \
	}

/* Defines the wrapper of a call that has a wait list and may return an event. */
#define ENQUEUES(name, params, args)                           \
	static cl_int name##_ params                           \
	{                                                      \
		cl_int code;                                   \
                                                               \
		if (fails(#name))                              \
			return cl_faults.code;                 \
		code = real.name args;                         \
		cl_faults.live += event && code == CL_SUCCESS; \
		if (cl_faults.dying && event)                  \
			let_die(*event);                       \
		return code;                                   \
	}
#define TAIL  cl_uint waits, const cl_event *list, cl_event *event
#define TAIL_ waits, list, event

#define FAULTY(CODE, OBJECT, RELEASE, QUEUE)                                                       \
	CODE(clGetPlatformIDs, (cl_uint n, cl_platform_id * p, cl_uint * m), (n, p, m))            \
	CODE(clGetPlatformInfo, (cl_platform_id p, cl_uint w, size_t s, void *v, size_t *n),       \
	     (p, w, s, v, n))                                                                      \
	CODE(clGetDeviceIDs,                                                                       \
	     (cl_platform_id p, cl_bits t, cl_uint n, cl_device_id * d, cl_uint * m),              \
	     (p, t, n, d, m))                                                                      \
	CODE(clGetDeviceInfo, (cl_device_id d, cl_uint w, size_t s, void *v, size_t *n),           \
	     (d, w, s, v, n))                                                                      \
	OBJECT(cl_context, clCreateContext,                                                        \
	       (const cl_property *p, cl_uint n, const cl_device_id *d, cl_context_notify *f,      \
	        void *u, cl_int *code),                                                            \
	       (p, n, d, f, u, code))                                                              \
	RELEASE(cl_context, clReleaseContext)                                                      \
	OBJECT(cl_command_queue, clCreateCommandQueue,                                             \
	       (cl_context c, cl_device_id d, cl_bits b, cl_int * code), (c, d, b, code))          \
	RELEASE(cl_command_queue, clReleaseCommandQueue)                                           \
	OBJECT(cl_mem, clCreateBuffer, (cl_context c, cl_bits b, size_t s, void *h, cl_int *code), \
	       (c, b, s, h, code))                                                                 \
	RELEASE(cl_mem, clReleaseMemObject)                                                        \
	OBJECT(cl_program, clCreateProgramWithSource,                                              \
	       (cl_context c, cl_uint n, const char **t, const size_t *l, cl_int *code),           \
	       (c, n, t, l, code))                                                                 \
	OBJECT(cl_program, clCreateProgramWithBinary,                                              \
	       (cl_context c, cl_uint n, const cl_device_id *d, const size_t *l,                   \
	        const unsigned char **b, cl_int *of, cl_int *code),                                \
	       (c, n, d, l, b, of, code))                                                          \
	CODE(clBuildProgram,                                                                       \
	     (cl_program p, cl_uint n, const cl_device_id *d, const char *o, cl_program_notify *f, \
	      void *u),                                                                            \
	     (p, n, d, o, f, u))                                                                   \
	CODE(clGetProgramBuildInfo,                                                                \
	     (cl_program p, cl_device_id d, cl_uint w, size_t s, void *v, size_t *n),              \
	     (p, d, w, s, v, n))                                                                   \
	CODE(clGetProgramInfo, (cl_program p, cl_uint w, size_t s, void *v, size_t *n),            \
	     (p, w, s, v, n))                                                                      \
	RELEASE(cl_program, clReleaseProgram)                                                      \
	OBJECT(cl_kernel, clCreateKernel, (cl_program p, const char *n, cl_int *code),             \
	       (p, n, code))                                                                       \
	RELEASE(cl_kernel, clReleaseKernel)                                                        \
	CODE(clSetKernelArg, (cl_kernel k, cl_uint i, size_t s, const void *v), (k, i, s, v))      \
	QUEUE(clEnqueueNDRangeKernel,                                                              \
	      (cl_command_queue q, cl_kernel k, cl_uint d, const size_t *o, const size_t *g,       \
	       const size_t *l, TAIL),                                                             \
	      (q, k, d, o, g, l, TAIL_))                                                           \
	QUEUE(clEnqueueReadBuffer,                                                                 \
	      (cl_command_queue q, cl_mem m, cl_uint b, size_t o, size_t s, void *p, TAIL),        \
	      (q, m, b, o, s, p, TAIL_))                                                           \
	QUEUE(clEnqueueWriteBuffer,                                                                \
	      (cl_command_queue q, cl_mem m, cl_uint b, size_t o, size_t s, const void *p, TAIL),  \
	      (q, m, b, o, s, p, TAIL_))                                                           \
	QUEUE(clEnqueueFillBuffer,                                                                 \
	      (cl_command_queue q, cl_mem m, const void *z, size_t n, size_t o, size_t s, TAIL),   \
	      (q, m, z, n, o, s, TAIL_))                                                           \
	QUEUE(clEnqueueCopyBuffer,                                                                 \
	      (cl_command_queue q, cl_mem a, cl_mem b, size_t i, size_t o, size_t s, TAIL),        \
	      (q, a, b, i, o, s, TAIL_))                                                           \
	QUEUE(clEnqueueMarkerWithWaitList, (cl_command_queue q, TAIL), (q, TAIL_))                 \
	QUEUE(clEnqueueBarrierWithWaitList, (cl_command_queue q, TAIL), (q, TAIL_))                \
	CODE(clFlush, (cl_command_queue q), (q))                                                   \
	CODE(clGetEventProfilingInfo, (cl_event e, cl_uint w, size_t s, void *v, size_t *n),       \
	     (e, w, s, v, n))                                                                      \
	CODE(clSetKernelArgSVMPointer, (cl_kernel k, cl_uint i, const void *v), (k, i, v))         \
	QUEUE(clEnqueueSVMMap,                                                                     \
	      (cl_command_queue q, cl_uint b, cl_bits f, void *p, size_t s, TAIL),                 \
	      (q, b, f, p, s, TAIL_))                                                              \
	QUEUE(clEnqueueSVMUnmap, (cl_command_queue q, void *p, TAIL), (q, p, TAIL_))               \
	QUEUE(clEnqueueSVMMemFill,                                                                 \
	      (cl_command_queue q, void *p, const void *z, size_t n, size_t s, TAIL),              \
	      (q, p, z, n, s, TAIL_))                                                              \
	QUEUE(clEnqueueSVMMemcpy,                                                                  \
	      (cl_command_queue q, cl_uint b, void *to, const void *from, size_t s, TAIL),         \
	      (q, b, to, from, s, TAIL_))

FAULTY(GIVES_CODE, MAKES, RELEASES, ENQUEUES)

static cl_int clGetEventInfo_(cl_event e, cl_uint what, size_t size, void *value, size_t *n)
{
	const cl_int code = fails("clGetEventInfo") ? cl_faults.code
	                                            : real.clGetEventInfo(e, what, size, value, n);

	const int k = find_dying(e);

	if (code == CL_SUCCESS && k < MOST && what == CL_EVENT_COMMAND_EXECUTION_STATUS)
		*(cl_int *)value = dying[k].over ? cl_faults.code : RUNNING;
	return code;
}

static cl_int clWaitForEvents_(cl_uint n, const cl_event *events)
{
	cl_int code = fails("clWaitForEvents") ? cl_faults.code : real.clWaitForEvents(n, events);

	/* Only what was waited for is done: the progress of other commands is random. */
	for (cl_uint k = 0; k < n && code == CL_SUCCESS; k++) {
		const int found = find_dying(events[k]);

		if (found < MOST) {
			dying[found].over = true;
			code = WAIT_LIST_FAILED;
		}
	}
	return code;
}

static cl_int clReleaseEvent_(cl_event event)
{
	const int k = find_dying(event);

	if (k < MOST) {
		dying[k].event = NULL;
		dying[k].over = false;
	}
	cl_faults.live--;
	return real.clReleaseEvent(event);
}

/* Finishes the queue even if the call must fail, so that no command runs after it. */
static cl_int clFinish_(cl_command_queue q)
{
	const cl_int code = real.clFinish(q);

	all_over();
	return fails("clFinish") ? cl_faults.code : code;
}

static void *clSVMAlloc_(cl_context c, cl_bits flags, size_t bytes, cl_uint alignment)
{
	void *made = fails("clSVMAlloc") ? NULL : real.clSVMAlloc(c, flags, bytes, alignment);

	cl_faults.live += made != NULL;
	return made;
}

static void clSVMFree_(cl_context c, void *block)
{
	cl_faults.live -= block != NULL;
	real.clSVMFree(c, block);
}

bool cl_faults_install(void)
{
	int count;

	if (eki_opencl.count(&count) != EK_OK)
		return false;
	real = eki_cl;
#define PUT2(name, params, args)       eki_cl.name = name##_;
#define PUT3(type, name, params, args) eki_cl.name = name##_;
#define PUT1(type, name)               eki_cl.name = name##_;
	FAULTY(PUT2, PUT3, PUT1, PUT2)
	eki_cl.clGetEventInfo = clGetEventInfo_;
	eki_cl.clWaitForEvents = clWaitForEvents_;
	eki_cl.clReleaseEvent = clReleaseEvent_;
	eki_cl.clFinish = clFinish_;
	eki_cl.clSVMAlloc = clSVMAlloc_;
	eki_cl.clSVMFree = clSVMFree_;
	return true;
}

void cl_fail(long n, bool persistent, int code)
{
	cl_faults.calls = 0;
	cl_faults.persistent = persistent;
	cl_faults.code = code;
	if (n >= 0)
		cl_faults.failed[0] = 0;
	cl_faults.fail_at = n;
}

#endif
