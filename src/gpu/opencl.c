/* SPDX-License-Identifier: BSD-3-Clause
 * The OpenCL driver (eki_driver in gpu.h): finds devices, opens them, and holds the table of the
 * driver's functions. opencl_program.c builds programs, opencl_queue.c handles memory and launches.
 * An open device has an OpenCL context and an in-order queue of its own, with profiling, and a
 * second one for copies. A device is described as sharing memory with the host only if the OpenCL
 * library has the functions for that. So later calls never use a function that the library lacks.
 * Kernels use sub-groups if the device can be made to have them of 32 work-items, with ballots and
 * shuffles. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "gpu/gpu.h"
#include "gpu/opencl_api.h"

#ifndef EK_NO_GPU

enum {
	MAX_PLATFORMS = 16,
	MAX_DEVICES = 64,
	WARP = 32 /* work-items of a sub-group that kernels are made for (prelude.cl) */
};

/* The OpenCL devices of this machine, in the order of their platforms. */
static struct {
	pthread_mutex_t lock;
	bool loaded;
	int count;
	cl_platform_id platform[MAX_DEVICES];
	cl_device_id id[MAX_DEVICES];
} devices = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- Devices --------------------------------------------------------------------------------- */

static ek_status find_devices(void)
{
	cl_platform_id platform[MAX_PLATFORMS];
	cl_uint platforms = 0;
	int count = 0;
	cl_int code;

	if (!devices.loaded)
		EK_RETURN_IF(eki_cl_load());
	devices.loaded = true;
	code = eki_cl.clGetPlatformIDs(MAX_PLATFORMS, platform, &platforms);
	if (code == CL_PLATFORM_NOT_FOUND_KHR || (code == CL_SUCCESS && platforms == 0))
		return eki_fail(EK_EDEVICE, "opencl: no driver is installed; " EKI_CL_HINT);
	EK_RETURN_IF(eki_cl_check("clGetPlatformIDs", code));
	platforms = platforms < MAX_PLATFORMS ? platforms : MAX_PLATFORMS;
	for (cl_uint k = 0; k < platforms && count < MAX_DEVICES; k++) {
		cl_uint more = 0, capacity = (cl_uint)(MAX_DEVICES - count);

		code = eki_cl.clGetDeviceIDs(platform[k], CL_DEVICE_TYPE_ALL, capacity,
		                             devices.id + count, &more);
		if (code == CL_DEVICE_NOT_FOUND)
			continue;
		EK_RETURN_IF(eki_cl_check("clGetDeviceIDs", code));
		more = more < capacity ? more : capacity;
		for (cl_uint i = 0; i < more; i++)
			devices.platform[count++] = platform[k];
	}
	if (count == 0)
		return eki_fail(EK_EDEVICE, "opencl: the drivers have no device; " EKI_CL_HINT);
	devices.count = count;
	return EK_OK;
}

static ek_status cl_count(int *count)
{
	ek_status status = EK_OK;

	pthread_mutex_lock(&devices.lock);
	if (devices.count == 0)
		status = find_devices();
	if (status == EK_OK)
		*count = devices.count;
	pthread_mutex_unlock(&devices.lock);
	return status;
}

/* Queries a number from a device. Sets *value to 0 if the device does not know the query. */
static ek_status ask(cl_device_id id, cl_uint what, uint64_t *value)
{
	/* The device writes 4 or 8 bytes. Both give the right number, since all machines with
	 * OpenCL drivers are little-endian. */
	uint64_t answer = 0;
	const cl_int code = eki_cl.clGetDeviceInfo(id, what, sizeof answer, &answer, NULL);

	*value = code == CL_SUCCESS ? answer : 0;
	return code == CL_INVALID_VALUE ? EK_OK : eki_cl_check("clGetDeviceInfo", code);
}

/* Queries a text from a device and cuts it to fit in `size` bytes. */
static ek_status ask_text(cl_device_id id, cl_uint what, char *text, size_t size)
{
	char full[1024] = "";

	EK_RETURN_IF(EKI_CL(clGetDeviceInfo, id, what, sizeof full, full, NULL));
	snprintf(text, size, "%.*s", (int)size - 1, full);
	return EK_OK;
}

static ek_status tell_texts(int k, ek_device_info *info)
{
	cl_device_id id = devices.id[k];
	char platform[80] = "", driver[40], version[128], number[16] = "";

	EK_RETURN_IF(ask_text(id, CL_DEVICE_NAME, info->text, sizeof info->text));
	EK_RETURN_IF(ask_text(id, CL_DRIVER_VERSION, driver, sizeof driver));
	EK_RETURN_IF(ask_text(id, CL_DEVICE_VERSION, version, sizeof version));
	EK_RETURN_IF(EKI_CL(clGetPlatformInfo, devices.platform[k], CL_PLATFORM_NAME,
	                    sizeof platform, platform, NULL));
	snprintf(info->driver, sizeof info->driver, "%s %s", platform, driver);
	sscanf(version, "OpenCL %15s", number);
	snprintf(info->arch, sizeof info->arch, "%s", number);
	return EK_OK;
}

/* Tells whether `list`, words with spaces between them, has a word. */
static bool has_word(const char *list, const char *word)
{
	const size_t n = strlen(word);

	for (const char *at = strstr(list, word); at; at = strstr(at + n, word))
		if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
			return true;
	return false;
}

/* Finds the sizes of sub-groups that kernels can require. Sets *least to the smallest size, or to 1
 * if there is none, and *warps to whether kernels can have warps of WARP work-items. */
static void ask_sub_groups(cl_device_id id, int *least, bool *warps)
{
	static const char *const needed[] = {"cl_intel_required_subgroup_size",
	                                     "cl_khr_subgroup_ballot", "cl_khr_subgroup_shuffle",
	                                     "cl_khr_subgroup_shuffle_relative"};
	char list[1 << 14] = "";
	size_t size[16], bytes = 0;

	*least = 1;
	*warps = false;
	if (eki_cl.clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, sizeof list, list, NULL) !=
	            CL_SUCCESS ||
	    eki_cl.clGetDeviceInfo(id, CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof size, size,
	                           &bytes) != CL_SUCCESS)
		return;
	for (size_t k = 0; k < bytes / sizeof *size; k++) {
		*least = k == 0 || (int)size[k] < *least ? (int)size[k] : *least;
		*warps |= size[k] == WARP;
	}
	for (int k = 0; k < EKI_COUNT(needed); k++)
		*warps &= has_word(list, needed[k]);
}

/* Asks whether host and device can meet in shared memory by atomic operations: the memory must have
 * them, and the language must have them with the scope of all devices. OpenCL C 2.0 always has
 * that scope; for OpenCL C 3.0, the device says so. Sets *major to the version of the language. */
static ek_status ask_atomics(cl_device_id id, int *major, bool *atomics)
{
	enum {
		MEMORY = CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_ATOMICS,
		LANGUAGE = CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES
	};
	uint64_t svm, scopes;
	char version[64];

	*major = 1;
	EK_RETURN_IF(ask_text(id, CL_DEVICE_OPENCL_C_VERSION, version, sizeof version));
	sscanf(version, "OpenCL C %d", major);
	EK_RETURN_IF(ask(id, CL_DEVICE_SVM_CAPABILITIES, &svm));
	EK_RETURN_IF(ask(id, CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, &scopes));
	*atomics = eki_cl.svm && (svm & MEMORY) == MEMORY &&
	           (*major == 2 || (scopes & LANGUAGE) == LANGUAGE);
	return EK_OK;
}

static ek_status cl_info(int k, ek_device_info *info)
{
	uint64_t type, units, memory, local, unified, svm, f64, warp, wavefront;
	int least = 1, major;
	bool warps, atomics;
	const struct {
		cl_uint what;
		uint64_t *value;
	} question[] = {
		{CL_DEVICE_TYPE, &type},
		{CL_DEVICE_MAX_COMPUTE_UNITS, &units},
		{CL_DEVICE_GLOBAL_MEM_SIZE, &memory},
		{CL_DEVICE_LOCAL_MEM_SIZE, &local},
		{CL_DEVICE_HOST_UNIFIED_MEMORY, &unified},
		{CL_DEVICE_SVM_CAPABILITIES, &svm},
		{CL_DEVICE_DOUBLE_FP_CONFIG, &f64},
		{CL_DEVICE_WARP_SIZE_NV, &warp},
		{CL_DEVICE_WAVEFRONT_WIDTH_AMD, &wavefront},
	};

	EK_RETURN_IF(tell_texts(k, info));
	for (int q = 0; q < EKI_COUNT(question); q++)
		EK_RETURN_IF(ask(devices.id[k], question[q].what, question[q].value));
	snprintf(info->kind, sizeof info->kind, "%s",
	         type & CL_DEVICE_TYPE_GPU   ? "gpu"
	         : type & CL_DEVICE_TYPE_CPU ? "cpu"
	                                     : "accelerator");
	info->units = (int)units;
	if (type & CL_DEVICE_TYPE_GPU)
		ask_sub_groups(devices.id[k], &least, &warps);
	info->lanes = warp ? (int)warp : wavefront ? (int)wavefront : least;
	info->memory = (int64_t)memory;
	info->local = info->local_most = (int64_t)local;
	info->unified = type & CL_DEVICE_TYPE_CPU || unified;
	info->mapped = eki_cl.svm && svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
	info->shared = eki_cl.svm && svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
	info->f64 = f64 != 0;
	EK_RETURN_IF(ask_atomics(devices.id[k], &major, &atomics));
	info->atomics = atomics;
	return EK_OK;
}

static void cl_close(eki_device *d)
{
	eki_cl_own *o = d->own;

	if (!o)
		return;
	eki_cl_forget(o);
	pthread_mutex_destroy(&o->lock);
	for (int k = 0; k < 2; k++)
		if (o->mark[k])
			eki_cl.clReleaseEvent(o->mark[k]);
	if (o->queue) {
		eki_cl.clFinish(o->queue);
		eki_cl.clReleaseCommandQueue(o->queue);
	}
	if (o->copies) {
		eki_cl.clFinish(o->copies);
		eki_cl.clReleaseCommandQueue(o->copies);
	}
	if (o->context)
		eki_cl.clReleaseContext(o->context);
	eki_free(d->ctx, o, 1, sizeof *o);
	d->own = NULL;
}

/* Writes the compiler's options to *o. Drivers may have the scope of all devices without the macro
 * by which the language shows it (PoCL 3.1), so the macro is defined here. */
static ek_status set_options(eki_cl_own *o)
{
	static const char scope[] = "-D__opencl_c_atomic_scope_all_devices=1";
	char version[64];
	int major = 1, minor = 0, least;
	bool warps, atomics;

	EK_RETURN_IF(ask_text(o->id, CL_DEVICE_OPENCL_C_VERSION, version, sizeof version));
	sscanf(version, "OpenCL C %d.%d", &major, &minor);
	EK_RETURN_IF(ask_atomics(o->id, &major, &atomics));
	ask_sub_groups(o->id, &least, &warps);
	warps &= major >= 3;
	o->options = warps                      ? "-cl-std=CL3.0 -DEK_SUB_GROUP=32"
	             : 10 * major + minor >= 12 ? "-cl-std=CL1.2"
	                                        : "";
	if (atomics && major == 2)
		snprintf(o->host_options, sizeof o->host_options, "-cl-std=CL2.0");
	else if (atomics)
		snprintf(o->host_options, sizeof o->host_options, "%s %s",
		         warps ? o->options : "-cl-std=CL3.0", scope);
	return EK_OK;
}

static ek_status cl_open(eki_device *d)
{
	const cl_property with[] = {CL_CONTEXT_PLATFORM, (cl_property)devices.platform[d->number],
	                            0};
	void *memory;
	double seconds;
	cl_int code;
	eki_cl_own *o;
	ek_status status;

	EK_RETURN_IF(eki_calloc(d->ctx, 1, sizeof *o, &memory));
	d->own = o = memory;
	pthread_mutex_init(&o->lock, NULL);
	o->id = devices.id[d->number];
	EK_TRY(set_options(o));
	o->context = eki_cl.clCreateContext(with, 1, &o->id, NULL, NULL, &code);
	EK_TRY(eki_cl_check("clCreateContext", code));
	o->queue = eki_cl.clCreateCommandQueue(o->context, o->id, CL_QUEUE_PROFILING_ENABLE, &code);
	EK_TRY(eki_cl_check("clCreateCommandQueue", code));
	o->copies = eki_cl.clCreateCommandQueue(o->context, o->id, 0, &code);
	EK_TRY(eki_cl_check("clCreateCommandQueue", code));
	EK_TRY(eki_cl_mark(d, 0));
	EK_TRY(eki_cl_mark(d, 1));
	o->host_clock = eki_cl_elapsed(d, &seconds) != EK_OK;
	return EK_OK;
done:
	cl_close(d);
	return status;
}

/* Describes the compiler by the versions of the platform and of the device, and by the options. The
 * platform's version is included because it may contain that of the compiler. */
static ek_status cl_compiler(eki_device *d, char *text, size_t size)
{
	const eki_cl_own *o = d->own;
	char platform[200] = "", version[200];

	EK_RETURN_IF(EKI_CL(clGetPlatformInfo, devices.platform[d->number], CL_PLATFORM_VERSION,
	                    sizeof platform, platform, NULL));
	EK_RETURN_IF(ask_text(devices.id[d->number], CL_DEVICE_VERSION, version, sizeof version));
	snprintf(text, size, "%s, %s %s%s", platform, version, o->options, o->host_options);
	return EK_OK;
}

const eki_driver eki_opencl = {
	.name = "opencl",
	.backend = EKI_OPENCL,
	.count = cl_count,
	.info = cl_info,
	.open = cl_open,
	.close = cl_close,
	.alloc = eki_cl_alloc,
	.free = eki_cl_free,
	.write = eki_cl_write,
	.read = eki_cl_read,
	.send = eki_cl_send,
	.fetch = eki_cl_fetch,
	.follow = eki_cl_follow,
	.copy = eki_cl_copy,
	.clear = eki_cl_clear,
	.map = eki_cl_map,
	.unmap = eki_cl_unmap,
	.build = eki_cl_build,
	.compiler = cl_compiler,
	.save = eki_cl_save,
	.unload = eki_cl_unload,
	.kernel = eki_cl_kernel,
	.drop = eki_cl_drop,
	.launch = eki_cl_launch,
	.flush = eki_cl_flush,
	.wait = eki_cl_wait,
	.mark = eki_cl_mark,
	.elapsed = eki_cl_elapsed,
};

#endif
