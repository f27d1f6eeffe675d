/* SPDX-License-Identifier: BSD-3-Clause
 * Calls to OpenCL through the driver's table of functions, as the library makes them. */
#include "support/cl_device.h"
#include "support/cl_faults.h"
#include "support/context.h"
#include "support/support.h"

#ifndef EK_NO_GPU

enum { GROUP = 64 };

const char cl_text[] = "__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
		       "void triple(__global const int *x, __global int *y, int add, long n)\n"
		       "{\n"
		       "	long i = get_global_id(0);\n"
		       "	if (i < n)\n"
		       "		y[i] = 3 * x[i] + add;\n"
		       "}\n";

eki_device cl_device;
void *cl_program_made, *cl_triple;

int cl_device_open(void **state)
{
	context_setup(state);
	cl_device = (eki_device){.ctx = ctx, .driver = &eki_opencl, .number = 0};
	expect_status(eki_opencl.info(0, &cl_device.info), EK_OK);
	expect_status(eki_opencl.open(&cl_device), EK_OK);
	expect_status(eki_opencl.build(&cl_device, "triple", cl_text, NULL, 0, &cl_program_made),
	              EK_OK);
	expect_status(eki_opencl.kernel(&cl_device, cl_program_made, "triple", &cl_triple), EK_OK);
	return 0;
}

int cl_device_close(void **state)
{
	eki_opencl.drop(&cl_device, cl_triple);
	eki_opencl.unload(&cl_device, cl_program_made);
	eki_opencl.close(&cl_device);
	assert_int_equal(cl_faults.live, 0);
	return context_teardown(state);
}

bool cl_has(eki_memory memory)
{
	return memory == EKI_MEMORY_COPY ||
	       (memory == EKI_MEMORY_MAPPED && cl_device.info.mapped) ||
	       (memory == EKI_MEMORY_SHARED && cl_device.info.shared) ||
	       (memory == EKI_MEMORY_ATOMIC && cl_device.info.atomics);
}

ek_status cl_make(eki_memory memory, int64_t bytes, eki_buffer *b)
{
	*b = (eki_buffer){.bytes = bytes, .memory = memory};
	return eki_opencl.alloc(&cl_device, memory, bytes, &b->device, &b->host);
}

void cl_drop(eki_buffer *b)
{
	if (b->device)
		eki_opencl.free(&cl_device, b->memory, b->device);
}

/* Fills a buffer in any kind of memory from `from`. */
ek_status cl_put(eki_buffer *b, const void *from)
{
	if (b->memory == EKI_MEMORY_COPY)
		return eki_opencl.write(&cl_device, b, 0, from, b->bytes);
	EK_RETURN_IF(b->memory == EKI_MEMORY_MAPPED ? eki_opencl.map(&cl_device, b)
	                                            : eki_opencl.wait(&cl_device));
	memcpy(b->host, from, (size_t)b->bytes);
	return b->memory == EKI_MEMORY_MAPPED ? eki_opencl.unmap(&cl_device, b) : EK_OK;
}

ek_status cl_get(eki_buffer *b, void *to)
{
	if (b->memory == EKI_MEMORY_COPY)
		return eki_opencl.read(&cl_device, b, 0, to, b->bytes);
	EK_RETURN_IF(b->memory == EKI_MEMORY_MAPPED ? eki_opencl.map(&cl_device, b)
	                                            : eki_opencl.wait(&cl_device));
	memcpy(to, b->host, (size_t)b->bytes);
	return b->memory == EKI_MEMORY_MAPPED ? eki_opencl.unmap(&cl_device, b) : EK_OK;
}

ek_status cl_launch(void *of, const eki_buffer *x, const eki_buffer *y, int add)
{
	const eki_arg args[] = {eki_arg_buffer(x), eki_arg_buffer(y), eki_arg_i32(add),
	                        eki_arg_i64(CL_N)};

	return eki_opencl.launch(&cl_device, of, eki_groups(CL_N, GROUP), GROUP, args,
	                         EKI_COUNT(args));
}

#endif
