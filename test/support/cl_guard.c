/* SPDX-License-Identifier: BSD-3-Clause
 * Guarded buffers. With OpenCL's CL_MEM_USE_HOST_PTR, a device that is the processor works in host
 * memory, which can be between guard pages.
 *
 * OpenCL has no such flag for shared virtual memory, so drivers get pointers to memory that they
 * did not allocate. Some drivers accept these pointers only as kernel arguments and refuse them in
 * all other calls. The host does the work of those calls here, after the queue has finished. It
 * also finishes the queue before a buffer goes, since a driver may still have to write to it. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "gpu/opencl_api.h"
#include "support/cl_guard.h"
#include "support/guard.h"
#include "support/small.h"
#include "support/support.h"

#ifndef EK_NO_GPU

enum { MOST = 4096, USE_HOST_PTR = 1 << 3 };

static struct eki_cl real;
static cl_command_queue queue; /* that of the context that was opened last */
static int place;
static _Atomic bool refused;
static struct {
	const void *made; /* the buffer or shared memory; NULL if the place is free */
	struct guard guard;
} list[MOST];

/* Allocates `bytes` bytes of guarded memory for a free place of the list, and sets *at to it.
 * Returns the number of the place. */
static int lay(size_t bytes, void **at)
{
	int k = 0;

	while (list[k].made)
		if (++k == MOST)
			fail_msg("more than %d arrays", MOST);
	guard_make(&list[k].guard, bytes);
	*at = place ? guard_at_end(&list[k].guard, bytes) : guard_at_begin(&list[k].guard, bytes);
	return k;
}

static void take_away(const void *made)
{
	for (int k = 0; k < MOST; k++)
		if (list[k].made == made) {
			guard_free(&list[k].guard);
			list[k].made = NULL;
			break;
		}
}

static cl_mem create(cl_context c, cl_bits flags, size_t bytes, void *host, cl_int *code)
{
	const int k = lay(bytes, &host);
	cl_mem buffer = real.clCreateBuffer(c, flags | USE_HOST_PTR, bytes, host, code);

	list[k].made = buffer;
	return buffer;
}

static cl_command_queue create_queue(cl_context c, cl_device_id device, cl_bits flags, cl_int *code)
{
	queue = real.clCreateCommandQueue(c, device, flags, code);
	return queue;
}

static cl_int release_queue(cl_command_queue q)
{
	queue = q == queue ? NULL : queue;
	return real.clReleaseCommandQueue(q);
}

static cl_int release(cl_mem buffer)
{
	if (queue)
		real.clFinish(queue);
	const cl_int code = real.clReleaseMemObject(buffer);

	take_away(buffer);
	return code;
}

static void *svm_alloc(cl_context c, cl_bits flags, size_t bytes, cl_uint alignment)
{
	void *block;
	const int k = lay(bytes, &block);

	(void)c;
	(void)flags;
	(void)alignment;
	list[k].made = block;
	return block;
}

static void svm_free(cl_context c, void *block)
{
	(void)c;
	take_away(block);
}

/* Finishes the queue. Unless `event` is NULL, sets *event to that of a marker at its end. */
static cl_int come_to_end(cl_command_queue q, cl_uint waits, const cl_event *before,
                          cl_event *event)
{
	const cl_int code = real.clFinish(q);

	return code == CL_SUCCESS && event
	               ? real.clEnqueueMarkerWithWaitList(q, waits, before, event)
	               : code;
}

static cl_int svm_map(cl_command_queue q, cl_uint blocking, cl_bits flags, void *block,
                      size_t bytes, cl_uint waits, const cl_event *before, cl_event *event)
{
	(void)blocking;
	(void)flags;
	(void)block;
	(void)bytes;
	return come_to_end(q, waits, before, event);
}

static cl_int svm_unmap(cl_command_queue q, void *block, cl_uint waits, const cl_event *before,
                        cl_event *event)
{
	(void)block;
	return come_to_end(q, waits, before, event);
}

static cl_int svm_fill(cl_command_queue q, void *block, const void *pattern, size_t size,
                       size_t bytes, cl_uint waits, const cl_event *before, cl_event *event)
{
	const cl_int code = come_to_end(q, waits, before, event);

	for (size_t k = 0; code == CL_SUCCESS && k < bytes; k += size)
		memcpy((char *)block + k, pattern, size);
	return code;
}

static cl_int svm_copy(cl_command_queue q, cl_uint blocking, void *to, const void *from,
                       size_t bytes, cl_uint waits, const cl_event *before, cl_event *event)
{
	const cl_int code = come_to_end(q, waits, before, event);

	(void)blocking;
	if (code == CL_SUCCESS)
		memcpy(to, from, bytes);
	return code;
}

static cl_int svm_argument(cl_kernel kernel, cl_uint k, const void *block)
{
	const cl_int code = real.clSetKernelArgSVMPointer(kernel, k, block);

	if (code != CL_SUCCESS)
		atomic_store(&refused, true);
	return code;
}

bool cl_guard_install(const ek_device_info *info)
{
	if (strncmp(info->name, eki_opencl.name, strlen(eki_opencl.name)) != 0 ||
	    strcmp(info->kind, "cpu") != 0)
		return false;
	real = eki_cl;
	eki_cl.clCreateBuffer = create;
	eki_cl.clReleaseMemObject = release;
	eki_cl.clCreateCommandQueue = create_queue;
	eki_cl.clReleaseCommandQueue = release_queue;
	eki_cl.clSVMAlloc = svm_alloc;
	eki_cl.clSVMFree = svm_free;
	eki_cl.clEnqueueSVMMap = svm_map;
	eki_cl.clEnqueueSVMUnmap = svm_unmap;
	eki_cl.clEnqueueSVMMemFill = svm_fill;
	eki_cl.clEnqueueSVMMemcpy = svm_copy;
	eki_cl.clSetKernelArgSVMPointer = svm_argument;
	return true;
}

void cl_guard_place(int at_end)
{
	place = at_end;
}

bool cl_guard_works(const ek_options *o)
{
	const ek_hints hints = {.size = sizeof hints, .method = "spmv.csr.speculative.gpu"};
	ek_context *on;
	ek_matrix *A;
	ek_plan *plan;
	ek_status status;
	void *x, *y;

	expect_status(ek_context_create(o, &on), EK_OK);
	expect_status(ek_device_alloc(on, 2 * sizeof(double), &x), EK_OK);
	expect_status(ek_device_alloc(on, 3 * sizeof(double), &y), EK_OK);
	expect_status(small_make(on, &A), EK_OK);
	expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
	const ek_dense of_x = ek_device_vector(EK_F64, 2, x), of_y = ek_device_vector(EK_F64, 3, y);

	status = ek_spmv(plan, 1, &of_x, 0, &of_y);
	if (status != EK_OK && refused)
		print_message("  left out: guarded memory is not for kernels here (%s)\n",
		              ek_error_text());
	else
		expect_status(status, EK_OK);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	ek_device_free(on, x);
	ek_device_free(on, y);
	ek_context_destroy(on);
	return status == EK_OK;
}

static ek_status find_device(ek_device_info *info)
{
	const char *name = getenv("EK_DEVICE");
	const ek_options o = {.size = sizeof o, .device = name ? name : "opencl"};
	ek_context *on;
	ek_status status;

	EK_RETURN_IF(ek_context_create(&o, &on));
	status = ek_context_get_device(on, info);
	ek_context_destroy(on);
	return status;
}

static int nothing(void **state)
{
	(void)state;
	return 0;
}

int cl_guard_run(const struct CMUnitTest *tests, size_t count, CMFixtureFunction teardown,
                 ek_device_info *info)
{
	const char *kind = getenv("EK_TEST_KIND");

	setenv("EK_CACHE", "off", 0); /* to save binaries takes longer than to compile */
	if (find_device(info) != EK_OK) {
		printf("%s: %s\n", getenv("EK_DEVICE") ? "failed" : "left out", ek_error_text());
		return getenv("EK_DEVICE") != NULL;
	}
	printf("%s, %s guard pages\n", info->text, cl_guard_install(info) ? "with" : "without");
	if (kind)
		snprintf(info->kind, sizeof info->kind, "%s", kind);
	return run_group(tests, count, nothing, teardown);
}

#endif
