/* SPDX-License-Identifier: BSD-3-Clause
 * Loads libOpenCL.so.1, the standard loader of the machine's OpenCL drivers, or the file that the
 * environment variable EK_OPENCL names. Also translates error codes to names. The library stays
 * loaded until the process ends, since drivers have threads of their own. */
#include <stdio.h>

#include "gpu/library.h"
#include "gpu/opencl_api.h"

#ifndef EK_NO_GPU

struct eki_cl eki_cl;

#define NAME(type, name, params) #name,
static const char *const core[] = {EKI_CL_CORE(NAME)};
static const char *const svm[] = {EKI_CL_SVM(NAME)};

static ek_status missing(void)
{
	char text[512];

	snprintf(text, sizeof text, "%s", ek_error_text());
	return eki_fail(EK_EDEVICE, "opencl: %s; " EKI_CL_HINT, text);
}

ek_status eki_cl_load(void)
{
	const char *file = eki_getenv("EK_OPENCL");
	struct eki_cl found;
	void *library;

	if (!file)
		file = "libOpenCL.so.1";
	if (eki_library_open(file, &library) != EK_OK)
		return missing();
	if (eki_library_symbols(library, file, core, EKI_COUNT(core), &found) != EK_OK) {
		eki_library_close(library);
		return missing();
	}
	found.svm =
		eki_library_symbols(library, file, svm, EKI_COUNT(svm), &found.clSVMAlloc) == EK_OK;
	eki_cl = found;
	return EK_OK;
}

static const struct {
	cl_int code;
	const char *name;
} codes[] = {
#define CODE(code, name)          \
	{                         \
		code, "CL_" #name \
	}
	CODE(-1, DEVICE_NOT_FOUND),
	CODE(-2, DEVICE_NOT_AVAILABLE),
	CODE(-3, COMPILER_NOT_AVAILABLE),
	CODE(-4, MEM_OBJECT_ALLOCATION_FAILURE),
	CODE(-5, OUT_OF_RESOURCES),
	CODE(-6, OUT_OF_HOST_MEMORY),
	CODE(-7, PROFILING_INFO_NOT_AVAILABLE),
	CODE(-11, BUILD_PROGRAM_FAILURE),
	CODE(-12, MAP_FAILURE),
	CODE(-14, EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
	CODE(-30, INVALID_VALUE),
	CODE(-32, INVALID_PLATFORM),
	CODE(-33, INVALID_DEVICE),
	CODE(-34, INVALID_CONTEXT),
	CODE(-35, INVALID_QUEUE_PROPERTIES),
	CODE(-36, INVALID_COMMAND_QUEUE),
	CODE(-37, INVALID_HOST_PTR),
	CODE(-38, INVALID_MEM_OBJECT),
	CODE(-42, INVALID_BINARY),
	CODE(-43, INVALID_BUILD_OPTIONS),
	CODE(-44, INVALID_PROGRAM),
	CODE(-45, INVALID_PROGRAM_EXECUTABLE),
	CODE(-46, INVALID_KERNEL_NAME),
	CODE(-47, INVALID_KERNEL_DEFINITION),
	CODE(-48, INVALID_KERNEL),
	CODE(-49, INVALID_ARG_INDEX),
	CODE(-50, INVALID_ARG_VALUE),
	CODE(-51, INVALID_ARG_SIZE),
	CODE(-52, INVALID_KERNEL_ARGS),
	CODE(-53, INVALID_WORK_DIMENSION),
	CODE(-54, INVALID_WORK_GROUP_SIZE),
	CODE(-55, INVALID_WORK_ITEM_SIZE),
	CODE(-57, INVALID_EVENT_WAIT_LIST),
	CODE(-58, INVALID_EVENT),
	CODE(-59, INVALID_OPERATION),
	CODE(-61, INVALID_BUFFER_SIZE),
	CODE(-63, INVALID_GLOBAL_WORK_SIZE),
	CODE(-64, INVALID_PROPERTY),
	CODE(-1001, PLATFORM_NOT_FOUND_KHR),
#undef CODE
};

ek_status eki_cl_check(const char *call, cl_int code)
{
	const bool memory = code == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
	                    code == CL_OUT_OF_HOST_MEMORY || code == CL_INVALID_BUFFER_SIZE;
	const char *name = "unknown code";

	if (code >= 0)
		return EK_OK;
	for (size_t k = 0; k < sizeof codes / sizeof *codes; k++)
		if (codes[k].code == code)
			name = codes[k].name;
	return eki_fail(memory ? EK_ENOMEM : EK_EDEVICE, "opencl: %s failed: %s (%d)", call, name,
	                code);
}

#endif
