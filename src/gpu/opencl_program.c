/* SPDX-License-Identifier: BSD-3-Clause
 * Programs and kernels of the OpenCL driver (opencl.c). */
#include <stdio.h>

#include "gpu/opencl_api.h"

#ifndef EK_NO_GPU

enum { LOG_LENGTH = 400 };

/* Fails with a message that contains the error code and the beginning of the compiler's log on one
 * line. */
static ek_status build_failed(const eki_device *d, cl_program program, const char *name,
                              cl_int code)
{
	const eki_cl_own *o = d->own;
	const ek_status status = eki_cl_check("clBuildProgram", code);
	char said[LOG_LENGTH + 1] = "";
	size_t bytes = 0, end = 0;
	void *full;

	if (eki_cl.clGetProgramBuildInfo(program, o->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) !=
	            CL_SUCCESS ||
	    eki_calloc(d->ctx, (int64_t)bytes + 1, 1, &full) != EK_OK)
		return eki_fail(status, "opencl: clBuildProgram failed (%d) for %s", code, name);
	if (eki_cl.clGetProgramBuildInfo(program, o->id, CL_PROGRAM_BUILD_LOG, bytes, full, NULL) ==
	    CL_SUCCESS)
		snprintf(said, sizeof said, "%s", (const char *)full);
	eki_free(d->ctx, full, (int64_t)bytes + 1, 1);
	for (size_t k = 0; said[k]; k++) {
		if ((unsigned char)said[k] < ' ')
			said[k] = ' ';
		if (said[k] != ' ')
			end = k + 1;
	}
	said[end] = 0;
	return eki_fail(status, "opencl: clBuildProgram failed (%d) for %s: %s", code, name,
	                end ? said : "the compiler said nothing");
}

ek_status eki_cl_build(eki_device *d, const char *name, const char *text, const void *binary,
                       size_t bytes, void **program)
{
	const eki_cl_own *o = d->own;
	const unsigned char *from = binary;
	cl_int code, of_binary = CL_SUCCESS;
	cl_program made;
	ek_status status;

	if (binary) {
		made = eki_cl.clCreateProgramWithBinary(o->context, 1, &o->id, &bytes, &from,
		                                        &of_binary, &code);
		EK_RETURN_IF(eki_cl_check("clCreateProgramWithBinary", code));
		EK_TRY(eki_cl_check("clCreateProgramWithBinary", of_binary));
	} else {
		made = eki_cl.clCreateProgramWithSource(o->context, 1, &text, NULL, &code);
		EK_RETURN_IF(eki_cl_check("clCreateProgramWithSource", code));
	}
	code = eki_cl.clBuildProgram(made, 1, &o->id,
	                             strstr(text, EKI_HOST_ATOMICS) ? o->host_options : o->options,
	                             NULL, NULL);
	if (code != CL_SUCCESS)
		EK_TRY(build_failed(d, made, name, code));
	*program = made;
	return EK_OK;
done:
	eki_cl.clReleaseProgram(made);
	return status;
}

ek_status eki_cl_save(eki_device *d, void *program, void **binary, int64_t *bytes)
{
	size_t size = 0;
	void *made = NULL;
	ek_status status;

	EK_RETURN_IF(EKI_CL(clGetProgramInfo, program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size,
	                    NULL));
	EK_RETURN_IF(eki_alloc(d->ctx, (int64_t)size, 1, &made));
	if (size > 0)
		EK_TRY(EKI_CL(clGetProgramInfo, program, CL_PROGRAM_BINARIES, sizeof made, &made,
		              NULL));
	*binary = made;
	*bytes = (int64_t)size;
	return EK_OK;
done:
	eki_free(d->ctx, made, (int64_t)size, 1);
	return status;
}

void eki_cl_unload(eki_device *d, void *program)
{
	(void)d;
	eki_cl.clReleaseProgram(program);
}

ek_status eki_cl_kernel(eki_device *d, void *program, const char *name, void **kernel)
{
	cl_int code;
	cl_kernel made = eki_cl.clCreateKernel(program, name, &code);

	(void)d;
	EK_RETURN_IF(eki_cl_check("clCreateKernel", code));
	*kernel = made;
	return EK_OK;
}

void eki_cl_drop(eki_device *d, void *kernel)
{
	(void)d;
	eki_cl.clReleaseKernel(kernel);
}

#endif
