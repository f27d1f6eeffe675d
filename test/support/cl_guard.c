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
	cl_mem buffer;
	struct guard guard;
} made[MOST];

static cl_mem create(cl_context c, cl_bits flags, size_t bytes, void *host, cl_int *code)
{
	int k = 0;

	(void)host;
	while (made[k].buffer)
		if (++k == MOST)
			fail_msg("more than %d buffers", MOST);
	guard_make(&made[k].guard, bytes);
	made[k].buffer = real.clCreateBuffer(c, flags | USE_HOST_PTR, bytes,
	                                     place ? guard_at_end(&made[k].guard, bytes)
	                                           : guard_at_begin(&made[k].guard, bytes),
	                                     code);
	return made[k].buffer;
}

static cl_int release(cl_mem buffer)
{
	const cl_int code = real.clReleaseMemObject(buffer);

	for (int k = 0; k < MOST; k++)
		if (made[k].buffer == buffer) {
			guard_free(&made[k].guard);
			made[k].buffer = NULL;
			break;
		}
	return code;
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
	return true;
}

void cl_guard_place(int at_end)
{
	place = at_end;
}

#endif
