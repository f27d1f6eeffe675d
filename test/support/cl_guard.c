/* SPDX-License-Identifier: BSD-3-Clause
 * OpenCL's CL_MEM_USE_HOST_PTR makes a device that is the processor work in memory of the host. */
#include "gpu/opencl_api.h"
#include "support/cl_guard.h"
#include "support/guard.h"
#include "support/support.h"

#ifndef EK_NO_GPU

enum { MOST = 4096, USE_HOST_PTR = 1 << 3 };

static struct eki_cl real;
static int place;
static struct {
	const void *made; /* the buffer, or the shared memory */
	struct guard guard;
} list[MOST];

/* A free place of the list, with memory for `bytes`. */
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

static cl_int release(cl_mem buffer)
{
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

bool cl_guard_install(void)
{
	ek_device_info info = {.size = sizeof info};
	int count;

	if (eki_opencl.count(&count) != EK_OK || eki_opencl.info(0, &info) != EK_OK ||
	    strcmp(info.kind, "cpu") != 0)
		return false;
	real = eki_cl;
	eki_cl.clCreateBuffer = create;
	eki_cl.clReleaseMemObject = release;
	eki_cl.clSVMAlloc = svm_alloc;
	eki_cl.clSVMFree = svm_free;
	return true;
}

void cl_guard_place(int at_end)
{
	place = at_end;
}

#endif
